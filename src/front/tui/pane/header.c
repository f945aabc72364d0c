#include "front/tui/pane/header.h"
#include "base/cells.h"
#include "base/clock.h"
#include "base/mem.h"
#include "front/tui/pane/gauges.h"
#include "front/tui/pane/rewind.h"
#include "front/tui/state/frames.h"
#include "view/column.h"
#include "view/format.h"
#include "view/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A line of at least WIDE cells has room for totals and accounts; below NARROW the shortest texts
 * are used. */
enum { WIDE = 150, NARROW = 40, BRIEF_CELLS = 20, GAUGE_MAX = 16 };

/* 0.3%, 12%: one decimal only below 1; 0% and 100% only for exact values. */
static void percent(char *text, size_t size, double share)
{
    double number = share * 100;
    if (number > 0 && number < 0.1)
        snprintf(text, size, "<0.1%%");
    else if (number >= 99.5 && number < 100)
        snprintf(text, size, ">99%%");
    else
        snprintf(text, size, "%.*f%%", number > 0 && number < 0.95 ? 1 : 0, number);
}

/* --- The machine, and the state of the screen --- */

/* Settings that the rows do not show. */
static void add_state(const struct ui *ui, struct line *line)
{
    const struct view_settings *settings = view_settings(ui->view);
    const struct table *table = &ui->table;
    size_t tagged, sort = view_sort_column(ui->view);
    view_tagged(ui->view, &tagged);
    if (table->following)
        line_add(line, 92, "following", "%s%s", table->followed,
                 table->ended    ? " (ended)"
                 : table->absent ? " (not running)"
                                 : "")
            ->right = true;
    if (tagged > 0)
        line_add(line, 91, "tagged", "%zu", tagged)->right = true;
    if (settings->least_cpu > 0 && settings->kind != VIEW_CPUS)
        line_add(line, 89, "%CPU from", "%g", settings->least_cpu)->right = true;
    if (settings->filter)
        line_add(line, 95, "filter", "%s", settings->filter)->right = true;
    /* The title that marks the sort column is scrolled off. */
    if (ui->frame && sort < view_columns(ui->view) && !table_shows_column(table, sort))
        line_add(line, 85, "sorted by", "%s", view_column(ui->view, sort)->title)->right = true;
    rewind_mark(ui, line);
    if (ui->paused && ui_is_live(ui))
        line_add_right(line, 100, ROLE_NOTICE, " PAUSED ");
}

static void fill_machine(const struct ui *ui, struct line *line)
{
    const struct session *session = ui->session;
    line_add(line, 20, "", "countertop")->role = ROLE_LABEL;
    if (session) {
        size_t cpus = ui->frame && ui->frame->has_cpus ? ui->frame->cpu_count : session->cpus.count;
        line_add(line, 60, "", "%s", session->host);
        if (session->cpu_model[0])
            line_add(line, 30, "", "%s", session->cpu_model)->role = ROLE_TEXT;
        if (cpus > 0)
            line_add(line, 50, "", "%zu CPU%s", cpus, cpus == 1 ? "" : "s")->role = ROLE_TEXT;
        line_add(line, 10, "", "Linux %s", session->kernel)->role = ROLE_TEXT;
    }
    add_state(ui, line);
    if (!ui_is_live(ui)) /* rewind_mark() writes the time */
        return;
    time_t now = (time_t)(ui->frame ? ui->frame->wall : clock_wall());
    struct tm local;
    char text[16] = "";
    if (localtime_r(&now, &local))
        strftime(text, sizeof(text), "%H:%M:%S", &local);
    line_add_right(line, 40, ROLE_TEXT, text);
}

/* --- Engine, mode, targets, events --- */

static void add_engine(const struct session *session, struct line *line)
{
    const char *kind = strcmp(session->engine, "cpu") == 0    ? "system-wide ledger"
                       : strcmp(session->engine, "task") == 0 ? "counters per thread"
                                                              : "";
    const char *reason = session->engine_reason;
    line_add(line, 70, "engine", "%s", session->engine);
    struct piece *piece =
        line_add(line, 12, "", "(%s%s%s)", kind, *kind && *reason ? ": " : "", reason);
    piece->joined = true;
    piece->role = ROLE_TEXT;
    snprintf(piece->brief, sizeof(piece->brief), "(%s)", kind);
    piece->gone = !*kind && !*reason;
}

static void add_watched(const struct ui *ui, struct line *line)
{
    const struct watch *watch = &view_settings(ui->view)->watch;
    const struct view_lookup *lookup = view_lookup_of(ui->view);
    struct str text;
    if (watch_all(watch))
        watch = &ui->session->watch;
    str_init(&text);
    if (watch->command && ui->session->command)
        str_printf(&text, ",%s", ui->session->command);
    for (size_t i = 0; i < watch->name_count; i++)
        str_printf(&text, ",%s", watch->names[i]);
    for (size_t i = 0; i < watch->pid_count; i++)
        str_printf(&text, ",%d", (int)watch->pids[i]);
    for (size_t i = 0; i < watch->tid_count; i++)
        str_printf(&text, ",tid %d", (int)watch->tids[i]);
    for (size_t i = 0; i < watch->user_count; i++) {
        const char *user = lookup ? lookup->user(lookup->ctx, watch->users[i]) : NULL;
        if (user)
            str_printf(&text, ",user %s", user);
        else
            str_printf(&text, ",uid %u", (unsigned)watch->users[i]);
    }
    if (watch->cgroup) {
        char name[128] = "";
        if (lookup)
            lookup->cgroup_name(lookup->ctx, watch->cgroup, name, sizeof(name));
        str_printf(&text, ",cgroup %s", name);
    }
    if (text.length > 0) {
        const char *list = text.text + 1;
        struct piece *piece = line_add(line, 90, "watching", "%s", list);
        size_t fits = cells_fit(list, BRIEF_CELLS, NULL);
        snprintf(piece->brief, sizeof(piece->brief), "%.*s%s", (int)fits, list,
                 list[fits] ? "..." : "");
    }
    str_release(&text);
}

/* Returns the lowest fraction of time that an event was counted. */
static double add_events(const struct frame *frame, struct line *line)
{
    size_t all = frame->events->count, counted = 0;
    double coverage = 1;
    for (size_t i = 0; i < all; i++) {
        if (frame->events->events[i].state != EVENT_COUNTED)
            continue;
        counted++;
        if (frame->total.counts[i].coverage < coverage)
            coverage = frame->total.counts[i].coverage;
    }
    if (counted == all)
        line_add(line, 50, "events", "%zu", all);
    else
        line_add(line, 80, "events", "%zu of %zu counted", counted, all)->role = ROLE_BAD;
    return coverage;
}

/* Hardware counters of a core, and the number of events that use them. */
static void add_counters(const struct ui *ui, struct line *line)
{
    size_t events, turns = event_set_turns(ui->frame->events, &events);
    size_t counters = ui->session->counters;
    struct piece *piece;
    if (turns == 0)
        return;
    if (turns > 1) {
        piece = line_add(line, 75, "counters", "shared by %zu events in %zu turns", events, turns);
        if (counters > 0)
            snprintf(piece->text, sizeof(piece->text), "%zu, shared by %zu events in %zu turns",
                     counters, events, turns);
        snprintf(piece->brief, sizeof(piece->brief), "%zu turns", turns);
        piece->role = ROLE_SCALED;
        return;
    }
    piece = line_add(line, 55, "counters", "%zu", events);
    if (counters < events)
        return;
    snprintf(piece->text, sizeof(piece->text), "%zu of %zu", events, counters);
    char gauge[GAUGE_MAX + 1] = "";
    for (size_t i = 0; i < counters && counters <= GAUGE_MAX; i++)
        gauge[i] = i < events ? '|' : '.';
    piece = line_add(line, 8, "", "%s", gauge);
    piece->joined = true;
    piece->role = ROLE_BAR;
    piece->gone = counters > GAUGE_MAX;
}

/* Totals may not exist for the whole past. */
static enum view_amount amount_shown(const struct ui *ui)
{
    enum view_amount amount = view_settings(ui->view)->amount;
    return amount == AMOUNT_TOTAL && ui->frame && !ui->frame->totals ? AMOUNT_INTERVAL : amount;
}

/* Whether the frame covers the whole run of the command: counting may have restarted. */
static bool has_run(const struct ui *ui)
{
    return ui->frame->totals && ui->frame->interval >= ui->session->run;
}

static void header_add_amount(const struct ui *ui, struct line *line)
{
    enum view_amount amount = amount_shown(ui);
    bool end = frames_at_end(ui) && ui->frame;
    if (amount == AMOUNT_RATE && !end) /* column titles show it */
        return;
    const char *rate = end && amount == AMOUNT_RATE ? "a second " : "";
    const char *of = !end                ? view_amount_text(amount)
                     : has_run(ui)       ? view_amount_text(AMOUNT_TOTAL)
                     : ui->frame->totals ? "since counting began"
                                         : "in the last interval";
    /* At the end this is more important than the targets. */
    struct piece *piece = line_add(line, end ? 93 : 88, "counts", "%s%s", rate, of);
    if (!ui->frame || (amount != AMOUNT_TOTAL && !end))
        return;
    char time[FORMAT_SIZE];
    snprintf(piece->brief, sizeof(piece->brief), "%s%s", rate, of);
    format_duration(time, ui->frame->interval, 8);
    snprintf(piece->text, sizeof(piece->text), "%s%s, %s", rate, of, time);
}

static void fill_counting(const struct ui *ui, struct line *line)
{
    static const char *const modes[] = {"user+kernel", "user only", "kernel only"};
    const struct session *session = ui->session;
    if (!session)
        return;
    add_engine(session, line);
    line_add(line, session->mode == MODE_ALL ? 20 : 85, "", "%s", modes[session->mode]);
    add_watched(ui, line);
    if (!session->end)
        line_add(line, 60, "every", "%g s", session->delay);
    header_add_amount(ui, line);
    if (ui->frame) {
        double coverage = add_events(ui->frame, line);
        add_counters(ui, line);
        if (coverage < 1)
            line_add(line, 76, "coverage", "from %.0f%%", coverage * 100)->role = ROLE_SCALED;
    }
}

/* --- Totals --- */

/* Totals of everything that is counted, even if rows are hidden. Then the CPUs' busy share and,
 * unless the whole machine is counted, the share used by what is counted. */
static void add_scope(const struct ui *ui, const struct layout *layout, struct line *line)
{
    const struct view_settings *settings = view_settings(ui->view);
    bool narrow = layout->width < NARROW; /* then the filter itself is shown */
    struct watch within = settings->watch;
    within.cgroup = NULL;
    if (!narrow && ui->frame->has_cpus && (settings->filter || !watch_all(&within)))
        line_add(line, 99, settings->watch.cgroup ? "whole cgroup:" : "whole machine:", "%s", "");
    else if (!narrow && settings->filter)
        line_add(line, 99, "all that is counted:", "%s", "");
    size_t cpus;
    double busy = frame_busy(ui->frame, &cpus);
    if (gauges_show(ui, layout, NULL))
        ;
    else if (busy < 0)
        line_add(line, 100, "busy", "-");
    else if (narrow)
        line_add(line, 100, "busy", "%.2f/%zu", busy, cpus);
    else
        line_add(line, 100, "busy", "%.2f of %zu CPU%s", busy, cpus, cpus == 1 ? "" : "s");
    if (!frame_has_machine(ui->frame))
        line_add(line, 98, "watched", "%.2f%s", frame_used(ui->frame), narrow ? "" : " CPUs");
}

/* The totals of the columns' metrics; those with limits for good and bad first. */
static void add_metrics(const struct ui *ui, const struct layout *layout, struct line *line)
{
    enum { JUDGED = 95, OTHERS = 85, RANK_MIN = 66 };
    const struct frame *frame = ui->frame;
    for (size_t i = 0; ui->metric_set && i < view_columns(ui->view); i++) {
        const struct metric *metric =
            metric_set_find(ui->metric_set, view_column(ui->view, i)->name);
        if (!metric || strcmp(metric->name, "cpu_pct") == 0 || gauges_show(ui, layout, metric))
            continue;
        struct value value = eval_row(metric->expr, frame, &frame->total);
        if (value.state != VALUE_COUNTED && value.state != VALUE_SCALED)
            continue;
        char text[FORMAT_SIZE];
        column_format(text, metric, value.number, 8);
        int rank = (metric->has_good ? JUDGED : OTHERS) - (int)i;
        struct piece *piece = line_add(line, rank > RANK_MIN ? rank : RANK_MIN, metric->title,
                                       "%s%s", text, value.state == VALUE_SCALED ? "~" : "");
        int judged = metric_judge(metric, value.number);
        if (judged != 0)
            piece->role = judged > 0 ? ROLE_GOOD : ROLE_BAD;
    }
}

static void add_rows(const struct ui *ui, struct line *line)
{
    const struct view_settings *settings = view_settings(ui->view);
    if (settings->kind == VIEW_CPUS)
        return;
    if (settings->kind != VIEW_TASKS) {
        line_add(line, 65, view_types[settings->kind].word, "%zu", view_rows(ui->view));
        return;
    }
    size_t shown = view_rows(ui->view);
    size_t all = settings->threads ? ui->frame->thread_count : ui->frame->process_count;
    const char *what = settings->threads ? "threads" : "processes";
    if (shown >= all) /* may be more with ended tasks, or with processes above their threads */
        line_add(line, 65, what, "%zu", shown);
    else
        line_add(line, 65, what, "%zu of %zu", shown, all);
}

/* --- Accounts: counts outside tasks, losses, the cost of countertop --- */

/* Index of the event whose account is shown: the most meaningful one. */
static int account_event(const struct event_set *set)
{
    static const char *const preferred[] = {"cycles", "instructions", "cpu-clock", "task-clock"};
    for (size_t i = 0; i < sizeof(preferred) / sizeof(preferred[0]); i++) {
        int found = event_set_find(set, preferred[i]);
        if (found >= 0 && set->events[found].state == EVENT_COUNTED)
            return found;
    }
    for (size_t i = 0; i < set->count; i++)
        if (set->events[i].state == EVENT_COUNTED)
            return (int)i;
    return -1;
}

static void add_shares(const struct frame *frame, struct line *line)
{
    int event = frame->has_cpus ? account_event(frame->events) : -1;
    if (event < 0 || frame->total.counts[event].value == 0)
        return;
    double total = (double)frame->total.counts[event].value;
    double unknown = (double)frame->unattributed.counts[event].value / total;
    char idle[16], unattributed[16];
    percent(idle, sizeof(idle), (double)frame->idle.counts[event].value / total);
    percent(unattributed, sizeof(unattributed), unknown);
    struct piece *piece =
        line_add(line, 50, "idle tasks", "%s of %s", idle, frame->events->events[event].name);
    snprintf(piece->brief, sizeof(piece->brief), "%s", idle);
    piece = line_add(line, unknown > 0 ? 70 : 40, "unattributed", "%s", unattributed);
    if (unknown > 0.001)
        piece->role = ROLE_BAD;
}

static void fill_accounts(const struct ui *ui, struct line *line)
{
    const struct frame *frame = ui->frame;
    const struct {
        const char *label, *what;
        uint64_t number;
    } faults[] = {
        {"lost", "records", frame->lost_records},
        {"throttled", "times", frame->throttled},
        {"not permitted", "threads", frame->denied_tasks},
        {"no descriptor for", "threads", frame->starved_tasks},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        if (faults[i].number > 0)
            line_add(line, 95, faults[i].label, "%llu %s", (unsigned long long)faults[i].number,
                     faults[i].what)
                ->role = ROLE_BAD;
    add_shares(frame, line);
    if (frame->load.reason && !frame_has_machine(frame))
        line_add(line, 85, "busy", "not known: %s", frame->load.reason)->role = ROLE_BAD;
    char cpu[FORMAT_SIZE], memory[FORMAT_SIZE], descriptors[24] = "-";
    if (frame_has_descriptors(frame))
        snprintf(descriptors, sizeof(descriptors), "%zu", frame->self_descriptors);
    if (frame->totals && ui->session->end) /* includes the start before the run begins */
        format_duration(cpu, frame->self_cpu, 8);
    else
        percent(cpu, sizeof(cpu), frame_self_share(frame));
    format_fixed(memory, (double)frame->self_rss / (1 << 20), 1, 6);
    struct piece *piece = line_add(line, 60, "self", "%s CPU, %s fds, %s MiB", cpu, descriptors,
                                   frame->self_rss ? memory : "-");
    snprintf(piece->brief, sizeof(piece->brief), "%s CPU", cpu);
}

int header_lines(const struct ui *ui, int width)
{
    return !ui->frame ? 2 : width >= WIDE ? 3 : 4;
}

/* With fewer lines, lines are joined. */
void header_draw(const struct ui *ui, const struct layout *layout)
{
    const struct band *band = &layout->header;
    struct line machine = {0}, counting = {0}, totals = {0}, accounts = {0};
    fill_machine(ui, &machine);
    fill_counting(ui, &counting);
    if (ui->frame) {
        add_scope(ui, layout, &totals);
        add_metrics(ui, layout, &totals);
        add_rows(ui, &totals);
        fill_accounts(ui, &accounts);
    }
    if (band->height < LAYOUT_HEADER_LINES)
        line_append(&totals, &accounts);
    struct line *order[LAYOUT_HEADER_LINES] = {&machine, &counting, &totals, &accounts};
    if (band->height == 1 && ui->frame) {
        order[0] = &totals;
        add_state(ui, &totals);
        add_watched(ui, &totals);
    } else if (band->height == 2 && ui->frame) {
        order[1] = &totals;
        add_watched(ui, &machine);
    }
    for (int i = 0; i < band->height; i++) {
        line_fit(order[i], layout->width);
        line_draw(order[i], ui->term, band->y + i, layout->width);
    }
    gauges_draw(ui, &layout->meters, layout->width);
}

char *header_notice(const struct ui *ui)
{
    static const char *const what[] = {"rates", "counts", "totals"};
    const struct session *session = ui->session;
    const struct frame *frame = ui->frame;
    struct str text;
    str_init(&text);
    if (session && session->end) {
        str_add(&text, session->end);
        if (frames_at_end(ui) && frame) {
            str_printf(&text, "; %s ", what[amount_shown(ui)]);
            if (has_run(ui))
                str_add(&text, "since its start");
            else if (frame->totals)
                str_printf(&text, "of its last %.3g s", frame->interval);
            else
                str_add(&text, "of its last interval");
        }
        str_printf(&text, "; q quits%s", *session->notice ? ". " : "");
    }
    str_add(&text, session ? session->notice : "");
    return str_detach(&text);
}
