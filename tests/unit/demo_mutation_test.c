/* The self-test is tested: readers and decoder of this program are replaced by ones that lie (the
 * linker's --wrap, see the Makefile), and each lie must make a check fail that passes otherwise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "demo/verify.h"
#include "demo/workload_table.h"
#include "engine/group.h"
#include "engine/probe_open.h"

#include <string.h>

static enum lie { NONE, TWO_PERCENT, ORDER, LOST, SCALE } lie;

static void falsify(struct group_read *read)
{
    uint64_t first = read->value[0];
    switch (lie) {
    case TWO_PERCENT:
        for (uint64_t v = 0; v < read->count; v++)
            read->value[v] += read->value[v] / 50;
        break;
    case ORDER: /* each value at the place of the next one */
        memmove(read->value, read->value + 1, (read->count - 1) * sizeof(*read->value));
        read->value[read->count - 1] = first;
        break;
    case SCALE:
        read->running /= 2;
        break;
    default:
        break;
    }
}

bool __real_group_counts(int leader, size_t values, struct group_read *read);
bool __wrap_group_counts(int leader, size_t values, struct group_read *read);
bool __wrap_group_counts(int leader, size_t values, struct group_read *read)
{
    bool good = __real_group_counts(leader, values, read);
    if (good)
        falsify(read);
    return good;
}

bool __real_decode_record(const struct perf_event_header *header, struct record *record);
bool __wrap_decode_record(const struct perf_event_header *header, struct record *record);
bool __wrap_decode_record(const struct perf_event_header *header, struct record *record)
{
    /* Samples wait until those of other CPUs are there: more than one is needed at a time. */
    enum { WAITING = 1024, WORDS = 32, EACH = 100 };
    static uint64_t copies[WAITING][WORDS];
    static unsigned seen;
    if (!__real_decode_record(header, record))
        return false;
    if (record->kind != RECORD_SAMPLE)
        return true;
    seen++;
    if (lie == LOST && seen % EACH == 0)
        return false;
    size_t size = sizeof(*record->read) + record->read->count * sizeof(record->read->value[0]);
    assert_true(size <= sizeof(copies[0]));
    struct group_read *copy = memcpy(copies[seen % WAITING], record->read, size);
    falsify(copy);
    record->read = copy;
    return true;
}

struct verdicts {
    unsigned count[2][DEMO_VERDICTS]; /* by the engine 'task', by the ledger */
};

static void note_verdict(void *ctx, const struct demo_result *result)
{
    struct verdicts *verdicts = ctx;
    verdicts->count[strstr(result->what, ", ledger") != NULL][result->verdict]++;
}

static struct verdicts verdicts_of(const char *name, enum lie told)
{
    static const struct verify_pace pace = {.add = 1, .nop = 0.2, .mul = 3};
    struct verdicts verdicts = {0};
    struct caps caps;
    lie = NONE;
    probe_open_caps(&caps);
    lie = told;
    verify_workload(workload_find(name), &caps, &pace, note_verdict, &verdicts);
    lie = NONE;
    return verdicts;
}

/* Skips the test where the engine may not count. */
static void expect(const char *name, enum lie told, bool ledger)
{
    struct verdicts honest = verdicts_of(name, NONE);
    if (honest.count[ledger][DEMO_NOT_MEASURABLE]) {
        print_message("'%s' cannot be counted here\n", name);
        skip();
    }
    assert_int_equal(honest.count[ledger][DEMO_FAIL], 0);
    assert_true(honest.count[ledger][DEMO_PASS] > 0);
    /* What was in a lost record may be unattributed: then the check says so, and does not pass. The
     * records that are lost may also be of others, or of a task that comes back at once and loses
     * nothing: some more tries. */
    struct verdicts lied = {0};
    unsigned noticed = 0, tries = told == LOST ? 5 : 1;
    for (; noticed == 0 && tries > 0; tries--) {
        lied = verdicts_of(name, told);
        noticed = lied.count[ledger][DEMO_FAIL];
        if (told == LOST)
            noticed += lied.count[ledger][DEMO_TOO_NOISY];
    }
    assert_true(noticed > 0);
    assert_true(lied.count[ledger][DEMO_PASS] < honest.count[ledger][DEMO_PASS]);
}

static void two_percent(void **state)
{
    (void)state;
    expect("faults", TWO_PERCENT, false);
}

static void two_percent_in_samples(void **state)
{
    (void)state;
    expect("faults", TWO_PERCENT, true);
}

static void order(void **state)
{
    (void)state;
    expect("faults", ORDER, false);
}

static void order_in_samples(void **state)
{
    (void)state;
    expect("owners", ORDER, true);
}

static void scale(void **state)
{
    (void)state;
    expect("faults", SCALE, false);
}

static void scale_in_samples(void **state)
{
    (void)state;
    expect("faults", SCALE, true);
}

static void lost_record(void **state)
{
    (void)state;
    expect("owners", LOST, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_percent), cmocka_unit_test(two_percent_in_samples),
        cmocka_unit_test(order),       cmocka_unit_test(order_in_samples),
        cmocka_unit_test(scale),       cmocka_unit_test(scale_in_samples),
        cmocka_unit_test(lost_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
