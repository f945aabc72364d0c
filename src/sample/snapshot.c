#include "sample/snapshot.h"

struct cgroup_names {
    int references;
    size_t count;
    struct cgroup_name names[]; /* by id; the paths are behind the last one */
};

struct cgroup_names *cgroup_names_new(struct cgroup_name *names, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(names[i].path) + 1;
    struct cgroup_names *all = mem_alloc(sizeof(*all) + count * sizeof(*names) + bytes);
    char *to = (char *)(all->names + count);
    all->references = 1;
    all->count = count;
    mem_sort(names, count, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        all->names[i] = (struct cgroup_name){names[i].id, to};
        to = stpcpy(to, names[i].path) + 1;
    }
    return all;
}

struct cgroup_names *cgroup_names_share(struct cgroup_names *names)
{
    return mem_share(names);
}

void cgroup_names_drop(struct cgroup_names *names)
{
    if (mem_drop(names))
        free(names);
}

struct cgroup_names *cgroup_names_join(const struct cgroup_names *names, const struct map *more)
{
    size_t count = names ? names->count : 0;
    AUTO_FREE struct cgroup_name *all = mem_array(count + more->count, sizeof(*all));
    for (size_t i = 0; i < count; i++)
        all[i] = names->names[i];
    for (size_t i = 0; i < more->room; i++)
        if (more->slots[i].value)
            all[count++] = (struct cgroup_name){more->slots[i].key, more->slots[i].value};
    return cgroup_names_new(all, count);
}

const char *cgroup_names_find(const struct cgroup_names *names, uint64_t id)
{
    size_t after = names ? mem_after(names->names, names->count, sizeof(*names->names), id) : 0;
    return after > 0 && names->names[after - 1].id == id ? names->names[after - 1].path : NULL;
}

/* ---- snapshots ---- */

size_t counts_size(const struct event_set *set)
{
    return set->count * sizeof(uint64_t) + set->groups * sizeof(struct group_time);
}

struct counts counts_in(void *place, const struct event_set *set)
{
    uint64_t *values = place;
    return (struct counts){values, (struct group_time *)(values + set->count)};
}

struct counts counts_new(const struct event_set *set)
{
    return counts_in(mem_alloc(counts_size(set)), set);
}

void counts_release(struct counts *counts)
{
    free(counts->value);
    *counts = (struct counts){0};
}

void counts_copy(struct counts *to, const struct counts *from, const struct event_set *set)
{
    memcpy(to->value, from->value, counts_size(set)); /* the times follow */
}

void counts_add(struct counts *to, const struct counts *from, const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++) {
        if (!scheduler_is_peak(set->events[e].kept))
            to->value[e] += from->value[e];
        else if (from->value[e] > to->value[e])
            to->value[e] = from->value[e];
    }
    for (size_t g = 0; g < set->groups; g++) {
        to->times[g].enabled += from->times[g].enabled;
        to->times[g].running += from->times[g].running;
    }
}

struct snapshot *snapshot_new(struct event_set *events)
{
    struct snapshot *snapshot = mem_alloc(sizeof(*snapshot));
    snapshot->events = mem_share(events);
    snapshot->idle = counts_new(events);
    snapshot->unattributed = counts_new(events);
    return snapshot;
}

void task_moves_free(struct task_move *moves, size_t count)
{
    for (size_t i = 0; i < count; i++)
        counts_release(&moves[i].counts);
    free(moves);
}

void snapshot_free(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    for (size_t i = 0; i < snapshot->task_count; i++) {
        counts_release(&snapshot->tasks[i].counts);
        task_moves_free(snapshot->tasks[i].moves, snapshot->tasks[i].move_count);
        wait_facts_free(snapshot->tasks[i].wait_facts);
    }
    cgroup_names_drop(snapshot->cgroups);
    for (size_t i = 0; i < snapshot->cpu_count; i++)
        counts_release(&snapshot->cpus[i].counts);
    counts_release(&snapshot->idle);
    counts_release(&snapshot->unattributed);
    free(snapshot->processes);
    free(snapshot->tasks);
    free(snapshot->cpus);
    load_release(&snapshot->load);
    free(snapshot->note);
    free(snapshot->unassigned);
    free(snapshot->long_waits);
    profile_drop(snapshot->profile);
    event_set_drop(snapshot->events);
    free(snapshot);
}

struct watched snapshot_watched(const struct snapshot *snapshot, const struct task_sample *task)
{
    const struct process_info *process = &snapshot->processes[task->process];
    return (struct watched){.pid = process->pid,
                            .tid = task->tid,
                            .comm = process->comm,
                            .uid = task->other_owner ? task->uid : process->uid,
                            .command = process->command,
                            .in_cgroup = true};
}

void snapshot_name_takers(struct snapshot *snapshot)
{
    AUTO_MAP struct map processes = {0};
    for (size_t p = 0; p < snapshot->process_count; p++)
        map_put(&processes, snapshot->processes[p].id, &snapshot->processes[p]);
    for (size_t t = 0; t < snapshot->task_count; t++) {
        const struct wait_facts *facts = snapshot->tasks[t].wait_facts;
        for (size_t i = 0; facts && facts->takers && i < facts->takers->count; i++) {
            struct wait_taker *taker = &facts->takers->list[i];
            const struct process_info *process = map_get(&processes, taker->id);
            if (process)
                memcpy(taker->comm, process->comm, sizeof(taker->comm));
        }
    }
}

struct process_info *snapshot_add_process(struct snapshot *s)
{
    return MEM_ADD(s->processes, s->process_count, s->process_room);
}

struct task_sample *snapshot_add_task(struct snapshot *s)
{
    struct task_sample *task = MEM_ADD(s->tasks, s->task_count, s->task_room);
    task->counts = counts_new(s->events);
    return task;
}

struct cpu_sample *snapshot_add_cpu(struct snapshot *s)
{
    struct cpu_sample *cpu = MEM_ADD(s->cpus, s->cpu_count, s->cpu_room);
    cpu->counts = counts_new(s->events);
    return cpu;
}
