#include "base/cpulist.h"
#include "base/mem.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
    *list = (struct cpulist){0};
    const char *p = text;
    size_t length = strcspn(text, "\n");
    const char *end = text + length;
    if (*end && end[1])
        goto bad; /* more than one line */
    while (p < end) {
        int first, last;
        if (!cpulist_number(&p, &first))
            goto bad;
        last = first;
        if (*p == '-') {
            p++;
            if (!cpulist_number(&p, &last) || last < first)
                goto bad;
        }
        mem_grow(&list->cpus, &list->room, list->count + (size_t)(last - first) + 1, sizeof(int));
        for (int cpu = first; cpu <= last; cpu++)
            list->cpus[list->count++] = cpu;
        if (list->count > HIGHEST_CPU * 4u)
            goto bad;
        if (p == end)
            break;
        if (*p != ',' || ++p == end)
            goto bad;
    }
    if (list->count == 0)
        return 0;
    qsort(list->cpus, list->count, sizeof(int), cpulist_compare);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; i++)
        if (list->cpus[i] != list->cpus[kept - 1])
            list->cpus[kept++] = list->cpus[i];
    list->count = kept;
    return 0;
bad:
    cpulist_release(list);
    return err_set(err, "no list of CPUs '%.*s': expected numbers and ranges such as 0-3,8",
                   (int)(length < 60 ? length : 60), text);
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
