/* Screens and metrics changed while the program counts: which events are counted then, what stays,
 * what is refused, and that what is saved is the same screen again. */
#include "base/mem.h"
#include "base/str.h"
#include "app/host.h"
#include "event/event.h"
#include "event/name.h"
#include "unit/test.h"
#include "unit/unsampled.h"
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The settings of the view, to be changed where they are: then view_apply(). */
static struct view_settings *settings_of(struct view *view)
{
    return (struct view_settings *)view_settings(view);
}

static const char text[] =
    "[metric cpu_pct]\nexpr = oncpu / interval * 100\n"
    "[metric per_fault]\nexpr = context-switches / page-faults\nunit = ratio\ntitle = C/F\n"
    "[screen first]\nevents = page-faults\ncolumns = pid cpu_pct page-faults command\n"
    "[screen same]\nevents = page-faults\ncolumns = pid page-faults\n"
    "[screen hardware]\nevents = {cycles,instructions}\nrequires = cycles\ncolumns = pid cycles\n"
    "[screen foreign]\nevents = page-faults,no_such_thing\ncolumns = pid no_such_thing "
    "page-faults\n"
    "[screen typo]\nevents = page-fualts\ncolumns = pid page-fualts\n"
    "[screen chips]\nview = cpus\nevents = context-switches\ncolumns = cpu context-switches\n";

/* A source that counts all but hardware events. */
struct fake {
    struct source source;
    char *events; /* what is counted, */
    int begun;    /* and how often that began */
    bool refuses; /* counts nothing else */
};

static int fake_set_events(struct source *source, const struct event_list *events, struct err *err)
{
    struct fake *fake = (struct fake *)source;
    if (fake->refuses)
        return err_set(err, "no");
    free(fake->events);
    fake->events = event_list_text(events);
    fake->begun++;
    return 0;
}

static struct event_set *fake_check(struct source *source, const struct event_list *events)
{
    (void)source;
    struct event_set *set = event_set_new(events->count);
    set->groups = 1;
    for (size_t e = 0; e < events->count; e++) {
        const struct event *event = &events->events[e];
        bool counts = !event->hardware && event->state == EVENT_COUNTED;
        set->events[e].name = mem_strdup(event->name);
        set->events[e].unit = mem_strdup("");
        set->events[e].state = counts ? EVENT_COUNTED : EVENT_UNSUPPORTED;
        set->events[e].reason = counts ? NULL : mem_strdup(event->reason ? event->reason : "none");
    }
    return set;
}

static size_t fake_poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    (void)source, (void)fds, (void)room;
    return 0;
}

static struct snapshot *fake_snapshot(struct source *source)
{
    (void)source;
    struct event_set *set = event_set_new(0);
    struct snapshot *snapshot = snapshot_new(set);
    event_set_drop(set);
    return snapshot;
}

static void fake_close(struct source *source)
{
    struct fake *fake = (struct fake *)source;
    free(fake->events);
    free(fake);
}

struct running {
    struct options options;
    struct definitions definitions;
    struct host host;
    struct fake *fake;
};

/* Shows and counts the first screen, with an event that somebody asked for. */
static int setup(void **state)
{
    static const struct source_ops ops = {.name = "cpu",
                                          .set_events = fake_set_events,
                                          .check = fake_check,
                                          .poll_fds = fake_poll_fds,
                                          .snapshot = fake_snapshot,
                                          .close = fake_close};
    const uint64_t never = 3600000000000;
    struct running *running = mem_alloc(sizeof(*running));
    struct host *host = &running->host;
    struct startup *setup = &host->setup;
    host->options = &running->options;
    host->definitions = &running->definitions;
    running->definitions.metric_set = (struct metric_set){0};
    running->fake = mem_alloc(sizeof(*running->fake));
    running->fake->source.ops = &ops;
    if (metric_set_load(&running->definitions.metric_set, text, "t", NULL) < 0 ||
        screen_list_load(&running->definitions.screens, text, "t", NULL) < 0 ||
        event_parse(&setup->own, "migrations", MODE_ALL, NULL) < 0 ||
        startup_list_events(setup, &setup->events, &running->definitions.screens.screens[0],
                            MODE_ALL, NULL) < 0)
        return -1;
    fake_set_events(&running->fake->source, &setup->events, NULL);
    setup->set = fake_check(&running->fake->source, &setup->events);
    host->sampler = sampler_start(&running->fake->source, no_profiler(), never, true, NULL);
    host->view = view_new(&running->definitions.metric_set, &running->definitions.screens, NULL);
    view_set_events(host->view, setup->set);
    view_choose_screen(host->view, "first", false, NULL);
    *state = running;
    return 0;
}

static int teardown(void **state)
{
    struct running *running = *state;
    struct host *host = &running->host;
    sampler_stop(host->sampler);
    view_free(host->view);
    host_forget_events(host);
    event_list_release(&host->setup.events);
    event_list_release(&host->setup.own);
    event_set_drop(host->setup.set);
    screen_list_release(&running->definitions.screens);
    metric_set_release(&running->definitions.metric_set);
    free(running);
    return 0;
}

/* As when the next frame has come. */
static void renew(struct running *running)
{
    struct startup *setup = &running->host.setup;
    struct event_set *set = fake_check(&running->fake->source, &setup->events);
    event_set_drop(setup->set);
    setup->set = set;
    view_set_events(running->host.view, set);
}

static void expect_as_before(struct running *running, int result, const struct err *err,
                             const char *message)
{
    AUTO_FREE char *own = event_list_text(&running->host.setup.own);
    AUTO_FREE char *events = event_list_text(&running->host.setup.events);
    assert_int_equal(result, -1);
    assert_string_equal(err->text, message);
    assert_string_equal(events, "page-faults,migrations,m=cs");
    assert_string_equal(own, "migrations,m=cs");
    assert_string_equal(running->fake->events, events);
    assert_null(metric_set_find(&running->definitions.metric_set, "mine"));
}

/* Whatever a request is refused for, and however late. */
static void what_is_refused_changes_nothing(void **state)
{
    struct running *running = *state;
    struct host *host = &running->host;
    struct err err;
    assert_int_equal(host_add_event(host, "m=cs", &err), 0);
    renew(running);
    int begun = running->fake->begun;
    expect_as_before(running, host_add_event(host, "page-faults", &err), &err,
                     "'page-faults' is counted already");
    expect_as_before(running, host_add_event(host, "minor-faults,m=major-faults", &err), &err,
                     "bad name 'm' of event 'major-faults': it is that of 'cs'");
    expect_as_before(running, host_add_event(host, "minor-faults,cycles", &err), &err,
                     "cannot count 'cycles': none");
    expect_as_before(running, host_add_event(host, "minor-faults,", &err), &err,
                     "empty event name: expected names separated by single commas");
    expect_as_before(running, host_remove_event(host, "cs", &err), &err, "'cs' is not counted");
    /* Functions have no values of events that are not sampled. */
    settings_of(host->view)->kind = VIEW_FUNCTIONS;
    view_apply(host->view);
    expect_as_before(running, host_set_metric(host, "mine", "minor-faults", NULL, &err), &err,
                     "cannot add 'mine': rows of this view have none");
    settings_of(host->view)->kind = VIEW_TASKS;
    view_apply(host->view);
    assert_int_equal(running->fake->begun, begun);
    running->fake->refuses = true;
    expect_as_before(running, host_add_event(host, "minor-faults", &err), &err, "no");
    expect_as_before(running, host_remove_event(host, "migrations", &err), &err, "no");
    expect_as_before(running, host_set_metric(host, "mine", "minor-faults", NULL, &err), &err,
                     "no");
    expect_as_before(running, host_show_screen(host, "chips", &err), &err, "no");
    expect_as_before(running, host_set_mode(host, MODE_USER, &err), &err, "no");
    assert_string_equal(view_screen(host->view)->name, "first");
    assert_int_equal(host->mode, MODE_ALL);
}

/* Also the name of an event that only the screen has. */
static void a_name_is_of_one_event(void **state)
{
    struct running *running = *state;
    struct host *host = &running->host;
    struct err err;
    assert_int_equal(event_parse(&host->setup.events, "n=cs", MODE_ALL, NULL), 0);
    assert_int_equal(host_add_event(host, "n=minor-faults", &err), -1);
    assert_string_equal(err.text, "bad name 'n' of event 'minor-faults': it is that of 'cs'");
    assert_int_equal(host_add_event(host, "n=cs,minor-faults", &err), 0);
    assert_string_equal(running->fake->events, "page-faults,migrations,n=cs,minor-faults");
}
