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

enum { CPU_MAX = 1 << 16 };

enum { CPU_NUMBERS = 9 };

/* Reads the CPU and the numbers of a line "cpuN ...", and returns how many these are; 0: it is
 * another line. */
static int cpu_line(const char *line, struct cpu_load *cpu, uint64_t numbers[CPU_NUMBERS])
{
    char *end;
    int count = 0;
    if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
        return 0;
    unsigned long number = strtoul(line + strlen("cpu"), &end, 10);
    *cpu = (struct cpu_load){.cpu = (int)number};
    while (number <= CPU_MAX && count < CPU_NUMBERS && *end == ' ') {
        const char *start = end;
        numbers[count] = strtoull(start, &end, 10);
        if (end == start)
            break;
        count++;
    }
    return count;
}

/* A line `cpuN user nice system idle iowait irq softirq steal guest guest_nice` of proc_stat(5), in
 * ticks. user and nice already include guests' time. False for another line. */
static bool parse_cpu(const char *line, struct cpu_load *cpu)
{
    enum { SYSTEM = 2, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS_MIN = 4 };
    static const unsigned long long TICKS_MAX = 1ull << 36; /* some 20 years at 100 Hz */
    uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK), total = 0;
    uint64_t fields[CPU_NUMBERS] = {0};
    int read = cpu_line(line, cpu, fields), count = 0;
    for (; count < read && count <= STEAL && fields[count] <= TICKS_MAX; count++)
        total += fields[count] *= tick;
    if (count < FIELDS_MIN)
        return false;
    memset(fields + count, 0, (CPU_NUMBERS - (size_t)count) * sizeof(*fields)); /* too large */
    uint64_t kernel = fields[SYSTEM] + (count > SOFTIRQ ? fields[IRQ] + fields[SOFTIRQ] : 0);
    kernel_times_set(&cpu->kernel_times, CPU_TIME, total);
    kernel_times_set(&cpu->kernel_times, CPU_BUSY, total - fields[IDLE] - fields[IOWAIT]);
    kernel_times_set(&cpu->kernel_times, CPU_KERNEL, kernel);
    if (count > SOFTIRQ) { /* old kernels have fewer */
        kernel_times_set(&cpu->kernel_times, CPU_IRQ, fields[IRQ]);
        kernel_times_set(&cpu->kernel_times, CPU_SOFTIRQ, fields[SOFTIRQ]);
    }
    if (count > STEAL)
        kernel_times_set(&cpu->kernel_times, CPU_STEAL, fields[STEAL]);
    return true;
}

/* A line `cpuN yields 0 schedules idles wake-ups local run delay slices` of version 15 and up
 * (Documentation/scheduler/sched-stats.rst): the delay, ns. */
static bool parse_queue(const char *line, struct cpu_load *cpu)
{
    enum { DELAY = 7 };
    uint64_t fields[CPU_NUMBERS];
    bool whole = cpu_line(line, cpu, fields) == CPU_NUMBERS;
    if (whole)
        kernel_times_set(&cpu->kernel_times, CPU_QUEUE, fields[DELAY]);
    return whole;
}

/* The text of a file of the machine, which the caller frees; NULL with a message. /proc/stat ends
 * with the line "softirq" (fs/proc/stat.c), so its end need not be read. */
static char *read_lines(int *file, const char *path, struct err *err)
{
    enum { STEP = 16384, BYTES_MAX = 32 << 20 };
    char *text = NULL;
    size_t used = 0, room = 0;
    ssize_t more = *file < 0 && (*file = file_keep(path)) < 0 ? -1 : 1;
    while (more > 0 && used < BYTES_MAX &&
           !(used && text[used - 1] == '\n' && strstr(text, "\nsoftirq "))) {
        mem_grow(&text, &room, used + STEP, 1);
        more = file_again_from(*file, used, text + used, room - used);
        used += more > 0 ? (size_t)more : 0;
    }
    if (more >= 0)
        return text;
    err_set(err, "cannot read '%s': %s", path, err_reason(errno));
    free(text);
    return NULL;
}

/* Calls back for the lines of CPUs. */
static int each_cpu_line(int *file, const char *path,
                         bool (*parse)(const char *line, struct cpu_load *cpu),
                         void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                         struct err *err)
{
    size_t count = 0;
    AUTO_FREE char *text = read_lines(file, path, err);
    for (const char *line = text; text && *line; line += *line == '\n') {
        struct cpu_load cpu;
        if (parse(line, &cpu)) {
            each(ctx, &cpu);
            count++;
        }
        line += strcspn(line, "\n");
    }
    if (text && count == 0)
        err_set(err, "cannot read '%s': it has no line about a CPU", path);
    return count ? 0 : -1;
}

int procfs_each_cpu(int *file, void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                    struct err *err)
{
    return each_cpu_line(file, "/proc/stat", parse_cpu, each, ctx, err);
}

int procfs_each_queue(int *file, void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                      struct err *err)
{
    return each_cpu_line(file, "/proc/schedstat", parse_queue, each, ctx, err);
}

bool procfs_machine_count(const char *key, uint64_t *count)
{
    AUTO_CLOSE int file = -1;
    AUTO_FREE char *text = read_lines(&file, "/proc/stat", NULL);
    AUTO_FREE char *start = mem_printf("\n%s ", key);
    const char *line = text ? strstr(text, start) : NULL;
    if (line)
        *count = strtoull(line + strlen(start), NULL, 10);
    return line;
}

const char *const pressure_names[PRESSURES] = {"cpu", "memory", "io"};

bool procfs_parse_pressure(const char *text, struct pressure_time *time)
{
    static const char total[] = "total=";
    const char *some = strstr(text, total), *full = some ? strstr(some, "full ") : NULL;
    full = full ? strstr(full, total) : NULL;
    *time = (struct pressure_time){0};
    if (!some || sscanf(some, "total=%" SCNu64, &time->some) != 1)
        return false;
    if (full)
        sscanf(full, "total=%" SCNu64, &time->full);
    time->some *= 1000;
    time->full *= 1000;
    return true;
}

int procfs_pressure(int files[PRESSURES], struct pressure_time times[PRESSURES], struct err *err)
{
    for (int p = 0; p < PRESSURES; p++) {
        char path[32], text[256];
        snprintf(path, sizeof(path), "/proc/pressure/%s", pressure_names[p]);
        if (files[p] < 0)
            files[p] = file_keep(path);
        if (files[p] < 0 || file_again(files[p], text, sizeof(text)) <= 0)
            return err_set(err, "cannot read '%s' (%s): boot the kernel with psi=1", path,
                           err_reason(errno));
        if (!procfs_parse_pressure(text, &times[p]))
            return err_set(err, "cannot read '%s': it has no total", path);
        if (p == PRESSURE_CPU)
            times[p].full = 0;
    }
    return 0;
}

bool procfs_load_average(int *file, double average[3])
{
    char text[128];
    if (*file < 0)
        *file = file_keep("/proc/loadavg");
    return *file >= 0 && file_again(*file, text, sizeof(text)) > 0 &&
           sscanf(text, "%lf %lf %lf", &average[0], &average[1], &average[2]) == 3;
}
