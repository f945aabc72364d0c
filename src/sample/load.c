#include "sample/load.h"

void load_release(struct machine_load *load)
{
    free(load->cpus);
    for (size_t i = 0; i < load->cgroup_count; i++)
        free(load->cgroups[i].path);
    free(load->cgroups);
    free(load->reason);
    free(load->no_pressure);
    *load = (struct machine_load){0};
}

void load_copy_machine(struct machine_load *to, const struct machine_load *from)
{
    free(to->reason);
    to->reason = mem_strdup(from->reason);
    free(to->no_pressure);
    to->no_pressure = mem_strdup(from->no_pressure);
    to->has_average = from->has_average;
    memcpy(to->average, from->average, sizeof(to->average));
}

void load_copy(struct machine_load *to, const struct machine_load *from)
{
    load_copy_machine(to, from);
    to->pressure = from->pressure;
    for (size_t i = 0; i < from->count; i++)
        *load_of(to, from->cpus[i].cpu) = from->cpus[i];
    for (size_t i = 0; i < from->cgroup_count; i++)
        load_of_cgroup(to, from->cgroups[i].path)->kernel_times = from->cgroups[i].kernel_times;
}

static int load_by_path(const void *path, const void *load)
{
    return strcmp(path, ((const struct cgroup_load *)load)->path);
}

struct cgroup_load *load_find_cgroup(const struct machine_load *load, const char *path)
{
    return load->cgroup_count ? bsearch(path, load->cgroups, load->cgroup_count,
                                        sizeof(*load->cgroups), load_by_path)
                              : NULL;
}

struct cgroup_load *load_of_cgroup(struct machine_load *load, const char *path)
{
    struct cgroup_load *cgroup = load_find_cgroup(load, path);
    if (cgroup)
        return cgroup;
    cgroup = mem_insert(&load->cgroups, &load->cgroup_count, &load->cgroup_room, sizeof(*cgroup),
                        path, load_by_path);
    cgroup->path = mem_strdup(path);
    return cgroup;
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
    found = mem_insert(&load->cpus, &load->count, &load->room, sizeof(*found), &cpu, load_by_cpu);
    found->cpu = cpu;
    return found;
}

double load_share(const struct cpu_load *cpu)
{
    return cpu ? kernel_times_share(&cpu->kernel_times, CPU_BUSY) : -1;
}

double load_mean(const struct machine_load *load, enum cpu_kernel_time time, size_t *cpus)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < load->count; i++) {
        double share = kernel_times_share(&load->cpus[i].kernel_times, time);
        sum += share < 0 ? 0 : share;
        known += share >= 0;
    }
    if (cpus)
        *cpus = known;
    return known ? sum / (double)known : -1;
}

double load_pressure(const struct machine_load *load, enum pressure pressure, bool full)
{
    const struct pressure_time *of = &load->pressure.of[pressure];
    uint64_t part = full ? of->full : of->some, whole = load->pressure.time;
    if (whole == 0 || (full && pressure == PRESSURE_CPU))
        return -1;
    return part < whole ? (double)part / (double)whole : 1;
}

void load_pressure_text(const struct machine_load *load, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int p = 0; p < PRESSURES && used < size; p++) {
        double some = load_pressure(load, (enum pressure)p, false);
        double full = load_pressure(load, (enum pressure)p, true);
        char all[32] = "";
        if (some < LOAD_SHOWN)
            continue;
        if (full >= LOAD_SHOWN)
            snprintf(all, sizeof(all), " (all %.0f%%)", full * 100);
        used += (size_t)snprintf(text + used, size - used, "%s%s %3.0f%%%s", used ? ", " : "",
                                 pressure_names[p], some * 100, all);
    }
}

static uint64_t grown(uint64_t before, uint64_t now)
{
    return now > before ? now - before : 0;
}

struct machine_pressure pressure_between(const struct machine_pressure *before,
                                         const struct machine_pressure *now)
{
    struct machine_pressure span = {.time = grown(before->time, now->time)};
    for (int p = 0; p < PRESSURES; p++)
        span.of[p] = (struct pressure_time){grown(before->of[p].some, now->of[p].some),
                                            grown(before->of[p].full, now->of[p].full)};
    return span;
}

struct machine_pressure pressure_sum(const struct machine_pressure *a,
                                     const struct machine_pressure *b)
{
    struct machine_pressure sum = {.time = a->time + b->time};
    for (int p = 0; p < PRESSURES; p++)
        sum.of[p] =
            (struct pressure_time){a->of[p].some + b->of[p].some, a->of[p].full + b->of[p].full};
    return sum;
}
