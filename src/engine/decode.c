#include "engine/decode.h"

#include <string.h>

/* A sample with DECODE_WAKE_FIELDS: task, time, and the size of the data that follows, whose first
 * 16 bits are the tracepoint's number, and whose third byte says in what context it was written
 * (common_flags: Documentation/trace/ftrace.rst, enum trace_flag_type). In a sample of a group the
 * third word is a time, a period or the number of counters; only a time can be as large, and then
 * the number fits (decode_sample()).
 */
static bool decode_wake(const uint64_t *body, size_t words, struct record *record)
{
    enum { TASK, TIME, RAW };
    enum { FLAGS = 2, HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };
    uint32_t task[2], size;
    uint16_t number;
    int32_t woken;
    const char *raw = (const char *)(body + RAW), *data = raw + sizeof(size);
    if (words <= RAW || words * sizeof(*body) < RAW * sizeof(*body) + sizeof(size) + sizeof(number))
        return false;
    memcpy(&size, raw, sizeof(size));
    memcpy(&number, data, sizeof(number));
    if (number == 0 || size + sizeof(size) != (words - RAW) * sizeof(*body) ||
        size < DECODE_WAKE_PID + sizeof(woken))
        return false;
    memcpy(task, body + TASK, sizeof(task));
    memcpy(&woken, data + DECODE_WAKE_PID, sizeof(woken));
    record->kind = RECORD_WAKE;
    record->pid = (pid_t)task[0];
    record->tid = (pid_t)task[1];
    record->time = body[TIME];
    record->woken = woken;
    record->interrupt = data[FLAGS] & (HARDIRQ | SOFTIRQ | NMI);
    return true;
}

static bool decode_sample(const uint64_t *body, size_t words, struct record *record)
{
    enum {
        TASK,
        TIME,
        GROUP_READ = 2,
        TICK_READ = 3,
        READ_MIN = sizeof(struct group_read) / sizeof(*body)
    };
    for (size_t at = TIME; at <= TICK_READ && at + READ_MIN <= words; at++) {
        if (at == TICK_READ && decode_wake(body, words, record))
            return true;
        /* Times and periods are always larger than the number of words, so a small number is the
         * count. */
        const struct group_read *read = (const void *)(body + at);
        size_t values = words - at - READ_MIN;
        bool ids =
            at == GROUP_READ && read->count > 0 && read->count == values / 2 && !(values % 2);
        if (read->count != values && !ids)
            continue;
        uint32_t task[2];
        memcpy(task, body + TASK, sizeof(task));
        record->kind = ids ? RECORD_GROUP : RECORD_SAMPLE;
        record->pid = (pid_t)task[0];
        record->tid = (pid_t)task[1];
        record->time = at > TIME ? body[TIME] : 0;
        record->tick = at == TICK_READ;
        record->read = read;
        return true;
    }
    return false;
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

/* Decodes a record that any event of a ring may write, also events that sample without the time.
 * Their trailers are shorter, and the time is known only if the record itself has it. False if it
 * is another kind of record. */
static bool decode_common(const struct perf_event_header *header, const uint64_t *body,
                          size_t words, struct record *record)
{
    enum { LOST_WORDS = 2, LOST_SAMPLES_WORDS = 1, THROTTLE_WORDS = 3 };
    bool throttle = header->type == PERF_RECORD_THROTTLE;
    if (header->type == PERF_RECORD_LOST && words >= LOST_WORDS) {
        record->kind = RECORD_LOST;
        record->lost = body[1];
    } else if (header->type == PERF_RECORD_LOST_SAMPLES && words >= LOST_SAMPLES_WORDS) {
        record->kind = RECORD_LOST;
        record->lost = body[0];
    } else if ((throttle || header->type == PERF_RECORD_UNTHROTTLE) && words >= THROTTLE_WORDS) {
        record->kind = throttle ? RECORD_THROTTLE : RECORD_OTHER;
        record->time = body[0];
    } else {
        return false;
    }
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
    if (decode_common(header, (const void *)body, size / 8, record))
        return true;

    /* The end of every record but samples (attr.sample_id_all), for DECODE_ID_FIELDS. */
    struct {
        uint32_t pid, tid;
        uint64_t time;
    } trailer;
    if (size < sizeof(trailer))
        return false;
    size -= sizeof(trailer);
    memcpy(&trailer, body + size, sizeof(trailer));
    record->pid = (pid_t)trailer.pid;
    record->tid = (pid_t)trailer.tid;
    record->time = trailer.time;

    struct {
        uint32_t pid, ppid, tid, ptid;
        uint64_t time;
    } task;
    struct {
        uint32_t pid, tid;
        struct exit_read read;
    } exit;
    uint32_t other[2];
    switch (header->type) {
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        record->kind = header->type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
        if (size < sizeof(task))
            return false;
        memcpy(&task, body, sizeof(task));
        record->pid = (pid_t)task.pid;
        record->tid = (pid_t)task.tid;
        record->parent.ppid = (pid_t)task.ppid;
        record->parent.ptid = (pid_t)task.ptid;
        return true;
    case PERF_RECORD_READ:
        record->kind = RECORD_READ;
        if (size < sizeof(exit))
            return false;
        memcpy(&exit, body, sizeof(exit));
        record->pid = (pid_t)exit.pid;
        record->tid = (pid_t)exit.tid;
        record->exit = exit.read;
        return true;
    case PERF_RECORD_COMM:
        record->kind = RECORD_COMM;
        return decode_comm(body, size, header->misc & PERF_RECORD_MISC_COMM_EXEC, record);
    case PERF_RECORD_SWITCH_CPU_WIDE:
        record->kind =
            header->misc & PERF_RECORD_MISC_SWITCH_OUT ? RECORD_SWITCH_OUT : RECORD_SWITCH_IN;
        if (size < sizeof(other))
            return false;
        memcpy(other, body, sizeof(other));
        record->preempted = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
        record->other.pid = (pid_t)other[0];
        record->other.tid = (pid_t)other[1];
        return true;
    default:
        return true;
    }
}
