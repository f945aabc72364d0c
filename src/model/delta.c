#include "model/delta.h"

/* The rows of all tasks that live, and of their processes: for frames that have them all although
 * most are asleep, and then in no snapshot (snapshot.whole). */

struct living_task {
    struct row row; /* as it is in a frame in which the task is asleep, without counts */
    size_t *place;  /* where its owner keeps its index, + 1; NULL: it has ended */
};

struct living {
    size_t task_count, task_room;
    struct living_task *tasks; /* in the order in which they came */
    size_t process_count, process_room;
    struct row *processes; /* likewise; threads: those that live */
    struct map owners;     /* process id to index in processes, + 1 */
};

/* Forgets all tasks. */
static void living_release(struct living *living)
{
    for (size_t i = 0; i < living->task_count; i++)
        if (living->tasks[i].place)
            *living->tasks[i].place = 0;
    free(living->tasks);
    free(living->processes);
    map_release(&living->owners);
    *living = (struct living){0};
}

static void put_row(struct row *to, const struct row *from, const struct frame *frame)
{
    *to = *from;
    to->counts = frame->asleep.counts;
    to->times = frame->asleep.times;
}

/* Makes them the rows of a frame without any, with the counts of frame->asleep; there is room. The
 * indices of tasks may change. */
static void living_fill(struct living *living, struct frame *frame)
{
    size_t tasks = 0, processes = 0;
    for (size_t i = 0; i < living->task_count; i++) {
        if (!living->tasks[i].place)
            continue;
        if (tasks < i) {
            living->tasks[tasks] = living->tasks[i];
            *living->tasks[tasks].place = tasks + 1;
        }
        put_row(&frame->threads[tasks], &living->tasks[tasks].row, frame);
        tasks++;
    }
    for (size_t i = 0; i < living->process_count; i++) {
        const struct row *process = &living->processes[i];
        if (process->threads == 0) {
            map_remove(&living->owners, process->id);
            continue;
        }
        if (processes < i) {
            living->processes[processes] = *process;
            map_put(&living->owners, process->id, (void *)(uintptr_t)(processes + 1));
        }
        put_row(&frame->processes[processes], &living->processes[processes], frame);
        processes++;
    }
    living->task_count = frame->thread_count = tasks;
    living->process_count = frame->process_count = processes;
}

/* What is known of a row without what it did in an interval. */
static struct row at_rest(const struct row *row)
{
    struct row rest = *row;
    rest.ran = rest.exited = false;
    rest.asleep = true;
    rest.state = EVENT_COUNTED;
    rest.oncpu = 0;
    rest.part_count = 0;
    rest.parts = NULL;
    rest.counts = NULL;
    rest.times = NULL;
    rest.wait_facts = NULL;
    return rest;
}

/* The index of a process in `processes` and in a frame that was just filled; SIZE_MAX: none. */
static size_t living_process(const struct living *living, uint64_t id)
{
    return (uintptr_t)map_get(&living->owners, id) - 1;
}

/* Keeps the facts of a process' row, if any of its tasks lives. */
static void living_keep_process(struct living *living, const struct row *row)
{
    size_t index = living_process(living, row->id);
    if (index == SIZE_MAX)
        return;
    size_t threads = living->processes[index].threads;
    living->processes[index] = at_rest(row);
    living->processes[index].threads = threads;
}

/* Keeps the facts of a task's row. *place is 0 for a new task, and gets the index, + 1; it must not
 * move. */
static void living_keep(struct living *living, const struct row *row, size_t *place)
{
    if (*place == 0) {
        mem_grow(&living->tasks, &living->task_room, living->task_count + 1,
                 sizeof(*living->tasks));
        *place = ++living->task_count;
        size_t owner = living_process(living, row->process);
        if (owner == SIZE_MAX) {
            owner = living->process_count++;
            mem_grow(&living->processes, &living->process_room, owner + 1,
                     sizeof(*living->processes));
            living->processes[owner] = (struct row){.id = row->process};
            map_put(&living->owners, row->process, (void *)(uintptr_t)(owner + 1));
        }
        living->processes[owner].threads++;
    }
    living->tasks[*place - 1] = (struct living_task){at_rest(row), place};
}

/* Removes a task, if there is one in *place, which gets 0. */
static void living_remove(struct living *living, size_t *place)
{
    if (*place == 0)
        return;
    struct living_task *task = &living->tasks[*place - 1];
    living->processes[living_process(living, task->row.process)].threads--;
    task->place = NULL;
    *place = 0;
}

/* ---- differences ---- */

/* A row's counts in the last snapshot; all zero if it is new. */
struct last {
    struct counts counts;
    uint64_t oncpu;
    uint64_t time; /* of the last snapshot with it; 0: in none yet */
    bool exited;
    size_t place; /* of a task: in delta.living */
};

struct delta {
    const struct watch *watch; /* NULL: all */
    struct event_set *events;  /* of the last snapshot, NULL before the first */
    uint64_t generation, time, seq;
    uint64_t lost_records, throttled, self_cpu, self_time;
    struct machine_load load;  /* when `share` was last updated */
    struct machine_load share; /* the last one of enough clock ticks */
    struct map tasks;          /* struct last by task id */
    struct map cpus;           /* struct last by CPU number */
    struct living living;    /* all tasks, where snapshots are whole; their places are in `tasks` */
    struct row_store *store; /* of frames */
    struct last idle, unattributed;
    uint64_t *unassigned;
    bool once;  /* there is only one snapshot */
    bool waits; /* some of the events count what tasks do that do not run */
};

struct delta *delta_new(const struct watch *watch)
{
    struct delta *delta = mem_alloc(sizeof(*delta));
    delta->watch = watch;
    delta->store = row_store_share(NULL);
    return delta;
}

static void forget_generation(struct delta *delta)
{
    living_release(&delta->living);
    map_free(&delta->tasks);
    map_free(&delta->cpus);
    counts_release(&delta->idle.counts);
    counts_release(&delta->unattributed.counts);
    event_set_drop(delta->events);
    delta->events = NULL;
    free(delta->unassigned);
    delta->unassigned = NULL;
}

void delta_free(struct delta *delta)
{
    if (!delta)
        return;
    forget_generation(delta);
    row_store_drop(delta->store);
    load_release(&delta->load);
    load_release(&delta->share);
    free(delta);
}

static struct last *last_of(struct delta *delta, struct map *map, uint64_t key)
{
    struct last *last = map_get(map, key);
    if (!last) {
        last = mem_alloc(sizeof(*last) + counts_size(delta->events));
        last->counts = counts_in(last + 1, delta->events);
        map_put(map, key, last);
    }
    return last;
}

/* A row of a thread or a process that is not asleep. */
static struct row block_row(struct frame *frame)
{
    struct row row = row_sum_in(frame->block + frame->block_used, frame->events);
    frame->block_used += row_sum_size(frame->events);
    return row;
}

/* A row that is not a sum of others. */
static struct row single_row(const struct event_set *set)
{
    struct row row = row_sum_new(set);
    row.threads = 1;
    return row;
}

/* How long the task slept before the interval, ns, as far as that is in its counts: through the
 * intervals whose snapshots were without it, and if no snapshot had it yet, in all the time that
 * its life in this interval cannot have. */
static uint64_t slept_before(const struct delta *delta, const struct snapshot *s,
                             const struct task_sample *task, const struct last *last,
                             uint64_t oncpu)
{
    const struct event_set *set = s->events;
    uint64_t life = oncpu, interval = s->time - delta->time;
    if (last->time || task->several)
        return last->time && last->time < delta->time ? delta->time - last->time : 0;
    for (size_t e = 0; e < set->count; e++)
        if (set->events[e].kept == SCHEDULER_WAIT || scheduler_is_sleep(set->events[e].kept))
            life += task->counts.value[e] - last->counts.value[e];
    return life > interval ? life - interval : 0;
}

/* Sets the row's counts to the difference from `last` to `now`, which becomes the new `last`. Rows
 * add up to the total where CPUs counted all the time: what was counted in so small a part of a
 * row's time that it is not shown goes to `rest`; without `rest` the row is that of the
 * unattributed counts, which are what the others leave of an exact total, and thus exact too.
 * slept: as slept_before(). */
static void count_row(struct delta *delta, const struct frame *frame, struct row *row,
                      struct last *last, const struct counts *now, struct row *rest, uint64_t slept)
{
    const struct event_set *set = delta->events;
    for (size_t g = 0; g < set->groups; g++)
        row->times[g] = (struct group_time){
            now->times[g].enabled - last->counts.times[g].enabled,
            now->times[g].running - last->counts.times[g].running,
        };
    for (size_t e = 0; e < set->count; e++) {
        int g = set->events[e].group;
        enum scheduler_event kept = set->events[e].kept;
        uint64_t raw = now->value[e] - (scheduler_is_peak(kept) ? 0 : last->counts.value[e]);
        bool whole = g >= 0 && frame_is_whole(frame, (size_t)g);
        bool exact = whole && !rest && row_sum_tells(&set->events[e], row->times[g]);
        double coverage = exact ? 1 : row_sum_coverage(&set->events[e], row->times);
        if (scheduler_is_sleep(kept))
            raw -= raw < slept ? raw : slept;
        if (rest && whole && coverage == 0) {
            rest->counts[e].value += raw;
            rest->ran |= raw > 0;
            raw = 0;
        }
        row->ran |= raw > 0 && !scheduler_is_sleep(kept);
        row->counts[e] =
            (struct count){g < 0 ? 0 : row_sum_scaled(raw, frame, g, row->times[g]), coverage};
    }
    counts_copy(&last->counts, now, set);
}

/* --- Tasks that moved to another cgroup in the interval: a part for each cgroup that it left, and
 * one for the last. --- */

static void begin_parts(struct frame *frame, const struct snapshot *s)
{
    size_t count = 0;
    for (size_t t = 0; t < s->task_count; t++)
        count += s->tasks[t].move_count ? s->tasks[t].move_count + 1 : 0;
    frame->cgroups = cgroup_names_share(s->cgroups);
    frame->parts = mem_array(count, sizeof(*frame->parts));
    frame->part_block = mem_array(count, row_sum_size(s->events));
}

/* Takes what came between two sums, but no more than is left. */
static uint64_t take_between(uint64_t *left, uint64_t from, uint64_t to)
{
    uint64_t wanted = to > from ? to - from : 0, taken = wanted < *left ? wanted : *left;
    *left -= taken;
    return taken;
}

/* The part of a row for that cgroup; its counts are not yet scaled. */
static struct row *part_of(struct frame *frame, size_t *used, struct row *row, uint64_t cgroup)
{
    size_t p = 0, size = row_sum_size(frame->events);
    while (p < row->part_count && row->parts[p].cgroup != cgroup)
        p++;
    struct row *part = &row->parts[p];
    if (p < row->part_count)
        return part;
    struct row sum = row_sum_in(frame->part_block + (*used)++ * size, frame->events);
    *part = *row;
    part->cgroup = cgroup;
    part->part_count = 0;
    part->parts = NULL;
    part->oncpu = 0;
    part->counts = sum.counts;
    part->times = sum.times;
    row->part_count++;
    return part;
}

/* What a row counted, before it was scaled; without kept events. */
static void take_row(struct counts *counts, const struct row *row, const struct frame *frame)
{
    const struct event_set *set = frame->events;
    memcpy(counts->times, row->times, set->groups * sizeof(*counts->times));
    for (size_t e = 0; e < set->count; e++)
        counts->value[e] = set->events[e].group >= 0 ? row_sum_raw(row, frame, e) : 0;
}

/* Gives a part what the row counted between two moments, as far as it is left. */
static void fill_part(const struct frame *frame, struct row *part, struct counts *left,
                      const struct counts *from, const struct counts *to)
{
    const struct event_set *set = frame->events;
    for (size_t e = 0; e < set->count; e++)
        part->counts[e].value += take_between(&left->value[e], from->value[e], to->value[e]);
    for (size_t g = 0; g < set->groups; g++) {
        struct group_time *rest = &left->times[g], *time = &part->times[g];
        const struct group_time *begin = &from->times[g], *end = &to->times[g];
        time->enabled += take_between(&rest->enabled, begin->enabled, end->enabled);
        time->running += take_between(&rest->running, begin->running, end->running);
    }
}

/* Makes the parts of a finished row; `before`: its counts and its time at the interval's begin. */
static void split_row(struct frame *frame, size_t *used, struct row *row,
                      const struct task_sample *task, const struct counts *before, uint64_t oncpu)
{
    const struct event_set *set = frame->events;
    AUTO_COUNTS struct counts left = counts_new(set);
    const struct counts *from = before;
    uint64_t time_left = (uint64_t)llround(row->oncpu * 1e9);
    take_row(&left, row, frame);
    row->parts = &frame->parts[*used];
    for (size_t m = 0; m < task->move_count; m++) {
        const struct task_move *move = &task->moves[m];
        if (move->cgroup != task->cgroup) { /* else it came back: the last part has all of that */
            struct row *part = part_of(frame, used, row, move->cgroup);
            fill_part(frame, part, &left, from, &move->counts);
            part->oncpu += (double)take_between(&time_left, oncpu, move->oncpu) / 1e9;
        }
        from = &move->counts;
        oncpu = move->oncpu;
    }
    struct row *last = part_of(frame, used, row, task->cgroup);
    AUTO_COUNTS struct counts none = counts_new(set), rest = counts_new(set);
    counts_copy(&rest, &left, set);
    fill_part(frame, last, &left, &none, &rest);
    last->oncpu += (double)time_left / 1e9;
    for (size_t p = 0; p < row->part_count; p++)
        for (size_t e = 0; e < set->count; e++) {
            struct count *count = &row->parts[p].counts[e];
            int g = set->events[e].group;
            count->coverage = row->counts[e].coverage;
            if (set->events[e].kept && g >= 0) /* what waits is known all of the time */
                row->parts[p].times[g] = row->times[g];
            if (g >= 0)
                count->value = row_sum_scaled(count->value, frame, g, row->parts[p].times[g]);
        }
}

/* The time that a task was on a CPU in the interval, ns; for a thread at most the interval. The
 * clocks of CPUs differ a little, and counts are read one after another, some late: an excess is
 * left to the next interval. */
static uint64_t delta_time_of(const struct delta *delta, const struct snapshot *s,
                              const struct task_sample *task, const struct last *last)
{
    uint64_t span = task->oncpu - last->oncpu, interval = s->time - delta->time;
    uint64_t full = interval ? span / interval : 0; /* threads that ran all of the time */
    uint64_t over = span - full * interval;
    if (!task->several)
        return span < interval ? span : interval;
    return full > 0 && over <= s->late * (full + 1) ? span - over : span;
}

/* The factor that limits the time of all tasks together to the CPUs' time. */
static double time_factor(struct delta *delta, const struct snapshot *s)
{
    double sum = 0, capacity = (double)(s->time - delta->time) * (double)s->online;
    for (size_t t = 0; t < s->task_count && s->online > 0 && s->late > 0; t++)
        sum += (double)delta_time_of(delta, s, &s->tasks[t],
                                     last_of(delta, &delta->tasks, s->tasks[t].id));
    return sum > capacity ? capacity / sum : 1;
}

static bool did_nothing(const struct row *row, const struct event_set *set)
{
    bool nothing = !row->ran && !row->exited && row->state == EVENT_COUNTED;
    for (size_t e = 0; e < set->count && nothing; e++)
        nothing = row->counts[e].value == 0;
    return nothing;
}

/* Whether nothing is to be counted of a task that was that long on a CPU. */
static bool is_asleep(const struct delta *delta, const struct task_sample *task,
                      const struct last *last, uint64_t oncpu)
{
    return oncpu == 0 && !task->exited && task->state == EVENT_COUNTED && !delta->waits &&
           memcmp(task->counts.value, last->counts.value,
                  delta->events->count * sizeof(*last->counts.value)) == 0;
}

/* Adds a thread to its process. One whose threads are all asleep has no counts of its own. */
static void delta_add_thread(struct frame *frame, struct row *process, const struct row *thread)
{
    if (process->asleep && !thread->asleep) {
        struct row own = block_row(frame);
        process->counts = own.counts;
        process->times = own.times;
        process->asleep = false;
    }
    row_sum_add(process, thread, frame);
}

/* Makes the frame's rows of processes: those that live, as if they were asleep, and those of the
 * snapshot, without the tasks that are listed. places gets the indices of the latter. */
static void begin_processes(struct delta *delta, struct frame *frame, const struct snapshot *s,
                            size_t *places)
{
    for (size_t p = 0; p < s->process_count; p++) {
        const struct process_info *process = &s->processes[p];
        places[p] = living_process(&delta->living, process->id);
        if (places[p] == SIZE_MAX) {
            places[p] = frame->process_count++;
            frame->processes[places[p]] = frame->asleep;
            frame->processes[places[p]].threads = 0;
        }
        struct row *row = &frame->processes[places[p]];
        row->id = process->id;
        row->pid = row->tid = process->pid;
        row->ppid = process->ppid;
        row->uid = process->uid;
        row->exited = row->again = process->exited; /* until a thread ends now */
        row->command = process->command;
        memcpy(row->comm, process->comm, sizeof(row->comm));
    }
}

static void begin_tasks(struct delta *delta, struct frame *frame, const struct snapshot *s)
{
    if (!s->whole)
        living_release(&delta->living);
    size_t threads = delta->living.task_count + s->task_count;
    size_t processes = delta->living.process_count + s->process_count;
    row_store_take(delta->store, frame, threads + processes);
    frame->processes = frame->threads + threads;
    frame->block = mem_resize(NULL, s->task_count + s->process_count, row_sum_size(s->events));
    living_fill(&delta->living, frame);
}

static bool is_in_total(const struct delta *delta, const struct snapshot *s,
                        const struct task_sample *task)
{
    struct watched watched = snapshot_watched(s, task);
    return !delta->watch || watch_has(delta->watch, &watched);
}

static void count_tasks(struct delta *delta, struct frame *frame, const struct snapshot *s)
{
    const struct event_set *set = s->events;
    AUTO_FREE size_t *places = mem_array(s->process_count, sizeof(*places));
    AUTO_FREE double *busiest = mem_array(s->process_count, sizeof(*busiest));
    double part = time_factor(delta, s);
    AUTO_COUNTS struct counts before = counts_new(set);
    AUTO_MAP struct map listed = {0}; /* by tid, how many long waits */
    const struct long_wait *wait;
    size_t parts = 0;

    for (size_t i = 0; (wait = long_waits_get(s->long_waits, i)); i++) {
        uint64_t tid = (uint64_t)wait->task.id;
        map_put(&listed, tid, (void *)((uintptr_t)map_get(&listed, tid) + 1));
    }
    begin_tasks(delta, frame, s);
    begin_parts(frame, s);
    begin_processes(delta, frame, s, places);
    for (size_t t = 0; t < s->task_count; t++) {
        const struct task_sample *task = &s->tasks[t];
        struct row *process = &frame->processes[places[task->process]];
        struct last *last = last_of(delta, &delta->tasks, task->id);
        uint64_t oncpu = delta_time_of(delta, s, task, last);
        if (part < 1)
            oncpu = (uint64_t)((double)oncpu * part);
        bool asleep = is_asleep(delta, task, last, oncpu), known = last->place > 0;
        struct row *row = &frame->threads[known ? last->place - 1 : frame->thread_count];
        *row = asleep ? frame->asleep : block_row(frame);
        row->threads = 1;
        row->id = task->id;
        row->process = process->id;
        row->pid = process->pid;
        row->tid = task->tid;
        row->ppid = process->ppid;
        row->uid = task->other_owner ? task->uid : process->uid;
        row->cpu = task->cpu;
        row->exited = task->exited;
        row->again = last->exited;
        row->command = process->command;
        row->state = task->state;
        row->cgroup = task->cgroup;
        if (row->tid == row->pid || !process->cgroup)
            process->cgroup = row->cgroup;
        memcpy(row->comm, task->comm, sizeof(row->comm));
        row->oncpu = (double)oncpu / 1e9;
        row->ran = oncpu > 0;
        if (task->move_count)
            counts_copy(&before, &last->counts, set);
        if (asleep)
            counts_copy(&last->counts, &task->counts, set);
        else
            count_row(delta, frame, row, last, &task->counts,
                      s->has_cpus ? &frame->unattributed : NULL,
                      slept_before(delta, s, task, last, oncpu));
        if (!asleep && !row->ran) { /* then times of groups are only told late */
            memset(row->times, 0, set->groups * sizeof(*row->times));
            row_sum_complete(row, frame);
        }
        if (task->move_count && !asleep)
            split_row(frame, &parts, row, task, &before, last->oncpu);
        if (row->ran) { /* a process has parts if only one of its threads ran */
            process->part_count = process->ran ? 0 : row->part_count;
            process->parts = row->parts;
        }
        last->oncpu += oncpu;
        last->time = s->time;
        bool end_shown = last->exited && !row->ran; /* its end was in the previous frame */
        last->exited = task->exited;
        if (task->exited)
            living_remove(&delta->living, &last->place);
        else if (s->whole && !delta->once)
            living_keep(&delta->living, row, &last->place);
        if (task->final)
            free(map_remove(&delta->tasks, task->id));
        if (end_shown || (s->active && did_nothing(row, set))) {
            if (!asleep)
                frame->block_used -= row_sum_size(set);
            continue;
        }
        process->threads -= known;
        process->again &= row->again || !row->exited;
        wait_facts_add(&row->wait_facts, task->wait_facts);
        if (row->wait_facts && row->wait_facts->takers)
            wait_takers_cut(row->wait_facts->takers);
        if (row->wait_facts && listed.count)
            row->wait_facts->listed = (uintptr_t)map_remove(&listed, (uint64_t)row->tid);
        for (size_t p = 0; p < row->part_count; p++) /* lent to where it is now */
            if (row->parts[p].cgroup == row->cgroup)
                row->parts[p].wait_facts = row->wait_facts;
        delta_add_thread(frame, process, row);
        if (s->has_cpus)
            wait_facts_add(&frame->total.wait_facts, row->wait_facts);
        else if (is_in_total(delta, s, task))
            row_sum_add(&frame->total, row, frame);
        if (row->oncpu > busiest[task->process] || process->cpu < 0) {
            busiest[task->process] = row->oncpu;
            process->cpu = row->cpu;
        }
        frame->thread_count += !known;
    }
    for (size_t p = 0; p < s->process_count; p++)
        living_keep_process(&delta->living, &frame->processes[places[p]]);
    size_t count = frame->process_count;
    frame->process_count = 0;
    for (size_t p = 0; p < count; p++) {
        struct row *row = &frame->processes[p];
        if (row->threads == 0)
            continue; /* no counts of its own either */
        if (!row->asleep)
            row_sum_complete(row, frame);
        frame->processes[frame->process_count++] = *row;
    }
}

/* Adds the CPUs, and finds the groups that counted on them all the time. If the source counts CPUs,
 * the total is their sum, not that of the threads. */
static void delta_count_cpus(struct delta *delta, struct frame *frame, const struct snapshot *s)
{
    const struct event_set *set = s->events;
    frame->cpus = mem_array(s->cpu_count, sizeof(*frame->cpus));
    for (size_t c = 0; c < s->cpu_count; c++) {
        const struct cpu_sample *cpu = &s->cpus[c];
        struct last *last = last_of(delta, &delta->cpus, (uint64_t)cpu->cpu);
        struct row *row = &frame->cpus[frame->cpu_count++];
        *row = single_row(set);
        row->cpu = cpu->cpu;
        row->id = (uint64_t)cpu->cpu + 1;
        row->oncpu = (double)(cpu->busy - last->oncpu) / 1e9;
        last->oncpu = cpu->busy;
        count_row(delta, frame, row, last, &cpu->counts, NULL, 0);
        row->ran = true;
        row_sum_add(&frame->total, row, frame);
    }
    mem_sort(frame->cpus, frame->cpu_count, sizeof(*frame->cpus)); /* by their ids */
    for (size_t g = 0; g < set->groups; g++) {
        frame->whole[g] = true;
        for (size_t c = 0; c < frame->cpu_count && frame->whole[g]; c++)
            frame->whole[g] = frame->cpus[c].times[g].running >= frame->cpus[c].times[g].enabled;
    }
    count_row(delta, frame, &frame->unattributed, &delta->unattributed, &s->unattributed, NULL, 0);
    count_row(delta, frame, &frame->idle, &delta->idle, &s->idle, &frame->unattributed, 0);
}

static const uint64_t LOAD_MIN = 40000000; /* ns: shorter times have too few clock ticks */

static void count_load(struct delta *delta, struct frame *frame, const struct machine_load *load)
{
    load_copy_machine(&frame->load, load);
    frame->load.pressure = pressure_between(&delta->load.pressure, &load->pressure);
    delta->load.pressure = load->pressure;
    for (size_t i = 0; i < load->cgroup_count; i++) /* of a recorded interval */
        load_of_cgroup(&frame->load, load->cgroups[i].path)->kernel_times =
            load->cgroups[i].kernel_times;
    for (size_t c = 0; c < load->count; c++) {
        const struct cpu_load *now = &load->cpus[c];
        struct cpu_load *last = load_of(&delta->load, now->cpu);
        struct cpu_load *share = load_of(&delta->share, now->cpu);
        struct kernel_times span = kernel_times_between(&last->kernel_times, &now->kernel_times);
        if (!last->kernel_times.known) /* all of it */
            span = now->kernel_times;
        share->again = delta->once ? now->again : span.time[CPU_TIME] < LOAD_MIN;
        if (!share->again || delta->once) {
            share->kernel_times = span;
            *last = *now;
        }
        *load_of(&frame->load, now->cpu) = *share;
    }
    for (size_t c = 0; c < frame->cpu_count; c++) {
        struct cpu_load *of_cpu = load_find(&frame->load, frame->cpus[c].cpu);
        if (!of_cpu)
            continue;
        frame->cpus[c].kernel_times = &of_cpu->kernel_times;
        kernel_times_add(&frame->kernel_times, &of_cpu->kernel_times);
    }
    frame->total.kernel_times = &frame->kernel_times;
}

struct frame *delta_advance(struct delta *delta, const struct snapshot *s)
{
    if (!delta->events || delta->generation != s->generation) {
        forget_generation(delta);
        delta->events = mem_share(s->events);
        delta->generation = s->generation;
        delta->time = s->started;
        delta->idle.counts = counts_new(s->events);
        delta->unattributed.counts = counts_new(s->events);
        delta->waits = event_set_waits(s->events);
        delta->unassigned = mem_array(s->events->count + 1, sizeof(*delta->unassigned));
    }
    struct frame *frame = mem_alloc(sizeof(*frame));
    frame->events = mem_share(s->events);
    frame->seq = ++delta->seq;
    frame->wall = s->wall;
    frame->interval = (double)(s->time - delta->time) / 1e9;
    frame->idle = single_row(s->events);
    frame->unattributed = single_row(s->events);
    frame->total = row_sum_new(s->events);
    frame->asleep = single_row(s->events);
    row_sum_complete(&frame->asleep, frame);
    frame->asleep.asleep = true;
    frame->has_cpus = s->has_cpus;
    frame->whole = mem_array(s->events->groups, sizeof(*frame->whole));
    if (s->has_cpus)
        delta_count_cpus(delta, frame, s);
    count_tasks(delta, frame, s);
    row_sum_complete(&frame->total, frame);
    if (s->unassigned)
        frame->unassigned = mem_array(s->events->count + 1, sizeof(*frame->unassigned));
    for (size_t e = 0; s->unassigned && e <= s->events->count; e++) {
        frame->unassigned[e] = s->unassigned[e] - delta->unassigned[e];
        delta->unassigned[e] = s->unassigned[e];
    }
    frame->part = s->part;
    frame->profile = mem_share(s->profile);
    long_waits_join(&frame->long_waits, s->long_waits);
    count_load(delta, frame, &s->load);
    frame->lost_records = s->lost_records - delta->lost_records;
    frame->throttled = s->throttled - delta->throttled;
    frame->denied_tasks = s->denied_tasks;
    frame->starved_tasks = s->starved_tasks;
    frame->self_cpu = (double)(s->self.cpu - delta->self_cpu) / 1e9;
    frame->self_seconds = (double)(s->self.time - delta->self_time) / 1e9;
    frame->self_descriptors = s->self.descriptors;
    frame->self_rss = s->self.rss;
    delta->lost_records = s->lost_records;
    delta->throttled = s->throttled;
    delta->self_cpu = s->self.cpu;
    delta->self_time = s->self.time;
    delta->time = s->time;
    return frame;
}

void delta_begin(struct delta *delta, const struct snapshot *snapshot)
{
    frame_free(delta_advance(delta, snapshot));
    delta->seq = 0;
    delta->self_cpu = 0;
    delta->self_time = 0;
}

struct frame *delta_between(const struct snapshot *from, const struct snapshot *to,
                            const struct watch *watch)
{
    struct delta *delta = delta_new(watch);
    delta->once = !from;
    if (from)
        delta_begin(delta, from);
    struct frame *frame = delta_advance(delta, to);
    delta_free(delta);
    return frame;
}

static uint64_t nanoseconds(double seconds)
{
    return (uint64_t)llround(seconds * 1e9);
}

/* The moves that make these parts: the rest is that in the cgroup where it was last. */
static void frame_snapshot_take_moves(struct task_sample *task, const struct row *row,
                                      const struct frame *frame)
{
    task->moves = mem_array(row->part_count, sizeof(*task->moves));
    for (size_t p = 0; p < row->part_count; p++) {
        const struct row *part = &row->parts[p];
        if (part->cgroup == row->cgroup)
            continue;
        struct task_move *move = &task->moves[task->move_count++];
        *move =
            (struct task_move){part->cgroup, nanoseconds(part->oncpu), counts_new(frame->events)};
        take_row(&move->counts, part, frame);
        if (move == task->moves)
            continue;
        move->oncpu += move[-1].oncpu;
        counts_add(&move->counts, &move[-1].counts, frame->events);
    }
}

/* Maps hold pointers that are not NULL, so an index is stored as index + 1. */
static void frame_snapshot_take_tasks(struct snapshot *s, const struct frame *frame)
{
    AUTO_MAP struct map places = {0};
    for (size_t p = 0; p < frame->process_count; p++) {
        const struct row *row = &frame->processes[p];
        struct process_info *process = snapshot_add_process(s);
        process->id = row->id;
        process->pid = row->pid;
        process->ppid = row->ppid;
        process->uid = row->uid;
        memcpy(process->comm, row->comm, sizeof(process->comm));
        process->exited = row->exited && !row->again;
        process->command = row->command;
        map_put(&places, row->id, (void *)(uintptr_t)(p + 1));
    }
    for (size_t t = 0; t < frame->thread_count; t++) {
        const struct row *row = &frame->threads[t];
        struct task_sample *task = snapshot_add_task(s);
        task->id = row->id;
        task->process = (uintptr_t)map_get(&places, row->process) - 1;
        task->tid = row->tid;
        memcpy(task->comm, row->comm, sizeof(task->comm));
        task->cpu = row->cpu;
        task->uid = row->uid;
        task->other_owner = row->uid != s->processes[task->process].uid;
        task->exited = row->exited && !row->again;
        task->final = row->exited;
        task->oncpu = nanoseconds(row->oncpu);
        task->several = true; /* so that delta.c does not limit its time to the interval */
        task->state = row->state;
        task->cgroup = row->cgroup;
        take_row(&task->counts, row, frame);
        frame_snapshot_take_moves(task, row, frame);
        wait_facts_add(&task->wait_facts, row->wait_facts);
    }
    s->cgroups = cgroup_names_share(frame->cgroups);
}

struct snapshot *frame_snapshot_of_frame(const struct frame *frame, uint64_t generation)
{
    struct snapshot *s = snapshot_new(frame->events);
    s->generation = generation;
    s->time = nanoseconds(frame->interval);
    s->wall = frame->wall;
    frame_snapshot_take_tasks(s, frame);
    s->has_cpus = frame->has_cpus;
    for (size_t c = 0; c < frame->cpu_count; c++) {
        struct cpu_sample *cpu = snapshot_add_cpu(s);
        cpu->cpu = frame->cpus[c].cpu;
        cpu->busy = nanoseconds(frame->cpus[c].oncpu);
        take_row(&cpu->counts, &frame->cpus[c], frame);
    }
    s->part = frame->part;
    load_copy(&s->load, &frame->load);
    take_row(&s->idle, &frame->idle, frame);
    take_row(&s->unattributed, &frame->unattributed, frame);
    s->lost_records = frame->lost_records;
    s->throttled = frame->throttled;
    s->denied_tasks = frame->denied_tasks;
    s->starved_tasks = frame->starved_tasks;
    s->self.cpu = nanoseconds(frame->self_cpu);
    s->self.time = nanoseconds(frame->self_seconds);
    s->self.descriptors = frame->self_descriptors;
    s->self.rss = frame->self_rss;
    s->profile = mem_share(frame->profile);
    long_waits_join(&s->long_waits, frame->long_waits);
    return s;
}

struct frame *frame_snapshot_frame(const struct snapshot *interval, uint64_t seq,
                                   const struct watch *watch)
{
    struct frame *frame = delta_between(NULL, interval, watch);
    frame->seq = seq;
    return frame;
}
