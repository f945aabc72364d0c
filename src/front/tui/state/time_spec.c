#include "front/tui/state/state.h"

/* A time without a date is searched for in this many days before and after the interval shown. */
enum { DAYS = 31 };

static bool to_local(double time, struct tm *local)
{
    time_t seconds = (time_t)time;
    return localtime_r(&seconds, local) != NULL;
}

void time_spec_write(char text[TIME_SPEC_SIZE], double time, double today)
{
    struct tm local, day;
    text[0] = '\0';
    if (!to_local(time, &local) || !to_local(today, &day))
        return;
    bool same = local.tm_yday == day.tm_yday && local.tm_year == day.tm_year;
    strftime(text, TIME_SPEC_SIZE, same ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &local);
}

/* Times are displayed and typed without fractions. */
static bool time_spec_is_kept(const struct front_moment *moment, double time)
{
    return time >= floor(moment->first) && time <= moment->last;
}

static int not_kept(const char *text, const struct front_moment *moment, struct err *err)
{
    char first[TIME_SPEC_SIZE], last[TIME_SPEC_SIZE];
    time_spec_write(first, moment->first, moment->time);
    time_spec_write(last, moment->last, moment->time);
    return err_set(err, "%.40s is not kept (kept: %s to %s)", text, first, last);
}

/* That time of day, `days` days after the date of `local`. */
static double time_on(const struct tm *local, int days, const struct tm *clock)
{
    struct tm when = *local;
    when.tm_mday += days;
    when.tm_hour = clock->tm_hour;
    when.tm_min = clock->tm_min;
    when.tm_sec = clock->tm_sec;
    when.tm_isdst = -1;
    return (double)mktime(&when);
}

/* Whether the whole text matches that format of strptime(3). */
static bool matches(const char *text, const char *form, struct tm *tm)
{
    *tm = (struct tm){0};
    const char *end = strptime(text, form, tm);
    return end && !*end;
}

int time_spec_read(const char *text, const struct front_moment *moment, struct time_spec *when,
                   struct err *err)
{
    struct tm tm;
    *when = (struct time_spec){0};
    text += strspn(text, " ");
    unsigned long long number, count = moment->count;
    if (*text == '#' && !str_to_u64(text + 1, 1, count, &number))
        return err_set(err, "no interval '%.40s': expected #1 to #%llu", text + 1, count);
    if (*text == '#') {
        when->number = number;
        return 0;
    }
    bool sign = *text == '-' || *text == '+';
    double length;
    size_t end = strlen(text), ago = strlen("ago");
    bool past = *text != '+' && end > ago && str_equal(text + end - ago, "ago");
    AUTO_FREE char *span = mem_strndup(text + sign, end - sign - (past ? ago : 0));
    if (str_to_seconds(span, &length)) {
        when->time = (past ? moment->last : moment->time) + (*text == '+' ? length : -length);
        return 0;
    }
    struct tm local;
    bool found = false;
    if (matches(text, "%H:%M:%S", &tm) || matches(text, "%H:%M", &tm)) {
        for (int i = 0; i <= 2 * DAYS && to_local(moment->time, &local); i++) {
            double time = time_on(&local, i % 2 ? -(i + 1) / 2 : i / 2, &tm);
            if (!time_spec_is_kept(moment, time) ||
                (found && fabs(time - moment->time) >= fabs(when->time - moment->time)))
                continue;
            when->time = time;
            found = true;
        }
        return found ? 0 : not_kept(text, moment, err);
    }
    if (matches(text, "%Y-%m-%d %H:%M:%S", &tm) || matches(text, "%Y-%m-%d %H:%M", &tm)) {
        when->time = time_on(&tm, 0, &tm);
        return time_spec_is_kept(moment, when->time) ? 0 : not_kept(text, moment, err);
    }
    return err_set(err, "'%.40s' is no time: expected 14:03, 14:03:07, 20 s ago, 20, -5m or #120",
                   text);
}

void time_spec_ago(char text[FORMAT_SIZE], double seconds)
{
    double tenths = round(seconds * 10) / 10;
    if (tenths < 60)
        snprintf(text, FORMAT_SIZE, "%g s", tenths);
    else
        format_duration(text, seconds, 8);
}
