/* Batch output as CSV (RFC 4180, lines end with a line feed): one header line, then for each
 * refresh a row per task, CPU, group, function or instruction, and rows idle, unattributed and
 * total.
 *
 * Columns, in this order; a field that does not apply, or is not known, is empty, never 0:
 *   kind         task, group (with a view of users, commands or cgroups), taken (with a view of
 *                takers), function or instruction (with a view of code), wait (a long one), cpu,
 *                idle, unattributed, total
 *   seq time interval                of the refresh; seconds since 1970, seconds
 *   pid tid ppid threads comm user   of tasks; threads also of groups
 *   cpu          the number of a CPU; where a task ran last
 *   state exited                     of tasks; exited is 0 or 1
 *   name processes                   of groups; name also of functions, and of who waited
 *   oncpu        seconds on a CPU; of a CPU its busy seconds
 *   an event     each by its name: counts in the interval
 *   coverage:EVENT                   time_running / time_enabled; below 1 the count is an estimate
 *   a metric     each by its name; if an event has that name already, metric:NAME
 * and only in rows `total`:
 *   lost_records throttled denied_tasks starved_tasks
 *   self_cpu_seconds self_descriptors self_rss_bytes
 *   host kernel cpu_model engine mode delay command notice
 * and only in rows `task`:
 *   cgroup       in which it was at the end of the interval
 *   taken_by     who had the CPU while it waited: "SECONDS PID NAME", the largest first, with ';'
 *                between them; also of groups; in rows `taken` of one name, PID is 0. PID 0: the
 *                parts that are no process's
 *   waits_for    what it slept for, where the column of that name is shown; of tasks only
 *   container    that has the cgroup; also of groups of a view of cgroups
 * and only in rows `wait`, with taken_by:
 *   waited waited_until              seconds, and its end, since 1970
 *   woken_by     "PID NAME", or "interrupt"; "preempted" where it had not slept
 * and again in rows `total`:
 *   state:EVENT reason:EVENT         whether it is counted, in the words of JSON, and why not
 * and with a view of code, only in its rows:
 *   object samples share             share is from 0 to 1
 *   blocked preempted                seconds off the CPU, if switches are sampled
 *   address instruction file line inlined   of instructions
 *
 * Control characters in names are escaped as in \x1b, and those that change the direction of text
 * as in \u202e, so that each record is one line and its names are not misleading.
 *
 * With csv_safe no field is a formula for a spreadsheet: a character that may begin one (= + - @)
 * is preceded by ', at the beginning of a text and after characters that may separate fields
 * (OWASP, CSV Injection). */
#include "front/batch.h"
#include "view/builtin_column.h"
#include "view/sampling.h"

static void csv_add_empty(struct str *text, size_t fields)
{
    while (fields--)
        if (text->length && text->text[text->length - 1] != '\n')
            str_add_char(text, ',');
}

void csv_add_field(struct str *line, const char *text, bool safe)
{
    AUTO_STR struct str field = str_new();
    csv_add_empty(line, 1);
    if (!text)
        return;
    str_add_visible(&field, text);
    const char *quote = strpbrk(field.text, "\",") ? "\"" : "";
    bool begins = true;
    str_add(line, quote);
    for (const char *c = field.text; *c; c++) {
        /* Whether spreadsheets take it as a formula. Tabs and carriage returns may begin one, too:
         * they are escaped. Some spreadsheets accept the fullwidth forms of the characters. */
        unsigned code = 0;
        str_utf8(c, &code);
        bool formula = (code && code < 0x80 && strchr("=+-@", (int)code)) || code == 0xff1d ||
                       code == 0xff0b || code == 0xff0d || code == 0xff20;
        if (safe && begins && formula)
            str_add_char(line, '\'');
        if (*c == '"')
            str_add_char(line, '"');
        str_add_char(line, *c);
        begins = *c == ',' || *c == ';' || *c == '"';
    }
    str_add(line, quote);
}

/* Adds a number in the format of printf(3), or an empty field if it is not known. */
static __attribute__((format(printf, 3, 4))) void csv_add(struct str *text, bool known,
                                                          const char *format, ...)
{
    va_list arguments;
    csv_add_empty(text, 1);
    if (!known)
        return;
    va_start(arguments, format);
    str_vprintf(text, format, arguments);
    va_end(arguments);
}

static void csv_add_text(struct batch *batch, const char *text)
{
    csv_add_field(&batch->text, text, batch->in.options.csv_safe);
}

/* The header line. */

/* Adds "what:name", or only the name unless the prefix is `needed`. */
static void csv_add_title(struct batch *batch, const char *what, const char *name, bool needed)
{
    AUTO_FREE char *title = needed ? mem_printf("%s:%s", what, name) : mem_strdup(name);
    csv_add_text(batch, title);
}

/* The columns around those of events and metrics, whose names contain ':' or differ from these. */
static const char leading[] = "kind,seq,time,interval,pid,tid,ppid,threads,comm,user,cpu,state,"
                              "exited,name,processes,oncpu";
static const char trailing[] =
    "lost_records,throttled,denied_tasks,starved_tasks,"
    "self_cpu_seconds,self_descriptors,self_rss_bytes,host,kernel,"
    "cpu_model,engine,mode,delay,command,notice,cgroup,taken_by,waits_for,container,"
    "waited,waited_until,woken_by";
/* Of `trailing`: all; the last ones, which totals do not have; of these the last ones, of waits. */
enum { TOTAL_FIELDS = 22, TASK_FIELDS = 7, WAIT_FIELDS = 3 };

/* The last columns, in views of code only; those of instructions only in that of them. */
static const char of_code[] = ",object,samples,share,blocked,preempted";
static const char of_instructions[] = ",address,instruction,file,line,inlined";
enum { CODE_FIELDS = 5, INSTRUCTION_FIELDS = 5 };

static size_t code_fields(const struct batch *batch)
{
    return batch->kind == VIEW_INSTRUCTIONS ? CODE_FIELDS + INSTRUCTION_FIELDS
           : view_of_code(batch->kind)      ? CODE_FIELDS
                                            : 0;
}

static bool csv_is_taken(const char *name)
{
    static const char *const lists[] = {leading, trailing};
    size_t length = strlen(name);
    for (size_t i = 0; i < 2; i++)
        for (const char *at = lists[i]; at; at = strchr(at, ',')) {
            at += *at == ',';
            if (strncmp(at, name, length) == 0 && (at[length] == ',' || !at[length]))
                return true;
        }
    return false;
}

static void csv_add_header(struct batch *batch)
{
    const struct event_set *set = batch->events;
    str_add(&batch->text, leading);
    for (size_t e = 0; e < set->count; e++)
        csv_add_title(batch, "event", set->events[e].name, csv_is_taken(set->events[e].name));
    for (size_t e = 0; e < set->count; e++)
        csv_add_title(batch, "coverage", set->events[e].name, true);
    for (size_t m = 0; m < batch->metric_count; m++) {
        const char *name = batch->metrics[m].metric->name;
        csv_add_title(batch, "metric", name, csv_is_taken(name) || event_set_find(set, name) >= 0);
    }
    csv_add_empty(&batch->text, 1);
    str_add(&batch->text, trailing);
    for (size_t e = 0; e < set->count; e++) {
        csv_add_title(batch, "state", set->events[e].name, true);
        csv_add_title(batch, "reason", set->events[e].name, true);
    }
    str_add(&batch->text, code_fields(batch) ? of_code : "");
    str_add(&batch->text, code_fields(batch) > CODE_FIELDS ? of_instructions : "");
    str_add_char(&batch->text, '\n');
}

/* Rows. */

static void begin_row(struct batch *batch, const char *kind)
{
    const struct frame *frame = batch->frame;
    csv_add_text(batch, kind);
    csv_add(&batch->text, true, "%llu", (unsigned long long)frame->seq);
    csv_add(&batch->text, true, "%.3f", frame->wall);
    csv_add(&batch->text, true, "%.9f", frame->interval);
}

static void add_event_fields(struct batch *batch, const struct row *row, bool known)
{
    const struct frame *frame = batch->frame;
    for (size_t e = 0; e < frame->events->count; e++)
        csv_add(&batch->text, known && eval_event(frame, row, e).state != VALUE_MISSING, "%llu",
                (unsigned long long)row->counts[e].value);
    for (size_t e = 0; e < frame->events->count; e++) {
        struct value value = eval_event(frame, row, e);
        csv_add(&batch->text, known && value.state != VALUE_MISSING, "%.6g", value.coverage);
    }
}

/* Who took how long: "0.001200000 4711 backup.sh"; pid 0: nobody. */
static void add_taker(struct str *text, uint64_t taken, pid_t pid, const char *name)
{
    if (taken > 0)
        str_printf(text, "%s%.9f %d %s", text->length ? ";" : "", (double)taken / 1e9, (int)pid,
                   name);
}

static void csv_add_taken(struct batch *batch, const struct row *row, const struct group *group)
{
    AUTO_STR struct str text = str_new();
    if (group && group->taker)
        add_taker(&text, group->taken, 0, group->taker);
    const struct wait_takers *takers = row && row->wait_facts ? row->wait_facts->takers : NULL;
    for (size_t i = 0; takers && i < takers->count; i++)
        add_taker(&text, takers->list[i].taken, takers->list[i].pid, takers->list[i].comm);
    for (enum no_taker n = 0; takers && n < NO_TAKERS; n++)
        add_taker(&text, takers->none[n], 0, builtin_no_taker[n]);
    csv_add_text(batch, text.length ? text.text : NULL);
}

/* Ends a row that is not a total; NULL: it is of no task, group or CPU, or of no group. */
static void csv_end_row(struct batch *batch, const struct row *row, const struct group *group)
{
    struct task_wait wait;
    const char *cgroup = row ? frame_cgroup(batch->frame, row) : NULL;
    csv_add_empty(&batch->text, TOTAL_FIELDS - TASK_FIELDS);
    csv_add_text(batch, cgroup);
    csv_add_taken(batch, row, group);
    bool waits = row && row->tid > 0 && view_waits(batch->in.view, row, &wait);
    csv_add_text(batch, waits ? wait.text : NULL);
    if (group && batch->kind == VIEW_CGROUPS)
        cgroup = group->key;
    csv_add_text(batch, task_info_container(batch->in.view, cgroup));
    csv_add_empty(&batch->text, WAIT_FIELDS);
    csv_add_empty(&batch->text, 2 * batch->events->count);
    csv_add_empty(&batch->text, code_fields(batch));
    str_add_char(&batch->text, '\n');
}

static void csv_add_numbers(struct batch *batch, const struct row *row)
{
    csv_add(&batch->text, row->state == EVENT_COUNTED && row->oncpu >= 0, "%.9f", row->oncpu);
    add_event_fields(batch, row, true);
    for (size_t m = 0; m < batch->metric_count; m++) {
        struct value value = batch_value(batch, &batch->metrics[m], row);
        csv_add(&batch->text, value.state <= VALUE_SCALED, "%.10g", value.number);
    }
}

static void csv_add_work(struct batch *batch, const struct row *row, const struct group *group)
{
    csv_add_numbers(batch, row);
    csv_end_row(batch, row, group);
}

/* Adds the functions that are inlined there, the outermost first: "f;g". */
static void csv_add_inlined(struct batch *batch, const struct code_line *code)
{
    const struct line_inline *inlined[LINE_INLINES_MAX];
    AUTO_STR struct str names = str_new();
    size_t depth = source_lines_inlined(&view_functions(batch->in.view)->source, code, inlined);
    for (size_t i = 0; i < depth; i++)
        str_printf(&names, "%s%s", i ? ";" : "", inlined[i]->name);
    csv_add_text(batch, names.text);
}

static void csv_add_code(struct batch *batch, size_t index)
{
    const struct view *view = batch->in.view;
    const struct functions *functions = view_functions(view);
    const struct function *function = view_row_function(view, index);
    const struct row *row = view_row(view, index);
    const struct code_object *object = &function->object;
    double all = (double)functions->weight;
    bool instructions = batch->kind == VIEW_INSTRUCTIONS;
    char name[1024];
    function_text(function, name, sizeof(name));
    begin_row(batch, instructions ? "instruction" : "function");
    csv_add_empty(&batch->text, 9);
    csv_add_text(batch, name);
    csv_add_empty(&batch->text, 1);
    csv_add_numbers(batch, row);
    csv_add_empty(&batch->text, TOTAL_FIELDS + 2 * batch->events->count);
    csv_add_text(batch, *object->path ? object->path : object->name);
    csv_add(&batch->text, true, "%llu", (unsigned long long)function->samples);
    csv_add(&batch->text, all > 0, "%.6g", (double)function->weight / all);
    bool switches = profile_waits(batch->frame->profile) >= 0;
    for (size_t w = 0; w < PROFILE_WAITS; w++)
        csv_add(&batch->text, switches, "%.9f", (double)function->waits[w] / 1e9);
    if (instructions) {
        const struct code_line *code = view_row_code(view, index);
        csv_add(&batch->text, true, "0x%llx", (unsigned long long)code->address);
        csv_add_text(batch, code_listing_text(functions->listing, code->instruction));
        csv_add_text(batch, code->place.file);
        csv_add(&batch->text, code->place.file, "%u", code->place.line);
        csv_add_inlined(batch, code);
    }
    str_add_char(&batch->text, '\n');
}

static void csv_add_task(struct batch *batch, size_t index)
{
    struct task_info info;
    char number[USER_NUMBER];
    struct str *text = &batch->text;
    const struct row *row = view_row(batch->in.view, index);
    task_info_task(&info, batch->in.view, row);
    csv_add(text, true, "%d", (int)row->pid);
    csv_add(text, true, "%d", (int)row->tid);
    csv_add(text, true, "%d", (int)row->ppid);
    csv_add(text, info.threads > 0, "%zu", info.threads);
    csv_add_text(batch, row->comm);
    csv_add_text(batch, view_user(view_lookup_of(batch->in.view), row->uid, number));
    csv_add(text, row->cpu >= 0, "%d", row->cpu);
    csv_add_text(batch, info.state);
    csv_add(text, true, "%d", row->exited && !row->again);
    csv_add_empty(text, 2);
}

static void csv_add_wait(struct batch *batch, const struct long_wait *wait)
{
    struct str *text = &batch->text;
    AUTO_STR struct str taker = str_new(), waker = str_new();
    if (wait->taker.id > 0)
        add_taker(&taker, wait->taken, wait->taker.id, wait->taker.comm);
    if (!wait->woken)
        str_add(&waker, "preempted");
    else if (wait->interrupt)
        str_add(&waker, "interrupt");
    else if (wait->waker.id >= 0)
        str_printf(&waker, "%d %s", (int)wait->waker.id, wait->waker.comm);
    begin_row(batch, "wait");
    csv_add(text, true, "%d", (int)wait->pid);
    csv_add(text, true, "%d", (int)wait->task.id);
    csv_add_empty(text, 2);
    csv_add_text(batch, wait->task.comm);
    csv_add_empty(text, 7 + 2 * batch->events->count + batch->metric_count);
    csv_add_empty(text, TOTAL_FIELDS - TASK_FIELDS + 1);
    csv_add_text(batch, taker.length ? taker.text : NULL);
    csv_add_empty(text, 2);
    csv_add(text, true, "%.9f", (double)wait->length / 1e9);
    csv_add(text, true, "%.6f", wait->time);
    csv_add_text(batch, waker.length ? waker.text : NULL);
    csv_add_empty(text, 2 * batch->events->count + code_fields(batch));
    str_add_char(text, '\n');
}

/* Numbers of rows that are asleep are the same. */
static void csv_add_tasks(struct batch *batch)
{
    struct view *view = batch->in.view;
    struct str *text = &batch->text;
    const struct row *first = batch_first_asleep(batch);
    AUTO_FREE char *asleep = NULL;
    size_t start = text->length;
    if (first) {
        str_add(text, view_settings(view)->threads ? "t" : "p");
        csv_add_numbers(batch, first);
        asleep = mem_strdup(text->text + start);
        text->length = start;
        text->text[start] = '\0';
    }
    batch_begin_rows(batch, asleep);
    for (size_t r = 0; r < view_rows(view); r++) {
        const struct row *row = view_row(view, r);
        begin_row(batch, "task");
        batch_add_row(batch, r, csv_add_task);
        if (row->asleep)
            str_add(text, asleep + 1);
        else
            csv_add_numbers(batch, row);
        csv_end_row(batch, row, NULL);
    }
}

/* Adds idle or unattributed; fields are empty if the source does not know them. */
static void add_book_row(struct batch *batch, const char *kind, const struct row *row, bool known)
{
    begin_row(batch, kind);
    csv_add_empty(&batch->text, 12);
    add_event_fields(batch, row, known);
    csv_add_empty(&batch->text, batch->metric_count);
}

static void add_total(struct batch *batch, const struct session *session)
{
    const struct frame *frame = batch->frame;
    struct str *text = &batch->text;
    add_book_row(batch, "total", &frame->total, true);
    csv_add(text, true, "%llu", (unsigned long long)frame->lost_records);
    csv_add(text, true, "%llu", (unsigned long long)frame->throttled);
    csv_add(text, true, "%llu", (unsigned long long)frame->denied_tasks);
    csv_add(text, true, "%llu", (unsigned long long)frame->starved_tasks);
    csv_add(text, true, "%.9f", frame->self_cpu);
    csv_add(text, frame_has_descriptors(frame), "%zu", (size_t)frame->self_descriptors);
    csv_add(text, frame->self_rss > 0, "%llu", (unsigned long long)frame->self_rss);
    csv_add_text(batch, session->host);
    csv_add_text(batch, session->kernel);
    csv_add_text(batch, session->cpu_model);
    csv_add_text(batch, session->engine);
    csv_add_text(batch, session_mode(session));
    csv_add(text, session->delay > 0, "%.10g", session->delay);
    csv_add_text(batch, session->command);
    csv_add_text(batch, session->notice);
    csv_add_empty(text, TASK_FIELDS);
    for (size_t e = 0; e < frame->events->count; e++) {
        csv_add_text(batch, event_state_name(frame->events->events[e].state));
        csv_add_text(batch, frame->events->events[e].reason);
    }
    csv_add_empty(text, code_fields(batch));
    str_add_char(text, '\n');
}

int csv_write(struct batch *batch, const struct session *session, struct err *err)
{
    const struct frame *frame = batch->frame;
    struct view *view = batch->in.view;
    bool begins = !batch->first;
    batch_show_tasks(batch);
    if (begins)
        csv_add_header(batch);
    bool same = batch->first->count == batch->events->count;
    for (size_t e = 0; e < batch->events->count && same; e++)
        same = strcmp(batch->first->events[e].name, batch->events->events[e].name) == 0;
    if (!same)
        return err_set(err, "cannot continue with the columns of the first line: other events are "
                            "counted now; use --format json");
    csv_add_tasks(batch);
    size_t groups = batch_show(batch, view_adds_up(batch->kind)) ? view_rows(view) : 0;
    for (size_t r = 0; r < groups; r++) {
        struct group_info group;
        task_info_group(&group, view, r);
        bool sum = !group.group->taker;
        begin_row(batch, sum ? "group" : "taken");
        csv_add_empty(&batch->text, 3);
        csv_add(&batch->text, sum, "%zu", group.row->threads);
        csv_add_empty(&batch->text, 5);
        csv_add_text(batch, group.name);
        csv_add(&batch->text, sum, "%zu", group.group->processes);
        csv_add_work(batch, group.row, group.group);
    }
    size_t functions = batch_show(batch, view_of_code(batch->kind)) ? view_rows(view) : 0;
    for (size_t r = 0; r < functions; r++)
        csv_add_code(batch, r);
    const struct long_wait *wait;
    for (size_t at = 0; (wait = batch_next_wait(batch, &at));)
        csv_add_wait(batch, wait);
    for (size_t c = 0; c < frame->cpu_count; c++) {
        begin_row(batch, "cpu");
        csv_add_empty(&batch->text, 6);
        csv_add(&batch->text, true, "%d", frame->cpus[c].cpu);
        csv_add_empty(&batch->text, 4);
        csv_add_work(batch, &frame->cpus[c], NULL);
    }
    add_book_row(batch, "idle", &frame->idle, frame->has_cpus);
    csv_end_row(batch, NULL, NULL);
    add_book_row(batch, "unattributed", &frame->unattributed, frame->has_cpus);
    csv_end_row(batch, NULL, NULL);
    add_total(batch, session);
    return 0;
}
