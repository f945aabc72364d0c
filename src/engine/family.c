#include "engine/family.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/ring.h"
#include "engine/sys.h"
#include "system/procfs.h"

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

/* An event on a CPU, by its id. */
struct family_event {
    int fd;
    size_t group; /* of the plan's set */
    int event;    /* of the plan's set; -1: none */
    bool leads;   /* the group's time running is the leader's */
    bool clock;   /* the tracker: its time running is that of the task on the CPU */
};

struct family_cpu {
    int number;
    int tracker; /* writes births, ends and names; has the ring */
    struct ring ring;
    int **fds;            /* of each shape */
    struct record record; /* the next one, if `more` */
    const struct perf_event_header *raw;
    bool more;
};

struct family {
    const struct group_plan *plan;
    struct task_table *task_table;
    struct task *first; /* NULL: it was freed */
    size_t cpu_count;
    struct family_cpu *cpus;
    struct map events;         /* by id: struct family_event */
    struct counts whole, told; /* of all tasks; what was written at their ends */
    uint64_t whole_oncpu, told_oncpu;
    struct map silent;   /* tasks, by id, that ended and did not write theirs, or not yet */
    struct task *holder; /* in whose row the rest of the whole is; NULL: in none */
    bool first_over;
    bool partly; /* some of it was not counted */
    uint64_t lost;
    size_t descriptors, born, over; /* over: tasks that ended */
};

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
        found = decode_record(raw, &record) && record.kind == RECORD_READ;
        ring_pop(&ring, raw);
    }
    ring_close(&ring);
    if (fd >= 0)
        close(fd);
    return found;
}

static int remember_event(struct family *family, struct family_event event)
{
    uint64_t id;
    struct family_event *kept = mem_alloc(sizeof(*kept));
    *kept = event;
    if (sys_id(event.fd, &id) < 0) {
        free(kept);
        return -1;
    }
    free(map_put(&family->events, id, kept));
    return 0;
}

static int open_shape_on(struct family *family, struct family_cpu *cpu, size_t shape,
                         const struct group_style *style, struct group_target target)
{
    const struct group_shape *of = &family->plan->shapes[shape];
    int *fds = mem_array(of->values, sizeof(*fds));
    size_t refused;
    if (group_open(family->plan, shape, style, target, fds, &refused) < 0) {
        free(fds);
        return -1;
    }
    cpu->fds[shape] = fds;
    family->descriptors += of->values;
    for (size_t v = 0; v < of->values; v++) {
        struct family_event event = {
            .fd = fds[v], .group = of->group, .event = of->event_of[v], .leads = v == 0};
        if (sys_set_output(fds[v], cpu->tracker) < 0 || remember_event(family, event) < 0)
            return -1;
    }
    return 0;
}

static int family_open_cpu(struct family *family, size_t c, int number, pid_t child,
                           const struct perf_event_attr *filler, struct err *err)
{
    const struct group_style style = {
        .filler = *filler,
        .switches = {.use_clockid = 1, .clockid = CLOCK_MONOTONIC},
        .inherit = true,
        .on_exec = true,
        .at_exit = true,
    };
    struct family_cpu *cpu = &family->cpus[c];
    struct perf_event_attr attr = tracker_attr(filler);
    cpu->number = number;
    cpu->fds = mem_array(family->plan->count, sizeof(*cpu->fds));
    cpu->tracker = sys_open(&attr, false, child, number, -1);
    family->descriptors += cpu->tracker >= 0;
    if (cpu->tracker < 0)
        return err_set(err, "cannot follow the command on cpu %d: %s", number, strerror(errno));
    struct family_event clock = {.fd = cpu->tracker, .event = -1, .clock = true};
    if (ring_open_within(&cpu->ring, cpu->tracker, FAMILY_RING, err) < 0)
        return -1;
    if (remember_event(family, clock) < 0)
        return err_set(err, "cannot follow the command on cpu %d: %s", number, strerror(errno));
    for (size_t s = 0; s < family->plan->count; s++)
        if (open_shape_on(family, cpu, s, &style, (struct group_target){child, number}) < 0)
            return err_set(err, "cannot count the command on cpu %d: %s", number, strerror(errno));
    return 0;
}

struct family *family_open(const struct group_plan *plan, const struct perf_event_attr *filler,
                           pid_t child, const struct cpulist *cpus, struct task_table *task_table,
                           struct err *err)
{
    struct family *family = mem_alloc(sizeof(*family));
    family->plan = plan;
    family->task_table = task_table;
    family->cpus = mem_array(cpus->count, sizeof(*family->cpus));
    family->whole = counts_new(plan->set);
    family->told = counts_new(plan->set);
    for (size_t c = 0; c < cpus->count; c++) {
        family->cpu_count++;
        if (family_open_cpu(family, c, cpus->cpus[c], child, filler, err) < 0) {
            family_close(family);
            return NULL;
        }
    }
    family->first = task_table_begin(task_table, child, child, clock_monotonic());
    task_table_meet(task_table, family->first);
    family->first->process->info.command = true;
    return family;
}

void family_close(struct family *family)
{
    if (!family)
        return;
    for (size_t c = 0; c < family->cpu_count; c++) {
        struct family_cpu *cpu = &family->cpus[c];
        ring_close(&cpu->ring);
        for (size_t s = 0; cpu->fds && s < family->plan->count; s++) {
            if (cpu->fds[s])
                group_close(cpu->fds[s], family->plan->shapes[s].values);
            free(cpu->fds[s]);
        }
        free(cpu->fds);
        if (cpu->tracker >= 0)
            close(cpu->tracker);
    }
    void *event;
    for (size_t at = 0; (event = map_next(&family->events, &at));)
        free(event);
    map_release(&family->events);
    map_release(&family->silent);
    free(family->cpus);
    counts_release(&family->whole);
    counts_release(&family->told);
    free(family);
}

size_t family_poll_fds(const struct family *family, struct pollfd *fds, size_t room)
{
    if (family->first_over && !family_left(family)) /* they would be readable for ever: POLLHUP */
        return 0;
    for (size_t c = 0; c < family->cpu_count && c < room; c++)
        fds[c] = (struct pollfd){.fd = family->cpus[c].tracker, .events = POLLIN};
    return family->cpu_count;
}

/* ---- records ---- */

static bool next_of(struct family *family, struct family_cpu *cpu)
{
    for (;;) {
        cpu->raw = ring_peek(&cpu->ring);
        if (!cpu->raw)
            return cpu->more = false;
        if (decode_record(cpu->raw, &cpu->record) && cpu->record.kind != RECORD_LOST)
            return cpu->more = true;
        family->lost += cpu->record.kind == RECORD_LOST ? cpu->record.lost : 0;
        ring_pop(&cpu->ring, cpu->raw);
    }
}

/* Adds what an event counted. Times running add up, since a task is on one CPU at a time. Times
 * enabled do not tell when a task was on this CPU; the tracker, a software event, which runs
 * whenever the task does, tells it. */
static void add_read(const struct family *family, const struct family_event *event,
                     const struct exit_read *read, struct counts *counts, uint64_t *oncpu)
{
    if (event->event >= 0)
        counts->value[event->event] += read->value;
    if (event->leads)
        counts->times[event->group].running += read->running;
    for (size_t g = 0; event->clock && g < family->plan->set->groups; g++)
        counts->times[g].enabled += read->running;
    *oncpu += event->clock ? read->running : 0;
}

static void family_take_record(struct family *family, const struct family_cpu *cpu)
{
    struct task_table *task_table = family->task_table;
    const struct record *record = &cpu->record;
    const struct family_event *event;
    struct task *task;
    switch (record->kind) {
    case RECORD_FORK:
        family->born++;
        task_table_fork(task_table, record);
        break;
    case RECORD_COMM:
        task_table_comm(task_table, record);
        break;
    case RECORD_EXIT: /* its counts follow */
        task = task_table_task(task_table, record->pid, record->tid, record->time);
        family->over += task != family->first;
        family->first_over |= task == family->first;
        task->cpu = cpu->number;
        map_put(&family->silent, task->id, task);
        break;
    case RECORD_READ:
        event = map_get(&family->events, record->exit.id);
        task = task_table_task(task_table, record->pid, record->tid, record->time);
        if (!event)
            break;
        add_read(family, event, &record->exit, &task->counts, &task->oncpu);
        add_read(family, event, &record->exit, &family->told, &family->told_oncpu);
        map_remove(&family->silent, task->id);
        task_table_end(task_table, task);
        task_table_touch(task_table, task);
        break;
    default:
        break;
    }
}

/* In the order of their times, since a task's birth and end may be in rings of different CPUs.
 * Records that are written meanwhile wait for the next call. */
static void take_records(struct family *family)
{
    uint64_t end = clock_monotonic();
    for (size_t c = 0; c < family->cpu_count; c++) {
        ring_update(&family->cpus[c].ring);
        next_of(family, &family->cpus[c]);
    }
    for (;;) {
        struct family_cpu *first = NULL;
        for (size_t c = 0; c < family->cpu_count; c++)
            if (family->cpus[c].more &&
                (!first || family->cpus[c].record.time < first->record.time))
                first = &family->cpus[c];
        if (!first || first->record.time > end)
            break;
        family_take_record(family, first);
        ring_pop(&first->ring, first->raw);
        next_of(family, first);
    }
    for (size_t c = 0; c < family->cpu_count; c++)
        ring_release(&family->cpus[c].ring);
}

/* ---- the whole ---- */

static void read_whole(struct family *family)
{
    const struct event_set *set = family->plan->set;
    memset(family->whole.value, 0, set->count * sizeof(*family->whole.value));
    memset(family->whole.times, 0, set->groups * sizeof(*family->whole.times));
    family->whole_oncpu = 0;
    const struct family_event *event;
    struct exit_read read_now;
    for (size_t at = 0; (event = map_next(&family->events, &at));)
        if (read(event->fd, &read_now, sizeof(read_now)) == (ssize_t)sizeof(read_now))
            add_read(family, event, &read_now, &family->whole, &family->whole_oncpu);
}

/* The task in whose row the rest is: what has not been written yet. One task never writes: the one
 * that ends with the events that were opened. That need not be the first: the kernel swaps the
 * events of two tasks that inherited them when it switches between them (kernel/events/core.c,
 * perf_event_context_sched_out()). So the rest is the first one's until that has ended, then the
 * silent one's, or if there is none that of a task that still lives. */
static struct task *holder_of(const struct family *family)
{
    struct task *task;
    size_t at = 0;
    if (!family->first_over || (family->first && map_get(&family->silent, family->first->id)))
        return family->first;
    if ((task = map_next(&family->silent, &at)))
        return task;
    for (at = 0; (task = map_next(&family->task_table->tasks, &at));)
        if (!task->ended)
            return task;
    return family->first;
}

/* Adds the rest to a task's counts, or takes it away again. */
static void move_rest(const struct family *family, struct task *task, bool away)
{
    const struct event_set *set = family->plan->set;
    const struct counts *whole = &family->whole, *told = &family->told;
    uint64_t sign = away ? UINT64_MAX : 1; /* modulo 2^64 */
    for (size_t e = 0; e < set->count; e++)
        task->counts.value[e] += sign * (whole->value[e] - told->value[e]);
    for (size_t g = 0; g < set->groups; g++) {
        struct group_time *times = &task->counts.times[g];
        times->enabled += sign * (whole->times[g].enabled - told->times[g].enabled);
        times->running += sign * (whole->times[g].running - told->times[g].running);
    }
    task->oncpu += sign * (family->whole_oncpu - family->told_oncpu);
}

/* Whether the command has used more time than was counted: a process that executes a program with
 * privileges of its own loses its events (fs/exec.c, begin_new_exec()). /proc also has the kernel's
 * work before a task's first and after its last count. */
static bool is_partly(const struct family *family)
{
    static const uint64_t TICKS = 50000000; /* ns: times in stat are rounded down to clock ticks */
    struct procfs_task facts;
    uint64_t counted = family->whole_oncpu;
    return procfs_task(family->first->tid, 0, &facts) == 0 &&
           facts.time + facts.waited > counted + counted / 8 + TICKS;
}

void family_take(struct family *family)
{
    struct task *task;
    if (family->holder)
        move_rest(family, family->holder, true);
    take_records(family);
    read_whole(family); /* after the records: what a task wrote is in it */
    family->holder = holder_of(family);
    if (!family->holder)
        return;
    move_rest(family, family->holder, false);
    task_table_touch(family->task_table, family->holder);
    family->partly |= family->first_over && family->first && is_partly(family);
    for (size_t at = 0; family->partly && (task = map_next(&family->task_table->tasks, &at));) {
        task->state = EVENT_DENIED;
        task_table_touch(family->task_table, task);
    }
    /* Only now: a task whose end was listed is forgotten. */
    for (size_t at = 0; family->first_over && (task = map_next(&family->silent, &at));)
        task_table_end(family->task_table, task);
}

void family_forget(void *ctx, struct task *task)
{
    struct family *family = ctx;
    map_remove(&family->silent, task->id);
    family->first = family->first == task ? NULL : family->first;
    family->holder = family->holder == task ? NULL : family->holder;
}

uint64_t family_lost(const struct family *family)
{
    return family->lost;
}

size_t family_descriptors(const struct family *family)
{
    return family->descriptors;
}

bool family_partly(const struct family *family)
{
    return family->partly;
}

size_t family_left(const struct family *family)
{
    return family->first_over && family->born > family->over ? family->born - family->over : 0;
}
