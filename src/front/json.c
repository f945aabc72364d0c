/* Batch output as JSON Lines: one object per refresh, exact integers, null for unknown values; an
 * object with the machine and the events before the first, and when the events change. */
#include "front/batch.h"
#include "base/json.h"
#include "view/sampling.h"

static void json_add_header(const struct batch *batch, struct str *line,
                            const struct session *session)
{
    json_open(line, NULL, '{');
    json_text(line, "type", "header");
    json_text(line, "version", COUNTERTOP_VERSION);
    json_text(line, "host", session->host);
    json_text(line, "kernel", session->kernel);
    json_text(line, "cpu_model", session->cpu_model);
    json_open(line, "cpus", '[');
    for (size_t c = 0; c < session->cpus.count; c++)
        json_number(line, NULL, "%d", session->cpus.cpus[c]);
    json_close(line, ']');
    json_text(line, "engine", session->engine);
    json_text(line, "engine_reason", session->engine_reason);
    json_text(line, "notice", *session->notice ? session->notice : NULL);
    json_text(line, "command", session->command);
    json_text(line, "mode", session_mode(session));
    json_known(line, "delay", session->delay > 0, "%.10g", session->delay);
    const struct session_alarm *alarm = &session->alarm;
    if (alarm->condition) {
        json_open(line, "alarm", '{');
        json_text(line, "condition", alarm->condition);
        json_number(line, "time", "%.3f", alarm->time);
        json_known(line, "pid", alarm->pid > 0, "%d", alarm->pid);
        json_known(line, "tid", alarm->tid > 0, "%d", alarm->tid);
        json_known(line, "value", !isnan(alarm->value), "%.10g", alarm->value);
        json_close(line, '}');
    }
    json_open(line, "events", '[');
    for (size_t e = 0; e < batch->events->count; e++) {
        const struct event_info *event = &batch->events->events[e];
        json_open(line, NULL, '{');
        json_text(line, "name", event->name);
        json_text(line, "pmu", event->pmu);
        json_text(line, "state", event_state_name(event->state));
        json_text(line, "reason", event->reason);
        json_text(line, "unit", event->unit);
        json_number(line, "scale", "%.17g", event->scale); /* a count times this is in that unit */
        json_text(line, "encoding", event->encoding);
        json_close(line, '}');
    }
    json_close(line, ']');
    json_open(line, "metrics", '[');
    for (size_t m = 0; m < batch->metric_count; m++) {
        const struct metric *metric = batch->metrics[m].metric;
        json_open(line, NULL, '{');
        json_text(line, "name", metric->name);
        json_text(line, "expr", metric->text);
        json_text(line, "unit", metric->unit.text);
        json_close(line, '}');
    }
    json_close(line, ']');
    json_close(line, '}');
    str_add_char(line, '\n');
}

static void json_add_counts(struct str *line, const struct frame *frame, const struct row *row)
{
    const struct event_set *set = frame->events;
    json_open(line, "counts", '{');
    for (size_t e = 0; e < set->count; e++)
        json_known(line, set->events[e].name, eval_event(frame, row, e).state != VALUE_MISSING,
                   "%llu", (unsigned long long)row->counts[e].value);
    json_close(line, '}');
    json_open(line, "coverage", '{');
    for (size_t e = 0; e < set->count; e++)
        if (eval_event(frame, row, e).state == VALUE_SCALED)
            json_number(line, set->events[e].name, "%.6g", row->counts[e].coverage);
    json_close(line, '}');
}

/* Adds counts and metrics of a task, group or CPU, and ends its object. */
void json_end_row(const struct batch *batch, struct str *line, const struct row *row)
{
    json_add_counts(line, batch->frame, row);
    json_open(line, "metrics", '{');
    for (size_t m = 0; m < batch->metric_count; m++) {
        const struct batch_metric *metric = &batch->metrics[m];
        struct value value = batch_value(batch, metric, row);
        json_known(line, metric->metric->name, value.state <= VALUE_SCALED, "%.10g", value.number);
    }
    json_close(line, '}');
    json_close(line, '}');
}

/* Adds idle, unattributed or total; null if the source does not know it. */
static void json_add_summary(struct str *line, const char *key, const struct frame *frame,
                             const struct row *row, bool known)
{
    if (!known) {
        json_text(line, key, NULL);
        return;
    }
    json_open(line, key, '{');
    json_add_counts(line, frame, row);
    json_close(line, '}');
}

/* Adds the load of the machine's CPUs, including tasks that are not counted. */
static void json_add_machine(struct str *line, const struct machine_load *load)
{
    size_t cpus;
    double busy = load_mean(load, CPU_BUSY, &cpus);
    json_open(line, "machine", '{');
    json_known(line, "busy", busy >= 0, "%.6f", busy);
    json_text(line, "reason", load->reason);
    json_open(line, "cpus", '[');
    for (size_t c = 0; c < load->count; c++) {
        json_open(line, NULL, '{');
        json_number(line, "cpu", "%d", load->cpus[c].cpu);
        double share = load_share(&load->cpus[c]);
        json_known(line, "busy", share >= 0, "%.6f", share);
        for (size_t i = CPU_KERNEL; i < CPU_TIMES; i++) {
            double part = kernel_times_ratio(&load->cpus[c].kernel_times, i, CPU_TIME);
            json_known(line, kernel_times_of_cpu[i].column, part >= 0, "%.6f", part);
        }
        json_close(line, '}');
    }
    json_close(line, ']');
    json_open(line, "pressure", '{');
    json_text(line, "reason", load->no_pressure);
    for (int p = 0; p < PRESSURES; p++) {
        double some = load_pressure(load, (enum pressure)p, false);
        double full = load_pressure(load, (enum pressure)p, true);
        json_open(line, pressure_names[p], '{');
        json_known(line, "some", some >= 0, "%.6f", some);
        json_known(line, "full", full >= 0, "%.6f", full);
        json_close(line, '}');
    }
    json_close(line, '}');
    json_close(line, '}');
}

static void json_add_waits(const struct batch *batch, struct str *line, const struct row *row)
{
    struct task_wait wait;
    if (!view_waits(batch->in.view, row, &wait))
        return;
    if (!wait.kind && !wait.reason) {
        json_text(line, "waits_for", NULL);
        return;
    }
    json_open(line, "waits_for", '{');
    json_text(line, "kind", wait.kind);
    json_text(line, "text", wait.text);
    json_known(line, "pid", wait.pid > 0, "%d", (int)wait.pid);
    json_text(line, "address", wait.address);
    json_text(line, "path", wait.path);
    json_text(line, "reason", wait.reason);
    json_text(line, "deadlock", wait.deadlock);
    json_close(line, '}');
}

/* Adds the name of the container that has the cgroup, if it is known. */
static void json_add_container(const struct batch *batch, struct str *line, const char *path)
{
    const char *name = task_info_container(batch->in.view, path);
    if (name)
        json_text(line, "container", name);
}

/* Adds where the task was at the end of the interval; and where it ran, if that was more than one
 * cgroup. Null where it is not known. */
static void json_add_cgroup(const struct batch *batch, struct str *line, const struct row *row)
{
    const struct frame *frame = batch->frame;
    json_text(line, "cgroup", frame_cgroup(frame, row));
    json_add_container(batch, line, frame_cgroup(frame, row));
    if (!row->part_count)
        return;
    json_open(line, "cgroups", '[');
    for (size_t p = 0; p < row->part_count; p++) {
        json_open(line, NULL, '{');
        json_text(line, "path", frame_cgroup(frame, &row->parts[p]));
        json_add_container(batch, line, frame_cgroup(frame, &row->parts[p]));
        json_number(line, "oncpu", "%.9f", row->parts[p].oncpu);
        json_add_counts(line, frame, &row->parts[p]);
        json_close(line, '}');
    }
    json_close(line, ']');
}

/* Adds who had the CPU that a row waited for; with the other parts of its waiting, in s. */
void json_add_taken(struct str *line, const struct row *row)
{
    const struct wait_takers *takers = row->wait_facts ? row->wait_facts->takers : NULL;
    if (!takers)
        return;
    json_open(line, "taken_by", '[');
    for (size_t i = 0; i < takers->count; i++) {
        json_open(line, NULL, '{');
        json_text(line, "comm", task_known_name(takers->list[i].comm));
        json_number(line, "pid", "%d", (int)takers->list[i].pid);
        json_number(line, "seconds", "%.9f", (double)takers->list[i].taken / 1e9);
        json_bool(line, "exact", takers->list[i].sure == takers->list[i].taken);
        json_close(line, '}');
    }
    json_close(line, ']');
    json_open(line, "taken", '{');
    for (enum no_taker n = 0; n < NO_TAKERS; n++)
        json_number(line, no_taker_names[n], "%.9f", (double)takers->none[n] / 1e9);
    json_close(line, '}');
}

void json_add_long_wait(struct str *line, const struct frame *frame, const struct long_wait *wait)
{
    json_number(line, "time", "%.6f", wait->time);
    json_number(line, "seconds", "%.9f", (double)wait->length / 1e9);
    json_number(line, "pid", "%d", (int)wait->pid);
    json_number(line, "tid", "%d", (int)wait->task.id);
    json_text(line, "comm", task_known_name(wait->task.comm));
    json_text(line, "kind", wait->woken ? "wakeup" : "preempted");
    json_known(line, "waker", wait->woken && !wait->interrupt && wait->waker.id >= 0, "%d",
               (int)wait->waker.id);
    json_text(line, "waker_comm",
              !wait->woken      ? NULL
              : wait->interrupt ? "interrupt"
                                : task_known_name(wait->waker.comm));
    json_known(line, "taker", wait->taker.id > 0, "%d", (int)wait->taker.id);
    json_text(line, "taker_comm", wait->taker.id > 0 ? task_known_name(wait->taker.comm) : NULL);
    json_number(line, "taken", "%.9f", (double)wait->taken / 1e9);
    AUTO_NAMES struct names stack = {0};
    functions_of_wait(frame->profile, wait, &stack);
    if (stack.count > 0)
        json_texts(line, "stack", (const char *const *)stack.items, stack.count);
}

static void json_add_long_waits(struct batch *batch, struct str *line)
{
    const struct long_wait *wait;
    if (!batch->frame->long_waits)
        return;
    json_open(line, "long_waits", '[');
    for (size_t at = 0; (wait = batch_next_wait(batch, &at));) {
        json_open(line, NULL, '{');
        json_add_long_wait(line, batch->frame, wait);
        json_close(line, '}');
    }
    json_close(line, ']');
}

static void json_add_task(struct batch *batch, size_t index)
{
    struct task_info info;
    char number[USER_NUMBER], path[4096];
    struct str *line = &batch->text;
    const struct row *row = view_row(batch->in.view, index);
    task_info_task(&info, batch->in.view, row);
    json_number(line, "pid", "%d", (int)row->pid);
    json_number(line, "tid", "%d", (int)row->tid);
    json_number(line, "ppid", "%d", (int)row->ppid);
    json_known(line, "threads", info.threads > 0, "%zu", info.threads);
    json_text(line, "comm", task_known_name(row->comm));
    json_text(line, "user", view_user(view_lookup_of(batch->in.view), row->uid, number));
    json_known(line, "cpu", row->cpu >= 0, "%d", row->cpu);
    json_text(line, "state", info.state[0] ? info.state : NULL);
    if (!batch->frame->cgroups) { /* the source does not know it, but /proc */
        const char *cgroup = view_cgroup(batch->in.view, row, path, sizeof(path));
        json_text(line, "cgroup", cgroup);
        json_add_container(batch, line, cgroup);
    }
    json_bool(line, "exited", row->exited && !row->again);
    json_known(line, "oncpu", row->state == EVENT_COUNTED, "%.9f", row->oncpu);
    json_add_waits(batch, line, row);
    json_add_taken(line, row);
}

/* Counts and metrics of rows that are asleep are the same. */
static void json_add_tasks(struct batch *batch, struct str *line)
{
    struct view *view = batch->in.view;
    struct task_wait wait;
    AUTO_STR struct str asleep = str_new();
    const struct row *first = batch_first_asleep(batch);
    bool keeps = first && !view_waits(view, first, &wait);
    bool cgroups = batch->frame->cgroups;
    str_printf(&asleep, "%d", view_settings(view)->threads + 2 * cgroups); /* a comma follows */
    if (keeps)
        json_end_row(batch, &asleep, first);
    batch_begin_rows(batch, keeps ? asleep.text : NULL);
    json_open(line, "tasks", '[');
    for (size_t r = 0; r < view_rows(view); r++) {
        const struct row *row = view_row(view, r);
        json_open(line, NULL, '{');
        batch_add_row(batch, r, json_add_task);
        if (cgroups)
            json_add_cgroup(batch, line, row);
        if (keeps && row->asleep)
            str_add(line, asleep.text + 1);
        else
            json_end_row(batch, line, row);
    }
    json_close(line, ']');
}

static void json_add_instructions(const struct batch *batch, struct str *line)
{
    const struct view *view = batch->in.view;
    const struct functions *functions = view_functions(view);
    const struct annotated *annotated = view_annotated(view);
    const struct line_inline *inlined[LINE_INLINES_MAX];
    char name[1024], address[32];
    double weight = (double)functions->weight;
    if (annotated) {
        const struct code_object *object = &annotated->function.object;
        function_text(&annotated->function, name, sizeof(name));
        json_open(line, "function", '{');
        json_text(line, "function", name);
        json_text(line, "object", *object->path ? object->path : object->name);
        json_number(line, "samples", "%llu", (unsigned long long)functions->samples);
        json_number(line, "share", "%.6g",
                    functions->all_weight ? weight / (double)functions->all_weight : 0.0);
        json_text(line, "reason", functions->listing ? functions->listing->reason : NULL);
        json_text(line, "lines", source_lines_reason(&functions->source));
        json_close(line, '}');
    }
    json_open(line, "instructions", '[');
    for (size_t r = 0; r < view_rows(view); r++) {
        const struct code_line *code = view_row_code(view, r);
        const struct code_instruction *instruction = code->instruction;
        const struct function *row = view_row_function(view, r);
        snprintf(address, sizeof(address), "0x%llx", (unsigned long long)instruction->address);
        json_open(line, NULL, '{');
        json_text(line, "address", address);
        json_number(line, "samples", "%llu", (unsigned long long)row->samples);
        json_number(line, "share", "%.6g", weight > 0 ? (double)row->weight / weight : 0.0);
        json_text(line, "text", code_listing_text(functions->listing, instruction));
        json_text(line, "file", code->place.file);
        json_known(line, "line", code->place.file, "%u", code->place.line);
        json_open(line, "inlined", '[');
        size_t depth = source_lines_inlined(&functions->source, code, inlined);
        for (size_t i = 0; i < depth; i++)
            json_text(line, NULL, inlined[i]->name);
        json_close(line, ']');
        json_end_row(batch, line, view_row(view, r));
    }
    json_close(line, ']');
}

/* Adds what was sampled, and the functions in which it happened. */
static void json_add_functions(const struct batch *batch, struct str *line)
{
    const struct view *view = batch->in.view;
    const struct profile *profile = batch->frame->profile;
    const struct functions *functions = view_functions(view);
    double explained = view_explained(view);
    bool switches = profile_waits(profile) >= 0;
    json_open(line, "sampling", '{');
    json_text(line, "event", profile->event);
    json_number(line, "rate", "%llu", (unsigned long long)profile->rate);
    json_number(line, "samples", "%llu", (unsigned long long)functions->all_samples);
    json_number(line, "lost", "%llu", (unsigned long long)profile->lost);
    json_number(line, "throttled", "%llu", (unsigned long long)profile->throttled);
    json_known(line, "seconds", profile->duration > 0, "%.9f", (double)profile->duration / 1e9);
    json_known(line, "explained", explained >= 0, "%.6g", explained);
    struct running running = view_running(view);
    json_text(line, "by", profile->wall ? "wall" : "cpu");
    json_known(line, "threads", running.threads > 0, "%zu", running.threads);
    json_known(line, "running", running.threads > 0, "%.6g", running.mean);
    json_known(line, "alone", running.threads > 0, "%.6g", running.alone);
    json_known(line, "precise", profile->samples > 0, "%.6g",
               (double)profile->exact / (double)profile->samples);
    json_text(line, "stacks", stacks_words[profile->stacks]);
    bool stacks = profile->stacks != STACKS_NONE, copies = profile->stacks == STACKS_DWARF;
    json_known(line, "short_stacks", stacks, "%llu", (unsigned long long)profile->short_stacks);
    json_known(line, "unwound", copies, "%llu", (unsigned long long)profile->unwound);
    json_known(line, "late", copies, "%llu", (unsigned long long)profile->late);
    json_known(line, "copied_bytes", copies, "%llu", (unsigned long long)profile->copied);
    json_known(line, "unwinding_seconds", copies, "%.6g", (double)profile->unwinding / 1e9);
    json_text(line, "note",
              !profile_note(profile) && explained > 1
                  ? "some of what was sampled is not counted yet"
                  : profile_note(profile));
    json_close(line, '}');
    if (batch->kind == VIEW_INSTRUCTIONS) {
        json_add_instructions(batch, line);
        return;
    }
    json_open(line, "functions", '[');
    for (size_t r = 0; r < view_rows(view); r++) {
        const struct function *function = view_row_function(view, r);
        char name[1024];
        function_text(function, name, sizeof(name));
        json_open(line, NULL, '{');
        json_text(line, "function", name);
        json_bool(line, "named", function->code.state == CODE_NAMED);
        json_text(line, "object",
                  *function->object.path ? function->object.path : function->object.name);
        json_text(line, "reason", function->object.reason);
        json_text(line, "pid", NULL);
        json_number(line, "samples", "%llu", (unsigned long long)function->samples);
        json_number(line, "share", "%.6g",
                    (double)function->weight / (double)(functions->weight ? functions->weight : 1));
        for (size_t w = 0; w < PROFILE_WAITS; w++)
            json_known(line, profile_wait_names[w], switches, "%.9f",
                       (double)function->waits[w] / 1e9);
        json_end_row(batch, line, view_row(view, r));
    }
    json_close(line, ']');
}

static void json_add_refresh(struct batch *batch, struct str *line, const struct session *session)
{
    const struct frame *frame = batch->frame;
    struct view *view = batch->in.view;
    json_open(line, NULL, '{');
    json_text(line, "type", "refresh");
    json_number(line, "seq", "%llu", (unsigned long long)frame->seq);
    json_number(line, "time", "%.3f", frame->wall);
    json_number(line, "interval", "%.9f", frame->interval);
    if (session->end) {
        json_bool(line, "final", true);
        json_number(line, "elapsed", "%.9f", session->run);
        json_number(line, "user", "%.9f", session->run_user);
        json_number(line, "kernel", "%.9f", session->run_kernel);
        json_number(line, "status", "%d", session->status);
    }
    json_add_summary(line, "total", frame, &frame->total, true);
    json_add_summary(line, "idle", frame, &frame->idle, frame->has_cpus);
    json_add_summary(line, "unattributed", frame, &frame->unattributed, frame->has_cpus);
    json_add_machine(line, &frame->load);
    json_number(line, "lost_records", "%llu", (unsigned long long)frame->lost_records);
    json_number(line, "throttled", "%llu", (unsigned long long)frame->throttled);
    json_number(line, "denied_tasks", "%llu", (unsigned long long)frame->denied_tasks);
    json_number(line, "starved_tasks", "%llu", (unsigned long long)frame->starved_tasks);
    json_open(line, "self", '{');
    json_number(line, "cpu_seconds", "%.9f", frame->self_cpu);
    json_number(line, "seconds", "%.9f", frame->self_seconds);
    json_known(line, "descriptors", frame_has_descriptors(frame), "%zu",
               (size_t)frame->self_descriptors);
    json_known(line, "rss_bytes", frame->self_rss > 0, "%llu", (unsigned long long)frame->self_rss);
    json_close(line, '}');
    json_open(line, "cpus", '[');
    for (size_t c = 0; c < frame->cpu_count; c++) {
        const struct row *row = &frame->cpus[c];
        double share = load_share(load_find(&frame->load, row->cpu));
        json_open(line, NULL, '{');
        json_number(line, "cpu", "%d", row->cpu);
        json_known(line, "busy", share >= 0, "%.6f", share);
        json_number(line, "oncpu", "%.9f", row->oncpu);
        json_end_row(batch, line, row);
    }
    json_close(line, ']');
    json_add_long_waits(batch, line);
    json_add_tasks(batch, line);
    if (batch_show(batch, view_adds_up(batch->kind))) {
        json_open(line, "groups", '[');
        for (size_t r = 0; r < view_rows(view); r++) {
            struct group_info group;
            task_info_group(&group, view, r);
            json_open(line, NULL, '{');
            json_text(line, "name", task_known_name(group.name));
            if (batch->kind == VIEW_CGROUPS)
                json_add_container(batch, line, group.name);
            if (group.group->taker) {
                json_text(line, "taker", task_known_name(group.group->taker));
                json_number(line, "seconds", "%.9f", (double)group.group->taken / 1e9);
                json_number(line, "certain", "%.9f", (double)group.group->sure / 1e9);
                json_number(line, "waited", "%.9f", (double)group.group->waited / 1e9);
                json_close(line, '}');
                continue;
            }
            json_number(line, "processes", "%zu", group.group->processes);
            json_number(line, "threads", "%zu", (size_t)group.row->threads);
            json_known(line, "oncpu", group.row->state == EVENT_COUNTED, "%.9f", group.row->oncpu);
            json_add_taken(line, group.row);
            json_end_row(batch, line, group.row);
        }
        json_close(line, ']');
    }
    if (frame->profile && batch_show(batch, view_of_code(batch->kind)))
        json_add_functions(batch, line);
    json_close(line, '}');
    str_add_char(line, '\n');
}

int json_write(struct batch *batch, const struct session *session, struct err *err UNUSED)
{
    if (batch_show_tasks(batch))
        json_add_header(batch, &batch->text, session);
    json_add_refresh(batch, &batch->text, session);
    return 0;
}
