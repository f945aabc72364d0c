#include "system/told.h"

const struct told_name told_cpu_names[CPU_TOLD] = {
    [CPU_TIME] = {"total", "cpu_time", NULL},
    [CPU_BUSY] = {"busy", "busy_time", NULL},
    [CPU_KERNEL] = {"kernel", "kernel_time", "Time that each CPU was in the kernel"},
    [CPU_STEAL] = {"steal", "steal_time", "Time that a hypervisor took from each CPU for others"},
    [CPU_IRQ] = {"irq", "irq_time", "Time that each CPU handled interrupts"},
    [CPU_SOFTIRQ] = {"softirq", "softirq_time", "Time that each CPU handled soft interrupts"},
    [CPU_QUEUE] = {"queue", "queue_time", "Time that tasks waited for each CPU"},
};

const struct told_name told_cgroup_names[CGROUP_TOLD] = {
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

bool told_get(const struct told *told, size_t i, uint64_t *time)
{
    *time = told->time[i];
    return told->known & 1u << i;
}

void told_set(struct told *told, size_t i, uint64_t time)
{
    told->known |= 1u << i;
    told->time[i] = time;
}

void told_merge(struct told *told, const struct told *other, unsigned mask)
{
    for (size_t i = 0; i < TOLD_MAX; i++)
        if (other->known & mask & 1u << i)
            told_set(told, i, other->time[i]);
}

struct told told_between(const struct told *before, const struct told *now)
{
    struct told span = {.known = before->known & now->known};
    for (size_t i = 0; i < TOLD_MAX; i++) /* some can go back: proc_stat(5), iowait */
        if (span.known & 1u << i && now->time[i] > before->time[i])
            span.time[i] = now->time[i] - before->time[i];
    return span;
}

void told_add(struct told *sum, const struct told *part)
{
    sum->known = sum->parts++ ? sum->known & part->known : part->known;
    for (size_t i = 0; i < TOLD_MAX; i++)
        sum->time[i] += part->time[i];
}

double told_ratio(const struct told *told, size_t part, size_t whole)
{
    uint64_t some, all;
    bool known = told_get(told, part, &some) & told_get(told, whole, &all);
    return !known || all == 0 ? -1 : (double)some / (double)all;
}

double told_share(const struct told *told, size_t part, size_t whole)
{
    double ratio = told_ratio(told, part, whole);
    return ratio < 1 ? ratio : 1;
}
