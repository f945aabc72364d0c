#include "sample/wait_facts.h"
#include "base/mem.h"
#include "unit/test.h"

#include <math.h>
#include <stdlib.h>

/* Numbers of waits, slices and sleeps by their length. */

enum { RANDOMS = 20000 };

/* The same in each run: from 100 ns to 10 s, evenly by the logarithm. */
static uint64_t random_length(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint64_t)exp(log(100) + (double)(*seed >> 11) / 0x1p53 * log(1e8));
}

static int by_length(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void each_length_has_a_bucket(void **state)
{
    assert_int_equal(span_bucket(0), 0);
    assert_int_equal(span_bucket(UINT64_MAX), SPAN_BUCKETS - 1);
    for (size_t b = 0; b + 1 < SPAN_BUCKETS; b++) {
        uint64_t least = span_least(b), next = span_least(b + 1);
        assert_true(least < next);
        assert_int_equal(span_bucket(least), b);
        assert_int_equal(span_bucket(next - 1), b);
        assert_true(least < 8 || (double)(next - 1) / (double)least < 1.13);
    }
}

/* At most 10 % off from what sorting says. */
static void quantiles(void **state)
{
    static const double parts[] = {0.01, 0.25, 0.5, 0.95, 0.99, 0.999, 1};
    uint64_t *lengths = malloc(RANDOMS * sizeof(*lengths)), seed = 1, sum = 0;
    struct wait_facts *facts = NULL;
    assert_true(wait_facts_quantile(facts, SPAN_WAIT, 0.5) < 0);
    for (size_t i = 0; i < RANDOMS; i++) {
        lengths[i] = random_length(&seed);
        sum += lengths[i];
        wait_facts_span(&facts, SPAN_WAIT, lengths[i]);
    }
    qsort(lengths, RANDOMS, sizeof(*lengths), by_length);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        double exact = (double)lengths[(size_t)ceil(parts[i] * RANDOMS) - 1];
        double told = wait_facts_quantile(facts, SPAN_WAIT, parts[i]);
        assert_true(fabs(told / exact - 1) <= (parts[i] < 1 ? 0.1 : 0));
    }
    assert_true(wait_facts_quantile(facts, SPAN_SLEEP, 0.5) < 0);
    struct wait_facts *all = NULL;
    wait_facts_add(&all, facts);
    uint64_t of_parts[SPAN_BUCKETS], of_sum[SPAN_BUCKETS];
    assert_int_equal(wait_facts_buckets(facts, SPAN_WAIT, of_parts), RANDOMS);
    assert_int_equal(wait_facts_buckets(all, SPAN_WAIT, of_sum), RANDOMS);
    assert_memory_equal(of_parts, of_sum, sizeof(of_sum));
    assert_int_equal(all->sum[SPAN_WAIT], sum);
    assert_int_equal(all->most[SPAN_WAIT], lengths[RANDOMS - 1]);
    assert_true(facts->room <= 2 * SPAN_BUCKETS); /* however many lengths there are */
    wait_facts_free(all);
    wait_facts_free(facts);
    free(lengths);
}

/* A number has as many as it needs, also in the sum of hours. */
static void many(void **state)
{
    struct wait_facts *facts = NULL, *sum = NULL;
    uint64_t counts[SPAN_BUCKETS];
    wait_facts_put(&facts, SPAN_SLICE, 5000, 3000000, false);
    wait_facts_put(&facts, SPAN_SLICE, 9000, 1, false);
    for (int i = 0; i < 100; i++)
        wait_facts_add(&sum, facts);
    assert_int_equal(wait_facts_buckets(sum, SPAN_SLICE, counts), 300000100);
    assert_int_equal(counts[span_bucket(5000)], 300000000);
    assert_int_equal(counts[span_bucket(9000)], 100);
    assert_int_equal(wait_facts_buckets(sum, SPAN_WAIT, counts), 0);
    wait_facts_free(sum);
    wait_facts_free(facts);
}

/* The sum of many lists has the same takers in whichever order they are added. */
static void order(void **state)
{
    enum { TAKERS = 40 };
    struct wait_facts *sum[2] = {0};
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < 2 * TAKERS; i++) {
            int n = way ? 2 * TAKERS - 1 - i : i;
            struct wait_taker taker = {.id = (uint64_t)(n % TAKERS + 1),
                                       .taken = (uint64_t)(n * 37 % 101 + 1)};
            struct wait_facts *facts = NULL;
            wait_facts_takers(&facts);
            wait_takers_add(&facts->takers, &taker, WAIT_TAKERS);
            wait_facts_add(&sum[way], facts);
            wait_facts_free(facts);
        }
        wait_takers_cut(sum[way]->takers);
    }
    assert_int_equal(sum[0]->takers->count, WAIT_TAKERS);
    for (size_t i = 0; i < WAIT_TAKERS; i++)
        assert_int_equal(sum[0]->takers->list[i].taken, sum[1]->takers->list[i].taken);
    assert_int_equal(sum[0]->takers->none[TAKEN_OTHERS], sum[1]->takers->none[TAKEN_OTHERS]);
    wait_facts_free(sum[0]);
    wait_facts_free(sum[1]);
}

/* A part of what others took is a hypervisor's and of interrupts; the sum stays. */
static void losses(void **state)
{
    struct wait_takers *takers = mem_alloc(sizeof(*takers));
    takers->none[TAKEN_OTHERS] = 1001;
    takers->none[TAKEN_NOBODY] = 7;
    wait_takers_add(&takers, &(struct wait_taker){.id = 1, .taken = 4000, .sure = 4000},
                    WAIT_TAKERS);
    wait_takers_lose(takers, 0.25, -1); /* not known */
    assert_int_equal(takers->list[0].taken, 4000);
    wait_takers_lose(takers, 0.25, 0.1);
    assert_int_equal(takers->list[0].taken, 2600);
    assert_int_equal(takers->list[0].sure, 2600);
    assert_int_equal(takers->none[TAKEN_STOLEN], 1250);
    assert_int_equal(takers->none[TAKEN_INTERRUPTS], 500);
    assert_int_equal(takers->none[TAKEN_NOBODY], 7);
    assert_int_equal(wait_takers_sum(takers), 5008);
    free(takers);
}
