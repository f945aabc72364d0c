#include "front/tui/ui.h"
#include "base/cells.h"
#include "base/clock.h"
#include "base/mem.h"
#include "front/tui/command.h"
#include "front/tui/details.h"
#include "front/tui/header.h"
#include "front/tui/line.h"
#include "front/tui/rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTICE_LINES = 3, MESSAGE_LINES = 3 };

void ui_init(struct ui *ui, struct view *view, struct host *host)
{
    *ui = (struct ui){.view = view, .host = host};
    keymap_init(&ui->keymap);
    pane_open(ui, &pane_table);
    table_init(&ui->table);
    amount_init(ui);
    meters_init(&ui->meters);
    rewind_init(&ui->rewind);
    errors_init(&ui->errors);
    prompt_init(&ui->prompt);
    page_init(&ui->page);
    page_init(&ui->help);
}

void ui_release(struct ui *ui)
{
    while (ui->depth > 1)
        pane_close(ui);
    view_set_frame(ui->view, NULL);
    frame_free(ui->recent);
    frame_free(ui->total);
    keymap_release(&ui->keymap);
    table_release(&ui->table);
    meters_release(&ui->meters);
    rewind_release(&ui->rewind);
    errors_release(&ui->errors);
    prompt_release(&ui->prompt);
    page_release(&ui->page);
    page_release(&ui->help);
    free(ui->filter_before);
    free(ui->searched);
    free(ui->theme);
    setup_events_release(&ui->setup_events);
}

void ui_say(struct ui *ui, enum role role, const char *format, ...)
{
    char text[sizeof(ui->message.text)];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    err_set(&ui->message, "%s", text);
    ui->message_role = role;
    if (role == ROLE_ERROR)
        errors_say(&ui->errors, ui->message.text, clock_wall());
}

/* Gives the view the frame that is to be on show; the totals where they, or the details, need them.
 * What was on show before is freed. */
static void show_frames(struct ui *ui, struct frame *recent)
{
    bool totals = amount_is_whole(ui);
    bool details = pane_is_open(ui, &pane_details);
    struct frame *total = totals || details ? host_total(ui->host) : NULL;
    if (total && total->events != recent->events) {
        frame_free(total); /* counting began anew */
        total = NULL;
    }
    struct frame *shown = total && totals ? total : recent;
    if (shown != recent || ui->frame != ui->recent)
        view_set_frame(ui->view, shown);
    if (total && details)
        view_record_total(ui->view, total);
    if (recent != ui->recent)
        frame_free(ui->recent);
    frame_free(ui->total);
    ui->recent = recent;
    ui->total = total;
    ui->frame = shown;
    table_follow(&ui->table, ui->view);
}

/* The same, with the panes that tell of it. */
static void show_anew(struct ui *ui, struct frame *recent)
{
    show_frames(ui, recent);
    for (size_t i = 0; i < ui->depth; i++)
        if (ui->panes[i]->refresh)
            ui->panes[i]->refresh(ui);
}

/* A screen that is held still goes on to learn. */
static void ui_learn(struct ui *ui, struct frame *frame)
{
    bool groups = view_settings(ui->view)->kind == VIEW_CGROUPS;
    /* In the past those of now cannot be asked for their cgroups. */
    if (frame->events == ui->frame->events && !(groups && rewind_shown(ui)))
        view_record(ui->view, frame, true);
    meters_learn(ui, frame, true);
    frame_free(frame);
}

/* When the interval ended, as clock_boot() tells time. */
static uint64_t end_of(const struct frame *frame)
{
    double age = clock_wall() - frame->wall;
    uint64_t now = clock_boot(), passed = age > 0 ? (uint64_t)(age * 1e9) : 0;
    return passed < now ? now - passed : 0;
}

void ui_take(struct ui *ui, const struct session *session, struct frame *frame)
{
    ui->session = session;
    rewind_take(ui);
    if (session->end)
        rewind_end(ui);
    errors_take(&ui->errors, session, frame);
    ui->paused &= !session->end; /* no other will come */
    if (((ui->paused && !ui->step) || rewind_shown(ui)) && ui->frame) {
        ui_learn(ui, frame);
        return;
    }
    ui->step = false;
    ui->seen = end_of(frame);
    amount_choose(ui);
    size_t columns = view_columns(ui->view);
    view_set_frame(ui->view, frame);
    if (!rewind_over(ui)) { /* else rewind_catch_up() does */
        view_record(ui->view, frame, false);
        meters_learn(ui, frame, false);
    }
    if (ui->added && view_columns(ui->view) != columns) {
        ui->table.reveal = true;
        ui->added = false;
    }
    show_anew(ui, frame);
}

void ui_put(struct ui *ui, struct frame *frame)
{
    ui->seen = end_of(frame);
    amount_choose(ui);
    view_set_frame(ui->view, frame);
    show_anew(ui, frame);
}

void ui_retell(struct ui *ui)
{
    view_tell(ui->view, ui->recent);
    show_frames(ui, ui->recent);
}

void ui_follow(struct ui *ui, size_t row)
{
    view_follow(ui->view, row);
    ui_retell(ui);
}

void ui_show(struct ui *ui)
{
    if (ui->recent)
        view_set_frame(ui->view, NULL); /* lest rows are sorted that nobody sees */
    view_apply(ui->view);
    rewind_stale(ui);
    if (!ui->recent)
        return;
    view_set_frame(ui->view, ui->recent);
    show_frames(ui, ui->recent);
}

void ui_apply(struct ui *ui)
{
    view_apply(ui->view);
    rewind_stale(ui);
    table_follow(&ui->table, ui->view);
}

void ui_show_idle(struct ui *ui)
{
    host_set_idle(ui->host, view_needs_idle(view_settings(ui->view)));
    ui_apply(ui);
    rewind_again(ui);
    if (!ui->paused) /* the tasks that did not run come with the next frame only */
        host_refresh(ui->host);
}

void ui_new_screen(struct ui *ui)
{
    const struct screen *screen = view_screen(ui->view);
    ui->table.left = ui->table.shift = 0;
    ui_apply(ui);
    if (screen)
        ui_say(ui, ROLE_VALUE, "screen '%s'%s%s", screen->name, screen->description ? ": " : "",
               screen->description ? screen->description : "");
}

/* The task that is followed stays on show when it ends. */
static void keep_followed(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    bool follows = ui->table.following && settings->kind == VIEW_TASKS;
    uint64_t kept = follows ? ui->table.id : 0;
    if (settings->kept == kept)
        return;
    settings->kept = kept;
    ui_apply(ui);
}

static void answer_key(struct ui *ui, int key)
{
    const struct pane *pane = pane_now(ui);
    if (term_pasted(ui->term) && !pane->types)
        return; /* text is for prompts; elsewhere it would be commands */
    ui->key = key;
    bool text = pane->types && key_is_text(key);
    const struct command *command = text ? NULL : keymap_find(&ui->keymap, pane, key);
    ui->message.text[0] = '\0';
    if (!command || command->run != rows_jump)
        ui->digit_at = 0; /* another number begins */
    if (key == K_MOUSE) {
        struct mouse mouse = term_mouse(ui->term);
        mouse_press(ui, &mouse);
        return;
    }
    if (command)
        command->run(ui);
    else if (pane->key)
        pane->key(ui, key);
}

void ui_key(struct ui *ui, int key)
{
    answer_key(ui, key);
    keep_followed(ui);
}

/* --- Drawing --- */

/* Text broken into lines; where it does not fit its last three cells are dots. */
static void ui_draw_lines(struct ui *ui, const struct band *band, int width, enum role role,
                          const char *text)
{
    static const char dots[] = "...";
    enum { DOTS = sizeof(dots) - 1 };
    for (int i = 0; i < band->height; i++) {
        text += strspn(text, " ");
        bool cut = i + 1 == band->height && cells_width(text) > width;
        size_t length = cut ? cells_fit(text, width - DOTS, NULL) : cells_line(text, width);
        char *part = mem_strndup(text, length);
        term_field(ui->term, band->y + i, 0, width, role, part);
        if (cut)
            term_put(ui->term, band->y + i, cells_width(part), DOTS, role, dots);
        free(part);
        text += length;
    }
}

static void ui_add_key(struct line *line, int rank, const char *key, const char *label)
{
    struct piece *piece = line_add(line, rank, key, "%s", label);
    piece->label_role = ROLE_KEY;
    piece->role = ROLE_KEY_LABEL;
}

static void draw_keys(struct ui *ui, const struct band *band, int width)
{
    if (band->height == 0)
        return;
    struct line line;
    line_init(&line);
    const struct pane *pane = pane_now(ui);
    const struct command *command;
    struct key_spot *spots = ui->pointer.spots;
    for (size_t i = 0; (command = keymap_command(pane, i)) && line.count < LINE_PIECES; i++) {
        const char *label = pane->label ? pane->label(ui, command) : command->label;
        char key[16];
        if (!label)
            continue;
        keymap_keys(&ui->keymap, pane, command, true, key, sizeof(key));
        if (!key[0])
            continue;
        spots[line.count].command = command;
        ui_add_key(&line, command->rank, key, label);
    }
    line_fit(&line, width);
    line_draw(&line, ui->term, band->y, width);
    ui->pointer.spot_count = line.count;
    for (size_t i = 0; i < line.count; i++)
        line_place(&line, i, &spots[i].x, &spots[i].width);
}

/* What stands where the rows would be. */
static const char *why_empty(const struct ui *ui)
{
    const struct view_settings *settings = view_settings(ui->view);
    if (!ui->frame)
        return "counting...";
    if (settings->kind == VIEW_CPUS && !ui->frame->has_cpus)
        return "CPUs are not known to the engine 'task'; start with --engine cpu";
    if (settings->filter)
        return "no row contains the text of the filter";
    if (!watch_all(&settings->watch))
        return "none of those watched ran in this interval; i shows all";
    return "nothing ran in this interval";
}

void ui_draw_table(struct ui *ui, const struct band *band, int width)
{
    table_draw(&ui->table, ui->view, ui->term, band, width, why_empty(ui));
}

/* The uppermost pane that is more than a line. */
static const struct pane *main_pane(const struct ui *ui)
{
    size_t at = ui->depth - 1;
    while (at > 0 && ui->panes[at]->cover == COVER_LINE)
        at--;
    return ui->panes[at];
}

static void draw_all(struct ui *ui, int width, int height, const char *notice)
{
    const struct pane *pane = main_pane(ui), *now = pane_now(ui);
    struct layout_wish wish = {
        .header = header_lines(ui, width),
        .meters = meters_lines(ui, width, height),
        .notice = cells_lines(notice, width, NOTICE_LINES),
        .message = cells_lines(ui->message.text, width, MESSAGE_LINES),
        .prompt = now->cover == COVER_LINE,
    };
    struct layout layout;
    layout_make(&layout, width, height, &wish);
    ui->pointer.pane = NULL;
    if (layout.too_small) {
        term_put(ui->term, 0, 0, width, ROLE_ERROR, "terminal too small");
        return;
    }
    table_place(&ui->table, ui->view, width, layout.table.height);
    struct band band = layout.table;
    if (pane->cover == COVER_ALL) {
        band.height += band.y;
        band.y = 0;
    } else {
        header_draw(ui, &layout);
        ui_draw_lines(ui, &layout.notice, width, ROLE_NOTICE, notice);
    }
    if (pane == &pane_table) {
        table_draw_titles(&ui->table, ui->view, ui->term, &layout.titles, width);
    } else if (pane->cover == COVER_TABLE) {
        band.height += band.y - layout.titles.y;
        band.y = layout.titles.y;
    }
    ui->pointer.titles = pane == &pane_table ? layout.titles : (struct band){0};
    ui->pointer.pane = now;
    ui->pointer.main = band;
    ui->pointer.keys = layout.keys;
    pane->draw(ui, &band, width);
    ui_draw_lines(ui, &layout.message, width, ui->message_role, ui->message.text);
    if (now->cover == COVER_LINE)
        now->draw(ui, &layout.prompt, width);
    draw_keys(ui, &layout.keys, width);
}

void ui_draw(struct ui *ui)
{
    rewind_catch_up(ui);
    term_begin(ui->term);
    char *notice = amount_notice(ui);
    draw_all(ui, term_width(ui->term), term_height(ui->term), notice);
    free(notice);
    term_end(ui->term);
}
