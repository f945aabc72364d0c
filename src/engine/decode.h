/* Bytes of a ring to typed records. Pure: what does not fit its own size is refused. */
#ifndef ENGINE_DECODE_H
#define ENGINE_DECODE_H

#include "sample/snapshot.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What every event of an engine must ask for, so that its records decode here. What each switch
 * writes is paid for by the tasks that switch: it has no field that can be done without. Its sample
 * may have the time as well; that of a tick is known by its period. */
enum {
    DECODE_ID_FIELDS = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, /* with sample_id_all */
    DECODE_SWITCH_FIELDS = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
    DECODE_TICK_FIELDS = DECODE_SWITCH_FIELDS | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
    DECODE_READ_FORMAT =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
};

/* PERF_FORMAT_GROUP with both times, as read(2) and samples carry it. */
struct group_read {
    uint64_t count;
    uint64_t enabled;
    uint64_t running;
    uint64_t value[];
};

enum record_kind {
    RECORD_SAMPLE, /* counters of a group at one instant */
    RECORD_FORK,
    RECORD_EXIT,
    RECORD_COMM,
    RECORD_SWITCH_IN,  /* a task begins to run */
    RECORD_SWITCH_OUT, /* a task stops running */
    RECORD_LOST,
    RECORD_THROTTLE,
    RECORD_OTHER,
};

struct record {
    enum record_kind kind;
    uint64_t time;  /* monotonic, ns; 0 where a sample has none, and of losses */
    bool tick;      /* sample: written by a timer, not by a switch */
    pid_t pid, tid; /* the task it is about; a sample of a task already gone has -1 */
    union {
        const struct group_read *read; /* sample: points into the bytes */
        struct {
            pid_t ppid, ptid;
        } parent; /* fork, exit */
        struct {
            char text[TASK_COMM_SIZE];
            bool exec;
        } comm;
        struct {
            pid_t pid, tid;
        } other;       /* switch: predecessor or successor */
        uint64_t lost; /* records */
    };
};

/* false where the bytes are no record that our events can write. The caller vouches for
 * header->size readable bytes, aligned to 8. */
bool decode_record(const struct perf_event_header *header, struct record *record);

#endif
