#include "sample/wait_facts.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const span_names[SPAN_KINDS] = {"wait", "wakeup", "slice", "sleep"};

enum { FINE = 8 };
const char *const no_taker_names[NO_TAKERS] = {"others", "nobody", "throttled", "stolen",
                                               "interrupts"};

static const uint64_t COUNT_MAX = (1ull << SPAN_COUNT_BITS) - 1;

uint64_t span_least(size_t bucket)
{
    size_t shift = bucket < FINE ? 0 : bucket / FINE - 1;
    return (uint64_t)(bucket - shift * FINE) << shift;
}

/* Where the spans of a kind and bucket are counted, or will be. */
static inline uint64_t *wait_facts_find(struct wait_facts *facts, uint64_t key)
{
    size_t last = facts->room - 1, at = wait_facts_place(facts, key);
    while (facts->spans[at] && facts->spans[at] >> SPAN_COUNT_BITS != key)
        at = (at + 1) & last;
    return &facts->spans[at];
}

/* Makes room for more spans. */
static void wait_facts_grow(struct wait_facts **facts)
{
    enum { FIRST_ROOM = 8 };
    struct wait_facts *old = *facts;
    uint32_t room = old ? old->room * 2 : FIRST_ROOM;
    *facts = mem_alloc(sizeof(**facts) + room * sizeof((*facts)->spans[0]));
    if (old)
        **facts = *old;
    (*facts)->room = room;
    for (uint32_t i = 0; old && i < old->room; i++)
        if (old->spans[i])
            *wait_facts_find(*facts, old->spans[i] >> SPAN_COUNT_BITS) = old->spans[i];
    free(old);
}

/* Counts spans of a kind and bucket, up to COUNT_MAX. */
static inline void wait_facts_count(struct wait_facts **facts, uint64_t key, uint64_t times)
{
    if (!*facts || (*facts)->count * 4 >= (*facts)->room * 3)
        wait_facts_grow(facts);
    uint64_t *span = wait_facts_find(*facts, key), left = COUNT_MAX - (*span & COUNT_MAX);
    (*facts)->count += *span == 0;
    *span = (key << SPAN_COUNT_BITS | (*span & COUNT_MAX)) + (times < left ? times : left);
}

struct wait_takers *wait_facts_takers(struct wait_facts **facts)
{
    if (!*facts)
        wait_facts_grow(facts);
    if (!(*facts)->takers)
        (*facts)->takers = mem_alloc(sizeof(*(*facts)->takers));
    return (*facts)->takers;
}

void wait_takers_add(struct wait_takers *takers, const struct wait_taker *more)
{
    struct wait_taker *least = takers->list;
    for (size_t i = 0; i < takers->count; i++) {
        struct wait_taker *taker = &takers->list[i];
        if (taker->id == more->id) {
            taker->taken += more->taken;
            taker->sure += more->sure;
            return;
        }
        least = taker->taken < least->taken ? taker : least;
    }
    if (takers->count < WAIT_TAKERS) {
        takers->list[takers->count++] = *more;
    } else if (more->taken <= least->taken) {
        takers->none[TAKEN_OTHERS] += more->taken;
    } else {
        takers->none[TAKEN_OTHERS] += least->taken;
        *least = *more;
    }
}

void wait_takers_lose(struct wait_takers *takers, double stolen, double interrupts)
{
    if (!(stolen >= 0 && interrupts >= 0 && stolen + interrupts <= 1))
        return; /* not known */
    for (size_t i = 0; i <= takers->count; i++) {
        struct wait_taker *taker = i < takers->count ? &takers->list[i] : NULL;
        uint64_t *taken = taker ? &taker->taken : &takers->none[TAKEN_OTHERS];
        uint64_t by_others = (uint64_t)((double)*taken * stolen);
        uint64_t by_interrupts = (uint64_t)((double)*taken * interrupts);
        *taken -= by_others + by_interrupts;
        takers->none[TAKEN_STOLEN] += by_others;
        takers->none[TAKEN_INTERRUPTS] += by_interrupts;
        if (taker && taker->sure > taker->taken)
            taker->sure = taker->taken;
    }
}

static int by_taken(const void *a, const void *b)
{
    const struct wait_taker *x = a, *y = b;
    return x->taken != y->taken ? (x->taken < y->taken) - (x->taken > y->taken)
                                : (x->pid > y->pid) - (x->pid < y->pid);
}

void wait_takers_sort(struct wait_takers *takers)
{
    qsort(takers->list, takers->count, sizeof(*takers->list), by_taken);
}

uint64_t wait_takers_sum(const struct wait_takers *takers)
{
    uint64_t sum = 0;
    for (enum no_taker i = 0; i < NO_TAKERS; i++)
        sum += takers->none[i];
    for (size_t i = 0; i < takers->count; i++)
        sum += takers->list[i].taken;
    return sum;
}

void wait_facts_put(struct wait_facts **facts, enum span_kind kind, uint64_t ns, uint64_t times)
{
    wait_facts_count(facts, kind * SPAN_BUCKETS + span_bucket(ns), times);
}

void wait_facts_add(struct wait_facts **to, const struct wait_facts *from)
{
    if (!from)
        return;
    if (!*to)
        wait_facts_grow(to);
    for (enum span_kind k = 0; k < SPAN_KINDS; k++) {
        (*to)->sum[k] += from->sum[k];
        if (from->most[k] > (*to)->most[k])
            (*to)->most[k] = from->most[k];
    }
    (*to)->listed += from->listed;
    struct wait_takers *takers = from->takers ? wait_facts_takers(to) : NULL;
    for (enum no_taker i = 0; takers && i < NO_TAKERS; i++)
        takers->none[i] += from->takers->none[i];
    for (size_t i = 0; takers && i < from->takers->count; i++)
        wait_takers_add(takers, &from->takers->list[i]);
    for (uint32_t i = 0; i < from->room; i++)
        if (from->spans[i])
            wait_facts_count(to, from->spans[i] >> SPAN_COUNT_BITS, from->spans[i] & COUNT_MAX);
}

void wait_facts_add_wakeups(struct wait_facts **facts)
{
    struct wait_facts *of = *facts, *all = NULL;
    for (uint32_t i = 0; of && i < of->room; i++) {
        uint64_t key = of->spans[i] >> SPAN_COUNT_BITS;
        if (of->spans[i] && key / SPAN_BUCKETS == SPAN_WAKEUP)
            wait_facts_count(&all, key % SPAN_BUCKETS, of->spans[i] & COUNT_MAX);
    }
    if (!all)
        return;
    all->sum[SPAN_WAIT] = of->sum[SPAN_WAKEUP];
    all->most[SPAN_WAIT] = of->most[SPAN_WAKEUP];
    wait_facts_add(facts, all);
    wait_facts_free(all);
}

void wait_facts_free(struct wait_facts *facts)
{
    if (facts)
        free(facts->takers);
    free(facts);
}

static int by_key(const void *a, const void *b)
{
    const struct span_count *x = a, *y = b;
    return x->kind != y->kind ? x->kind - y->kind : x->bucket - y->bucket;
}

size_t wait_facts_list(const struct wait_facts *facts,
                       struct span_count list[SPAN_KINDS * SPAN_BUCKETS])
{
    size_t count = 0;
    for (uint32_t i = 0; facts && i < facts->room; i++) {
        uint64_t key = facts->spans[i] >> SPAN_COUNT_BITS;
        if (facts->spans[i])
            list[count++] = (struct span_count){(uint16_t)(key / SPAN_BUCKETS),
                                                (uint16_t)(key % SPAN_BUCKETS),
                                                facts->spans[i] & COUNT_MAX};
    }
    qsort(list, count, sizeof(*list), by_key);
    return count;
}

uint64_t wait_facts_buckets(const struct wait_facts *facts, enum span_kind kind,
                            uint64_t counts[SPAN_BUCKETS])
{
    uint64_t sum = 0;
    memset(counts, 0, SPAN_BUCKETS * sizeof(*counts));
    for (uint32_t i = 0; facts && i < facts->room; i++) {
        uint64_t key = facts->spans[i] >> SPAN_COUNT_BITS, times = facts->spans[i] & COUNT_MAX;
        if (key / SPAN_BUCKETS != kind)
            continue;
        counts[key % SPAN_BUCKETS] += times;
        sum += times;
    }
    return sum;
}

double wait_facts_quantile(const struct wait_facts *facts, enum span_kind kind, double part)
{
    uint64_t counts[SPAN_BUCKETS];
    uint64_t sum = wait_facts_buckets(facts, kind, counts);
    if (sum == 0)
        return -1;
    uint64_t rank = (uint64_t)ceil(part * (double)sum);
    size_t bucket = 0;
    for (uint64_t passed = counts[0]; passed < rank; passed += counts[bucket])
        bucket++;
    double most = (double)facts->most[kind];
    if (part >= 1)
        return most;
    double least = (double)span_least(bucket), next = (double)span_least(bucket + 1);
    double middle = next - least > 1 ? (least + next) / 2 : least;
    return middle < most ? middle : most;
}

struct long_wait *long_waits_add(struct long_waits **waits)
{
    if (!*waits)
        *waits = mem_alloc(sizeof(**waits));
    struct long_wait *added = &(*waits)->list[(*waits)->next];
    (*waits)->count++;
    (*waits)->next = ((*waits)->next + 1) % LONG_WAITS_MAX;
    return added;
}

struct long_waits *long_waits_copy(const struct long_waits *waits)
{
    struct long_waits *copy = waits ? mem_alloc(sizeof(*copy)) : NULL;
    if (copy)
        *copy = *waits;
    return copy;
}

const struct long_wait *long_waits_get(const struct long_waits *waits, size_t i)
{
    if (!waits || i >= LONG_WAITS_MAX || i >= waits->count)
        return NULL;
    return &waits->list[(waits->count > LONG_WAITS_MAX ? waits->next + i : i) % LONG_WAITS_MAX];
}
