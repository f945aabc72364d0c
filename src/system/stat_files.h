/* /proc/PID/stat and /proc/PID/task/TID/stat of tasks that are asked about again and again: they
 * stay open, since to open one takes longer than to read it. */
#ifndef SYSTEM_STAT_FILES_H
#define SYSTEM_STAT_FILES_H

#include "base/map.h"

#include <sys/types.h>

struct stat_files {
    struct map open; /* descriptor + 1 by task */
    size_t most;     /* to keep open; 0: not known yet */
};

void stat_files_release(struct stat_files *files);

/* Reads the file of a thread, or with tid 0 of a process, into a string of at most size - 1 bytes.
 * -1 with errno, also if the task that the file was opened for is gone and no other has its id. */
ssize_t stat_files_read(struct stat_files *files, pid_t pid, pid_t tid, char *buffer, size_t size);

#endif
