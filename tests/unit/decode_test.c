#include "unit/rawrecord.h"
#include "unit/test.h"

/* As long as what another event of the same switch adds makes it. */
static void samples_with_more_at_their_end(void **state)
{
    struct raw raw;
    struct record r;
    for (uint64_t period = 0; period <= 9000; period += 9000) {
        raw_sample(&raw, 10, 11, period ? 1000 : 0, period, 500, 400, 3, (uint64_t[]){7, 8, 9});
        for (int more = 0; more < 20; more++) {
            assert_true(decode_record(&raw.header, 3, &r));
            assert_int_equal(r.kind, RECORD_SAMPLE);
            assert_int_equal(r.tid, 11);
            assert_int_equal(r.tick, period > 0);
            assert_int_equal(r.read->count, 3);
            assert_int_equal(r.read->enabled, 500);
            assert_int_equal(r.read->value[2], 9);
            assert_int_equal(decode_record(&raw.header, 0, &r), more == 0);
            assert_int_equal(decode_record(&raw.header, 4, &r), more == 0);
            raw_add(&raw, 3); /* what the ring had there before */
        }
        raw.header.size = (uint16_t)(sizeof(raw.header) + (3 + 3 + (period ? 2 : 0) - 1) * 8);
        assert_false(decode_record(&raw.header, 3, &r)); /* cut */
    }
}

static void wake_ups(void **state)
{
    struct raw raw;
    struct record r;
    raw_wake(&raw, 11, 319, "eleven", 21, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_true(r.kind == RECORD_WAKE && r.tid == 11 && r.woken == 21 && r.time == 1000);
    assert_false(r.interrupt);
    /* The third byte of the data, behind time and size: common_flags. */
    char *flags = (char *)(&raw.header + 1) + sizeof(uint64_t) + sizeof(uint32_t) + 2;
    for (int bit = 0; bit < 8; bit++) {
        *flags = (char)(1 << bit);
        assert_true(decode_record(&raw.header, 0, &r));
        assert_int_equal(r.interrupt, bit == 3 || bit == 4 || bit == 6);
    }
    /* Names with which the words are those of a sample with one or two counters. */
    static const char *const names[] = {"", "abcd\1", "abcd\2", "\1", "\2", "abcdefgh\1"};
    for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
        for (pid_t waker = 0; waker < 4; waker++) {
            raw_wake(&raw, waker, 319, names[n], 21, 1000);
            for (int longer = 0; longer < 3; longer++) { /* other kernels' have more behind that */
                assert_true(decode_record(&raw.header, 0, &r));
                assert_true(r.kind == RECORD_WAKE && r.tid == waker && r.woken == 21);
                raw_add(&raw, 1);
                memcpy(&raw.words[1], &(uint32_t){raw.header.size - 8 - 8 - 4}, sizeof(uint32_t));
            }
        }
    /* Samples at a time that looks like the size and number of a wake-up. */
    for (size_t count = 1; count < 5; count++) {
        for (uint64_t period = 0; period <= 60000000000; period += 60000000000) {
            uint32_t size = (uint32_t)(8 * (count + 4 + (period > 0)) - 4);
            raw_sample(&raw, 10, 11, UINT64_C(319) << 32 | size, period, 500, 400, count,
                       (uint64_t[]){7, 8, 9, 10});
            assert_true(decode_record(&raw.header, 0, &r));
            assert_int_equal(r.kind, RECORD_SAMPLE);
            assert_int_equal(r.read->count, count);
            assert_int_equal(r.tick, period > 0);
        }
    }
    raw_wake(&raw, 11, 319, "eleven", 21, 1000);
    raw.header.size = (uint16_t)(raw.header.size - 8);
    assert_false(decode_record(&raw.header, 0, &r)); /* shorter than it says */
    raw_wake(&raw, 11, 0, "eleven", 21, 1000);
    assert_false(decode_record(&raw.header, 0, &r)); /* no tracepoint has this number */
}

static void switches_say_who_could_go_on(void **state)
{
    struct raw raw;
    struct record r;
    raw_switch(&raw, true, 10, 11, 20, 21, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_false(r.preempted);
    raw.header.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    assert_true(decode_record(&raw.header, 0, &r));
    assert_true(r.preempted);
}

static void samples_that_claim_more_than_they_have(void **state)
{
    struct raw raw;
    struct record r;
    for (uint64_t count = 4; count; count *= 16) {
        raw_sample(&raw, 10, 11, 0, 0, 500, 400, 3, (uint64_t[]){7, 8, 9});
        raw.words[1] = count;
        assert_false(decode_record(&raw.header, 0, &r));
    }
    raw.words[1] = UINT64_MAX;
    assert_false(decode_record(&raw.header, 0, &r));
    raw_sample(&raw, 10, 11, 0, 0, 500, 400, 0, NULL);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.read->count, 0);
    raw.header.size -= 8;
    assert_false(decode_record(&raw.header, 0, &r));
}

/* Decodes what is of that kind: its time, and how many records were lost. */
static void expect(const struct raw *raw, enum record_kind kind, uint64_t time, uint64_t lost)
{
    struct record r;
    assert_true(decode_record(&raw->header, 0, &r));
    assert_int_equal(r.kind, kind);
    if (time)
        assert_int_equal(r.time, time);
    if (lost)
        assert_int_equal(r.lost, lost);
}

static void losses(void **state)
{
    struct raw raw;
    struct record r;
    raw_lost(&raw, 42, 1000);
    expect(&raw, RECORD_LOST, 0, 42);
    /* The event that writes it may sample without the time: the trailer is shorter then. */
    raw.header.size -= 16;
    expect(&raw, RECORD_LOST, 0, 42);
    raw.header.size -= 8;
    assert_false(decode_record(&raw.header, 0, &r));

    raw_begin(&raw, PERF_RECORD_LOST_SAMPLES, 0);
    raw_add(&raw, 43);
    raw_trailer(&raw, 1, 1, 1000);
    expect(&raw, RECORD_LOST, 0, 43);
    raw.header.size = sizeof(raw.header);
    assert_false(decode_record(&raw.header, 0, &r));
}

static void others(void **state)
{
    struct raw raw;
    raw_begin(&raw, PERF_RECORD_THROTTLE, 0);
    for (uint64_t i = 0; i < 3; i++)
        raw_add(&raw, 900 + i);
    expect(&raw, RECORD_THROTTLE, 900, 0); /* its own: it may be without a trailer */
    raw_trailer(&raw, 1, 2, 1000);
    expect(&raw, RECORD_THROTTLE, 900, 0);
    raw.header.type = PERF_RECORD_UNTHROTTLE;
    expect(&raw, RECORD_OTHER, 900, 0);
    raw.header.type = 12345;
    expect(&raw, RECORD_OTHER, 1000, 0);
    /* A sample of a task that is already gone. */
    raw_sample(&raw, -1, -1, 0, 0, 500, 400, 1, (uint64_t[]){7});
    struct record r;
    assert_true(decode_record(&raw.header, 0, &r) && r.pid == -1 && r.tid == -1);
}

static void impossible_sizes(void **state)
{
    struct raw raw;
    struct record r;
    raw_lost(&raw, 42, 1000);
    uint16_t least = sizeof(raw.header) + 2 * sizeof(uint64_t);
    for (uint16_t wrong = 0; wrong < least; wrong++) {
        raw.header.size = wrong;
        assert_false(decode_record(&raw.header, 0, &r));
    }
    raw.header.size = least + 4;
    assert_false(decode_record(&raw.header, 0, &r));
}
