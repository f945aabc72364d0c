#include "unit/rawrecord.h"
#include "unit/test.h"

static void samples(void **state)
{
    struct raw raw;
    struct record r;
    raw_sample(&raw, 10, 11, 0, 0, 500, 400, 3, (uint64_t[]){7, 8, 9});
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_SAMPLE);
    assert_int_equal(r.pid, 10);
    assert_int_equal(r.tid, 11);
    assert_int_equal(r.time, 0);
    assert_false(r.tick);
    assert_int_equal(r.read->count, 3);
    assert_int_equal(r.read->enabled, 500);
    assert_int_equal(r.read->running, 400);
    assert_int_equal(r.read->value[0], 7);
    assert_int_equal(r.read->value[2], 9);
}

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

static void samples_that_tell_the_time(void **state)
{
    struct raw raw;
    struct record r;
    raw_sample(&raw, 10, 11, 1000, 0, 500, 400, 2, (uint64_t[]){7, 8});
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.time, 1000);
    assert_false(r.tick);
    assert_int_equal(r.read->enabled, 500);
    assert_int_equal(r.read->value[1], 8);
    raw_sample(&raw, 10, 11, 1000, 9000, 500, 400, 2, (uint64_t[]){7, 8});
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.time, 1000);
    assert_true(r.tick);
    assert_int_equal(r.read->enabled, 500);
    assert_int_equal(r.read->value[1], 8);
}

static void wake_ups(void **state)
{
    struct raw raw;
    struct record r;
    raw_wake(&raw, 11, 319, "eleven", 21, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_WAKE);
    assert_int_equal(r.tid, 11);
    assert_int_equal(r.woken, 21);
    assert_int_equal(r.time, 1000);
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
                assert_int_equal(r.kind, RECORD_WAKE);
                assert_int_equal(r.tid, waker);
                assert_int_equal(r.woken, 21);
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

static void a_sample_of_a_task_already_gone(void **state)
{
    struct raw raw;
    struct record r;
    raw_sample(&raw, -1, -1, 0, 0, 500, 400, 1, (uint64_t[]){7});
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.pid, -1);
    assert_int_equal(r.tid, -1);
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

static void births_and_deaths(void **state)
{
    struct raw raw;
    struct record r;
    raw_task(&raw, PERF_RECORD_FORK, 10, 11, 20, 21, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_FORK);
    assert_int_equal(r.pid, 10);
    assert_int_equal(r.tid, 11);
    assert_int_equal(r.parent.ppid, 20);
    assert_int_equal(r.parent.ptid, 21);
    assert_int_equal(r.time, 1000);
    raw.header.type = PERF_RECORD_EXIT;
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_EXIT);
    assert_int_equal(r.pid, 10);
    assert_int_equal(r.tid, 11);
    raw.header.size -= 8;
    assert_false(decode_record(&raw.header, 0, &r));
}

static void expect_comm(const char *text, size_t size, const char *expected)
{
    struct raw raw;
    struct record r;
    raw_comm(&raw, 10, 11, text, size, false, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_COMM);
    assert_int_equal(r.pid, 10);
    assert_int_equal(r.tid, 11);
    assert_int_equal(r.time, 1000);
    assert_false(r.comm.exec);
    assert_string_equal(r.comm.text, expected);
    for (size_t i = strlen(expected); i < sizeof(r.comm.text); i++)
        assert_int_equal(r.comm.text[i], 0);
}

static void names(void **state)
{
    struct raw raw;
    struct record r;
    expect_comm("sh\0\0\0\0\0", 8, "sh");
    expect_comm("fifteen-letters", 16, "fifteen-letters");
    /* As the kernel never writes them: without an end, longer than its limit. */
    expect_comm("abcdefgh", 8, "abcdefgh");
    expect_comm("abcdefghijklmnopqrstuvw", 24, "abcdefghijklmno");
    raw_comm(&raw, 10, 11, "sh", 8, true, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_true(r.comm.exec);
    raw_comm(&raw, 10, 11, "", 0, false, 1000);
    assert_false(decode_record(&raw.header, 0, &r));
}

/* With ids, of an event that samples a group for one task. */
static void samples_with_ids(void **state)
{
    struct raw raw;
    struct record r;
    raw_sample(&raw, 10, 11, 1000, 0, 500, 400, 4, (uint64_t[]){7, 99, 8, 98});
    raw.words[2] = 2; /* values, each with its id */
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_GROUP);
    assert_int_equal(r.pid, 10);
    assert_int_equal(r.tid, 11);
    assert_int_equal(r.time, 1000);
    assert_int_equal(r.read->count, 2);
    assert_int_equal(r.read->enabled, 500);
    assert_int_equal(r.read->running, 400);
    assert_int_equal(r.read->value[2], 8);
    assert_int_equal(r.read->value[3], 98);
    raw.words[2] = 1; /* fewer than there are */
    assert_false(decode_record(&raw.header, 0, &r));
    raw.words[2] = 3;
    assert_false(decode_record(&raw.header, 0, &r));
    raw.words[2] = UINT64_MAX / 2 + 3; /* twice that is 4 */
    assert_false(decode_record(&raw.header, 0, &r));
    raw.words[2] = 2;
    raw.header.size -= 8; /* the last id is missing */
    assert_false(decode_record(&raw.header, 0, &r));
}

static void switches(void **state)
{
    struct raw raw;
    struct record r;
    raw_switch(&raw, false, 10, 11, 0, 0, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_SWITCH_IN);
    assert_int_equal(r.pid, 10);
    assert_int_equal(r.tid, 11);
    assert_int_equal(r.other.tid, 0);
    raw_switch(&raw, true, 10, 11, 20, 21, 1000);
    raw.header.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_SWITCH_OUT);
    assert_int_equal(r.other.pid, 20);
    assert_int_equal(r.other.tid, 21);
    raw.header.size -= 8;
    assert_false(decode_record(&raw.header, 0, &r));
}

static void losses(void **state)
{
    struct raw raw;
    struct record r;
    raw_lost(&raw, 42, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_LOST);
    assert_int_equal(r.lost, 42);
    /* The event that writes it may sample without the time: the trailer is shorter then. */
    raw.header.size -= 16;
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.lost, 42);
    raw.header.size -= 8;
    assert_false(decode_record(&raw.header, 0, &r));

    raw_begin(&raw, PERF_RECORD_LOST_SAMPLES, 0);
    raw_add(&raw, 43);
    raw_trailer(&raw, 1, 1, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_LOST);
    assert_int_equal(r.lost, 43);
    raw.header.size = sizeof(raw.header);
    assert_false(decode_record(&raw.header, 0, &r));
}

static void others(void **state)
{
    struct raw raw;
    struct record r;
    raw_begin(&raw, PERF_RECORD_THROTTLE, 0);
    for (uint64_t i = 0; i < 3; i++)
        raw_add(&raw, 900 + i);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_THROTTLE);
    assert_int_equal(r.time, 900); /* its own: it may be without a trailer */
    raw_trailer(&raw, 1, 2, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_THROTTLE);
    assert_int_equal(r.time, 900);
    raw.header.type = PERF_RECORD_UNTHROTTLE;
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_OTHER);
    assert_int_equal(r.time, 900);
    raw.header.type = 12345;
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_OTHER);
    assert_int_equal(r.time, 1000);
    assert_int_equal(r.tid, 2);
}

static void counts_of_a_task_that_ends(void **state)
{
    struct raw raw;
    struct record r;
    raw_begin(&raw, PERF_RECORD_READ, 0);
    raw_add_pair(&raw, 10, 11);
    raw_add(&raw, 7);   /* the value */
    raw_add(&raw, 500); /* enabled */
    raw_add(&raw, 400); /* running */
    raw_add(&raw, 99);  /* the id */
    raw_add(&raw, 3);   /* lost */
    raw_trailer(&raw, 10, 11, 1000);
    assert_true(decode_record(&raw.header, 0, &r));
    assert_int_equal(r.kind, RECORD_READ);
    assert_int_equal(r.pid, 10);
    assert_int_equal(r.tid, 11);
    assert_int_equal(r.time, 1000);
    assert_int_equal(r.exit.value, 7);
    assert_int_equal(r.exit.enabled, 500);
    assert_int_equal(r.exit.running, 400);
    assert_int_equal(r.exit.id, 99);
    assert_int_equal(r.exit.lost, 3);
    raw.header.size -= 8;
    assert_false(decode_record(&raw.header, 0, &r));
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
