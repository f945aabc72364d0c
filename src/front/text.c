/* Batch output for people: each refresh a summary line, column titles and all rows. */
#include "front/batch.h"
#include "view/format.h"
#include "view/marks.h"
#include "view/sampling.h"

static void add_padded(struct str *page, const char *text, const struct view_column *column,
                       bool last)
{
    int missing = column->width - cells_width(text);
    size_t pad = missing > 0 ? (size_t)missing : 0;
    if (!column->left)
        str_add_spaces(page, pad);
    str_add(page, text);
    if (column->left && !last)
        str_add_spaces(page, pad);
    str_add_char(page, last ? '\n' : ' ');
}

static void text_add_summary(struct batch *batch, const struct session *session)
{
    const struct frame *frame = batch->frame;
    char clock[CLOCK_TEXT_SIZE];
    clock_text(clock, frame->wall);
    str_printf(&batch->text, "countertop %s  %s  engine %s", clock, session->host, session->engine);
    if (session->command) {
        char command[64];
        text_clean(command, sizeof(command), session->command,
                   view_settings(batch->in.view)->ascii);
        str_printf(&batch->text, "  command '%s'", command);
    }
    bool run = batch->in.options.run;
    enum view_amount amount = view_settings(batch->in.view)->amount;
    str_printf(&batch->text, "  %s %.3f s", run ? "elapsed" : "interval", frame->interval);
    if (run && session->end)
        str_printf(&batch->text, "  user %.3f s  kernel %.3f s", session->run_user,
                   session->run_kernel);
    size_t cpus;
    double busy = frame_busy(frame, &cpus);
    double watched = view_watched(batch->in.view);
    if (watched >= 0)
        str_printf(&batch->text, "  watched %.2f CPUs", watched);
    if (busy >= 0)
        str_printf(&batch->text, "  busy %.2f of %zu CPU%s", busy, cpus, cpus == 1 ? "" : "s");
    else if (frame->load.reason) /* otherwise the interval is too short */
        str_printf(&batch->text, "  busy - (%s)", frame->load.reason);
    str_printf(&batch->text, "  counts %s",
               run && amount != AMOUNT_RATE ? "of the whole run" : view_amount_text(amount));
    double steal = load_mean(&frame->load, CPU_STEAL, NULL);
    if (steal > LOAD_SHOWN)
        str_printf(&batch->text, "  steal %.0f%%", steal * 100);
    char pressure[PRESSURE_TEXT_SIZE];
    load_pressure_text(&frame->load, pressure, sizeof(pressure));
    if (*pressure)
        str_printf(&batch->text, "  pressure %s", pressure);
    if (frame->lost_records)
        str_printf(&batch->text, "  lost %llu records", (unsigned long long)frame->lost_records);
    if (frame->throttled)
        str_printf(&batch->text, "  throttled %llu times", (unsigned long long)frame->throttled);
    if (frame->denied_tasks)
        str_printf(&batch->text, "  not permitted %llu threads",
                   (unsigned long long)frame->denied_tasks);
    if (frame->starved_tasks)
        str_printf(&batch->text, "  no descriptor for %llu threads",
                   (unsigned long long)frame->starved_tasks);
    char self[FORMAT_SIZE];
    format_duration(self, frame->self_cpu, 8);
    if (run) /* mostly the time before the run begins */
        str_printf(&batch->text, "  self %s cpu\n", self);
    else
        str_printf(&batch->text, "  self %.1f %% cpu\n", frame_self_share(frame) * 100);
    if (*session->notice)
        str_printf(&batch->text, "%s\n", session->notice);
    if (view_of_code(view_settings(batch->in.view)->kind)) {
        view_explain(batch->in.view, &batch->text);
        str_add_char(&batch->text, '\n');
    }
}

/* "wait 12:03:04.123  spin 12: ...", of tasks that the view covers. */
static void text_add_waits(struct batch *batch)
{
    const struct long_waits *waits = batch->frame->long_waits;
    const struct long_wait *wait;
    for (size_t at = 0; (wait = batch_next_wait(batch, &at));) {
        str_add(&batch->text, "wait ");
        format_long_wait(&batch->text, wait, batch->frame->profile,
                         view_settings(batch->in.view)->ascii);
        str_add_char(&batch->text, '\n');
    }
    if (waits && waits->count > LONG_WAITS_MAX)
        str_printf(&batch->text, "wait: %zu older ones are not listed\n",
                   waits->count - LONG_WAITS_MAX);
}

static void text_add_row(struct batch *batch, size_t row)
{
    struct view *view = batch->in.view;
    size_t columns = view_columns(view);
    for (size_t c = 0; c < columns; c++) {
        struct cell cell;
        view_cell(view, row, c, &cell);
        add_padded(&batch->text, cell.text, view_column(view, c), c + 1 == columns);
    }
}

static void text_begin_rows(struct batch *batch)
{
    struct view *view = batch->in.view;
    AUTO_STR struct str common = str_new();
    bool lasts = view_asleep_lasts(view);
    for (size_t r = 0; lasts && !common.length && r < view_rows(view); r++)
        if (view_row(view, r)->asleep)
            view_asleep_cells(view, r, &common);
    batch_begin_rows(batch, lasts ? common.text : NULL);
}

int text_write(struct batch *batch, const struct session *session, struct err *err UNUSED)
{
    enum { MATRIX = 120 };
    struct view *view = batch->in.view;
    AUTO_STR struct str titles = str_new(), times = str_new();
    size_t start = batch->text.length;
    view_set_frame(view, batch->frame);
    if (batch->frame->seq > 1)
        str_add_char(&batch->text, '\n');
    text_add_summary(batch, session);
    text_add_waits(batch);
    if (view_format_taken(view, MATRIX, &batch->text))
        str_add_char(&batch->text, '\n');
    /* The time columns are the same in all rows of a refresh. */
    char stamp[32];
    if (batch->in.options.epoch) {
        str_printf(&titles, "%14s ", "EPOCH");
        str_printf(&times, "%14.3f ", batch->frame->wall);
    }
    if (batch->in.options.timestamp) {
        clock_format(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S%z", batch->frame->wall);
        str_printf(&titles, "%-*s ", (int)strlen(stamp), "TIME");
        str_printf(&times, "%s ", stamp);
    }
    str_add(&batch->text, titles.text);
    str_add(&batch->text, view_shows_marks(view) ? " " : "");
    size_t columns = view_columns(view);
    for (size_t c = 0; c < columns; c++) {
        const struct view_column *column = view_column(view, c);
        add_padded(&batch->text, column->title, column, c + 1 == columns);
    }
    size_t rows = view_rows(view);
    bool marks = view_shows_marks(view);
    text_begin_rows(batch);
    if (batch->in.options.rows && batch->in.options.rows < rows)
        rows = (size_t)batch->in.options.rows;
    for (size_t r = 0; r < rows; r++) {
        if (times.length > 0)
            str_add(&batch->text, times.text);
        if (marks)
            str_add_char(&batch->text, view_row_mark(view, r));
        batch_add_row(batch, r, text_add_row);
    }
    if (rows == 0 && view_tell_asleep(view, "-i", &batch->text))
        str_add_char(&batch->text, '\n');
    /* Names of files, events and hosts are others': not only those in cells. */
    batch->text.length = start + str_clean(batch->text.text + start, true);
    return 0;
}
