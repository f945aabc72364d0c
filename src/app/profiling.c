#include "app/host.h"
#include "app/sampling.h"
#include "base/log.h"
#include "base/mem.h"
#include "system/cgroup.h"
#include "view/view_kind.h"

#include <stdio.h>
#include <stdlib.h>

int profiling_begin(struct host *host, struct err *err)
{
    bool wanted = host->setup.sample || view_of_code(view_settings(host->view)->kind);
    struct err why;
    int result = wanted ? host_sample(host, NULL, NULL, -1, &why) : 0;
    return result < 0 && host->options->batch ? err_set(err, "%s", why.text) : 0;
}

int host_sample(struct host *host, const char *event, const struct watch *scope, int cpu,
                struct err *err)
{
    const struct startup *setup = &host->setup;
    if (host->playback.at || !host->sampler)
        return 0;
    const char *text = event ? event : setup->sample;
    struct sampling *next = mem_alloc(sizeof(*next));
    if (sampling_make(next, text ? text : sampling_default(setup->set), &setup->events, setup->set,
                      host->mode, err) < 0) {
        free(next);
        return -1;
    }
    next->stacks = host->stacks;
    next->copy = (uint32_t)host->options->copy;
    next->fetch = host->fetch;
    watch_copy(&next->watch, scope ? scope : &setup->session.watch);
    char number[16];
    snprintf(number, sizeof(number), "%d", cpu);
    int result = cpu >= 0 ? cpulist_parse(&next->cpus, number, err) : 0;
    if (scope && scope->cgroup) {
        free(next->watch.cgroup);
        next->watch.cgroup = cgroup_find(scope->cgroup, err);
        result = next->watch.cgroup ? result : -1;
    }
    host_stop_sampling(host);
    if (result < 0 || sampler_set_sampling(host->sampler, next, err) < 0) {
        sampling_release(next);
        free(next);
        return -1;
    }
    log_line("sampling %s, %llu a second", next->event.name, (unsigned long long)next->rate);
    host->sampling = next;
    return 0;
}

enum stacks host_stacks(const struct host *host)
{
    return host->stacks;
}

void host_set_stacks(struct host *host, enum stacks stacks)
{
    host->stacks = stacks;
}

void host_stop_sampling(struct host *host)
{
    if (!host->sampling)
        return;
    if (host->sampler)
        sampler_set_sampling(host->sampler, NULL, NULL);
    sampling_release(host->sampling);
    free(host->sampling);
    host->sampling = NULL;
}
