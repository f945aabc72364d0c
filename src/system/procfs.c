#include "system/procfs.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Reads one file per call and allocates nothing: at the start of the ledger this runs for every
 * thread of the machine. Measured: 8 us per thread, 7 of them in the kernel. */

/* Fields after the name in /proc/pid/stat, numbered as in proc_pid_stat(5). */
enum {
    STAT_STATE = 3,
    STAT_PPID = 4,
    STAT_UTIME = 14,
    STAT_STIME = 15,
    STAT_CUTIME = 16,
    STAT_CSTIME = 17,
    STAT_THREADS = 20,
    STAT_START = 22,
    STAT_CPU = 39,
};

struct task_path {
    char text[128];
};

static struct task_path task_path(pid_t pid, pid_t tid, const char *file)
{
    struct task_path path;
    if (tid == 0)
        snprintf(path.text, sizeof(path.text), "/proc/%d/%s", (int)pid, file);
    else
        snprintf(path.text, sizeof(path.text), "/proc/%d/task/%d/%s", (int)pid, (int)tid, file);
    return path;
}

ssize_t procfs_read(pid_t pid, pid_t tid, const char *file, char *buffer, size_t size)
{
    struct task_path path = task_path(pid, tid, file);
    bool raised = privilege_raise(PRIVILEGE_SEE);
    ssize_t length = file_read(path.text, buffer, size);
    privilege_lower(raised);
    return length;
}

int procfs_keep(pid_t pid, pid_t tid, const char *file)
{
    struct task_path path = task_path(pid, tid, file);
    bool raised = privilege_raise(PRIVILEGE_SEE);
    int fd = file_keep(path.text);
    privilege_lower(raised);
    return fd;
}

static int open_regular(const char *path, int flags)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    int error = fd < 0 ? errno : EINVAL;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

int procfs_open_mapped(pid_t pid, uint64_t start, uint64_t end)
{
    char path[80];
    snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid,
             (unsigned long long)start, (unsigned long long)end);
    return open_regular(path, 0);
}

int procfs_open_inside(pid_t pid, const char *path, int flags)
{
    char *whole = pid ? mem_printf("/proc/%d/root%s", (int)pid, path) : mem_strdup(path);
    int fd = open_regular(whole, flags), error = errno;
    free(whole);
    errno = error;
    return fd;
}

static bool stat_file(pid_t pid, const char *file, struct stat *status)
{
    char path[32];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    bool raised = privilege_raise(PRIVILEGE_SEE);
    int result = file_stat(path, status);
    privilege_lower(raised);
    return result == 0;
}

bool procfs_memory(pid_t pid, uint64_t address, void *bytes, size_t size)
{
    struct iovec to = {bytes, size}, from = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    if (got >= 0 && (size_t)got < size)
        errno = EFAULT;
    return got == (ssize_t)size;
}

int procfs_task(pid_t pid, pid_t tid, struct procfs_task *task)
{
    char stat[2048];
    if (procfs_read(pid, tid, "stat", stat, sizeof(stat)) < 0)
        return -1;
    /* The name may hold blanks and parentheses; only numbers follow it. */
    const char *open = strchr(stat, '('), *close = strrchr(stat, ')');
    if (!open || !close || close < open || close[1] != ' ' || close[2] < ' ')
        return -1;
    *task = (struct procfs_task){.pid = pid, .tid = tid ? tid : pid, .state = close[2]};
    snprintf(task->comm, sizeof(task->comm), "%.*s", (int)(close - open - 1), open + 1);
    const char *p = close + 3;
    uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    for (int field = STAT_PPID; field <= STAT_CPU; field++) {
        char *end;
        if (*p != ' ')
            return -1;
        /* Signed fields are converted correctly when they are assigned. */
        unsigned long long value = strtoull(p, &end, 10);
        if (end == p)
            return -1;
        p = end;
        if (field == STAT_PPID)
            task->ppid = (pid_t)value;
        else if (field == STAT_UTIME || field == STAT_STIME)
            task->time += value * tick;
        else if (field == STAT_CUTIME || field == STAT_CSTIME)
            task->waited += value * tick;
        else if (field == STAT_THREADS)
            task->threads = (size_t)value;
        else if (field == STAT_START)
            task->start = value;
        else if (field == STAT_CPU)
            task->cpu = (int)value;
    }
    return 0;
}

bool procfs_lives(const struct procfs_task *task)
{
    return (task->state != 'Z' && task->state != 'X') || task->threads > 1;
}

bool procfs_schedstat(pid_t pid, pid_t tid, struct procfs_schedstat *now)
{
    char text[128];
    unsigned long long run, delay, slices;
    if (procfs_read(pid, tid, "schedstat", text, sizeof(text)) <= 0 ||
        sscanf(text, "%llu %llu %llu", &run, &delay, &slices) != 3)
        return false;
    *now = (struct procfs_schedstat){run, delay, slices};
    return true;
}

bool procfs_keeps_delay(void)
{
    struct procfs_schedstat own;
    return procfs_schedstat(getpid(), gettid(), &own) && own.slices > 0;
}

const char *procfs_status_value(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    return found ? found + strlen(key) + strspn(found + strlen(key), " \t") : "";
}

bool procfs_switches(pid_t pid, pid_t tid, struct procfs_switches *now)
{
    char text[8192];
    if (procfs_read(pid, tid, "status", text, sizeof(text)) <= 0)
        return false;
    const char *voluntary = procfs_status_value(text, "\nvoluntary_ctxt_switches:");
    const char *forced = procfs_status_value(text, "\nnonvoluntary_ctxt_switches:");
    now->state = *procfs_status_value(text, "\nState:");
    now->voluntary = strtoull(voluntary, NULL, 10);
    now->forced = strtoull(forced, NULL, 10);
    return *voluntary && *forced;
}

bool procfs_cpu_time(pid_t pid, pid_t tid, uint64_t *time)
{
    struct procfs_schedstat now;
    if (tid && procfs_schedstat(pid, tid, &now)) {
        *time = now.run;
        return true;
    }
    struct procfs_task task;
    if (procfs_task(pid, tid, &task) < 0)
        return false;
    *time = task.time;
    return true;
}

/* Not the directory: that always has the effective uid (fs/proc/base.c, task_dump_owner()). */
bool procfs_glance(pid_t pid, struct procfs_glance *glance)
{
    struct stat status;
    if (!stat_file(pid, "stat", &status))
        return false;
    *glance = (struct procfs_glance){status.st_uid, status.st_ino};
    return true;
}

bool procfs_same_program(pid_t pid, pid_t other)
{
    struct stat first, second;
    return stat_file(pid, "exe", &first) && stat_file(other, "exe", &second) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* The index-th number in a line of /proc/pid/status; false if the process is gone. */
static bool read_status(pid_t pid, const char *key, int index, unsigned long *value)
{
    char status[1024]; /* Tgid and Uid are near the top; newlines in Name are escaped */
    if (procfs_read(pid, 0, "status", status, sizeof(status)) < 0)
        return false;
    const char *p = strstr(status, key);
    if (!p)
        return false;
    p += strlen(key);
    for (int i = 0; i <= index; i++) {
        char *end;
        *value = strtoul(p, &end, 10);
        if (end == p)
            return false;
        p = end;
    }
    return true;
}

uid_t procfs_uid(pid_t pid)
{
    unsigned long uid;
    return read_status(pid, "\nUid:", 1, &uid) ? (uid_t)uid : (uid_t)-1;
}

pid_t procfs_process_of(pid_t tid)
{
    unsigned long pid;
    return read_status(tid, "\nTgid:", 0, &pid) ? (pid_t)pid : -1;
}

bool procfs_comm(pid_t pid, pid_t tid, char comm[16])
{
    char text[256];
    ssize_t length = procfs_read(pid, tid, "comm", text, sizeof(text));
    if (length < 0)
        return false;
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = '\0';
    snprintf(comm, 16, "%.15s", text); /* for kernel workers the file adds more */
    return true;
}

char *procfs_cmdline(pid_t pid)
{
    enum { SHORT = 1 << 12, LONGEST = 1 << 21 };
    char *buffer = NULL;
    ssize_t got;
    size_t size = SHORT;
    while (buffer = mem_resize(buffer, size, 1), got = procfs_read(pid, 0, "cmdline", buffer, size),
           got == (ssize_t)size - 1 && size < LONGEST)
        size *= 8;
    size_t length = got < 0 ? 0 : (size_t)got;
    while (length > 0 && (buffer[length - 1] == '\0' || buffer[length - 1] == ' '))
        length--;
    buffer[length] = '\0';
    char *to = buffer;
    for (size_t i = 0; i < length;) {
        unsigned code;
        size_t n = str_utf8(buffer + i, &code);
        if (buffer[i] == '\0')
            *to++ = ' ';
        else if (n == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0))
            *to++ = '?';
        else
            to = (char *)memmove(to, buffer + i, n) + n;
        i += n ? n : 1;
    }
    *to = '\0';
    if (length == 0) {
        free(buffer);
        return NULL;
    }
    return buffer;
}

/* Adds each number that names a file in the directory. */
static int add_numbers(const char *path, struct pid_list *list)
{
    bool raised = privilege_raise(PRIVILEGE_SEE);
    DIR *folder = file_opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        unsigned long long pid;
        if (!str_to_u64(entry->d_name, 1, INT32_MAX, &pid))
            continue;
        mem_grow(&list->pids, &list->room, list->count + 1, sizeof(*list->pids));
        list->pids[list->count++] = (pid_t)pid;
    }
    privilege_lower(raised);
    if (folder)
        closedir(folder);
    return folder ? 0 : -1;
}

int procfs_processes(struct pid_list *list)
{
    return add_numbers("/proc", list);
}

int procfs_threads(pid_t pid, struct pid_list *list)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    return add_numbers(path, list);
}

/* The links of the directory: fs/proc/base.c, proc_task_getattr(). */
size_t procfs_thread_count(pid_t pid)
{
    enum { OF_EACH_DIRECTORY = 2 };
    struct stat status;
    if (!stat_file(pid, "task", &status) || status.st_nlink < OF_EACH_DIRECTORY)
        return 0;
    return (size_t)status.st_nlink - OF_EACH_DIRECTORY;
}

int procfs_descendants(pid_t pid, struct pid_list *list)
{
    struct pid_list all = {0};
    if (procfs_processes(&all) < 0)
        return -1;
    size_t first = list->count;
    pid_t *parents = mem_array(all.count, sizeof(*parents)); /* 0: gone, or added */
    for (size_t i = 0; i < all.count; i++) {
        struct procfs_task task;
        parents[i] = procfs_task(all.pids[i], 0, &task) < 0 ? 0 : task.ppid;
    }
    for (bool more = true; more;) { /* a child may be listed before its parent */
        more = false;
        for (size_t i = 0; i < all.count; i++) {
            bool descends = parents[i] == pid;
            for (size_t n = first; parents[i] && n < list->count; n++)
                descends |= list->pids[n] == parents[i];
            if (!descends)
                continue;
            mem_grow(&list->pids, &list->room, list->count + 1, sizeof(*list->pids));
            list->pids[list->count++] = all.pids[i];
            parents[i] = 0;
            more = true;
        }
    }
    free(parents);
    free(all.pids);
    return 0;
}

static int by_tid(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

void procfs_family(pid_t pid, struct pid_list *list)
{
    struct pid_list processes = {0};
    list->count = 0;
    procfs_threads(pid, list);
    procfs_descendants(pid, &processes);
    for (size_t i = 0; i < processes.count; i++)
        procfs_threads(processes.pids[i], list);
    free(processes.pids);
    if (list->count)
        qsort(list->pids, list->count, sizeof(*list->pids), by_tid);
}

bool procfs_descends(pid_t pid, pid_t ancestor)
{
    enum { GENERATIONS = 1000 }; /* a pid that is reused meanwhile could close a circle */
    struct procfs_task task;
    for (int i = 0; pid > 0 && i < GENERATIONS; i++) {
        if (procfs_task(pid, 0, &task) < 0)
            return false;
        if (task.ppid == ancestor)
            return true;
        pid = task.ppid;
    }
    return false;
}

enum { CPU_MAX = 1 << 16 };

/* The number of the CPU that a line "cpuN ..." is about, and where its fields begin; NULL: it is
 * another line. */
static char *cpu_line(const char *line, struct cpu_load *cpu)
{
    char *end;
    if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
        return NULL;
    unsigned long number = strtoul(line + strlen("cpu"), &end, 10);
    *cpu = (struct cpu_load){.cpu = (int)number};
    return *end == ' ' && number <= CPU_MAX ? end : NULL;
}

/* A line `cpuN user nice system idle iowait irq softirq steal guest guest_nice` of proc_stat(5), in
 * ticks. user and nice already include guests' time. False for another line. */
static bool parse_cpu(const char *line, struct cpu_load *cpu)
{
    enum { SYSTEM = 2, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS_MIN = 4 };
    static const unsigned long long TICKS_MAX = 1ull << 36; /* some 20 years at 100 Hz */
    uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK), fields[STEAL + 1] = {0};
    char *end = cpu_line(line, cpu);
    int count = 0;
    for (; end && count <= STEAL && *end == ' '; count++) {
        const char *start = end;
        unsigned long long value = strtoull(start, &end, 10);
        if (end == start || value > TICKS_MAX)
            break;
        fields[count] = value * tick;
    }
    if (count < FIELDS_MIN)
        return false;
    uint64_t total = 0, kernel = fields[SYSTEM] + fields[IRQ] + fields[SOFTIRQ];
    for (int f = 0; f < count; f++)
        total += fields[f];
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
    enum { DELAY = 8 };
    char *end = cpu_line(line, cpu);
    unsigned long long value = 0;
    for (int field = 1; field <= DELAY && end; field++) {
        const char *start = end;
        value = *start == ' ' ? strtoull(start, &end, 10) : 0;
        end = end == start ? NULL : end;
    }
    if (end && *end == ' ')
        kernel_times_set(&cpu->kernel_times, CPU_QUEUE, value);
    return end && *end == ' ';
}

/* The text of a file of the machine, which the caller frees; NULL with a message. first: what the
 * lines of interest begin with, which are the first ones; NULL: all are read. */
static char *read_lines(int *file, const char *path, const char *first, struct err *err)
{
    enum { STEP = 16384, BYTES_MAX = 32 << 20 };
    char *text = NULL;
    size_t used = 0, room = 0;
    ssize_t more = *file < 0 && (*file = file_keep(path)) < 0 ? -1 : 1;
    while (more > 0 && used < BYTES_MAX) {
        mem_grow(&text, &room, used + STEP, 1);
        more = file_again_from(*file, used, text + used, room - used);
        used += more > 0 ? (size_t)more : 0;
        const char *line = more > 0 && first ? memrchr(text, '\n', used) : NULL;
        if (line && !str_starts(line + 1, first))
            break;
    }
    if (more >= 0)
        return text;
    err_set(err, "cannot read '%s': %s", path, strerror(errno));
    free(text);
    return NULL;
}

/* Calls back for the lines of CPUs. */
static int read_cpus(char *text, const char *path,
                     bool (*parse)(const char *line, struct cpu_load *cpu),
                     void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                     struct err *err)
{
    size_t count = 0;
    for (const char *line = text; text && *line; line += *line == '\n') {
        struct cpu_load cpu;
        if (parse(line, &cpu)) {
            each(ctx, &cpu);
            count++;
        }
        line += strcspn(line, "\n");
    }
    bool read = text != NULL;
    free(text);
    if (read && count == 0)
        err_set(err, "cannot read '%s': it has no line about a CPU", path);
    return count ? 0 : -1;
}

int procfs_each_cpu(int *file, void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                    struct err *err)
{
    static const char path[] = "/proc/stat";
    return read_cpus(read_lines(file, path, "cpu", err), path, parse_cpu, each, ctx, err);
}

int procfs_each_queue(int *file, void (*each)(void *ctx, const struct cpu_load *cpu), void *ctx,
                      struct err *err)
{
    static const char path[] = "/proc/schedstat";
    return read_cpus(read_lines(file, path, NULL, err), path, parse_queue, each, ctx, err);
}

bool procfs_machine_switches(uint64_t *count)
{
    int file = -1;
    char *text = read_lines(&file, "/proc/stat", NULL, NULL);
    const char *line = text ? strstr(text, "\nctxt ") : NULL;
    if (line)
        *count = strtoull(line + strlen("\nctxt "), NULL, 10);
    free(text);
    if (file >= 0)
        close(file);
    return line != NULL;
}

const char *const pressure_names[PRESSURES] = {"cpu", "memory", "io"};

bool procfs_parse_pressure(const char *text, struct pressure_time *time)
{
    unsigned long long some, full = 0;
    const char *total = strstr(text, "total="), *next = total ? strstr(total, "full ") : NULL;
    if (!total || sscanf(total, "total=%llu", &some) != 1)
        return false;
    if (next && (next = strstr(next, "total=")))
        sscanf(next, "total=%llu", &full);
    *time = (struct pressure_time){some * 1000, full * 1000};
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
                           strerror(errno));
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
