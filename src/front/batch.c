#include "front/batch.h"
#include "view/sampling.h"

struct asleep_line {
    pid_t ppid;
    uid_t uid;
    int cpu;
    char comm[TASK_COMM_SIZE];
    uint64_t refresh; /* the last one that it is in */
    size_t length;
    char text[];
};

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
    event_set_keep(&batch->events, events);
    if (!batch->first)
        batch->first = mem_share(events);
    mem_replace(&batch->metrics, mem_array(set->count, sizeof(*batch->metrics)));
    batch->metric_count = 0;
    for (size_t m = 0; m < set->count; m++)
        if (metric_applies(&set->metrics[m], events) &&
            (batch->kind == VIEW_CGROUPS ||
             !expr_uses(set->metrics[m].expr, OP_CGROUP_KERNEL_TIME))) {
            struct batch_metric *bound = &batch->metrics[batch->metric_count++];
            bound->metric = &set->metrics[m];
            eval_bind(&bound->binding, bound->metric->expr, events);
        }
    return true;
}

bool batch_show(struct batch *batch, bool chosen)
{
    if (chosen)
        batch_choose(batch, batch->kind);
    return chosen;
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
    enum { GONE_MAX = 1000 };
    batch->keeps = common;
    common = common ? common : "";
    batch->refresh++;
    bool same = batch->common.length > 0 && strcmp(batch->common.text, common) == 0;
    if (same && batch->lines.count <= 2 * view_rows(batch->in.view) + GONE_MAX)
        return;
    map_free(&batch->lines);
    str_clear(&batch->common);
    str_add(&batch->common, common);
}

/* Whether a line is of the row as it is now. One that was not in the refresh before may have run
 * since, and then be in another state. */
static bool is_line_of(const struct asleep_line *line, const struct row *row, uint64_t refresh)
{
    return line && line->refresh + 1 == refresh && line->cpu == row->cpu && line->uid == row->uid &&
           line->ppid == row->ppid && memcmp(line->comm, row->comm, sizeof(line->comm)) == 0;
}

void batch_add_row(struct batch *batch, size_t row, void (*add)(struct batch *batch, size_t row))
{
    const struct row *of = view_row(batch->in.view, row);
    struct str *text = &batch->text;
    bool kept = batch->keeps && of->asleep;
    struct asleep_line *line = kept ? map_get(&batch->lines, of->id) : NULL;
    if (is_line_of(line, of, batch->refresh)) {
        line->refresh = batch->refresh;
        str_add_n(text, line->text, line->length);
        return;
    }
    size_t start = text->length;
    add(batch, row);
    size_t length = text->length - start;
    if (!kept)
        return;
    line = mem_alloc(sizeof(*line) + length);
    *line = (struct asleep_line){.ppid = of->ppid,
                                 .uid = of->uid,
                                 .cpu = of->cpu,
                                 .refresh = batch->refresh,
                                 .length = length};
    memcpy(line->comm, of->comm, sizeof(line->comm));
    memcpy(line->text, text->text + start, length);
    free(map_put(&batch->lines, of->id, line));
}

const struct long_wait *batch_next_wait(const struct batch *batch, size_t *at)
{
    const struct long_wait *wait;
    do
        wait = long_waits_get(batch->frame->long_waits, (*at)++);
    while (wait && !view_covers_wait(batch->in.view, batch->frame, wait));
    return wait;
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

/* Waits for all names in the last table of a run: one too large for the book is read in parts. */
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
    if (batch->frame && batch->format && batch->format->end) {
        str_add(&batch->text, batch->format->end);
        out_write(&batch->out, &batch->text, &(struct err){0});
    }
    view_set_frame(batch->in.view, NULL);
    frame_free(batch->frame);
    event_set_drop(batch->events);
    event_set_drop(batch->first);
    free(batch->metrics);
    str_release(&batch->text);
    map_free(&batch->lines);
    map_free(&batch->traced);
    str_release(&batch->common);
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
    batch->text = str_new();
    batch->common = str_new();
    return &batch->front;
}
