#include "system/kernel_times.h"

const struct kernel_time_name kernel_times_of_cpu[CPU_TIMES] = {
    [CPU_TIME] = {"total", "cpu_time", NULL},
    [CPU_BUSY] = {"busy", "busy_time", NULL},
    [CPU_KERNEL] = {"kernel", "kernel_time", "Time that each CPU was in the kernel"},
    [CPU_STEAL] = {"steal", "steal_time", "Time that a hypervisor took from each CPU for others"},
    [CPU_IRQ] = {"irq", "irq_time", "Time that each CPU handled interrupts"},
    [CPU_SOFTIRQ] = {"softirq", "softirq_time", "Time that each CPU handled soft interrupts"},
    [CPU_QUEUE] = {"queue", "queue_time", "Time that tasks waited for each CPU"},
};

const struct kernel_time_name kernel_times_of_cgroup[CGROUP_TIMES] = {
    [CGROUP_TIME] = {"time", "cgroup_time", NULL},
    [CGROUP_THROTTLED] = {"throttled", "throttled_time",
                          "Time that cpu.max kept each cgroup from running, of each CPU"},
    [CGROUP_THROTTLES] = {"throttles", "throttle_count", NULL},
    [CGROUP_PRESSURE] = {"cpu_some", "cpu_some_time", "Time in which tasks waited for a CPU"},
    {"cpu_full", "cpu_full_time", "Time in which all tasks waited for a CPU"},
    {"memory_some", "memory_some_time", "Time in which tasks waited for memory"},
    {"memory_full", "memory_full_time", "Time in which all tasks waited for memory"},
    {"io_some", "io_some_time", "Time in which tasks waited for I/O"},
    {"io_full", "io_full_time", "Time in which all tasks waited for I/O"},
};

bool kernel_times_get(const struct kernel_times *times, size_t i, uint64_t *time)
{
    *time = times->time[i];
    return times->known & 1u << i;
}

void kernel_times_set(struct kernel_times *times, size_t i, uint64_t time)
{
    times->known |= 1u << i;
    times->time[i] = time;
}

void kernel_times_merge(struct kernel_times *times, const struct kernel_times *other, unsigned mask)
{
    for (size_t i = 0; i < KERNEL_TIMES_MAX; i++)
        if (other->known & mask & 1u << i)
            kernel_times_set(times, i, other->time[i]);
}

struct kernel_times kernel_times_between(const struct kernel_times *before,
                                         const struct kernel_times *now)
{
    struct kernel_times span = {.known = before->known & now->known};
    for (size_t i = 0; i < KERNEL_TIMES_MAX; i++) /* some can go back: proc_stat(5), iowait */
        if (span.known & 1u << i && now->time[i] > before->time[i])
            span.time[i] = now->time[i] - before->time[i];
    return span;
}

void kernel_times_add(struct kernel_times *sum, const struct kernel_times *part)
{
    sum->known = sum->parts++ ? sum->known & part->known : part->known;
    for (size_t i = 0; i < KERNEL_TIMES_MAX; i++)
        sum->time[i] += part->time[i];
}

double kernel_times_ratio(const struct kernel_times *times, size_t part, size_t whole)
{
    uint64_t some, all;
    if (!kernel_times_get(times, part, &some) || !kernel_times_get(times, whole, &all) || all == 0)
        return -1;
    return (double)some / (double)all;
}

double kernel_times_share(const struct kernel_times *times, size_t part)
{
    double ratio = kernel_times_ratio(times, part, CPU_TIME);
    return ratio < 1 ? ratio : 1;
}
