/* perf_event_open(2) and its ioctls: the only place that makes these system calls. */
#pragma once

#include "base/base.h"

#include <linux/perf_event.h>

/* A descriptor (close-on-exec), or -1 with errno. Sets attr->size. cgroup: for the tasks of a
 * cgroup while they run on that CPU (PERF_FLAG_PID_CGROUP); then pid is a descriptor of its
 * directory. group: the leader's descriptor, -1 for a leader. Returns EMFILE some descriptors
 * before the limit: the program needs the rest for /proc and other files. */
int sys_open(struct perf_event_attr *attr, bool cgroup, pid_t pid, int cpu, int group);

/* 0 if such an event can be opened, which is closed at once; else the errno. */
static inline int sys_try(struct perf_event_attr *attr, bool cgroup, pid_t pid, int cpu)
{
    int fd = sys_open(attr, cgroup, pid, cpu, -1), error = errno;
    file_close(fd);
    return fd < 0 ? error : 0;
}

/* A software event whose records have the clock of clock_monotonic() and, but for samples,
 * DECODE_ID_FIELDS (engine/decode.h) at their end. watermark: bytes in the ring that wake its
 * reader. */
struct perf_event_attr sys_record_attr(uint64_t config, size_t watermark);

/* The errno (EACCES, EPERM, ENOSYS) with which even the simplest event is refused: a dummy of the
 * calling thread in user mode; 0: none. *barred: the call fails before the kernel reads its
 * arguments. */
int sys_refused(bool *barred);

/* Whether the core PMU counts in all modes or not at all: it refuses cycles in user mode for what
 * the event is, and cycles in all modes not, or only for who asks. */
bool sys_all_modes_only(void);

/* Whether a breakpoint on countertop's own memory opens, but a write to it is not counted. Then no
 * breakpoint ever fires: some hosts do not pass the debug exception on to virtual machines. */
bool sys_breakpoint_silent(void);

int sys_enable(int fd); /* 0, or -1 with errno; the same for the others */
int sys_disable(int fd);
int sys_set_period(int fd, uint64_t period);
int sys_set_filter(int fd, const char *filter); /* a tracepoint's; EINVAL: malformed */
int sys_id(int fd, uint64_t *id);               /* by which records name the event */
int sys_set_output(int fd, int to);             /* records of fd go to the ring mapped on `to` */
