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

void load_copy_machine(struct machine_load *to, const struct machine_load *from)
{
    free(to->reason);
    to->reason = mem_strdup(from->reason);
    to->has_average = from->has_average;
    memcpy(to->average, from->average, sizeof(to->average));
}

void load_copy(struct machine_load *to, const struct machine_load *from)
{
    load_copy_machine(to, from);
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

static double share_of(uint64_t part, uint64_t total)
{
    return total == 0 ? -1 : part < total ? (double)part / (double)total : 1;
}

double load_share(const struct cpu_load *cpu)
{
    return cpu ? share_of(cpu->busy, cpu->total) : -1;
}

double load_kernel_share(const struct cpu_load *cpu)
{
    return cpu ? share_of(cpu->kernel, cpu->total) : -1;
}

/* The mean over the CPUs whose share is known; *cpus gets their number. */
static double load_mean(const struct machine_load *load,
                        double (*share_of_cpu)(const struct cpu_load *cpu), size_t *cpus)
{
    double sum = 0;
    *cpus = 0;
    for (size_t i = 0; i < load->count; i++) {
        double share = share_of_cpu(&load->cpus[i]);
        if (share < 0)
            continue;
        sum += share;
        ++*cpus;
    }
    return *cpus ? sum / (double)*cpus : -1;
}

double load_busy(const struct machine_load *load, size_t *cpus)
{
    return load_mean(load, load_share, cpus);
}

double load_kernel(const struct machine_load *load)
{
    size_t cpus;
    return load_mean(load, load_kernel_share, &cpus);
}
