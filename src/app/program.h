/* The running program from start-up to its end. Only program.c knows all parts: its table of
 * stages says what is opened, in which order. */
#pragma once

#include "cli/config.h"
#include "record/reader.h"
#include "system/child.h"

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

/* confine.c: what reads a stranger's recording opens no other file than it needs: rules of
 * system/sandbox.h. Call them after
 * sandbox_enter(), before the recording is opened. */

/* For the program that shows the recordings of the options (--replay, --compare): it opens them,
 * the user's and the installed files, and what libraries read; it writes the outputs of the options
 * and, with a terminal, the user's files. An output that is not there yet is made empty, since
 * rules are for files that are there; a terminal's user gets a directory for files. False: not
 * possible. */
bool confine_show(const struct options *options);

/* For a process that reads a recording, and nothing else. False: not possible. */
bool confine_read(const char *recording);

/* server.c: the server of --listen (front/listen.h) as a helper (system/helper.h), so that whoever
 * takes it over by a request can count nothing: it has no capability, is not root, sees only the
 * listening socket and a socket to this process, and its system calls are those that serving needs.
 * It asks for a page when a client does, and gets it as a file in memory: at most one of each form
 * for an interval, whatever it asks. So a page that nobody wants costs nothing. */

struct server;

/* Opens the socket and starts the process. Call it before files and counters are opened and threads
 * are started. delay: ns from one interval to the next. NULL with a message, for example if the
 * address is in use. */
struct server *server_start(const struct address *address, uint64_t delay, bool sandbox,
                            struct err *err);
void server_stop(struct server *server); /* NULL is fine */

/* Where it serves (door_url()). */
const char *server_url(const struct server *server);

/* Call it before the loop, which begins the serving, and when an interval has ended. */
void server_renew(struct server *server);

/* For the loop: when the descriptor is readable, call server_answer, which never waits for the
 * process. -1 with a message: it has ended, by itself or since it did not keep to the protocol. */
int server_fd(const struct server *server);
int server_answer(struct server *server, const struct exporter *exporter, struct err *err);

/* Whether such a process enters its sandbox on this machine: tries it. */
bool server_confined(void);

/* CPU time that the process has used, ns. */
uint64_t server_time(struct server *server);
