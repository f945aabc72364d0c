#include "front/tui/pane/panes.h"
#include "view/column.h"

enum { NAME_MIN = 8, NAME_MOST = 24, RUN_WIDTH = 4, INDENT = 2, CURVE_MIN = 8, TALL_MAX = 8 };
/* Values beside a history; with min, mean and max below the others; of a row beside the table. */
enum { VALUES = 6, VALUES_NARROW = 3, VALUES_BESIDE = 1 };

/* Layout while screen lines are drawn one after another. */
struct drawing {
    struct terminal *term;
    const struct band *band;
    int width;
    int top;              /* first visible line */
    int y;                /* next screen line */
    int name;             /* width of the titles of events and metrics */
    int number;           /* width of a number */
    bool wide;            /* values and history side by side */
    int values;           /* of these so many */
    int tall;             /* lines of a history */
    size_t window, shown; /* intervals of the histories: wanted, and shown */
    uint64_t seq;         /* of the newest */
    const char *last;     /* title of the histories */
    bool notes;
};

static UI_OWN(bool, notes_of, .end = NULL); /* encodings and meanings are shown */

static bool details_open(struct ui *ui)
{
    size_t row = table_row(&ui->table, ui->view) ? ui->table.row : 0;
    if (ui_row_is_away(ui) || !ui->frame || row >= view_rows(ui->view))
        return false;
    view_follow(ui->view, row);
    frames_retell(ui);
    return true;
}

/* Of the pane's page only the position is used. */
static void scroll(struct ui *ui, enum step step)
{
    page_step(pane_list(ui), step);
}

/* --- Lines --- */

/* The screen line for the next line; -1: scrolled off. */
static int next_y(struct drawing *drawing)
{
    int y = drawing->y++ - drawing->top;
    return y >= 0 && y < drawing->band->height ? drawing->band->y + y : -1;
}

/* Draws numbers in columns, or their titles: now, total, %COV, and if there is room min, mean, max.
 * A number that does not fit is left out, never cut. Returns where the curve starts. */
static int put_values(const struct drawing *drawing, int y, const struct detail_line *line,
                      const char *const titles[VALUES])
{
    const struct cell *cells[VALUES] = {0};
    int x = drawing->name + 1;
    if (line) {
        const struct cell *const all[VALUES] = {&line->now,   &line->total, &line->run,
                                                &line->least, &line->mean,  &line->most};
        memcpy(cells, all, sizeof(all));
    }
    for (int i = 0; i < drawing->values; i++) { /* y < 0: only counts the cells */
        int width = i == 2 ? RUN_WIDTH : drawing->number;
        if (y >= 0 && x + width <= drawing->width)
            line_put_right(drawing->term, y, x, width, line ? cells[i]->role : ROLE_HEADING,
                           line ? cells[i]->text : titles[i]);
        x += width + 1;
    }
    return x;
}

static void draw_note(struct drawing *drawing, const char *text)
{
    int room = drawing->width - INDENT;
    text += strspn(text, " ");
    while (*text && room > 0) {
        AUTO_FREE char *part = page_take_line(&text, room, false);
        int y = next_y(drawing);
        if (y >= 0)
            term_put(drawing->term, y, INDENT, room, ROLE_DIM, part);
    }
}

/* The history, as far as all of its lines are visible. */
static void draw_curve(struct drawing *drawing, int x, const struct series *series)
{
    int first = drawing->y - drawing->top;
    struct curve curve = {.at = {drawing->band->y + first, x, drawing->width - x},
                          .lines = drawing->tall,
                          .series = series,
                          .window = drawing->window,
                          .seq = drawing->seq};
    if (first >= 0 && first + drawing->tall <= drawing->band->height)
        curve_draw(drawing->term, &curve);
    drawing->y += drawing->tall;
}

/* Draws min, mean and max on the line below the other values, then the curve. */
static void draw_narrow(struct drawing *drawing, const struct detail_line *line)
{
    static const char *const labels[] = {"min", "mean", "max"};
    const struct cell *cells[] = {&line->least, &line->mean, &line->most};
    int y = next_y(drawing), x = INDENT, width = drawing->width;
    for (int i = 0; i < 3 && y >= 0; i++) {
        if (x + cells_width(labels[i]) + 1 + cells_width(cells[i]->text) > width)
            continue;
        x += term_put(drawing->term, y, x, width - x, ROLE_LABEL, labels[i]) + 1;
        x += term_put(drawing->term, y, x, width - x, cells[i]->role, cells[i]->text) + 1;
    }
    draw_curve(drawing, INDENT, &line->series);
}

static void draw_bar(struct terminal *term, int y, int x, int cells)
{
    for (int i = 0; i < cells; i++)
        term_put(term, y, x + i, 1, amount_role(0.5), term_ascii(term) ? "#" : "■");
}

/* Draws below the values, as far as the history is high: in how many of its intervals the value was
 * from a number up to the next one, the largest at the top. `width`: cells before the history. */
static void draw_distribution(const struct drawing *drawing, int y, int width,
                              const struct column *column, const struct series *series)
{
    enum { LEAST = 3, GAP = 2, COUNT = 4 };
    static const struct view_settings plain = {0};
    size_t ranges = (size_t)drawing->tall - 1, counts[TALL_MAX] = {0}, largest = 0;
    double least, most;
    int from = drawing->name + 1 + drawing->number, room = width - from - GAP - COUNT - GAP;
    if (ranges < LEAST || !series_range(series, drawing->shown, &least, &most) || !(most > least))
        return;
    for (size_t back = 1; back <= drawing->shown && back <= series->count; back++) {
        double part = ((double)series->values[series->count - back] - least) / (most - least);
        if (isnan(part))
            continue;
        size_t range = (size_t)(part * (double)ranges);
        size_t count = ++counts[range < ranges ? range : ranges - 1];
        largest = count > largest ? count : largest;
    }
    for (size_t i = 0; i < ranges; i++) {
        int at = y + (int)(ranges - i);
        int filled = (int)(((size_t)room * counts[i] + largest - 1) / largest);
        char number[FORMAT_SIZE];
        if (at < drawing->band->y || at >= drawing->band->y + drawing->band->height)
            continue;
        column_write(column, &plain, least + (most - least) * (double)i / (double)ranges,
                     drawing->number, number);
        line_put_right(drawing->term, at, 0, from, ROLE_DIM, number);
        snprintf(number, sizeof(number), "%*zu", COUNT, counts[i]);
        term_put(drawing->term, at, from + 1, COUNT, counts[i] ? ROLE_LABEL : ROLE_DIM, number);
        draw_bar(drawing->term, at, from + COUNT + GAP, filled);
    }
}

static void draw_measure(struct drawing *drawing, const struct detail_line *line,
                         const struct column *column)
{
    int y = next_y(drawing), x = put_values(drawing, y, line, NULL);
    if (y >= 0) {
        char title[NAME_MOST * 4 + 1];
        snprintf(title, sizeof(title), "%s", line->title);
        text_cut(title, drawing->name);
        term_put(drawing->term, y, 0, drawing->name, ROLE_KEY, title);
    }
    if (!drawing->wide) {
        draw_narrow(drawing, line);
    } else {
        drawing->y--; /* the history begins beside the values */
        if (drawing->values == VALUES)
            draw_distribution(drawing, drawing->band->y + drawing->y - drawing->top, x, column,
                              &line->series);
        draw_curve(drawing, x, &line->series);
    }
    if (drawing->notes || !line->counted)
        draw_note(drawing, line->note);
}

/* One line for each power of two between the shortest and the longest span. */
static void draw_spans(struct drawing *drawing, const struct wait_facts *facts, enum span_kind kind)
{
    enum { OCTAVE = 8, LABEL = 9, NUMBER = 8, BITS = SPAN_BUCKETS / OCTAVE };
    uint64_t counts[SPAN_BUCKETS], octaves[BITS] = {0}, most = 0;
    uint64_t sum = wait_facts_buckets(facts, kind, counts);
    size_t first = BITS, last = 0;
    char text[FORMAT_SIZE];
    if (sum == 0)
        return;
    for (size_t b = 0; b < SPAN_BUCKETS; b++) {
        size_t octave = b / OCTAVE;
        octaves[octave] += counts[b];
        most = octaves[octave] > most ? octaves[octave] : most;
        if (counts[b] > 0) {
            first = octave < first ? octave : first;
            last = octave;
        }
    }
    AUTO_STR struct str title = str_new();
    str_printf(&title, "%llu %s", (unsigned long long)sum, span_kinds[kind].many);
    for (size_t i = 0; i < SPAN_FIGURES; i++) {
        const struct span_figure_text *figure = &span_figures[i];
        format_duration(text, wait_facts_quantile(facts, kind, figure->part) / 1e9, LABEL);
        str_printf(&title, "  %s %s", figure->name, text);
    }
    int y = next_y(drawing), room = drawing->width - LABEL - NUMBER - 3;
    if (y >= 0)
        term_field(drawing->term, y, 0, drawing->width, ROLE_HEADING, title.text);
    for (size_t octave = first; octave <= last; octave++) {
        if ((y = next_y(drawing)) < 0)
            continue;
        format_duration(text, (double)span_least(octave * OCTAVE) / 1e9, LABEL);
        line_put_right(drawing->term, y, 0, LABEL, ROLE_LABEL, text);
        format_count(text, (double)octaves[octave], NUMBER);
        line_put_right(drawing->term, y, LABEL + 1, NUMBER, ROLE_VALUE, text);
        int filled = room > 0 ? (int)((octaves[octave] * (uint64_t)room + most - 1) / most) : 0;
        draw_bar(drawing->term, y, LABEL + NUMBER + 2, filled);
    }
}

/* --- The page --- */

/* Events are per second; the title of a metric has its unit. */
static void draw_titles(const struct drawing *drawing, int y, bool events)
{
    static const char *const titles[2][VALUES] = {
        {"now", "total", "%COV", "min", "mean", "max"},
        {"now/s", "total", "%COV", "min/s", "mean/s", "max/s"}};
    if (y < 0)
        return;
    term_field(drawing->term, y, 0, drawing->width, ROLE_HEADING, "");
    int x = put_values(drawing, y, NULL, titles[events]);
    if (drawing->wide)
        term_put(drawing->term, y, x, drawing->width - x, ROLE_HEADING, drawing->last);
}

void details_title(const struct detail *detail, char *text, size_t size)
{
    const char *state = detail->ended    ? "ended: "
                        : detail->listed ? ""
                                         : "did not run in this interval: ";
    snprintf(text, size, "%s%s", state, detail->title ? detail->title : "");
}

/* Draws the row's facts, and at the right the time of the interval shown. */
static void draw_head(struct ui *ui, const struct detail *detail, int y, int width)
{
    char head[512];
    struct line line = {0};
    details_title(detail, head, sizeof(head));
    rewind_mark(ui, &line);
    width = line_put(&line, ui->term, y, width, width / 2);
    term_put(ui->term, y, 0, width, detail->ended ? ROLE_DEAD : ROLE_VALUE, head);
}

/* Draws the notes on a row; with `who` also the identity of its task, which is read while the page
 * is open, and who wakes it. Returns their lines, at most `lines`. */
static int draw_texts(const struct ui *ui, const struct detail *detail, bool who, int y, int lines,
                      int width)
{
    enum { LABEL = 9 };
    static const char *const labels[] = {"verdict", "life",     "taken by", "takes",
                                         "cgroup",  "tasks",    "command",  "parents",
                                         "state",   "waits on", "waited",   "woken by"};
    bool woken = who && lines > 0 && detail->pid;
    AUTO_FREE char *by = woken ? host_wakers(ui->host, detail->pid, detail->tid) : NULL;
    int drawn = 0;
    for (size_t i = 0; i <= DETAIL_TEXTS && drawn < lines; i++) {
        const char *text = i < DETAIL_TEXTS ? detail->texts[i] : by;
        if (!text || (!who && i >= TEXT_CGROUP && i <= TEXT_AWAITED))
            continue;
        term_put(ui->term, y + drawn, 0, LABEL, ROLE_LABEL, labels[i]);
        page_put(ui->term, y + drawn++, LABEL, width - LABEL, 1, ROLE_TEXT, text);
    }
    return drawn;
}

/* The rate of an event in a thread; "-": it is not counted. */
static void thread_rate(char text[FORMAT_SIZE + 1], const struct frame *frame,
                        const struct row *thread, size_t event)
{
    const struct count *count = &thread->counts[event];
    double seconds = frame_seconds(frame, thread);
    strcpy(text, "-");
    if (frame->events->events[event].state != EVENT_COUNTED || thread->state != EVENT_COUNTED ||
        !(count->coverage > 0))
        return;
    format_count(text, format_whole_rate((double)count->value / seconds, seconds), DETAIL_WIDTH);
    strcat(text, count->coverage < 1 ? "~" : "");
}

/* A line of the table of threads; thread NULL: its titles. */
static void draw_thread(struct drawing *drawing, const struct detail *detail,
                        const struct frame *frame, const struct row *thread)
{
    enum { TID = 7, CPU = 6, NAME = 16 };
    enum role role = thread ? ROLE_TEXT : ROLE_HEADING;
    int y = next_y(drawing), x = TID + 1 + CPU + 1;
    char tid[FORMAT_SIZE] = "TID", cpu[FORMAT_SIZE] = "%CPU", text[FORMAT_SIZE + 1];
    char name[2 * TASK_COMM_SIZE] = "THREAD";
    if (y < 0)
        return;
    if (thread) {
        format_id(tid, thread->tid, TID);
        format_fixed(cpu, 100 * thread->oncpu / frame_seconds(frame, thread), 1, CPU);
        text_clean(name, sizeof(name), thread->comm, term_ascii(drawing->term));
    } else {
        term_field(drawing->term, y, 0, drawing->width, role, "");
    }
    line_put_right(drawing->term, y, 0, TID, role, tid);
    line_put_right(drawing->term, y, TID + 1, CPU, role, cpu);
    for (size_t e = 0; e < frame->events->count && e < detail->count; e++) {
        const char *title = detail->lines[e].title;
        int width = cells_width(title) > DETAIL_WIDTH ? cells_width(title) : DETAIL_WIDTH;
        if (x + width + 1 + NAME > drawing->width)
            break;
        if (thread)
            thread_rate(text, frame, thread, e);
        line_put_right(drawing->term, y, x, width, role, thread ? text : title);
        x += width + 1;
    }
    term_put(drawing->term, y, x, drawing->width - x, role, name);
}

/* The threads of a process that has several, the busiest first. */
static void draw_threads(const struct ui *ui, struct drawing *drawing)
{
    const struct detail *detail = view_detail(ui->view);
    const struct frame *frame = ui->recent;
    size_t count = 0;
    if (view_settings(ui->view)->kind != VIEW_TASKS || !frame || frame->events != detail->events)
        return;
    AUTO_FREE const struct row **threads = mem_array(frame->thread_count, sizeof(*threads));
    for (size_t i = 0; i < frame->thread_count; i++)
        if (frame->threads[i].process == detail->id)
            threads[count++] = &frame->threads[i];
    if (count > 1) {
        qsort(threads, count, sizeof(*threads), rows_by_time);
        draw_thread(drawing, detail, frame, NULL);
        for (size_t i = 0; i < count; i++)
            draw_thread(drawing, detail, frame, threads[i]);
    }
}

/* Lists the events that have one line together, since they did not happen in the time shown, unless
 * encodings and reasons are asked for. Returns how many there are. */
static size_t fold_quiet(const struct drawing *drawing, const struct detail *detail, bool *folded,
                         struct str *text)
{
    size_t count = 0;
    double least = 0, most = 0;
    str_printf(text, "0 in the %s: ", drawing->last);
    for (size_t i = 0; i < detail->count && !drawing->notes; i++) {
        const struct detail_line *line = &detail->lines[i];
        folded[i] = line->event && line->counted &&
                    series_range(&line->series, drawing->shown, &least, &most) && least == 0 &&
                    most == 0;
        if (folded[i])
            str_printf(text, "%s%s", count++ > 0 ? ", " : "", line->title);
    }
    return count;
}

/* Draws titles, then so many values of each measure with its history, from the line `top` on; with
 * all values the threads of a process, too. Returns the number of lines below the titles. */
static size_t draw_measures(const struct ui *ui, const struct band *band, int width, int values,
                            size_t top)
{
    enum { UNSEEN = 1 << 20 };
    const struct detail *detail = view_detail(ui->view);
    int longest = NAME_MIN, most = width / 3 < NAME_MOST ? width / 3 : NAME_MOST, metrics = 0;
    for (size_t i = 0; i < detail->count; i++) {
        int name = detail->lines[i].title ? cells_width(detail->lines[i].title) : 0;
        longest = name > longest ? name : longest;
        metrics += !detail->lines[i].event;
    }
    struct band body = {band->y + 1, band->height - 1};
    struct drawing drawing = {
        .term = ui->term,
        .band = &body,
        .width = width,
        .top = (int)top,
        .name = longest < most ? longest : most,
        .number = view_settings(ui->view)->exact ? DETAIL_WIDTH_EXACT : DETAIL_WIDTH,
        .notes = *notes_of(ui),
        .values = values,
        .tall = 1,
        .window = meters_of(ui)->window,
        .seq = ui->frame ? ui->frame->seq : 0,
    };
    drawing.wide = width >= put_values(&drawing, -1, NULL, NULL) + CURVE_MIN;
    if (!drawing.wide)
        drawing.values = VALUES_NARROW;
    struct axis axis;
    char span[FORMAT_SIZE], last[sizeof(span) + sizeof("last ")];
    curve_axis(ui->term, width - put_values(&drawing, -1, NULL, NULL), drawing.window, drawing.seq,
               &axis);
    meters_span(ui, axis.values, span);
    snprintf(last, sizeof(last), "last %s", span);
    drawing.last = last;
    drawing.shown = axis.values;
    AUTO_FREE bool *folded = mem_array(detail->count, sizeof(*folded));
    AUTO_STR struct str quiet = str_new();
    size_t quiets = fold_quiet(&drawing, detail, folded, &quiet), lines = detail->count - quiets;
    struct drawing unseen = drawing; /* only counts the lines of threads and spans */
    unseen.top = UNSEEN;
    if (values == VALUES)
        draw_threads(ui, &unseen);
    for (enum span_kind kind = 0; kind < SPAN_KINDS && values == VALUES; kind++)
        draw_spans(&unseen, detail->wait_facts, kind);
    /* Histories are as tall as there is room for all measures. */
    int fixed = unseen.y + (metrics > 0) + (quiets > 0) + (int)lines * (drawing.wide ? 0 : 2);
    if (!drawing.notes && lines > 0)
        drawing.tall = (body.height - fixed) / (int)lines;
    drawing.tall = drawing.tall < 1 ? 1 : drawing.tall > TALL_MAX ? TALL_MAX : drawing.tall;
    if (band->height > 0)
        draw_titles(&drawing, band->y, metrics < (int)detail->count);
    for (size_t i = 0; i <= detail->count; i++) {
        bool metric = i == detail->count || !detail->lines[i].event;
        if (quiets > 0 && metric && (i == 0 || detail->lines[i - 1].event))
            draw_note(&drawing, quiet.text);
        if (i == detail->count)
            break;
        if (i > 0 && metric && detail->lines[i - 1].event)
            draw_titles(&drawing, next_y(&drawing), false);
        if (!folded[i])
            draw_measure(&drawing, &detail->lines[i], &detail->measures[i]);
    }
    if (values == VALUES)
        draw_threads(ui, &drawing);
    for (enum span_kind kind = 0; kind < SPAN_KINDS && values == VALUES; kind++)
        draw_spans(&drawing, detail->wait_facts, kind);
    return (size_t)drawing.y;
}

static void details_draw(struct ui *ui, const struct band *band, int width)
{
    enum { FIXED = 2 };
    const struct detail *detail = view_detail(ui->view);
    struct page *page = pane_list(ui);
    draw_head(ui, detail, band->y, width);
    int spare = band->height - FIXED, head = 1;
    head += draw_texts(ui, detail, true, band->y + 1, spare > 20 ? 9 : spare > 12 ? 6 : 0, width);
    struct band body = {band->y + head, band->height - head};
    page->height = body.height > 1 ? (size_t)body.height - 1 : 0;
    page->total = draw_measures(ui, &body, width, VALUES, page->top);
    size_t most = page->total > page->height ? page->total - page->height : 0;
    page->top = page->top < most ? page->top : most; /* for the next drawing */
}

/* --- Beside the table --- */

/* Cells of the part at the right; and that of the table, with a line between them. */
enum { BESIDE_FROM = 160, FUNCTION_FROM = 110, BESIDE_SHARE = 8 };

static UI_OWN(bool, hidden_of, .end = NULL); /* the user wants the table alone */

static int beside_from(const struct ui *ui)
{
    return view_of_code(view_settings(ui->view)->kind) ? FUNCTION_FROM : BESIDE_FROM;
}

void details_hide(struct ui *ui)
{
    *hidden_of(ui) = !*hidden_of(ui);
    if (term_width(ui->term) < beside_from(ui))
        ui_say(ui, ROLE_NOTICE, "a row is shown beside the table from %d columns on",
               beside_from(ui));
}

int details_beside_width(struct ui *ui, int width)
{
    enum view_kind kind = view_settings(ui->view)->kind;
    bool shown = width >= beside_from(ui) && pane_main(ui) == ui->panes[0] && ui->frame &&
                 !*hidden_of(ui) && kind != VIEW_HEAT && kind != VIEW_INSTRUCTIONS;
    ui->beside = shown && kind != VIEW_FUNCTIONS;
    shown &= ui->beside || ui->table.selecting;
    return shown ? 3 * width / BESIDE_SHARE : 0;
}

/* Without a cursor the first row, as long as it is there. */
void details_follow_beside(struct ui *ui)
{
    const struct detail *detail = view_detail(ui->view);
    bool chosen = table_row(&ui->table, ui->view);
    size_t row = chosen ? ui->table.row : 0;
    bool same =
        detail->following && row < view_rows(ui->view) &&
        (chosen ? view_row(ui->view, row)->id == detail->id : detail->listed && !detail->ended);
    bool shown = details_beside_width(ui, term_width(ui->term)) > 0;
    if (!shown || !ui->beside || row >= view_rows(ui->view) || same)
        return;
    view_follow(ui->view, row);
    frames_retell(ui);
}

size_t details_row_beside(const struct ui *ui)
{
    const struct detail *detail = view_detail(ui->view);
    size_t row = 0, rows = view_rows(ui->view);
    if (!ui->beside || table_row(&ui->table, ui->view))
        return ui->table.absent ? SIZE_MAX : ui->table.row;
    while (row < rows && view_row(ui->view, row)->id != detail->id)
        row++;
    return detail->following && row < rows ? row : SIZE_MAX;
}

void details_draw_beside(struct ui *ui, const struct band *band, int width)
{
    enum { HEAD = 3, FACTS = 4 };
    const struct detail *detail = view_detail(ui->view);
    char head[512];
    if (!ui->beside) {
        functions_draw_beside(ui, band, width);
        return;
    }
    details_title(detail, head, sizeof(head));
    if (!detail->following || band->height < HEAD + FACTS)
        return;
    int used =
        page_put(ui->term, band->y, 0, width, HEAD, detail->ended ? ROLE_DEAD : ROLE_VALUE, head);
    struct band body = {band->y + used, band->height - used - FACTS};
    size_t lines = 1 + draw_measures(ui, &body, width, VALUES_BESIDE, 0); /* which do not move */
    int drawn = lines < (size_t)body.height ? (int)lines : body.height;
    draw_texts(ui, detail, false, body.y + drawn, FACTS, width);
}

static void details_close(struct ui *ui)
{
    host_forget_wakers(ui->host);
}

static void show_notes(struct ui *ui)
{
    *notes_of(ui) = !*notes_of(ui);
}

/* Closes the page, and runs the table's command of the name after "row-" for its row. */
static void leave_for(struct ui *ui)
{
    const struct key_command *command = ui->panes[0]->commands;
    const char *name = ui->command->name + strlen("row-");
    ui->table.selecting = true;
    ui->table.id = view_detail(ui->view)->id;
    pane_close(ui);
    table_follow(&ui->table, ui->view);
    while (!str_equal(command->name, name))
        command++;
    pane_run(ui, command);
}

static const struct key_command details_commands[] = {
    {"back", "Esc Enter q", "back", 90, .run = pane_close},
    {"row-functions", "p", "functions", 80, .run = leave_for},
    {"row-icicle", "Y", "stacks", 60, .run = leave_for},
    {"row-chart", "F8 y", "chart", 70, .run = leave_for},
    {"row-threads", "H", "threads", 55, .run = leave_for},
    {"notes", "n", "notes", 50, .run = show_notes},
    {"zoom-in", "+", "zoom", 51, .run = meters_zoom, .how = -1},
    {"zoom-out", "-", NULL, 0, .run = meters_zoom, .how = 1},
    {0},
};

const struct pane pane_details = {
    .name = "details",
    .title = "In the details of a row",
    .commands = details_commands,
    .cover = COVER_ALL,
    .need = NEED_TOTALS,
    .open = details_open,
    .draw = details_draw,
    .close = details_close,
    .step = scroll,
    .label = rewind_label,
};
