#include "app/mode.h"
#include "event/name.h"

#include <stdlib.h>

static const char *const words[] = {"user and kernel", "user", "kernel"};

/* The list again from its names, which bring braces and modifiers along. */
static int parse_again(struct event_list *list, const struct event_list *old, enum count_mode mode,
                       struct err *err)
{
    char *text = event_list_text(old);
    event_list_init(list);
    int result = *text ? event_parse_foreign(list, text, mode, err) : 0;
    free(text);
    return result;
}

/* One event that counts is enough: of the others the notice says why. */
static int mode_check(struct sampler *sampler, const struct event_list *list, enum count_mode mode,
                      struct err *err)
{
    struct event_set *set = sampler_check(sampler, list);
    const char *reason = NULL;
    bool counts = set->count == 0;
    for (size_t e = 0; e < set->count; e++) {
        counts |= set->events[e].state == EVENT_COUNTED;
        if (!reason || set->events[e].state == EVENT_DENIED)
            reason = set->events[e].reason;
    }
    int result =
        counts ? 0 : err_set(err, "cannot count %s mode: %s", words[mode], reason ? reason : "");
    event_set_drop(set);
    return result;
}

int mode_set(struct startup *setup, struct sampler *sampler, enum count_mode mode, struct err *err)
{
    struct event_list next, own;
    if (setup->restricted && mode != MODE_USER)
        return err_set(err, "cannot count %s mode: %s", words[mode], setup->restricted);
    int result = parse_again(&own, &setup->own, mode, err);
    event_list_init(&next);
    if (result == 0)
        result = parse_again(&next, &setup->events, mode, err);
    if (result == 0)
        result = mode_check(sampler, &next, mode, err);
    if (result == 0)
        result = sampler_set_events(sampler, &next, err);
    if (result < 0) {
        event_list_release(&own);
        event_list_release(&next);
        return -1;
    }
    event_list_release(&setup->own);
    event_list_release(&setup->events);
    setup->own = own;
    setup->events = next;
    setup->session.mode = mode;
    return 0;
}
