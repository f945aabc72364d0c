#include "view/sampling.h"
#include "metric/alias.h"
#include "view/state.h"
#include "view/view.h"

const struct function *view_row_function(const struct view *view, size_t row)
{
    const struct functions *functions = &view->rows.functions;
    return &functions->functions[view->rows.items[row] - functions->rows];
}

const struct functions *view_functions(const struct view *view)
{
    return &view->rows.functions;
}

void view_annotate(struct view *view, const struct annotated *annotated)
{
    struct annotated copy;
    annotated_copy(&copy, annotated); /* may be the view's own */
    annotated_release(&view->rows.annotated);
    view->rows.annotated = copy;
}

const struct annotated *view_annotated(const struct view *view)
{
    return view->rows.annotated.book ? &view->rows.annotated : NULL;
}

void view_code(const struct view *view, struct annotated *annotated, struct functions *code)
{
    struct view_context context = view_context_of(view);
    functions_list(code, annotated, view->frame, SOURCE_LINES, rows_want_sample,
                   &(struct sample_scope){&view->rows, &context});
}

const struct code_line *view_row_code(const struct view *view, size_t row)
{
    const struct functions *functions = &view->rows.functions;
    return &functions->source.rows[view->rows.items[row] - functions->rows];
}

uint64_t view_related(const struct view *view, const struct function *function,
                      struct functions related[RELATED_KINDS])
{
    struct view_context context = view_context_of(view);
    return functions_related(related, view->frame, function, rows_want_sample,
                             &(struct sample_scope){&view->rows, &context});
}

double view_explained(const struct view *view)
{
    struct view_context context = view_context_of(view);
    struct sample_scope scope = {&view->rows, &context};
    bool wall = view->frame && view->frame->profile && view->frame->profile->wall;
    double counted =
        view->frame && !wall ? functions_counted(view->frame, rows_want_sample, &scope) : -1;
    return counted > 0 ? (double)view->rows.functions.all_weight / counted : -1;
}

/* "cycles: 98.1 % of 1.23G explained": clocks in seconds. */
static void explain_part(const struct view *view, struct str *line)
{
    enum { WIDTH = 6 };
    const struct profile *profile = view->frame->profile;
    const struct functions *functions = &view->rows.functions;
    double explained = view_explained(view), weight = (double)functions->all_weight;
    bool clock = str_equal(profile->unit, "ns");
    char amount[FORMAT_SIZE];
    double whole = explained > 0 ? weight / explained : weight;
    if (clock)
        format_duration(amount, whole / 1e9, WIDTH);
    else
        format_count(amount, whole, WIDTH);
    if (explained < 0)
        str_printf(line, "%s: %s in samples", profile->event, amount);
    else if (explained > 1)
        str_printf(line, "%s: samples stand for %.1f %% of %s counted so far", profile->event,
                   explained * 100, amount);
    else
        str_printf(line, "%s: %.1f %% of %s explained", profile->event, explained * 100, amount);
}

struct running view_running(const struct view *view)
{
    const struct profile *profile = view->frame ? view->frame->profile : NULL;
    struct running running = {0};
    AUTO_MAP struct map tids = {0};
    if (!profile || !profile->wall || !profile->weight || !profile->ran)
        return running;
    for (size_t s = 0; s < profile->site_count; s++)
        if (profile->sites[s].samples)
            map_put(&tids, (uint64_t)profile->sites[s].tid, (void *)profile);
    running.threads = tids.count;
    running.mean = (double)profile->ran / (double)profile->weight;
    running.alone = (double)profile->alone / (double)profile->weight;
    return running;
}

/* "; off the CPU: 1.20s blocked, 12ms preempted". */
static void add_waits(const struct functions *functions, struct str *line)
{
    enum { WIDTH = 6 };
    str_add(line, "; off the CPU:");
    for (size_t w = 0; w < PROFILE_WAITS; w++) {
        char time[FORMAT_SIZE];
        format_duration(time, (double)functions->waits[w] / 1e9, WIDTH);
        str_printf(line, "%s %s %s", w ? "," : "", time, profile_wait_names[w]);
    }
}

/* "lines: reading librbd.so.1 (3 s, 350 MB); " or why there are none. */
static void explain_lines(const struct view *view, struct str *line)
{
    const struct source_lines *source = &view->rows.functions.source;
    const char *reason = source_lines_reason(source);
    AUTO_STR struct str state = str_new();
    if (view->settings.source == SOURCE_NONE)
        return;
    if (source->pending && code_book_reading(view->rows.annotated.book, &state))
        str_printf(line, "lines: %s; ", state.text);
    else if (reason)
        str_printf(line, "lines: %s; ", reason);
}

/* "hot (spin): 702 of 1000 samples, 70.2 %; ". */
static void explain_function(const struct view *view, struct str *line)
{
    const struct functions *functions = &view->rows.functions;
    const struct annotated *annotated = view_annotated(view);
    const struct code_listing *listing = functions->listing;
    const struct profile *profile = view->frame->profile;
    char name[1024];
    if (!annotated) {
        str_printf(line, "no samples in %s; ",
                   view->rows.annotated.name ? view->rows.annotated.name : "any function");
        return;
    }
    function_text(&annotated->function, name, sizeof(name));
    str_printf(line, "%s (%s): %.2f %% of samples; ", name, annotated->function.object.name,
               functions->all_weight
                   ? 100 * (double)functions->weight / (double)functions->all_weight
                   : 0);
    if (listing && listing->reason)
        str_printf(line, "%s; ", listing->reason);
    explain_lines(view, line);
    if (profile->rate > 0 && !profile->exact && profile->samples)
        str_add(line, "the cause is usually some instructions earlier; ");
}

void view_explain_stacks(const struct view *view, struct str *line)
{
    static const char *const ways[] = {[STACKS_FP] = "frame pointers",
                                       [STACKS_DWARF] = "unwound",
                                       [STACKS_LBR] = "recorded calls"};
    enum { WIDTH = 6 };
    const struct profile *profile = view->frame ? view->frame->profile : NULL;
    char copied[FORMAT_SIZE];
    if (!profile || profile->stacks == STACKS_NONE || !profile->samples)
        return;
    double seconds = profile->duration ? (double)profile->duration / 1e9 : view->frame->interval;
    str_printf(line, "%s, %.0f %% cut off", ways[profile->stacks],
               100 * (double)profile->short_stacks / (double)profile->samples);
    if (profile->late)
        str_printf(line, ", %llu late", (unsigned long long)profile->late);
    if (profile->stacks == STACKS_DWARF && seconds > 0) {
        format_count(copied, (double)profile->copied / seconds, WIDTH);
        str_printf(line, " (copies: %sB/s, %.1f %% CPU)", copied,
                   100 * (double)profile->unwinding / 1e9 / seconds);
    }
}

/* Why names are missing, of the heaviest object that lacks some. */
static void explain_names(const struct functions *functions, struct str *line)
{
    const struct function *most = NULL;
    for (size_t f = 0; f < functions->count && !functions->listing; f++) {
        const struct function *function = &functions->functions[f];
        if (function->object.reason && (!most || function->weight > most->weight))
            most = function;
    }
    if (most)
        str_printf(line, "; %s", most->object.reason);
}

void view_explain(const struct view *view, struct str *line)
{
    const struct profile *profile = view->frame ? view->frame->profile : NULL;
    const struct functions *functions = &view->rows.functions;
    if (!profile) {
        str_add(line, "nothing was sampled in this interval");
        return;
    }
    if (view->settings.kind == VIEW_INSTRUCTIONS)
        explain_function(view, line);
    struct running running = view_running(view);
    if (running.threads)
        str_printf(line, "%.1f of %zu threads run in the mean; %.0f %% of the time one alone; ",
                   running.mean, running.threads, 100 * running.alone);
    explain_part(view, line);
    if (profile_waits(profile) >= 0)
        add_waits(functions, line);
    double seconds = view->frame->interval;
    str_printf(line, "; %.0f/s; lost %llu; throttled %llu",
               seconds > 0 ? (double)functions->all_samples / seconds : 0,
               (unsigned long long)profile->lost, (unsigned long long)profile->throttled);
    double sampled = seconds > 0 ? (double)profile->duration / 1e9 / seconds : 1;
    if (profile->duration > 0 && sampled < 0.98)
        str_printf(line, "; sampled %.0f %% of the interval", sampled * 100);
    if (profile->stacks != STACKS_NONE && profile->samples) {
        str_add(line, "; stacks: ");
        view_explain_stacks(view, line);
    }
    if (profile->user_only)
        str_add(line, "; user mode only");
    if (profile->exact && profile->samples)
        str_printf(line, "; exact addresses: %.0f %%",
                   100 * (double)profile->exact / (double)profile->samples);
    if (functions->pending)
        str_add(line, "; ");
    if (functions->pending && !code_book_reading(profile->book, line))
        str_add(line, "reading names");
    explain_names(functions, line);
    if (profile_note(profile))
        str_printf(line, "; %s", profile_note(profile));
}

/* Where the sites of a profile have an event, as struct stack_tree says it. */
static size_t stack_value(const struct profile *profile, const char *event)
{
    if (alias_same(profile->event, event))
        return 1;
    for (size_t e = 0; e < profile->events; e++)
        if (alias_same(profile->names[e], event))
            return e + 2;
    return 0;
}

bool view_covers_site(const struct view *view, const struct profile_site *site, const char **comm)
{
    struct view_context context = view_context_of(view);
    const struct row *process = rows_process(&view->rows, site->pid);
    *comm = process ? process->comm : "";
    return rows_want_sample(&(struct sample_scope){&view->rows, &context}, site->pid, site->tid);
}

bool view_covers_wait(const struct view *view, const struct frame *frame,
                      const struct long_wait *wait)
{
    const struct watch *watch = &view_settings(view)->watch;
    const struct row *process = watch_all(watch) ? NULL : frame_row(frame, wait->pid, 0);
    if (!process)
        return watch_all(watch);
    struct watched watched = rows_watched(process, process->comm);
    watched.tid = wait->task.id;
    return watch_has(watch, &watched);
}

void view_stacks(const struct view *view, struct stack_tree *tree)
{
    const struct profile *profile = view->frame ? view->frame->profile : NULL;
    if (!profile)
        return;
    tree->instructions = stack_value(profile, "instructions");
    tree->cycles = stack_value(profile, "cycles");
    const char *comm;
    for (size_t s = 0; s < profile->site_count; s++)
        if (view_covers_site(view, &profile->sites[s], &comm))
            stack_tree_add(tree, profile, s, comm);
    stack_tree_sort(tree);
}

char *view_sort_event(const struct view *view)
{
    const struct column *column = &view->columns.columns[view_sort_column(view)];
    if (column->kind == COLUMN_EVENT)
        return mem_strdup(column->shown.name);
    size_t count = column->metric ? expr_event_count(column->metric->expr) : 0;
    const char *event = count > 0 ? expr_event(column->metric->expr, 0) : NULL;
    for (size_t i = 0; i < count; i++)
        if (alias_same(expr_event(column->metric->expr, i), "cycles"))
            event = expr_event(column->metric->expr, i);
    return mem_strdup(event);
}
