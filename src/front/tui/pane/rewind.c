#include "front/tui/pane/panes.h"

struct rewind {
    bool placed;              /* ui->moment is set */
    bool opened;              /* a frame was shown */
    double speed;             /* playback speed of a recording */
    const char *screen;       /* screen when live display ended; only compared */
    uint64_t traced;          /* last frame in the histories; 0: none */
    size_t rows;              /* intervals in the histories of rows, for details and strips */
    struct event_set *events; /* the events of that frame */

    /* Two values of each interval that is kept, as far as they are read. */
    struct kept_values {
        /* Of the header's graph, NULL: busy; of the column sorted by; and of whose rows, NULL: the
         * machine's. */
        char *names[3];
        uint64_t first; /* its frame's number */
        float (*values)[2];
        size_t count, room;
        uint64_t deadline; /* clock_monotonic() */
    } map;
};

static void rewind_end(void *own)
{
    struct rewind *rewind = own;
    event_set_drop(rewind->events);
    for (int i = 0; i < 3; i++)
        free(rewind->map.names[i]);
    free(rewind->map.values);
}

static const struct rewind initial = {.speed = 1};
static UI_OWN(struct rewind, rewind_of, .initial = &initial, .end = rewind_end);

static void rewind_ask(struct ui *ui)
{
    host_moment(ui->host, &ui->moment);
    if (!rewind_of(ui)->placed && ui->moment.speed > 0)
        rewind_of(ui)->speed = ui->moment.speed;
    rewind_of(ui)->placed = true;
}

/* --- Histories --- */

static void drop_trace(struct rewind *rewind)
{
    event_set_drop(rewind->events);
    rewind->events = NULL;
    rewind->traced = 0;
    rewind->rows = 0;
}

static void recall_meters(void *to, struct frame *frame)
{
    meters_learn(to, frame, true, true);
}

static void recall_rows(void *to, struct frame *frame)
{
    view_recall(((struct ui *)to)->view, frame, true);
}

/* --- All that is kept --- */

static bool map_take(void *to, struct frame *frame)
{
    struct kept_values *map = &rewind_of(to)->map;
    mem_grow(&map->values, &map->room, map->count + 1, sizeof(*map->values));
    for (int i = 0; i < 2; i++) {
        bool scaled, rows = i > 0 && map->names[2];
        map->values[map->count][i] =
            (float)(rows ? view_rows_total(((struct ui *)to)->view, frame)
                         : meters_value(to, frame, map->names[i], &scaled));
    }
    map->count++;
    return clock_monotonic() < map->deadline;
}

/* Reads intervals into the map for at most that long. */
static void map_read(struct ui *ui, uint64_t ns)
{
    struct kept_values *map = &rewind_of(ui)->map;
    const struct front_moment *moment = &ui->moment;
    if (ui_is_live(ui) || !ui->recent || moment->at == 0)
        return;
    const struct metric *metric = meters_bars_metric(ui, ui->recent);
    const struct view_settings *settings = view_settings(ui->view);
    AUTO_FREE char *rows = settings->filter ? mem_printf("%d %d %s", settings->kind,
                                                         settings->threads, settings->filter)
                                            : NULL;
    const char *names[] = {metric ? metric->name : NULL,
                           view_column(ui->view, view_sort_column(ui->view))->name, rows};
    uint64_t first = ui->recent->seq - (moment->at - 1), gone = first - map->first;
    if (first < map->first || gone > map->count)
        gone = map->count;
    for (int i = 0; i < 3; i++)
        if (!str_equal(names[i], map->names[i])) {
            free(map->names[i]);
            map->names[i] = mem_strdup(names[i]);
            gone = map->count;
        }
    map->first = first;
    map->count -= gone;
    if (map->count > 0)
        memmove(map->values, map->values + gone, map->count * sizeof(*map->values));
    map->deadline = clock_monotonic() + ns;
    if (map->count < moment->count)
        host_survey(ui->host, map->count + 1, rows != NULL, map_take, ui);
    if (map->count < moment->count && moment->replay && moment->speed == 0)
        host_refresh(ui->host); /* the next drawing reads more */
}

size_t rewind_series(const struct ui *ui, size_t columns, struct series *series)
{
    const struct kept_values *map = &rewind_of(ui)->map;
    size_t all = ui->moment.count, count = columns < HISTORY_LENGTH ? columns : HISTORY_LENGTH;
    if (ui_is_live(ui) || ui->moment.at == 0)
        return 0;
    *series = (struct series){.count = count};
    for (size_t i = 0; i < count; i++) {
        size_t from = i * all / count, next = (i + 1) * all / count;
        series->values[i] = NAN;
        for (size_t at = from; at < (next > from ? next : from + 1) && at < map->count; at++)
            series->values[i] = fmaxf(series->values[i], map->values[at][0]);
    }
    return count - (2 * (size_t)ui->moment.at - 1) * count / (2 * all);
}

/* Moving forward appends the intervals between; a seek rebuilds the histories. */
void rewind_catch_up(struct ui *ui)
{
    struct rewind *rewind = rewind_of(ui);
    const struct frame *frame = ui->recent;
    size_t most = 2 * meters_of(ui)->window; /* that a curve shows */
    most = most < HISTORY_LENGTH ? most : HISTORY_LENGTH;
    size_t rows = pane_need(ui) != NEED_NOTHING ? most : ui->table.strip.count;
    if (ui->stale)
        drop_trace(rewind);
    ui->stale = false;
    if (!frame || ui_is_live(ui))
        return;
    map_read(ui, TRIALS_NS);
    bool more = rows > rewind->rows; /* than the histories have */
    if (rewind->traced == frame->seq && rewind->events == frame->events && !more)
        return;
    uint64_t missing = frame->seq - rewind->traced;
    if (more || rewind->events != frame->events || rewind->traced > frame->seq ||
        missing > HISTORY_LENGTH) {
        missing = HISTORY_LENGTH;
        meters_turn(ui, true);
        view_turn(ui->view, true);
    }
    rewind->rows = rows;
    if (missing > 1)
        host_retrace(ui->host, missing - 1, false, recall_meters, ui);
    meters_learn(ui, frame, true, false);
    bool tasks = !view_of_cpus(view_settings(ui->view)->kind);
    size_t earlier = missing < rows ? missing : rows;
    if (earlier > 1)
        host_retrace(ui->host, earlier - 1, tasks, recall_rows, ui);
    if (rows > 0)
        view_recall(ui->view, frame, false);
    if (rewind->events != frame->events) {
        event_set_drop(rewind->events);
        rewind->events = mem_share(frame->events);
    }
    rewind->traced = frame->seq;
    if (pane_need(ui) != NEED_NOTHING)
        frames_retell(ui);
}

/* --- Moving --- */

/* Switches the histories back to the present. */
static void come_back(struct ui *ui)
{
    const struct screen *screen = view_screen(ui->view);
    drop_trace(rewind_of(ui));
    meters_turn(ui, false);
    view_turn(ui->view, false);
    if (pane_need(ui) != NEED_NOTHING)
        frames_retell(ui);
    if (screen && screen->name != rewind_of(ui)->screen)
        ui_done(ui, host_show_screen(ui->host, screen->name, &ui->failure));
}

void rewind_take(struct ui *ui)
{
    const struct front_moment *moment = &ui->moment;
    if (!rewind_of(ui)->placed || !ui_is_live(ui)) /* a live screen changes only by keys */
        rewind_ask(ui);
    if (moment->replay && moment->speed > 0 && moment->at == moment->count)
        ui_say(ui, ROLE_VALUE, "this is the end of the recording");
    if (!ui->session->end || !ui_looks_back(ui))
        return;
    host_go_live(ui->host);
    rewind_ask(ui);
    come_back(ui);
}

/* Takes ownership of the frame; NULL: err has a message instead. */
static int rewind_show(struct ui *ui, struct frame *frame)
{
    const struct screen *screen = view_screen(ui->view);
    bool live = ui_is_live(ui);
    if (!frame)
        return -1;
    rewind_ask(ui);
    if (live)
        rewind_of(ui)->screen = screen ? screen->name : NULL;
    frames_put(ui, frame, false);
    if (!live && ui_is_live(ui))
        come_back(ui);
    return 0;
}

static int rewind_to(struct ui *ui, double time, struct err *err)
{
    return rewind_show(ui, host_seek(ui->host, time, err));
}

/* Whether a paused screen shows an earlier interval than the newest without a seek. */
static bool is_behind(const struct ui *ui)
{
    return ui->paused && ui_is_live(ui) && ui->recent;
}

static void rewind_step(struct ui *ui, int intervals)
{
    struct err err = {""};
    if ((is_behind(ui) && rewind_to(ui, ui->recent->wall, &err) < 0) ||
        rewind_show(ui, host_step(ui->host, intervals, &err)) < 0)
        ui_say(ui, ROLE_VALUE, "%s", err.text);
    if (intervals == REWIND_ALL && !ui->moment.replay)
        ui->paused = false;
}

static void rewind_play(struct ui *ui, double speed)
{
    struct err err;
    if (host_play(ui->host, speed, &err) < 0)
        ui_say(ui, ROLE_VALUE, "%s", err.text);
    rewind_ask(ui);
}

/* At the end playback stops, whatever its speed. */
static bool is_playing(const struct front_moment *moment)
{
    return moment->replay && moment->speed > 0 && moment->at < moment->count;
}

/* Who moves wants to look: playing stops. */
void rewind_walk(struct ui *ui, int intervals)
{
    if (is_playing(&ui->moment))
        rewind_play(ui, 0);
    rewind_step(ui, intervals);
}

void rewind_move(struct ui *ui)
{
    rewind_walk(ui, ui->command->how);
}

void rewind_move_cells(struct ui *ui, int cells)
{
    uint64_t width = (uint64_t)meters_of(ui)->graph.at.width;
    int each = width > 0 ? (int)(ui->moment.count / width) : 0;
    rewind_walk(ui, cells * (each > 0 ? each : 1));
}

void rewind_go_back(struct ui *ui, size_t back, size_t count)
{
    uint64_t number = (count - (back < count ? back : count)) * ui->moment.count / count + 1;
    if (number != ui->moment.at)
        rewind_walk(ui, (int)(number - ui->moment.at));
}

void rewind_peak(struct ui *ui)
{
    enum { SECONDS = 5 };
    const struct kept_values *map = &rewind_of(ui)->map;
    size_t most = 0;
    map_read(ui, SECONDS * 1000000000ull);
    for (size_t i = 1; i < map->count; i++)
        if (!(map->values[i][1] <= map->values[most][1]) && !isnan(map->values[i][1]))
            most = i;
    if (map->count == 0 || isnan(map->values[most][1])) {
        ui_say(ui, ROLE_NOTICE, "the column sorted by has no peak: choose one with numbers");
        return;
    }
    char value[FORMAT_SIZE];
    format_count(value, (double)map->values[most][1], FORMAT_SIZE - 1);
    rewind_go_back(ui, ui->moment.count - most, ui->moment.count);
    ui_say(ui, ROLE_VALUE, "the peak of %s%s, of %s%zu intervals: %s",
           view_column(ui->view, view_sort_column(ui->view))->title,
           map->names[2] ? " of the rows that the filter shows" : "",
           map->count < ui->moment.count ? "the first " : "all ", map->count,
           value + strspn(value, " "));
}

void rewind_again(struct ui *ui)
{
    if (ui_looks_back(ui))
        ui_done(ui, rewind_to(ui, ui->moment.time, &ui->failure));
}

/* --- Seeking --- */

static void say_span(struct ui *ui, const char *text UNUSED)
{
    const struct front_moment *moment = &ui->moment;
    char first[TIME_SPEC_SIZE], last[TIME_SPEC_SIZE];
    time_spec_write(first, moment->first, clock_wall());
    time_spec_write(last, moment->last, clock_wall());
    ui_say(ui, ROLE_VALUE, "kept: #1 to #%llu, %s to %s", (unsigned long long)moment->count, first,
           last);
}

static int seek_enter(struct ui *ui, const char *text, struct err *err)
{
    struct time_spec when;
    rewind_ask(ui);
    struct front_moment moment = ui->moment;
    if (is_behind(ui))
        moment.time = ui->recent->wall;
    if (time_spec_read(text, &moment, &when, err) < 0)
        return -1;
    if (is_playing(&ui->moment))
        rewind_play(ui, 0);
    if (when.number == 0) {
        char kept[FORMAT_SIZE];
        int result = rewind_to(ui, when.time, err);
        time_spec_ago(kept, moment.last - moment.first);
        if (result == 0 && when.time < floor(moment.first))
            ui_say(ui, ROLE_NOTICE, "only %s are kept: this is the first interval", kept);
        return result;
    }
    if (when.number == moment.at && !is_behind(ui))
        return 0;
    return rewind_show(ui, host_step(ui->host, (int64_t)when.number - (int64_t)moment.at, err));
}

static const struct dialog seek = {
    .label = "Go to",
    .hint = "20 s ago: from the end; 20, -20, +5m: from here; 14:03, 14:03:07, #120",
    .enter = "show it",
    .change = say_span,
    .enter_text = seek_enter,
};

void rewind_seek(struct ui *ui)
{
    rewind_ask(ui);
    if (ui->moment.count == 0) {
        rewind_step(ui, -1); /* sets the message */
        return;
    }
    dialog_open(ui, &seek, NULL);
    say_span(ui, "");
}

/* --- Alarms --- */

static void select_row(struct ui *ui, const struct session_alarm *alarm)
{
    if (alarm->pid > 0)
        rows_select(ui, (uint64_t)(view_settings(ui->view)->threads ? alarm->tid : alarm->pid));
}

void rewind_alarm(struct ui *ui)
{
    const struct session_alarm *alarm = &ui->session->alarm;
    if (!alarm->condition)
        ui_say(ui, ROLE_VALUE, "there was no alarm: --when CONDITION says what is one");
    else if (ui_done(ui, rewind_to(ui, alarm->time, &ui->failure)))
        select_row(ui, alarm);
}

void rewind_open(struct ui *ui)
{
    const struct session_alarm *alarm = &ui->session->alarm;
    if (!rewind_of(ui)->opened && ui->moment.replay && alarm->condition)
        select_row(ui, alarm);
    rewind_of(ui)->opened = true;
}

/* --- Playing --- */

bool rewind_pause(struct ui *ui)
{
    if (ui_is_live(ui))
        return false;
    if (ui->moment.replay)
        rewind_play(ui, is_playing(&ui->moment) ? 0 : rewind_of(ui)->speed);
    else
        rewind_step(ui, REWIND_ALL);
    return true;
}

void rewind_speed(struct ui *ui)
{
    static const double speeds[] = {1, 2, 10, 60, 0.5};
    enum { COUNT = sizeof(speeds) / sizeof(speeds[0]) };
    size_t i = 0;
    while (i < COUNT && speeds[i] != rewind_of(ui)->speed)
        i++;
    if (is_playing(&ui->moment))
        rewind_of(ui)->speed = speeds[(i + 1) % COUNT];
    rewind_play(ui, rewind_of(ui)->speed);
}

/* --- Drawing --- */

const char *rewind_label(const struct ui *ui, const struct key_command *command)
{
    static const struct time_label {
        const char *name, *rewind, *replay; /* labels; NULL: not in the line of keys */
    } labels[] = {
        {"time-back", "back", "back"},
        {"time-forth", "on", "on"},
        {"time-last", "now", NULL},
        {"code-hottest", "peak", "peak"},
        {"time-seek", "to a time", "to a time"},
        {"attach", NULL, "attach"},
        /* Only for live counting. */
        {"event", NULL, NULL},
        {"remove-event", NULL, NULL},
        {"kill", NULL, NULL},
    };
    const struct front_moment *moment = &ui->moment;
    const struct time_label *label = STR_FIND_IN(labels, name, command->name);
    if (ui_is_live(ui))
        return command->label;
    if (label)
        return moment->replay ? label->replay : label->rewind;
    if (strcmp(command->name, "pause") == 0)
        return is_playing(moment) ? "stop" : NULL;
    if (strcmp(command->name, "time-speed") == 0 && moment->replay)
        return is_playing(moment) ? "faster" : "play";
    return command->label;
}

static void mark_replay(const struct front_moment *moment, struct line *line)
{
    char clock[TIME_SPEC_SIZE], brief[TIME_SPEC_SIZE], state[16];
    unsigned long long at = moment->at, count = moment->count;
    const char *slash = strrchr(moment->name, '/'), *name = slash ? slash + 1 : moment->name;
    struct piece *piece = line_add_right(line, RANK_RECORDING, "replay", "%s", name);
    piece->label_role = ROLE_NOTICE;
    piece->cut = true;
    piece = line_add_right(line, RANK_PAST, "interval", "%llu of %llu", at, count);
    snprintf(piece->brief, sizeof(piece->brief), "%llu/%llu", at, count);
    time_spec_write(clock, moment->time, clock_wall());
    time_spec_write(brief, moment->time, moment->time);
    piece = line_add_right(line, RANK_PAST_CLOCK, "", "%s", clock);
    piece->role = ROLE_NOTICE;
    snprintf(piece->brief, sizeof(piece->brief), "%s", brief);
    snprintf(state, sizeof(state), at == count ? "end" : "stopped");
    if (is_playing(moment))
        snprintf(state, sizeof(state), "x%g", moment->speed);
    line_add_right(line, RANK_PAUSED, "", "%s", state);
}

void rewind_mark(const struct ui *ui, struct line *line)
{
    const struct front_moment *moment = &ui->moment;
    char clock[TIME_SPEC_SIZE], ago[FORMAT_SIZE], text[128];
    if (moment->replay)
        mark_replay(moment, line);
    if (ui->paused && ui_is_live(ui))
        line_add_right(line, RANK_PAUSED, "", " PAUSED ")->role = ROLE_NOTICE;
    if (!ui_looks_back(ui))
        return;
    time_spec_write(clock, moment->time, clock_wall());
    time_spec_ago(ago, moment->last - moment->time);
    snprintf(text, sizeof(text), " PAST %s -%s ", clock, ago);
    line_add_right(line, RANK_PAST, "", "%s", text)->role = ROLE_NOTICE;
}
