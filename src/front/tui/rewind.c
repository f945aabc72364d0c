#include "front/tui/rewind.h"
#include "base/clock.h"
#include "front/tui/command.h"
#include "front/tui/details.h"
#include "front/tui/dialog.h"
#include "front/tui/kill.h"
#include "front/tui/line.h"
#include "front/tui/time_spec.h"
#include "view/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 10 };

/* As many as there can be. */
static const int64_t ALL = INT64_MAX / 4;

void rewind_init(struct rewind *rewind)
{
    *rewind = (struct rewind){.speed = 1};
}

void rewind_release(struct rewind *rewind)
{
    event_set_drop(rewind->events);
}

bool rewind_shown(const struct ui *ui)
{
    return ui->rewind.moment.past && !ui->rewind.moment.replay;
}

bool rewind_over(const struct ui *ui)
{
    return ui->rewind.moment.past || ui->rewind.moment.replay;
}

static void rewind_ask(struct ui *ui)
{
    host_moment(ui->host, &ui->rewind.moment);
    ui->rewind.told = true;
}

void rewind_take(struct ui *ui)
{
    if (!ui->rewind.told || rewind_over(ui)) /* else only keys lead away from now */
        rewind_ask(ui);
    const struct front_moment *moment = &ui->rewind.moment;
    if (moment->replay && moment->speed > 0 && moment->at == moment->count)
        ui_say(ui, ROLE_VALUE, "this is the end of the recording");
}

/* --- Histories --- */

static void drop_trace(struct rewind *rewind)
{
    event_set_drop(rewind->events);
    rewind->events = NULL;
    rewind->traced = 0;
    rewind->rows = false;
}

void rewind_stale(struct ui *ui)
{
    drop_trace(&ui->rewind);
}

static void rewind_recall(struct ui *ui, const struct frame *frame, bool held)
{
    meters_recall(ui, frame, held);
    if (ui->rewind.rows)
        view_recall(ui->view, frame, held);
}

static void recall_earlier(void *to, struct frame *frame)
{
    rewind_recall(to, frame, true);
}

/* Forwards what is between is added; for another time they begin anew. */
void rewind_catch_up(struct ui *ui)
{
    struct rewind *rewind = &ui->rewind;
    const struct frame *frame = ui->recent;
    bool rows = pane_is_open(ui, &pane_details);
    if (!frame || !rewind_over(ui))
        return;
    bool more = rows && !rewind->rows; /* than they have */
    rewind->rows = rows;
    if (rewind->traced == frame->seq && rewind->events == frame->events && !more)
        return;
    uint64_t missing = frame->seq - rewind->traced;
    if (more || rewind->events != frame->events || rewind->traced > frame->seq ||
        missing > HISTORY_LENGTH) {
        missing = HISTORY_LENGTH;
        meters_turn(ui, true);
        view_turn(ui->view, true);
    }
    if (missing > 1)
        host_retrace(ui->host, missing - 1, rows, recall_earlier, ui);
    rewind_recall(ui, frame, false);
    if (rewind->events != frame->events) {
        event_set_drop(rewind->events);
        rewind->events = event_set_share(frame->events);
    }
    rewind->traced = frame->seq;
    if (rows)
        ui_retell(ui);
}

/* --- Moving --- */

/* It is the time of what is counted now that is told again. */
static void come_back(struct ui *ui)
{
    const struct screen *screen = view_screen(ui->view);
    drop_trace(&ui->rewind);
    meters_turn(ui, false);
    view_turn(ui->view, false);
    if (pane_is_open(ui, &pane_details))
        ui_retell(ui);
    struct err err;
    if (screen && screen->name != ui->rewind.screen &&
        host_show_screen(ui->host, screen->name, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
}

/* Takes the frame, NULL: there is a message instead. */
static int rewind_show(struct ui *ui, struct frame *frame)
{
    const struct screen *screen = view_screen(ui->view);
    bool before = rewind_over(ui);
    if (!frame)
        return -1;
    rewind_ask(ui);
    if (!before)
        ui->rewind.screen = screen ? screen->name : NULL;
    ui_put(ui, frame);
    if (before && !rewind_over(ui))
        come_back(ui);
    return 0;
}

static int rewind_to(struct ui *ui, double time, struct err *err)
{
    return rewind_show(ui, host_seek(ui->host, time, err));
}

/* A screen that is held shows an interval of before without being moved. */
static bool is_behind(const struct ui *ui)
{
    return ui->paused && !rewind_over(ui) && ui->recent;
}

static int rewind_step(struct ui *ui, int64_t intervals, struct err *err)
{
    if (is_behind(ui) && rewind_to(ui, ui->recent->wall, err) < 0)
        return -1;
    return rewind_show(ui, host_step(ui->host, intervals, err));
}

static void step_or_say(struct ui *ui, int64_t intervals)
{
    struct err err = {""};
    if (rewind_step(ui, intervals, &err) < 0)
        ui_say(ui, ROLE_VALUE, "%s", err.text);
}

void rewind_back(struct ui *ui)
{
    step_or_say(ui, -1);
}

void rewind_forth(struct ui *ui)
{
    step_or_say(ui, 1);
}

void rewind_page_back(struct ui *ui)
{
    step_or_say(ui, -PAGE);
}

void rewind_page_forth(struct ui *ui)
{
    step_or_say(ui, PAGE);
}

void rewind_first(struct ui *ui)
{
    step_or_say(ui, -ALL);
}

void rewind_last(struct ui *ui)
{
    step_or_say(ui, ALL);
    if (!ui->rewind.moment.replay)
        ui->paused = false;
}

void rewind_again(struct ui *ui)
{
    struct err err = {""};
    if (rewind_shown(ui) && rewind_to(ui, ui->rewind.moment.time, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
}

void rewind_end(struct ui *ui)
{
    bool before = rewind_shown(ui);
    if (!before)
        return;
    host_go_live(ui->host);
    rewind_ask(ui);
    come_back(ui);
}

/* --- To a time --- */

static void say_span(struct ui *ui, const char *text)
{
    const struct front_moment *moment = &ui->rewind.moment;
    char first[TIME_SPEC_SIZE], last[TIME_SPEC_SIZE];
    (void)text;
    time_spec_write(first, moment->first, clock_wall());
    time_spec_write(last, moment->last, clock_wall());
    ui_say(ui, ROLE_VALUE, "kept: #1 to #%llu, %s to %s", (unsigned long long)moment->count, first,
           last);
}

static int seek_typed(struct ui *ui, const char *text, struct err *err)
{
    struct time_spec when;
    if (!*text)
        return 0;
    rewind_ask(ui);
    struct front_moment moment = ui->rewind.moment;
    if (is_behind(ui))
        moment.time = ui->recent->wall;
    if (time_spec_read(text, &moment, &when, err) < 0)
        return -1;
    if (when.number == 0)
        return rewind_to(ui, when.time, err);
    if (when.number == moment.at && !is_behind(ui))
        return 0;
    return rewind_show(ui, host_step(ui->host, (int64_t)when.number - (int64_t)moment.at, err));
}

static const struct dialog seeking = {
    .label = "Go to",
    .hint = "14:03, 14:03:07, -5m, or an interval's number: #120",
    .enter = "show it",
    .change = say_span,
    .enter_text = seek_typed,
};

void rewind_seek(struct ui *ui)
{
    rewind_ask(ui);
    if (ui->rewind.moment.count == 0) {
        rewind_back(ui); /* which says why not */
        return;
    }
    dialog_open(ui, &seeking, NULL);
    say_span(ui, "");
}

/* --- Playing --- */

static void rewind_play(struct ui *ui, double speed)
{
    struct err err;
    if (host_play(ui->host, speed, &err) < 0)
        ui_say(ui, ROLE_VALUE, "%s", err.text);
    rewind_ask(ui);
}

/* At the end time passes no longer, whatever the speed was. */
static bool is_playing(const struct front_moment *moment)
{
    return moment->replay && moment->speed > 0 && moment->at < moment->count;
}

bool rewind_pause(struct ui *ui)
{
    const struct front_moment *moment = &ui->rewind.moment;
    if (moment->replay)
        rewind_play(ui, is_playing(moment) ? 0 : ui->rewind.speed);
    else if (moment->past)
        rewind_last(ui);
    else
        return false;
    return true;
}

void rewind_speed(struct ui *ui)
{
    static const double speeds[] = {1, 2, 10, 60, 0.5};
    enum { COUNT = sizeof(speeds) / sizeof(speeds[0]) };
    size_t i = 0;
    while (i < COUNT && speeds[i] != ui->rewind.speed)
        i++;
    if (is_playing(&ui->rewind.moment))
        ui->rewind.speed = speeds[(i + 1) % COUNT];
    rewind_play(ui, ui->rewind.speed);
}

/* --- On the screen --- */

const char *rewind_label(const struct ui *ui, const struct command *command)
{
    static const struct {
        void (*run)(struct ui *ui);
        const char *rewind, *replay; /* labels */
    } labels[] = {
        {rewind_back, "back", "back"},    {rewind_forth, "on", "on"}, {rewind_last, "now", NULL},
        {rewind_seek, NULL, "to a time"}, {dialog_event, NULL, NULL}, /* which need what is counted
                                                                       now */
        {dialog_attach, NULL, "attach"},  {kill_open, NULL, NULL},
    };
    const struct front_moment *moment = &ui->rewind.moment;
    if (!rewind_over(ui))
        return command->label;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (command->run == labels[i].run)
            return moment->replay ? labels[i].replay : labels[i].rewind;
    if (strcmp(command->name, "pause") == 0)
        return is_playing(moment) ? "stop" : NULL;
    if (command->run == rewind_speed && moment->replay)
        return is_playing(moment) ? "faster" : "play";
    return command->label;
}

static void add_notice(struct line *line, int rank, const char *text, const char *brief)
{
    struct piece *piece = line_add(line, rank, "", "%s", text);
    snprintf(piece->brief, sizeof(piece->brief), "%s", brief);
    piece->role = ROLE_NOTICE;
    piece->right = true;
}

static void mark_replay(const struct front_moment *moment, struct line *line)
{
    char text[TIME_SPEC_SIZE + 2], clock[TIME_SPEC_SIZE], brief[64];
    const char *slash = strrchr(moment->name, '/'), *name = slash ? slash + 1 : moment->name;
    struct piece *piece = line_add(line, 98, "replay", "%s", name);
    piece->label_role = ROLE_NOTICE;
    piece->right = true;
    snprintf(text, sizeof(text), "%llu of %llu", (unsigned long long)moment->at,
             (unsigned long long)moment->count);
    snprintf(brief, sizeof(brief), "%llu/%llu", (unsigned long long)moment->at,
             (unsigned long long)moment->count);
    piece = line_add(line, 102, "interval", "%s", text);
    snprintf(piece->brief, sizeof(piece->brief), "%s", brief);
    piece->right = true;
    time_spec_write(clock, moment->time, clock_wall());
    time_spec_write(brief, moment->time, moment->time);
    add_notice(line, 101, clock, brief);
    if (is_playing(moment))
        snprintf(text, sizeof(text), "x%g", moment->speed);
    else
        snprintf(text, sizeof(text), "%s", moment->at == moment->count ? "end" : "stopped");
    line_add(line, 100, "", "%s", text)->right = true;
}

/* "12 s", "0.5 s", "12m34s" */
static void write_span(char text[FORMAT_SIZE], double seconds)
{
    if (seconds < 60)
        snprintf(text, FORMAT_SIZE, "%g s", round(seconds * 10) / 10);
    else
        format_duration(text, seconds, 8);
}

void rewind_mark(const struct ui *ui, struct line *line)
{
    const struct front_moment *moment = &ui->rewind.moment;
    char clock[TIME_SPEC_SIZE], ago[FORMAT_SIZE], text[128];
    if (moment->replay)
        mark_replay(moment, line);
    if (!rewind_shown(ui))
        return;
    time_spec_write(clock, moment->time, clock_wall());
    write_span(ago, moment->last - moment->time);
    snprintf(text, sizeof(text), " PAST %s -%s ", clock, ago);
    add_notice(line, 102, text, "");
}
