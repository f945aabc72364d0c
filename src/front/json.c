#include "front/json.h"
#include "base/mem.h"
#include "front/bound_metrics.h"
#include "front/task_info.h"

#include <stdlib.h>
#include <string.h>

struct json {
    struct front front;
    struct view *view;
    enum view_kind kind; /* as asked for: tasks are always told, and groups besides */
    const struct view_lookup *lookup;
    struct out out;
    struct str line;
    struct frame *frame;          /* on show, owned */
    struct bound_metrics metrics; /* of the events told in the last header */
};

static void json_add_key(struct str *line, const char *name)
{
    if (line->text[line->length - 1] != '{')
        str_add_char(line, ',');
    str_add_json_text(line, name);
    str_add_char(line, ':');
}

/* Header. */

static void json_add_event(struct str *line, const struct event_info *event)
{
    str_add(line, "{");
    json_add_key(line, "name");
    str_add_json_text(line, event->name);
    json_add_key(line, "pmu");
    str_add_json_text(line, event->pmu);
    json_add_key(line, "state");
    str_add_json_text(line, event_state_name(event->state));
    json_add_key(line, "reason");
    str_add_json_text(line, event->reason);
    json_add_key(line, "unit");
    str_add_json_text(line, event->unit);
    json_add_key(line, "scale"); /* a count times this is in that unit */
    str_printf(line, "%.17g", event->scale);
    json_add_key(line, "encoding");
    str_add_json_text(line, event->encoding);
    str_add(line, "}");
}

static void json_add_header(struct json *json, const struct session *session,
                            const struct frame *frame)
{
    static const char *const modes[] = {"all", "user", "kernel"};
    struct str *line = &json->line;
    str_printf(line, "{\"type\":\"header\",\"version\":\"%s\"", COUNTERTOP_VERSION);
    const struct {
        const char *key, *text;
    } facts[] = {
        {"host", session->host},
        {"kernel", session->kernel},
        {"cpu_model", session->cpu_model},
    };
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        json_add_key(line, facts[i].key);
        str_add_json_text(line, facts[i].text);
    }
    str_add(line, ",\"cpus\":[");
    for (size_t c = 0; c < session->cpus.count; c++)
        str_printf(line, "%s%d", c ? "," : "", session->cpus.cpus[c]);
    str_add(line, "]");
    json_add_key(line, "engine");
    str_add_json_text(line, session->engine);
    json_add_key(line, "engine_reason");
    str_add_json_text(line, session->engine_reason);
    json_add_key(line, "notice");
    str_add_json_text(line, *session->notice ? session->notice : NULL);
    json_add_key(line, "command");
    str_add_json_text(line, session->command);
    json_add_key(line, "mode");
    str_add_json_text(line, modes[session->mode]);
    json_add_key(line, "delay");
    if (session->delay > 0)
        str_printf(line, "%.10g", session->delay);
    else
        str_add(line, "null");
    str_add(line, ",\"events\":[");
    for (size_t e = 0; e < frame->events->count; e++) {
        str_add(line, e ? "," : "");
        json_add_event(line, &frame->events->events[e]);
    }
    str_add(line, "],\"metrics\":[");
    bool first = true;
    for (size_t m = 0; m < json->metrics.metric_set->count; m++) {
        const struct metric *metric = bound_metrics_metric(&json->metrics, m);
        if (!metric)
            continue;
        str_add(line, first ? "{" : ",{");
        json_add_key(line, "name");
        str_add_json_text(line, metric->name);
        json_add_key(line, "expr");
        str_add_json_text(line, metric->text);
        json_add_key(line, "unit");
        str_add_json_text(line, metric->unit.text);
        str_add(line, "}");
        first = false;
    }
    str_add(line, "]}\n");
}

/* Rows. */

static void add_counts(struct str *line, const struct frame *frame, const struct row *row)
{
    json_add_key(line, "counts");
    str_add(line, "{");
    for (size_t e = 0; e < frame->events->count; e++) {
        json_add_key(line, frame->events->events[e].name);
        if (eval_event(frame, row, e).state != VALUE_MISSING)
            str_printf(line, "%llu", (unsigned long long)row->counts[e].value);
        else
            str_add(line, "null");
    }
    str_add(line, "}");
}

static void json_add_coverage(struct str *line, const struct frame *frame, const struct row *row)
{
    json_add_key(line, "coverage");
    str_add(line, "{");
    for (size_t e = 0; e < frame->events->count; e++) {
        if (eval_event(frame, row, e).state != VALUE_SCALED)
            continue;
        json_add_key(line, frame->events->events[e].name);
        str_printf(line, "%.6g", row->counts[e].coverage);
    }
    str_add(line, "}");
}

static void json_add_metrics(struct json *json, const struct row *row)
{
    struct str *line = &json->line;
    json_add_key(line, "metrics");
    str_add(line, "{");
    for (size_t m = 0; m < json->metrics.metric_set->count; m++) {
        const struct metric *metric = bound_metrics_metric(&json->metrics, m);
        if (!metric)
            continue;
        struct value value = bound_metrics_value(&json->metrics, m, json->frame, row);
        json_add_key(line, metric->name);
        if (value.state <= VALUE_SCALED)
            str_printf(line, "%.10g", value.number);
        else
            str_add(line, "null");
    }
    str_add(line, "}");
}

/* The three lines of the books that are no tasks; null where the source does not keep them. */
static void json_add_summary(struct json *json, const char *name, const struct row *row, bool known)
{
    json_add_key(&json->line, name);
    if (!known) {
        str_add(&json->line, "null");
        return;
    }
    str_add(&json->line, "{");
    add_counts(&json->line, json->frame, row);
    json_add_coverage(&json->line, json->frame, row);
    str_add(&json->line, "}");
}

/* From 0 to 1; negative: not known. */
static void add_share(struct str *line, double share)
{
    json_add_key(line, "busy");
    if (share >= 0)
        str_printf(line, "%.6f", share);
    else
        str_add(line, "null");
}

/* The machine's CPUs, whoever is counted. */
static void json_add_machine(struct str *line, const struct machine_load *load)
{
    size_t cpus;
    json_add_key(line, "machine");
    str_add(line, "{");
    add_share(line, load_busy(load, &cpus));
    json_add_key(line, "reason");
    str_add_json_text(line, load->reason);
    str_add(line, ",\"cpus\":[");
    for (size_t c = 0; c < load->count; c++) {
        str_printf(line, "%s{\"cpu\":%d", c ? "," : "", load->cpus[c].cpu);
        add_share(line, load_share(&load->cpus[c]));
        str_add(line, "}");
    }
    str_add(line, "]}");
}

static void json_add_cpu(struct json *json, const struct row *row)
{
    struct str *line = &json->line;
    str_printf(line, "{\"cpu\":%d", row->cpu);
    add_share(line, load_share(load_find(&json->frame->load, row->cpu)));
    str_printf(line, ",\"oncpu\":%.9f", row->oncpu);
    add_counts(line, json->frame, row);
    json_add_coverage(line, json->frame, row);
    json_add_metrics(json, row);
    str_add(line, "}");
}

static void json_add_number(struct str *line, const char *name, long long number, bool known)
{
    json_add_key(line, name);
    if (known)
        str_printf(line, "%lld", number);
    else
        str_add(line, "null");
}

static void json_add_user(struct json *json, const char *key, uid_t uid)
{
    char number[TASK_INFO_NUMBER_SIZE];
    json_add_key(&json->line, key);
    str_add_json_text(&json->line, task_info_user(json->lookup, uid, number));
}

/* What tasks and groups have in common. */
static void json_add_work(struct json *json, const struct row *row)
{
    struct str *line = &json->line;
    if (row->state == EVENT_COUNTED)
        str_printf(line, ",\"oncpu\":%.9f", row->oncpu);
    else
        str_add(line, ",\"oncpu\":null");
    add_counts(line, json->frame, row);
    json_add_coverage(line, json->frame, row);
    json_add_metrics(json, row);
    str_add(line, "}");
}

static void json_add_task(struct json *json, const struct row *row, bool thread)
{
    struct str *line = &json->line;
    struct task_info info;
    task_info_task(&info, json->lookup, row, thread);
    str_add(line, "{");
    json_add_number(line, "pid", row->pid, true);
    json_add_number(line, "tid", row->tid, true);
    json_add_number(line, "ppid", row->ppid, true);
    json_add_number(line, "threads", (long long)info.threads, info.threads > 0);
    json_add_key(line, "comm");
    str_add_json_text(line, row->comm);
    json_add_user(json, "user", row->uid);
    json_add_number(line, "cpu", row->cpu, row->cpu >= 0);
    json_add_key(line, "state");
    str_add_json_text(line, info.state[0] ? info.state : NULL);
    str_printf(line, ",\"exited\":%s", row->exited ? "true" : "false");
    json_add_work(json, row);
}

/* Processes added up, under the name that they share. */
static void json_add_group(struct json *json, size_t row)
{
    const struct row *sum = view_row(json->view, row);
    struct str *line = &json->line;
    const char *cgroup;
    size_t processes = view_row_processes(json->view, row, &cgroup);
    str_add(line, "{");
    if (json->kind == VIEW_USERS) {
        json_add_user(json, "name", sum->uid);
    } else {
        json_add_key(line, "name");
        str_add_json_text(line, json->kind == VIEW_COMMANDS ? sum->comm : cgroup);
    }
    json_add_number(line, "processes", (long long)processes, true);
    json_add_number(line, "threads", (long long)sum->threads, true);
    json_add_work(json, sum);
}

static void json_add_groups(struct json *json)
{
    struct str *line = &json->line;
    view_settings(json->view)->kind = json->kind;
    view_apply(json->view);
    str_add(line, ",\"groups\":[");
    for (size_t r = 0; r < view_rows(json->view); r++) {
        str_add(line, r ? "," : "");
        json_add_group(json, r);
    }
    str_add(line, "]");
}

static void add_refresh(struct json *json)
{
    const struct frame *frame = json->frame;
    struct str *line = &json->line;
    str_printf(line, "{\"type\":\"refresh\",\"seq\":%llu,\"time\":%.3f,\"interval\":%.9f",
               (unsigned long long)frame->seq, frame->wall, frame->interval);
    json_add_summary(json, "total", &frame->total, true);
    json_add_summary(json, "idle", &frame->idle, frame->has_cpus);
    json_add_summary(json, "unattributed", &frame->unattributed, frame->has_cpus);
    json_add_machine(line, &frame->load);
    str_printf(line,
               ",\"lost_records\":%llu,\"throttled\":%llu,\"denied_tasks\":%llu,"
               "\"starved_tasks\":%llu,\"self\":{\"cpu_seconds\":%.9f,\"seconds\":%.9f",
               (unsigned long long)frame->lost_records, (unsigned long long)frame->throttled,
               (unsigned long long)frame->denied_tasks, (unsigned long long)frame->starved_tasks,
               frame->self_cpu, frame->self_seconds);
    json_add_number(line, "descriptors", (long long)frame->self_descriptors,
                    frame_has_descriptors(frame));
    json_add_number(line, "rss_bytes", (long long)frame->self_rss, frame->self_rss > 0);
    str_add(line, "},\"cpus\":[");
    for (size_t c = 0; c < frame->cpu_count; c++) {
        str_add(line, c ? "," : "");
        json_add_cpu(json, &frame->cpus[c]);
    }
    str_add(line, "],\"tasks\":[");
    bool threads = view_settings(json->view)->threads;
    for (size_t r = 0; r < view_rows(json->view); r++) {
        str_add(line, r ? "," : "");
        json_add_task(json, view_row(json->view, r), threads);
    }
    str_add(line, "]");
    if (json->kind == VIEW_USERS || json->kind == VIEW_COMMANDS || json->kind == VIEW_CGROUPS)
        json_add_groups(json);
    str_add(line, "}\n");
}

static int json_present(struct front *front, const struct session *session, struct frame *frame,
                        struct err *err)
{
    struct json *json = (struct json *)front;
    frame_free(json->frame);
    json->frame = frame;
    view_settings(json->view)->kind = VIEW_TASKS; /* cpus have a place of their own here */
    view_set_frame(json->view, frame);
    if (bound_metrics_use(&json->metrics, frame->events))
        json_add_header(json, session, frame);
    add_refresh(json);
    return out_write(&json->out, &json->line, err);
}

static void close_json(struct front *front)
{
    struct json *json = (struct json *)front;
    view_set_frame(json->view, NULL);
    frame_free(json->frame);
    bound_metrics_release(&json->metrics);
    str_release(&json->line);
    out_close(&json->out);
    free(json);
}

struct front *json_new(struct view *view, const struct metric_set *metric_set,
                       const struct view_lookup *lookup, struct out out)
{
    static const struct front_ops ops = {
        .present = json_present,
        .close = close_json,
    };
    struct json *json = mem_alloc(sizeof(*json));
    *json = (struct json){.front = {&ops}, .view = view, .lookup = lookup, .out = out};
    bound_metrics_init(&json->metrics, metric_set);
    json->kind = view_settings(view)->kind;
    str_init(&json->line);
    return &json->front;
}
