/* What stays the same from one refresh to the next: the machine and how it is being counted. */
#ifndef SAMPLE_SESSION_H
#define SAMPLE_SESSION_H

#include "base/cpulist.h"
#include "sample/source.h"

struct session {
    char *host;
    char *kernel;        /* release, as uname -r */
    char *cpu_model;     /* "" when not known */
    struct cpulist cpus; /* online at the start */
    char *engine;        /* "cpu", "task" */
    char *engine_reason; /* why this engine and not the other; "" when it was asked for */
    char *notice;        /* what is missing and what to do, one line; "" when nothing is */
    char *faults;        /* all that the notice tells, in full, a line for each; "" for nothing */
    size_t counters;     /* hardware events that a core counts at a time; 0: none, not asked for, or
                            not the same on all cores */
    enum count_mode mode;
    double delay; /* seconds; 0: one interval, the whole run of the command */
    struct watch watch;
    char *command; /* the command that was started, with its arguments; NULL: none was */
    char *end;     /* how it ended, one line: the frame shown now is the last one; NULL: it runs */
    double run;    /* how long it ran, in seconds, when it has ended */
};

void session_release(struct session *session);
void session_copy(struct session *to, const struct session *from); /* `to` is initialised by it */

#endif
