/* The self-test is tested: readers and decoder of this program are replaced by ones that lie (the
 * linker's --wrap, see the Makefile), and each lie must make a check fail that passes otherwise. */
#include "code/line_child.h"
#include "demo/loops.h"
#include "demo/verify.h"
#include "demo/worker.h"
#include "demo/workload.h"
#include "engine/decode_code.h"
#include "engine/group.h"
#include "engine/probe_open.h"
#include "sample/profile.h"
#include "unit/test.h"

#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = true };
#else
enum { SANITIZED = false };
#endif

static enum lie {
    NONE,
    TWO_PERCENT,
    ORDER,
    LOST,
    /* Of samples of the code: */
    NEIGHBOUR, /* they are of the next function */
    SHIFT,     /* each fifth of the first function is of the next one */
    FRAME,     /* one is missing from each stack */
    FOURTH,    /* each fourth is lost; each third could be all of one of three functions */
    ALL,       /* each sample is lost */
    WEIGHT,    /* each stands for twice as much */
    UNIT,      /* waits are in us */
} lie;

static pid_t worker; /* the process, and its first thread, that does the work */

struct worker *__real_worker_start(const struct workload *workload, struct err *err);
struct worker *__wrap_worker_start(const struct workload *workload, struct err *err);
struct worker *__wrap_worker_start(const struct workload *workload, struct err *err)
{
    struct worker *started = __real_worker_start(workload, err);
    worker = started ? worker_pid(started) : 0;
    return started;
}

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

bool __real_decode_record(const struct perf_event_header *header, size_t values,
                          struct record *record);
bool __wrap_decode_record(const struct perf_event_header *header, size_t values,
                          struct record *record);
bool __wrap_decode_record(const struct perf_event_header *header, size_t values,
                          struct record *record)
{
    /* Samples wait until those of other CPUs are there: more than one is needed at a time. */
    enum { WAITING = 1024, WORDS = 32, EACH = 5 };
    static uint64_t copies[WAITING][WORDS];
    static unsigned seen, its;
    if (!__real_decode_record(header, values, record))
        return false;
    if (record->kind != RECORD_SAMPLE)
        return true;
    seen++;
    /* Those of others, and those in the middle of a slice, may be lost without a trace. */
    if (lie == LOST && record->tid == worker && !record->tick && ++its % EACH == 0)
        return false;
    size_t size = sizeof(*record->read) + record->read->count * sizeof(record->read->value[0]);
    assert_true(size <= sizeof(copies[0]));
    struct group_read *copy = memcpy(copies[seen % WAITING], record->read, size);
    falsify(copy);
    record->read = copy;
    return true;
}

/* The address as it is, or one in the next of the functions that it is in: the worker is a fork of
 * this program. */
static uint64_t moved(uint64_t address, bool *first)
{
    enum { OF_A_KIND = 3, LONGEST = 256 }; /* bytes; the nearest that begins before is meant */
    static void (*const functions[][OF_A_KIND])(uint64_t amount) = {
        {demo_hot_70, demo_hot_20, demo_hot_10}, {demo_sleep_60, demo_sleep_30, demo_sleep_10}};
    uint64_t nearest = LONGEST, next = address;
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t f = 0; f < OF_A_KIND; f++) {
            uint64_t start = (uintptr_t)functions[kind][f];
            if (address < start || address - start >= nearest)
                continue;
            nearest = address - start;
            next = (uintptr_t)functions[kind][(f + 1) % OF_A_KIND] + 1;
            *first = f == 0;
        }
    return next;
}

static void falsify_code(struct code_record *record)
{
    enum { WAITING = 4096, WORDS = 256, EACH = 5, DROPPED = 4 };
    static uint64_t copies[WAITING][WORDS];
    static unsigned seen, of_first;
    size_t count = record->sample.chain_count, kept = 0;
    bool first = false;
    uint64_t address = moved(record->sample.address, &first);
    if (lie == NEIGHBOUR || (lie == SHIFT && first && ++of_first % EACH == 0))
        record->sample.address = address;
    if (!record->sample.chain || (lie != NEIGHBOUR && lie != FRAME))
        return;
    assert_true(count <= WORDS);
    uint64_t *copy = copies[seen++ % WAITING];
    for (size_t i = 0; i < count; i++)
        if (lie != FRAME || i != DROPPED)
            copy[kept++] =
                lie == FRAME ? record->sample.chain[i] : moved(record->sample.chain[i], &first);
    record->sample.chain = copy;
    record->sample.chain_count = kept;
}

bool __real_decode_code_record(const struct perf_event_header *header, uint64_t fields,
                               struct code_record *record);
bool __wrap_decode_code_record(const struct perf_event_header *header, uint64_t fields,
                               struct code_record *record);
bool __wrap_decode_code_record(const struct perf_event_header *header, uint64_t fields,
                               struct code_record *record)
{
    static unsigned seen;
    if (!__real_decode_code_record(header, fields, record))
        return false;
    if (record->common.kind == RECORD_SAMPLE)
        falsify_code(record);
    bool lost =
        record->common.kind == RECORD_SAMPLE && (lie == ALL || (lie == FOURTH && ++seen % 4 == 0));
    return !lost;
}

void __real_profile_sum_add(struct profile_sum *sum, const struct profile_site *site,
                            const uint64_t *values);
void __wrap_profile_sum_add(struct profile_sum *sum, const struct profile_site *site,
                            const uint64_t *values);
void __wrap_profile_sum_add(struct profile_sum *sum, const struct profile_site *site,
                            const uint64_t *values)
{
    struct profile_site falsified = *site;
    uint64_t waits[PROFILE_WAITS];
    if (lie == WEIGHT)
        falsified.weight *= 2;
    for (size_t w = 0; lie == UNIT && w < PROFILE_WAITS; w++)
        waits[w] = values[w] / 1000;
    __real_profile_sum_add(sum, &falsified, lie == UNIT ? waits : values);
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
    struct workload_list *list = workload_list_new();
    verify_workload(workload_find(list, name), &caps, &pace, note_verdict, &verdicts);
    workload_list_free(list);
    lie = NONE;
    return verdicts;
}

struct mutation {
    const char *name;
    const char *workload;
    enum lie lie;
    bool ledger;
    unsigned affected;         /* of its checks by that engine, at least */
    enum demo_verdict verdict; /* of these */
};

/* Runs it again while something is too noisy, as beside others, and should not be. */
static struct verdicts settled(const struct mutation *mutation, enum lie told)
{
    enum { TRIES = 5 };
    const char *name = mutation->workload;
    struct verdicts found = {0};
    for (int i = 0; i < TRIES; i++) {
        found = verdicts_of(name, told);
        const unsigned *count = found.count[mutation->ledger];
        print_message("%s, lie %d: %u pass, %u fail, %u too noisy\n", name, told, count[DEMO_PASS],
                      count[DEMO_FAIL], count[DEMO_TOO_NOISY]);
        /* Beside others, a count of a task that writes no records goes to the next one. */
        if (told == NONE ? count[DEMO_TOO_NOISY] + count[DEMO_FAIL] == 0
                         : count[mutation->verdict] > 0)
            break;
    }
    return found;
}

/* Those without a lie; mutations of the same workload follow each other. */
static const struct verdicts *without_lie(const struct mutation *mutation)
{
    static struct verdicts found;
    static const struct mutation *last;
    if (!last || strcmp(last->workload, mutation->workload) != 0 ||
        last->ledger != mutation->ledger)
        found = settled(mutation, NONE);
    last = mutation;
    return &found;
}

/* Skips the test where the engine may not count, and where it would take long and find nothing
 * more: a wrong share is tried three times, a second each. */
static void finds(void **state)
{
    const struct mutation *mutation = *state;
    if (SANITIZED && strcmp(mutation->workload, "hot3") == 0) {
        puts("skip: sanitizers have nothing more to find in it");
        skip();
    }
    const unsigned *count = without_lie(mutation)->count[mutation->ledger];
    if (count[DEMO_NOT_MEASURABLE]) {
        printf("skip: '%s' cannot be counted here\n", mutation->workload);
        skip();
    }
    if (count[DEMO_FAIL] + count[DEMO_TOO_NOISY])
        fail_msg("'%s' without a lie: %u fail, %u too noisy", mutation->workload, count[DEMO_FAIL],
                 count[DEMO_TOO_NOISY]);
    struct verdicts lied = settled(mutation, mutation->lie);
    const unsigned *found = lied.count[mutation->ledger];
    assert_true(found[DEMO_PASS] + mutation->affected <= count[DEMO_PASS]);
    if (mutation->verdict == DEMO_TOO_NOISY)
        assert_int_equal(found[DEMO_TOO_NOISY], mutation->affected);
    else /* what was in a lost record may be unattributed: then the check says so */
        assert_true(found[DEMO_FAIL] > 0 || (mutation->lie == LOST && found[DEMO_TOO_NOISY] > 0));
}

int main(void)
{
    static const struct mutation mutations[] = {
        {"2 % more", "faults", TWO_PERCENT, false, 2, DEMO_FAIL},
        {"order of a group", "faults", ORDER, false, 1, DEMO_FAIL},
        {"2 % more in samples", "faults", TWO_PERCENT, true, 1, DEMO_FAIL},
        {"order of a group in samples", "owners", ORDER, true, 2, DEMO_FAIL},
        {"lost records", "owners", LOST, true, 2, DEMO_FAIL},
        {"next function", "hot3", NEIGHBOUR, false, 3, DEMO_FAIL},
        {"a fifth to the next function", "hot3", SHIFT, false, 2, DEMO_FAIL},
        {"lost samples", "hot3", FOURTH, false, 3, DEMO_FAIL},
        {"weight of samples", "hot3", WEIGHT, false, 3, DEMO_FAIL},
        /* Where many want the CPU, two waits may happen to last equally long. */
        {"next function of a wait", "offcpu", NEIGHBOUR, false, 1, DEMO_FAIL},
        {"lost samples of waits", "offcpu", FOURTH, false, 3, DEMO_FAIL},
        {"unit of waits", "offcpu", UNIT, false, 3, DEMO_FAIL},
        {"frame of a stack", "deepstack", FRAME, false, 1, DEMO_FAIL},
        {"lost samples with stacks", "deepstack", FOURTH, false, 1, DEMO_FAIL},
        {"weight of samples with stacks", "deepstack", WEIGHT, false, 1, DEMO_FAIL},
        {"no samples", "deepstack", ALL, false, 1, DEMO_TOO_NOISY},
    };
    enum { COUNT = sizeof(mutations) / sizeof(*mutations) };
    struct CMUnitTest tests[COUNT];
    for (size_t m = 0; m < COUNT; m++)
        tests[m] = (struct CMUnitTest){
            .name = mutations[m].name, .test_func = finds, .initial_state = (void *)&mutations[m]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
