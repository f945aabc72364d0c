#include "model/history.h"

struct measure {
    double least, most;
    double sum, seconds; /* sums over known values: value times seconds, and seconds */
};

struct track {
    uint64_t id;
    uint64_t last;   /* newest interval in the rings */
    uint64_t taken;  /* last interval with the row */
    double until;    /* history's seconds at its end */
    size_t count;    /* values in each ring */
    size_t room;     /* of each ring, at most HISTORY_LENGTH: most rows live for a few intervals */
    float *rings;    /* one for each measure */
    uint8_t *scaled; /* a bit for each place in them; in their allocation */
    bool keep, ended;
    struct measure measures[];
};

struct history {
    size_t values;
    double *absent;
    uint64_t interval; /* number of the last one, from 1 */
    double passed;     /* seconds to the end of the last interval */
    double before;     /* seconds to its beginning */
    /* Of the last intervals, at their index in the rings. */
    double seconds[HISTORY_LENGTH], ends[HISTORY_LENGTH];
    struct map tracks;    /* by id */
    uint64_t swept;       /* last interval in which rows were dropped */
    struct history *held; /* what readers see instead; NULL: this one */
};

struct history *history_new(void)
{
    return mem_alloc(sizeof(struct history));
}

static void free_track(struct track *track)
{
    free(track->rings);
    free(track);
}

static size_t ring_place(const struct track *track, size_t value, uint64_t interval)
{
    return value * track->room + interval % track->room;
}

static bool ring_is_scaled(const struct track *track, size_t place)
{
    return track->scaled[place / 8] >> place % 8 & 1;
}

static void set_place(struct track *track, size_t place, float value, bool scaled)
{
    uint8_t *bits = &track->scaled[place / 8], bit = (uint8_t)(1 << place % 8);
    track->rings[place] = value;
    *bits = (uint8_t)(scaled ? *bits | bit : *bits & ~bit);
}

/* Bytes of rings with that many places, and their bits. */
static size_t rings_size(size_t places)
{
    return places * sizeof(float) + (places + 7) / 8;
}

static void make_rings(struct track *track, size_t values)
{
    size_t places = values * track->room;
    track->rings = mem_alloc(rings_size(places));
    track->scaled = (uint8_t *)(track->rings + places);
}

/* Gives the rings room for twice as many values, and moves those that are there. */
static void grow_rings(struct track *track, size_t values)
{
    enum { FIRST = 8 };
    struct track old = *track;
    track->room = old.room * 2 < HISTORY_LENGTH ? old.room * 2 : HISTORY_LENGTH;
    track->room = track->room ? track->room : FIRST;
    make_rings(track, values);
    for (size_t v = 0; v < values; v++)
        for (uint64_t i = old.last + 1 - old.count; i <= old.last; i++) {
            size_t from = ring_place(&old, v, i);
            set_place(track, ring_place(track, v, i), old.rings[from], ring_is_scaled(&old, from));
        }
    free(old.rings);
}

static void history_forget(struct history *history)
{
    history_hold(history, false);
    MAP_EACH (struct track, track, &history->tracks)
        free_track(track);
    map_clear(&history->tracks);
}

void history_free(struct history *history)
{
    if (!history)
        return;
    history_forget(history);
    map_release(&history->tracks);
    free(history->absent);
    free(history);
}

static size_t track_size(const struct history *history)
{
    return sizeof(struct track) + history->values * sizeof(struct measure);
}

static struct history *copy_of(const struct history *history)
{
    struct history *copy = mem_alloc(sizeof(*copy));
    *copy = *history;
    copy->absent = mem_array(history->values, sizeof(*copy->absent));
    if (history->values > 0)
        memcpy(copy->absent, history->absent, history->values * sizeof(*copy->absent));
    copy->tracks = (struct map){0};
    MAP_EACH (const struct track, track, &history->tracks) {
        struct track *twin = memcpy(mem_alloc(track_size(history)), track, track_size(history));
        make_rings(twin, history->values);
        if (track->rings)
            memcpy(twin->rings, track->rings, rings_size(history->values * track->room));
        map_put(&copy->tracks, track->id, twin);
    }
    return copy;
}

void history_hold(struct history *history, bool held)
{
    if (held && !history->held)
        history->held = copy_of(history);
    if (held)
        return;
    history_free(history->held);
    history->held = NULL;
}

static const struct history *seen(const struct history *history)
{
    return history->held ? history->held : history;
}

void history_begin(struct history *history, size_t values, const double *absent)
{
    history_forget(history);
    history->values = values;
    free(history->absent);
    history->absent = mem_array(values, sizeof(*absent));
    if (values > 0)
        memcpy(history->absent, absent, values * sizeof(*absent));
}

void history_interval(struct history *history, double seconds, double end)
{
    history->interval++;
    history->before = history->passed;
    history->passed += seconds;
    history->seconds[history->interval % HISTORY_LENGTH] = seconds;
    history->ends[history->interval % HISTORY_LENGTH] = end;
}

static int by_age(const void *a, const void *b)
{
    const struct track *x = *(struct track *const *)a, *y = *(struct track *const *)b;
    return (x->taken > y->taken) - (x->taken < y->taken);
}

/* values NULL: none is known. */
static void put(struct track *track, const struct history *history, uint64_t interval,
                const double *values, const bool *scaled)
{
    if (track->count == track->room && track->room < HISTORY_LENGTH)
        grow_rings(track, history->values);
    for (size_t v = 0; v < history->values; v++)
        set_place(track, ring_place(track, v, interval), values ? (float)values[v] : NAN,
                  scaled && scaled[v]);
    track->last = interval;
    track->count += track->count < HISTORY_LENGTH;
}

static void weigh(struct measure *measure, double value, double seconds)
{
    if (isnan(value))
        return;
    if (measure->seconds == 0 || value < measure->least)
        measure->least = value;
    if (measure->seconds == 0 || value > measure->most)
        measure->most = value;
    measure->sum += value * seconds;
    measure->seconds += seconds;
}

static struct track *track_of(struct history *history, uint64_t id, bool keep)
{
    struct track *track = map_get(&history->tracks, id);
    if (track)
        return track;
    if (history->tracks.count >= HISTORY_ROWS && history->swept != history->interval) {
        /* Once per interval, drops the older half of the rows that are not in it. */
        struct track **old = mem_array(history->tracks.count, sizeof(*old));
        size_t count = 0;
        history->swept = history->interval;
        for (size_t at = 0; (track = map_next(&history->tracks, &at));)
            if (track->taken < history->interval && !track->keep)
                old[count++] = track;
        qsort(old, count, sizeof(*old), by_age);
        for (size_t i = 0; i < (count + 1) / 2; i++)
            free_track(map_remove(&history->tracks, old[i]->id));
        free(old);
    }
    if (history->tracks.count >= HISTORY_ROWS && !keep)
        return NULL;
    track = mem_alloc(track_size(history));
    track->id = id;
    track->last = track->taken = history->interval - 1;
    track->until = history->before;
    map_put(&history->tracks, id, track);
    return track;
}

void history_end(struct history *history, uint64_t id)
{
    struct track *track = map_get(&history->tracks, id);
    if (track)
        track->ended = true;
}

/* What a row has in intervals without it. */
static double absent_value(const struct history *history, const struct track *track, size_t value)
{
    return track->ended ? (double)NAN : history->absent[value];
}

void history_take(struct history *history, uint64_t id, const double *values, const bool *scaled,
                  bool keep)
{
    struct track *track = track_of(history, id, keep);
    if (!track)
        return;
    double seconds = history->passed - history->before, gap = history->before - track->until;
    bool missed = track->taken + 1 < history->interval;
    if (track->last + HISTORY_LENGTH < history->interval - 1)
        track->last = history->interval - 1 - HISTORY_LENGTH;
    while (track->last < history->interval - 1)
        put(track, history, track->last + 1, track->ended ? NULL : history->absent, NULL);
    put(track, history, history->interval, values, scaled);
    for (size_t v = 0; v < history->values; v++) {
        if (missed)
            weigh(&track->measures[v], absent_value(history, track, v), gap);
        weigh(&track->measures[v], values[v], seconds);
    }
    track->ended = false;
    track->taken = history->interval;
    track->until = history->passed;
    track->keep = keep;
}

static void tell_of(struct series *series, const struct measure *measure)
{
    series->known = measure->seconds > 0;
    series->least = measure->least;
    series->most = measure->most;
    series->mean = series->known ? measure->sum / measure->seconds : 0;
}

bool history_series(const struct history *history, uint64_t id, size_t value, struct series *series)
{
    history = seen(history);
    const struct track *track = map_get(&history->tracks, id);
    *series = (struct series){0};
    if (!track || value >= history->values)
        return false;
    uint64_t since = history->interval - track->last; /* intervals that are not in the rings */
    size_t gone = since < HISTORY_LENGTH ? (size_t)since : HISTORY_LENGTH;
    size_t known = track->count + gone <= HISTORY_LENGTH ? track->count : HISTORY_LENGTH - gone;
    for (size_t i = 0; i < known; i++) {
        size_t place = ring_place(track, value, track->last - (known - 1 - i));
        series->values[i] = track->rings[place];
        series->scaled[i] = ring_is_scaled(track, place);
    }
    for (size_t i = 0; i < gone; i++)
        series->values[known + i] = (float)absent_value(history, track, value);
    series->count = known + gone;
    struct measure measure = track->measures[value];
    if (gone > 0)
        weigh(&measure, absent_value(history, track, value), history->passed - track->until);
    tell_of(series, &measure);
    return true;
}

bool history_recent(const struct history *history, uint64_t id, size_t value, struct series *series)
{
    struct measure measure = {0};
    history = seen(history);
    if (!history_series(history, id, value, series))
        return false;
    for (size_t i = 0; i < series->count; i++) {
        uint64_t interval = history->interval - (series->count - 1 - i);
        weigh(&measure, (double)series->values[i], history->seconds[interval % HISTORY_LENGTH]);
    }
    tell_of(series, &measure);
    return true;
}

double history_most(const struct history *history, size_t value, size_t count, uint64_t except)
{
    double most = 0;
    history = seen(history);
    MAP_EACH (const struct track, track, &history->tracks)
        for (size_t i = 0; i < track->count && track->id != except; i++) {
            uint64_t interval = track->last - i;
            if (interval + count <= history->interval)
                break;
            double number = (double)track->rings[ring_place(track, value, interval)];
            most = number > most ? number : most; /* false for NAN */
        }
    return most;
}

double history_seconds(const struct history *history, size_t count)
{
    double seconds = 0;
    history = seen(history);
    for (size_t i = 0; i < count && i < HISTORY_LENGTH && i < history->interval; i++)
        seconds += history->seconds[(history->interval - i) % HISTORY_LENGTH];
    return seconds;
}

void history_intervals(const struct history *history, struct intervals *intervals)
{
    history = seen(history);
    uint64_t all = history->interval;
    intervals->count = all < HISTORY_LENGTH ? (size_t)all : HISTORY_LENGTH;
    for (size_t i = 0; i < intervals->count; i++) {
        size_t index = (all - (intervals->count - 1 - i)) % HISTORY_LENGTH;
        intervals->seconds[i] = history->seconds[index];
        intervals->ends[i] = history->ends[index];
    }
}

bool history_next(const struct history *history, size_t *at, uint64_t *id)
{
    const struct track *track = map_next(&seen(history)->tracks, at);
    if (track)
        *id = track->id;
    return track != NULL;
}
