#include "front/tui/details.h"
#include "base/cells.h"
#include "base/mem.h"
#include "front/tui/command.h"
#include "front/tui/curve.h"
#include "front/tui/line.h"
#include "view/detail.h"
#include "view/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LEAST = 8, NAME_MOST = 24, RUN_WIDTH = 4, INDENT = 2, CURVE_LEAST = 8 };

/* What one screen line after another is drawn with. */
struct drawing {
    struct terminal *term;
    const struct band *band;
    int width;
    int top;    /* the first screen line on show */
    int y;      /* the next one */
    int name;   /* cells of the titles of events and metrics */
    int number; /* of a number */
    bool wide;  /* all of a measure is in one line */
};

void details_open(struct ui *ui)
{
    size_t row = table_row(&ui->table, ui->view) ? ui->table.row : 0;
    if (!ui->frame || row >= view_rows(ui->view))
        return;
    ui->details_top = 0;
    pane_open(ui, &pane_details);
    ui_follow(ui, row);
}

static size_t most_top(const struct ui *ui)
{
    return ui->details_lines > ui->details_height ? ui->details_lines - ui->details_height : 0;
}

static void scroll(struct ui *ui, enum step step)
{
    ui->details_top = pane_moved(step, ui->details_top, most_top(ui) + 1, ui->details_height);
}

/* --- Lines --- */

/* Where the next line is drawn; -1: it is scrolled off. */
static int details_next_line(struct drawing *drawing)
{
    int y = drawing->y++ - drawing->top;
    return y >= 0 && y < drawing->band->height ? drawing->band->y + y : -1;
}

/* Digits are never cut off: what does not fit is left out. */
static void put_right(const struct drawing *drawing, int y, int *x, int width, enum role role,
                      const char *text)
{
    int used = cells_width(text);
    int skip = used < width ? width - used : 0;
    if (*x + width <= drawing->width)
        term_put(drawing->term, y, *x + skip, width - skip, role, text);
    *x += width + 1;
}

static void put_labelled(const struct drawing *drawing, int y, int *x, const char *label,
                         const struct cell *cell)
{
    if (*x + cells_width(label) + 1 + cells_width(cell->text) > drawing->width)
        return;
    *x += term_put(drawing->term, y, *x, drawing->width - *x, ROLE_LABEL, label) + 1;
    *x += term_put(drawing->term, y, *x, drawing->width - *x, cell->role, cell->text) + 1;
}

static void draw_note(struct drawing *drawing, const char *text)
{
    int room = drawing->width - INDENT;
    text += strspn(text, " ");
    while (*text && room > 0) {
        size_t length = cells_line(text, room);
        if (length == 0)
            length = 1;
        int y = details_next_line(drawing);
        if (y >= 0) {
            char *part = mem_strndup(text, length);
            term_put(drawing->term, y, INDENT, room, ROLE_DIM, part);
            free(part);
        }
        text += length;
        text += strspn(text, " ");
    }
}

static void draw_narrow(struct drawing *drawing, const struct detail_line *line)
{
    int y = details_next_line(drawing), x = INDENT;
    if (y >= 0) {
        put_labelled(drawing, y, &x, "min", &line->least);
        put_labelled(drawing, y, &x, "mean", &line->mean);
        put_labelled(drawing, y, &x, "max", &line->most);
    }
    y = details_next_line(drawing);
    if (y >= 0)
        curve_draw(drawing->term, y, INDENT, drawing->width - INDENT, &line->series, 0);
}

static void draw_measure(struct drawing *drawing, const struct detail_line *line)
{
    int y = details_next_line(drawing), x = drawing->name + 1;
    if (y >= 0) {
        char title[NAME_MOST * 4 + 1];
        snprintf(title, sizeof(title), "%s", line->title);
        text_cut(title, drawing->name);
        term_put(drawing->term, y, 0, drawing->name, ROLE_KEY, title);
        put_right(drawing, y, &x, drawing->number, line->now.role, line->now.text);
        put_right(drawing, y, &x, drawing->number, line->total.role, line->total.text);
        put_right(drawing, y, &x, RUN_WIDTH, line->run.role, line->run.text);
    }
    if (y >= 0 && drawing->wide) {
        put_right(drawing, y, &x, drawing->number, line->least.role, line->least.text);
        put_right(drawing, y, &x, drawing->number, line->mean.role, line->mean.text);
        put_right(drawing, y, &x, drawing->number, line->most.role, line->most.text);
        curve_draw(drawing->term, y, x, drawing->width - x, &line->series, 0);
    }
    if (!drawing->wide)
        draw_narrow(drawing, line);
    draw_note(drawing, line->note);
}

/* --- The page --- */

static int name_width(const struct detail *detail, int width)
{
    int longest = NAME_LEAST, most = width / 3 < NAME_MOST ? width / 3 : NAME_MOST;
    for (size_t i = 0; i < detail->count; i++) {
        int name = detail->lines[i].title ? cells_width(detail->lines[i].title) : 0;
        longest = name > longest ? name : longest;
    }
    return longest < most ? longest : most;
}

static void draw_titles(const struct drawing *drawing, int y)
{
    int x = drawing->name + 1;
    struct terminal *term = drawing->term;
    term_field(term, y, 0, drawing->width, ROLE_HEADING, "");
    put_right(drawing, y, &x, drawing->number, ROLE_HEADING, "now/s");
    put_right(drawing, y, &x, drawing->number, ROLE_HEADING, "total");
    put_right(drawing, y, &x, RUN_WIDTH, ROLE_HEADING, "%RUN");
    if (!drawing->wide)
        return;
    put_right(drawing, y, &x, drawing->number, ROLE_HEADING, "min/s");
    put_right(drawing, y, &x, drawing->number, ROLE_HEADING, "mean/s");
    put_right(drawing, y, &x, drawing->number, ROLE_HEADING, "max/s");
    term_put(term, y, x, drawing->width - x, ROLE_HEADING, "history");
}

/* The time on show, at the right; returns the cells it took. */
static int draw_mark(struct ui *ui, int y, int width)
{
    struct line line;
    line_init(&line);
    rewind_mark(ui, &line);
    line_fit(&line, width / 2);
    line_draw(&line, ui->term, y, width);
    return line.count > 0 ? line_width(&line) + LINE_GAP : 0;
}

static const char *state_of(const struct detail *detail)
{
    if (detail->ended)
        return "ended: ";
    return detail->listed ? "" : "did not run in this interval: ";
}

static void details_draw(struct ui *ui, const struct band *band, int width)
{
    enum { NUMBERS = 5, HEAD = 2 };
    const struct detail *detail = view_detail(ui->view);
    bool exact = view_settings(ui->view)->exact;
    struct band body = {band->y + HEAD, band->height - HEAD};
    struct drawing drawing = {.term = ui->term, .band = &body, .width = width};
    drawing.name = name_width(detail, width);
    drawing.number = exact ? DETAIL_WIDTH_EXACT : DETAIL_WIDTH;
    int needed = drawing.name + NUMBERS * (drawing.number + 1) + RUN_WIDTH + 2 + CURVE_LEAST;
    drawing.wide = width >= needed;
    char head[512];
    snprintf(head, sizeof(head), "%s%s", state_of(detail), detail->title ? detail->title : "");
    int room = width - draw_mark(ui, band->y, width);
    term_put(ui->term, band->y, 0, room, detail->ended ? ROLE_DEAD : ROLE_VALUE, head);
    if (band->height > 1)
        draw_titles(&drawing, band->y + 1);
    ui->details_height = body.height > 0 ? (size_t)body.height : 0;
    drawing.top = (int)ui->details_top;
    for (size_t i = 0; i < detail->count; i++)
        draw_measure(&drawing, &detail->lines[i]);
    ui->details_lines = (size_t)drawing.y;
    if (ui->details_top > most_top(ui)) /* the next drawing is within */
        ui->details_top = most_top(ui);
}

static const struct command details_commands[] = {
    {"back", "Esc Enter q", "back", 90, "close", pane_close},
    {0},
};

const struct pane pane_details = {
    .name = "details",
    .title = "In the details of a row",
    .commands = details_commands,
    .cover = COVER_ALL,
    .draw = details_draw,
    .step = scroll,
    .label = rewind_label,
};
