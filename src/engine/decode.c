#include "engine/decode.h"

#include <string.h>

/* The trailer of every record that is no sample (attr.sample_id_all), for DECODE_ID_FIELDS. */
struct trailer {
    uint32_t pid, tid;
    uint64_t time;
    uint64_t id;
};

static bool decode_sample(const uint64_t *body, size_t words, struct record *record)
{
    enum { ID, TASK, TIME, READ, LEAST = READ + 3 };
    if (words < LEAST)
        return false;
    const struct group_read *read = (const void *)(body + READ);
    if (read->count > words - LEAST)
        return false;
    uint32_t task[2];
    memcpy(task, body + TASK, sizeof(task));
    record->kind = RECORD_SAMPLE;
    record->id = body[ID];
    record->pid = (pid_t)task[0];
    record->tid = (pid_t)task[1];
    record->time = body[TIME];
    record->read = read;
    return true;
}

static bool decode_task(const void *body, size_t size, struct record *record)
{
    struct {
        uint32_t pid, ppid, tid, ptid;
        uint64_t time;
    } task;
    if (size < sizeof(task))
        return false;
    memcpy(&task, body, sizeof(task));
    record->pid = (pid_t)task.pid;
    record->tid = (pid_t)task.tid;
    record->parent.ppid = (pid_t)task.ppid;
    record->parent.ptid = (pid_t)task.ptid;
    return true;
}

static bool decode_comm(const void *body, size_t size, bool exec, struct record *record)
{
    uint32_t task[2];
    if (size < sizeof(task) + 1)
        return false;
    memcpy(task, body, sizeof(task));
    record->pid = (pid_t)task[0];
    record->tid = (pid_t)task[1];
    const char *text = (const char *)body + sizeof(task);
    size_t length = strnlen(text, size - sizeof(task));
    if (length >= sizeof(record->comm.text))
        length = sizeof(record->comm.text) - 1;
    memset(record->comm.text, 0, sizeof(record->comm.text));
    memcpy(record->comm.text, text, length);
    record->comm.exec = exec;
    return true;
}

static bool decode_switch(const void *body, size_t size, struct record *record)
{
    uint32_t other[2];
    if (size < sizeof(other))
        return false;
    memcpy(other, body, sizeof(other));
    record->other.pid = (pid_t)other[0];
    record->other.tid = (pid_t)other[1];
    return true;
}

bool decode_record(const struct perf_event_header *header, struct record *record)
{
    if (header->size < sizeof(*header) || header->size % 8)
        return false;
    size_t size = header->size - sizeof(*header);
    const char *body = (const char *)(header + 1);
    *record = (struct record){.kind = RECORD_OTHER};
    if (header->type == PERF_RECORD_SAMPLE)
        return decode_sample((const void *)body, size / 8, record);

    struct trailer trailer;
    if (size < sizeof(trailer))
        return false;
    size -= sizeof(trailer);
    memcpy(&trailer, body + size, sizeof(trailer));
    record->pid = (pid_t)trailer.pid;
    record->tid = (pid_t)trailer.tid;
    record->time = trailer.time;
    record->id = trailer.id;

    switch (header->type) {
    case PERF_RECORD_FORK:
        record->kind = RECORD_FORK;
        return decode_task(body, size, record);
    case PERF_RECORD_EXIT:
        record->kind = RECORD_EXIT;
        return decode_task(body, size, record);
    case PERF_RECORD_COMM:
        record->kind = RECORD_COMM;
        return decode_comm(body, size, header->misc & PERF_RECORD_MISC_COMM_EXEC, record);
    case PERF_RECORD_SWITCH_CPU_WIDE:
        record->kind =
            header->misc & PERF_RECORD_MISC_SWITCH_OUT ? RECORD_SWITCH_OUT : RECORD_SWITCH_IN;
        return decode_switch(body, size, record);
    case PERF_RECORD_LOST:
        record->kind = RECORD_LOST;
        if (size < 16)
            return false;
        memcpy(&record->lost, body + 8, 8);
        return true;
    case PERF_RECORD_LOST_SAMPLES:
        record->kind = RECORD_LOST;
        if (size < 8)
            return false;
        memcpy(&record->lost, body, 8);
        return true;
    case PERF_RECORD_THROTTLE:
        record->kind = RECORD_THROTTLE;
        return true;
    default:
        return true;
    }
}
