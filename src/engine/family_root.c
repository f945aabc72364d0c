#include "engine/family_root.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Bytes of a ring: what perf_event_mlock_kb grants each CPU by default. A task that ends writes 64
 * for each event. */
enum { FAMILY_RING = 512 << 10 };

/* Nanoseconds on a CPU between two samples of a task. */
enum { FAMILY_TICK = 2000000 };

static struct perf_event_attr tracker_attr(const struct perf_event_attr *filler)
{
    struct perf_event_attr attr = *filler;
    attr.sample_type = DECODE_ID_FIELDS;
    attr.sample_id_all = attr.use_clockid = attr.watermark = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.wakeup_watermark = FAMILY_RING / 8;
    attr.task = attr.comm = attr.comm_exec = 1;
    attr.inherit = attr.inherit_stat = attr.disabled = attr.enable_on_exec = 1;
    attr.read_format = DECODE_EXIT_FORMAT;
    return attr;
}

/* A process that waits, then has a child, and ends after it. */
static void try_family(const int *gate)
{
    char go;
    close(gate[1]);
    if (read(gate[0], &go, 1) == 1 && fork() > 0)
        wait(NULL);
    _exit(0);
}

bool family_reads_exits(void)
{
    const struct perf_event_attr filler = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    struct perf_event_attr attr = tracker_attr(&filler);
    const struct perf_event_header *raw;
    struct record record;
    struct ring ring = {0};
    cpu_set_t own;
    int gate[2], cpu = sched_getcpu();
    bool told = false;
    attr.disabled = attr.enable_on_exec = 0;
    if (pipe2(gate, O_CLOEXEC) < 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        try_family(gate);
    CPU_ZERO(&own);
    CPU_SET((size_t)cpu, &own);
    int fd = child > 0 && sched_setaffinity(child, sizeof(own), &own) == 0
                 ? sys_open(&attr, false, child, cpu, -1)
                 : -1;
    if (fd >= 0 && ring_open(&ring, fd, 1, NULL) == 0)
        told = write(gate[1], "", 1) == 1;
    close(gate[0]);
    close(gate[1]);
    if (child > 0)
        waitpid(child, NULL, 0);
    ring_update(&ring);
    bool found = false;
    while (told && !found && (raw = ring_peek(&ring))) {
        found = decode_record(raw, 0, &record) && record.kind == RECORD_READ;
        ring_pop(&ring, raw);
    }
    ring_close(&ring);
    if (fd >= 0)
        close(fd);
    return found;
}

size_t family_slots(const struct group_plan *plan)
{
    size_t slots = 1;
    for (size_t s = 0; s < plan->count; s++)
        slots += plan->shapes[s].again ? 0 : plan->shapes[s].values;
    return slots;
}

void family_root_describe(const struct family_style *style, struct book_slot *slots)
{
    const struct group_plan *plan = style->plan;
    for (size_t c = 0; c < style->cpus.count; c++) {
        *slots++ = (struct book_slot){.event = -1, .clock = true};
        for (size_t s = 0; s < plan->count; s++) {
            const struct group_shape *shape = &plan->shapes[s];
            for (size_t v = 0; v < shape->values && !shape->again; v++)
                *slots++ = (struct book_slot){
                    .group = shape->group, .event = shape->event_of[v], .leads = v == 0};
        }
    }
}

/* Samples all events of a group. Without permission for kernel mode it writes none there. */
static int open_ticker(const struct family_style *style, struct group_target target, int leader)
{
    struct perf_event_attr attr = style->filler;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = FAMILY_TICK;
    attr.sample_type = DECODE_GROUP_FIELDS;
    attr.read_format = DECODE_GROUP_FORMAT;
    attr.sample_id_all = attr.use_clockid = attr.inherit = 1;
    attr.clockid = CLOCK_MONOTONIC;
    return sys_open(&attr, false, target.pid, target.cpu, leader);
}

static int family_open_group(const struct family_style *style, size_t shape, int *fds, int *ticker,
                             struct group_target target, int output)
{
    const struct group_style group = {
        .filler = style->filler,
        .switches = {.use_clockid = 1, .clockid = CLOCK_MONOTONIC},
        .inherit = true,
        .on_exec = style->on_exec,
        .at_exit = true,
    };
    size_t refused, values = style->plan->shapes[shape].values;
    if (group_open(style->plan, shape, &group, target, fds, &refused) < 0) {
        for (size_t v = 0; v < values; v++)
            fds[v] = -1;
        return -1;
    }
    for (size_t v = 0; v < values; v++)
        if (sys_set_output(fds[v], output) < 0)
            return -1;
    if (!style->live)
        return 0;
    *ticker = open_ticker(style, target, fds[0]);
    return *ticker < 0 ? -1 : sys_set_output(*ticker, output);
}

static int open_cpu(struct family_root *root, const struct family_style *style, size_t c,
                    struct family_ring *ring, struct err *err)
{
    const struct group_plan *plan = style->plan;
    struct group_target target = {root->tid, style->cpus.cpus[c]};
    struct perf_event_attr attr = tracker_attr(&style->filler);
    int *fds = root->fds + c * style->slots;
    attr.enable_on_exec = style->on_exec;
    fds[0] = sys_open(&attr, false, target.pid, target.cpu, -1);
    if (fds[0] < 0)
        return err_set(err, "cannot follow the command on cpu %d: %s", target.cpu, strerror(errno));
    if (ring->fd < 0 && ring_open_within(&ring->ring, fds[0], FAMILY_RING, err) < 0)
        return -1;
    if (ring->fd < 0)
        ring->fd = fds[0];
    else if (sys_set_output(fds[0], ring->fd) < 0)
        return err_set(err, "cannot follow the command on cpu %d: %s", target.cpu, strerror(errno));
    int *group = fds + 1;
    for (size_t s = 0; s < plan->count; s++) {
        if (plan->shapes[s].again) /* another core type's: the group has this CPU's events */
            continue;
        if (family_open_group(style, s, group, &root->tickers[c * plan->count + s], target,
                              ring->fd) < 0)
            return err_set(err, "cannot count the command on cpu %d: %s", target.cpu,
                           strerror(errno));
        group += plan->shapes[s].values;
    }
    return 0;
}

int family_root_open(struct family_root *root, const struct family_style *style,
                     struct family_ring *rings, struct err *err)
{
    size_t slots = style->cpus.count * style->slots,
           tickers = style->cpus.count * style->plan->count;
    root->fds = mem_array(slots, sizeof(*root->fds));
    root->tickers = mem_array(tickers, sizeof(*root->tickers));
    for (size_t s = 0; s < slots; s++)
        root->fds[s] = -1;
    for (size_t t = 0; t < tickers; t++)
        root->tickers[t] = -1;
    for (size_t c = 0; c < style->cpus.count; c++)
        if (open_cpu(root, style, c, &rings[c], err) < 0)
            return -1;
    return 0;
}

static size_t tickers_of(const struct family_root *root, const struct family_style *style)
{
    return root->tickers ? style->cpus.count * style->plan->count : 0;
}

static size_t slots_of(const struct family_root *root, const struct family_style *style)
{
    return root->fds ? style->cpus.count * style->slots : 0;
}

void family_root_enable(const struct family_root *root, const struct family_style *style)
{
    size_t slot = 0;
    for (size_t c = 0; c < style->cpus.count; c++) {
        sys_enable(root->fds[slot++]);
        for (size_t s = 0; s < style->plan->count; s++) {
            const struct group_shape *shape = &style->plan->shapes[s];
            if (shape->again)
                continue;
            sys_enable(root->fds[slot]);
            slot += shape->values;
        }
    }
}

void family_root_close(struct family_root *root, const struct family_style *style)
{
    group_close(root->tickers, tickers_of(root, style)); /* siblings first */
    group_close(root->fds, slots_of(root, style));
    free(root->tickers);
    free(root->fds);
}

size_t family_root_descriptors(const struct family_root *root, const struct family_style *style)
{
    size_t open = slots_of(root, style);
    for (size_t t = 0; t < tickers_of(root, style); t++)
        open += root->tickers[t] >= 0;
    return open;
}

void family_root_read(struct family_root *root, const struct family_style *style)
{
    struct exit_read now;
    for (size_t s = 0; s < slots_of(root, style); s++)
        if (read(root->fds[s], &now, sizeof(now)) == (ssize_t)sizeof(now))
            root->book.whole[s] = (struct book_amount){now.value, now.running};
}
