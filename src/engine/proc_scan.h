/* Walks through /proc and tells what a watch means there at this moment. */
#ifndef ENGINE_PROC_SCAN_H
#define ENGINE_PROC_SCAN_H

#include "engine/task_counters.h"
#include "sample/watch.h"

struct proc_scan {
    const struct watch *watch;
    /* Each thread by itself; else processes as a whole, but for threads watched by number. */
    bool threads;
    bool command_over; /* watch.command has ended: its pid is another's by now */
    void *ctx;
    /* Something is watched. command: it is watch.command or descends from it. */
    void (*found)(void *ctx, enum reach reach, pid_t pid, pid_t tid, bool command);
    /* Whether a process was found to be watched as a whole, or (of a parent) as the command's. */
    bool (*covers)(void *ctx, pid_t pid);
    bool (*of_command)(void *ctx, pid_t pid);
};

/* Calls back with all that is watched. Reads no file of /proc about a process that is watched by
 * its number as a whole. */
void proc_scan_run(struct proc_scan *finder);

#endif
