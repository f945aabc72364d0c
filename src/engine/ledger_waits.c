#include "engine/ledger_waits.h"

/* Lanes that are nobody's: the CPU was idle, or ran a task that writes no records. */
enum { SHORT_GAP, LONG_GAP, FIRST_LANE };
static const uint64_t LONG_GAP_MIN = 1000000; /* ns: shorter ones are of tasks without records */

static void log_begin(struct ledger_waits *waits, struct waits_log *log, uint64_t time)
{
    log->block = ++waits->blocks;
    log->run_count = log->stretch_count = 1;
    log->runs[0] = (struct waits_run){time, UINT32_MAX};
    log->lane_count = FIRST_LANE;
    memset(log->lanes, 0, FIRST_LANE * sizeof(*log->lanes));
}

void ledger_waits_release(struct ledger_waits *waits)
{
    for (size_t c = 0; c < waits->log_count; c++) {
        free(waits->logs[c].runs);
        free(waits->logs[c].stretches);
        free(waits->logs[c].lanes);
    }
    free(waits->logs);
    free(waits->ready);
    free(waits->longest);
    free(waits->taken);
    free(waits->lanes);
    free(waits->calls);
}

void ledger_waits_begin(struct ledger_waits *waits, bool wanted, bool wakeups, bool migrations)
{
    ledger_waits_release(waits);
    *waits = (struct ledger_waits){.wanted = wanted,
                                   .wakeups = wakeups,
                                   .migrations = migrations,
                                   .losses = waits->losses,
                                   .cut = UINT64_MAX};
}

void ledger_waits_add_cpu(struct ledger_waits *waits, int cpu)
{
    for (; waits->wanted && waits->log_count <= (size_t)cpu; waits->log_count++) {
        struct waits_log *log;
        waits->logs = mem_resize(waits->logs, waits->log_count + 1, sizeof(*log));
        log = &waits->logs[waits->log_count];
        *log = (struct waits_log){.cpu = (int)waits->log_count};
        log->runs = mem_array(WAITS_RUNS_MAX + 2, sizeof(*log->runs));
        mem_grow(&log->stretches, &log->stretch_room, 1, sizeof(*log->stretches));
        mem_grow(&log->lanes, &log->lane_room, FIRST_LANE, sizeof(*log->lanes));
        log_begin(waits, log, 0);
    }
}

/* --- A log --- */

static inline uint32_t log_lane(struct waits_log *log, struct task *task)
{
    struct task_waits *of = task->waits;
    if (of->block != log->block) {
        if (log->lane_count == log->lane_room)
            mem_grow(&log->lanes, &log->lane_room, log->lane_count + 1, sizeof(*log->lanes));
        of->block = log->block;
        of->lane = (uint32_t)log->lane_count++;
        log->lanes[of->lane] = (struct waits_lane){.task = task};
    }
    return of->lane;
}

/* Adds a run, and what nobody had before it. */
static inline void log_run(struct waits_log *log, uint32_t lane, uint64_t from, uint64_t until)
{
    struct waits_run *last = &log->runs[log->run_count - 1];
    if (until <= last->until)
        return;
    if (from > last->until) {
        uint32_t gap = from - last->until < LONG_GAP_MIN ? SHORT_GAP : LONG_GAP;
        log->lanes[gap].sum += from - last->until;
        *++last = (struct waits_run){from, gap};
        log->run_count++;
    }
    log->lanes[lane].sum += until - last->until;
    if (last->lane == lane) {
        last->until = until;
        return;
    }
    last[1] = (struct waits_run){until, lane};
    log->run_count++;
}

/* Notes a time that was added to the task's waiting time, and perhaps own runs. */
static inline void log_stretch(struct waits_log *log, struct task *task, uint64_t start,
                               uint64_t end, enum stretch_kind kind)
{
    uint64_t begin = log->runs[0].until;
    if (start < begin && start < end) { /* a record that came late */
        wait_facts_takers(&task->waits->facts)->none[TAKEN_OTHERS] +=
            (end < begin ? end : begin) - start;
        start = begin;
    }
    if (end <= start)
        return;
    uint32_t lane = log_lane(log, task);
    uint32_t *last = &log->lanes[lane].last[kind];
    if (log->stretch_count == log->stretch_room)
        mem_grow(&log->stretches, &log->stretch_room, log->stretch_count + 1,
                 sizeof(*log->stretches));
    log->stretches[log->stretch_count] =
        (struct waits_stretch){start, end, (uint32_t)log->run_count - 1, *last};
    *last = (uint32_t)log->stretch_count++;
}

static inline void take(struct ledger_waits *waits, uint32_t lane, uint64_t ns)
{
    if (waits->taken[lane] == 0)
        waits->lanes[waits->lane_count++] = lane;
    waits->taken[lane] += ns;
}

/* Adds up who had the CPU in a stretch. */
static void log_look(struct ledger_waits *waits, const struct waits_log *log,
                     const struct waits_stretch *stretch)
{
    const struct waits_run *runs = log->runs;
    uint64_t start = stretch->start, end = stretch->end;
    size_t last = log->run_count - 1, run = stretch->run;
    if (start <= runs[0].until && end >= runs[last].until) {
        for (uint32_t lane = 0; lane < log->lane_count; lane++)
            if (log->lanes[lane].sum > 0)
                take(waits, lane, log->lanes[lane].sum);
        start = runs[last].until;
    }
    if (end > runs[last].until) { /* nobody had it since */
        uint64_t edge = runs[last].until > start ? runs[last].until : start;
        if (end > edge)
            take(waits, end - edge < LONG_GAP_MIN ? SHORT_GAP : LONG_GAP, end - edge);
        end = runs[last].until;
    }
    if (end <= start)
        return;
    while (run < last && runs[run].until < end)
        run++;
    while (runs[run - 1].until >= end)
        run--;
    do {
        uint64_t from = runs[run - 1].until;
        take(waits, runs[run--].lane, end - from);
        end = from;
    } while (end > start);
    waits->taken[runs[run + 1].lane] -= start - end; /* the run began before the stretch */
}

/* Gives what the lanes took to their processes; the task's own lanes took nothing. */
static void log_credit(struct ledger_waits *waits, const struct waits_log *log,
                       const struct task *task, enum stretch_kind kind, struct wait_takers **takers)
{
    for (size_t i = 0; i < waits->lane_count; i++) {
        const struct task *taker = log->lanes[waits->lanes[i]].task;
        uint64_t *ns = &waits->taken[waits->lanes[i]];
        if (taker && taker != task)
            taker->process->taken += *ns;
        else if (!taker)
            (*takers)->none[waits->part                   ? TAKEN_OTHERS
                            : kind != STRETCH_PREEMPTED   ? TAKEN_NOBODY
                            : waits->lanes[i] == LONG_GAP ? TAKEN_THROTTLED
                                                          : TAKEN_OTHERS] += *ns;
        *ns = 0;
    }
    for (size_t i = 0; i < waits->lane_count; i++) {
        const struct task *taker = log->lanes[waits->lanes[i]].task;
        struct process *process = taker ? taker->process : NULL;
        if (!process || process->taken == 0)
            continue;
        struct wait_taker more = {
            .id = process->info.id,
            .pid = process->info.pid,
            .taken = process->taken,
            .sure = kind == STRETCH_MAYBE ? 0 : process->taken,
        };
        memcpy(more.comm, process->info.comm, sizeof(more.comm));
        wait_takers_add(takers, &more, WAIT_TAKERS);
        process->taken = 0;
    }
    waits->lane_count = 0;
}

static void make_scratch(struct ledger_waits *waits, const struct waits_log *log)
{
    mem_grow(&waits->taken, &waits->taken_room, log->lane_count, sizeof(*waits->taken));
    mem_grow(&waits->lanes, &waits->lanes_room, log->lane_count, sizeof(*waits->lanes));
}

/* Gives each task what others took in its stretches, and begins the log anew at that time. */
static void log_turn(struct ledger_waits *waits, struct waits_log *log, uint64_t time)
{
    make_scratch(waits, log);
    for (size_t lane = FIRST_LANE; lane < log->lane_count; lane++)
        for (enum stretch_kind kind = 0; kind < STRETCH_KINDS; kind++) {
            struct task *task = log->lanes[lane].task;
            uint32_t s = log->lanes[lane].last[kind];
            if (s) {
                wait_facts_takers(&task->waits->facts);
                while (s) {
                    const struct waits_stretch *stretch = &log->stretches[s];
                    s = stretch->before; /* far away */
                    __builtin_prefetch(&log->stretches[s]);
                    log_look(waits, log, stretch);
                }
                log_credit(waits, log, task, kind, &task->waits->facts->takers);
            }
        }
    uint64_t last = log->runs[log->run_count - 1].until;
    log_begin(waits, log, time > last ? time : last);
}

/* --- Tasks --- */

/* Notes who had its CPU since it was preempted first, up to what is known of it. */
static void waits_settle(struct ledger_waits *waits, struct task *task)
{
    struct task_waits *of = task->waits;
    if (of->present)
        log_stretch(&waits->logs[of->cpu], task, of->present, of->until, STRETCH_PREEMPTED);
    of->present = 0;
}

/* One without a record of it until now, even of its birth, has slept since counting began. */
static inline struct task_waits *waits_of(struct ledger_waits *waits, struct task *task)
{
    struct task_waits *of = task->waits;
    if (of->until == 0) {
        of->state = WAITS_BLOCKED;
        of->until = of->since = waits->began;
        of->cpu = task->cpu < (int)waits->log_count ? task->cpu : -1;
    }
    if (of->loss != waits->losses) {
        waits_settle(waits, task);
        of->state = WAITS_UNKNOWN;
    }
    of->loss = waits->losses;
    return of;
}

/* Of a wait after a wake-up. */
static enum stretch_kind kind_of(const struct ledger_waits *waits, const struct task_waits *of)
{
    return waits->alone || (waits->migrations && of->placed) ? STRETCH_WOKEN : STRETCH_MAYBE;
}

/* Whether the task certainly waits from that time on; else nothing is known of it any more. */
static inline bool waits_whole(struct ledger_waits *waits, struct task *task, uint64_t time)
{
    struct task_waits *of = task->waits;
    if (time >= waits->whole)
        return true;
    waits_settle(waits, task);
    of->until += waits_span(of->until, time);
    of->state = WAITS_UNKNOWN;
    return false;
}

/* Its waiting is to be in each snapshot, whether or not a record comes. */
static inline void waits_queue(struct ledger_waits *waits, struct task *task)
{
    if (task->waits->queued)
        return;
    if (waits->ready_count == waits->ready_room)
        mem_grow(&waits->ready, &waits->ready_room, waits->ready_count + 1, sizeof(*waits->ready));
    waits->ready[waits->ready_count++] = task;
    task->waits->queued = true;
}

/* Finds who had that CPU for most of a part of a wait that may be listed. */
static void waits_find_taker(struct ledger_waits *waits, struct task *task, int cpu, uint64_t start,
                             uint64_t end)
{
    AUTO_FREE struct wait_takers *takers = mem_alloc(sizeof(*takers));
    struct task_waits *of = task->waits;
    const struct waits_log *log = &waits->logs[cpu];
    struct waits_stretch part = {start, end, (uint32_t)log->run_count - 1, 0};
    if (part.start < log->runs[0].until)
        part.start = log->runs[0].until;
    if (part.end <= part.start)
        return;
    make_scratch(waits, log);
    log_look(waits, log, &part);
    log_credit(waits, log, task, STRETCH_MAYBE, &takers);
    if (takers->count > 0 && takers->list[0].taken > of->taken) {
        of->taken = takers->list[0].taken;
        of->taker = takers->list[0].pid;
    }
}

/* It got a CPU at that moment, and had waited for longer than is asked for; it is known up to
 * `known` who had the CPU. */
static void waits_list(struct ledger_waits *waits, struct task *task, int cpu, uint64_t known,
                       uint64_t end)
{
    struct task_waits *of = task->waits;
    waits_find_taker(waits, task, cpu, known, end);
    *long_waits_add(&waits->longest) = (struct long_wait){.end = end,
                                                          .length = end - of->since,
                                                          .pid = task->pid,
                                                          .task.id = task->tid,
                                                          .taker.id = of->taker,
                                                          .taken = of->taken,
                                                          .waker.id = of->waker,
                                                          .woken = of->state == WAITS_WOKEN,
                                                          .interrupt = of->interrupt};
}

/* Adds and notes what a task has waited up to that time. Whether it waits. */
static bool waits_advance(struct ledger_waits *waits, struct task *task, uint64_t time)
{
    struct task_waits *of = waits_of(waits, task);
    bool ready = !task->ended && waits_ready(of);
    bool counted = ready && (!waits->part || task->member); /* else once it is a member */
    uint64_t start = of->until;
    if (counted)
        waits_pass(of, time, &waits->logs[of->cpu].sum);
    if (counted && waits->over)
        waits_find_taker(waits, task, of->cpu, start, of->until);
    if (counted && !of->present)
        log_stretch(&waits->logs[of->cpu], task, start, of->until, kind_of(waits, of));
    waits_settle(waits, task);
    of->present = ready && of->state == WAITS_PREEMPTED ? of->until : 0;
    return ready;
}

static void add_latency(struct waits *waits, uint64_t latency)
{
    waits->of[SCHEDULER_WAKEUPS]++;
    waits->of[SCHEDULER_LATENCY] += latency;
    if (latency > waits->of[SCHEDULER_LATENCY_MAX])
        waits->of[SCHEDULER_LATENCY_MAX] = latency;
}

/* Keeps what is told of a time after the snapshot that is being made, so that what this says a task
 * ran and waited is of the same time. */
static void waits_later(struct ledger_waits *waits, struct waits_call call)
{
    mem_grow(&waits->calls, &waits->call_room, waits->call_count + 1, sizeof(call));
    call.tid = call.task->tid;
    waits->calls[waits->call_count++] = call;
}

void ledger_waits_run(struct ledger_waits *waits, struct task *task, int cpu, uint64_t from,
                      uint64_t until, bool known)
{
    if (until > waits->cut) {
        uint64_t rest = from > waits->cut ? from : waits->cut;
        waits_later(waits,
                    (struct waits_call){task, cpu, .from = rest, .until = until, .known = known});
        if (from >= waits->cut)
            return;
        until = waits->cut;
    }
    struct waits_log *log = &waits->logs[cpu];
    struct task_waits *of = waits_of(waits, task);
    enum waits_state before = known ? of->state : WAITS_UNKNOWN;
    bool apart = of->cpu != cpu;
    if (!known || apart || (before == WAITS_RUNNING && of->until < from))
        waits_settle(waits, task);
    of->state = before;
    if (known && until > from)
        log_run(log, log_lane(log, task), from, until);
    uint64_t start = of->until, span = waits_span(of->since, from);
    bool waited = waits_ready(of);
    if (waited) {
        if (!of->present)
            log_stretch(log, task, start, from, apart ? STRETCH_MAYBE : kind_of(waits, of));
        if (waits->over && span >= waits->over)
            waits_list(waits, task, cpu, start, from);
        of->ended_wait += span;
        if (before == WAITS_PREEMPTED) /* else see wait_facts_add_wakeups() */
            wait_facts_span(&of->facts, SPAN_WAIT, span);
    }
    of->taken = 0;
    if (before == WAITS_WOKEN) {
        add_latency(&of->sum, span);
        add_latency(&log->sum, span);
        wait_facts_span(&of->facts, SPAN_WAKEUP, span);
    } else if (before == WAITS_BLOCKED && !waits->wakeups) {
        of->returns++;
        of->ended_block += span;
    }
    waits_pass(of, known ? from : until, &log->sum);
    if (before != WAITS_RUNNING) {
        of->whole = waited || (before == WAITS_BLOCKED && span > 0);
        of->since = known ? from : until;
    }
    of->state = WAITS_RUNNING;
    of->cpu = cpu;
    of->placed = true;
    of->until += waits_span(of->until, until);
    if (log->run_count >= WAITS_RUNS_MAX) {
        for (size_t i = 0; i < waits->ready_count; i++)
            if (waits->ready[i]->waits->cpu == cpu)
                waits_advance(waits, waits->ready[i], until);
        log_turn(waits, log, until);
    }
}

void ledger_waits_leave(struct ledger_waits *waits, struct task *task, int cpu,
                        const struct record *r)
{
    if (r->time > waits->cut)
        return waits_later(
            waits, (struct waits_call){task, cpu, .take = ledger_waits_leave, .record = *r});
    struct task_waits *of = waits_of(waits, task);
    struct waits *sum = &waits->logs[cpu].sum;
    enum scheduler_event event = r->preempted ? SCHEDULER_PREEMPTED : SCHEDULER_YIELDED;
    bool ran = of->state == WAITS_RUNNING && of->whole;
    of->until += waits_span(of->until, r->time);
    if (ran)
        wait_facts_span(&of->facts, SPAN_SLICE, of->until - of->since);
    of->state = r->preempted ? WAITS_PREEMPTED : WAITS_BLOCKED;
    of->since = of->until;
    of->whole = true;
    of->sum.of[event]++;
    sum->of[event]++;
    if (!r->preempted) {
        waits_settle(waits, task);
        return;
    }
    if (!waits_whole(waits, task, r->time))
        return;
    if (!of->present)
        of->present = of->until;
    waits_queue(waits, task);
}

void ledger_waits_silent(struct ledger_waits *waits, struct task *task, int cpu,
                         const struct record *r)
{
    if (r->time > waits->cut)
        return waits_later(
            waits, (struct waits_call){task, cpu, .take = ledger_waits_silent, .record = *r});
    waits_of(waits, task)->state = WAITS_SILENT;
    waits_settle(waits, task);
}

void ledger_waits_wake(struct ledger_waits *waits, struct task *task, int cpu,
                       const struct record *r)
{
    if (r->time > waits->cut)
        return waits_later(waits,
                           (struct waits_call){task, cpu, .take = ledger_waits_wake, .record = *r});
    struct task_waits *of = task->waits;
    bool born = r->kind == RECORD_FORK && of->until == 0; /* else it was seen on a CPU before */
    if (born) {
        of->loss = waits->losses;
        of->until = r->time;
        of->delay_known = true;
        of->cpu = cpu;
    }
    waits_of(waits, task);
    of->waker = r->kind == RECORD_WAKE ? r->tid : r->parent.ptid;
    of->interrupt = r->kind == RECORD_WAKE && r->interrupt;
    bool asleep = r->kind == RECORD_WAKE && of->state == WAITS_BLOCKED;
    if (!born && !asleep)
        return; /* it has not slept yet, or is known to be awake */
    if (!waits_whole(waits, task, r->time))
        return;
    if (asleep) {
        waits_pass(of, r->time, NULL);
        if (of->whole)
            wait_facts_span(&of->facts, SPAN_SLEEP, of->until - of->since);
        if (of->cpu < 0)
            of->cpu = cpu;
    }
    of->state = WAITS_WOKEN;
    of->since = of->until;
    of->whole = true;
    waits_queue(waits, task);
}

void ledger_waits_migrate(struct ledger_waits *waits, struct task *task, int cpu, uint64_t time)
{
    if (cpu < 0 || (size_t)cpu >= waits->log_count)
        return;
    if (time > waits->cut)
        return waits_later(waits, (struct waits_call){task, cpu, .until = time, .migrates = true});
    waits_advance(waits, task, time);
    task->waits->cpu = cpu;
    task->waits->placed = true;
}

void ledger_waits_cut(struct ledger_waits *waits, struct task_table *task_table, uint64_t time)
{
    size_t kept = 0;
    for (size_t i = 0; i < waits->ready_count; i++) {
        struct task *task = waits->ready[i];
        bool present = task->waits->present;
        task->waits->queued = waits_advance(waits, task, time);
        if (present || task->waits->queued)
            task_table_touch(task_table, task);
        if (task->waits->queued)
            waits->ready[kept++] = task;
    }
    waits->ready_count = kept;
    for (size_t c = 0; c < waits->log_count; c++)
        log_turn(waits, &waits->logs[c], time);
}

void ledger_waits_resume(struct ledger_waits *waits, const struct task_table *task_table)
{
    waits->cut = UINT64_MAX;
    for (size_t i = 0; i < waits->call_count; i++) {
        const struct waits_call *call = &waits->calls[i];
        if (map_get(&task_table->tasks, (uint64_t)call->tid) != call->task)
            continue; /* it is forgotten */
        if (call->take)
            call->take(waits, call->task, call->cpu, &call->record);
        else if (call->migrates)
            ledger_waits_migrate(waits, call->task, call->cpu, call->until);
        else
            ledger_waits_run(waits, call->task, call->cpu, call->from, call->until, call->known);
    }
    waits->call_count = 0;
}

/* One that no record named has its name in /proc. A process may live without its first thread. */
static void long_wait_name(struct task_table *tasks, struct long_wait_task *named)
{
    struct task *task = named->id > 0 ? map_get(&tasks->tasks, (uint64_t)named->id) : NULL;
    const struct process *process = task ? NULL : map_get(&tasks->processes, (uint64_t)named->id);
    if (task && !task->ended)
        task_table_meet(tasks, task);
    if (task || process || (named->id > 0 && !*named->comm))
        memcpy(named->comm,
               task      ? task->comm
               : process ? process->info.comm
                         : task_unnamed,
               sizeof(named->comm));
}

struct long_waits *ledger_waits_take(struct ledger_waits *waits, struct task_table *tasks,
                                     const struct snapshot *snapshot)
{
    struct long_waits *longest = waits->longest;
    for (size_t i = 0; longest && i < longest->count && i < LONG_WAITS_MAX; i++) {
        struct long_wait *wait = &longest->list[i];
        wait->time = snapshot->wall - ((double)snapshot->time - (double)wait->end) / 1e9;
        long_wait_name(tasks, &wait->task);
        long_wait_name(tasks, &wait->taker);
        long_wait_name(tasks, &wait->waker);
    }
    waits->longest = NULL;
    return longest;
}
