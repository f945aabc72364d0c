/* The ledger, fed with well-formed records in any order, and the frames made of its snapshots.
 * After each snapshot: for every event, tasks + idle + unattributed = CPUs; and the time of all
 * tasks is the time that the CPUs were busy, none of which was longer than from cut to cut.
 *
 * The first bytes choose CPUs, groups and events, then each record takes a few: see take(). */
#include "base/map.h"
#include "base/mem.h"
#include "engine/ledger.h"
#include "model/delta.h"
#include "fuzz/fuzz.h"

enum { CPUS = 3, GROUPS = 3, EVENTS = 5, VALUES = EVENTS + 2 };

struct read {
    uint64_t count, enabled, running, value[VALUES], time;
};

/* What a task, or a CPU, had when it was listed last. */
struct last {
    uint64_t oncpu, value[EVENTS];
};

struct fuzz {
    const uint8_t *data;
    size_t size;
    struct event_set *set;
    enum idle_share idle[EVENTS];
    int event_of[GROUPS][VALUES];
    struct group_shape groups[GROUPS];
    struct ledger_layout layout;
    struct ledger *ledger;
    struct delta *delta;
    struct map last;
    struct read reads[CPUS][GROUPS];
    struct last cpus[CPUS];
    bool offline[CPUS];
    uint64_t time, generation;
    uint64_t cut;  /* of the next snapshot; UINT64_MAX: none */
    uint64_t told; /* up to when the last snapshot told time; UINT64_MAX: it had no cut */
    uint8_t gone;  /* bits: the lookup knows those tids no more */
};

static unsigned next(struct fuzz *f)
{
    if (!f->size)
        return 0;
    f->size--;
    return *f->data++;
}

/* Tids 1 to 7 in two processes, 0 for idle, -1 for whom the kernel does not know any more. */
static pid_t tid_of(unsigned byte)
{
    return (pid_t)(byte % 9) - 1;
}

static pid_t pid_of(pid_t tid, unsigned byte)
{
    if (tid <= 0)
        return tid;
    return byte > 250 ? 7 : tid < 4 ? 1 : 4; /* now and then a tid is another process' */
}

static bool known(const struct fuzz *f, pid_t tid)
{
    return !(f->gone >> (tid & 7) & 1);
}

static bool look_up_comm(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE])
{
    (void)pid;
    strcpy(comm, "name");
    return known(ctx, tid);
}

static bool look_up_process(void *ctx, pid_t pid, struct process_info *process)
{
    process->ppid = 8 - pid; /* whose parent may be their child */
    process->uid = known(ctx, pid + 1) ? 5 : (uid_t)-1;
    return known(ctx, pid);
}

static bool look_up_alive(void *ctx, pid_t pid, pid_t tid)
{
    (void)pid;
    return known(ctx, tid);
}

static void forget_last(struct fuzz *f)
{
    void *last;
    for (size_t at = 0; (last = map_next(&f->last, &at));)
        free(last);
    map_clear(&f->last);
}

/* The layout stays: the ledger holds on to it. */
static void begin(struct fuzz *f)
{
    forget_last(f);
    memset(f->reads, 0, sizeof(f->reads));
    memset(f->cpus, 0, sizeof(f->cpus));
    memset(f->offline, 0, sizeof(f->offline));
    f->generation++;
    f->told = f->time;
    ledger_begin(f->ledger, &f->layout);
    for (int c = 0; c < CPUS; c++) {
        check(ledger_add_cpu(f->ledger, c * 2, f->time) == (size_t)c);
        for (int g = 0; g < GROUPS; g++)
            f->reads[c][g].time = f->time;
    }
}

static void lay_out(struct fuzz *f)
{
    size_t groups = next(f) % GROUPS + 1, events = next(f) % (EVENTS + 1);
    unsigned where = next(f), share = next(f);
    f->set = event_set_new(events);
    f->set->groups = groups;
    for (size_t g = 0; g < groups; g++) {
        f->groups[g] = (struct group_shape){.event_of = f->event_of[g]};
        if (where >> 7)
            f->event_of[g][f->groups[g].values++] = -1; /* switches lead */
        for (size_t e = 0; e < events; e++)
            if ((where >> e) % groups == g)
                f->event_of[g][f->groups[g].values++] = (int)e;
        f->groups[g].switches = where >> 7 ? 0 : f->groups[g].values++;
        if (!(where >> 7))
            f->event_of[g][f->groups[g].switches] = -1;
        f->event_of[g][f->groups[g].values++] = -1; /* the ticker */
    }
    for (size_t e = 0; e < events; e++) {
        f->set->events[e].group = (int)((where >> e) % groups);
        f->set->events[e].name = mem_strdup("event");
        f->idle[e] = (enum idle_share)(share >> e & 3);
    }
    f->layout = (struct ledger_layout){.events = f->set, .idle = f->idle, .groups = f->groups};
}

static void take_sample(struct fuzz *f, size_t cpu, size_t number, struct record *r, unsigned how)
{
    struct read *read = &f->reads[cpu][number];
    const struct group_shape *group = &f->groups[number];
    uint64_t span = f->time > read->time ? f->time - read->time : 0;
    read->count = group->values;
    read->enabled += span;
    read->running += how & 8 ? span / 2 : span;
    read->time += span;
    for (size_t v = 0; v < group->values; v++)
        read->value[v] += v == group->switches ? how % 4 : (how >> 4) * (v + 1);
    r->tick = how & 4;
    r->kind = RECORD_SAMPLE;
    r->read = (const struct group_read *)read;
    struct read odd = *read;
    if (how == 255) { /* of another shape: is not believed, and its counts come with the next */
        odd.count = 2;
        r->read = (const struct group_read *)&odd;
    }
    ledger_take(f->ledger, cpu, number, r);
}

static void take(struct fuzz *f, unsigned kind)
{
    unsigned who = next(f), more = next(f);
    size_t cpu = who / 16 % CPUS, group = more % f->set->groups;
    f->time += more;
    if (f->offline[cpu])
        return;
    struct record r = {.time = f->time - (who >> 7)}; /* clocks differ a little */
    r.tid = tid_of(who % 16);
    r.pid = pid_of(r.tid, more);
    pid_t other = tid_of(more);
    switch (kind) {
    default:
        take_sample(f, cpu, group, &r, next(f));
        return;
    case RECORD_FORK:
    case RECORD_EXIT:
        r.parent.ptid = other;
        r.parent.ppid = pid_of(other, 0);
        break;
    case RECORD_COMM:
        r.comm.exec = more & 1;
        strcpy(r.comm.text, more & 2 ? "one" : "");
        break;
    case RECORD_SWITCH_IN:
    case RECORD_SWITCH_OUT:
        r.other.tid = other;
        r.other.pid = pid_of(other, 0);
        break;
    case RECORD_LOST:
        r.lost = more;
        break;
    case RECORD_THROTTLE:
    case RECORD_OTHER:
        break;
    }
    /* Births, deaths and names are of real tasks only. */
    if (r.tid <= 0 && (kind == RECORD_FORK || kind == RECORD_EXIT || kind == RECORD_COMM))
        return;
    r.kind = (enum record_kind)kind;
    ledger_take(f->ledger, cpu, group, &r);
    if (kind == RECORD_SWITCH_IN)
        ledger_wants_switches(f->ledger, cpu);
}

/* The CPU goes offline, with what its groups counted last, or comes back. */
static void plug(struct fuzz *f, size_t cpu)
{
    if (f->offline[cpu]) {
        ledger_restart_cpu(f->ledger, cpu, f->time);
        memset(f->reads[cpu], 0, sizeof(f->reads[cpu]));
        for (int g = 0; g < GROUPS; g++)
            f->reads[cpu][g].time = f->time;
    } else {
        for (size_t g = 0; g < f->set->groups; g++) {
            struct read *read = &f->reads[cpu][g];
            read->count = f->groups[g].values;
            read->value[0] += 9;
            ledger_close_group(f->ledger, cpu, g, (const struct group_read *)read);
        }
        ledger_remove_cpu(f->ledger, cpu);
    }
    f->offline[cpu] = !f->offline[cpu];
}

static void remember(struct fuzz *f, const struct snapshot *s)
{
    for (size_t c = 0; c < s->cpu_count; c++) {
        struct last *last = &f->cpus[s->cpus[c].cpu / 2];
        check(s->cpus[c].busy >= last->oncpu);
        uint64_t longest = f->cut > f->told ? f->cut - f->told : 0;
        if (f->cut != UINT64_MAX && f->told != UINT64_MAX)
            check(s->cpus[c].busy - last->oncpu <= longest);
        last->oncpu = s->cpus[c].busy;
        memcpy(last->value, s->cpus[c].counts.value, s->events->count * sizeof(uint64_t));
    }
    for (size_t t = 0; t < s->task_count; t++) {
        const struct task_sample *task = &s->tasks[t];
        struct last *last = map_get(&f->last, task->id);
        if (!last) {
            last = mem_alloc(sizeof(*last));
            map_put(&f->last, task->id, last);
        }
        check(task->process < s->process_count);
        check(task->oncpu >= last->oncpu);
        check(!task->final || task->exited);
        check(memchr(task->comm, '\0', sizeof(task->comm)));
        last->oncpu = task->oncpu;
        memcpy(last->value, task->counts.value, s->events->count * sizeof(uint64_t));
    }
}

static void check_sums(struct fuzz *f, const struct snapshot *s)
{
    uint64_t cpus[EVENTS] = {0}, others[EVENTS] = {0}, busy = 0, oncpu = 0;
    for (size_t c = 0; c < CPUS; c++) {
        busy += f->cpus[c].oncpu;
        for (size_t e = 0; e < s->events->count; e++)
            cpus[e] += f->cpus[c].value[e];
    }
    const struct last *last;
    for (size_t at = 0; (last = map_next(&f->last, &at));) {
        oncpu += last->oncpu;
        for (size_t e = 0; e < s->events->count; e++)
            others[e] += last->value[e];
    }
    for (size_t e = 0; e < s->events->count; e++)
        check(others[e] + s->idle.value[e] + s->unattributed.value[e] == cpus[e]);
    check(busy == oncpu);
}

static bool covered(const struct row *rows, size_t count, size_t event)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].counts[event].coverage < 1)
            return false;
    return true;
}

/* The contract: where nothing had to be estimated, the rows of a frame balance as well. */
static void check_frame(struct fuzz *f, const struct snapshot *s)
{
    struct frame *frame = delta_advance(f->delta, s);
    for (size_t e = 0; e < s->events->count; e++) {
        uint64_t threads = 0, processes = 0;
        for (size_t i = 0; i < frame->thread_count; i++)
            threads += frame->threads[i].counts[e].value;
        for (size_t i = 0; i < frame->process_count; i++)
            processes += frame->processes[i].counts[e].value;
        bool whole = covered(frame->threads, frame->thread_count, e);
        check(threads == processes || !whole); /* sums are estimated by all of their time */
        if (whole && covered(frame->cpus, frame->cpu_count, e) && covered(&frame->idle, 1, e) &&
            covered(&frame->unattributed, 1, e))
            check(threads + frame->idle.counts[e].value + frame->unattributed.counts[e].value ==
                  frame->total.counts[e].value);
    }
    frame_free(frame);
}

static void look(struct fuzz *f, bool all)
{
    struct snapshot *s = snapshot_new(f->set);
    s->generation = f->generation;
    s->started = 0;
    s->time = f->time;
    ledger_snapshot(f->ledger, s, all);
    remember(f, s);
    if (f->cut == UINT64_MAX || f->told == UINT64_MAX || f->cut > f->told)
        f->told = f->cut;
    f->cut = UINT64_MAX;
    check_sums(f, s);
    check_frame(f, s);
    snapshot_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz f = {.data = data, .size = size, .time = 1000, .cut = UINT64_MAX};
    struct task_table_lookup lookup = {&f,   look_up_comm, look_up_process, look_up_alive, NULL,
                                       NULL, NULL};
    lay_out(&f);
    f.ledger = ledger_new(&lookup);
    f.delta = delta_new(NULL);
    begin(&f);
    while (f.size) {
        unsigned what = next(&f);
        if (what < 16)
            look(&f, what & 1);
        else if (what < 18)
            begin(&f);
        else if (what < 24)
            f.gone = (uint8_t)next(&f);
        else if (what < 28)
            ledger_adopt(f.ledger, 1, (pid_t)(next(&f) % 3 + 1), f.time);
        else if (what < 32)
            ledger_witness(f.ledger, what % CPUS, what & 1 ? f.time : UINT64_MAX);
        else if (what < 34)
            plug(&f, next(&f) % CPUS);
        else if (what < 38 && f.cut == UINT64_MAX)
            f.cut = ledger_cut(f.ledger, f.time);
        else
            take(&f, what % (RECORD_OTHER + 3));
    }
    look(&f, false);
    look(&f, true);
    delta_free(f.delta);
    ledger_free(f.ledger);
    forget_last(&f);
    map_release(&f.last);
    event_set_drop(f.set);
    return 0;
}
