/* Facts that do not change at each refresh: the machine and how it is counted. */
#ifndef SAMPLE_SESSION_H
#define SAMPLE_SESSION_H

#include "base/cpulist.h"
#include "sample/source.h"

struct session {
    char *host;
    char *kernel;        /* release, as uname -r */
    char *cpu_model;     /* "" if not known */
    struct cpulist cpus; /* online at the start */
    char *engine;        /* "cpu", "task" */
    char *engine_reason; /* why this engine was chosen; "": the user chose it */
    char *notice;        /* what is missing and the remedy, one line; "": nothing */
    char *faults;        /* the same in full, one line each; "": nothing */
    size_t counters;     /* hardware events that a core counts at a time; 0: none, not looked up, or
                            different between cores */
    enum count_mode mode;
    double delay; /* seconds; 0: one interval, the whole run of the command */
    struct watch watch;
    char *command; /* the command that was started, with its arguments; NULL: none */
    char *end;     /* how it ended, one line, set with the last frame; NULL: it runs */
    /* After its end: how long it ran, its CPU time in user and kernel mode with that of the
     * children that it waited for, all in seconds, and its exit status, 128 + N if signal N ended
     * it. */
    double run, run_user, run_kernel;
    int status;
};

const char *session_mode(const struct session *session); /* "all", "user" or "kernel" */
void session_release(struct session *session);
void session_copy(struct session *to, const struct session *from); /* `to` is initialised by it */

#endif
