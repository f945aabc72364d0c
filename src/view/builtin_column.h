/* Columns that are not counted: identity of a row, where it ran, and facts from /proc. */
#ifndef VIEW_BUILTIN_COLUMN_H
#define VIEW_BUILTIN_COLUMN_H

#include "view/cell.h"
#include "view/view_context.h"

/* Exactly one of number and text is set. Both return false if the value is not known. */
struct builtin_column {
    struct view_column shown;
    enum {
        OF_TASKS = 1,
        OF_CPUS = 2,
        OF_GROUPS = 4,
        OF_FUNCTIONS = 8,
        OF_INSTRUCTIONS = 16,
        OF_CODE = 24
    } rows; /* which have it */
    bool (*number)(const struct view_context *context, const struct row *row, int64_t *number);
    bool (*text)(const struct view_context *context, const struct row *row, char *text,
                 size_t size);
    /* Draws a number in a special way; may be NULL. */
    void (*draw)(const struct view_context *context, const struct row *row, int64_t number,
                 struct cell *cell);
    const char *of_task; /* its title in rows of tasks, if another one; as in top(1) */
    bool keyed;          /* text() formats the key of rows that add up processes */
    enum strip_kind strip;
    int decimals;     /* number() counts in units of a tenth, a hundredth ... */
    bool of_switches; /* only where each context switch is sampled */
    bool adds_up;     /* number() of a sum is the sum of its parts' */
    bool totals;      /* only where totals are shown */
    bool measured;    /* number() is measured in each interval, so it has a trend */
    bool lasting;     /* made of the row alone: a row that sleeps shows it until its facts change */
    bool partial;     /* a percentage: below 100 the row's numbers are estimates */
};

/* The i-th builtin column, NULL after the last. */
const struct builtin_column *builtin_column_at(size_t i);
size_t builtin_column_count(void);
/* NULL if there is none of that name. */
const struct builtin_column *builtin_column_find(const char *name);
/* Whether rows of that view have the column. */
bool builtin_column_fits(const struct builtin_column *builtin, enum view_kind kind);

/* The text of a column with texts; if the column names a row that adds up processes, its key. */
bool builtin_column_text(const struct builtin_column *builtin, const struct view_context *context,
                         const struct row *row, char *text, size_t size);

/* The path of a task's cgroup: as the source told it, or of a living task that has not run as /proc
 * has it, in the buffer. NULL: not known. */
const char *builtin_cgroup(const struct view_context *context, const struct row *row, char *path,
                           size_t size);

/* What a task waits for, see struct view_lookup; and the name of the column that shows it. */
#define WAITS_FOR "waits_for"
bool builtin_waits(const struct view_context *context, const struct row *row, bool follow,
                   struct view_wait *wait);

/* Who had the CPU while a row waited for it, the largest `most` first, with their shares of the
 * waiting: "backup.sh 61%, itself ~12%, others 3%". A share with ~ is an estimate: the row may have
 * waited for another CPU then. False: it did not wait, or that is not known. */
bool builtin_taken(const struct view_context *context, const struct row *row, size_t most,
                   struct str *text);

/* The command line of a process; false for threads, kernel threads and what has ended. */
bool builtin_command_line(const struct view_context *context, const struct row *row, char *text,
                          size_t size);

#endif
