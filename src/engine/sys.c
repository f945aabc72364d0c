#include "engine/sys.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int sys_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
    enum { SPARE = 16 };
    struct rlimit limit;
    attr->size = sizeof(*attr);
    int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
    /* The lowest number that is free is given: it tells how many are in use. */
    if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0 || (rlim_t)fd + SPARE < limit.rlim_cur)
        return fd;
    close(fd);
    errno = EMFILE;
    return -1;
}

int sys_enable(int fd, bool whole_group)
{
    return ioctl(fd, PERF_EVENT_IOC_ENABLE, whole_group ? PERF_IOC_FLAG_GROUP : 0);
}

int sys_disable(int fd, bool whole_group)
{
    return ioctl(fd, PERF_EVENT_IOC_DISABLE, whole_group ? PERF_IOC_FLAG_GROUP : 0);
}

int sys_id(int fd, uint64_t *id)
{
    return ioctl(fd, PERF_EVENT_IOC_ID, id);
}

int sys_set_period(int fd, uint64_t period)
{
    return ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
}

int sys_set_output(int fd, int to)
{
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, to);
}
