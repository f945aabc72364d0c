#include "front/text.h"
#include "base/cells.h"
#include "base/mem.h"
#include "view/format.h"
#include "view/marks.h"
#include "view/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct text {
    struct front front;
    struct view *view;
    struct text_options options;
    struct out out;
    struct str page;
    struct frame *frame; /* on show, owned */
};

static void add_padded(struct str *page, const char *text, const struct view_column *column,
                       bool last)
{
    int pad = column->width - cells_width(text);
    if (pad < 0)
        pad = 0;
    if (!column->left)
        str_printf(page, "%*s", pad, "");
    str_add(page, text);
    if (column->left && !last)
        str_printf(page, "%*s", pad, "");
    str_add_char(page, last ? '\n' : ' ');
}

static void text_add_busy(struct str *page, const struct frame *frame)
{
    size_t cpus;
    double busy = frame_busy(frame, &cpus);
    if (!frame_has_machine(frame))
        str_printf(page, "  watched %.2f CPUs", frame_used(frame));
    if (busy >= 0)
        str_printf(page, "  busy %.2f of %zu CPU%s", busy, cpus, cpus == 1 ? "" : "s");
    else if (frame->load.reason) /* else the interval is too short to know */
        str_printf(page, "  busy - (%s)", frame->load.reason);
}

static void text_add_summary(struct text *text, const struct session *session)
{
    const struct frame *frame = text->frame;
    time_t seconds = (time_t)frame->wall;
    struct tm now;
    char clock[16];
    localtime_r(&seconds, &now);
    strftime(clock, sizeof(clock), "%H:%M:%S", &now);
    str_printf(&text->page, "countertop %s  %s  engine %s", clock, session->host, session->engine);
    if (session->command) {
        char command[64];
        text_clean(command, sizeof(command), session->command, view_settings(text->view)->ascii);
        str_printf(&text->page, "  command '%s'", command);
    }
    bool run = text->options.run;
    enum view_amount amount = view_settings(text->view)->amount;
    str_printf(&text->page, "  %s %.3f s", run ? "elapsed" : "interval", frame->interval);
    text_add_busy(&text->page, frame);
    str_printf(&text->page, "  counts %s",
               run && amount != AMOUNT_RATE ? "of the whole run" : view_amount_text(amount));
    if (frame->lost_records)
        str_printf(&text->page, "  lost %llu records", (unsigned long long)frame->lost_records);
    if (frame->throttled)
        str_printf(&text->page, "  throttled %llu times", (unsigned long long)frame->throttled);
    if (frame->denied_tasks)
        str_printf(&text->page, "  not permitted %llu threads",
                   (unsigned long long)frame->denied_tasks);
    if (frame->starved_tasks)
        str_printf(&text->page, "  no descriptor for %llu threads",
                   (unsigned long long)frame->starved_tasks);
    char self[FORMAT_SIZE];
    format_duration(self, frame->self_cpu, 8);
    if (run) /* starting is most of it, before the run begins */
        str_printf(&text->page, "  self %s cpu\n", self);
    else
        str_printf(&text->page, "  self %.1f %% cpu\n", frame_self_share(frame) * 100);
    if (*session->notice)
        str_printf(&text->page, "%s\n", session->notice);
}

/* Columns of the time, the same in all rows of a refresh. */
static void make_times(const struct text *text, struct str *titles, struct str *times)
{
    time_t seconds = (time_t)text->frame->wall;
    struct tm date;
    char stamp[32];
    str_init(titles);
    str_init(times);
    if (text->options.epoch) {
        str_printf(titles, "%14s ", "EPOCH");
        str_printf(times, "%14.3f ", text->frame->wall);
    }
    if (text->options.timestamp) {
        localtime_r(&seconds, &date);
        size_t length = strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S%z", &date);
        str_printf(titles, "%-*s ", (int)length, "TIME");
        str_printf(times, "%s ", stamp);
    }
}

static void text_add_rows(struct text *text, const char *times)
{
    size_t columns = view_columns(text->view), rows = view_rows(text->view);
    bool marks = view_shows_marks(text->view);
    if (text->options.rows && text->options.rows < rows)
        rows = (size_t)text->options.rows;
    for (size_t r = 0; r < rows; r++) {
        str_add(&text->page, times);
        if (marks)
            str_add_char(&text->page, view_row_mark(text->view, r));
        for (size_t c = 0; c < columns; c++) {
            struct cell cell;
            view_cell(text->view, r, c, &cell);
            add_padded(&text->page, cell.text, view_column(text->view, c), c + 1 == columns);
        }
    }
}

static int text_present(struct front *front, const struct session *session, struct frame *frame,
                        struct err *err)
{
    struct text *text = (struct text *)front;
    frame_free(text->frame);
    text->frame = frame;
    view_set_frame(text->view, frame);
    if (frame->seq > 1)
        str_add_char(&text->page, '\n');
    text_add_summary(text, session);
    struct str titles, times;
    make_times(text, &titles, &times);
    str_add(&text->page, titles.text);
    str_add(&text->page, view_shows_marks(text->view) ? " " : "");
    size_t columns = view_columns(text->view);
    for (size_t c = 0; c < columns; c++) {
        const struct view_column *column = view_column(text->view, c);
        add_padded(&text->page, column->title, column, c + 1 == columns);
    }
    text_add_rows(text, times.text);
    str_release(&titles);
    str_release(&times);
    return out_write(&text->out, &text->page, err);
}

static void close_text(struct front *front)
{
    struct text *text = (struct text *)front;
    view_set_frame(text->view, NULL);
    frame_free(text->frame);
    str_release(&text->page);
    out_close(&text->out);
    free(text);
}

struct front *text_new(struct view *view, struct out out, const struct text_options *options)
{
    static const struct front_ops ops = {.present = text_present, .close = close_text};
    struct text *text = mem_alloc(sizeof(*text));
    *text = (struct text){.front = {&ops}, .view = view, .options = *options, .out = out};
    str_init(&text->page);
    return &text->front;
}
