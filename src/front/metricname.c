#include "front/metricname.h"
#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Units in the kernel's files, and their base units. */
static const struct base_unit {
    const char *unit, *base;
    double factor;
} units[] = {
    {"ns", "seconds", 1e-9}, {"us", "seconds", 1e-6},  {"ms", "seconds", 1e-3},
    {"Joules", "joules", 1}, {"KiB", "bytes", 0x1p10}, {"MiB", "bytes", 0x1p20},
    {"Bytes", "bytes", 1},   {"bytes", "bytes", 1},    {"64Bytes", "bytes", 64},
};

/* Letters and digits of an event's name; other characters become one '_'. */
static char *simplify(const char *name)
{
    struct str text;
    bool gap = false;
    str_init(&text);
    for (const char *c = name; *c; c++) {
        if (!isascii((unsigned char)*c) || !isalnum((unsigned char)*c)) {
            gap = text.length > 0;
            continue;
        }
        if (gap)
            str_add_char(&text, '_');
        gap = false;
        str_add_char(&text, (char)tolower((unsigned char)*c));
    }
    if (!text.length)
        str_add(&text, "unnamed");
    return str_detach(&text);
}

static bool metricname_is_taken(const struct metric_name *names, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].text, text) == 0)
            return true;
    return false;
}

static bool is_time_of(const char *text, const char *of, const struct kernel_time_name *times,
                       size_t count)
{
    bool same = false;
    for (size_t i = 0; i < count && !same; i++) {
        char *own = mem_printf("%s_%s_seconds", of, times[i].column);
        same = strcmp(own, text) == 0;
        free(own);
    }
    return same;
}

/* Whether countertop has a metric of that name, with its unit. An event may have any name. */
static bool metricname_is_own(const char *text)
{
    static const char *const own[] = {"busy_seconds", "coverage_ratio", "interval_seconds",
                                      "pressure_seconds"};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (strcmp(own[i], text) == 0)
            return true;
    return is_time_of(text, "cpu", kernel_times_of_cpu, CPU_TIMES) ||
           is_time_of(text, "cgroup", kernel_times_of_cgroup, CGROUP_TIMES);
}

struct metric_name *metric_names_new(const struct event_set *set)
{
    static const char *const own[] = {
        "busy",         "coverage",     "denied",    "event",   "info",    "interval",
        "last_refresh", "lost_records", "refreshes", "retired", "starved", "throttled",
    };
    struct metric_name *names = mem_array(set->count, sizeof(*names));
    for (size_t e = 0; e < set->count; e++) {
        struct metric_name *name = &names[e];
        const struct event_info *event = &set->events[e];
        const struct base_unit *unit = NULL;
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !unit; i++)
            if (strcmp(units[i].unit, event->unit) == 0)
                unit = &units[i];
        char *simple = simplify(event->name), *other = simplify(event->unit);
        bool taken = str_starts(simple, "self_") || str_starts(simple, "tasks_");
        for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
            taken |= strcmp(own[i], simple) == 0;
        *name = (struct metric_name){.factor = event->scale};
        if (unit) {
            name->unit = unit->base;
            name->factor *= unit->factor;
        }
        /* An unknown unit is a part of the text, but not a base unit. */
        const char *end = unit ? unit->base : *event->unit ? other : "";
        const char *gap = *end ? "_" : "";
        name->text = mem_printf("%s%s%s", simple, gap, end);
        const char *prefix = taken || metricname_is_own(name->text) ? "event_" : "";
        free(name->text);
        name->text = mem_printf("%s%s%s%s", prefix, simple, gap, end);
        for (int n = 2; metricname_is_taken(names, e, name->text); n++) {
            free(name->text);
            name->text = mem_printf("%s%s_%d%s%s", prefix, simple, n, gap, end);
        }
        free(simple);
        free(other);
    }
    return names;
}

void metric_names_free(struct metric_name *names, const struct event_set *set)
{
    if (!names)
        return;
    for (size_t e = 0; e < set->count; e++)
        free(names[e].text);
    free(names);
}
