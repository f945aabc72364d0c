#include "app/sampling.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/name.h"
#include "metric/alias.h"

#include <stdlib.h>
#include <string.h>

/* Splits EVENT[/RATE], whose event may contain slashes. Returns the event's text, which the caller
 * frees; NULL with a message for a rate that is no number from 1. *rate 0: none is given. */
static char *sampling_event_text(const char *text, uint64_t *rate, struct err *err)
{
    enum { RATE_MAX = 1000000 };
    const char *slash = strrchr(text, '/');
    unsigned long long number = 0;
    bool rated =
        slash && slash > text && slash[1] && strspn(slash + 1, "0123456789") == strlen(slash + 1);
    if (rated && !str_to_u64(slash + 1, 1, RATE_MAX, &number)) {
        err_set(err, "no rate '%.40s': expected 1 to %d samples a second", slash + 1, RATE_MAX);
        return NULL;
    }
    *rate = number;
    return mem_strndup(text, rated ? (size_t)(slash - text) : strlen(text));
}

const char *sampling_default(const struct event_set *set)
{
    int cycles = set ? alias_find(set, "cycles") : -1;
    bool counted = cycles >= 0 && set->events[cycles].state == EVENT_COUNTED;
    return counted ? set->events[cycles].name : "cpu-clock";
}

int sampling_count(struct event_list *list, const char *text, enum count_mode mode, struct err *err)
{
    uint64_t rate;
    char *name = sampling_event_text(text, &rate, err);
    if (!name)
        return -1;
    bool clock = alias_same(name, "cpu-clock") || alias_same(name, "task-clock");
    int result = clock ? 0 : event_parse(list, name, mode, err);
    free(name);
    return result;
}

int sampling_make(struct sampling *sampling, const char *text, const struct event_list *events,
                  const struct event_set *set, enum count_mode mode, struct err *err)
{
    *sampling = (struct sampling){0};
    char *name = sampling_event_text(text, &sampling->rate, err);
    struct event_list parsed = {0};
    if (!name)
        return -1;
    const struct event *known = event_list_find((struct event_list *)events, name);
    int result = event_parse_foreign(&parsed, known ? known->text : name, mode, err);
    if (result == 0 && parsed.count != 1)
        result = err_set(err, "cannot sample '%.100s': name one event", name);
    if (result == 0 && parsed.events[0].state != EVENT_COUNTED)
        result = err_set(err, "cannot sample '%.100s': %s", name, parsed.events[0].reason);
    if (result == 0) {
        sampling->event = parsed.events[0];
        bool often = sampling->event.hardware || event_is_clock(&sampling->event);
        if (sampling->rate == 0 && often)
            sampling->rate = SAMPLING_RATE;
        parsed.count = 0; /* its owner is `sampling` now */
        event_list_copy(&sampling->beside, events);
        for (size_t e = 0; e < sampling->beside.count; e++) {
            struct event *event = &sampling->beside.events[e];
            int index = set ? event_set_find(set, event->name) : -1;
            if (!event->hardware || event->shared || index < 0 ||
                set->events[index].state != EVENT_COUNTED)
                event->state = EVENT_UNSUPPORTED;
        }
    }
    event_list_release(&parsed);
    free(name);
    return result;
}
