#include "engine/roster.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void roster_init(struct roster *roster, const struct roster_lookup *lookup)
{
    *roster = (struct roster){.lookup = lookup};
    map_init(&roster->tasks);
    map_init(&roster->processes);
}

static struct process *process_of(struct roster *roster, pid_t pid)
{
    struct process *process = map_get(&roster->processes, (uint64_t)pid);
    if (process)
        return process;
    process = mem_alloc(sizeof(*process));
    process->info = (struct process_info){.id = ++roster->next_id, .pid = pid, .uid = (uid_t)-1};
    map_put(&roster->processes, (uint64_t)pid, process);
    return process;
}

/* The next task with that pid belongs to another process. */
static void process_retire(struct roster *roster, struct process *process)
{
    if (map_get(&roster->processes, (uint64_t)process->info.pid) == process)
        map_remove(&roster->processes, (uint64_t)process->info.pid);
}

static void task_retire(struct roster *roster, struct task *task)
{
    if (map_get(&roster->tasks, (uint64_t)task->tid) == task)
        map_remove(&roster->tasks, (uint64_t)task->tid);
}

static struct task *task_new(struct roster *roster, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *task = mem_alloc(sizeof(*task));
    task->id = ++roster->next_id;
    task->tid = tid;
    task->cpu = -1;
    task->since = time;
    task->process = process_of(roster, pid);
    task->process->tasks++;
    task->process->living++;
    if (roster->events)
        task->counts = counts_new(roster->events);
    map_put(&roster->tasks, (uint64_t)tid, task);
    return task;
}

static void task_free(struct roster *roster, struct task *task)
{
    struct process *process = task->process;
    task_retire(roster, task);
    if (--process->tasks == 0) {
        process_retire(roster, process);
        free(process);
    }
    counts_release(&task->counts);
    free(task);
}

void roster_release(struct roster *roster)
{
    /* A retired task is in no map, but always touched: its end is yet to be told. */
    for (size_t i = 0; i < roster->touched_count; i++)
        task_free(roster, roster->touched[i]);
    struct task *task;
    size_t at = 0, count = 0;
    struct task **left = mem_array(roster->tasks.count, sizeof(*left));
    while ((task = map_next(&roster->tasks, &at)))
        left[count++] = task;
    for (size_t i = 0; i < count; i++)
        task_free(roster, left[i]);
    free(left);
    free(roster->touched);
    counts_release(&roster->forgotten);
    map_release(&roster->tasks);
    map_release(&roster->processes);
}

static void count_anew(struct task *task, const struct event_set *events)
{
    counts_release(&task->counts);
    task->counts = counts_new(events);
    task->oncpu = task->ahead = 0;
}

void roster_count(struct roster *roster, const struct event_set *events)
{
    roster->events = events;
    counts_release(&roster->forgotten);
    roster->forgotten = counts_new(events);
    /* Whose end was told has nothing more to tell. */
    size_t count = roster->touched_count;
    roster->touched_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (roster->touched[i]->told)
            task_free(roster, roster->touched[i]);
        else
            roster->touched[roster->touched_count++] = roster->touched[i];
    }
    struct task *task;
    for (size_t at = 0; (task = map_next(&roster->tasks, &at));)
        count_anew(task, events);
    for (size_t i = 0; i < roster->touched_count; i++)
        count_anew(roster->touched[i], events);
}

void roster_touch(struct roster *roster, struct task *task)
{
    if (task->touched)
        return;
    task->touched = true;
    mem_grow(&roster->touched, &roster->touched_room, roster->touched_count + 1,
             sizeof(*roster->touched));
    roster->touched[roster->touched_count++] = task;
}

void roster_end(struct roster *roster, struct task *task)
{
    if (task->ended)
        return;
    task->ended = true;
    task->process->living--;
    task->process->leader_ended |= task->tid == task->process->info.pid;
    roster_touch(roster, task);
}

struct task *roster_task(struct roster *roster, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *task = map_get(&roster->tasks, (uint64_t)tid);
    if (task && task->process->info.pid != pid) {
        /* The news of its end, and of the birth of the one that has its tid now, was lost. */
        roster_end(roster, task);
        task_retire(roster, task);
        task = NULL;
    }
    return task ? task : task_new(roster, pid, tid, time);
}

struct task *roster_begin(struct roster *roster, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *old = map_get(&roster->tasks, (uint64_t)tid);
    if (old) {
        roster_end(roster, old);
        task_retire(roster, old);
    }
    struct process *process = map_get(&roster->processes, (uint64_t)pid);
    if (process && process->living == 0)
        process_retire(roster, process);
    return task_new(roster, pid, tid, time);
}

struct task *roster_adopt(struct roster *roster, pid_t pid, pid_t tid, uint64_t time)
{
    struct task *task = map_get(&roster->tasks, (uint64_t)tid);
    if (!task && roster->lookup->alive(roster->lookup->ctx, pid, tid))
        task = roster_task(roster, pid, tid, time);
    return task;
}

void roster_sweep(struct roster *roster)
{
    struct task *task;
    for (size_t at = 0; (task = map_next(&roster->tasks, &at));)
        if (!task->ended &&
            !roster->lookup->alive(roster->lookup->ctx, task->process->info.pid, task->tid))
            roster_end(roster, task);
}

void roster_name(struct task *task, const char comm[TASK_COMM_SIZE])
{
    memcpy(task->comm, comm, TASK_COMM_SIZE);
    task->named = true;
    if (task->tid == task->process->info.pid)
        memcpy(task->process->info.comm, comm, TASK_COMM_SIZE);
}

static bool ask_comm(struct roster *roster, struct task *task)
{
    char comm[TASK_COMM_SIZE] = "";
    if (task->named)
        return true;
    if (!roster->lookup->comm(roster->lookup->ctx, task->process->info.pid, task->tid, comm))
        return false;
    roster_name(task, comm);
    return true;
}

/* Owner and parent, asked for once for each process that is to be shown. One that ended before it
 * could be asked has its parent's owner: fork(2) hands that on. */
static void ask_process(struct roster *roster, struct process *process, int depth)
{
    enum { DEEPEST = 64 };
    if (process->asked)
        return;
    process->asked = true;
    struct process_info found = process->info;
    /* One that has ended is not asked: its pid may be another's by now. */
    bool there = process->living > 0 || !process->leader_ended;
    if (there && roster->lookup->process(roster->lookup->ctx, process->info.pid, &found)) {
        process->info.ppid = found.ppid;
        if (found.uid != (uid_t)-1) /* it may have ended in between */
            process->info.uid = found.uid;
        if (!process->info.comm[0])
            memcpy(process->info.comm, found.comm, TASK_COMM_SIZE);
        return;
    }
    struct process *parent = map_get(&roster->processes, (uint64_t)process->info.ppid);
    if (process->info.uid == (uid_t)-1 && parent && parent != process && depth < DEEPEST) {
        ask_process(roster, parent, depth + 1);
        process->info.uid = parent->info.uid;
    }
}

void roster_meet(struct roster *roster, struct task *task)
{
    ask_comm(roster, task);
    ask_process(roster, task->process, 0);
}

void roster_fork(struct roster *roster, const struct record *r)
{
    struct task *task = map_get(&roster->tasks, (uint64_t)r->tid);
    if (task && task->since < r->time) {
        /* The tid is used again; where the old one has not ended, that news was lost. One known
         * since later is the new task itself, seen on another CPU before this record. */
        roster_end(roster, task);
        task_retire(roster, task);
        task = NULL;
    }
    if (!task) {
        struct process *old = map_get(&roster->processes, (uint64_t)r->pid);
        if (r->tid == r->pid && old)
            process_retire(roster, old);
        task = task_new(roster, r->pid, r->tid, r->time);
    }
    if (r->tid == r->pid)
        task->process->info.ppid = r->parent.ppid;
    if (r->parent.ptid <= 0)
        return; /* the idle task's child: a kernel thread, named by a COMM record */
    struct task *parent = roster_task(roster, r->parent.ppid, r->parent.ptid, r->time);
    if (!task->named && ask_comm(roster, parent))
        roster_name(task, parent->comm);
    if (task->process->info.uid == (uid_t)-1)
        task->process->info.uid = parent->process->info.uid;
    task->process->info.command |= parent->process->info.command;
}

/* execve(2) leaves a process with one thread. Another one than the leader that calls it takes over
 * the leader's tid after the leader's end, and of its own tid's end no record tells (kernel:
 * de_thread() in fs/exec.c). */
static struct task *task_after_exec(struct roster *roster, struct task *task, uint64_t time)
{
    struct process *process = task->process;
    if (task->ended) {
        task_retire(roster, task);
        process->leader_ended = false;
        task = task_new(roster, process->info.pid, task->tid, time);
    }
    struct task *other;
    for (size_t at = 0; process->living > 1 && (other = map_next(&roster->tasks, &at));)
        if (other->process == process && other != task && other->since < time)
            roster_end(roster, other);
    process->asked = false; /* a setuid program has another owner */
    return task;
}

void roster_comm(struct roster *roster, const struct record *r)
{
    struct task *task = roster_task(roster, r->pid, r->tid, r->time);
    if (r->comm.exec)
        task = task_after_exec(roster, task, r->time);
    roster_name(task, r->comm.text);
    roster_touch(roster, task);
}

static void list_task(struct roster *roster, struct snapshot *snapshot, struct task *task)
{
    struct process *process = task->process;
    if (!task->ended && !ask_comm(roster, task))
        roster_end(roster, task); /* its end was told before its last slice, and it forgotten */
    ask_process(roster, process, 0);
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
    sample->exited = task->ended;
    sample->final = task->told && task->ahead == 0;
    /* A prelude may have moved what is ahead to another task. */
    sample->oncpu = task->oncpu > task->ahead ? task->oncpu - task->ahead : 0;
    sample->several = task->several;
    sample->state = task->state;
    counts_copy(&sample->counts, &task->counts, roster->events);
}

void roster_list(struct roster *roster, struct snapshot *snapshot, bool all,
                 void (*forget)(void *ctx, struct task *task), void *ctx)
{
    struct task *task;
    for (size_t at = 0; all && (task = map_next(&roster->tasks, &at));)
        roster_touch(roster, task);
    size_t count = roster->touched_count, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!roster->members_only || roster->touched[i]->member)
            list_task(roster, snapshot, roster->touched[i]);
    for (size_t i = 0; i < count; i++) {
        struct process *process = roster->touched[i]->process;
        if (process->listed) {
            snapshot->processes[process->listed - 1].exited =
                process->leader_ended && process->living == 0;
            process->listed = 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        task = roster->touched[i];
        uint64_t ahead = task->ahead;
        task->ahead = 0;
        if (task->told && ahead == 0) {
            if (forget)
                forget(ctx, task);
            counts_add(&roster->forgotten, &task->counts, roster->events);
            task_free(roster, task);
        } else if (task->ended || ahead > 0) { /* what is ahead is for the next snapshot */
            task->told = task->ended;
            roster->touched[kept++] = task;
        } else {
            task->touched = false;
        }
    }
    roster->touched_count = kept;
}

void roster_add_up(const struct roster *roster, struct counts *sum)
{
    const struct task *task;
    counts_add(sum, &roster->forgotten, roster->events);
    for (size_t at = 0; (task = map_next(&roster->tasks, &at));)
        counts_add(sum, &task->counts, roster->events);
    for (size_t i = 0; i < roster->touched_count; i++) {
        task = roster->touched[i];
        if (map_get(&roster->tasks, (uint64_t)task->tid) != task) /* retired */
            counts_add(sum, &task->counts, roster->events);
    }
}
