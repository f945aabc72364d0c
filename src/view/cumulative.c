#include "view/cumulative.h"
#include "base/mem.h"
#include "base/scale.h"
#include "metric/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a name is kept at least. Prometheus looks for samples within this time (its lookback
 * delta), and needs two of them for a rate. Also the half-life of `recent`. */
static const double KEPT = 300;

/* How many times busier a group must be than the one whose name it takes. */
static const double BUSIER = 2;

void cumulative_init(struct cumulative *cumulative, size_t most)
{
    *cumulative = (struct cumulative){.most = most};
}

static void place_release(struct cumulative_place *place)
{
    free(place->name);
    free(place->sums);
}

void cumulative_release(struct cumulative *cumulative)
{
    for (size_t i = 0; i < cumulative->count; i++) {
        place_release(cumulative->places[i]);
        free(cumulative->places[i]);
    }
    for (size_t e = 0; e < cumulative->event_count; e++)
        free(cumulative->events[e]);
    place_release(&cumulative->rest);
    event_set_drop(cumulative->set);
    free(cumulative->places);
    free(cumulative->events);
    free(cumulative->columns);
    free(cumulative->retired);
    cumulative_init(cumulative, cumulative->most);
}

static void grow_sums(struct cumulative_place *place, size_t before, size_t room)
{
    place->sums = mem_resize(place->sums, room, sizeof(*place->sums));
    memset(place->sums + before, 0, (room - before) * sizeof(*place->sums));
}

void cumulative_begin(struct cumulative *cumulative, const struct frame *frame)
{
    struct event_set *set = frame->events;
    if (set != cumulative->set) {
        /* The reference keeps the address of the last set from being used again for another one. */
        event_set_drop(cumulative->set);
        cumulative->set = event_set_share(set);
        size_t before = cumulative->event_room;
        cumulative->columns =
            mem_resize(cumulative->columns, set->count, sizeof(*cumulative->columns));
        for (size_t e = 0; e < set->count; e++) {
            size_t column = 0;
            while (column < cumulative->event_count &&
                   strcmp(cumulative->events[column], set->events[e].name) != 0)
                column++;
            if (column == cumulative->event_count) {
                mem_grow(&cumulative->events, &cumulative->event_room, column + 1,
                         sizeof(*cumulative->events));
                cumulative->events[cumulative->event_count++] = mem_strdup(set->events[e].name);
            }
            cumulative->columns[e] = column;
        }
        size_t room = cumulative->event_room; /* all places have sums of all events */
        if (room > before) {
            for (size_t i = 0; i < cumulative->count; i++)
                grow_sums(cumulative->places[i], before, room);
            grow_sums(&cumulative->rest, before, room);
            cumulative->retired =
                mem_resize(cumulative->retired, room, sizeof(*cumulative->retired));
            memset(cumulative->retired + before, 0, (room - before) * sizeof(uint64_t));
        }
    }
    cumulative->time += frame->interval;
    cumulative->full = false;
    double left = exp2(-frame->interval / KEPT);
    for (size_t i = 0; i < cumulative->count; i++) {
        struct cumulative_place *place = cumulative->places[i];
        place->recent *= left;
        for (size_t e = 0; e < cumulative->event_count; e++) /* it may have no row any more */
            place->sums[e].coverage = 0;
    }
}

/* Sets *at to the index of the name; false: to the index where it belongs. */
static bool cumulative_find(const struct cumulative *cumulative, const char *name, size_t *at)
{
    size_t low = 0, high = cumulative->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(cumulative->places[middle]->name, name);
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

/* Whether there is room for a name with that many seconds on a CPU; drops another name if
 * necessary. */
static bool cumulative_make_room(struct cumulative *cumulative, double oncpu)
{
    struct cumulative_place **places = cumulative->places;
    size_t least = cumulative->count;
    if (!cumulative->most || cumulative->count < cumulative->most)
        return true;
    for (size_t i = 0; i < cumulative->count; i++)
        if (cumulative->time - places[i]->since >= KEPT &&
            (least == cumulative->count || places[i]->recent < places[least]->recent))
            least = i;
    if (least == cumulative->count || oncpu <= places[least]->recent * BUSIER)
        return false;
    for (size_t e = 0; e < cumulative->event_count; e++)
        cumulative->retired[e] += places[least]->sums[e].value;
    place_release(places[least]);
    free(places[least]);
    cumulative->count--;
    memmove(places + least, places + least + 1, (cumulative->count - least) * sizeof(*places));
    return true;
}

static struct cumulative_place *place_for(struct cumulative *cumulative, const struct row *row,
                                          const char *name)
{
    size_t at;
    if (!name)
        return &cumulative->rest;
    if (cumulative_find(cumulative, name, &at))
        return cumulative->places[at];
    /* Rows are sorted by CPU time: all others are less busy. */
    cumulative->full = cumulative->full || !cumulative_make_room(cumulative, row->oncpu);
    if (cumulative->full)
        return &cumulative->rest;
    cumulative_find(cumulative, name, &at); /* another name may have been dropped */
    mem_grow(&cumulative->places, &cumulative->room, cumulative->count + 1,
             sizeof(*cumulative->places));
    struct cumulative_place **place = &cumulative->places[at];
    memmove(place + 1, place, (cumulative->count++ - at) * sizeof(*place));
    *place = mem_alloc(sizeof(**place));
    (*place)->name = mem_strdup(name);
    (*place)->since = cumulative->time;
    grow_sums(*place, 0, cumulative->event_room);
    return *place;
}

void cumulative_add(struct cumulative *cumulative, const struct frame *frame, const struct row *row,
                    const char *name)
{
    struct cumulative_place *place = place_for(cumulative, row, name);
    for (size_t e = 0; e < frame->events->count; e++) {
        struct value value = eval_event(frame, row, e);
        struct cumulative_sum *sum = &place->sums[cumulative->columns[e]];
        int group = frame->events->events[e].group;
        uint64_t enabled = 0;
        if (row->state == EVENT_COUNTED && group >= 0 && !frame_is_whole(frame, (size_t)group))
            enabled = row->times[group].enabled;
        sum->coverage = value.state == VALUE_MISSING ? 0 : value.coverage;
        if (value.state == VALUE_MISSING) {
            sum->missed += enabled;
            continue;
        }
        sum->value += row->counts[e].value;
        if (enabled) {
            sum->value += scale(row->counts[e].value, sum->missed, enabled);
            sum->missed = 0;
        }
        sum->known = true;
    }
    if (row->state != EVENT_COUNTED)
        return;
    place->seconds += row->oncpu;
    place->recent += row->oncpu;
}

const struct cumulative_sum *cumulative_sum(const struct cumulative *cumulative,
                                            const struct cumulative_place *place, size_t i)
{
    return &place->sums[cumulative->columns[i]];
}

uint64_t cumulative_retired(const struct cumulative *cumulative, size_t i)
{
    return cumulative->retired[cumulative->columns[i]];
}
