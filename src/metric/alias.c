#include "metric/alias.h"

/* The pairs that perf-list(1) shows as "cpu-cycles OR cycles". */
static const char *const aliases[][2] = {
    {"cpu-cycles", "cycles"},
    {"branch-instructions", "branches"},
    {"idle-cycles-frontend", "stalled-cycles-frontend"},
    {"idle-cycles-backend", "stalled-cycles-backend"},
    {"faults", "page-faults"},
    {"cs", "context-switches"},
    {"migrations", "cpu-migrations"},
};

static const char *canonical(const char *name)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
        if (strcasecmp(name, aliases[i][0]) == 0)
            return aliases[i][1];
    return name;
}

bool alias_instance(const char *whole, const char *part)
{
    const char *slash = strchr(whole, '/');
    size_t length = slash ? (size_t)(slash - whole) : 0;
    if (!length || strncmp(whole, part, length) != 0 || part[length] != '_')
        return false;
    size_t digits = strspn(part + length + 1, "0123456789");
    return digits && str_equal(part + length + 1 + digits, slash);
}

bool alias_same(const char *a, const char *b)
{
    return strcasecmp(canonical(a), canonical(b)) == 0 || alias_instance(a, b) ||
           alias_instance(b, a);
}

int alias_find(const struct event_set *set, const char *name)
{
    int exact = event_set_find(set, name);
    if (exact >= 0)
        return exact;
    for (size_t i = 0; i < set->count; i++)
        if (alias_same(set->events[i].name, name))
            return (int)i;
    return -1;
}
