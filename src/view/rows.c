#include "view/rows.h"
#include "view/condition.h"
#include "view/view_kind.h"

void rows_init(struct rows *rows, struct key_memory *keys)
{
    *rows = (struct rows){.keys = keys};
    rows->sorter.texts = str_new();
}

static void clear_sums(struct rows *rows)
{
    struct row *sum;
    for (size_t at = 0; (sum = map_next(&rows->sum_of, &at));)
        row_sum_release(sum);
    map_clear(&rows->sum_of);
    mem_replace(&rows->sums, NULL);
}

void rows_release(struct rows *rows)
{
    clear_sums(rows);
    map_release(&rows->sum_of);
    free(rows->items);
    map_release(&rows->processes);
    map_release(&rows->chosen);
    map_release(&rows->ended);
    sorter_release(&rows->sorter);
    groups_release(&rows->groups);
    groups_release(&rows->folds);
    map_release(&rows->opened);
    functions_release(&rows->functions);
    annotated_release(&rows->annotated);
    tree_release(&rows->tree);
    sticky_release(&rows->sticky);
    free(rows->tags.items);
}

void rows_take(struct rows *rows, const struct view_context *context)
{
    bool sticky = context->settings.sticky;
    uint64_t kept = context->settings.kept;
    if (sticky || kept)
        sticky_take(&rows->sticky, context->frame, sticky ? 0 : kept);
    tags_take(&rows->tags, context->frame, sticky);
}

/* --- Watched rows --- */

const struct row *rows_process(const struct rows *rows, pid_t pid)
{
    return map_get(&rows->processes, (uint64_t)pid);
}

static struct watched watched_of(const struct row *row, const char *process)
{
    return (struct watched){
        .pid = row->pid,
        .tid = row->tid,
        .comm = process,
        .uid = row->uid,
        .command = row->command,
        .in_cgroup = true, /* sources list no other tasks */
    };
}

static bool is_watched_thread(const struct rows *rows, const struct view_context *context,
                              const struct row *thread)
{
    const struct row *process = rows_process(rows, thread->pid);
    struct watched watched = watched_of(thread, process ? process->comm : thread->comm);
    return watch_has(&context->settings.watch, &watched);
}

struct row rows_sum_of(const struct row *row, const struct event_set *events)
{
    struct row sum = *row, none = row_sum_new(events);
    sum.counts = none.counts;
    sum.times = none.times;
    sum.wait_facts = NULL;
    sum.oncpu = 0;
    sum.threads = 0;
    sum.ran = sum.asleep = false;
    sum.state = none.state;
    return sum;
}

static const struct row *process_rows(const struct rows *rows, const struct frame *frame)
{
    return rows->sums && rows->summed == frame ? rows->sums : frame->processes;
}

/* Makes `sums` of a frame in which single threads may be watched: by their ids, or their owners. */
static void sum_watched(struct rows *rows, const struct view_context *context)
{
    const struct frame *frame = context->frame;
    const struct watch *watch = &context->settings.watch;
    AUTO_MAP struct map others = {0};
    clear_sums(rows);
    rows->summed = frame;
    if (!watch->tid_count && !watch->user_count)
        return;
    for (size_t i = 0; i < frame->thread_count; i++)
        if (map_get(&rows->chosen, (uint64_t)frame->threads[i].pid) &&
            !is_watched_thread(rows, context, &frame->threads[i]))
            map_put(&others, frame->threads[i].process, &frame->threads[i]);
    if (others.count)
        rows->sums = mem_array(frame->process_count, sizeof(*rows->sums));
    for (size_t p = 0; p < frame->process_count && others.count; p++) {
        struct row *sum = &rows->sums[p];
        *sum = frame->processes[p];
        if (!map_get(&others, sum->id))
            continue;
        *sum = rows_sum_of(sum, frame->events);
        map_put(&rows->sum_of, sum->id, sum);
    }
    for (size_t i = 0; i < frame->thread_count && others.count; i++) {
        struct row *sum = map_get(&rows->sum_of, frame->threads[i].process);
        if (sum && is_watched_thread(rows, context, &frame->threads[i]))
            row_sum_add(sum, &frame->threads[i], frame);
    }
    struct row *sum;
    for (size_t at = 0; (sum = map_next(&rows->sum_of, &at));)
        row_sum_complete(sum, frame);
}

/* Whether it is watched; call rows_make() before. thread: the row is from frame->threads. */
static bool rows_is_watched(const struct rows *rows, const struct view_context *context,
                            const struct row *row, bool thread)
{
    if (rows->all)
        return true;
    return thread ? is_watched_thread(rows, context, row)
                  : map_get(&rows->chosen, (uint64_t)row->pid) != NULL;
}

/* Whether the row is watched and part of this interval. A task watched by number is visible even if
 * it is not counted, with the reason. */
static bool is_active(const struct rows *rows, const struct view_context *context,
                      const struct row *row, bool thread)
{
    bool shown = context->settings.idle || row->ran || row->exited ||
                 (!rows->all && row->state != EVENT_COUNTED);
    return shown && rows_is_watched(rows, context, row, thread);
}

/* --- Tasks --- */

/* Whether the row reaches the minimum %CPU of the settings (rows that could not be counted do) and
 * passes their filter, a condition or plain text. That may read /proc. CPUs have no names: plain
 * text does not filter them. */
static bool passes(const struct view_context *context, const struct row *row)
{
    const struct view_settings *settings = &context->settings;
    const char *wanted = settings->filter;
    if (settings->least_cpu > 0 && !view_of_cpus(settings->kind) && !view_of_code(settings->kind) &&
        row->state == EVENT_COUNTED &&
        row->oncpu * 100 < settings->least_cpu * frame_seconds(context->frame, row))
        return false;
    if (context->condition)
        return condition_holds(context->condition, context, row);
    return !wanted || !*wanted || view_of_cpus(settings->kind) ||
           condition_contains(context, row, wanted);
}

/* Whether an ended task was watched: a process, also for a thread of its that has ended. */
static bool was_watched(const struct rows *rows, const struct view_context *context,
                        const struct ended *ended)
{
    struct watched watched = watched_of(&ended->row, ended->process);
    return rows->all || watch_has(&context->settings.watch, &watched) ||
           map_get(&rows->ended, ended->row.id);
}

/* The next ended task that may be visible: all, or the kept one. *wanted: not only as a parent.
 * NULL after the last. */
static const struct ended *next_ended(const struct rows *rows, const struct view_context *context,
                                      bool thread, size_t *at, bool *wanted)
{
    const struct view_settings *settings = &context->settings;
    const struct ended *ended;
    while ((ended = sticky_next(&rows->sticky, context->frame, thread, at))) {
        if ((settings->sticky || ended->row.id == settings->kept) &&
            was_watched(rows, context, ended))
            break;
    }
    if (ended)
        *wanted = passes(context, &ended->row);
    return ended;
}

/* Unwatched rows are not parents either. */
static void add_to_tree(struct rows *rows, const struct view_context *context, bool threads)
{
    size_t count = threads ? context->frame->thread_count : context->frame->process_count, at = 0;
    const struct row *from = threads ? context->frame->threads : process_rows(rows, context->frame);
    bool wanted;
    for (size_t i = 0; i < count; i++)
        if (rows_is_watched(rows, context, &from[i], threads))
            tree_add(&rows->tree, &from[i], threads, false,
                     is_active(rows, context, &from[i], threads) && passes(context, &from[i]));
    for (const struct ended *ended; (ended = next_ended(rows, context, threads, &at, &wanted));)
        tree_add(&rows->tree, &ended->row, threads, true, wanted);
}

static void add_item(struct rows *rows, const struct row *row)
{
    *MEM_ADD(rows->items, rows->count, rows->room) = row;
}

/* --- Functions --- */

bool rows_want_sample(void *ctx, pid_t pid, pid_t tid)
{
    const struct sample_scope *scope = ctx;
    const struct watch *shown = &scope->context->settings.watch;
    const struct watch *chosen = &scope->context->settings.samples;
    const struct profile *profile = scope->context->frame->profile;
    const struct watch *sampled = profile ? &profile->watch : shown;
    if (watch_all(shown) && watch_all(chosen) && watch_all(sampled))
        return true;
    const struct row *process = rows_process(scope->rows, pid);
    if (!process) /* one of those whose counts are in the row of a command */
        return profile && !profile->whole;
    struct watched watched = watched_of(process, process->comm);
    watched.tid = tid;
    return watch_has(shown, &watched) && watch_has(chosen, &watched) &&
           watch_has(sampled, &watched);
}

/* --- Rows that are sums --- */

void rows_make(struct rows *rows, const struct view_context *context)
{
    const struct frame *frame = context->frame;
    const struct view_settings *settings = &context->settings;
    rows->all = watch_all(&settings->watch);
    map_clear(&rows->processes);
    map_clear(&rows->chosen);
    if (!rows->all || !watch_all(&settings->highlight) || view_of_code(settings->kind))
        for (size_t i = 0; i < frame->process_count; i++)
            map_put(&rows->processes, (uint64_t)frame->processes[i].pid, &frame->processes[i]);
    rows->watched = 0;
    for (size_t i = 0; i < frame->thread_count && !rows->all; i++) {
        const struct row *thread = &frame->threads[i];
        if (!is_watched_thread(rows, context, thread))
            continue;
        rows->watched += thread->oncpu;
        map_put(&rows->chosen, (uint64_t)thread->pid, &frame->threads[i]);
    }
    sum_watched(rows, context);
    map_clear(&rows->ended);
    size_t at = 0;
    for (const struct ended *ended;
         settings->watch.tid_count && (ended = sticky_next(&rows->sticky, frame, true, &at));)
        if (was_watched(rows, context, ended))
            map_put(&rows->ended, ended->row.process, (void *)ended);
    rows->count = 0;
    if (view_of_cpus(settings->kind))
        groups_make_cpus(&rows->groups, context);
    struct sample_scope scope = {rows, context};
    if (settings->kind == VIEW_INSTRUCTIONS)
        functions_list(&rows->functions, &rows->annotated, frame, settings->source,
                       rows_want_sample, &scope);
    else if (view_of_code(settings->kind))
        functions_make(&rows->functions, frame, rows_want_sample, &scope);
    if (!view_adds_up(settings->kind))
        return;
    /* The threads of a process may be in several cgroups. */
    bool threads = settings->kind == VIEW_CGROUPS && frame->cgroups;
    const struct row *from = threads ? frame->threads : process_rows(rows, frame);
    size_t count = threads ? frame->thread_count : frame->process_count;
    for (size_t i = 0; i < count; i++) {
        if (!is_active(rows, context, &from[i], threads) ||
            (threads && !from[i].cgroup && !from[i].ran && from[i].exited))
            continue; /* the last one: it ended without a count, and no one knows where */
        for (size_t p = 0; p < from[i].part_count; p++)
            add_item(rows, &from[i].parts[p]);
        if (from[i].part_count == 0)
            add_item(rows, &from[i]);
    }
    groups_make(&rows->groups, rows->keys, context, rows->items, rows->count);
    rows->count = 0;
}

static int by_name(const void *pa, const void *pb, void *ctx)
{
    const struct row *a = *(const struct row *const *)pa, *b = *(const struct row *const *)pb;
    const struct groups *groups = ctx;
    const char *left = groups->groups[a - groups->rows].key;
    const char *right = groups->groups[b - groups->rows].key;
    if (a->uid != b->uid)
        return a->uid < b->uid ? -1 : 1;
    return left && right ? strcmp(left, right) : left ? -1 : right != NULL;
}

/* Sets the heat of each row: its share of 100 % (for CPU time: of each of its CPUs) if the column
 * is a percentage, else of the largest value except the row of all CPUs. */
static void compare_cpus(struct groups *levels, const struct view_context *context,
                         const struct column *column)
{
    const struct metric *metric = column ? column->metric : NULL;
    bool percent = metric && metric->unit.kind == UNIT_PERCENT;
    bool time = percent && str_equal(metric->name, "cpu_pct");
    double largest = 0;
    for (size_t i = 1; i < levels->count && column; i++) {
        struct value value = column_value(column, context, &levels->rows[i]);
        if (value.state < VALUE_UNDEFINED && value.number > largest)
            largest = value.number;
    }
    for (size_t i = 0; i < levels->count; i++) {
        struct group *level = &levels->groups[i];
        struct value value = {.state = VALUE_MISSING};
        if (column && (percent || i > 0))
            value = column_value(column, context, &levels->rows[i]);
        double most = time ? 100 * (double)level->cpus : percent ? 100 : largest;
        double part = most > 0 ? value.number / most : 0;
        bool known = value.state < VALUE_UNDEFINED;
        level->heat = known ? (int)(HEAT_MAX * (part > 1 ? 1 : part > 0 ? part : 0)) : -1;
    }
}

void rows_choose(struct rows *rows, const struct view_context *context, const struct order *order)
{
    const struct view_settings *settings = &context->settings;
    rows->tree_shown =
        settings->tree && (settings->kind == VIEW_TASKS || settings->kind == VIEW_CGROUPS);
    if (!settings->sticky && !settings->kept)
        sticky_release(&rows->sticky);
    rows_make(rows, context);
    if (rows->tree_shown) {
        const struct groups *groups = &rows->groups;
        tree_begin(&rows->tree);
        for (size_t i = 0; i < groups->count && settings->kind == VIEW_CGROUPS; i++)
            tree_place(&rows->tree, &groups->rows[i], groups->groups[i].above,
                       passes(context, &groups->rows[i]));
        for (int threads = 0; threads <= settings->threads && settings->kind == VIEW_TASKS;
             threads++)
            add_to_tree(rows, context, threads);
        rows->count = tree_make(&rows->tree, &rows->sorter, order->column, order->ascending,
                                context, &rows->items, &rows->room);
        return;
    }
    size_t count, at = 0;
    const struct row *from = rows_of_kind(rows, context, &count);
    /* The row of all CPUs stays first in any order. */
    size_t fixed = view_of_cpus(settings->kind) && count > 0;
    bool tasks = settings->kind == VIEW_TASKS, wanted;
    if (view_of_cpus(settings->kind))
        compare_cpus(&rows->groups, context, order->heat);
    for (size_t i = 0; i < count; i++)
        if (i < fixed || ((!tasks || is_active(rows, context, &from[i], settings->threads)) &&
                          passes(context, &from[i])))
            add_item(rows, &from[i]);
    for (const struct ended *ended;
         tasks && (ended = next_ended(rows, context, settings->threads, &at, &wanted));)
        if (wanted)
            add_item(rows, &ended->row);
    if (tasks && settings->terminal && !settings->sticky)
        groups_fold_ended(&rows->folds, context, &rows->opened, rows->items, &rows->count);
    if (view_adds_up(settings->kind) && rows->count > 1) /* by name, then by the column */
        qsort_r(rows->items, rows->count, sizeof(*rows->items), by_name, &rows->groups);
    if (rows->count > fixed)
        sort_rows(&rows->sorter, rows->items + fixed, rows->count - fixed, order->column,
                  order->ascending, context);
}

const struct row *rows_of_kind(const struct rows *rows, const struct view_context *context,
                               size_t *count)
{
    const struct frame *frame = context->frame;
    const struct view_settings *settings = &context->settings;
    if (view_adds_up(settings->kind) || view_of_cpus(settings->kind)) {
        *count = rows->groups.count;
        return rows->groups.rows;
    }
    if (view_of_code(settings->kind)) {
        *count = rows->functions.count;
        return rows->functions.rows;
    }
    *count = settings->threads ? frame->thread_count : frame->process_count;
    return settings->threads ? frame->threads : process_rows(rows, frame);
}
