#include "front/tui/ui.h"
#include "base/mem.h"
#include "front/cells.h"
#include "front/tui/command.h"
#include "front/tui/details.h"
#include "front/tui/dialog.h"
#include "front/tui/header.h"
#include "front/tui/line.h"
#include "front/tui/menu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTICE_LINES = 3, MESSAGE_LINES = 3 };

void ui_init(struct ui *ui, struct view *view, const struct front_host *host)
{
    *ui = (struct ui){.view = view, .host = host};
    keymap_init(&ui->keymap, commands);
    table_init(&ui->table);
    prompt_init(&ui->prompt);
    page_init(&ui->page);
}

void ui_release(struct ui *ui)
{
    menu_close(ui);
    view_set_frame(ui->view, NULL);
    frame_free(ui->recent);
    frame_free(ui->total);
    keymap_release(&ui->keymap);
    table_release(&ui->table);
    prompt_release(&ui->prompt);
    page_release(&ui->page);
    free(ui->filter_before);
    free(ui->searched);
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
}

/* Writes the page on show anew, where it was scrolled to. */
static void refill_page(struct ui *ui)
{
    size_t top = ui->page.top, cursor = ui->page.cursor;
    page_clear(&ui->page, ui->page.choosing);
    ui->fill(ui);
    ui->page.top = top;
    ui->page.cursor = cursor < ui->page.count ? cursor : 0;
}

/* Gives the view the frame that is to be on show; the totals where they, or the details, need them.
 * What was on show before is freed. */
static void show_frames(struct ui *ui, struct frame *recent)
{
    bool totals = view_settings(ui->view)->amount == AMOUNT_TOTAL;
    struct frame *total = totals || ui->details ? ui->host->total(ui->host->ctx) : NULL;
    if (total && total->events != recent->events) {
        frame_free(total); /* counting began anew */
        total = NULL;
    }
    if (total) {
        view_set_frame(ui->view, total);
        if (ui->details)
            view_record_total(ui->view);
    }
    if (total && !totals)
        view_set_frame(ui->view, recent);
    if (recent != ui->recent)
        frame_free(ui->recent);
    frame_free(ui->total);
    ui->recent = recent;
    ui->total = total;
    ui->frame = total && totals ? total : recent;
    table_follow(&ui->table, ui->view);
}

/* A screen that is held still goes on to learn. */
static void learn(struct ui *ui, struct frame *frame)
{
    if (frame->events == ui->frame->events) {
        view_set_frame(ui->view, frame);
        view_record(ui->view, true);
        view_set_frame(ui->view, ui->frame);
    }
    frame_free(frame);
}

void ui_take(struct ui *ui, const struct session *session, struct frame *frame)
{
    ui->session = session;
    ui->paused &= !session->over; /* no other will come */
    if (ui->paused && !ui->step && ui->frame) {
        learn(ui, frame);
        return;
    }
    ui->step = false;
    size_t columns = view_columns(ui->view);
    view_set_frame(ui->view, frame);
    if (!session->over) /* else it is of the whole time */
        view_record(ui->view, false);
    if (ui->added && view_columns(ui->view) != columns) {
        ui->table.reveal = true;
        ui->added = false;
    }
    show_frames(ui, frame);
    if (ui->fill)
        refill_page(ui);
}

void ui_follow(struct ui *ui, size_t row)
{
    view_follow(ui->view, row);
    view_set_frame(ui->view, ui->recent);
    view_tell(ui->view);
    show_frames(ui, ui->recent);
}

void ui_show(struct ui *ui)
{
    view_apply(ui->view);
    if (!ui->recent)
        return;
    view_set_frame(ui->view, ui->recent);
    show_frames(ui, ui->recent);
}

void ui_apply(struct ui *ui)
{
    view_apply(ui->view);
    table_follow(&ui->table, ui->view);
}

static void page_take(struct ui *ui, int key)
{
    enum page_outcome outcome = page_key(&ui->page, key);
    if (outcome == PAGE_STAYS)
        return;
    ui->fill = NULL;
    if (outcome == PAGE_CHOSEN && ui->choose)
        ui->choose(ui, ui->page.cursor);
}

void ui_key(struct ui *ui, int key)
{
    ui->message.text[0] = '\0';
    if (ui->dialog) {
        dialog_key(ui, key);
    } else if (ui->menu) {
        menu_key(ui, key);
    } else if (ui->details) {
        details_key(ui, key);
    } else if (ui->fill) {
        page_take(ui, key);
    } else {
        const struct command *command = keymap_find(&ui->keymap, key);
        if (command)
            command->run(ui);
    }
}

/* --- Drawing --- */

/* Text broken into lines; where it does not fit its last three cells are dots. */
static void draw_lines(struct ui *ui, const struct band *band, int width, enum role role,
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

static void draw_prompt(struct ui *ui, const struct band *band, int width)
{
    if (band->height == 0)
        return;
    int x = term_put(ui->term, band->y, 0, width / 2, ROLE_LABEL, ui->dialog->label);
    x += term_put(ui->term, band->y, x, width - x, ROLE_LABEL, ": ");
    size_t first;
    int cursor = prompt_visible(&ui->prompt, width - x, &first);
    if (ui->prompt.text.length > 0)
        term_put(ui->term, band->y, x, width - x, ROLE_PROMPT, ui->prompt.text.text + first);
    else
        term_put(ui->term, band->y, x + 1, width - x - 1, ROLE_DIM, ui->dialog->hint);
    term_cursor(ui->term, band->y, x + cursor);
}

static void add_key(struct line *line, int rank, const char *key, const char *label)
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
    if (ui->dialog) {
        add_key(&line, 1, "Enter", ui->dialog->enter);
        if (ui->dialog->candidate)
            add_key(&line, 0, "Tab", "complete");
        add_key(&line, 2, "Esc", "cancel");
    } else if (ui->menu) {
        add_key(&line, 3, "Enter", "add or remove");
        add_key(&line, 1, "Up Down PgUp PgDn", "move");
        add_key(&line, 2, "Esc", "back");
    } else if (ui->details) {
        if (ui->details_lines > ui->details_height)
            add_key(&line, 1, "Up Down PgUp PgDn", "scroll");
        add_key(&line, 3, "Esc", "back");
    } else if (ui->fill) {
        if (ui->page.choosing)
            add_key(&line, 2, "Enter", "choose");
        if (ui->page.choosing || ui->page.total > ui->page.height)
            add_key(&line, 1, "Up Down PgUp PgDn", ui->page.choosing ? "move" : "scroll");
        add_key(&line, 3, "Esc", ui->page.choosing ? "cancel" : "close");
    } else {
        for (const struct command *command = commands; command->name; command++) {
            char key[16];
            keymap_keys(&ui->keymap, command, true, key, sizeof(key));
            if (command->label && key[0])
                add_key(&line, command->rank, key, command->label);
        }
    }
    line_fit(&line, width);
    line_draw(&line, ui->term, band->y, width);
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

static void draw_all(struct ui *ui, int width, int height, const char *notice)
{
    struct layout_wish wish = {
        .header = header_lines(ui, width),
        .notice = cells_lines(notice, width, NOTICE_LINES),
        .message = cells_lines(ui->message.text, width, MESSAGE_LINES),
        .prompt = ui->dialog != NULL,
    };
    struct layout layout;
    layout_make(&layout, width, height, &wish);
    if (layout.too_small) {
        term_put(ui->term, 0, 0, width, ROLE_ERROR, "terminal too small");
        return;
    }
    table_place(&ui->table, ui->view, width, layout.table.height);
    /* Pages to read cover the header too, and the catalogue. */
    bool whole = ui->menu || ui->details || (ui->fill && !ui->page.choosing);
    if (!whole) {
        header_draw(ui, &layout.header, width);
        draw_lines(ui, &layout.notice, width, ROLE_NOTICE, notice);
    }
    int y = whole ? 0 : layout.titles.y;
    struct band band = {y, layout.table.y + layout.table.height - y};
    if (ui->menu) {
        menu_draw(ui, &band, width);
    } else if (ui->details) {
        details_draw(ui, &band, width);
    } else if (ui->fill) {
        page_draw(&ui->page, ui->term, &band, width);
    } else {
        table_draw_titles(&ui->table, ui->view, ui->term, &layout.titles, width);
        table_draw(&ui->table, ui->view, ui->term, &layout.table, width, why_empty(ui));
    }
    draw_lines(ui, &layout.message, width, ui->message_role, ui->message.text);
    if (ui->dialog)
        draw_prompt(ui, &layout.prompt, width);
    draw_keys(ui, &layout.keys, width);
}

void ui_draw(struct ui *ui)
{
    term_begin(ui->term);
    draw_all(ui, term_width(ui->term), term_height(ui->term),
             ui->session ? ui->session->notice : "");
    term_end(ui->term);
}
