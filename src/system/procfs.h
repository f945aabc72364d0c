/* Tasks as /proc shows them, those of others too where the program's capabilities allow it
 * (privilege.h): the only place that opens files of processes. Every call may find that the task is
 * gone: that is -1 or false with no message, not an error. */
#ifndef SYSTEM_PROCFS_H
#define SYSTEM_PROCFS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procfs_task {
    pid_t pid, tid, ppid;
    char comm[16];
    char state;
    size_t threads;     /* of its process */
    uint64_t start;     /* clock ticks after boot: with tid it names the task */
    int cpu;            /* ran last on */
    uint64_t time;      /* ns on CPUs, by clock ticks; with tid 0 of all threads, ended ones too */
    uint64_t waited;    /* the same of ended child processes that it has waited for, and theirs */
};

/* A file of a process, as file_read() does: "cgroup". */
ssize_t procfs_read(pid_t pid, const char *file, char *buffer, size_t size);
/* From /proc/PID/task/TID/stat (tid 0: /proc/PID/stat). */
int procfs_task(pid_t pid, pid_t tid, struct procfs_task *task);
/* Whether it can still run: a process whose first thread has ended can while it has others. */
bool procfs_lives(const struct procfs_task *task);
/* Nanoseconds of CPU time so far: of a thread from its schedstat, where the kernel has that, or
 * else (tid 0: of the whole process) from stat, in clock ticks. */
bool procfs_cpu_time(pid_t pid, pid_t tid, uint64_t *time);
/* What one system call tells of a process: */
struct procfs_glance {
    uid_t owner; /* effective uid; root where the process may not be looked into, since the program
                    that it executed has privileges of its own (proc(5), PR_SET_DUMPABLE) */
    ino_t inode; /* of its stat file: another process with the same pid has another */
};

bool procfs_glance(pid_t pid, struct procfs_glance *glance); /* false when gone */
/* Whether both processes run the same program; false where that is not to be known. */
bool procfs_same_program(pid_t pid, pid_t other);
/* Effective uid of a process, from /proc/PID/status; (uid_t)-1 when not known. */
uid_t procfs_uid(pid_t pid);
/* Command line, words separated by spaces, control characters replaced; false when empty or
 * gone. */
bool procfs_cmdline(pid_t pid, char *buffer, size_t size);
/* Name of a thread, 16 bytes; false when gone. */
bool procfs_comm(pid_t pid, pid_t tid, char comm[16]);
/* The process that a thread belongs to (Tgid); -1 when gone. */
pid_t procfs_process_of(pid_t tid);

/* The machine, not a task: from /proc/stat, calls back with each CPU that is online and what it did
 * since the machine started, in ns, by clock ticks. busy: all of `total` but idle and waiting for
 * I/O, so also what a hypervisor took away. *file: -1 at first, then the descriptor of that file,
 * which the caller closes. -1 with a message where it cannot be read. */
int procfs_each_cpu(int *file, void (*each)(void *ctx, int cpu, uint64_t busy, uint64_t total),
                    void *ctx, struct err *err);

/* All process ids, or all threads of a process: calls back with each; returns how many, -1 when the
 * directory cannot be read. The callback returns false to stop. */
int procfs_each_process(bool (*each)(void *ctx, pid_t pid), void *ctx);
int procfs_each_thread(pid_t pid, bool (*each)(void *ctx, pid_t tid), void *ctx);
/* The same with all processes that descend from one, which is not among them itself. Not found is
 * whose parent ended before: it has a new one. */
int procfs_each_descendant(pid_t pid, bool (*each)(void *ctx, pid_t pid), void *ctx);
/* Whether `pid` is such a descendant. */
bool procfs_descends(pid_t pid, pid_t ancestor);

#endif
