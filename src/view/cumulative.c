#include "view/cumulative.h"
#include "base/scale.h"
#include "metric/eval.h"

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
    map_free(&place->sums);
}

void cumulative_release(struct cumulative *cumulative)
{
    for (size_t i = 0; i < cumulative->count; i++) {
        place_release(cumulative->places[i]);
        free(cumulative->places[i]);
    }
    place_release(&cumulative->rest);
    place_release(&cumulative->retired);
    event_set_drop(cumulative->set);
    free(cumulative->places);
    cumulative_init(cumulative, cumulative->most);
}

/* The counter of an event, by the hash of its name; it is added if there is none. */
static struct cumulative_sum *sum_of(struct cumulative_place *place, uint64_t event)
{
    struct cumulative_sum *sum = map_get(&place->sums, event);
    if (!sum) {
        sum = mem_alloc(sizeof(*sum));
        sum->event = event;
        map_put(&place->sums, event, sum);
    }
    return sum;
}

void cumulative_begin(struct cumulative *cumulative, const struct frame *frame)
{
    event_set_drop(cumulative->set);
    cumulative->set = mem_share(frame->events);
    cumulative->time += frame->interval;
    cumulative->full = false;
    double left = exp2(-frame->interval / KEPT);
    for (size_t i = 0; i < cumulative->count; i++) {
        struct cumulative_place *place = cumulative->places[i];
        struct cumulative_sum *sum;
        place->recent *= left;
        for (size_t at = 0; (sum = map_next(&place->sums, &at));)
            sum->coverage = 0; /* it may have no row any more */
    }
}

static int by_place_name(const void *name, const void *place)
{
    return strcmp(name, (*(struct cumulative_place *const *)place)->name);
}

/* Whether there is room for a name with that many seconds on a CPU; may drop another name. */
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
    const struct cumulative_sum *sum;
    for (size_t at = 0; (sum = map_next(&places[least]->sums, &at));)
        sum_of(&cumulative->retired, sum->event)->value += sum->value;
    place_release(places[least]);
    free(places[least]);
    cumulative->count--;
    memmove(places + least, places + least + 1, (cumulative->count - least) * sizeof(*places));
    return true;
}

static struct cumulative_place *place_for(struct cumulative *cumulative, const struct row *row,
                                          const char *name)
{
    if (!name)
        return &cumulative->rest;
    struct cumulative_place **place =
        cumulative->count
            ? bsearch(name, cumulative->places, cumulative->count, sizeof(*place), by_place_name)
            : NULL;
    if (place)
        return *place;
    /* Rows are sorted by CPU time: all others are less busy. */
    cumulative->full = cumulative->full || !cumulative_make_room(cumulative, row->oncpu);
    if (cumulative->full)
        return &cumulative->rest;
    place = mem_insert(&cumulative->places, &cumulative->count, &cumulative->room, sizeof(*place),
                       name, by_place_name);
    *place = mem_alloc(sizeof(**place));
    (*place)->name = mem_strdup(name);
    (*place)->since = cumulative->time;
    return *place;
}

void cumulative_add(struct cumulative *cumulative, const struct frame *frame, const struct row *row,
                    const char *name)
{
    struct cumulative_place *place = place_for(cumulative, row, name);
    for (size_t e = 0; e < frame->events->count; e++) {
        struct value value = eval_event(frame, row, e);
        struct cumulative_sum *sum = sum_of(place, str_hash(frame->events->events[e].name));
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
    place->listed += row->wait_facts ? row->wait_facts->listed : 0;
    if (row->state != EVENT_COUNTED)
        return;
    place->seconds += row->oncpu;
    place->recent += row->oncpu;
}

const struct cumulative_sum *cumulative_sum(const struct cumulative *cumulative,
                                            const struct cumulative_place *place, size_t i)
{
    static const struct cumulative_sum none;
    const struct cumulative_sum *sum =
        map_get(&place->sums, str_hash(cumulative->set->events[i].name));
    return sum ? sum : &none;
}

uint64_t cumulative_retired(const struct cumulative *cumulative, size_t i)
{
    return cumulative_sum(cumulative, &cumulative->retired, i)->value;
}
