#include "front/tui/past.h"
#include "base/clock.h"
#include "front/tui/command.h"
#include "front/tui/details.h"
#include "front/tui/dialog.h"
#include "front/tui/kill.h"
#include "front/tui/line.h"
#include "front/tui/when.h"
#include "view/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 10 };

/* As many as there can be. */
static const int64_t ALL = INT64_MAX / 4;

void past_init(struct past *past)
{
    *past = (struct past){.speed = 1};
}

void past_release(struct past *past)
{
    event_set_drop(past->events);
}

bool past_shown(const struct ui *ui)
{
    return ui->past.moment.past && !ui->past.moment.replay;
}

bool past_over(const struct ui *ui)
{
    return ui->past.moment.past || ui->past.moment.replay;
}

static void ask(struct ui *ui)
{
    ui->host->time.tell(ui->host->time.ctx, &ui->past.moment);
    ui->past.told = true;
}

void past_take(struct ui *ui)
{
    if (!ui->past.told || past_over(ui)) /* else only keys lead away from now */
        ask(ui);
    const struct front_moment *moment = &ui->past.moment;
    if (moment->replay && moment->speed > 0 && moment->at == moment->count)
        ui_say(ui, ROLE_VALUE, "this is the end of the recording");
}

/* --- Histories --- */

static void drop_trace(struct past *past)
{
    event_set_drop(past->events);
    past->events = NULL;
    past->traced = 0;
    past->rows = false;
}

void past_stale(struct ui *ui)
{
    drop_trace(&ui->past);
}

static void recall(struct ui *ui, const struct frame *frame, bool held)
{
    meters_recall(ui, frame, held);
    if (!ui->past.rows)
        return;
    view_set_frame(ui->view, frame);
    view_recall(ui->view, held);
}

static void recall_earlier(void *to, struct frame *frame)
{
    recall(to, frame, true);
}

/* Forwards what is between is added; for another time they begin anew. */
void past_catch_up(struct ui *ui)
{
    struct past *past = &ui->past;
    const struct frame *frame = ui->recent;
    bool rows = pane_is_open(ui, &pane_details);
    if (!frame || !past_over(ui))
        return;
    bool more = rows && !past->rows; /* than they have */
    past->rows = rows;
    if (past->traced == frame->seq && past->events == frame->events && !more)
        return;
    uint64_t missing = frame->seq - past->traced;
    if (more || past->events != frame->events || past->traced > frame->seq ||
        missing > HISTORY_LENGTH) {
        missing = HISTORY_LENGTH;
        meters_turn(ui, true);
        view_turn(ui->view, true);
    }
    if (missing > 1)
        ui->host->time.retrace(ui->host->time.ctx, missing - 1, rows, recall_earlier, ui);
    recall(ui, frame, false);
    if (past->events != frame->events) {
        event_set_drop(past->events);
        past->events = event_set_share(frame->events);
    }
    past->traced = frame->seq;
    if (rows)
        ui_retell(ui);
}

/* --- Moving --- */

/* It is the time of what is counted now that is told again. */
static void come_back(struct ui *ui)
{
    const struct screen *screen = view_screen(ui->view);
    drop_trace(&ui->past);
    meters_turn(ui, false);
    view_turn(ui->view, false);
    if (pane_is_open(ui, &pane_details))
        ui_retell(ui);
    struct err err;
    if (screen && screen->name != ui->past.screen &&
        ui->host->screens.show(ui->host->screens.ctx, screen->name, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
}

/* Takes the frame, NULL: there is a message instead. */
static int show(struct ui *ui, struct frame *frame)
{
    const struct screen *screen = view_screen(ui->view);
    bool before = past_over(ui);
    if (!frame)
        return -1;
    ask(ui);
    if (!before)
        ui->past.screen = screen ? screen->name : NULL;
    ui_put(ui, frame);
    if (before && !past_over(ui))
        come_back(ui);
    return 0;
}

static int seek(struct ui *ui, double time, struct err *err)
{
    return show(ui, ui->host->time.seek(ui->host->time.ctx, time, err));
}

/* A screen that is held shows an interval of before without being moved. */
static bool is_behind(const struct ui *ui)
{
    return ui->paused && !past_over(ui) && ui->recent;
}

static int step(struct ui *ui, int64_t intervals, struct err *err)
{
    if (is_behind(ui) && seek(ui, ui->recent->wall, err) < 0)
        return -1;
    return show(ui, ui->host->time.step(ui->host->time.ctx, intervals, err));
}

static void step_or_say(struct ui *ui, int64_t intervals)
{
    struct err err = {""};
    if (step(ui, intervals, &err) < 0)
        ui_say(ui, ROLE_VALUE, "%s", err.text);
}

void past_back(struct ui *ui)
{
    step_or_say(ui, -1);
}

void past_forth(struct ui *ui)
{
    step_or_say(ui, 1);
}

void past_page_back(struct ui *ui)
{
    step_or_say(ui, -PAGE);
}

void past_page_forth(struct ui *ui)
{
    step_or_say(ui, PAGE);
}

void past_first(struct ui *ui)
{
    step_or_say(ui, -ALL);
}

void past_last(struct ui *ui)
{
    step_or_say(ui, ALL);
    if (!ui->past.moment.replay)
        ui->paused = false;
}

void past_again(struct ui *ui)
{
    struct err err = {""};
    if (past_shown(ui) && seek(ui, ui->past.moment.time, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
}

void past_end(struct ui *ui)
{
    bool before = past_shown(ui);
    if (!before)
        return;
    ui->host->time.live(ui->host->time.ctx);
    ask(ui);
    come_back(ui);
}

/* --- To a time --- */

static void say_span(struct ui *ui, const char *text)
{
    const struct front_moment *moment = &ui->past.moment;
    char first[WHEN_SIZE], last[WHEN_SIZE];
    (void)text;
    when_write(first, moment->first, clock_wall());
    when_write(last, moment->last, clock_wall());
    ui_say(ui, ROLE_VALUE, "kept: #1 to #%llu, %s to %s", (unsigned long long)moment->count, first,
           last);
}

static int seek_typed(struct ui *ui, const char *text, struct err *err)
{
    struct when when;
    if (!*text)
        return 0;
    ask(ui);
    struct front_moment moment = ui->past.moment;
    if (is_behind(ui))
        moment.time = ui->recent->wall;
    if (when_read(text, &moment, &when, err) < 0)
        return -1;
    if (when.number == 0)
        return seek(ui, when.time, err);
    if (when.number == moment.at && !is_behind(ui))
        return 0;
    return show(ui, ui->host->time.step(ui->host->time.ctx,
                                        (int64_t)when.number - (int64_t)moment.at, err));
}

static const struct dialog seeking = {
    .label = "Go to",
    .hint = "14:03, 14:03:07, -5m, or an interval's number: #120",
    .enter = "show it",
    .change = say_span,
    .enter_text = seek_typed,
};

void past_seek(struct ui *ui)
{
    ask(ui);
    if (ui->past.moment.count == 0) {
        past_back(ui); /* which says why not */
        return;
    }
    dialog_open(ui, &seeking, NULL);
    say_span(ui, "");
}

/* --- Playing --- */

static void play(struct ui *ui, double speed)
{
    struct err err;
    if (ui->host->time.play(ui->host->time.ctx, speed, &err) < 0)
        ui_say(ui, ROLE_VALUE, "%s", err.text);
    ask(ui);
}

/* At the end time passes no longer, whatever the speed was. */
static bool is_playing(const struct front_moment *moment)
{
    return moment->replay && moment->speed > 0 && moment->at < moment->count;
}

bool past_pause(struct ui *ui)
{
    const struct front_moment *moment = &ui->past.moment;
    if (moment->replay)
        play(ui, is_playing(moment) ? 0 : ui->past.speed);
    else if (moment->past)
        past_last(ui);
    else
        return false;
    return true;
}

void past_speed(struct ui *ui)
{
    static const double speeds[] = {1, 2, 10, 60, 0.5};
    enum { COUNT = sizeof(speeds) / sizeof(speeds[0]) };
    size_t i = 0;
    while (i < COUNT && speeds[i] != ui->past.speed)
        i++;
    if (is_playing(&ui->past.moment))
        ui->past.speed = speeds[(i + 1) % COUNT];
    play(ui, ui->past.speed);
}

/* --- On the screen --- */

const char *past_label(const struct ui *ui, const struct command *command)
{
    static const struct {
        void (*run)(struct ui *ui);
        const char *past, *replay; /* labels */
    } labels[] = {
        {past_back, "back", "back"},     {past_forth, "on", "on"},   {past_last, "now", NULL},
        {past_seek, NULL, "to a time"},  {dialog_event, NULL, NULL}, /* which need what is counted
                                                                        now */
        {dialog_attach, NULL, "attach"}, {kill_open, NULL, NULL},
    };
    const struct front_moment *moment = &ui->past.moment;
    if (!past_over(ui))
        return command->label;
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (command->run == labels[i].run)
            return moment->replay ? labels[i].replay : labels[i].past;
    if (strcmp(command->name, "pause") == 0)
        return is_playing(moment) ? "stop" : NULL;
    if (command->run == past_speed && moment->replay)
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
    char text[WHEN_SIZE + 2], clock[WHEN_SIZE], brief[64];
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
    when_write(clock, moment->time, clock_wall());
    when_write(brief, moment->time, moment->time);
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

void past_mark(const struct ui *ui, struct line *line)
{
    const struct front_moment *moment = &ui->past.moment;
    char clock[WHEN_SIZE], ago[FORMAT_SIZE], text[128];
    if (moment->replay)
        mark_replay(moment, line);
    if (!past_shown(ui))
        return;
    when_write(clock, moment->time, clock_wall());
    write_span(ago, moment->last - moment->time);
    snprintf(text, sizeof(text), " PAST %s -%s ", clock, ago);
    add_notice(line, 102, text, "");
}
