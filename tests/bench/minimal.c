/* minimal [-d] [-p] EVENTS: the least that a reader of all context switches can do, to compare
 * with. On each CPU it opens one group that writes a sample at each switch, as the ledger engine
 * does; it drains the rings fifty times a second and adds up by tid, or with -d only drains them.
 * EVENTS: how many software events are read with each sample, at most 4; with -p of the processor,
 * at most 2. Ends with SIGTERM, and writes "name value" lines. */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS_MAX = 4, TIDS = 1 << 22, RING_PAGES = 128, EACH = 20000000 };

struct sample {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t count, enabled, running, value[EVENTS_MAX + 1];
};

struct sums {
    uint64_t value[EVENTS_MAX + 1];
};

struct cpu {
    struct perf_event_mmap_page *page;
    uint64_t last[EVENTS_MAX + 1];
};

static volatile sig_atomic_t ended;
static struct sums *sums; /* by tid; pages that no task needs are never there */
static uint64_t switches, lost;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static int open_event(int cpu, uint32_t type, uint64_t config, int leader)
{
    struct perf_event_attr attr = {
        .type = type,
        .size = sizeof(attr),
        .config = config,
        .read_format =
            PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = leader < 0,
    };
    if (leader < 0) {
        attr.sample_period = 1;
        attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ;
    }
    return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static bool open_cpu(struct cpu *cpu, int number, uint32_t type, size_t events)
{
    static const uint64_t siblings[][EVENTS_MAX] = {
        [PERF_TYPE_HARDWARE] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS},
        [PERF_TYPE_SOFTWARE] = {PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_PAGE_FAULTS,
                                PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CPU_CLOCK},
    };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int leader = open_event(number, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, -1);
    if (leader < 0)
        return false;
    cpu->page = mmap(NULL, (1 + RING_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, leader, 0);
    if (cpu->page == MAP_FAILED)
        return false;
    for (size_t e = 0; e < events; e++)
        if (open_event(number, type, siblings[type][e], leader) < 0)
            return false;
    return ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) == 0;
}

static void take(struct cpu *cpu, const struct sample *sample)
{
    struct sums *task = &sums[sample->tid % TIDS];
    for (size_t v = 0; v < sample->count && v <= EVENTS_MAX; v++) {
        task->value[v] += sample->value[v] - cpu->last[v];
        cpu->last[v] = sample->value[v];
    }
    switches++;
}

static void drain(struct cpu *cpu, bool only)
{
    const char *data = (const char *)cpu->page + cpu->page->data_offset;
    uint64_t size = cpu->page->data_size, tail = cpu->page->data_tail;
    uint64_t head = __atomic_load_n(&cpu->page->data_head, __ATOMIC_ACQUIRE);
    while (tail < head) {
        char copy[512];
        uint64_t offset = tail & (size - 1);
        const struct perf_event_header *header = (const void *)(data + offset);
        uint64_t length = header->size, first = size - offset;
        if (first < length && length <= sizeof(copy)) {
            memcpy(copy, data + offset, first);
            memcpy(copy + first, data, length - first);
            header = (const void *)copy;
        }
        if (header->type == PERF_RECORD_SAMPLE && !only)
            take(cpu, (const struct sample *)header);
        else if (header->type == PERF_RECORD_LOST)
            lost += ((const uint64_t *)(header + 1))[1];
        tail += length;
    }
    __atomic_store_n(&cpu->page->data_tail, tail, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
    uint32_t type = PERF_TYPE_SOFTWARE;
    bool only = false;
    for (int option; (option = getopt(argc, argv, "dp")) != -1;) {
        only |= option == 'd';
        if (option == 'p')
            type = PERF_TYPE_HARDWARE;
    }
    size_t most = type == PERF_TYPE_HARDWARE ? 2 : EVENTS_MAX;
    size_t events = argc == optind + 1 ? strtoul(argv[optind], NULL, 10) : most + 1;
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    struct cpu *cpus = calloc((size_t)count, sizeof(*cpus));
    sums = mmap(NULL, TIDS * sizeof(*sums), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (events > most || !cpus || sums == MAP_FAILED) {
        fprintf(stderr, "usage: minimal [-d] [-p] EVENTS, at most %zu\n", most);
        return 2;
    }
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    for (int c = 0; c < count; c++)
        if (!open_cpu(&cpus[c], c, type, events)) {
            fprintf(stderr, "minimal: cannot count on cpu %d: %s\n", c, strerror(errno));
            return 1;
        }
    while (!ended) {
        nanosleep(&(struct timespec){0, EACH}, NULL);
        for (int c = 0; c < count; c++)
            drain(&cpus[c], only);
    }
    printf("switches %llu\nlost %llu\n", (unsigned long long)switches, (unsigned long long)lost);
    return 0;
}
