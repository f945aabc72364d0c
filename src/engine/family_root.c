#include "engine/family_root.h"
#include "base/file.h"
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

/* Bytes of the rings of a CPU: together, with a page before each, what perf_event_mlock_kb grants
 * it by default. A task that ends writes 72 to the ring of each event, and some 600 are written on
 * a CPU for its life. */
enum { LOCAL_RING = 128 << 10, EVENT_RINGS = 380 << 10 };

/* Nanoseconds on a CPU between two samples of a task. */
enum { FAMILY_TICK = 2000000 };

/* What trackers and clocks have. A ring wakes the reader when an eighth of it is new. */
static struct perf_event_attr family_attr(const struct perf_event_attr *filler, size_t ring_bytes)
{
    struct perf_event_attr attr = *filler;
    attr.sample_type = DECODE_ID_FIELDS;
    attr.sample_id_all = attr.use_clockid = attr.watermark = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.wakeup_watermark = (uint32_t)(ring_bytes / 8);
    attr.inherit = attr.disabled = 1;
    attr.read_format = DECODE_EXIT_FORMAT;
    return attr;
}

/* Records births, names, mappings of code and ends. PERF_SAMPLE_READ, which it never does, keeps
 * the counts of tasks apart (kernel/events/core.c, list_add_event(): nr_no_switch_fast;
 * since 6.12): without it, the kernel may exchange the events of two tasks instead of switching
 * them, with what they have counted, each with the one at the same place of the other's list. These
 * lists are in the order of opening for the first task, for others by CPU, PMU and whose turn it is
 * (rotate_ctx()), and instructions would become cpu-migrations. */
static struct perf_event_attr tracker_attr(const struct perf_event_attr *filler)
{
    struct perf_event_attr attr = family_attr(filler, LOCAL_RING);
    attr.task = attr.comm = attr.comm_exec = attr.mmap = 1;
    attr.sample_type |= PERF_SAMPLE_READ;
    return attr;
}

/* Tells how long a task was on the CPU. */
static struct perf_event_attr clock_attr(const struct perf_event_attr *filler, size_t ring_bytes)
{
    struct perf_event_attr attr = family_attr(filler, ring_bytes);
    attr.inherit_stat = 1;
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
    struct perf_event_attr attr = clock_attr(&filler, 1);
    const struct perf_event_header *raw;
    struct record record;
    struct ring ring = {0};
    cpu_set_t own;
    int gate[2], cpu = sched_getcpu();
    bool released = false;
    attr.disabled = 0;
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
        released = write(gate[1], "", 1) == 1;
    close(gate[0]);
    close(gate[1]);
    if (child > 0)
        waitpid(child, NULL, 0);
    ring_update(&ring);
    bool found = false;
    while (released && !found && (raw = ring_peek(&ring))) {
        found = decode_record(raw, 0, &record) && record.kind == RECORD_READ;
        ring_pop(&ring, raw);
    }
    ring_close(&ring);
    file_close(fd);
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

static int *local_of(const struct family_root *root, const struct family_style *style, size_t c)
{
    return root->local + c * style->locals;
}

static int err_cpu(struct err *err, const char *what, int cpu)
{
    return err_set(err, "cannot %s the command on cpu %d: %s", what, cpu, strerror(errno));
}

/* Samples all events of a group. Without permission for kernel mode it writes none there. */
static int open_ticker(const struct family_style *style, struct group_target target, int leader)
{
    struct perf_event_attr attr = family_attr(&style->filler, LOCAL_RING);
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = FAMILY_TICK;
    attr.sample_type = DECODE_GROUP_FIELDS;
    attr.read_format = DECODE_GROUP_FORMAT;
    attr.disabled = 0;
    return sys_open(&attr, false, target.pid, target.cpu, leader);
}

void family_rings_init(struct family_rings *rings, const struct family_style *style, size_t roots)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), share = EVENT_RINGS / (style->slots * roots);
    size_t cpus = style->cpus.count;
    rings->bytes = share > page ? share - page : page;
    rings->count = cpus * (1 + style->slots * roots);
    rings->rings = mem_array(rings->count, sizeof(*rings->rings));
    for (size_t r = 0; r < rings->count; r++)
        rings->rings[r].cpu = style->cpus.cpus[r < cpus ? r : (r - cpus) / style->slots % cpus];
}

void family_rings_release(struct family_rings *rings)
{
    for (size_t r = 0; r < rings->count; r++)
        ring_close(&rings->rings[r].ring);
    free(rings->rings);
    *rings = (struct family_rings){0};
}

/* Where the event writes at the ends of tasks. */
static int open_ring(struct family_root *root, size_t slot, const struct family_rings *rings,
                     struct err *err)
{
    return ring_open_within(&root->rings[slot].ring, root->fds[slot], rings->bytes, err);
}

static int open_counted(struct family_root *root, const struct family_style *style, size_t shape,
                        size_t slot, const struct family_rings *rings, struct err *err)
{
    const struct group_style group = {
        .filler = style->filler,
        .switches = {.use_clockid = 1, .clockid = CLOCK_MONOTONIC},
        .inherit = true,
        .on_exec = style->on_exec,
        .at_exit = true,
    };
    size_t c = slot / style->slots, refused, values = style->plan->shapes[shape].values;
    struct group_target target = {root->tid, style->cpus.cpus[c]};
    int *fds = &root->fds[slot], *ticker = local_of(root, style, c) + 1 + shape;
    if (group_open(style->plan, shape, &group, target, fds, &refused) < 0) {
        for (size_t v = 0; v < values; v++)
            fds[v] = -1;
        return err_cpu(err, "count", target.cpu);
    }
    for (size_t v = 0; v < values; v++)
        if (open_ring(root, slot + v, rings, err) < 0)
            return -1;
    if (!style->live)
        return 0;
    *ticker = open_ticker(style, target, fds[0]);
    return *ticker < 0 || sys_set_output(*ticker, rings->rings[c].fd) < 0
               ? err_cpu(err, "count", target.cpu)
               : 0;
}

/* What records the tasks there, and the clock. */
static int open_tracker(struct family_root *root, const struct family_style *style, size_t c,
                        struct family_rings *rings, struct err *err)
{
    struct perf_event_attr tracker = tracker_attr(&style->filler);
    struct perf_event_attr clock = clock_attr(&style->filler, rings->bytes);
    struct family_ring *ring = &rings->rings[c];
    int cpu = style->cpus.cpus[c], *fd = local_of(root, style, c);
    tracker.enable_on_exec = clock.enable_on_exec = style->on_exec;
    *fd = sys_open(&tracker, false, root->tid, cpu, -1);
    root->fds[c * style->slots] = sys_open(&clock, false, root->tid, cpu, -1);
    if (*fd < 0 || root->fds[c * style->slots] < 0)
        return err_cpu(err, "follow", cpu);
    if (ring->ring.page)
        return sys_set_output(*fd, ring->fd) < 0 ? err_cpu(err, "follow", cpu) : 0;
    if (ring_open_within(&ring->ring, *fd, LOCAL_RING, err) < 0)
        return -1;
    ring->fd = *fd;
    return 0;
}

static int open_cpu(struct family_root *root, const struct family_style *style, size_t c,
                    struct family_rings *rings, struct err *err)
{
    const struct group_plan *plan = style->plan;
    size_t slot = c * style->slots;
    if (open_tracker(root, style, c, rings, err) < 0 || open_ring(root, slot, rings, err) < 0)
        return -1;
    slot++;
    for (size_t s = 0; s < plan->count; s++) {
        if (plan->shapes[s].again) /* another core type's: the group has this CPU's events */
            continue;
        if (open_counted(root, style, s, slot, rings, err) < 0)
            return -1;
        slot += plan->shapes[s].values;
    }
    return 0;
}

int family_root_open(struct family_root *root, size_t index, const struct family_style *style,
                     struct family_rings *rings, struct err *err)
{
    size_t cpus = style->cpus.count, slots = cpus * style->slots, local = cpus * style->locals;
    root->fds = mem_array(slots, sizeof(*root->fds));
    root->local = mem_array(local, sizeof(*root->local));
    root->rings = rings->rings + cpus + index * slots;
    for (size_t s = 0; s < slots; s++)
        root->fds[s] = -1;
    for (size_t l = 0; l < local; l++)
        root->local[l] = -1;
    for (size_t c = 0; c < cpus; c++)
        if (open_cpu(root, style, c, rings, err) < 0)
            return -1;
    return 0;
}

int family_root_tracker(const struct family_root *root, const struct family_style *style, size_t c)
{
    return *local_of(root, style, c);
}

int family_root_enable(const struct family_root *root, const struct family_style *style,
                       struct err *err)
{
    bool good = true;
    for (size_t l = 0; l < style->cpus.count * style->locals; l++)
        good = good && (root->local[l] < 0 || sys_enable(root->local[l]) == 0);
    for (size_t s = 0; s < style->cpus.count * style->slots; s++)
        good = good && sys_enable(root->fds[s]) == 0;
    return good ? 0 : err_set(err, "cannot enable its events: %s", strerror(errno));
}

void family_root_close(struct family_root *root, const struct family_style *style)
{
    group_close(root->local, style->cpus.count * style->locals); /* siblings first */
    group_close(root->fds, style->cpus.count * style->slots);
    free(root->local);
    free(root->fds);
}

size_t family_root_descriptors(const struct family_root *root, const struct family_style *style)
{
    size_t open = style->cpus.count * style->slots;
    for (size_t l = 0; l < style->cpus.count * style->locals; l++)
        open += root->local[l] >= 0;
    return open;
}

uint64_t family_root_read(struct family_root *root, const struct family_style *style)
{
    struct exit_read now;
    uint64_t lost = 0;
    for (size_t s = 0; s < style->cpus.count * style->slots; s++)
        if (read(root->fds[s], &now, sizeof(now)) == (ssize_t)sizeof(now)) {
            root->book.whole[s] = (struct book_amount){now.value, now.running};
            lost += now.lost;
        }
    for (size_t c = 0; c < style->cpus.count; c++)
        if (read(*local_of(root, style, c), &now, sizeof(now)) == (ssize_t)sizeof(now))
            lost += now.lost;
    return lost;
}
