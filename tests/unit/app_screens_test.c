/* Screens and metrics changed while the program counts: which events are counted then, what stays,
 * what is refused, and that what is saved is the same screen again. */
#include "unit/viewed.h"

#include "app/host.h"
#include "base/file.h"
#include "event/event.h"
#include "event/name.h"
#include "unit/unsampled.h"

#include <sys/stat.h>

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
static int begin(void **state)
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
    screen_list_init(&running->definitions.screens);
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
    view_choose_screen(host->view, "first", NULL);
    *state = running;
    return 0;
}

static int end(void **state)
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

static void expect(struct running *running, const char *events, const char *columns)
{
    struct fixture fixture = {.view = running->host.view};
    renew(running);
    assert_string_equal(running->fake->events, events);
    expect_columns(&fixture, columns);
}

static void show(struct running *running, const char *name)
{
    struct err err = {""};
    if (host_show_screen(&running->host, name, &err) < 0)
        fail_msg("%s: %s", name, err.text);
}

static void expect_refused(struct running *running, const char *name, const char *message)
{
    struct err err;
    assert_int_equal(host_show_screen(&running->host, name, &err), -1);
    assert_string_equal(err.text, message);
}

static void screens_are_shown(void **state)
{
    struct running *running = *state;
    struct view_settings *settings = settings_of(running->host.view);
    expect(running, "page-faults,migrations", "pid cpu_pct page-faults migrations command");
    show(running, "chips");
    expect(running, "context-switches,migrations", "cpu heat context-switches migrations");
    assert_int_equal(settings->kind, VIEW_CPUS);
    show(running, "first");
    assert_int_equal(settings->kind, VIEW_TASKS);
    expect(running, "page-faults,migrations", "pid cpu_pct page-faults migrations command");
    /* What is counted already goes on. */
    int begun = running->fake->begun;
    show(running, "same");
    expect(running, "page-faults,migrations", "pid page-faults migrations");
    assert_int_equal(running->fake->begun, begun);
    /* What an own event counted is not counted twice; what was detached stays so. */
    assert_int_equal(host_add_event(&running->host, "cs", NULL), 0);
    assert_int_equal(host_remove_event(&running->host, "migrations", NULL), 0);
    show(running, "first");
    expect(running, "page-faults,cs", "pid cpu_pct page-faults cs command");
    show(running, "foreign");
    expect(running, "page-faults,no_such_thing,cs", "pid no_such_thing page-faults cs");
}

static void some_are_refused(void **state)
{
    struct running *running = *state;
    expect_refused(running, "hardware",
                   "cannot show screen 'hardware': cannot count 'cycles': none");
    expect_refused(running, "typo",
                   "cannot show screen 'typo': unknown event 'page-fualts': expected a perf or "
                   "libpfm4 name; nearest is 'page-faults'");
    expect_refused(running, "frist", "no screen 'frist': did you mean 'first'?");
    expect(running, "page-faults,migrations", "pid cpu_pct page-faults migrations command");
    assert_int_equal(running->fake->begun, 1);
    char *why = host_screen_obstacle(&running->host, 2);
    assert_string_equal(why, "cannot count 'cycles': none");
    free(why);
    assert_null(host_screen_obstacle(&running->host, 1));
}

static void steps_pass_over_them(void **state)
{
    struct running *running = *state;
    struct front_screen screen;
    static const char *const forth[] = {"same", "foreign", "chips", "first"};
    static const char *const back[] = {"chips", "foreign", "same", "first"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(host_step_screen(&running->host, 1, NULL), 0);
        assert_string_equal(view_screen(running->host.view)->name, forth[i]);
        renew(running);
    }
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(host_step_screen(&running->host, -1, NULL), 0);
        assert_string_equal(view_screen(running->host.view)->name, back[i]);
        renew(running);
    }
    assert_true(host_screen(&running->host, 0, &screen));
    assert_true(screen.shown);
    assert_true(host_screen(&running->host, 5, &screen));
    assert_string_equal(screen.name, "chips");
    assert_false(screen.shown);
    assert_false(host_screen(&running->host, 6, &screen));
}

/* Nothing can be opened then, but what was counted can be looked at in another way. */
static void when_all_is_over(void **state)
{
    struct running *running = *state;
    sampler_stop(running->host.sampler);
    running->host.sampler = NULL;
    show(running, "same");
    struct fixture fixture = {.view = running->host.view};
    expect_columns(&fixture, "pid page-faults migrations");
    expect_refused(running, "hardware",
                   "cannot show screen 'hardware': cannot count 'cycles': it was not counted then");
}

static void metrics_are_set(void **state)
{
    struct running *running = *state;
    struct err err;
    assert_int_equal(
        host_set_metric(&running->host, "mine", "page-faults / (cs + minor-faults)", NULL, &err),
        0);
    expect(running, "{page-faults,cs,minor-faults},migrations",
           "pid cpu_pct page-faults migrations mine command");
    /* Shown already, and with what is counted already. */
    int begun = running->fake->begun;
    assert_int_equal(host_set_metric(&running->host, "mine", "context-switches", NULL, &err), 0);
    assert_int_equal(running->fake->begun, begun);
    expect(running, "{page-faults,cs,minor-faults},migrations",
           "pid cpu_pct page-faults migrations mine minor-faults command");
    assert_int_equal(host_remove_metric(&running->host, "mine", &err), 0);
    expect(running, "{page-faults,cs,minor-faults},migrations",
           "pid cpu_pct page-faults migrations cs minor-faults command");
    assert_int_equal(host_count_metric(&running->host, "per_fault", &err), 0);
    assert_int_equal(running->fake->begun, begun);
    assert_int_equal(host_count_metric(&running->host, "none", &err), -1);
    assert_string_equal(err.text, "no metric 'none'");

    static const char *const wrong[][3] = {
        {"mine", "cs /", "expected a number, an event, a variable or '(' at column 5: cs /^"},
        {"mine", "cycles * 2", "cannot count 'cycles': none"},
        {"pid", "cs", "'pid' is already a column: choose another name"},
        {"mine", "page-fualts",
         "unknown event 'page-fualts': expected a perf or libpfm4 name; nearest is 'page-faults'"},
    };
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(host_set_metric(&running->host, wrong[i][0], wrong[i][1], NULL, &err), -1);
        assert_string_equal(err.text, wrong[i][2]);
        assert_null(metric_set_find(&running->definitions.metric_set, "mine"));
    }
    assert_int_equal(host_remove_metric(&running->host, "per_fault", &err), -1);
}

static void expect_as_before(struct running *running, int result, const struct err *err,
                             const char *message)
{
    char *own = event_list_text(&running->host.setup.own);
    char *events = event_list_text(&running->host.setup.events);
    assert_int_equal(result, -1);
    assert_string_equal(err->text, message);
    assert_string_equal(events, "page-faults,migrations,m=cs");
    assert_string_equal(own, "migrations,m=cs");
    assert_string_equal(running->fake->events, events);
    assert_null(metric_set_find(&running->definitions.metric_set, "mine"));
    free(own);
    free(events);
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

static char *slurp(const char *path)
{
    struct err err;
    char *content = file_load(path, 1 << 16, &err);
    assert_non_null(content);
    return content;
}

/* What was changed is written, and is the same screen when it is read. */
static void saved_and_loaded(void **state)
{
    struct running *running = *state;
    struct host *host = &running->host;
    struct err err = {""};
    char folder[] = "/tmp/switch_test.XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(host_set_metric(&running->host, "mine", "page-faults / cs", NULL, &err), 0);
    assert_int_equal(
        host_set_metric(&running->host, "per_fault", "cs / page-faults * 2", NULL, &err), 0);
    renew(running);
    assert_int_equal(view_move_column(host->view, 2, -1, &err), 0);
    assert_int_equal(view_remove_column(host->view, 0, &err), 0);
    assert_int_equal(view_resize_column(host->view, 0, 20, &err), 0);
    assert_int_equal(view_sort_by(host->view, "mine", false, &err), 0);
    struct fixture fixture = {.view = host->view};
    const char *columns = "page-faults cpu_pct migrations mine per_fault command";
    expect_columns(&fixture, columns);
    char *path = save_screen_write(folder, "kept", host->view, &running->definitions,
                                   &host->setup.events, &err);
    assert_string_equal(err.text, "");
    char *written = slurp(path);
    assert_string_equal(written, "[metric per_fault]\ntitle = C/F\nunit = ratio\n"
                                 "expr = cs / page-faults * 2\nwidth = 6\ndecimals = 2\n\n"
                                 "[metric mine]\nexpr = page-faults / cs\nwidth = 6\n\n"
                                 "[screen kept]\nevents = {page-faults,cs}\nevents = migrations\n"
                                 "columns = page-faults cpu_pct migrations mine per_fault command\n"
                                 "widths = page-faults:20\nsort = mine\n");
    assert_int_equal(metric_set_load(&running->definitions.metric_set, written, "w", &err), 0);
    assert_int_equal(screen_list_load(&running->definitions.screens, written, "w", &err), 0);
    struct view *again =
        view_new(&running->definitions.metric_set, &running->definitions.screens, NULL);
    view_set_events(again, host->setup.set);
    assert_int_equal(view_choose_screen(again, "kept", &err), 0);
    fixture.view = again;
    expect_columns(&fixture, columns);
    assert_int_equal(view_column(again, 0)->width, 20);
    assert_string_equal(view_column(again, view_sort_column(again))->name, "mine");
    view_free(again);
    unlink(path);
    rmdir(folder);
    free(written);
    free(path);
    view_renew_metrics(host->view);
}

#define RUNNING(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUNNING(screens_are_shown),      RUNNING(some_are_refused),
        RUNNING(steps_pass_over_them),   RUNNING(when_all_is_over),
        RUNNING(metrics_are_set),        RUNNING(what_is_refused_changes_nothing),
        RUNNING(a_name_is_of_one_event), RUNNING(saved_and_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
