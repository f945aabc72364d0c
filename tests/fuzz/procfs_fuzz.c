/* The files of a task and of the machine, whatever is in them. */
#include "base/mem.h"
#include "system/kernel_times.h"
#include "system/procfs.h"
#include "base/str.h"
#include "fuzz/tree.h"
#include "fuzz/fuzz.h"

static void check_cpu(void *ctx, const struct cpu_load *cpu)
{
    const uint64_t *times = cpu->kernel_times.time;
    check(cpu->cpu >= 0 && times[CPU_KERNEL] <= times[CPU_BUSY] &&
          times[CPU_BUSY] <= times[CPU_TIME]);
    check(times[CPU_STEAL] + times[CPU_IRQ] + times[CPU_SOFTIRQ] <= times[CPU_BUSY]);
    ++*(size_t *)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {
        "/proc/7/stat",    "/proc/7/status",           "/proc/7/comm",
        "/proc/7/cmdline", "/proc/7/task/7/schedstat", "/proc/stat",
        "/proc/loadavg",   "/proc/schedstat"};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        tree_write(files[i], data, size);
    struct procfs_task task;
    char comm[16];
    memset(comm, 'x', sizeof(comm));
    if (procfs_task(7, 0, &task) == 0)
        check(memchr(task.comm, '\0', sizeof(task.comm)) && task.tid == 7);
    check(procfs_comm(7, 0, comm) && memchr(comm, '\0', sizeof(comm)));
    uint64_t time;
    procfs_cpu_time(7, 7, &time);
    procfs_descends(7, 6);
    procfs_uid(7, 0);
    procfs_process_of(7);
    size_t cpus = 0;
    struct err err = {0};
    int file = -1, result = procfs_each_cpu(&file, check_cpu, &cpus, &err);
    if (file >= 0)
        close(file);
    file = -1;
    size_t queues = 0;
    struct err why = {0};
    int queued = procfs_each_queue(&file, check_cpu, &queues, &why);
    check(queued == 0 ? queues > 0 : why.text[0] != '\0');
    if (file >= 0)
        close(file);
    file = -1;
    double average[3];
    procfs_load_average(&file, average);
    if (file >= 0)
        close(file);
    check(result == 0 ? cpus > 0 : err.text[0] != '\0');
    /* A command line is fit for a terminal: characters, and no control characters. */
    AUTO_FREE char *line = procfs_cmdline(7);
    check(!line || line[0] != '\0');
    for (const char *p = line ? line : ""; *p;) {
        unsigned code;
        size_t n = str_utf8(p, &code);
        check(n > 0 && code >= 0x20 && (code < 0x7f || code >= 0xa0));
        p += n;
    }
    return 0;
}
