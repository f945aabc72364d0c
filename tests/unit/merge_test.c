#include "engine/cpu_events.h"
#include "engine/ring.h"
#include "unit/test.h"

enum { STREAMS = 9, RECORDS = 5 };

/* The times of each stream's records ascend; from stream to stream they are shuffled. */
static uint64_t time_of(size_t stream, size_t record)
{
    return 100 * record + (stream * 37 + record * 11) % 97;
}

static void records_come_in_the_order_of_time(void **state)
{
    struct merge merge = {0};
    struct stream streams[STREAMS] = {0};
    size_t taken[STREAMS] = {0}, all = 0;
    for (size_t s = 0; s < STREAMS; s++) {
        streams[s].record.time = time_of(s, 0);
        merge_add(&merge, &streams[s], streams[s].record.time);
    }
    uint64_t last = 0;
    for (struct stream *first; (first = merge_first(&merge)); all++) {
        size_t s = (size_t)(first - streams);
        assert_true(first->record.time >= last);
        last = first->record.time;
        assert_int_equal(last, time_of(s, taken[s]));
        uint64_t second = UINT64_MAX;
        for (size_t other = 0; other < STREAMS; other++)
            if (other != s && taken[other] < RECORDS && time_of(other, taken[other]) < second)
                second = time_of(other, taken[other]);
        assert_true(merge_second(&merge) == second);
        first->record.time = time_of(s, ++taken[s]);
        merge_advance(&merge, taken[s] < RECORDS, first->record.time);
    }
    assert_int_equal(all, STREAMS * RECORDS);
    merge_release(&merge);
}
