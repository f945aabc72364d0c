#include "base/cpulist.h"
#include "base/mem.h"

#include <ctype.h>
#include <limits.h>

enum { HIGHEST_CPU = 65535 };

static int cpulist_compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool cpulist_number(const char **p, int *out)
{
    char *end;
    unsigned long value = isdigit((unsigned char)**p) ? strtoul(*p, &end, 10) : ULONG_MAX;
    if (value > HIGHEST_CPU)
        return false;
    *p = end;
    *out = (int)value;
    return true;
}

int cpulist_parse(struct cpulist *list, const char *text, struct err *err)
{
    const char *p = text, *end = strchrnul(text, '\n');
    uint64_t has[(HIGHEST_CPU + 1) / 64] = {0}; /* bits */
    int highest = -1;
    bool good = !*end || !end[1]; /* not more than one line */
    *list = (struct cpulist){0};
    while (good && p < end) {
        int first, last;
        good = cpulist_number(&p, &first);
        last = first;
        if (good && *p == '-') {
            p++;
            good = cpulist_number(&p, &last) && last >= first;
        }
        for (int cpu = first; good && cpu <= last; cpu++)
            has[cpu / 64] |= UINT64_C(1) << cpu % 64;
        highest = good && last > highest ? last : highest;
        good &= p == end || (*p == ',' && ++p < end);
    }
    if (!good)
        return err_set(err, "no list of CPUs '%.*s': expected numbers and ranges such as 0-3,8",
                       (int)(end - text < 60 ? end - text : 60), text);
    for (int cpu = 0; cpu <= highest; cpu++)
        if (has[cpu / 64] >> cpu % 64 & 1)
            *MEM_ADD(list->cpus, list->count, list->room) = cpu;
    return 0;
}

void cpulist_copy(struct cpulist *to, const struct cpulist *from)
{
    *to = (struct cpulist){.count = from->count};
    mem_grow(&to->cpus, &to->room, from->count, sizeof(int));
    for (size_t i = 0; i < from->count; i++)
        to->cpus[i] = from->cpus[i];
}

void cpulist_release(struct cpulist *list)
{
    free(list->cpus);
    *list = (struct cpulist){0};
}

bool cpulist_has(const struct cpulist *list, int cpu)
{
    return list->count && bsearch(&cpu, list->cpus, list->count, sizeof(int), cpulist_compare);
}
