/* The view of functions: its rows, and how much of what was counted their samples explain. */
#pragma once

#include "model/functions.h"
#include "model/stack_tree.h"

struct view;

/* The function of a row, and all of them. */
const struct function *view_row_function(const struct view *view, size_t row);
const struct functions *view_functions(const struct view *view);
/* Its callers, what it calls, and what is inlined into it; the weight of all stacks that it is in.
 * The caller releases them. */
uint64_t view_related(const struct view *view, const struct function *function,
                      struct functions related[RELATED_KINDS]);
/* Replaces `code` by the source lines of a function of the frame, in the order of the code, with
 * their samples; by its instructions where no lines are known. The caller releases it. */
void view_code(const struct view *view, struct annotated *annotated, struct functions *code);

/* --- Instructions (VIEW_INSTRUCTIONS) --- */

/* Chooses the function whose instructions are rows. Copies. */
void view_annotate(struct view *view, const struct annotated *annotated);
/* The function; NULL: no sample was in one of that name yet. */
const struct annotated *view_annotated(const struct view *view);
/* What a row is. */
const struct code_line *view_row_code(const struct view *view, size_t row);

/* Of samples that weigh by elapsed time: how many threads ran, how many in the mean, and the part
 * of the time in which one ran alone. threads 0: samples weigh by time on CPUs. */
struct running {
    size_t threads;
    double mean, alone;
};
struct running view_running(const struct view *view);

/* The part of what was counted that the samples explain; below 0: not known. */
double view_explained(const struct view *view);
/* The books of the samples in one line: "cycles: 98.1 % of 1.23G explained; 997/s; lost 0;
 * throttled 0; stacks: frame pointers, 12 % cut off". */
void view_explain(const struct view *view, struct str *line);

/* How good the stacks are, and what they cost: "frame pointers, 12 % cut off", "unwound, 1 %
 * short, 3 late (copies: 1.6MB/s, 0.9 % CPU)"; nothing if there are none. */
void view_explain_stacks(const struct view *view, struct str *line);

/* Whether the view covers the task of a site of the frame's samples. *comm gets the name of its
 * process, which belongs to the frame; "": not known. */
bool view_covers_site(const struct view *view, const struct profile_site *site, const char **comm);
/* Whether the view watches the task of a wait of that frame. */
bool view_covers_wait(const struct view *view, const struct frame *frame,
                      const struct long_wait *wait);
/* Adds the stacks of the frame's samples of tasks that the view covers to an empty tree, which has
 * its choices; what it needs of instructions and cycles is added. The caller releases it. */
void view_stacks(const struct view *view, struct stack_tree *tree);

/* The event to sample for the column that sorts: its own, or of a metric cycles if it has them,
 * else the first of its events; NULL: it has none. The caller frees it. */
char *view_sort_event(const struct view *view);
