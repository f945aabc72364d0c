/* Decodes bytes of a ring into typed records. Pure; rejects records that do not fit their own
 * size. */
#pragma once

#include "sample/snapshot.h"

/* The sample_type that an engine's events need for their records to be decoded here. The tasks that
 * switch pay for each switch's record, so it has only necessary fields; its sample may have the
 * time as well. The sample of a tick is recognized by its period. */
enum {
    DECODE_ID_FIELDS = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, /* with sample_id_all */
    DECODE_SWITCH_FIELDS = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
    DECODE_TICK_FIELDS = DECODE_SWITCH_FIELDS | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
    /* Of the tracepoints of wake-ups and migrations, period 1. */
    DECODE_WAKE_FIELDS = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
    DECODE_WAKE_PID = 24, /* where its data must have the pid that is woken: one integer */
    DECODE_READ_FORMAT =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    /* Of events whose counts are written when a task ends (attr.inherit_stat). */
    DECODE_EXIT_FORMAT = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                         PERF_FORMAT_ID | PERF_FORMAT_LOST,
    /* Of an event that samples the group of inherited events that it belongs to. */
    DECODE_GROUP_FIELDS = DECODE_ID_FIELDS | PERF_SAMPLE_READ,
    DECODE_GROUP_FORMAT = DECODE_READ_FORMAT | PERF_FORMAT_ID,
};

/* DECODE_EXIT_FORMAT, as in read(2) and records. */
struct exit_read {
    uint64_t value;
    uint64_t enabled;
    uint64_t running;
    uint64_t id;   /* by sys_id(): of the event that was inherited */
    uint64_t lost; /* records that it could not write, of all tasks */
};

/* PERF_FORMAT_GROUP with both times, as in read(2) and samples. */
struct group_read {
    uint64_t count;
    uint64_t enabled;
    uint64_t running;
    uint64_t
        value[]; /* with DECODE_GROUP_FORMAT each one is followed by the event's id, by sys_id() */
};

enum record_kind {
    RECORD_SAMPLE, /* counters of a group at one instant */
    RECORD_GROUP,  /* ... with their ids: DECODE_GROUP_FORMAT */
    RECORD_FORK,
    RECORD_EXIT,
    RECORD_COMM,
    RECORD_MAP,        /* a task maps code */
    RECORD_KERNEL,     /* the kernel's symbols changed */
    RECORD_SWITCH_IN,  /* a task begins to run */
    RECORD_SWITCH_OUT, /* a task stops running */
    RECORD_WAKE,       /* a task wakes another one, or another tracepoint's record */
    RECORD_CGROUP,     /* a cgroup was made */
    RECORD_READ,       /* what one event counted for a task that ends */
    RECORD_LOST,
    RECORD_THROTTLE,
    RECORD_OTHER,
};

struct record {
    enum record_kind kind;
    uint64_t time;   /* monotonic, ns; 0: a sample without time, or lost records */
    bool tick;       /* sample: written by a timer, not by a switch */
    bool preempted;  /* switch out: the task could go on (PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) */
    bool interrupt;  /* wake-up: by an interrupt or softirq, not by the task that it came to */
    pid_t pid, tid;  /* of the task; -1 in a sample of a task that is gone */
    uint64_t cgroup; /* sample: of the task, if decode_cgroup() was called; RECORD_CGROUP: its id */
    union {
        const struct group_read *read; /* sample, group: points into the bytes */
        struct {
            pid_t ppid, ptid;
        } parent; /* fork, exit */
        struct {
            char text[TASK_COMM_SIZE];
            bool exec;
        } comm;
        struct {
            pid_t pid, tid;
        } other; /* switch: predecessor or successor */
        struct { /* wake-up */
            pid_t woken;
            uint16_t tracepoint; /* its number */
            uint16_t size;
            const char *data; /* points into the bytes */
        };
        struct exit_read exit; /* read */
        uint64_t lost;         /* records */
        const char *path;      /* cgroup: points into the bytes */
    };
};

/* False if the bytes are not a record of the engine's events. header->size bytes must be readable,
 * aligned to 8. values: of the group whose samples these are, 0 if it is not known. Such a sample
 * may be longer than its content: from Linux 6.3 on the events of one context switch also share the
 * length of what one of them, of whatever process, adds (a call chain), and the others write as
 * much of what the ring had before (kernel/events/core.c, perf_sample_data_size(): dyn_size). */
bool decode_record(const struct perf_event_header *header, size_t values, struct record *record);

/* The same for a record that is no sample, of `size` bytes after its header: the last ones of them
 * are DECODE_ID_FIELDS, as at the end of every record but samples (attr.sample_id_all). */
bool decode_other(const struct perf_event_header *header, size_t size, struct record *record);

/* Fills record->cgroup of a sample that decode_record() took from these bytes, and whose event has
 * PERF_SAMPLE_CGROUP, too: the id stands behind the counts. It is that of the cgroup in which the
 * running task is in the hierarchy of perf_event (kernel/events/core.c, perf_prepare_sample():
 * task_css_check(current, perf_event_cgrp_id)), also for a task that is about to end. False, and
 * 0, if the bytes end before. */
static inline bool decode_cgroup(const struct perf_event_header *header, struct record *record)
{
    const uint64_t *id = &record->read->value[record->read->count];
    bool there = (const char *)(id + 1) <= (const char *)header + header->size;
    record->cgroup = there ? *id : 0;
    return there;
}

/* How records of migrations are told from wake-ups, and where their data has what they say. */
struct decode_migration {
    uint64_t tracepoint; /* 0: there are none */
    size_t pid, cpu;     /* offsets of integers of 32 bits */
};

/* Whether a RECORD_WAKE is such a record; fills the thread and its next CPU. */
static inline bool decode_migrate(const struct decode_migration *form, const struct record *record,
                                  pid_t *tid, int *cpu)
{
    if (record->tracepoint != form->tracepoint || form->pid + sizeof(*tid) > record->size ||
        form->cpu + sizeof(*cpu) > record->size)
        return false;
    memcpy(tid, record->data + form->pid, sizeof(*tid));
    memcpy(cpu, record->data + form->cpu, sizeof(*cpu));
    return true;
}

/* Takes two fields of 32 bits, such as a pid and a tid. */
static inline void take_pair(const void *body, pid_t *first, pid_t *second)
{
    memcpy(first, body, sizeof(*first));
    memcpy(second, (const char *)body + sizeof(*first), sizeof(*second));
}
