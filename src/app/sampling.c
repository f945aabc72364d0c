/* What is sampled for the view of functions: the event of --sample, or one that fits the machine or
 * the column sorted by. */
#include "app/host.h"
#include "event/name.h"
#include "metric/alias.h"

/* Samples a second and CPU of hardware events and clocks: no divisor of the clock's ticks. Of other
 * events, which the kernel counts itself, each is sampled unless a rate is given: to a rate it
 * adjusts their period so slowly that few samples stand for many events. */
enum { SAMPLING_RATE = 997 };

/* Splits EVENT[/RATE], whose event may contain slashes. Returns the event's text, which the caller
 * frees; NULL with a message for a rate that is no number from 1. *rate 0: none is given. */
static char *sampling_event_text(const char *text, uint64_t *rate, struct err *err)
{
    enum { RATE_MAX = 1000000 };
    const char *slash = strrchr(text, '/');
    unsigned long long number = 0;
    bool rated =
        slash && slash > text && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1);
    if (rated && !str_to_u64(slash + 1, 1, RATE_MAX, &number))
        return err_null(err, "no rate '%.40s': expected 1 to %d samples a second", slash + 1,
                        RATE_MAX);
    *rate = number;
    return mem_strndup(text, rated ? (size_t)(slash - text) : strlen(text));
}

int sampling_count(struct event_list *list, const char *text, enum count_mode mode, struct err *err)
{
    uint64_t rate;
    AUTO_FREE char *name = sampling_event_text(text, &rate, err);
    if (!name)
        return -1;
    bool clock = alias_same(name, "cpu-clock") || alias_same(name, "task-clock");
    return clock ? 0 : event_parse(list, name, mode, err);
}

/* Hardware events that are counted are read with each sample. */
int sampling_make(struct sampling *sampling, const struct startup *setup, const char *text,
                  enum count_mode mode, struct err *err)
{
    const struct event_list *events = &setup->events;
    const struct event_set *set = setup->set;
    *sampling = (struct sampling){0};
    /* Where the user chose none: cycles if they are counted, else the time on CPUs. */
    int cycles = set ? alias_find(set, "cycles") : -1;
    bool counted = cycles >= 0 && set->events[cycles].state == EVENT_COUNTED;
    const char *usual = counted ? set->events[cycles].name : "cpu-clock";
    text = text ?: setup->sample ?: usual;
    AUTO_FREE char *name = sampling_event_text(text, &sampling->rate, err);
    AUTO_EVENTS struct event_list parsed = {0};
    if (!name)
        return -1;
    const struct event *known = event_list_find((struct event_list *)events, name);
    if (event_parse_foreign(&parsed, known ? known->text : name, mode, err) < 0)
        return -1;
    if (parsed.count != 1)
        return err_set(err, "cannot sample '%.100s': name one event", name);
    if (parsed.events[0].state != EVENT_COUNTED)
        return err_set(err, "cannot sample '%.100s': %s", name, parsed.events[0].reason);
    sampling->event = parsed.events[0];
    parsed.count = 0; /* its owner is `sampling` now */
    bool often = sampling->event.hardware || event_is_clock(&sampling->event);
    if (sampling->rate == 0 && often)
        sampling->rate = SAMPLING_RATE;
    event_list_copy(&sampling->beside, events);
    for (size_t e = 0; e < sampling->beside.count; e++) {
        struct event *event = &sampling->beside.events[e];
        int index = set ? event_set_find(set, event->name) : -1;
        if (!event->hardware || event->shared || index < 0 ||
            set->events[index].state != EVENT_COUNTED)
            event->state = EVENT_UNSUPPORTED;
    }
    return 0;
}

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
    struct sampling next;
    int result = sampling_make(&next, setup, event, host->mode, err);
    if (result < 0)
        return -1;
    next.style = host->style;
    if (next.style.wall && next.rate == 0) {
        err_set(err, "cannot weigh '%s' by elapsed time: sample cycles or cpu-clock, or at a rate",
                next.event.name);
        sampling_release(&next);
        return -1;
    }
    next.copy = (uint32_t)host->options->copy;
    next.fetch = host->fetch;
    watch_copy(&next.watch, scope ? scope : &setup->session.watch);
    char number[16];
    snprintf(number, sizeof(number), "%d", cpu);
    if (cpu >= 0)
        result = cpulist_parse(&next.cpus, number, err);
    if (scope && scope->cgroup) {
        mem_replace(&next.watch.cgroup, cgroup_find(scope->cgroup, err));
        result = next.watch.cgroup ? result : -1;
    }
    host_stop_sampling(host);
    if (result == 0)
        result = sampler_set_sampling(host->sampler, &next, err);
    if (result == 0)
        log_line("sampling %s, %llu a second", next.event.name, (unsigned long long)next.rate);
    host->samples = result == 0;
    sampling_release(&next);
    return result;
}

struct sampling_style *host_style(struct host *host)
{
    return &host->style;
}

void host_stop_sampling(struct host *host)
{
    if (host->samples && host->sampler)
        sampler_set_sampling(host->sampler, NULL, NULL);
    host->samples = false;
}
