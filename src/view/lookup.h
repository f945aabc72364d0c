/* What only /proc, or a test, knows of a row. */
#ifndef VIEW_LOOKUP_H
#define VIEW_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Where a CPU is: numbers as the kernel has them, -1: not known. */
struct view_place {
    int socket, core; /* cores are numbered in each socket */
    char type[32];    /* of its core: "Cortex-A55", "cpu_atom"; "": not known */
};

/* Words of "stat" behind ")": fields of proc_pid_stat(5) less 3. */
enum { STAT_STATE = 0, STAT_THREADS = 17 };

/* What the view asks about a task that is on show, from /proc or a test. May be NULL. */
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

#endif
