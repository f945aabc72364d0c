/* Records as the kernel writes them (perf_event_open(2), "MMAP layout"), built by hand. */
#pragma once

#include "engine/decode.h"

#include <stdio.h>
#include <string.h>

struct raw {
    struct perf_event_header header;
    uint64_t words[64];
};

static inline void raw_begin(struct raw *raw, uint32_t type, uint16_t misc)
{
    memset(raw, 0, sizeof(*raw));
    raw->header = (struct perf_event_header){type, misc, sizeof(raw->header)};
}

static inline void raw_add(struct raw *raw, uint64_t word)
{
    raw->words[raw->header.size / 8 - 1] = word;
    raw->header.size = (uint16_t)(raw->header.size + 8);
}

/* Two 32-bit fields, in the order of memory. */
static inline void raw_add_pair(struct raw *raw, pid_t first, pid_t second)
{
    int32_t pair[2] = {first, second};
    uint64_t word;
    memcpy(&word, pair, sizeof(word));
    raw_add(raw, word);
}

/* sample_id_all, for DECODE_ID_FIELDS. */
static inline void raw_trailer(struct raw *raw, pid_t pid, pid_t tid, uint64_t time)
{
    raw_add_pair(raw, pid, tid);
    raw_add(raw, time);
}

/* DECODE_SWITCH_FIELDS; with a time that is not 0, also that; with a period, DECODE_TICK_FIELDS. */
static inline void raw_sample(struct raw *raw, pid_t pid, pid_t tid, uint64_t time, uint64_t period,
                              uint64_t enabled, uint64_t running, size_t count,
                              const uint64_t *values)
{
    raw_begin(raw, PERF_RECORD_SAMPLE, 0);
    raw_add_pair(raw, pid, tid);
    if (time)
        raw_add(raw, time);
    if (period)
        raw_add(raw, period);
    raw_add(raw, count);
    raw_add(raw, enabled);
    raw_add(raw, running);
    for (size_t i = 0; i < count; i++)
        raw_add(raw, values[i]);
}

/* FORK or EXIT. */
static inline void raw_task(struct raw *raw, uint32_t type, pid_t pid, pid_t tid, pid_t ppid,
                            pid_t ptid, uint64_t time)
{
    raw_begin(raw, type, 0);
    raw_add_pair(raw, pid, ppid);
    raw_add_pair(raw, tid, ptid);
    raw_add(raw, time);
    raw_trailer(raw, ppid, ptid, time);
}

/* size: of the field for the text, a multiple of 8. */
static inline void raw_add_text(struct raw *raw, const char *text, size_t size)
{
    size_t length = strlen(text) < size ? strlen(text) : size;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        if (at < length)
            memcpy(&word, text + at, length - at < 8 ? length - at : 8);
        raw_add(raw, word);
    }
}

/* size: of the field for the name, a multiple of 8. */
static inline void raw_comm(struct raw *raw, pid_t pid, pid_t tid, const char *comm, size_t size,
                            bool exec, uint64_t time)
{
    raw_begin(raw, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
    raw_add_pair(raw, pid, tid);
    raw_add_text(raw, comm, size);
    raw_trailer(raw, pid, tid, time);
}

static inline void raw_switch(struct raw *raw, bool out, pid_t pid, pid_t tid, pid_t other_pid,
                              pid_t other_tid, uint64_t time)
{
    raw_begin(raw, PERF_RECORD_SWITCH_CPU_WIDE, out ? PERF_RECORD_MISC_SWITCH_OUT : 0);
    raw_add_pair(raw, other_pid, other_tid);
    raw_trailer(raw, pid, tid, time);
}

/* DECODE_WAKE_FIELDS; tracepoint: its number, the first field of its data. */
static inline void raw_wake(struct raw *raw, pid_t tid, uint16_t tracepoint, const char *name,
                            pid_t woken, uint64_t time)
{
    struct {
        uint32_t size;
        uint16_t number, flags;
        int32_t writer;
        char comm[16];
        int32_t woken, priority, cpu;
    } data = {sizeof(data) - sizeof(data.size), tracepoint, 0, tid, "", woken, 120, 1};
    snprintf(data.comm, sizeof(data.comm), "%s", name);
    raw_begin(raw, PERF_RECORD_SAMPLE, 0);
    raw_add(raw, time);
    for (size_t at = 0; at < sizeof(data); at += 8) {
        uint64_t word;
        memcpy(&word, (char *)&data + at, sizeof(word));
        raw_add(raw, word);
    }
}

static inline void raw_lost(struct raw *raw, uint64_t lost, uint64_t time)
{
    raw_begin(raw, PERF_RECORD_LOST, 0);
    raw_add(raw, 99);
    raw_add(raw, lost);
    raw_trailer(raw, 1, 1, time);
}
