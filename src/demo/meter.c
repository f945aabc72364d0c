#include "demo/meter.h"
#include "base/cpulist.h"
#include "base/mem.h"
#include "demo/code_shares.h"
#include "engine/code_profiler.h"
#include "engine/cpu_engine.h"
#include "engine/task_engine.h"
#include "event/name.h"
#include "model/delta.h"
#include "sample/sampler.h"
#include "system/topology.h"

#include <stdlib.h>

struct meter {
    struct sampler *sampler;
    struct delta *delta;
    enum count_mode mode;
};

struct meter *meter_open(bool ledger, const struct caps *caps, struct err *err)
{
    static const uint64_t DELAY = 1000000000; /* ns: how often the ledger's tickers write */
    struct cpulist online;
    if (topology_online(&online, err) < 0)
        return NULL;
    struct source *source =
        ledger ? cpu_engine_new(&online, true, caps, DELAY, err) : task_engine_new(caps);
    struct meter *meter = NULL;
    struct event_list none = {0};
    if (source) {
        source->all = true; /* who slept for longer than an interval is in the next one, too */
        if (source->ops->set_events(source, &none, err) < 0) {
            source->ops->close(source);
        } else {
            struct profiler *profiler = code_profiler_new(caps, &online, ledger);
            /* A snapshot that nobody asked for would keep the samples until then. */
            struct sampler *sampler = sampler_start(source, profiler, 0, false, err);
            meter = sampler ? mem_alloc(sizeof(*meter)) : NULL;
            if (meter)
                *meter = (struct meter){
                    .sampler = sampler,
                    .mode = caps_kernel(caps) ? MODE_ALL : MODE_USER,
                };
        }
    }
    cpulist_release(&online);
    return meter;
}

void meter_close(struct meter *meter)
{
    if (!meter)
        return;
    sampler_stop(meter->sampler);
    if (meter->delta)
        delta_free(meter->delta);
    free(meter);
}

int meter_count(struct meter *meter, const char *events, pid_t pid, bool threads, char **reason,
                struct err *err)
{
    struct event_list list = {0};
    struct watch watch = {0};
    *reason = NULL;
    if (meter->delta)
        delta_free(meter->delta);
    meter->delta = delta_new();
    sampler_set_sampling(meter->sampler, NULL, NULL);
    sampler_set_threads(meter->sampler, threads);
    watch_add_pid(&watch, pid);
    int result = event_parse_foreign(&list, events, meter->mode, err);
    if (result == 0)
        result = sampler_set_watch(meter->sampler, &watch, err);
    if (result == 0)
        result = sampler_set_events(meter->sampler, &list, err);
    watch_release(&watch);
    event_list_release(&list);
    if (result < 0)
        return -1;
    struct frame *frame = meter_take(meter);
    for (size_t e = 0; e < frame->events->count && !*reason; e++)
        if (frame->events->events[e].state != EVENT_COUNTED)
            *reason = mem_strdup(frame->events->events[e].reason);
    frame_free(frame);
    return 0;
}

int meter_sample(struct meter *meter, const struct demo_check *check, pid_t pid, struct err *err)
{
    struct sampling sampling;
    if (code_sampling(&sampling, check, meter->mode, pid, err) < 0)
        return -1;
    int result = sampler_set_sampling(meter->sampler, &sampling, err);
    sampling_release(&sampling);
    return result;
}

struct frame *meter_take(struct meter *meter)
{
    struct snapshot *snapshot = sampler_look(meter->sampler);
    struct frame *frame = delta_advance(meter->delta, snapshot);
    snapshot_free(snapshot);
    return frame;
}
