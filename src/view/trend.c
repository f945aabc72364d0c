#include "view/trend.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>

struct trend {
    struct history *history; /* a row per name, whose id is the name's hash */
    double wall;             /* end of the last interval */
};

static void trend_forget(struct trend *trend)
{
    static const double unknown = NAN;
    history_begin(trend->history, 1, &unknown);
}

struct trend *trend_new(void)
{
    struct trend *trend = mem_alloc(sizeof(*trend));
    trend->history = history_new();
    trend_forget(trend);
    return trend;
}

void trend_free(struct trend *trend)
{
    if (trend)
        history_free(trend->history);
    free(trend);
}

void trend_interval(struct trend *trend, const struct frame *frame)
{
    if (frame->wall <= trend->wall)
        trend_forget(trend);
    trend->wall = frame->wall;
    history_interval(trend->history, frame->interval, frame->wall);
}

void trend_hold(struct trend *trend, bool held)
{
    history_hold(trend->history, held);
}

void trend_take(struct trend *trend, const char *name, double number, bool scaled)
{
    history_take(trend->history, str_hash(name), &number, &scaled, false);
}

bool trend_series(const struct trend *trend, const char *name, struct series *series)
{
    return history_series(trend->history, str_hash(name), 0, series);
}

void trend_intervals(const struct trend *trend, struct intervals *intervals)
{
    history_intervals(trend->history, intervals);
}

bool trend_range(const struct series *series, size_t count, double *least, double *most)
{
    bool known = false;
    for (size_t i = series->count > count ? series->count - count : 0; i < series->count; i++) {
        double value = (double)series->values[i];
        if (isnan(value))
            continue;
        *least = known && *least < value ? *least : value;
        *most = known && *most > value ? *most : value;
        known = true;
    }
    return known;
}
