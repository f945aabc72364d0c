#include "engine/task_table.h"

void task_table_init(struct task_table *task_table, const struct task_table_lookup *lookup)
{
    *task_table = (struct task_table){.lookup = lookup, .round = 1};
}

void task_table_follow(struct task_table *task_table, const struct task_table *before,
                       bool knows_ends)
{
    task_table->next_id = before->next_id;
    task_table->before = before;
    task_table->knows_ends = knows_ends;
    task_table->owners_reported = before->owners_reported;
}

/* The same task in the table before; NULL: it is not known there. */
static const struct task *same_before(const struct task_table *task_table, pid_t pid, pid_t tid,
                                      uint64_t time)
{
    const struct task_table *before = task_table->before;
    const struct task *task = before ? map_get(&before->tasks, (uint64_t)tid) : NULL;
    bool same =
        task && task->pid == pid && !task->ended && (task_table->knows_ends || task->since == time);
    return same ? task : NULL;
}

static void release_counts(struct task *task)
{
    if (task->counts.value != task->near)
        counts_release(&task->counts);
    task_moves_free(task->moves, task->move_count);
    task->moves = NULL;
    task->move_count = task->move_room = 0;
    task_waits_free(task->waits);
}

static void count_from_zero(const struct task_table *task_table, struct task *task)
{
    bool near = counts_size(task_table->events) <= sizeof(task->near);
    release_counts(task);
    memset(task->near, 0, sizeof(task->near));
    task->counts =
        near ? counts_in(task->near, task_table->events) : counts_new(task_table->events);
    task->oncpu = task->ahead = 0;
    task->waits = task_table->waits ? mem_alloc(sizeof(*task->waits)) : NULL;
}

static struct task *task_new(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time)
{
    struct process *process = map_get(&task_table->processes, (uint64_t)pid);
    const struct task *same = same_before(task_table, pid, tid, time);
    struct task *task = mem_alloc(sizeof(*task));
    task->id = same ? same->id : ++task_table->next_id;
    if (!process) {
        process = mem_alloc(sizeof(*process));
        process->info =
            (struct process_info){.id = same ? same->process->info.id : ++task_table->next_id,
                                  .pid = pid,
                                  .uid = (uid_t)-1};
        memcpy(process->info.comm, task_unnamed, TASK_COMM_SIZE);
        map_put(&task_table->processes, (uint64_t)pid, process);
    }
    process->tasks++;
    process->living++;
    task->process = process;
    task->pid = pid;
    task->tid = tid;
    task->uid = (uid_t)-1;
    task->cpu = -1;
    memcpy(task->comm, task_unnamed, TASK_COMM_SIZE);
    task->since = time;
    if (task_table->events)
        count_from_zero(task_table, task);
    map_put(&task_table->tasks, (uint64_t)tid, task);
    if (task_table->whole)
        task_table_touch(task_table, task);
    return task;
}

/* Removes a task from a map, unless the map has another one with that id. */
static void remove_from(struct map *map, pid_t id, const void *value)
{
    if (map_get(map, (uint64_t)id) == value)
        map_remove(map, (uint64_t)id);
}

/* Makes room for another task with the same tid. */
static void task_retire(struct task_table *task_table, struct task *task)
{
    task_table_end(task_table, task);
    remove_from(&task_table->tasks, task->tid, task);
}

static void task_free(struct task_table *task_table, struct task *task)
{
    struct process *process = task->process;
    remove_from(&task_table->tasks, task->tid, task);
    if (--process->tasks == 0) {
        remove_from(&task_table->processes, process->info.pid, process);
        free(process);
    }
    release_counts(task);
    free(task);
}

void task_table_release(struct task_table *task_table)
{
    /* A retired task is in no map, but always touched, since its end is not listed yet. */
    struct task *task;
    for (size_t at = 0; (task = map_next(&task_table->tasks, &at));)
        task_table_touch(task_table, task);
    for (size_t i = 0; i < task_table->touched_count; i++)
        task_free(task_table, task_table->touched[i]);
    free(task_table->touched);
    free(task_table->changes);
    free(task_table->late);
    counts_release(&task_table->forgotten);
    map_release(&task_table->tasks);
    map_release(&task_table->processes);
}

void task_table_count(struct task_table *task_table, const struct event_set *events)
{
    task_table->events = events;
    task_table->waits = event_set_waits(events);
    task_table->whole = false;
    free(task_table->late);
    task_table->late = NULL;
    task_table->late_room = 0;
    counts_release(&task_table->forgotten);
    task_table->forgotten = counts_new(events);
    /* Drop the tasks whose end was listed. */
    size_t count = task_table->touched_count;
    task_table->touched_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (task_table->touched[i]->end_listed)
            task_free(task_table, task_table->touched[i]);
        else
            task_table->touched[task_table->touched_count++] = task_table->touched[i];
    }
    struct task *task;
    for (size_t at = 0; (task = map_next(&task_table->tasks, &at));)
        count_from_zero(task_table, task);
    for (size_t i = 0; i < task_table->touched_count; i++)
        count_from_zero(task_table, task_table->touched[i]);
}

void task_table_add_touched(struct task_table *task_table, struct task *task)
{
    task->touched = true;
    *MEM_ADD(task_table->touched, task_table->touched_count, task_table->touched_room) = task;
}

void task_table_end(struct task_table *task_table, struct task *task)
{
    if (task->ended)
        return;
    task->ended = true;
    task->process->living--;
    task->process->leader_ended |= task->tid == task->pid;
    task_table_touch(task_table, task);
}

struct task *task_table_renew(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *other = map_get(&task_table->tasks, (uint64_t)tid);
    if (other) /* records of its end and of the new task with its tid were lost */
        task_retire(task_table, other);
    return task_new(task_table, pid, tid, time);
}

struct task *task_table_begin(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *old = map_get(&task_table->tasks, (uint64_t)tid);
    if (old)
        task_retire(task_table, old);
    const struct process *process = map_get(&task_table->processes, (uint64_t)pid);
    if (process && process->living == 0)
        map_remove(&task_table->processes, (uint64_t)pid);
    return task_new(task_table, pid, tid, time);
}

struct task *task_table_adopt(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *task = map_get(&task_table->tasks, (uint64_t)tid);
    /* Only a first thread stays as a zombie. */
    if (!task && (tid != pid || task_table->lookup->alive(task_table->lookup->ctx, pid, tid)))
        task = task_table_task(task_table, pid, tid, time);
    return task;
}

void task_table_sweep(struct task_table *task_table)
{
    struct task *task;
    for (size_t at = 0; (task = map_next(&task_table->tasks, &at));)
        if (!task->ended &&
            !task_table->lookup->alive(task_table->lookup->ctx, task->pid, task->tid))
            task_table_end(task_table, task);
}

void task_table_name(struct task *task, const char *comm)
{
    memset(task->comm, 0, sizeof(task->comm));
    memccpy(task->comm, comm, 0, sizeof(task->comm) - 1);
    task->named = true;
    if (task->tid == task->pid)
        memcpy(task->process->info.comm, task->comm, TASK_COMM_SIZE);
}

static bool ask_comm(const struct task_table *task_table, struct task *task)
{
    const struct task_table_lookup *lookup = task_table->lookup;
    char comm[TASK_COMM_SIZE] = "";
    if (!task->named && lookup->comm(lookup->ctx, task->pid, task->tid, comm))
        task_table_name(task, comm);
    return task->named;
}

/* --- Owners --- */

/* The owner of what it creates. */
static uid_t owner_of(const struct task *task)
{
    return task->uid == (uid_t)-1 ? task->process->info.uid : task->uid;
}

static void set_owner(struct task *task, uid_t uid)
{
    if (task->tid == task->pid || task->process->leader_ended)
        task->process->info.uid = uid;
    if (task->tid != task->pid)
        task->uid = uid;
}

/* Not for a task that has ended: another one may have its number. */
static void ask_owner(const struct task_table *task_table, struct task *task)
{
    const struct task_table_lookup *lookup = task_table->lookup;
    uid_t uid;
    if (!task->ended && lookup->owner && lookup->owner(lookup->ctx, task->pid, task->tid, &uid))
        set_owner(task, uid);
}

void task_table_change(struct task_table *task_table, const struct owner_change *change)
{
    size_t index = task_table->change_count++;
    mem_grow(&task_table->changes, &task_table->change_room, index + 1, sizeof(*change));
    for (; index > 0 && task_table->changes[index - 1].time > change->time; index--)
        task_table->changes[index] = task_table->changes[index - 1];
    task_table->changes[index] = *change;
}

void task_table_doubt(struct task_table *task_table)
{
    task_table->round++;
}

static void take_changes(struct task_table *task_table, uint64_t until)
{
    struct owner_change *changes = task_table->changes;
    size_t taken = 0;
    for (; taken < task_table->change_count && changes[taken].time <= until; taken++) {
        struct task *task = map_get(&task_table->tasks, (uint64_t)changes[taken].tid);
        if (!task || task->pid != changes[taken].pid)
            continue; /* it is asked when it is seen first */
        set_owner(task, changes[taken].uid);
        task_table_touch(task_table, task);
    }
    task_table->change_count -= taken;
    if (taken > 0)
        memmove(changes, changes + taken, task_table->change_count * sizeof(*changes));
}

/* Takes what lookup->process() found. */
static void take_found(struct process *process, const struct process_info *found)
{
    process->info.ppid = found->ppid;
    if (found->uid != (uid_t)-1) /* it may have ended meanwhile */
        process->info.uid = found->uid;
    if (!task_known_name(process->info.comm))
        memcpy(process->info.comm, found->comm, TASK_COMM_SIZE);
}

/* Looks up owner and parent of a process, and its owner again in each round. A process that ended
 * before gets its parent's owner, as by fork(2). */
static void ask_process(struct task_table *task_table, struct process *process, int depth)
{
    enum { DEPTH_MAX = 64 };
    if (process->asked == task_table->round)
        return;
    bool first = process->asked == 0, lives = process->living > 0 || !process->leader_ended;
    process->asked = task_table->round;
    struct process_info found = process->info;
    /* Not for a process that has ended: another one may have its pid. */
    const struct task_table_lookup *lookup = task_table->lookup;
    if (!first && lives && lookup->owner && !process->leader_ended)
        lookup->owner(lookup->ctx, found.pid, found.pid, &process->info.uid);
    if (!first)
        return;
    if (lives && lookup->process(lookup->ctx, process->info.pid, &found)) {
        take_found(process, &found);
        return;
    }
    struct process *parent = map_get(&task_table->processes, (uint64_t)process->info.ppid);
    if (process->info.uid == (uid_t)-1 && parent && parent != process && depth < DEPTH_MAX) {
        ask_process(task_table, parent, depth + 1);
        process->info.uid = parent->info.uid;
    }
}

void task_table_move(const struct task_table *task_table, struct task *task, uint64_t cgroup)
{
    enum { MOVES_MAX = 4096 }; /* between two snapshots */
    struct task_move left = {task->cgroup, task->oncpu, counts_new(task_table->events)};
    size_t size = counts_size(task_table->events);
    bool counted = task->oncpu > 0 || memcmp(task->counts.value, left.counts.value, size) != 0;
    task->cgroup = cgroup;
    if (!left.cgroup || !counted || task->move_count == MOVES_MAX) {
        counts_release(&left.counts); /* all that it counted until now belongs there */
        return;
    }
    mem_grow(&task->moves, &task->move_room, task->move_count + 1, sizeof(*task->moves));
    counts_copy(&left.counts, &task->counts, task_table->events);
    for (size_t e = 0; e < task_table->events->count; e++) {
        enum scheduler_event kept = task_table->events->events[e].kept;
        if (kept && task_table->waits && !scheduler_is_peak(kept))
            left.counts.value[e] = task->waits->sum.of[kept];
    }
    task->moves[task->move_count++] = left;
}

void task_table_forget_command(struct task_table *task_table)
{
    struct task *task;
    task_table->whole = false;
    for (size_t at = 0; (task = map_next(&task_table->tasks, &at));)
        task->process->info.command = false;
    for (size_t i = 0; i < task_table->touched_count; i++)
        task_table->touched[i]->process->info.command = false;
}

void task_table_meet(struct task_table *task_table, struct task *task)
{
    ask_comm(task_table, task);
    ask_process(task_table, task->process, 0);
}

bool task_table_meet_process(struct task_table *task_table, pid_t pid, uint64_t time)
{
    const struct task_table_lookup *lookup = task_table->lookup;
    struct process_info found = {.uid = (uid_t)-1};
    struct task *task = map_get(&task_table->tasks, (uint64_t)pid);
    if (task) {
        task_table_meet(task_table, task);
    } else if (lookup->process(lookup->ctx, pid, &found) && !found.exited) {
        task = task_table_task(task_table, pid, pid, time);
        task->process->asked = task_table->round;
        take_found(task->process, &found);
        task_table_name(task, found.comm);
    }
    return task;
}

void task_table_fork(struct task_table *task_table, const struct record *r)
{
    enum { TWICE = 1000000 }; /* ns between two records of one birth: cpu_events_switch() */
    struct task *task = map_get(&task_table->tasks, (uint64_t)r->tid);
    take_changes(task_table, r->time);
    if (task && task->since + (task->ended ? 0 : TWICE) < r->time) {
        /* The tid is reused; if the old task has not ended, that record was lost. A task with a
         * later `since` is the new one itself, seen on another CPU before this record. */
        task_retire(task_table, task);
        task = NULL;
    }
    if (!task) {
        if (r->tid == r->pid) /* of an older process with this pid */
            map_remove(&task_table->processes, (uint64_t)r->pid);
        task = task_new(task_table, r->pid, r->tid, r->time);
    }
    if (r->tid == r->pid)
        task->process->info.ppid = r->parent.ppid;
    if (r->parent.ptid <= 0)
        return; /* the idle task's child: a kernel thread, named by a COMM record */
    struct task *parent = task_table_task(task_table, r->parent.ppid, r->parent.ptid, r->time);
    if (!task->named && ask_comm(task_table, parent))
        task_table_name(task, parent->comm);
    else if (!task->named) /* else all that descend from it would have no name */
        task_table_meet(task_table, task);
    if (!task->cgroup) /* until its first sample */
        task->cgroup = parent->cgroup;
    if (owner_of(parent) == (uid_t)-1 || !task_table->owners_reported) /* before it ends */
        ask_process(task_table, parent->process, 0);
    if (task->process->info.uid == (uid_t)-1)
        task->process->info.uid = owner_of(parent);
    if (r->tid != r->pid)
        task->uid = parent->uid;
    task->process->info.command |= parent->process->info.command;
}

void task_table_comm(struct task_table *task_table, const struct record *r)
{
    struct task *task = task_table_task(task_table, r->pid, r->tid, r->time), *other;
    struct process *process = task->process;
    if (r->comm.exec) {
        /* execve(2) leaves a process with one thread. If another thread than the leader calls it,
         * that thread takes over the leader's tid after the leader's end, and no record reports the
         * end of its own tid (fs/exec.c, de_thread()). */
        if (task->ended) {
            task_retire(task_table, task);
            process->leader_ended = false;
            task = task_new(task_table, r->pid, r->tid, r->time);
        }
        for (size_t at = 0; process->living > 1 && (other = map_next(&task_table->tasks, &at));)
            if (other->process == process && other != task && other->since < r->time)
                task_table_end(task_table, other);
        process->asked = 0; /* a setuid program has another owner */
        task->uid = (uid_t)-1;
    }
    task_table_name(task, r->comm.text);
    task_table_touch(task_table, task);
}

/* What it did on no CPU, up to the snapshot's time. */
static void task_table_list_waits(struct task_table *task_table, struct task *task,
                                  const struct snapshot *snapshot, struct task_sample *sample)
{
    const struct task_table_lookup *lookup = task_table->lookup;
    struct task_waits *waits = task->waits;
    uint64_t delay, age = snapshot->time - snapshot->started;
    if (!task->ended)
        waits_pass(waits, snapshot->time, NULL);
    if (task_table->delays && (waits->ended_block > 0 || !waits->delay_known) &&
        lookup->delay(lookup->ctx, task->pid, task->tid, &delay)) {
        size_t cpu = task->cpu < 0 ? 0 : (size_t)task->cpu; /* below 0: it had none to wait for */
        mem_grow(&task_table->late, &task_table->late_room, cpu + 1, sizeof(*task_table->late));
        waits_take_delay(waits, delay, &task_table->late[cpu]);
    }
    age = age ? age : 1;
    waits->told += waits->silent ? 0 : waits_span(waits->listed, age);
    waits->listed = age;
    waits->silent = waits->state == WAITS_SILENT && !task->ended;
    waits_fill(&waits->sum, true, age, waits->told, task_table->events, &sample->counts);
    sample->wait_facts = waits->facts;
    waits->facts = NULL;
}

/* Finds out where a task is that was not sampled since counting began, as one that waits for its
 * first CPU: by /proc, or if it has ended where its process or its parent is. */
static void ask_cgroup(const struct task_table *task_table, struct task *task)
{
    enum { DEPTH_MAX = 64 };
    const struct task_table_lookup *lookup = task_table->lookup;
    const struct task *near = task;
    for (int depth = 0; near && !task->cgroup && depth < DEPTH_MAX; depth++) {
        task->cgroup = near->cgroup;
        if (!task->cgroup && !near->ended && lookup->cgroup)
            task->cgroup = lookup->cgroup(lookup->ctx, near->pid);
        near = map_get(&task_table->tasks,
                       (uint64_t)(near->tid == near->pid ? near->process->info.ppid : near->pid));
    }
}

static void task_table_list_task(struct task_table *task_table, struct snapshot *snapshot,
                                 struct task *task)
{
    struct process *process = task->process;
    bool known = task->named && task_table->owners_reported;
    /* A slice that came after the task's end was listed and forgotten made a new task of it. */
    if (!task->ended && !ask_comm(task_table, task))
        task_table_end(task_table, task);
    ask_process(task_table, process, 0);
    if (!known && task->tid != task->pid)
        ask_owner(task_table, task);
    bool waited = task_table->waits && task->waits->sum.of[SCHEDULER_WAIT] > 0;
    if (task_table->cgroups && !task->cgroup && (waited || task->oncpu > 0))
        ask_cgroup(task_table, task);
    if (!process->listed) {
        *snapshot_add_process(snapshot) = process->info;
        process->listed = snapshot->process_count;
    }
    struct task_sample *sample = snapshot_add_task(snapshot);
    sample->id = task->id;
    sample->process = process->listed - 1;
    sample->tid = task->tid;
    memcpy(sample->comm, task->comm, sizeof(sample->comm));
    sample->cpu = task->cpu;
    sample->other_owner = task->uid != (uid_t)-1 && task->uid != process->info.uid;
    sample->uid = task->uid;
    sample->exited = task->ended;
    sample->final = task->end_listed && task->ahead == 0;
    /* launch_overhead_settle() may have moved some of `ahead` to another task. */
    sample->oncpu = task->oncpu > task->ahead ? task->oncpu - task->ahead : 0;
    sample->several = task->several;
    sample->cgroup = task->cgroup;
    sample->move_count = task->move_count;
    sample->moves = task->moves;
    task->moves = NULL;
    task->move_count = task->move_room = 0;
    sample->state = task->state;
    counts_copy(&sample->counts, &task->counts, task_table->events);
    if (task_table->waits)
        task_table_list_waits(task_table, task, snapshot, sample);
}

static int by_task_tid(const void *a, const void *b)
{
    const struct task *x = *(struct task *const *)a, *y = *(struct task *const *)b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

/* In the order of their tids the rows are nearly sorted. */
static void touch_all(struct task_table *task_table)
{
    struct task *task;
    for (size_t at = 0; (task = map_next(&task_table->tasks, &at));)
        task_table_touch(task_table, task);
    if (task_table->touched_count > 1) /* otherwise `touched` may be NULL */
        qsort(task_table->touched, task_table->touched_count, sizeof(struct task *), by_task_tid);
}

void task_table_list(struct task_table *task_table, struct snapshot *snapshot, bool all,
                     void (*forget)(void *ctx, struct task *task), void *ctx)
{
    struct task *task;
    take_changes(task_table, snapshot->time);
    snapshot->active = !all;
    snapshot->whole = all;
    if (all && !task_table->whole)
        touch_all(task_table);
    task_table->whole = all;
    size_t count = task_table->touched_count, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!task_table->members_only || task_table->touched[i]->member)
            task_table_list_task(task_table, snapshot, task_table->touched[i]);
    if (task_table->waits)
        snapshot_name_takers(snapshot);
    for (size_t i = 0; i < count; i++) {
        struct process *process = task_table->touched[i]->process;
        if (process->listed) {
            snapshot->processes[process->listed - 1].exited =
                process->leader_ended && process->living == 0;
            process->listed = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        task = task_table->touched[i];
        uint64_t ahead = task->ahead;
        bool restless = task_table->waits || task->state != EVENT_COUNTED; /* changes untouched */
        task->ahead = 0;
        if (task->end_listed && ahead == 0) {
            if (forget)
                forget(ctx, task);
            counts_add(&task_table->forgotten, &task->counts, task_table->events);
            task_free(task_table, task);
        } else if (task->ended || ahead > 0 || (all && restless)) {
            /* `ahead` belongs to the next snapshot */
            task->end_listed = task->ended;
            task_table->touched[kept++] = task;
        } else {
            task->touched = false;
        }
    }
    task_table->touched_count = kept;
    if (!task_table->owners_reported)
        task_table_doubt(task_table);
}

void task_table_add_up(const struct task_table *task_table, struct counts *sum)
{
    const struct task *task;
    counts_add(sum, &task_table->forgotten, task_table->events);
    for (size_t at = 0; (task = map_next(&task_table->tasks, &at));)
        counts_add(sum, &task->counts, task_table->events);
    for (size_t i = 0; i < task_table->touched_count; i++) {
        task = task_table->touched[i];
        if (map_get(&task_table->tasks, (uint64_t)task->tid) != task) /* retired */
            counts_add(sum, &task->counts, task_table->events);
    }
}
