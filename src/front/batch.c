#include "front/batch.h"
#include "base/clock.h"
#include "base/mem.h"
#include "view/sampling.h"
#include "view/view_kind.h"

#include <stdlib.h>
#include <string.h>

struct asleep_line {
    pid_t ppid;
    uid_t uid;
    int cpu;
    char comm[TASK_COMM_SIZE];
    uint64_t refresh; /* the last one that it is in */
    size_t length;
    char text[];
};

void asleep_lines_init(struct asleep_lines *lines)
{
    str_init(&lines->common);
}

static void drop_lines(struct asleep_lines *lines)
{
    struct asleep_line *line;
    for (size_t at = 0; (line = map_next(&lines->lines, &at));)
        free(line);
    map_clear(&lines->lines);
}

void asleep_lines_release(struct asleep_lines *lines)
{
    drop_lines(lines);
    map_release(&lines->lines);
    str_release(&lines->common);
}

void asleep_lines_begin(struct asleep_lines *lines, const char *common, size_t rows)
{
    enum { GONE_MAX = 1000 };
    lines->refresh++;
    bool same = lines->common.length > 0 && strcmp(lines->common.text, common) == 0;
    if (same && lines->lines.count <= 2 * rows + GONE_MAX)
        return;
    drop_lines(lines);
    str_clear(&lines->common);
    str_add(&lines->common, common);
}

bool asleep_lines_add(struct asleep_lines *lines, const struct row *row, struct str *text)
{
    struct asleep_line *line = map_get(&lines->lines, row->id);
    if (!line || line->refresh + 1 != lines->refresh || line->cpu != row->cpu ||
        line->uid != row->uid || line->ppid != row->ppid ||
        memcmp(line->comm, row->comm, sizeof(line->comm)) != 0)
        return false;
    line->refresh = lines->refresh;
    str_add_n(text, line->text, line->length);
    return true;
}

void asleep_lines_keep(struct asleep_lines *lines, const struct row *row, const char *line,
                       size_t length)
{
    struct asleep_line *kept = mem_alloc(sizeof(*kept) + length);
    *kept = (struct asleep_line){.ppid = row->ppid,
                                 .uid = row->uid,
                                 .cpu = row->cpu,
                                 .refresh = lines->refresh,
                                 .length = length};
    memcpy(kept->comm, row->comm, sizeof(kept->comm));
    memcpy(kept->text, line, length);
    free(map_put(&lines->lines, row->id, kept));
}

/* ---- the front end ---- */

/* So long the last table of a run waits for names, and for the code of a function and its lines. */
static const double NAMES_SECONDS = 2, LINES_SECONDS = 20;

static void batch_choose(struct batch *batch, enum view_kind kind)
{
    struct view *view = batch->in.view;
    struct view_settings next = *view_settings(view);
    bool same = next.kind == kind;
    next.kind = kind;
    if (same)
        view_set_frame(view, batch->frame);
    else
        view_change_frame(view, &next, batch->frame);
}

bool batch_show_tasks(struct batch *batch)
{
    batch_choose(batch, VIEW_TASKS);
    /* The old set is referenced, so a new set cannot have its address. */
    struct event_set *events = batch->frame->events;
    if (batch->events == events)
        return false;
    const struct metric_set *set = batch->in.metric_set;
    event_set_drop(batch->events);
    batch->events = event_set_share(events);
    if (!batch->first)
        batch->first = event_set_share(events);
    free(batch->metrics);
    batch->metrics = mem_array(set->count, sizeof(*batch->metrics));
    batch->metric_count = 0;
    for (size_t m = 0; m < set->count; m++)
        if (metric_applies(&set->metrics[m], events) &&
            (batch->kind == VIEW_CGROUPS || !expr_of_cgroups(set->metrics[m].expr))) {
            struct batch_metric *bound = &batch->metrics[batch->metric_count++];
            bound->metric = &set->metrics[m];
            eval_bind(&bound->binding, bound->metric->expr, events);
        }
    return true;
}

static bool batch_show(struct batch *batch, bool chosen)
{
    if (chosen)
        batch_choose(batch, batch->kind);
    return chosen;
}

bool batch_show_groups(struct batch *batch)
{
    return batch_show(batch, view_adds_up(batch->kind));
}

bool batch_show_functions(struct batch *batch)
{
    return batch_show(batch, view_of_code(batch->kind));
}

const struct row *batch_first_asleep(const struct batch *batch)
{
    for (size_t r = 0; r < view_rows(batch->in.view); r++)
        if (view_row(batch->in.view, r)->asleep)
            return view_row(batch->in.view, r);
    return NULL;
}

void batch_begin_rows(struct batch *batch, const char *common)
{
    batch->keeps = common;
    asleep_lines_begin(&batch->lines, common ? common : "", view_rows(batch->in.view));
}

void batch_add_row(struct batch *batch, size_t row, void (*add)(struct batch *batch, size_t row))
{
    const struct row *of = view_row(batch->in.view, row);
    struct str *text = &batch->text;
    bool kept = batch->keeps && of->asleep;
    if (kept && asleep_lines_add(&batch->lines, of, text))
        return;
    size_t start = text->length;
    add(batch, row);
    if (kept)
        asleep_lines_keep(&batch->lines, of, text->text + start, text->length - start);
}

struct value batch_value(const struct batch *batch, const struct batch_metric *metric,
                         const struct row *row)
{
    return eval_bound(metric->metric->expr, &metric->binding, batch->frame, row);
}

/* Asks for what is to be shown; whether something has to be read for that. */
static bool ask_code(struct batch *batch)
{
    const struct functions *functions = view_functions(batch->in.view);
    batch_choose(batch, batch->kind);
    bool pending = functions->pending || functions->source.pending;
    if (batch->format->stacks) { /* and what is inlined in them */
        struct stack_tree tree = {0};
        view_stacks(batch->in.view, &tree);
        pending = tree.pending;
        stack_tree_release(&tree);
    }
    return pending;
}

/* Waits for functions, their instructions and lines: each step asks for the next one. Only the last
 * table waits for servers. */
static void settle_code(struct batch *batch, double seconds)
{
    enum { STEPS_MAX = 20 };
    uint64_t now, end = clock_monotonic() + (uint64_t)(seconds * 1e9);
    for (int i = 0; i < STEPS_MAX && ask_code(batch) && (now = clock_monotonic()) < end; i++)
        if (!code_book_settle(batch->frame->profile->book, (double)(end - now) / 1e9,
                              batch->frame->last))
            break;
}

/* Waits for all names in the last table of a run: a table that is too large for the book is read in
 * parts, one a step. */
static void await_names(struct batch *batch)
{
    enum { STEPS_MAX = 1000 };
    struct code_book *book = batch->frame->profile->book;
    code_book_finish(book);
    for (int i = 0; i < STEPS_MAX && ask_code(batch) && code_book_await(book); i++)
        ;
}

static int batch_present(struct front *front, const struct session *session, struct frame *frame,
                         struct err *err)
{
    struct batch *batch = (struct batch *)front;
    frame_free(batch->frame);
    batch->frame = frame;
    if (!batch->format)
        return 0;
    if (frame->profile && view_of_code(batch->kind)) { /* it is written once */
        bool lines = batch->kind == VIEW_INSTRUCTIONS || batch->format->stacks;
        double half = session->delay / 2; /* so that no refresh is late */
        if (frame->last)
            await_names(batch);
        settle_code(batch, !frame->last ? (half < NAMES_SECONDS ? half : NAMES_SECONDS)
                           : lines      ? LINES_SECONDS
                                        : NAMES_SECONDS);
    }
    if (batch->format->write(batch, session, err) < 0)
        return -1;
    return out_write(&batch->out, &batch->text, err);
}

static void batch_close(struct front *front)
{
    struct batch *batch = (struct batch *)front;
    view_set_frame(batch->in.view, NULL);
    frame_free(batch->frame);
    event_set_drop(batch->events);
    event_set_drop(batch->first);
    free(batch->metrics);
    str_release(&batch->text);
    asleep_lines_release(&batch->lines);
    out_close(&batch->out);
    free(batch);
}

struct front *batch_new(const struct format *format, const struct batch_input *input,
                        struct out out)
{
    static const struct front_ops ops = {.present = batch_present, .close = batch_close};
    struct batch *batch = mem_alloc(sizeof(*batch));
    *batch = (struct batch){.front = {&ops}, .format = format, .in = *input, .out = out};
    batch->kind = view_settings(input->view)->kind;
    str_init(&batch->text);
    asleep_lines_init(&batch->lines);
    return &batch->front;
}
