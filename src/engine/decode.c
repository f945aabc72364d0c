#include "engine/decode.h"

/* A sample with DECODE_WAKE_FIELDS is a time, the size of the data that follows, and those: the
 * tracepoint's number in 16 bits, in what context it was written in 8 (common_flags, enum
 * trace_flag_type), 8 more, the task that was there, and then what is the tracepoint's own: the
 * name, 16 bytes, and the number of the task that is woken (Documentation/trace/ftrace.rst). */
enum { WAKE_TIME, WAKE_RAW, WAKE_NUMBER = 0, WAKE_FLAGS = 2, WAKE_WAKER = 4 };

/* False if its size is not that of such a sample. */
static bool decode_wake(const uint64_t *body, size_t words, struct record *record)
{
    enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };
    int32_t waker, woken;
    uint32_t size;
    uint16_t number;
    if (words <= WAKE_RAW)
        return false;
    const char *raw = (const char *)(body + WAKE_RAW), *data = raw + sizeof(size);
    memcpy(&size, raw, sizeof(size));
    memcpy(&number, data + WAKE_NUMBER, sizeof(number));
    if (size < DECODE_WAKE_PID + sizeof(woken) || number == 0 ||
        size + sizeof(size) != (words - WAKE_RAW) * sizeof(*body))
        return false;
    memcpy(&waker, data + WAKE_WAKER, sizeof(waker));
    memcpy(&woken, data + DECODE_WAKE_PID, sizeof(woken));
    record->kind = RECORD_WAKE;
    record->tid = waker;
    record->time = body[WAKE_TIME];
    record->woken = woken;
    record->tracepoint = number;
    record->size = (uint16_t)size;
    record->data = data;
    record->tick = record->preempted = false;
    record->interrupt = data[WAKE_FLAGS] & (HARDIRQ | SOFTIRQ | NMI);
    return true;
}

/* Times and periods are always larger than the number of words, so a small number is the count. In
 * the words of a wake-up there can be one, too, where the name is empty or short, 0 or:
 *   TASK COUNT              no: the data's size and a number that is not 0 are in one word
 *   TASK TIME COUNT         of a task without a name, by process 1 or 2: time running, with the
 *                           number of the woken task, is then more than enabled, of the name: 0,
 *                           for the kernel fills names up
 *   TASK TIME PERIOD COUNT  of a name of four characters and one that is 1 or 2: these four in the
 *                           upper half of the period make it years */
static bool decode_sample(const uint64_t *body, size_t words, size_t expected,
                          struct record *record)
{
    enum {
        TASK,
        TIME,
        GROUP_READ = 2,
        TICK_READ = 3,
        PERIOD = 2,
        READ_MIN = sizeof(struct group_read) / sizeof(*body)
    };
    for (size_t at = TIME; at <= TICK_READ && at + READ_MIN <= words; at++) {
        const struct group_read *read = (const void *)(body + at);
        size_t values = words - at - READ_MIN;
        if (read->count > values)
            continue;
        bool ids =
            at == GROUP_READ && read->count > 0 && read->count == values / 2 && !(values % 2);
        bool longer = read->count == expected && 0 < expected && expected < values;
        if (read->count != values && !longer && !ids)
            continue;
        bool unlikely = read->count == 0 ||
                        (at == TICK_READ ? body[PERIOD] >> 48 != 0 : read->running > read->enabled);
        if (unlikely && decode_wake(body, words, record))
            return true;
        uint32_t task[2];
        memcpy(task, body + TASK, sizeof(task));
        record->kind = ids ? RECORD_GROUP : RECORD_SAMPLE;
        record->pid = (pid_t)task[0];
        record->tid = (pid_t)task[1];
        record->time = at > TIME ? body[TIME] : 0;
        record->tick = at == TICK_READ;
        record->preempted = record->interrupt = false;
        record->read = read;
        return true;
    }
    return decode_wake(body, words, record);
}

static bool decode_comm(const void *body, size_t size, bool exec, struct record *record)
{
    enum { TASK = 2 * sizeof(pid_t) };
    if (size < TASK + 1)
        return false;
    take_pair(body, &record->pid, &record->tid);
    const char *text = (const char *)body + TASK;
    size_t length = strnlen(text, size - TASK);
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

/* body: what comes before the trailer, of so many bytes. False if it is too short. */
static inline bool decode_switch(const struct perf_event_header *header, const char *body,
                                 size_t size, struct record *record)
{
    if (header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
        if (size < sizeof(record->other))
            return false;
        take_pair(body, &record->other.pid, &record->other.tid);
    } /* else of one task's event, which does not name the other one */
    record->kind =
        header->misc & PERF_RECORD_MISC_SWITCH_OUT ? RECORD_SWITCH_OUT : RECORD_SWITCH_IN;
    record->preempted = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    return true;
}

/* DECODE_ID_FIELDS, as at the end of every record but samples (attr.sample_id_all). */
enum { PAIR = 2 * sizeof(pid_t), TRAILER = PAIR + sizeof(uint64_t) };

static inline void decode_trailer(const char *trailer, struct record *record)
{
    take_pair(trailer, &record->pid, &record->tid);
    memcpy(&record->time, trailer + PAIR, sizeof(record->time));
}

/* Not inline: decode_record() would have its stack and registers. */
__attribute__((noinline)) bool decode_other(const struct perf_event_header *header, size_t size,
                                            struct record *record)
{
    const char *body = (const char *)(header + 1);
    *record = (struct record){.kind = RECORD_OTHER};
    if (decode_common(header, (const void *)body, size / 8, record))
        return true;

    enum { TASK = 24 };
    if (size < TRAILER)
        return false;
    size -= TRAILER;
    decode_trailer(body + size, record);
    switch (header->type) {
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        record->kind = header->type == PERF_RECORD_FORK ? RECORD_FORK : RECORD_EXIT;
        if (size < TASK)
            return false;
        take_pair(body, &record->pid, &record->parent.ppid);
        take_pair(body + PAIR, &record->tid, &record->parent.ptid);
        return true;
    case PERF_RECORD_READ:
        record->kind = RECORD_READ;
        if (size < PAIR + sizeof(record->exit))
            return false;
        take_pair(body, &record->pid, &record->tid);
        memcpy(&record->exit, body + PAIR, sizeof(record->exit));
        return true;
    case PERF_RECORD_MMAP:
        record->kind = RECORD_MAP;
        return true;
    case PERF_RECORD_COMM:
        record->kind = RECORD_COMM;
        return decode_comm(body, size, header->misc & PERF_RECORD_MISC_COMM_EXEC, record);
    case PERF_RECORD_CGROUP:
        record->kind = RECORD_CGROUP;
        if (size <= sizeof(record->cgroup) || body[size - 1])
            return false;
        memcpy(&record->cgroup, body, sizeof(record->cgroup));
        record->path = body + sizeof(record->cgroup);
        return true;
    case PERF_RECORD_SWITCH_CPU_WIDE:
    case PERF_RECORD_SWITCH:
        return decode_switch(header, body, size, record);
    case PERF_RECORD_KSYMBOL:
        record->kind = RECORD_KERNEL;
        return true;
    default:
        return true;
    }
}

bool decode_record(const struct perf_event_header *header, size_t values, struct record *record)
{
    if (header->size < sizeof(*header) || header->size % 8)
        return false;
    const char *body = (const char *)(header + 1);
    size_t size = header->size - sizeof(*header);
    if (header->type == PERF_RECORD_SAMPLE) /* nearly all are samples or switches */
        return decode_sample((const void *)body, size / 8, values, record);
    if (header->type != PERF_RECORD_SWITCH_CPU_WIDE || size < TRAILER)
        return decode_other(header, size, record);
    decode_trailer(body + size - TRAILER, record);
    return decode_switch(header, body, size - TRAILER, record);
}
