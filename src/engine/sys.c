#include "engine/sys.h"
#include "engine/decode.h"
#include "event/pmu.h"

#include <linux/hw_breakpoint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

/* Counting other users' tasks needs CAP_PERFMON, before Linux 5.9 CAP_SYS_PTRACE too. The
 * capabilities of the program's file are never used for uprobes: a uprobe changes the code of every
 * process that runs the file, at any offset, also inside an instruction (since CVE-2025-38466 the
 * kernel requires CAP_SYS_ADMIN for it), and the kernel would open its path with them. */
int sys_open(struct perf_event_attr *attr, bool cgroup, pid_t pid, int cpu, int group)
{
    uint32_t type;
    unsigned long flags = PERF_FLAG_FD_CLOEXEC | (cgroup ? PERF_FLAG_PID_CGROUP : 0);
    attr->size = sizeof(*attr);
    bool uprobe = privilege_secure() && attr->type >= PERF_TYPE_MAX && pmu_type("uprobe", &type) &&
                  attr->type == type;
    bool raised = !uprobe && privilege_raise(PRIVILEGE_COUNT | PRIVILEGE_SEE);
    int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
    privilege_lower(raised);
    const char *scope = cgroup ? "cgroup" : "pid";
    if (fd >= 0)
        log_line("open type %u config 0x%llx %s %d cpu %d group %d: %d", attr->type,
                 (unsigned long long)attr->config, scope, (int)pid, cpu, group, fd);
    else
        log_line("open type %u config 0x%llx %s %d cpu %d group %d: refused, %s", attr->type,
                 (unsigned long long)attr->config, scope, (int)pid, cpu, group, err_reason(errno));
    if (fd < 0 || file_may_stay(fd))
        return fd;
    close(fd);
    errno = EMFILE;
    return -1;
}

struct perf_event_attr sys_record_attr(uint64_t config, size_t watermark)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .config = config,
        .sample_type = DECODE_ID_FIELDS,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = (uint32_t)watermark,
    };
}

static int control(int fd, const char *name, unsigned long request, unsigned long argument)
{
    int result = ioctl(fd, request, argument);
    if (result < 0)
        log_line("ioctl %s of descriptor %d: refused, %s", name, fd, err_reason(errno));
    return result;
}

int sys_refused(bool *barred)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .disabled = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    int error = sys_try(&attr, false, 0, -1);
    *barred = false;
    if (error != EACCES && error != EPERM && error != ENOSYS)
        return 0;
    /* kernel/events/core.c copies the attributes first: EFAULT shows that the call gets there. */
    syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0UL);
    *barred = errno != EFAULT;
    return error;
}

bool sys_all_modes_only(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES, .disabled = 1};
    bool all = sys_try(&attr, false, 0, -1) != EINVAL;
    attr.exclude_kernel = attr.exclude_hv = 1;
    return all && sys_try(&attr, false, 0, -1) == EINVAL;
}

bool sys_breakpoint_silent(void)
{
    volatile uint32_t watched = 0;
    struct perf_event_attr attr = {
        .type = PERF_TYPE_BREAKPOINT,
        .bp_type = HW_BREAKPOINT_W,
        .bp_addr = (uintptr_t)&watched,
        .bp_len = sizeof(watched),
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    uint64_t count;
    AUTO_CLOSE int fd = sys_open(&attr, false, 0, -1, -1);
    watched = 1;
    return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) && count == 0;
}

int sys_enable(int fd)
{
    return control(fd, "ENABLE", PERF_EVENT_IOC_ENABLE, 0);
}

int sys_disable(int fd)
{
    return control(fd, "DISABLE", PERF_EVENT_IOC_DISABLE, 0);
}

int sys_set_period(int fd, uint64_t period)
{
    return control(fd, "PERIOD", PERF_EVENT_IOC_PERIOD, (unsigned long)&period);
}

int sys_set_filter(int fd, const char *filter)
{
    return control(fd, "SET_FILTER", PERF_EVENT_IOC_SET_FILTER, (unsigned long)filter);
}

int sys_id(int fd, uint64_t *id)
{
    return control(fd, "ID", PERF_EVENT_IOC_ID, (unsigned long)id);
}

int sys_set_output(int fd, int to)
{
    return control(fd, "SET_OUTPUT", PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)to);
}
