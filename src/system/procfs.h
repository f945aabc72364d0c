/* Tasks as /proc shows them. Every call may find that the task is gone: that is -1 or false with no
 * message, not an error. */
#ifndef SYSTEM_PROCFS_H
#define SYSTEM_PROCFS_H

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
};

/* From /proc/PID/task/TID/stat (tid 0: /proc/PID/stat). */
int procfs_task(pid_t pid, pid_t tid, struct procfs_task *task);
/* Effective uid of a process, from /proc/PID/status; (uid_t)-1 when not known. */
uid_t procfs_uid(pid_t pid);
/* Command line, words separated by spaces, control characters replaced; false when empty or
 * gone. */
bool procfs_cmdline(pid_t pid, char *buffer, size_t size);
/* Name of a thread, 16 bytes; false when gone. */
bool procfs_comm(pid_t pid, pid_t tid, char comm[16]);
/* The process that a thread belongs to (Tgid); -1 when gone. */
pid_t procfs_process_of(pid_t tid);

/* All process ids, or all threads of a process: calls back with each; returns how many, -1 when the
 * directory cannot be read. The callback returns false to stop. */
int procfs_each_process(bool (*each)(void *ctx, pid_t pid), void *ctx);
int procfs_each_thread(pid_t pid, bool (*each)(void *ctx, pid_t tid), void *ctx);

#endif
