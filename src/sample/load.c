#include "sample/load.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void load_release(struct machine_load *load)
{
    free(load->cpus);
    free(load->reason);
    *load = (struct machine_load){0};
}

void load_copy(struct machine_load *to, const struct machine_load *from)
{
    to->reason = mem_strdup(from->reason);
    for (size_t i = 0; i < from->count; i++)
        *load_of(to, from->cpus[i].cpu) = from->cpus[i];
}

static int load_by_cpu(const void *cpu, const void *load)
{
    return *(const int *)cpu - ((const struct cpu_load *)load)->cpu;
}

struct cpu_load *load_find(const struct machine_load *load, int cpu)
{
    return load->count ? bsearch(&cpu, load->cpus, load->count, sizeof(*load->cpus), load_by_cpu)
                       : NULL;
}

struct cpu_load *load_of(struct machine_load *load, int cpu)
{
    struct cpu_load *found = load_find(load, cpu);
    if (found)
        return found;
    size_t at = load->count;
    while (at > 0 && load->cpus[at - 1].cpu > cpu)
        at--;
    mem_grow(&load->cpus, &load->room, load->count + 1, sizeof(*load->cpus));
    memmove(&load->cpus[at + 1], &load->cpus[at], (load->count - at) * sizeof(*load->cpus));
    load->cpus[at] = (struct cpu_load){.cpu = cpu};
    load->count++;
    return &load->cpus[at];
}

double load_share(const struct cpu_load *cpu)
{
    if (!cpu || cpu->total == 0)
        return -1;
    return cpu->busy < cpu->total ? (double)cpu->busy / (double)cpu->total : 1;
}

double load_busy(const struct machine_load *load, size_t *cpus)
{
    double sum = 0;
    *cpus = 0;
    for (size_t i = 0; i < load->count; i++) {
        double share = load_share(&load->cpus[i]);
        if (share < 0)
            continue;
        sum += share;
        ++*cpus;
    }
    return *cpus ? sum / (double)*cpus : -1;
}
