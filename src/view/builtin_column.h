/* Columns that are not counted: identity of a row, where it ran, and facts from /proc. */
#pragma once

#include "view/cell.h"
#include "view/view_context.h"

/* A row, of which a fact is asked. */
struct fact_of {
    const struct view_context *context;
    const struct row *row;
};

/* Which rows have a builtin column, and what is to be known of it. */
enum fact_flags {
    OF_TASKS = 1 << 0,
    OF_CPUS = 1 << 1,
    OF_GROUPS = 1 << 2,
    OF_FUNCTIONS = 1 << 3,
    OF_INSTRUCTIONS = 1 << 4,
    OF_CODE = OF_FUNCTIONS | OF_INSTRUCTIONS,
    OF_ALL = OF_TASKS | OF_CPUS | OF_GROUPS | OF_CODE,
    FACT_KEYED = 1 << 5,    /* text() formats the key of rows that add up processes */
    FACT_SWITCHES = 1 << 6, /* only where each context switch is sampled */
    FACT_ADDS_UP = 1 << 7,  /* number() of a sum is the sum of its parts' */
    FACT_TOTALS = 1 << 8,   /* only where totals are shown */
    FACT_MEASURED = 1 << 9, /* number() is measured in each interval, so it has a trend */
    FACT_LASTING = 1 << 10, /* made of the row alone: shown in its sleep until its facts change */
    FACT_PARTIAL = 1 << 11, /* a percentage: below 100 the row's numbers are estimates */
    FACT_BYTES = 1 << 12,   /* number() is shown with a prefix: 12.3k */
    FACT_TIME = 1 << 13,    /* number() is in ns, and shown as a duration */
    FACT_HUNDREDTHS = 1 << 14, /* number() counts in hundredths */
    FACT_DRAWN = 1 << 15,      /* builtin_column_draw() makes its cells */
    FACT_LEFT = 1 << 16,       /* a number that is left-aligned, as texts are */
    FACT_TREND = 1 << 17,      /* strips (view/strip.h) */
    FACT_STACK = 1 << 18,
    OF_TAKERS = 1 << 19, /* rows are pairs: who waited, and who had the CPU */
};

enum { FACT_TEXT = 4096 };

/* Exactly one of number and text is set. */
struct builtin_column {
    const char *name, *title, *help; /* see struct view_column */
    int width;
    enum fact_flags flags;
    bool (*number)(struct fact_of of, int64_t *number); /* false: not known */
    /* NULL, "": not known. In the buffer, or as long valid as the row; it may contain anything. */
    const char *(*text)(struct fact_of of, char buffer[FACT_TEXT]);
};

/* The i-th builtin column, NULL after the last. */
const struct builtin_column *builtin_column_at(size_t i);
size_t builtin_column_count(void);
/* NULL if there is none of that name. */
const struct builtin_column *builtin_column_find(const char *name);
/* Whether rows of that view have the column. */
bool builtin_column_fits(const struct builtin_column *builtin, enum view_kind kind);

/* Makes the cell of a number with FACT_DRAWN. */
void builtin_column_draw(const struct builtin_column *builtin, struct fact_of of, int64_t number,
                         struct cell *cell);
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
                   struct task_wait *wait);

/* Who had the CPU while a row waited for it, the largest `most` first, with their shares of the
 * waiting: "backup.sh 61%, itself ~12%, others 3%". A share with ~ is an estimate: the row may have
 * waited for another CPU then. False: it did not wait, or that is not known. */
extern const char *const builtin_no_taker[NO_TAKERS]; /* what is nobody's: "(cpu.max)" ... */
bool builtin_taken(const struct view_context *context, const struct row *row, size_t most,
                   struct str *text);
/* The other way round: from whom the row's process took the CPU while they waited for it, the five
 * largest, with the time: "at least backup.sh 3.2ms, cc1 0.1ms". False: from nobody. */
bool builtin_takes(const struct view_context *context, const struct row *row, struct str *text);

/* The command line of a process; false for threads, kernel threads and what has ended. */
bool builtin_command_line(const struct view_context *context, const struct row *row, char *text,
                          size_t size);
