/* The functions in which an event happened: the samples of a frame's profile, added up by
 * function. */
#pragma once

#include "model/frame.h"

/* The rows of a listing: its instructions, and the source lines that they were made from. */

/* Which rows there are, in the order of the words of --source. */
enum source_rows { SOURCE_BOTH, SOURCE_LINES, SOURCE_NONE };

/* What a row is. */
struct code_line {
    const struct code_instruction *instruction; /* NULL: a source line */
    uint64_t address;                           /* its first one */
    struct line_place place;
    const char *inlined; /* the function that has the line, if it is inlined; NULL */
};

/* Zeroed: empty. Memory is kept from one function to the next. */
struct source_lines {
    struct line_table *table;     /* NULL: it is being read */
    struct source_file **sources; /* by file of the table; NULL: not wanted, or being read */
    bool pending;                 /* something is being read */
    struct code_line *rows;
    size_t count, room;
    size_t *row_of; /* by instruction */
    size_t row_of_room;
};

/* The text of a source line: "chain.c:23  for (;;) {", "vector.h:7 in push_back  ..." where it is
 * inlined. Not yet safe for a terminal. */
void source_lines_text(const struct source_lines *lines, const struct code_line *row, char *text,
                       size_t size);
/* What is inlined at a row, the outermost first: its names in `found`, which has room for
 * LINE_INLINES_MAX, and how many. */
size_t source_lines_inlined(const struct source_lines *lines, const struct code_line *row,
                            const struct line_inline **found);
/* Why there are no lines, or not all of their texts, one line; NULL: they are there. */
const char *source_lines_reason(const struct source_lines *lines);

struct function {
    struct code_function code; /* of the first sample */
    struct code_object object;
    uint64_t samples, weight;
    uint64_t waits[PROFILE_WAITS]; /* ns off the CPU, where each switch is sampled */
};

/* Memory is kept from one call of functions_make() to the next. */
struct functions {
    size_t count, room, function_room;
    /* Counts are estimates: of the sampled event the sum of weights, of the others what was counted
     * between samples. They are unknown for events that were not read with the samples. */
    struct row *rows;
    struct function *functions; /* by row */
    struct map found;           /* index + 1 of rows by id, while they are made */
    uint64_t samples, weight;   /* of all rows, as: */
    uint64_t waits[PROFILE_WAITS];
    uint64_t all_samples, all_weight; /* of all wanted samples, in a row or not */
    bool pending;                     /* names are still being looked up */
    /* The rows are of these instructions, in their order; NULL: they are functions. */
    struct code_listing *listing;
    struct source_lines source; /* by row of a listing, what it is */
    char **names;               /* owned, of rows that are inlined functions */
    size_t name_count, name_room;
};

/* The function whose instructions are rows. */
struct annotated {
    char *name;             /* as function_text() makes it; NULL: the one with most weight */
    char *object;           /* its object's name; NULL: any */
    struct code_book *book; /* that knows the function, shared; NULL: it is not found yet */
    bool early;             /* others had no names yet when it was found: it is looked up again */
    struct function function;
};
/* One that is found: the function of a frame's profile. */
struct annotated annotated_new(const struct frame *frame, const struct function *function);
void annotated_copy(struct annotated *to, const struct annotated *from); /* initialises `to` */
void annotated_release(struct annotated *annotated);

/* Whether samples of that task are wanted. */
typedef bool functions_wanted(void *ctx, pid_t pid, pid_t tid);

/* Replaces the functions by those of the frame's profile, none if it has none. An instruction of
 * which no function is known is in one row with the others of its object. */
void functions_make(struct functions *functions, const struct frame *frame,
                    functions_wanted *wanted, void *ctx);
void functions_release(struct functions *functions);

/* Replaces the rows by the instructions of a function, which is looked for by name where the
 * frame's book is not the one that knows it, and its source lines. Between instructions, lines have
 * no samples. No rows: no sample is in such a function, or it cannot be listed, as the listing
 * says. */
void functions_list(struct functions *functions, struct annotated *annotated,
                    const struct frame *frame, enum source_rows rows, functions_wanted *wanted,
                    void *ctx);
/* The id of an instruction's row. */
uint64_t functions_instruction_id(uint64_t address);

/* Who calls a function, what it calls, and what the compiler has inlined into it: replaces
 * `related` by these, with the samples of stacks that have both, the function's innermost call
 * counting. A caller is what is inlined there, as far as that is known. Returns the weight of all
 * stacks that the function is in. */
enum related { RELATED_CALLERS, RELATED_CALLEES, RELATED_INLINED, RELATED_KINDS };
uint64_t functions_related(struct functions related[RELATED_KINDS], const struct frame *frame,
                           const struct function *function, functions_wanted *wanted, void *ctx);

/* What is inlined at a place of a known function: its names, the outermost first, in `found`, which
 * has room for LINE_INLINES_MAX, and how many. *table: what has the names; the caller drops it.
 * NULL: it is being read. */
size_t functions_inlined(struct code_book *book, const struct code_function *code,
                         const struct line_inline **found, struct line_table **table);

/* The functions of the stack that has most of a waiting thread's samples in the profile of its
 * interval (NULL: none), the innermost first; where each switch is sampled, of the one in which it
 * was preempted, or slept before the wake-up, for longest. */
void functions_of_wait(const struct profile *profile, const struct long_wait *wait,
                       struct names *names);

/* What it is called: a name; "libfoo.so+0x1234" without a name but known bounds; else words in
 * brackets. */
void function_text(const struct function *function, char *text, size_t size);

/* The exact count of the sampled event over the wanted tasks, of which the samples explain a part;
 * below 0: it is not known. */
double functions_counted(const struct frame *frame, functions_wanted *wanted, void *ctx);

/* Functions of other builds of the same source: they are the same if their names and objects are,
 * without
 * - what compilers append to a name (.constprop.0, .isra.0, .part.0, .cold, .llvm.1, [clone ...]),
 *   hashes of Rust, defaults of templates (std::allocator, std::less ...), the inline namespace
 *   std::__cxx11, and the mark of V8 for how far a function is optimized;
 * - versions of a library ("libx-2.1.so.3" is "libx.so"). */
/* What is left of them, which the caller frees. */
char *function_match_name(const char *name);
char *function_match_object(const char *object);
