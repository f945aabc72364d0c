#include "model/totals.h"
#include "model/delta.h"

/* All snapshots of a generation in one. Snapshots are cumulative, so the last one with a task is
 * right; snapshots of single intervals are added. */
struct totals {
    bool adds;             /* the snapshot being taken is of a single interval */
    struct snapshot *from; /* the starting point in the first generation; NULL: 0 */
    struct snapshot *sum;  /* NULL before the first */
    struct map tasks;      /* task id to index in the sum's tasks, see totals_remember() */
    struct map processes;  /* likewise */
    struct map cpus;       /* by number of the CPU */
    size_t ended, ended_most;
    struct cgroup_names *names; /* of the last snapshot */
    struct profile_sum profile;
    struct machine_load load, before; /* of the last snapshot, and when the sum began */
};

struct totals *totals_new(size_t ended_most)
{
    struct totals *totals = mem_alloc(sizeof(*totals));
    totals->ended_most = ended_most;
    return totals;
}

void totals_free(struct totals *totals)
{
    if (!totals)
        return;
    snapshot_free(totals->from);
    snapshot_free(totals->sum);
    cgroup_names_drop(totals->names);
    profile_sum_release(&totals->profile);
    load_release(&totals->load);
    load_release(&totals->before);
    map_release(&totals->tasks);
    map_release(&totals->processes);
    map_release(&totals->cpus);
    free(totals);
}

/* Maps hold pointers that are not NULL, so an index is stored as index + 1. */
static void totals_remember(struct map *map, uint64_t key, size_t index)
{
    map_put(map, key, (void *)(uintptr_t)(index + 1));
}

/* The index of that key; `next` if it is new, and to be added there. */
static size_t totals_index(struct map *map, uint64_t key, size_t next)
{
    uintptr_t known = (uintptr_t)map_get(map, key);
    if (!known)
        totals_remember(map, key, next);
    return known ? known - 1 : next;
}

/* Copies cumulative counts, adds those of an interval. */
static void totals_take_counts(const struct totals *totals, struct counts *to,
                               const struct counts *from)
{
    const struct event_set *set = totals->sum->events;
    for (size_t e = 0; e < set->count && !totals->adds; e++)
        if (!scheduler_is_peak(set->events[e].kept))
            to->value[e] = 0;
    if (!totals->adds)
        memset(to->times, 0, set->groups * sizeof(*to->times));
    counts_add(to, from, set);
}

static void totals_take_number(const struct totals *totals, uint64_t *to, uint64_t from)
{
    *to = totals->adds ? *to + from : from;
}

/* The index of the process in the sum, with its facts from this snapshot. */
static size_t totals_take_process(struct totals *totals, const struct process_info *process)
{
    struct snapshot *sum = totals->sum;
    size_t index = totals_index(&totals->processes, process->id, sum->process_count);
    if (index == sum->process_count)
        snapshot_add_process(sum);
    sum->processes[index] = *process;
    return index;
}

/* Adds that a task left a cgroup when it had counted so much. A cgroup stands once among the moves,
 * with all that the task did there; so they are not in order. */
static void add_move(const struct totals *totals, struct task_sample *kept,
                     const struct task_move *move)
{
    enum { MOVES_MAX = 4096 }; /* cgroups of one row: what it does in others is in none */
    const struct event_set *set = totals->sum->events;
    struct task_move none = {.counts = counts_new(set)};
    struct task_move more = {move->cgroup, move->oncpu, counts_new(set)};
    const struct task_move *last = kept->move_count ? &kept->moves[kept->move_count - 1] : &none;
    more.oncpu -= last->oncpu;
    for (size_t e = 0; e < set->count; e++)
        more.counts.value[e] = move->counts.value[e] - last->counts.value[e];
    for (size_t g = 0; g < set->groups; g++)
        more.counts.times[g] = (struct group_time){
            move->counts.times[g].enabled - last->counts.times[g].enabled,
            move->counts.times[g].running - last->counts.times[g].running,
        };
    size_t m = 0;
    while (m < kept->move_count && kept->moves[m].cgroup != more.cgroup)
        m++;
    if (m == MOVES_MAX)
        more.cgroup = kept->moves[--m].cgroup = 0;
    if (m == kept->move_count) {
        struct task_move next = {more.cgroup, last->oncpu, counts_new(set)};
        counts_copy(&next.counts, &last->counts, set);
        kept->moves = mem_resize(kept->moves, ++kept->move_count, sizeof(next));
        kept->moves[m] = next;
    }
    for (; m < kept->move_count; m++) {
        kept->moves[m].oncpu += more.oncpu;
        counts_add(&kept->moves[m].counts, &more.counts, set);
    }
    counts_release(&more.counts);
    counts_release(&none.counts);
}

/* The same for all moves of a task. adds: they count from what is kept on. */
static void add_moves(const struct totals *totals, struct task_sample *kept,
                      const struct task_sample *task, bool adds)
{
    const struct event_set *set = totals->sum->events;
    uint64_t first = task->move_count ? task->moves[0].cgroup : task->cgroup;
    if (kept->cgroup && first && kept->cgroup != first)
        add_move(totals, kept, &(struct task_move){kept->cgroup, kept->oncpu, kept->counts});
    for (size_t m = 0; m < task->move_count; m++) {
        struct task_move move = {task->moves[m].cgroup, task->moves[m].oncpu, counts_new(set)};
        counts_copy(&move.counts, &task->moves[m].counts, set);
        if (adds) {
            move.oncpu += kept->oncpu;
            counts_add(&move.counts, &kept->counts, set);
        }
        add_move(totals, kept, &move);
        counts_release(&move.counts);
    }
}

static void use_name(const struct totals *totals, struct map *used, uint64_t cgroup)
{
    const char *path = cgroup_names_find(totals->sum->cgroups, cgroup);
    if (path && !cgroup_names_find(totals->names, cgroup))
        map_put(used, cgroup, (void *)path);
}

/* Keeps the names of all cgroups that rows have, and those of the last snapshot. */
static void take_names(struct totals *totals, struct cgroup_names *now)
{
    struct snapshot *sum = totals->sum;
    AUTO_MAP struct map used = {0};
    if (now == totals->names)
        return;
    cgroup_names_drop(totals->names);
    totals->names = cgroup_names_share(now);
    for (size_t t = 0; t < sum->task_count; t++) {
        use_name(totals, &used, sum->tasks[t].cgroup);
        for (size_t m = 0; m < sum->tasks[t].move_count; m++)
            use_name(totals, &used, sum->tasks[t].moves[m].cgroup);
    }
    struct cgroup_names *old = sum->cgroups;
    sum->cgroups = cgroup_names_join(now, &used);
    cgroup_names_drop(old);
}

static void take_task(struct totals *totals, const struct task_sample *task,
                      const struct process_info *process)
{
    struct snapshot *sum = totals->sum;
    size_t index = totals_index(&totals->tasks, task->id, sum->task_count);
    if (index == sum->task_count)
        snapshot_add_task(sum);
    struct task_sample *kept = &sum->tasks[index];
    add_moves(totals, kept, task, totals->adds);
    const struct task_sample before = *kept;
    totals->ended += task->final && !before.final;
    *kept = *task;
    kept->counts = before.counts;
    kept->wait_facts = before.wait_facts;
    kept->moves = before.moves;
    kept->move_count = before.move_count;
    kept->oncpu = before.oncpu;
    kept->cgroup = task->cgroup ? task->cgroup : before.cgroup;
    wait_facts_add(&kept->wait_facts, task->wait_facts);
    totals_take_number(totals, &kept->oncpu, task->oncpu);
    totals_take_counts(totals, &kept->counts, &task->counts);
    kept->process = totals_take_process(totals, process);
}

static void take_cpu(struct totals *totals, const struct cpu_sample *cpu)
{
    struct snapshot *sum = totals->sum;
    size_t index = totals_index(&totals->cpus, (uint64_t)cpu->cpu, sum->cpu_count);
    if (index == sum->cpu_count)
        snapshot_add_cpu(sum)->cpu = cpu->cpu;
    totals_take_number(totals, &sum->cpus[index].busy, cpu->busy);
    totals_take_counts(totals, &sum->cpus[index].counts, &cpu->counts);
}

static void totals_take_load(struct totals *totals, const struct machine_load *load)
{
    struct machine_load *sum = &totals->sum->load;
    load_copy_machine(sum, load);
    sum->pressure = totals->adds ? pressure_sum(&sum->pressure, &load->pressure)
                                 : pressure_between(&totals->before.pressure, &load->pressure);
    for (size_t c = 0; c < load->count; c++) {
        const struct cpu_load *now = &load->cpus[c], *before = load_find(&totals->before, now->cpu);
        struct kernel_times *to = &load_of(sum, now->cpu)->kernel_times;
        if (totals->adds && !now->again)
            kernel_times_add(to, &now->kernel_times);
        else if (!totals->adds)
            *to = before ? kernel_times_between(&before->kernel_times, &now->kernel_times)
                         : now->kernel_times;
    }
    if (totals->adds)
        return;
    load_release(&totals->load);
    load_copy(&totals->load, load);
}

/* --- Adding up ended tasks --- */

/* Bit in the ids of sums. Tasks' ids count from 1 and never reach it (sample/snapshot.h). */
static const uint64_t ADDED_UP = 1ull << 63;

static const char ENDED_NAME[] = "(ended)";

/* The row of ended tasks that the task is added to. Invalidates pointers to tasks. */
static struct task_sample *sum_of(struct totals *totals, size_t task)
{
    struct snapshot *sum = totals->sum;
    const struct process_info *process = &sum->processes[sum->tasks[task].process];
    size_t owner = sum->tasks[task].process;
    uint64_t id = process->id | ADDED_UP;
    if (process->exited) { /* one process without pid stands for all ended ones */
        struct process_info ended = {.id = ADDED_UP, .uid = (uid_t)-1, .exited = true};
        strcpy(ended.comm, ENDED_NAME);
        owner = totals_take_process(totals, &ended);
        id = ADDED_UP;
    }
    size_t index = totals_index(&totals->tasks, id, sum->task_count);
    if (index == sum->task_count) {
        struct task_sample *row = snapshot_add_task(sum);
        row->id = id;
        row->process = owner;
        row->cpu = -1;
        row->exited = true;
        row->several = true;
        strcpy(row->comm, ENDED_NAME);
    }
    return &sum->tasks[index];
}

/* Adds up the tasks first seen until half of ended_most are left, so that this is done rarely: a
 * task that will not be listed again (it would be counted twice), or the sum of a process that has
 * ended since. */
static void totals_add_up(struct totals *totals)
{
    struct snapshot *sum = totals->sum;
    size_t before = sum->task_count, kept = 0;
    for (size_t t = 0; t < before && totals->ended > totals->ended_most / 2; t++) {
        uint64_t id = sum->tasks[t].id;
        bool sums = id & ADDED_UP, ended = sum->processes[sum->tasks[t].process].exited;
        if (sums ? id == ADDED_UP || !ended : !sum->tasks[t].final)
            continue;
        struct task_sample *row = sum_of(totals, t), *task = &sum->tasks[t];
        add_moves(totals, row, task, true);
        row->oncpu += task->oncpu;
        if (task->state != EVENT_COUNTED)
            row->state = task->state;
        counts_add(&row->counts, &task->counts, sum->events);
        if (task->cgroup)
            add_move(totals, row, &(struct task_move){task->cgroup, row->oncpu, row->counts});
        wait_facts_add(&row->wait_facts, task->wait_facts);
        map_remove(&totals->tasks, id);
        task->id = 0;
        totals->ended -= task->final;
    }
    for (size_t t = 0; t < sum->task_count; t++) {
        if (sum->tasks[t].id == 0) {
            task_moves_free(sum->tasks[t].moves, sum->tasks[t].move_count);
            counts_release(&sum->tasks[t].counts);
            wait_facts_free(sum->tasks[t].wait_facts);
            continue;
        }
        totals_remember(&totals->tasks, sum->tasks[t].id, kept);
        sum->tasks[kept++] = sum->tasks[t];
    }
    /* snapshot_add_task() expects zeroed elements. */
    memset(&sum->tasks[kept], 0, (sum->task_count - kept) * sizeof(*sum->tasks));
    sum->task_count = kept;
}

/* Drops processes without tasks. */
static void drop_processes(struct totals *totals)
{
    struct snapshot *sum = totals->sum;
    AUTO_FREE size_t *place = mem_array(sum->process_count, sizeof(*place));
    size_t kept = 0;
    for (size_t t = 0; t < sum->task_count; t++)
        place[sum->tasks[t].process] = 1;
    for (size_t p = 0; p < sum->process_count; p++) {
        if (!place[p]) {
            map_remove(&totals->processes, sum->processes[p].id);
            continue;
        }
        totals_remember(&totals->processes, sum->processes[p].id, kept);
        place[p] = kept;
        sum->processes[kept++] = sum->processes[p];
    }
    for (size_t t = 0; t < sum->task_count; t++)
        sum->tasks[t].process = place[sum->tasks[t].process];
    memset(&sum->processes[kept], 0, (sum->process_count - kept) * sizeof(*sum->processes));
    sum->process_count = kept;
}

void totals_begin(struct totals *totals, struct snapshot *snapshot)
{
    totals->from = snapshot;
    for (size_t t = 0; t < snapshot->task_count; t++) { /* they are of the time before it */
        wait_facts_free(snapshot->tasks[t].wait_facts);
        snapshot->tasks[t].wait_facts = NULL;
    }
}

static void totals_take_tasks(struct totals *totals, const struct snapshot *s,
                              const struct watch *watch)
{
    for (size_t t = 0; t < s->task_count; t++) {
        const struct process_info *process = &s->processes[s->tasks[t].process];
        struct watched watched = snapshot_watched(s, &s->tasks[t]);
        if (!watch_may_have(watch, &watched))
            continue;
        take_task(totals, &s->tasks[t], process);
        if (totals->ended_most && totals->ended > totals->ended_most) {
            totals_add_up(totals);
            drop_processes(totals);
        }
    }
}

void totals_take(struct totals *totals, const struct snapshot *s, const struct watch *watch)
{
    if (!totals->sum || totals->sum->generation != s->generation) {
        snapshot_free(totals->sum);
        map_clear(&totals->tasks);
        map_clear(&totals->processes);
        map_clear(&totals->cpus);
        cgroup_names_drop(totals->names);
        totals->names = NULL;
        totals->ended = 0;
        profile_sum_release(&totals->profile);
        load_release(&totals->before);
        load_copy(&totals->before, &totals->load);
        totals->sum = snapshot_new(s->events);
        totals->sum->generation = s->generation;
        totals->sum->started = s->started;
        if (s->whole && totals->from && totals->from->generation == s->generation)
            totals_take_tasks(totals, totals->from, watch);
    }
    struct snapshot *sum = totals->sum;
    totals_take_tasks(totals, s, watch);
    take_names(totals, s->cgroups);
    for (size_t c = 0; c < s->cpu_count; c++)
        take_cpu(totals, &s->cpus[c]);
    sum->has_cpus = s->has_cpus;
    sum->part = s->part;
    if (s->profile)
        profile_sum_take(&totals->profile, s->profile);
    long_waits_join(&sum->long_waits, s->long_waits);
    totals_take_load(totals, &s->load);
    totals_take_counts(totals, &sum->idle, &s->idle);
    totals_take_counts(totals, &sum->unattributed, &s->unattributed);
    totals_take_number(totals, &sum->time, s->time);
    sum->wall = s->wall;
    totals_take_number(totals, &sum->lost_records, s->lost_records);
    totals_take_number(totals, &sum->throttled, s->throttled);
    sum->denied_tasks = s->denied_tasks;
    sum->starved_tasks = s->starved_tasks;
    sum->self.descriptors = s->self.descriptors;
    sum->self.rss = s->self.rss;
    totals_take_number(totals, &sum->self.cpu, s->self.cpu);
    totals_take_number(totals, &sum->self.time, s->self.time);
}

void totals_add(struct totals *totals, const struct snapshot *interval, const struct watch *watch)
{
    totals->adds = true;
    totals_take(totals, interval, watch);
    totals->adds = false;
}

struct frame *totals_frame(const struct totals *totals)
{
    if (!totals->sum)
        return NULL;
    bool from = totals->from && totals->from->generation == totals->sum->generation;
    struct frame *frame = delta_between(from ? totals->from : NULL, totals->sum, NULL);
    frame->totals = true;
    if (totals->profile.profile) { /* a copy: the sum goes on */
        struct profile_sum copy = {0};
        profile_sum_take(&copy, totals->profile.profile);
        frame->profile = mem_share(copy.profile);
        profile_sum_release(&copy);
    }
    return frame;
}
