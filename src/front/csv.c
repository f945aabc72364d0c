#include "front/csv.h"
#include "base/mem.h"
#include "front/bound_metrics.h"
#include "front/task_info.h"

#include <stdlib.h>
#include <string.h>

struct csv {
    struct front front;
    struct view *view;
    enum view_kind kind; /* as asked for: tasks are always told, and groups besides */
    const struct view_lookup *lookup;
    bool safe; /* for spreadsheets */
    struct out out;
    struct str text;
    bool begun;          /* the line before has a field */
    struct frame *frame; /* on show, owned */
    struct bound_metrics metrics;
    char **events; /* of the header line, NULL at the end; NULL before it is written */
};

/* Fields. */

static void add_comma(struct csv *csv)
{
    if (csv->begun)
        str_add_char(&csv->text, ',');
    csv->begun = true;
}

/* Tabulators and carriage returns, which may begin one too, are escaped (str_add_visible). Some
 * spreadsheets take the wide forms of the characters as well. */
static bool begins_formula(const char *text)
{
    unsigned code = 0;
    str_utf8(text, &code);
    return (code && code < 0x80 && strchr("=+-@", (int)code)) || code == 0xff1d || code == 0xff0b ||
           code == 0xff0d || code == 0xff20;
}

static void csv_add_text(struct csv *csv, const char *text)
{
    struct str field;
    add_comma(csv);
    if (!text)
        return;
    str_init(&field);
    str_add_visible(&field, text);
    const char *quote = strpbrk(field.text, "\",") ? "\"" : "";
    bool begins = true;
    str_add(&csv->text, quote);
    for (const char *c = field.text; *c; c++) {
        if (csv->safe && begins && begins_formula(c))
            str_add_char(&csv->text, '\'');
        if (*c == '"')
            str_add_char(&csv->text, '"');
        str_add_char(&csv->text, *c);
        begins = *c == ',' || *c == ';' || *c == '"';
    }
    str_add(&csv->text, quote);
    str_release(&field);
}

static void csv_add_number(struct csv *csv, unsigned long long number)
{
    add_comma(csv);
    str_printf(&csv->text, "%llu", number);
}

static void add_known(struct csv *csv, long long number, bool known)
{
    add_comma(csv);
    if (known)
        str_printf(&csv->text, "%lld", number);
}

static void add_seconds(struct csv *csv, double seconds)
{
    add_comma(csv);
    str_printf(&csv->text, "%.9f", seconds);
}

static void add_empty(struct csv *csv, size_t fields)
{
    while (fields--)
        add_comma(csv);
}

static void csv_end_line(struct csv *csv)
{
    str_add_char(&csv->text, '\n');
    csv->begun = false;
}

/* The header line. */

static void add_pair(struct csv *csv, const char *what, const char *name)
{
    char *title = mem_printf("%s:%s", what, name);
    csv_add_text(csv, title);
    free(title);
}

/* The columns before those of events and metrics, and behind them: all others have a ':', or are
 * checked to be none of these. */
static const char *const leading[] = {"kind",   "seq",     "time",      "interval", "pid", "tid",
                                      "ppid",   "threads", "comm",      "user",     "cpu", "state",
                                      "exited", "name",    "processes", "oncpu",    NULL};
static const char *const trailing[] = {"lost_records",
                                       "throttled",
                                       "denied_tasks",
                                       "starved_tasks",
                                       "self_cpu_seconds",
                                       "self_descriptors",
                                       "self_rss_bytes",
                                       "host",
                                       "kernel",
                                       "cpu_model",
                                       "engine",
                                       "mode",
                                       "delay",
                                       "command",
                                       "notice",
                                       NULL};

enum { TOTAL_FIELDS = sizeof(trailing) / sizeof(trailing[0]) - 1 };

static bool is_among(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static bool csv_is_taken(const char *name)
{
    return is_among(leading, name) || is_among(trailing, name);
}

static void add_titles(struct csv *csv, const char *const *names)
{
    for (; *names; names++)
        csv_add_text(csv, *names);
}

static void csv_add_header(struct csv *csv)
{
    const struct event_set *set = csv->frame->events;
    const struct metric *metric;
    csv->events = mem_array(set->count + 1, sizeof(*csv->events));
    add_titles(csv, leading);
    for (size_t e = 0; e < set->count; e++) {
        const char *name = csv->events[e] = mem_strdup(set->events[e].name);
        if (csv_is_taken(name))
            add_pair(csv, "event", name);
        else
            csv_add_text(csv, name);
    }
    for (size_t e = 0; e < set->count; e++)
        add_pair(csv, "coverage", csv->events[e]);
    for (size_t m = 0; m < csv->metrics.metric_set->count; m++) {
        if (!(metric = bound_metrics_metric(&csv->metrics, m)))
            continue;
        if (csv_is_taken(metric->name) || event_set_find(set, metric->name) >= 0)
            add_pair(csv, "metric", metric->name);
        else
            csv_add_text(csv, metric->name);
    }
    add_titles(csv, trailing);
    for (size_t e = 0; e < set->count; e++) {
        add_pair(csv, "state", csv->events[e]);
        add_pair(csv, "reason", csv->events[e]);
    }
    csv_end_line(csv);
}

/* Whether the columns that were told are those of this set. */
static int csv_check_events(const struct csv *csv, const struct event_set *set, struct err *err)
{
    bool same = true;
    size_t e = 0;
    for (; e < set->count && same; e++)
        same = csv->events[e] && strcmp(csv->events[e], set->events[e].name) == 0;
    if (same && !csv->events[e])
        return 0;
    return err_set(err, "cannot go on with the columns of the first line: other events are counted "
                        "from here on; --format json tells them too");
}

/* Rows. */

static void begin_row(struct csv *csv, const char *kind)
{
    const struct frame *frame = csv->frame;
    csv_add_text(csv, kind);
    csv_add_number(csv, frame->seq);
    add_comma(csv);
    str_printf(&csv->text, "%.3f", frame->wall);
    add_seconds(csv, frame->interval);
}

static void add_event_fields(struct csv *csv, const struct row *row, bool known)
{
    const struct frame *frame = csv->frame;
    for (size_t e = 0; e < frame->events->count; e++) {
        bool counted = known && eval_event(frame, row, e).state != VALUE_MISSING;
        add_comma(csv);
        if (counted)
            str_printf(&csv->text, "%llu", (unsigned long long)row->counts[e].value);
    }
    for (size_t e = 0; e < frame->events->count; e++) {
        struct value value = eval_event(frame, row, e);
        add_comma(csv);
        if (known && value.state != VALUE_MISSING)
            str_printf(&csv->text, "%.6g", value.coverage);
    }
}

static void add_metric_fields(struct csv *csv, const struct row *row, bool info)
{
    for (size_t m = 0; m < csv->metrics.metric_set->count; m++) {
        if (!bound_metrics_metric(&csv->metrics, m))
            continue;
        struct value value = {.state = VALUE_MISSING};
        if (info)
            value = bound_metrics_value(&csv->metrics, m, csv->frame, row);
        add_comma(csv);
        if (value.state <= VALUE_SCALED)
            str_printf(&csv->text, "%.10g", value.number);
    }
}

/* What tasks, groups and CPUs did, and the end of their rows. */
static void csv_add_work(struct csv *csv, const struct row *row)
{
    add_comma(csv);
    if (row->state == EVENT_COUNTED)
        str_printf(&csv->text, "%.9f", row->oncpu);
    add_event_fields(csv, row, true);
    add_metric_fields(csv, row, true);
    add_empty(csv, TOTAL_FIELDS + 2 * csv->frame->events->count);
    csv_end_line(csv);
}

static void csv_add_task(struct csv *csv, const struct row *row, bool thread)
{
    struct task_info info;
    char number[TASK_INFO_NUMBER_SIZE];
    task_info_task(&info, csv->lookup, row, thread);
    begin_row(csv, "task");
    add_known(csv, row->pid, true);
    add_known(csv, row->tid, true);
    add_known(csv, row->ppid, true);
    add_known(csv, (long long)info.threads, info.threads > 0);
    csv_add_text(csv, row->comm);
    csv_add_text(csv, task_info_user(csv->lookup, row->uid, number));
    add_known(csv, row->cpu, row->cpu >= 0);
    csv_add_text(csv, info.state);
    csv_add_number(csv, row->exited);
    add_empty(csv, 2);
    csv_add_work(csv, row);
}

static void csv_add_cpu(struct csv *csv, const struct row *row)
{
    begin_row(csv, "cpu");
    add_empty(csv, 6);
    add_known(csv, row->cpu, true);
    add_empty(csv, 4);
    csv_add_work(csv, row);
}

/* Processes added up, under the name that they share. */
static void csv_add_group(struct csv *csv, size_t index)
{
    const struct row *row = view_row(csv->view, index);
    char number[TASK_INFO_NUMBER_SIZE];
    const char *cgroup, *name = row->comm;
    size_t processes = view_row_processes(csv->view, index, &cgroup);
    begin_row(csv, "group");
    add_empty(csv, 3);
    csv_add_number(csv, row->threads);
    add_empty(csv, 5);
    if (csv->kind == VIEW_USERS)
        name = task_info_user(csv->lookup, row->uid, number);
    else if (csv->kind == VIEW_CGROUPS)
        name = cgroup;
    csv_add_text(csv, name);
    csv_add_number(csv, processes);
    csv_add_work(csv, row);
}

static void csv_add_groups(struct csv *csv)
{
    view_settings(csv->view)->kind = csv->kind;
    view_apply(csv->view);
    for (size_t r = 0; r < view_rows(csv->view); r++)
        csv_add_group(csv, r);
}

/* The counts of a line of the books that is no task; its fields are empty where the source does not
 * keep it. */
static void add_book_row(struct csv *csv, const char *kind, const struct row *row, bool known)
{
    begin_row(csv, kind);
    add_empty(csv, 12);
    add_event_fields(csv, row, known);
    add_metric_fields(csv, row, false);
}

static void add_session(struct csv *csv, const struct session *session)
{
    static const char *const modes[] = {"all", "user", "kernel"};
    const struct event_set *set = csv->frame->events;
    csv_add_text(csv, session->host);
    csv_add_text(csv, session->kernel);
    csv_add_text(csv, session->cpu_model);
    csv_add_text(csv, session->engine);
    csv_add_text(csv, modes[session->mode]);
    add_comma(csv);
    if (session->delay > 0)
        str_printf(&csv->text, "%.10g", session->delay);
    csv_add_text(csv, session->command);
    csv_add_text(csv, session->notice);
    for (size_t e = 0; e < set->count; e++) {
        csv_add_text(csv, event_state_name(set->events[e].state));
        csv_add_text(csv, set->events[e].reason);
    }
}

static void add_total(struct csv *csv, const struct session *session)
{
    const struct frame *frame = csv->frame;
    add_book_row(csv, "total", &frame->total, true);
    csv_add_number(csv, frame->lost_records);
    csv_add_number(csv, frame->throttled);
    csv_add_number(csv, frame->denied_tasks);
    csv_add_number(csv, frame->starved_tasks);
    add_seconds(csv, frame->self_cpu);
    if (frame_has_descriptors(frame))
        csv_add_number(csv, frame->self_descriptors);
    else
        add_empty(csv, 1);
    if (frame->self_rss)
        csv_add_number(csv, frame->self_rss);
    else
        add_empty(csv, 1);
    add_session(csv, session);
    csv_end_line(csv);
}

static void add_books(struct csv *csv, const struct session *session)
{
    const struct frame *frame = csv->frame;
    size_t rest = TOTAL_FIELDS + 2 * frame->events->count;
    add_book_row(csv, "idle", &frame->idle, frame->has_cpus);
    add_empty(csv, rest);
    csv_end_line(csv);
    add_book_row(csv, "unattributed", &frame->unattributed, frame->has_cpus);
    add_empty(csv, rest);
    csv_end_line(csv);
    add_total(csv, session);
}

static int csv_present(struct front *front, const struct session *session, struct frame *frame,
                       struct err *err)
{
    struct csv *csv = (struct csv *)front;
    frame_free(csv->frame);
    csv->frame = frame;
    view_settings(csv->view)->kind = VIEW_TASKS; /* cpus have rows of their own here */
    view_set_frame(csv->view, frame);
    bound_metrics_use(&csv->metrics, frame->events);
    if (!csv->events)
        csv_add_header(csv);
    if (csv_check_events(csv, frame->events, err) < 0)
        return -1;
    bool threads = view_settings(csv->view)->threads;
    for (size_t r = 0; r < view_rows(csv->view); r++)
        csv_add_task(csv, view_row(csv->view, r), threads);
    if (csv->kind == VIEW_USERS || csv->kind == VIEW_COMMANDS || csv->kind == VIEW_CGROUPS)
        csv_add_groups(csv);
    for (size_t c = 0; c < frame->cpu_count; c++)
        csv_add_cpu(csv, &frame->cpus[c]);
    add_books(csv, session);
    return out_write(&csv->out, &csv->text, err);
}

static void close_csv(struct front *front)
{
    struct csv *csv = (struct csv *)front;
    view_set_frame(csv->view, NULL);
    frame_free(csv->frame);
    bound_metrics_release(&csv->metrics);
    for (size_t e = 0; csv->events && csv->events[e]; e++)
        free(csv->events[e]);
    free(csv->events);
    str_release(&csv->text);
    out_close(&csv->out);
    free(csv);
}

struct front *csv_new(struct view *view, const struct metric_set *metric_set,
                      const struct view_lookup *lookup, bool safe, struct out out)
{
    static const struct front_ops ops = {.present = csv_present, .close = close_csv};
    struct csv *csv = mem_alloc(sizeof(*csv));
    *csv = (struct csv){.front = {&ops}, .view = view, .lookup = lookup, .safe = safe, .out = out};
    csv->kind = view_settings(view)->kind;
    bound_metrics_init(&csv->metrics, metric_set);
    str_init(&csv->text);
    return &csv->front;
}
