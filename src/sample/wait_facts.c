#include "sample/wait_facts.h"

const struct span_kind_text span_kinds[SPAN_KINDS] = {
    {"wait", "wait", "a wait for a CPU", "waits for a CPU"},
    {"wakeup", "wake", "a wait for a CPU after a wake-up", "waits after a wake-up"},
    {"slice", "slice", "a time on a CPU between two switches", "slices on a CPU"},
    {"sleep", "sleep", "a time asleep until a wake-up", "sleeps"},
};
const struct span_figure_text span_figures[SPAN_FIGURES] = {
    {"p50", "half of them are not longer", 0.5},
    {"p95", "95 % are not longer", 0.95},
    {"p99", "99 % are not longer", 0.99},
    {"max", "the longest", 1},
};

enum { FINE = 8, FIRST_ROOM = 6 };
const char *const no_taker_names[NO_TAKERS] = {"others", "nobody", "throttled", "stolen",
                                               "interrupts"};

const char task_unnamed[TASK_COMM_SIZE] = "(name not known)";

const char *task_known_name(const char *comm)
{
    return str_equal(comm, task_unnamed) ? NULL : comm;
}

static const uint64_t COUNT_MAX = (1ull << 53) - 1; /* of spans */

uint64_t span_least(size_t bucket)
{
    size_t shift = bucket < FINE ? 0 : bucket / FINE - 1;
    return (uint64_t)(bucket - shift * FINE) << shift;
}

/* How many spans a place has. */
static uint64_t span_times(const struct wait_facts *facts, size_t at)
{
    uint64_t upper = facts->wide ? facts->spans[facts->room + at] : 0;
    return upper << SPAN_COUNT_BITS | (facts->spans[at] & SPAN_COUNT_MASK);
}

/* Makes room for more spans, or for larger numbers of them. */
static void wait_facts_grow(struct wait_facts **facts, size_t room, bool wide)
{
    struct wait_facts *old = *facts, *new;
    new = mem_alloc(sizeof(*new) + (room << wide) * sizeof(new->spans[0]));
    if (old)
        *new = *old;
    new->room = (uint16_t)room;
    new->wide = wide;
    for (size_t i = 0; old && i < old->room; i++) {
        if (!old->spans[i])
            continue;
        size_t at = wait_facts_find(new, old->spans[i] >> SPAN_COUNT_BITS);
        new->spans[at] = old->spans[i];
        if (wide)
            new->spans[room + at] = (uint32_t)(span_times(old, i) >> SPAN_COUNT_BITS);
    }
    free(old);
    *facts = new;
}

/* Counts spans of a kind and bucket, up to COUNT_MAX; below 0: takes them away, down to 0. */
static void wait_facts_count(struct wait_facts **facts, uint32_t key, int64_t times)
{
    if (!*facts)
        wait_facts_grow(facts, FIRST_ROOM, false);
    else if (((*facts)->count + 1) * 8 > (*facts)->room * 7)
        wait_facts_grow(facts, (*facts)->room * 2 + 2, (*facts)->wide);
    size_t at = wait_facts_find(*facts, key);
    uint64_t before = span_times(*facts, at), now = before + (uint64_t)times;
    now = times < 0 && now > before ? 0 : now < COUNT_MAX ? now : COUNT_MAX;
    if (now > SPAN_COUNT_MASK && !(*facts)->wide) {
        wait_facts_grow(facts, (*facts)->room, true);
        at = wait_facts_find(*facts, key);
    }
    (*facts)->count += (*facts)->spans[at] == 0;
    (*facts)->spans[at] = key << SPAN_COUNT_BITS | (uint32_t)(now & SPAN_COUNT_MASK);
    if ((*facts)->wide)
        (*facts)->spans[(*facts)->room + at] = (uint32_t)(now >> SPAN_COUNT_BITS);
}

struct wait_takers *wait_facts_takers(struct wait_facts **facts)
{
    if (!*facts)
        wait_facts_grow(facts, FIRST_ROOM, false);
    if (!(*facts)->takers)
        (*facts)->takers = mem_alloc(sizeof(*(*facts)->takers));
    return (*facts)->takers;
}

void wait_takers_add(struct wait_takers **takers, const struct wait_taker *more, size_t most)
{
    struct wait_takers *to = *takers;
    size_t at = 0;
    while (at < to->count && to->list[at].id != more->id)
        at++;
    if (at < to->count) {
        to->list[at].taken += more->taken;
        to->list[at].sure += more->sure;
    } else if (at == most && more->taken <= to->list[at - 1].taken) {
        to->none[TAKEN_OTHERS] += more->taken;
        return;
    } else if (at == most) {
        to->none[TAKEN_OTHERS] += to->list[--at].taken;
        to->list[at] = *more;
    } else {
        if (at == to->room) {
            size_t room = at ? at * 2 : 1;
            to = *takers = mem_resize(to, 1, sizeof(*to) + room * sizeof(to->list[0]));
            to->room = (uint32_t)room;
        }
        to->list[to->count++] = *more;
    }
    for (; at > 0; at--) {
        struct wait_taker less = to->list[at - 1], taker = to->list[at];
        if (taker.taken != less.taken ? taker.taken < less.taken : taker.pid >= less.pid)
            break;
        to->list[at - 1] = taker;
        to->list[at] = less;
    }
}

void wait_takers_cut(struct wait_takers *takers)
{
    while (takers->count > WAIT_TAKERS)
        takers->none[TAKEN_OTHERS] += takers->list[--takers->count].taken;
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

uint64_t wait_takers_sum(const struct wait_takers *takers)
{
    uint64_t sum = 0;
    for (enum no_taker i = 0; i < NO_TAKERS; i++)
        sum += takers->none[i];
    for (size_t i = 0; i < takers->count; i++)
        sum += takers->list[i].taken;
    return sum;
}

void wait_facts_put(struct wait_facts **facts, enum span_kind kind, uint64_t ns, uint64_t times,
                    bool both)
{
    wait_facts_count(facts, span_key(kind, ns), (int64_t)times);
    if (both && kind == SPAN_WAKEUP)
        wait_facts_count(facts, span_key(SPAN_WAIT, ns), -(int64_t)times);
}

void wait_facts_add(struct wait_facts **to, const struct wait_facts *from)
{
    if (!from)
        return;
    if (!*to)
        wait_facts_grow(to, from->room, from->wide);
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
        wait_takers_add(&(*to)->takers, &from->takers->list[i], WAIT_TAKERS_SUM);
    for (size_t i = 0; i < from->room; i++)
        if (from->spans[i])
            wait_facts_count(to, from->spans[i] >> SPAN_COUNT_BITS, (int64_t)span_times(from, i));
}

void wait_facts_free(struct wait_facts *facts)
{
    if (facts)
        free(facts->takers);
    free(facts);
}

uint64_t wait_facts_buckets(const struct wait_facts *facts, enum span_kind kind,
                            uint64_t counts[SPAN_BUCKETS])
{
    uint64_t sum = 0;
    memset(counts, 0, SPAN_BUCKETS * sizeof(*counts));
    for (size_t i = 0; facts && i < facts->room; i++) {
        size_t key = (facts->spans[i] >> SPAN_COUNT_BITS) - 1, of = key / SPAN_BUCKETS;
        if (!facts->spans[i] || (of != kind && !(of == SPAN_WAKEUP && kind == SPAN_WAIT)))
            continue;
        counts[key % SPAN_BUCKETS] += span_times(facts, i);
        sum += span_times(facts, i);
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

void long_waits_join(struct long_waits **waits, const struct long_waits *more)
{
    const struct long_wait *wait;
    for (size_t i = 0; (wait = long_waits_get(more, i)); i++)
        *long_waits_add(waits) = *wait;
    if (more && more->count > LONG_WAITS_MAX)
        (*waits)->count += more->count - LONG_WAITS_MAX;
}

const struct long_wait *long_waits_get(const struct long_waits *waits, size_t i)
{
    if (!waits || i >= LONG_WAITS_MAX || i >= waits->count)
        return NULL;
    return &waits->list[(waits->count > LONG_WAITS_MAX ? waits->next + i : i) % LONG_WAITS_MAX];
}
