#include "app/host.h"
#include "engine/probe_open.h"
#include "engine/wakers.h"
#include "event/name.h"
#include "metric/alias.h"
#include "system/procfs.h"
#include "view/baseline.h"
#include "view/column.h"

int host_check_counting(const struct host *host, struct err *err)
{
    if (host->playback.replay)
        return err_set(err, "nothing is counted: this is a recording");
    if (host->playback.at)
        return err_set(err, "this interval is over: go back to now to change what is counted");
    return host->sampler ? 0 : err_set(err, "nothing is counted any more: the command has ended");
}

/* ---- events ---- */

/* The only place where other events are counted: takes ownership of them, and of those among them
 * that were asked for (NULL: these stay). If `result` is an error, or the source does not take
 * them, all stays as it was. */
static int count_instead(struct host *host, struct event_list *events, struct event_list *own,
                         int result, struct err *err)
{
    struct startup *setup = &host->setup;
    if (result == 0)
        result = sampler_set_events(host->sampler, events, err);
    event_list_release(result < 0 ? events : &setup->events);
    if (own)
        event_list_release(result < 0 ? own : &setup->own);
    if (result < 0)
        return -1;
    setup->events = *events;
    if (own)
        setup->own = *own;
    return 0;
}

int host_add_event(struct host *host, const char *text, struct err *err)
{
    struct event_list events, own;
    if (host_check_counting(host, err) < 0)
        return -1;
    event_list_copy(&events, &host->setup.events);
    event_list_copy(&own, &host->setup.own);
    size_t before = events.count;
    int result = event_parse(&own, text, host->mode, err);
    for (size_t e = host->setup.own.count; e < own.count && result == 0; e++) {
        const struct event *event = &own.events[e], *other = event_list_find(&events, event->name);
        if (other && !str_equal(event->name, event->text) && !str_equal(event->text, other->text))
            result = err_set(err, "bad name '%s' of event '%s': it is that of '%s'", event->name,
                             event->text, other->text);
    }
    event_list_join(&events, &own);
    if (result == 0 && events.count == before)
        result = err_set(err, "'%.100s' is counted already", text);
    if (result == 0)
        result = definitions_check_events(host->definitions, &events, err);
    struct event_set *set = result == 0 ? sampler_check(host->sampler, &events) : NULL;
    for (size_t e = before; set && e < set->count && result == 0; e++)
        if (set->events[e].state != EVENT_COUNTED)
            result =
                err_set(err, "cannot count '%s': %s", set->events[e].name, set->events[e].reason);
    event_set_drop(set);
    return count_instead(host, &events, &own, result, err);
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

int host_remove_event(struct host *host, const char *name, struct err *err)
{
    struct event_list *counted = &host->setup.events, events, own;
    if (host_check_counting(host, err) < 0)
        return -1;
    if (!event_list_find(counted, name)) {
        err_set(err, "'%.100s' is not counted", name);
        return err_add_nearest(err, STR_NEAREST(counted->events, counted->count, name, name));
    }
    event_list_copy(&events, counted);
    event_list_copy(&own, &host->setup.own);
    drop_event(&events, name);
    drop_event(&own, name);
    return count_instead(host, &events, &own, 0, err);
}

/* ---- metrics ---- */

const char *host_lists(const struct event_list *events, const char *name)
{
    size_t e = 0;
    while (e < events->count && !alias_same(events->events[e].name, name))
        e++;
    return e < events->count ? events->events[e].name : NULL;
}

/* Counts the events of an expression that are not counted yet, all together in one pair of braces:
 * a ratio needs events that are counted at the same time. */
static int count_events(struct host *host, const struct expr *expr, struct err *err)
{
    const struct event_list *events = &host->setup.events;
    size_t count = expr_event_count(expr), there = 0;
    AUTO_STR struct str text = str_new();
    for (size_t i = 0; i < count; i++) {
        const char *listed = host_lists(events, expr_event(expr, i));
        there += listed != NULL;
        str_printf(&text, "%s%s",
                   i           ? ","
                   : count > 1 ? "{"
                               : "",
                   listed ? listed : expr_event(expr, i));
    }
    str_add(&text, count > 1 ? "}" : "");
    return there == count ? 0 : host_add_event(host, text.text, err);
}

int host_count_metric(struct host *host, const char *name, struct err *err)
{
    const struct metric *metric = metric_set_find(&host->definitions->metric_set, name);
    if (!metric)
        return err_set(err, "no metric '%.60s'", name);
    return count_events(host, metric->expr, err);
}

int host_set_metric(struct host *host, const char *name, const char *text, const char *unit,
                    struct err *err)
{
    struct metric_set *metric_set = &host->definitions->metric_set;
    struct metric metric;
    if (column_is_fact(name))
        return err_set(err, "'%s' is already a column: choose another name", name);
    if (metric_set_draft(metric_set, name, text, unit, &metric, err) < 0 ||
        view_check_metric(host->view, &metric, err) < 0 ||
        count_events(host, metric.expr, err) < 0) {
        metric_release(&metric);
        return -1;
    }
    metric_set_take(metric_set, &metric);
    view_renew_metrics(host->view);
    for (size_t c = 0; c < view_columns(host->view); c++)
        if (str_equal(view_column(host->view, c)->name, name))
            return 0;
    return view_add_column(host->view, name, SIZE_MAX, err);
}

int host_remove_metric(struct host *host, const char *name, struct err *err)
{
    int result = metric_set_unset(&host->definitions->metric_set, name, err);
    view_renew_metrics(host->view);
    return result;
}

/* ---- screens ---- */

/* Lists the events to count for a screen. -1 with a message, and nothing to release, if a required
 * event cannot be counted. In the past, and after counting has ended, the events are those that
 * were counted then. */
static int plan(const struct host *host, const struct screen *screen, struct event_list *events,
                struct err *err)
{
    struct err why;
    if (column_check_screen(screen, &host->definitions->metric_set, err) < 0)
        return -1;
    if (startup_list_events(&host->setup, events, screen, host->mode, &why) < 0)
        return err_set(err, "cannot show screen '%s': %s", screen->name, why.text);
    bool past = host->playback.at != 0;
    struct event_set *tried = !past && host->sampler ? sampler_check(host->sampler, events) : NULL;
    const struct event_set *set = tried ? tried : past ? host->playback.events : host->setup.set;
    int result = 0;
    for (size_t i = 0; i < screen->requires.count && result == 0; i++) {
        const char *name = screen->requires.items[i];
        int event = set ? alias_find(set, name) : -1;
        const struct event_info *info = event >= 0 ? &set->events[event] : NULL;
        if (!info || info->state != EVENT_COUNTED)
            result = err_set(err, "cannot show screen '%s': cannot count '%s': %s", screen->name,
                             name, info ? info->reason : "it was not counted then");
    }
    event_set_drop(tried);
    if (result < 0)
        event_list_release(events);
    return result;
}

/* Takes ownership of the events. Events that are counted already go on. */
static int show_screen(struct host *host, const struct screen *screen, struct event_list *events,
                       struct err *err)
{
    AUTO_FREE char *now = event_list_text(&host->setup.events), *then = event_list_text(events);
    bool same = str_equal(now, then);
    if (!host->sampler || host->playback.at || same)
        event_list_release(events);
    else if (count_instead(host, events, NULL, 0, err) < 0)
        return -1;
    /* The user chose this screen: the notice no longer says that a better one is missing. */
    mem_replace(&host->setup.missing, NULL);
    host->setup.screen = screen;
    host->screen = screen->name;
    mem_replace(&host->setup.session.screen, mem_strdup(screen->name));
    return view_choose_screen(host->view, screen->name, true, err);
}

int host_show_screen(struct host *host, const char *name, struct err *err)
{
    const struct screen *screen = screen_find(&host->definitions->screens, name);
    struct event_list events;
    if (!screen)
        return view_choose_screen(host->view, name, true, err); /* the message names the screens */
    if (plan(host, screen, &events, err) < 0)
        return -1;
    return show_screen(host, screen, &events, err);
}

/* The next screen in that direction that can be counted, and its events; NULL: no other. */
static const struct screen *near_screen(struct host *host, int step, struct event_list *events)
{
    const struct screen_list *list = &host->definitions->screens;
    const struct screen *shown = view_screen(host->view);
    const struct screen *listed = shown ? screen_find(list, shown->name) : NULL;
    size_t at = listed ? (size_t)(listed - list->screens) : list->count;
    for (size_t i = 1; i < list->count; i++) {
        size_t next = (step > 0 ? at + i : at + list->count - i) % list->count;
        if (plan(host, &list->screens[next], events, NULL) == 0)
            return &list->screens[next];
    }
    return NULL;
}

int host_step_screen(struct host *host, int step, struct err *err)
{
    struct event_list events;
    const struct screen *screen = near_screen(host, step, &events);
    if (screen)
        return show_screen(host, screen, &events, err);
    return err_set(err, "no other screen can be counted here: countertop --list-screens says why");
}

char *host_near_screen(struct host *host, int step)
{
    struct event_list events;
    const struct screen *screen = near_screen(host, step, &events);
    if (screen)
        event_list_release(&events);
    return screen ? mem_strdup(screen->name) : NULL;
}

char *host_screen_obstacle(struct host *host, size_t number)
{
    struct event_list events;
    struct err why;
    const struct screen *screen = &host->definitions->screens.screens[number];
    if (plan(host, screen, &events, &why) == 0) {
        event_list_release(&events);
        return NULL;
    }
    AUTO_FREE char *start = mem_printf("cannot show screen '%s': ", screen->name);
    size_t said = str_starts(why.text, start) ? strlen(start) : 0; /* skips the screen's name */
    return mem_strdup(why.text + said);
}

/* ---- watched tasks ---- */

int host_check_watching(const struct host *host, struct err *err)
{
    return host->playback.replay ? 0 : host_check_counting(host, err);
}

/* Takes ownership of `next` as the watched tasks and shows them, unless `result` is an error. */
static int watch_instead(struct host *host, struct watch *next, int result, struct err *err)
{
    struct watch *watch = &host->setup.session.watch;
    host->playback.watched |= result == 0;
    if (result == 0 && !host->playback.replay)
        result =
            host_check_counting(host, err) < 0 ? -1 : sampler_set_watch(host->sampler, next, err);
    if (result < 0) {
        watch_release(next);
        return -1;
    }
    watch_release(watch);
    *watch = *next;
    view_watch(host->view, next);
    if (!host->playback.replay)
        startup_look_for_absent(&host->setup);
    return 0;
}

int host_attach(struct host *host, const char *list, struct err *err)
{
    struct watch next = {0};
    int result = watch_add_processes(&next, list, err);
    if (result == 0 && !host->playback.replay) /* in a replay the pids need not exist here */
        result = startup_check_watch(&next, err);
    watch_release(&next);
    watch_copy(&next, &host->setup.session.watch);
    if (result == 0)
        result = watch_add_processes(&next, list, err);
    return watch_instead(host, &next, result, err);
}

char *host_absent_names(struct host *host, const char *list)
{
    struct watch named = {0};
    char *absent = NULL;
    if (!host->playback.replay && watch_add_processes(&named, list, NULL) == 0)
        absent = startup_absent_names(&named);
    watch_release(&named);
    return absent;
}

void host_running_names(struct host *host, struct names *names)
{
    struct pid_list running = {0};
    char comm[TASK_COMM_SIZE];
    if (!host->playback.replay)
        procfs_processes(&running);
    for (size_t i = 0; i < running.count; i++)
        if (procfs_comm(running.pids[i], 0, comm))
            names_add(names, comm);
    free(running.pids);
}

int host_let_go(struct host *host, const char *list, struct err *err)
{
    struct watch next;
    watch_copy(&next, &host->setup.session.watch);
    return watch_instead(host, &next, watch_remove(&next, list, err), err);
}

int host_set_user(struct host *host, const char *user, struct err *err)
{
    struct watch next;
    uid_t uid;
    if (*user && user_find(user, &uid, err) < 0)
        return -1;
    watch_copy(&next, &host->setup.session.watch);
    next.user_count = 0;
    if (*user)
        watch_add_user(&next, uid);
    return watch_instead(host, &next, 0, err);
}

/* ---- delay, mode, threads ---- */

int host_set_delay(struct host *host, double seconds, struct err *err)
{
    if (!(seconds >= DELAY_MIN && seconds <= DELAY_MAX))
        return err_set(err, "delay must be %g to %g seconds, not %g", DELAY_MIN, (double)DELAY_MAX,
                       seconds);
    if (host_check_counting(host, err) < 0)
        return -1;
    host->setup.session.delay = seconds;
    sampler_set_delay(host->sampler, (uint64_t)(seconds * 1e9));
    return 0;
}

double host_list_waits(struct host *host, double ms)
{
    if (host->options->waits_over > 0)
        return host->options->waits_over;
    if (host->sampler)
        sampler_set_waits_over(host->sampler, (uint64_t)(ms * 1e6));
    return ms;
}

int host_count_cpus(struct host *host, struct err *err)
{
    if (host_check_counting(host, err) < 0)
        return -1;
    if (host->options->record || host->setup.session.alarm.armed)
        return err_set(err, "a recording has one engine: start with --engine cpu");
    if (startup_count_cpus(&host->setup, host->options, host->sampler, err) < 0)
        return -1;
    host_forget_events(host);
    return 0;
}

void host_set_idle(struct host *host, bool idle)
{
    if (host->sampler)
        sampler_set_idle(host->sampler, idle);
}

void host_set_threads(struct host *host, bool threads)
{
    if (host->sampler)
        sampler_set_threads(host->sampler, threads);
}

/* Parses the list's events again, with braces and modifiers, for another mode. */
static int parse_again(struct event_list *list, const struct event_list *old, enum count_mode mode,
                       struct err *err)
{
    AUTO_FREE char *text = event_list_text(old);
    *list = (struct event_list){0};
    return *text ? event_parse_foreign(list, text, mode, err) : 0;
}

int host_set_mode(struct host *host, enum count_mode mode, struct err *err)
{
    static const char *const words[] = {"user and kernel", "user", "kernel"};
    struct startup *setup = &host->setup;
    struct event_list events = {0}, own = {0};
    if (host_check_counting(host, err) < 0)
        return -1;
    if (setup->user_only && mode != MODE_USER)
        return err_set(err, "cannot count %s mode: %s", words[mode], setup->restricted);
    int result = parse_again(&own, &setup->own, mode, err)
                     ?: parse_again(&events, &setup->events, mode, err);
    /* One countable event is enough: the notice has the reasons of the others. */
    struct event_set *set = result == 0 ? sampler_check(host->sampler, &events) : NULL;
    const char *reason = NULL;
    bool counts = set && set->count == 0;
    for (size_t e = 0; set && e < set->count; e++) {
        counts |= set->events[e].state == EVENT_COUNTED;
        if (!reason || set->events[e].state == EVENT_DENIED)
            reason = set->events[e].reason;
    }
    if (set && !counts)
        result = err_set(err, "cannot count %s mode: %s", words[mode], reason ? reason : "");
    event_set_drop(set);
    if (count_instead(host, &events, &own, result, err) < 0)
        return -1;
    setup->session.mode = host->mode = mode;
    view_drop_baseline(host->view); /* of another mode */
    return 0;
}

/* ---- processes ---- */

int host_hold_process(struct host *host, pid_t pid, uint64_t seen, struct err *err)
{
    if (host->playback.replay)
        return err_set(err, "this is a recording: its processes cannot be sent signals");
    if (host->playback.at)
        return err_set(err, "this interval is over: go back to now to send signals");
    return process_hold(pid, seen, err);
}

int host_signal_process(struct host *host UNUSED, int held, pid_t pid, int signal, struct err *err)
{
    return process_signal(held, pid, signal, err);
}

void host_drop_process(struct host *host UNUSED, int held)
{
    close(held);
}

/* ---- who wakes a task ---- */

enum { WAKERS_NAMED = 3 };

static void wakers_name(struct str *text, const struct waker *waker, bool ascii)
{
    char name[sizeof(waker->name)];
    text_clean(name, sizeof(name), waker->name, ascii);
    if (waker->tid == WAKER_INTERRUPT)
        str_add(text, "interrupts");
    else if (waker->tid <= 0)
        str_add(text, waker->tid ? "an ended task" : "an idle CPU");
    else
        str_printf(text, "%s%s%d", name, *name ? " " : "", (int)waker->tid);
}

/* "perl 12 61 %, interrupts 30 %, sh 15 8 %, 2 others; 812 times, last by perl 12"; the caller
 * frees it. ascii: names have no other characters. */
static char *wakers_text(const struct wakers *wakers, bool ascii)
{
    size_t count = wakers->count;
    uint64_t all = 0, lost = wakers->lost;
    const struct waker *list = wakers->list, *last = wakers->last;
    struct str text = str_new();
    for (size_t i = 0; i < count; i++)
        all += list[i].times;
    for (size_t i = 0; i < count && i < WAKERS_NAMED; i++) {
        str_add(&text, i ? ", " : "");
        wakers_name(&text, &list[i], ascii);
        str_printf(&text, " %.0f %%", 100 * (double)list[i].times / (double)all);
    }
    if (count > WAKERS_NAMED)
        str_printf(&text, ", %zu other%s", count - WAKERS_NAMED,
                   count == WAKERS_NAMED + 1 ? "" : "s");
    if (count == 0)
        str_add(&text, "nobody since these details were opened");
    if (count > 0)
        str_printf(&text, "; %" PRIu64 " time%s", all, all == 1 ? "" : "s");
    if (last) {
        str_add(&text, ", last by ");
        wakers_name(&text, last, ascii);
    }
    if (lost)
        str_printf(&text, "; %" PRIu64 " more not seen", lost);
    return str_detach(&text);
}

char *host_wakers(struct host *host, pid_t pid, pid_t tid)
{
    if (host->wakers && (host->wakers->pid != pid || host->wakers->tid != tid))
        host_forget_wakers(host);
    if (!host->wakers) {
        struct caps caps;
        probe_open_caps(&caps);
        host->wakers = wakers_new(pid, tid, &caps);
    }
    wakers_read(host->wakers);
    const char *obstacle = host->wakers->obstacle;
    return obstacle ? mem_printf("not known: %s", obstacle)
                    : wakers_text(host->wakers, view_settings(host->view)->ascii);
}

void host_forget_wakers(struct host *host)
{
    wakers_free(host->wakers);
    host->wakers = NULL;
}

/* ---- settings ---- */

/* The options that a program with the current display would start with. */
static struct options options_now(const struct host *host, const struct front_look *look)
{
    struct options now = *host->options;
    now.view = *view_settings(host->view);
    now.screen = host->screen;
    now.mode = host->setup.session.mode;
    now.delay = host->setup.session.delay;
    now.bars = look->bars;
    now.view.amount = look->amount;
    now.view.kind = look->kind;
    now.theme = look->theme;
    now.view.ascii = look->ascii;
    return now;
}

char *host_setting(struct host *host, const struct front_look *look, const char *option)
{
    struct options now = options_now(host, look);
    struct str value = str_new();
    option_value(option_find(option), &now, &value);
    return str_detach(&value);
}

char *host_save_settings(struct host *host, const struct front_look *look, struct err *err)
{
    struct options now = options_now(host, look);
    if (host->playback.replay) { /* the shown ones are the recording's */
        now.mode = host->options->mode;
        now.delay = host->options->delay;
    }
    AUTO_FREE char *directory = definitions_directory(host->options->directory);
    return config_save(host->config, directory, &now, err);
}

bool host_reads_saved(const struct host *host)
{
    return !host->options->no_config;
}

char *host_keep_setting(struct host *host, const char *option, const char *value, struct err *err)
{
    AUTO_FREE char *directory = definitions_directory(host->options->directory);
    return config_keep(host->config, directory, option, value, err);
}
