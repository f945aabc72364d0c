#include "view/tally.h"
#include "base/mem.h"
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a name is kept at least: what reads counters looks for them within so long (the
 * lookback delta of Prometheus), and has to see a counter twice to know its rate. It is also how
 * long half of what a group did counts as recent. */
static const double KEPT = 300;

/* How much busier a group has to be than the one whose name it takes. */
static const double BUSIER = 2;

void tally_init(struct tally *tally, size_t most)
{
    *tally = (struct tally){.most = most};
}

static void place_release(struct tally_place *place)
{
    free(place->name);
    free(place->sums);
}

void tally_release(struct tally *tally)
{
    for (size_t i = 0; i < tally->count; i++) {
        place_release(tally->places[i]);
        free(tally->places[i]);
    }
    for (size_t e = 0; e < tally->event_count; e++)
        free(tally->events[e]);
    place_release(&tally->rest);
    event_set_drop(tally->set);
    free(tally->places);
    free(tally->events);
    free(tally->columns);
    free(tally->retired);
    tally_init(tally, tally->most);
}

/* Events. */

static void grow_sums(struct tally_place *place, size_t before, size_t room)
{
    place->sums = mem_resize(place->sums, room, sizeof(*place->sums));
    memset(place->sums + before, 0, (room - before) * sizeof(*place->sums));
}

/* Makes room for another event in all places. */
static void add_event(struct tally *tally, const char *name)
{
    size_t before = tally->event_room;
    mem_grow(&tally->events, &tally->event_room, tally->event_count + 1, sizeof(*tally->events));
    if (tally->event_room > before) {
        size_t room = tally->event_room;
        for (size_t i = 0; i < tally->count; i++)
            grow_sums(tally->places[i], before, room);
        grow_sums(&tally->rest, before, room);
        tally->retired = mem_resize(tally->retired, room, sizeof(*tally->retired));
        memset(tally->retired + before, 0, (room - before) * sizeof(*tally->retired));
    }
    tally->events[tally->event_count++] = mem_strdup(name);
}

static size_t column_of(struct tally *tally, const char *name)
{
    for (size_t e = 0; e < tally->event_count; e++)
        if (strcmp(tally->events[e], name) == 0)
            return e;
    add_event(tally, name);
    return tally->event_count - 1;
}

static void use_events(struct tally *tally, struct event_set *set)
{
    /* The reference held keeps the address from being used again for another set. */
    if (set == tally->set)
        return;
    event_set_drop(tally->set);
    tally->set = event_set_share(set);
    tally->columns = mem_resize(tally->columns, set->count, sizeof(*tally->columns));
    for (size_t e = 0; e < set->count; e++)
        tally->columns[e] = column_of(tally, set->events[e].name);
}

void tally_begin(struct tally *tally, const struct frame *frame)
{
    use_events(tally, frame->events);
    tally->time += frame->interval;
    tally->full = false;
    double left = exp2(-frame->interval / KEPT);
    for (size_t i = 0; i < tally->count; i++)
        tally->places[i]->recent *= left;
}

/* Places. */

/* Where the name is; false: where it belongs. */
static bool find(const struct tally *tally, const char *name, size_t *at)
{
    size_t low = 0, high = tally->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(tally->places[middle]->name, name);
        if (order == 0) {
            *at = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return false;
}

static void retire(struct tally *tally, size_t at)
{
    struct tally_place *place = tally->places[at];
    for (size_t e = 0; e < tally->event_count; e++)
        tally->retired[e] += place->sums[e].value;
    place_release(place);
    free(place);
    tally->count--;
    memmove(tally->places + at, tally->places + at + 1,
            (tally->count - at) * sizeof(*tally->places));
}

/* Whether there is room for a name that is so many seconds on a CPU now; makes it if need be. */
static bool make_room(struct tally *tally, double oncpu)
{
    if (!tally->most || tally->count < tally->most)
        return true;
    size_t least = tally->count;
    for (size_t i = 0; i < tally->count; i++) {
        const struct tally_place *place = tally->places[i];
        if (tally->time - place->since >= KEPT &&
            (least == tally->count || place->recent < tally->places[least]->recent))
            least = i;
    }
    if (least == tally->count || oncpu <= tally->places[least]->recent * BUSIER)
        return false;
    retire(tally, least);
    return true;
}

static struct tally_place *new_place(struct tally *tally, const char *name)
{
    struct tally_place *place = mem_alloc(sizeof(*place));
    size_t at;
    find(tally, name, &at);
    mem_grow(&tally->places, &tally->room, tally->count + 1, sizeof(*tally->places));
    memmove(tally->places + at + 1, tally->places + at,
            (tally->count - at) * sizeof(*tally->places));
    tally->places[at] = place;
    tally->count++;
    place->name = mem_strdup(name);
    place->since = tally->time;
    grow_sums(place, 0, tally->event_room);
    return place;
}

static struct tally_place *place_for(struct tally *tally, const struct row *row, const char *name)
{
    size_t at;
    if (!name)
        return &tally->rest;
    if (find(tally, name, &at))
        return tally->places[at];
    /* The rows that follow are less busy. */
    tally->full = tally->full || !make_room(tally, row->oncpu);
    return tally->full ? &tally->rest : new_place(tally, name);
}

void tally_add(struct tally *tally, const struct frame *frame, const struct row *row,
               const char *name)
{
    struct tally_place *place = place_for(tally, row, name);
    for (size_t e = 0; e < frame->events->count; e++) {
        struct value value = eval_event(frame, row, e);
        struct tally_sum *sum = &place->sums[tally->columns[e]];
        sum->coverage = value.state == VALUE_MISSING ? 0 : value.coverage;
        if (value.state == VALUE_MISSING)
            continue;
        sum->value += row->counts[e].value;
        sum->known = true;
    }
    if (row->state != EVENT_COUNTED)
        return;
    place->seconds += row->oncpu;
    place->recent += row->oncpu;
}

const struct tally_sum *tally_sum(const struct tally *tally, const struct tally_place *place,
                                  size_t i)
{
    return &place->sums[tally->columns[i]];
}

uint64_t tally_retired(const struct tally *tally, size_t i)
{
    return tally->retired[tally->columns[i]];
}
