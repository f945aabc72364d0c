#include "app/app_events.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/name.h"

#include <stdlib.h>

int app_events_check(const struct app_events *selection, struct err *err)
{
    const struct playback *playback = selection->playback;
    if (playback->replay)
        return err_set(err, "nothing is counted: a recording is on show");
    if (playback->at)
        return err_set(err, "what is on show is over: go back to now to change what is counted");
    if (*selection->sampler)
        return 0;
    return err_set(err, "nothing is counted any more: the command has ended");
}

/* ---- adding and removing ---- */

/* The names in `list` from number `from` on that cannot be counted: -1 with the first reason. */
static int check_new(const struct app_events *selection, const struct event_list *list, size_t from,
                     struct err *err)
{
    struct event_set *set = sampler_check(*selection->sampler, list);
    int result = 0;
    for (size_t e = from; e < set->count && result == 0; e++)
        if (set->events[e].state != EVENT_COUNTED)
            result =
                err_set(err, "cannot count '%s': %s", set->events[e].name, set->events[e].reason);
    event_set_drop(set);
    return result;
}

/* Counts these events from now on, or releases them. */
static int count_instead(struct app_events *selection, struct event_list *next, int result,
                         struct err *err)
{
    struct event_list *events = &selection->setup->events;
    if (result == 0)
        result = sampler_set_events(*selection->sampler, next, err);
    if (result < 0) {
        event_list_release(next);
        return -1;
    }
    event_list_release(events);
    *events = *next;
    return 0;
}

static int app_events_add(void *ctx, const char *text, struct err *err)
{
    struct app_events *selection = ctx;
    struct event_list *events = &selection->setup->events, next;
    if (app_events_check(selection, err) < 0)
        return -1;
    event_list_copy(&next, events);
    int result = event_parse(&next, text, selection->mode, err);
    if (result == 0 && next.count == events->count)
        result = err_set(err, "'%.100s' is counted already", text);
    if (result == 0)
        result = check_new(selection, &next, events->count, err);
    if (count_instead(selection, &next, result, err) < 0)
        return -1;
    return event_parse(&selection->setup->own, text, selection->mode, err);
}

static void drop_event(struct event_list *list, const char *name)
{
    size_t kept = 0;
    for (size_t e = 0; e < list->count; e++) {
        struct event *event = &list->events[e];
        if (str_equal(event->name, name))
            event_release(event);
        else
            list->events[kept++] = *event;
    }
    list->count = kept;
}

static const char *counted_name(void *ctx, size_t i)
{
    const struct event_list *events = ctx;
    return i < events->count ? events->events[i].name : NULL;
}

static int remove_event(void *ctx, const char *name, struct err *err)
{
    struct app_events *selection = ctx;
    struct event_list *events = &selection->setup->events, next;
    if (app_events_check(selection, err) < 0)
        return -1;
    if (!event_list_find(events, name)) {
        const char *nearest = str_nearest(name, counted_name, events);
        return err_set(err, "'%.100s' is not counted%s%s%s", name, nearest ? "; nearest is '" : "",
                       nearest ? nearest : "", nearest ? "'" : "");
    }
    event_list_copy(&next, events);
    drop_event(&next, name);
    if (count_instead(selection, &next, 0, err) < 0)
        return -1;
    drop_event(&selection->setup->own, name);
    return 0;
}

/* ---- the catalogue ---- */

static void app_events_forget(void *ctx)
{
    struct app_events *selection = ctx;
    availability_free(selection->availability);
    selection->availability = NULL;
    event_index_search_release(&selection->search);
}

static struct availability *offer_of(struct app_events *selection)
{
    const struct session *session = &selection->setup->session;
    if (!selection->availability)
        selection->availability =
            availability_new(session->mode, str_equal(session->engine, "cpu"));
    return selection->availability;
}

static size_t app_events_find(void *ctx, const char *words, const size_t **found)
{
    struct app_events *selection = ctx;
    event_index_search(availability_catalogue(offer_of(selection)), &selection->search, words);
    *found = selection->search.found;
    return selection->search.count;
}

static bool app_events_entry(void *ctx, size_t number, struct front_event *event)
{
    struct app_events *selection = ctx;
    const struct event_index *event_index = availability_catalogue(offer_of(selection));
    if (number >= event_index->count)
        return false;
    const struct event_index_entry *found = &event_index->entries[number];
    const struct event_index_group *group = &event_index->groups[found->group];
    const struct event_set *set = selection->setup->set;
    int place = set ? event_set_find(set, found->name) : -1;
    *event = (struct front_event){
        .name = found->name,
        .text = found->text,
        .group = group->title,
        .spelling = group->kind == EVENT_INDEX_SPELLINGS,
        .listed = event_list_find(&selection->setup->events, found->name) != NULL,
        .counted = place >= 0 && set->events[place].state == EVENT_COUNTED,
    };
    return true;
}

static const char *app_events_obstacle(void *ctx, size_t number)
{
    return availability_obstacle(offer_of(ctx), number);
}

static void explain(void *ctx, size_t number,
                    void (*tell)(void *to, const char *what, const char *text), void *to)
{
    availability_explain(offer_of(ctx), number, tell, to);
}

static char *fit(void *ctx, const char *name)
{
    struct app_events *selection = ctx;
    struct event_list next;
    char *text = NULL;
    if (!*selection->sampler)
        return NULL;
    event_list_copy(&next, &selection->setup->events);
    size_t count = next.count;
    if (event_parse(&next, name, selection->mode, NULL) == 0 && next.count > count) {
        struct event_set *before = sampler_check(*selection->sampler, &selection->setup->events);
        struct event_set *after = sampler_check(*selection->sampler, &next);
        text = availability_fit(offer_of(selection), before, after);
        event_set_drop(before);
        event_set_drop(after);
    }
    event_list_release(&next);
    return text;
}

struct front_events app_events_calls(struct app_events *selection)
{
    return (struct front_events){
        .ctx = selection,
        .add = app_events_add,
        .remove = remove_event,
        .forget = app_events_forget,
        .find = app_events_find,
        .entry = app_events_entry,
        .obstacle = app_events_obstacle,
        .fit = fit,
        .explain = explain,
    };
}

void app_events_release(struct app_events *selection)
{
    app_events_forget(selection);
}
