/* What cells are made from besides their row. */
#ifndef VIEW_VIEW_CONTEXT_H
#define VIEW_VIEW_CONTEXT_H

#include "base/map.h"
#include "model/frame.h"
#include "view/settings.h"

/* Where a CPU is: numbers as the kernel has them, -1: not known. */
struct view_place {
    int socket, core; /* cores are numbered in each socket */
    char type[32];    /* of its core: "Cortex-A55", "cpu_atom"; "": not known */
};

/* Words of "stat" behind ")": fields of proc_pid_stat(5) less 3. */
enum { STAT_STATE = 0, STAT_THREADS = 17 };

/* What the view asks about tasks and CPUs, of /proc or a test. Each call may be NULL. */
struct view_lookup {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid); /* name, or NULL; lives until the next call */
    /* Command line, spaces between the words, no control characters; false where there is none
     * (kernel threads, ended tasks). */
    bool (*cmdline)(void *ctx, pid_t pid, char *buffer, size_t size);
    /* A word in a file of /proc/PID, or with tid of /proc/PID/task/TID: the n-th, from 0,
     * behind the last `after` ("VmRSS:", of "stat" ")", which ends the name; NULL: in
     * the file). A word that is too long is cut. False where there is none. */
    bool (*word)(void *ctx, pid_t pid, pid_t tid, const char *file, const char *after, int n,
                 char *word, size_t size);
    /* Path of the cgroup of a process, "/" for the root; false for one that is gone. */
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
    /* What people call it: a container's short id, a unit's name. */
    void (*cgroup_name)(void *ctx, const char *path, char *name, size_t size);
    /* Leaves as it is what is not known. */
    void (*place)(void *ctx, int cpu, struct view_place *place);
};

struct condition;
struct cpu_level;

/* Of a row that adds up processes. */
struct group {
    char *key; /* what its processes share: a uid, a name, a path (view/view_kind.h); NULL: not
                  known, they ended before they were asked */
    size_t processes;
};

struct groups {
    size_t count, room, group_room;
    struct row *rows;
    struct group *groups; /* one for each row */
    struct map found;     /* rows by id, while they are made: number + 1 */
};

struct view_context {
    const struct frame *frame;
    const struct view_settings *settings;
    const struct view_lookup *lookup;  /* may be NULL */
    const struct condition *condition; /* what the filter's text says; NULL: it is plain text */
    const struct groups *groups;       /* what rows of users, commands and cgroups come from */
    const struct cpu_level *levels;    /* and those of CPUs */
    uid_t self;                        /* who is looking */
};

#endif
