/* What this process may count, and what prevents more. */
#pragma once

#include "base/base.h"

enum { CAPS_PARANOID_UNKNOWN = 99 }; /* allows nothing */

struct caps {
    int paranoid;      /* /proc/sys/kernel/perf_event_paranoid; 99: not readable */
    bool perfmon;      /* CAP_PERFMON or CAP_SYS_ADMIN can be used, and is not namespaced */
    bool admin;        /* CAP_SYS_ADMIN can be used, and is not namespaced */
    bool ptrace;       /* CAP_SYS_PTRACE can be used */
    bool namespaced;   /* in a user namespace, whose capabilities do not count for perf: the kernel
                          checks perfmon_capable(), which is about the first namespace */
    bool contained;    /* in a pid namespace of its own: records that are not of one task name all
                          tasks outside of it 0, like idle (kernel/events/core.c,
                          perf_event_pid_type()), so that not all tasks can be counted */
    bool seccomp;      /* a filter of system calls is set, besides our own (sandbox.h) */
    bool no_new_privs; /* capabilities of files have no effect (prctl(2)) */
    bool no_setcap;    /* setcap(8) is not installed, as on a minimal system */
    bool old_kernel;   /* before Linux 5.8: CAP_SYS_ADMIN does what CAP_PERFMON does today */
    bool hidden;       /* /proc does not show the processes of others (proc(5), hidepid) */
    bool no_proc;      /* /proc is not mounted, so most of this is not known */
    bool foreign;      /* /proc shows other tasks: procfs_foreign() */
    bool hypervisor;   /* the processor says it is virtual, or DMI does */
    bool core_pmu;     /* a PMU for hardware events is registered */
    /* Set by engine/probe_open.h; caps_read() clears them. */
    int refused; /* errno with which perf_event_open(2) refuses even the simplest event; 0: none */
    bool barred; /* ... before the kernel reads the arguments: a seccomp filter refuses it, or the
                    kernel has no such call */
    /* Set by engine/group.c where an event is refused: the core PMU counts in all modes or not at
     * all. */
    bool all_modes_only;
    size_t descriptors;     /* RLIMIT_NOFILE, soft */
    char program[PATH_MAX]; /* the path of this program's file, from caps_program() */
};

void caps_read(struct caps *caps);
bool caps_system_wide(const struct caps *caps); /* may count all tasks of a CPU (pid = -1) */
bool caps_kernel(const struct caps *caps);      /* may count in kernel mode */

/* What prevents this process from counting more, a clause: "perf_event_paranoid is 2". */
void caps_obstacle(const struct caps *caps, char *buffer, size_t size);

/* Why nobody can count all tasks in a container: a clause with the remedy. */
extern const char caps_contained[];

/* Why /proc shows no tasks: cause and remedy; NULL: it does. */
const char *caps_blind(const struct caps *caps);

/* Writes a path quoted for a shell, with backslashes: "/home/a\ b/countertop"; "countertop" if the
 * path is empty, has control characters or does not fit. */
void caps_program(const char *path, char *buffer, size_t size);

/* Raises the soft limit of descriptors to the hard one. */
void caps_raise_descriptors(void);

/* -1 with a message if the program has the set-user-ID or set-group-ID bit: it would read and
 * write files with rights that its user does not have. */
int caps_refuse_setuid(struct err *err);
