/* The running program from start-up to its end. Only program.c knows all parts: its table of
 * stages says what is opened, in which order. */
#ifndef APP_PROGRAM_H
#define APP_PROGRAM_H

#include "cli/config.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "front/out.h"
#include "metric/metric_set.h"
#include "model/comparison.h"
#include "record/reader.h"
#include "system/child.h"
#include "base/err.h"

/* Runs the program and returns its exit code; with a message if that is not 0, unless it is the
 * command's. recording: is replayed and closed; NULL: counts this machine. heritage: the
 * command's. */
int program_run(const struct options *options, const struct config *config,
                struct definitions *definitions, struct reader *recording,
                const struct child_heritage *heritage, struct err *err);

/* Commands as experiments: each is run several times, in turn with others, and what the runs
 * counted is written as one table (-r, --time, --compare). */

/* Runs them and returns the program's exit code, with a message if that is not 0. heritage: the
 * commands'. */
int experiment_run(const struct options *options, const struct definitions *definitions,
                   const struct child_heritage *heritage, struct err *err);

/* Recordings compared by the names of processes (--compare a.db b.db): each name has its mean over
 * the intervals of each recording. An interval in which no process of a name ran counts as 0, so
 * that the mean times the length of the recording is all that the name did; ratios are means of the
 * intervals in which they have a value. */

struct recordings;

/* Opens the recordings of --compare, and sets the machine of the first; call it before metrics are
 * loaded. NULL with a message. */
struct recordings *recordings_open(const struct options *options, struct machine *machine,
                                   struct err *err);
void recordings_close(struct recordings *recordings); /* NULL is fine */

/* Writes the comparison. 0, or the program's exit code with a message. */
int recordings_compare(struct recordings *recordings, const struct options *options,
                       const struct definitions *definitions, struct err *err);

/* compared.c: what comparisons of commands and of recordings share: the values that a row of a
 * frame has for them, which are the count of each event that is counted, and each metric that is no
 * rate, for those say the same as their events; and how they are written. */

/* The metrics of a set, bound to the events of the last frame. */
struct compared_rows {
    const struct metric_set *metrics;
    struct event_set *set;    /* NULL before the first frame */
    struct binding *bindings; /* one for each metric */
    bool *shown;              /* ... that has a value for these events and is no rate */
};

void compared_rows_release(struct compared_rows *rows);

/* Sets the row's values for the side's next run or interval. Runs have whole counts, intervals
 * counts a second. The coverage of runs tells also of counts that belong to no task. */
void compared_rows_set(struct compared_rows *rows, struct comparison *comparison, size_t subject,
                       size_t side, const struct frame *frame, const struct row *row);

/* Ends the comparison and writes it in the format of the options. The input is completed from
 * them. 0, or the exit code with a message. */
int compared_write(struct comparison *comparison, struct compare_input input,
                   const struct options *options, struct out *out, struct err *err);

/* stages.c: start-up as a table of stages: what opens each of them, and what closes it. */

struct program; /* program.c */

struct stage {
    const char *name; /* in the file of --debug */
    /* 0, or the exit code with a message. */
    int (*open)(struct program *program, struct err *err);
    /* Closes what open() has opened, also after it failed half-way. */
    void (*close)(struct program *program);
};

/* Opens the stages in the order of the table, which ends with a row without a name, calls run(),
 * and closes them in the reverse order. After an open() that failed it closes that stage and those
 * before it, and does not call run(). Returns the exit code of what failed, or of run(). */
int stages_run(const struct stage *stages, int (*run)(struct program *program, struct err *err),
               struct program *program, struct err *err);

#endif
