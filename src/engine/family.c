#include "engine/family.h"
#include "engine/family_books.h"
#include "engine/proc_tasks.h"
#include "engine/sys.h"
#include "system/procfs.h"

#include <sched.h>
#include <sys/wait.h>

/* A ring and its next record. */
struct family_ring {
    struct ring ring;
    int fd;               /* the tracker that it is mapped on, if it is a CPU's */
    int cpu;              /* whose events write to it */
    struct record record; /* the next one, while it is merged */
    const struct perf_event_header *raw;
};

struct family_root {
    struct book_root book;
    pid_t pid, tid;
    struct task *task;         /* in the task table; NULL: it was freed */
    uint64_t before;           /* ns on CPUs that are not counted, since they were before */
    int *fds;                  /* by slot: those of a CPU are consecutive, its clock comes first */
    int *local;                /* of each CPU: its tracker, and a ticker for each shape; -1: none */
    struct family_ring *rings; /* by slot */
};

struct family {
    struct family_style style;
    size_t slots, locals; /* of one CPU: all events of the plan and a clock; tracker and tickers */
    struct task_table *task_table;
    /* Each CPU has a ring for births, names, ends and samples, of all roots; the others are by root
     * and slot. Exit counts are written by the CPU on which the task exits, whichever CPU's event
     * counted them, so each event needs a ring of its own: two CPUs that write to one ring at once
     * break the kernel's counters of it (kernel/events/ring_buffer.c, perf_output_get_handle()),
     * and it stays silent from then on. For one event the writers wait for each other
     * (kernel/events/core.c, perf_event_exit_event(): child_mutex). */
    struct family_ring *rings;
    size_t ring_count;
    size_t ring_bytes;  /* at most, of an event's */
    struct merge merge; /* of struct family_ring */
    size_t root_count;
    struct family_root *roots; /* the command's first task is the first one */
    struct map by_id;          /* events, by sys_id(): index of the root times slots, slot, + 1 */
    struct family_books books;
    uint64_t whole;     /* ns on CPUs, of all roots */
    bool first_over;    /* the command's first task has ended */
    bool over;          /* the command has ended: the rows stay as they are */
    const char *partly; /* why some of it was not counted; NULL */
    uint64_t lost;      /* records, by the last snapshot */
    bool bare_end;      /* events of a task ended while it was book_member.bare */
};

/* Bytes of the rings of a CPU: together, with a page before each, what perf_event_mlock_kb grants
 * it by default. A task that ends writes 72 to the ring of each event, and some 600 are written on
 * a CPU for its life. */
enum { LOCAL_RING = 128 << 10, EVENT_RINGS = 380 << 10 };

/* Nanoseconds on a CPU between two samples of a task. */
enum { FAMILY_TICK = 2000000 };

/* What trackers and clocks have. A ring wakes the reader when an eighth of it is new. */
static struct perf_event_attr family_attr(const struct perf_event_attr *filler, size_t ring_bytes)
{
    struct perf_event_attr attr = sys_record_attr(filler->config, ring_bytes / 8);
    attr.exclude_kernel = attr.exclude_hv = filler->exclude_kernel;
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

/* A root's descriptors of that CPU: its tracker, and a ticker for each shape. */
static int *local_of(const struct family *family, const struct family_root *root, size_t c)
{
    return root->local + c * family->locals;
}

static int err_cpu(struct err *err, const char *what, int cpu)
{
    return err_set(err, "cannot %s the command on cpu %d: %s", what, cpu, err_reason(errno));
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

/* Makes room for the rings of that many roots, and maps none. */
static void family_make_rings(struct family *family, size_t roots)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), share = EVENT_RINGS / (family->slots * roots);
    const struct cpulist *cpus = &family->style.cpus;
    family->ring_bytes = share > page ? share - page : page;
    family->ring_count = cpus->count * (1 + family->slots * roots);
    family->rings = mem_array(family->ring_count, sizeof(*family->rings));
    for (size_t r = 0; r < family->ring_count; r++)
        family->rings[r].cpu =
            cpus->cpus[r < cpus->count ? r : (r - cpus->count) / family->slots % cpus->count];
}

/* Where the event writes at the ends of tasks. */
static int open_ring(const struct family *family, struct family_root *root, size_t slot,
                     struct err *err)
{
    return ring_open_within(&root->rings[slot].ring, root->fds[slot], family->ring_bytes, err);
}

static int open_counted(struct family *family, struct family_root *root, size_t shape, size_t slot,
                        struct err *err)
{
    const struct family_style *style = &family->style;
    const struct group_style group = {
        .filler = style->filler,
        .switches = {.use_clockid = 1, .clockid = CLOCK_MONOTONIC},
        .inherit = true,
        .on_exec = style->on_exec,
        .at_exit = true,
    };
    size_t c = slot / family->slots, refused, values = style->plan->shapes[shape].values;
    struct group_target target = {root->tid, style->cpus.cpus[c]};
    int *fds = &root->fds[slot], *ticker = local_of(family, root, c) + 1 + shape;
    if (group_open(style->plan, shape, &group, target, fds, &refused) < 0) {
        for (size_t v = 0; v < values; v++)
            fds[v] = -1;
        return err_cpu(err, "count", target.cpu);
    }
    for (size_t v = 0; v < values; v++)
        if (open_ring(family, root, slot + v, err) < 0)
            return -1;
    if (!style->live)
        return 0;
    *ticker = open_ticker(style, target, fds[0]);
    return *ticker < 0 || sys_set_output(*ticker, family->rings[c].fd) < 0
               ? err_cpu(err, "count", target.cpu)
               : 0;
}

/* What records the tasks there, and the clock. */
static int open_tracker(struct family *family, struct family_root *root, size_t c, struct err *err)
{
    const struct family_style *style = &family->style;
    struct perf_event_attr tracker = tracker_attr(&style->filler);
    struct perf_event_attr clock = clock_attr(&style->filler, family->ring_bytes);
    struct family_ring *ring = &family->rings[c];
    int cpu = style->cpus.cpus[c], *fd = local_of(family, root, c);
    int *clock_fd = &root->fds[c * family->slots];
    tracker.enable_on_exec = clock.enable_on_exec = style->on_exec;
    *fd = sys_open(&tracker, false, root->tid, cpu, -1);
    *clock_fd = sys_open(&clock, false, root->tid, cpu, -1);
    if (*fd < 0 || *clock_fd < 0 || (ring->ring.page && sys_set_output(*fd, ring->fd) < 0))
        return err_cpu(err, "follow", cpu);
    if (ring->ring.page)
        return 0;
    ring->fd = *fd;
    return ring_open_within(&ring->ring, *fd, LOCAL_RING, err);
}

static int open_cpu(struct family *family, struct family_root *root, size_t c, struct err *err)
{
    const struct group_plan *plan = family->style.plan;
    size_t slot = c * family->slots;
    if (open_tracker(family, root, c, err) < 0 || open_ring(family, root, slot, err) < 0)
        return -1;
    slot++;
    for (size_t s = 0; s < plan->count; s++) {
        if (plan->shapes[s].again) /* another core type's: the group has this CPU's events */
            continue;
        if (open_counted(family, root, s, slot, err) < 0)
            return -1;
        slot += plan->shapes[s].values;
    }
    return 0;
}

/* An array of descriptors, of which none is open. */
static int *no_descriptors(size_t count)
{
    return memset(mem_array(count, sizeof(int)), 0xff, count * sizeof(int));
}

/* Opens the events of a root on each CPU. -1 with a message, and errno ESRCH if the task is gone.
 */
static int family_open_root(struct family *family, struct family_root *root, struct err *err)
{
    size_t cpus = family->style.cpus.count;
    root->fds = no_descriptors(family->books.count);
    root->local = no_descriptors(cpus * family->locals);
    root->rings = family->rings + cpus + (size_t)(root - family->roots) * family->books.count;
    for (size_t c = 0; c < cpus; c++)
        if (open_cpu(family, root, c, err) < 0)
            return -1;
    return 0;
}

/* Starts counting, where the style does not say on_exec. -1 with a message: an event cannot be
 * enabled. */
static int family_enable(const struct family *family, const struct family_root *root,
                         struct err *err)
{
    bool good = true;
    for (size_t l = 0; l < family->style.cpus.count * family->locals; l++)
        good = good && (root->local[l] < 0 || sys_enable(root->local[l]) == 0);
    for (size_t s = 0; s < family->books.count; s++)
        good = good && sys_enable(root->fds[s]) == 0;
    return good ? 0 : err_set(err, "cannot enable its events: %s", err_reason(errno));
}

/* Reads into root->book.whole what all members have counted. Returns how many records of births,
 * names, ends and exit counts the kernel could not write so far. */
static uint64_t family_read_root(const struct family *family, struct family_root *root)
{
    struct exit_read now;
    uint64_t lost = 0;
    for (size_t s = 0; s < family->books.count; s++)
        if (read(root->fds[s], &now, sizeof(now)) == (ssize_t)sizeof(now)) {
            root->book.whole[s] = (struct book_amount){now.value, now.running};
            lost += now.lost;
        }
    for (size_t c = 0; c < family->style.cpus.count; c++)
        if (read(*local_of(family, root, c), &now, sizeof(now)) == (ssize_t)sizeof(now))
            lost += now.lost;
    return lost;
}

/* Prepares the books, with all slots of all CPUs. */
static void family_describe(struct family *family)
{
    const struct group_plan *plan = family->style.plan;
    family->slots = 1;
    family->locals = 1 + plan->count;
    for (size_t s = 0; s < plan->count; s++)
        family->slots += plan->shapes[s].again ? 0 : plan->shapes[s].values;
    books_init(&family->books, plan->set, family->style.cpus.count * family->slots);
    struct book_slot *slots = family->books.slots;
    for (size_t c = 0; c < family->style.cpus.count; c++) {
        *slots++ = (struct book_slot){.event = -1, .clock = true};
        for (size_t s = 0; s < plan->count; s++) {
            const struct group_shape *shape = &plan->shapes[s];
            for (size_t v = 0; v < shape->values && !shape->again; v++)
                *slots++ = (struct book_slot){
                    .group = shape->group, .event = shape->event_of[v], .leads = v == 0};
        }
    }
}

static int family_identify(struct family *family)
{
    size_t slots = family->books.count;
    uint64_t id;
    for (size_t e = 0; e < slots * family->root_count; e++) {
        if (sys_id(family->roots[e / slots].fds[e % slots], &id) < 0)
            return -1;
        map_put(&family->by_id, id, (void *)(e + 1));
    }
    return 0;
}

/* The root and slot of the event with that id; NULL: another program's. */
static struct family_root *family_event(const struct family *family, uint64_t id, size_t *slot)
{
    size_t found = (size_t)map_get(&family->by_id, id);
    if (!found)
        return NULL;
    *slot = (found - 1) % family->books.count;
    return &family->roots[(found - 1) / family->books.count];
}

static void family_close_roots(struct family *family)
{
    for (size_t r = 0; r < family->ring_count; r++)
        ring_close(&family->rings[r].ring);
    for (size_t r = 0; r < family->root_count; r++) {
        struct family_root *root = &family->roots[r];
        group_close(root->local, family->style.cpus.count * family->locals); /* siblings first */
        group_close(root->fds, family->books.count);
        free(root->local);
        free(root->fds);
        book_root_release(&root->book);
    }
    free(family->rings);
    free(family->roots);
    map_release(&family->by_id);
    family->rings = NULL;
    family->roots = NULL;
    family->ring_count = family->root_count = 0;
}

static int family_open_roots(struct family *family, const struct pid_list *tids, struct err *err)
{
    family->roots = mem_array(tids->count, sizeof(*family->roots));
    family_make_rings(family, tids->count);
    for (size_t r = 0; r < tids->count; r++) {
        struct family_root *root = &family->roots[family->root_count++];
        root->tid = tids->pids[r];
        root->pid = tids->count == 1 ? root->tid : procfs_process_of(root->tid);
        book_root_init(&root->book, &family->books);
        if (family_open_root(family, root, err) < 0)
            return -1;
    }
    return family_identify(family) < 0
               ? err_set(err, "cannot follow the command: %s", err_reason(errno))
               : 0;
}

/* The events are enabled only when no task was born since those that are opened were listed: it
 * would not be counted. */
static int family_open_running(struct family *family, pid_t command, struct err *err)
{
    enum { TRIES = 4 };
    AUTO_PIDS struct pid_list tids = {0}, again = {0};
    bool same = false;
    for (int try = 0; try < TRIES && !same; try++) {
        family_close_roots(family);
        tids.count = again.count = 0;
        if (procfs_family(command, &tids) < 0 && errno != ENOENT && errno != ESRCH) {
            err_set(err, "cannot list the tasks of the command: %s", err_reason(errno));
            break;
        }
        if (tids.count == 0) {
            err_set(err, "the command has ended");
            break;
        }
        if (family_open_roots(family, &tids, err) < 0) {
            if (errno == ESRCH) /* one has ended since */
                continue;
            break;
        }
        procfs_family(command, &again);
        same = again.count == tids.count &&
               memcmp(again.pids, tids.pids, tids.count * sizeof(*tids.pids)) == 0;
        if (!same)
            err_set(err, "it creates tasks too fast to find them all");
    }
    for (size_t r = 0; r < family->root_count && same; r++) {
        struct family_root *root = &family->roots[r];
        procfs_cpu_time(root->pid, root->tid, &root->before);
        same = family_enable(family, root, err) == 0;
    }
    return same ? 0 : -1;
}

static void family_free(struct family *family)
{
    family_close_roots(family);
    books_release(&family->books);
    cpulist_release(&family->style.cpus);
    merge_release(&family->merge);
    free(family);
}

struct family *family_open(const struct family_style *style, pid_t command,
                           struct task_table *task_table, struct err *err)
{
    struct family *family = mem_alloc(sizeof(*family));
    const struct pid_list child = {.pids = &command, .count = 1};
    family->style = *style;
    cpulist_copy(&family->style.cpus, &style->cpus);
    family->task_table = task_table;
    family_describe(family);
    if ((style->on_exec ? family_open_roots(family, &child, err)
                        : family_open_running(family, command, err)) < 0) {
        family_free(family);
        return NULL;
    }
    for (size_t r = 0; r < family->root_count; r++) {
        struct family_root *root = &family->roots[r];
        root->task = task_table_begin(task_table, root->pid, root->tid, clock_monotonic());
        task_table_meet(task_table, root->task);
        root->task->process->info.command = true;
        books_member(&family->books, &root->book, root->task);
    }
    return family;
}

void family_close(struct family *family, bool *ran, uint64_t *lost)
{
    if (!family)
        return;
    family_drain(family);
    *ran |= family->whole > 0;
    *lost += family->lost;
    family_free(family);
}

static void add_fd(struct pollfd *fds, size_t room, size_t *count, int fd)
{
    if (*count < room)
        fds[*count] = (struct pollfd){.fd = fd, .events = POLLIN};
    ++*count;
}

/* The events of a root without living tasks are readable for ever (POLLHUP). A tracker's ring has
 * the records of all roots, a clock's fills like those of the other events of its root and CPU. */
size_t family_poll_fds(const struct family *family, struct pollfd *fds, size_t room)
{
    size_t count = 0;
    bool tracked = false;
    for (size_t r = 0; r < family->root_count && !family->over; r++) {
        const struct family_root *root = &family->roots[r];
        for (size_t c = 0; root->book.living && c < family->style.cpus.count; c++) {
            add_fd(fds, room, &count, root->fds[c * family->slots]);
            if (!tracked)
                add_fd(fds, room, &count, *local_of(family, root, c));
        }
        tracked |= root->book.living > 0;
    }
    return count;
}

/* ---- records ---- */

static bool next_of(struct family_ring *ring)
{
    while ((ring->raw = ring_peek(&ring->ring))) {
        if (decode_record(ring->raw, 0, &ring->record))
            return true;
        ring_pop(&ring->ring, ring->raw);
    }
    return false;
}

static struct book_member *member_of(struct family *family, struct family_root *root,
                                     struct task *task)
{
    task->process->info.command = true;
    return books_member(&family->books, &root->book, task);
}

static void take_fork(struct family *family, const struct record *record)
{
    const struct map *tasks = &family->task_table->tasks, *members = &family->books.members;
    task_table_fork(family->task_table, record);
    const struct task *parent = map_get(tasks, (uint64_t)record->parent.ptid);
    const struct book_member *of_parent = parent ? map_get(members, parent->id) : NULL;
    books_member(&family->books, of_parent ? of_parent->root : &family->roots[0].book,
                 map_get(tasks, (uint64_t)record->tid));
}

static void take_comm(struct family *family, const struct record *record)
{
    struct task *task = map_get(&family->task_table->tasks, (uint64_t)record->tid);
    struct book_member *member = task ? map_get(&family->books.members, task->id) : NULL;
    if (record->comm.exec && member && member->over) /* another thread has its number now */
        task_table_end(family->task_table, task);
    task_table_comm(family->task_table, record);
    task = map_get(&family->task_table->tasks, (uint64_t)record->tid);
    if (record->comm.exec)
        books_take_over(&family->books, task);
    if (record->comm.exec && (member = map_get(&family->books.members, task->id)))
        member->bare = true;
}

/* What a living task has counted by now. */
static void take_group(struct family *family, const struct record *record, int cpu)
{
    const struct group_read *read = record->read;
    struct book_member *member = NULL;
    for (size_t v = 0; v < read->count && record->tid > 0; v++) {
        size_t slot;
        struct family_root *root = family_event(family, read->value[2 * v + 1], &slot);
        if (!root)
            continue;
        if (!member) {
            struct task *task =
                task_table_task(family->task_table, record->pid, record->tid, record->time);
            member = member_of(family, root, task);
            task->cpu = cpu;
            task_table_touch(family->task_table, task);
        }
        books_sample(&family->books, member, slot,
                     (struct book_amount){read->value[2 * v], read->running});
    }
    if (member)
        books_sample_time(&family->books, member, read->enabled);
}

static void family_take_record(struct family *family, const struct record *record, int cpu)
{
    struct task_table *task_table = family->task_table;
    struct family_root *root;
    struct book_member *member;
    struct task *task;
    size_t slot;
    switch (record->kind) {
    case RECORD_FORK:
        take_fork(family, record);
        break;
    case RECORD_COMM:
        take_comm(family, record);
        break;
    case RECORD_MAP:
        task = map_get(&task_table->tasks, (uint64_t)record->tid);
        member = task ? map_get(&family->books.members, task->id) : NULL;
        if (member)
            member->bare = false;
        break;
    case RECORD_EXIT: /* its counts follow */
        task = task_table_task(task_table, record->pid, record->tid, record->time);
        member = member_of(family, &family->roots[0], task);
        family->bare_end |= member->bare;
        books_end(member);
        family->first_over |= task == family->roots[0].task;
        task->cpu = cpu;
        break;
    case RECORD_READ:
        root = family_event(family, record->exit.id, &slot);
        if (!root)
            break;
        task = task_table_task(task_table, record->pid, record->tid, record->time);
        member = member_of(family, root, task);
        books_end(member);
        books_report(&family->books, member, slot,
                     (struct book_amount){record->exit.value, record->exit.running});
        if (member->closed) /* not before: a task may be stopped on its way out */
            task_table_end(task_table, task);
        task_table_touch(task_table, task);
        break;
    case RECORD_GROUP:
        take_group(family, record, cpu);
        break;
    default:
        break;
    }
}

/* After records were lost, which may have reported their end. */
static void family_sweep(struct family *family)
{
    task_table_sweep(family->task_table);
    MAP_EACH (struct book_member, member, &family->books.members)
        if (member->task->ended)
            books_end(member);
}

/* In the order of their times, since a task's birth and end may be in rings of different CPUs.
 * Records that are written meanwhile wait for the next call. */
void family_drain(struct family *family)
{
    uint64_t end = clock_monotonic();
    struct family_ring *ring;
    for (size_t r = 0; r < family->ring_count && !family->over; r++) {
        ring = &family->rings[r];
        ring_update(&ring->ring);
        if (next_of(ring))
            merge_add(&family->merge, ring, ring->record.time);
    }
    proc_tasks_hear(family->style.changes, family->task_table);
    while ((ring = merge_first(&family->merge)) && ring->record.time <= end) {
        family_take_record(family, &ring->record, ring->cpu);
        ring_pop(&ring->ring, ring->raw);
        bool more = next_of(ring);
        merge_advance(&family->merge, more, ring->record.time);
    }
    family->merge.count = 0; /* the others stay in their rings */
    for (size_t r = 0; r < family->ring_count; r++)
        ring_release(&family->rings[r].ring);
}

/* ---- snapshots ---- */

/* Whether records were written that are not taken: a task may have been born or ended. */
static bool has_news(const struct family *family)
{
    bool news = false;
    for (size_t r = 0; r < family->ring_count; r++) {
        struct ring *ring = &family->rings[r].ring;
        ring_update(ring);
        news |= ring->head != ring->tail;
    }
    return news;
}

/* A group was not counted all the time if it ran less than the clocks, which are read before it. */
static void family_cover(struct family *family)
{
    const struct task_table *task_table = family->task_table;
    const struct book_slot *slots = family->books.slots;
    size_t groups = family->style.plan->set->groups;
    AUTO_FREE uint64_t *running = mem_array(groups, sizeof(*running));
    family->whole = 0;
    for (size_t r = 0; r < family->root_count; r++)
        for (size_t s = 0; s < family->books.count; s++) {
            uint64_t time = family->roots[r].book.whole[s].running;
            family->whole += slots[s].clock ? time : 0;
            running[slots[s].group] += slots[s].leads ? time : 0;
        }
    for (size_t g = 0; g < groups; g++)
        for (size_t t = 0; running[g] < family->whole && t < task_table->touched_count; t++) {
            struct book_member *member =
                map_get(&family->books.members, task_table->touched[t]->id);
            if (member)
                books_cover(member, g);
        }
}

/* A living task whose time is known by other ways than samples, which tell where it ran. */
static void family_find_cpu(struct task *task)
{
    struct procfs_task facts;
    if (procfs_task(task->pid, task->tid, &facts) == 0)
        task->cpu = facts.cpu;
}

/* A task that works in the kernel has no samples there if that is not permitted: /proc knows how
 * long it does. */
static void find_time(struct family *family)
{
    enum { MOST = 20000000 }; /* ns: what lies between samples */
    MAP_EACH (struct book_member, member, &family->books.members) {
        struct task *task = member->task;
        uint64_t known = family->books.oncpu, time, before = 0;
        if (family->whole < known + MOST)
            return;
        for (size_t r = 0; r < family->root_count; r++)
            before += family->roots[r].task == task ? family->roots[r].before : 0;
        if (member->over || !procfs_cpu_time(task->pid, task->tid, &time) ||
            time <= before + task->oncpu)
            continue;
        uint64_t more = time - before - task->oncpu, rest = family->whole - known;
        books_ran(&family->books, task, task->oncpu + (more < rest ? more : rest));
        family_find_cpu(task);
        task_table_touch(family->task_table, task);
    }
}

/* Why not all of the command was counted; NULL: it was, as far as is known. There are no events on
 * a CPU that was offline at the start. Or a process has executed a program with privileges of its
 * own: then the kernel ends its events after it has written the program's name, and before anything
 * of the program is mapped (fs/exec.c, begin_new_exec()). A program that cannot be loaded ends its
 * process there, too. CPU time in /proc is no sign: from Linux 6.18 on events end before a process
 * gives back its memory. */
static const char *what_is_missing(const struct family *family, size_t online)
{
    if (online > family->style.cpus.count)
        return "a CPU came online after its start";
    return family->bare_end && !family->lost ? "a process of it has executed a program with "
                                               "privileges of its own, or one that cannot be loaded"
                                             : NULL;
}

/* Puts the rest in rows, as far as it is known in which, or has to be in one: without samples a
 * snapshot is either the last one, or made before anything is counted. */
static void family_settle(struct family *family)
{
    bool known = !has_news(family) && family->lost == 0, live = family->style.live;
    for (size_t r = 0; r < family->root_count; r++) {
        const struct family_root *root = &family->roots[r];
        struct book_member *member = known ? books_sole(&family->books, &root->book) : NULL;
        if (!member && (family->over || !live))
            member = books_holder(&family->books, &root->book, root->task);
        if (!member)
            continue;
        books_settle(&family->books, member);
        task_table_touch(family->task_table, member->task);
        if (!member->over)
            family_find_cpu(member->task);
        else
            task_table_end(family->task_table, member->task);
    }
}

void family_take(struct family *family, size_t online)
{
    struct book_member *member;
    struct task *task;
    struct procfs_task first;
    if (family->over)
        return;
    /* A command goes on after its first thread's end if it has others. */
    bool ended = procfs_task(family->roots[0].tid, 0, &first) < 0 || !procfs_lives(&first);
    family_drain(family);
    uint64_t before = family->lost;
    family->lost = 0;
    for (size_t r = 0; r < family->root_count; r++) /* what a task wrote is in it */
        family->lost += family_read_root(family, &family->roots[r]);
    if (family->lost != before)
        family_sweep(family);
    family->over = ended && (family->first_over || family->lost);
    family_settle(family);
    family_cover(family);
    if (!family->over)
        find_time(family);
    for (size_t at = 0; family->over && (member = map_next(&family->books.members, &at));)
        if (member->over)
            task_table_end(family->task_table, member->task);
    if (!family->partly && (family->over || family->style.live))
        family->partly = what_is_missing(family, online);
    for (size_t at = 0; family->partly && (task = map_next(&family->task_table->tasks, &at));) {
        task->state = EVENT_DENIED;
        task_table_touch(family->task_table, task);
    }
}

void family_forget(void *ctx, struct task *task)
{
    struct family *family = ctx;
    books_forget(&family->books, task);
    for (size_t r = 0; r < family->root_count; r++)
        if (family->roots[r].task == task)
            family->roots[r].task = NULL;
}

void family_fill(const struct family *family, struct snapshot *snapshot)
{
    const struct family_books *books = &family->books;
    size_t left = 0;
    snapshot->unassigned = mem_array(books->set->count + 1, sizeof(*snapshot->unassigned));
    for (size_t r = 0; r < family->root_count; r++) {
        const struct family_root *root = &family->roots[r];
        for (size_t s = 0; s < books->count; s++)
            if (books->slots[s].event >= 0)
                snapshot->unassigned[books->slots[s].event] +=
                    root->book.whole[s].value - root->book.booked[s].value;
        for (size_t l = 0; l < family->style.cpus.count * family->locals; l++)
            snapshot->self.descriptors += root->local[l] >= 0;
        snapshot->self.descriptors += books->count;
        left += root->book.living;
    }
    snapshot->unassigned[books->set->count] += family->whole - books->oncpu;
    snapshot->lost_records += family->lost;
    if (family->partly)
        snapshot->note = mem_printf("not all of the command is counted: %s", family->partly);
    else if (family->over && left)
        snapshot->note =
            mem_printf("%zu thread%s of the command outlived it: the counts until then "
                       "are in one row",
                       left, left == 1 ? "" : "s");
}
