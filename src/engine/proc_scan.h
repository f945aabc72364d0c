/* Finds the watched processes and threads in /proc. */
#ifndef ENGINE_PROC_SCAN_H
#define ENGINE_PROC_SCAN_H

#include "engine/task_counters.h"
#include "sample/watch.h"

struct proc_scan {
    const struct watch *watch;
    /* Each thread by itself; else processes as a whole, except threads watched by number. */
    bool threads;
    bool command_over; /* watch.command has ended: its pid may belong to another process */
    void *ctx;
    /* Called for each that is watched. command: it is watch.command or descends from it. */
    void (*found)(void *ctx, enum reach reach, pid_t pid, pid_t tid, bool command);
    /* Whether a process was found as a whole, and whether (a parent) it belongs to the command. */
    bool (*covers)(void *ctx, pid_t pid);
    bool (*of_command)(void *ctx, pid_t pid);
};

/* Calls `found` for everything that is watched. Reads no file about a process that is watched as a
 * whole by its number. */
void proc_scan_run(struct proc_scan *scan);

#endif
