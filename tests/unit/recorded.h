/* Intervals made by hand, to be recorded. */
#pragma once

#include "base/mem.h"
#include "record/reader.h"
#include "record/writer.h"
#include "unit/test.h"

#include <string.h>

static const uint64_t SECOND = 1000000000;
static const struct run_facts RUN = {"1.2.3", "skx\nadl", 2.5};

/* That many events, three to a group; the first of the last group is shared. */
static inline struct event_set *recorded_set(size_t count)
{
    struct event_set *set = event_set_new(count);
    set->groups = (count + 2) / 3;
    for (size_t e = 0; e < count; e++) {
        set->events[e].name = mem_printf("event %zu", e);
        set->events[e].pmu = mem_strdup("pmu");
        set->events[e].unit = mem_strdup("ns");
        set->events[e].scale = 0.1;
        set->events[e].encoding = mem_strdup("type=1");
        set->events[e].group = (int)e / 3;
        set->events[e].hardware = e % 2;
    }
    return set;
}

static inline struct session recorded_session(const char *notice)
{
    struct session session = {
        .host = mem_strdup("h"),
        .kernel = mem_strdup("6.1"),
        .cpu_model = mem_strdup("model"),
        .engine = mem_strdup("cpu"),
        .engine_reason = mem_strdup("why"),
        .notice = mem_strdup(notice),
        .faults = mem_strdup("a\nb\n"),
        .counters = 6,
        .mode = MODE_KERNEL,
        .delay = 0.3,
    };
    cpulist_parse(&session.cpus, "0-1,4", NULL);
    session.watch = (struct watch){0};
    return session;
}

static inline struct snapshot *recorded_interval(struct event_set *set, double wall)
{
    struct snapshot *s = snapshot_new(set);
    s->time = SECOND + 7;
    s->wall = wall;
    return s;
}

/* A process with one thread; each has the counts number, number + 1 ... */
static inline struct task_sample *recorded_add(struct snapshot *s, pid_t pid, uint64_t number)
{
    struct process_info *process = snapshot_add_process(s);
    process->id = 1000u + (uint64_t)pid;
    process->pid = pid;
    process->ppid = 1;
    process->uid = (uid_t)pid % 2;
    strcpy(process->comm, "process");
    struct task_sample *task = snapshot_add_task(s);
    task->id = (uint64_t)pid;
    task->process = s->process_count - 1;
    task->tid = pid;
    strcpy(task->comm, "task");
    task->cpu = pid % 3;
    task->oncpu = number * 11;
    for (size_t e = 0; e < s->events->count && number; e++)
        task->counts.value[e] = number + e;
    for (size_t g = 0; g < s->events->groups; g++)
        task->counts.times[g] = (struct group_time){number * 11, g ? number * 5 : number * 11};
    return task;
}

static inline void recorded_add_cpu(struct snapshot *s, int number, uint64_t count)
{
    struct cpu_sample *cpu = snapshot_add_cpu(s);
    cpu->cpu = number;
    cpu->busy = count * 3;
    cpu->counts.value[0] = count;
    cpu->counts.times[0] = (struct group_time){SECOND, SECOND - count};
    s->has_cpus = true;
    s->idle.value[0] = count + 1;
    s->unattributed.value[0] = count + 2;
}

static inline struct writer *recorded_writer(const char *path)
{
    struct err err = {""};
    struct writer *writer = writer_open(&(struct writer_options){.path = path, .facts = RUN}, &err);
    assert_string_equal(err.text, "");
    return writer;
}

/* Writes an interval, and frees it. */
static inline void recorded_write(struct writer *writer, const struct session *session,
                                  struct snapshot *s)
{
    struct err err = {""};
    writer_take(writer, session, s, &err);
    assert_string_equal(err.text, "");
    snapshot_free(s);
}
