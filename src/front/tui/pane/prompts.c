#include "front/tui/pane/panes.h"
#include "view/marks.h"

/* For prompts that can be cancelled, and the next search. */
struct prompted {
    struct table before; /* search: the cursor when the prompt opened */
    char *filter;        /* filter: its text when the prompt opened */
    char *searched;      /* the last text searched for */
};

static void prompted_end(void *own)
{
    free(((struct prompted *)own)->filter);
    free(((struct prompted *)own)->searched);
}

static UI_OWN(struct prompted, prompted_of, .end = prompted_end);

/* --- Search --- */

/* Each letter searches from the original cursor, so deleting a letter moves back, too. The
 * layout of the table is not restored: it belongs to the current screen. */
static void restore_cursor(struct ui *ui)
{
    const struct table *before = &prompted_of(ui)->before;
    ui->table.selecting = before->selecting;
    ui->table.id = before->id;
    ui->table.row = before->row;
    ui->table.following = before->following;
    ui->table.absent = before->absent;
    table_follow(&ui->table, ui->view);
}

static void find_from(struct ui *ui, const char *text, size_t row, bool backwards)
{
    if (!table_search(&ui->table, ui->view, text, row, backwards))
        ui_say(ui, ROLE_NOTICE, "no row contains '%s'", text);
}

static void search_begin(struct ui *ui, struct str *text UNUSED)
{
    prompted_of(ui)->before = ui->table;
}

static void search_change(struct ui *ui, const char *text)
{
    restore_cursor(ui);
    if (*text)
        find_from(ui, text, ui->table.row, false);
}

static int search_enter(struct ui *ui, const char *text, struct err *err UNUSED)
{
    free(prompted_of(ui)->searched);
    prompted_of(ui)->searched = mem_strdup(text);
    return 0;
}

/* Searches for the text of the prompt; if that is empty or not open, for the last one. */
static bool search_next(struct ui *ui, bool backwards)
{
    bool typing = pane_now(ui) == &pane_prompt;
    if (typing && ui->prompt.text.length == 0)
        prompt_set(&ui->prompt, prompted_of(ui)->searched);
    const char *text = typing ? ui->prompt.text.text : prompted_of(ui)->searched;
    if (text && *text)
        find_from(ui, text, ui->table.selecting ? ui->table.row + !backwards : 0, backwards);
    return text;
}

const struct dialog prompt_search = {
    .label = "Search",
    .hint = "text of a name, user or pid",
    .enter = "stay there",
    .begin = search_begin,
    .change = search_change,
    .enter_text = search_enter,
    .cancel = restore_cursor,
    .next = search_next,
};

/* --- Filter --- */

static void filter_begin(struct ui *ui, struct str *text)
{
    const char *now = view_settings(ui->view)->filter;
    free(prompted_of(ui)->filter);
    prompted_of(ui)->filter = mem_strdup(now);
    str_add(text, now ? now : "");
}

/* An incomplete condition keeps the old filter; a mistake is reported while it is typed. */
static void filter_change(struct ui *ui, const char *text)
{
    struct err err;
    bool wrong = view_type_filter(ui->view, text, &err) == VIEW_TYPED_WRONG;
    AUTO_FREE char *meant = view_meant_filter(ui->view, text);
    if (wrong)
        ui_say(ui, ROLE_NOTICE, "%s", err.text);
    if (meant)
        ui_say(ui, ROLE_NOTICE, "no condition; Tab makes it: %s", meant);
    table_follow(&ui->table, ui->view);
}

static int filter_enter(struct ui *ui, const char *text, struct err *err)
{
    int result = view_set_filter(ui->view, text, err);
    AUTO_FREE char *meant = text ? view_meant_filter(ui->view, text) : NULL;
    if (meant && result == 0)
        ui_say(ui, ROLE_NOTICE, "searched as a text; the condition would be: %s", meant);
    table_follow(&ui->table, ui->view);
    return result;
}

static void column_names(struct ui *ui, struct names *names)
{
    struct view_candidate found;
    for (size_t i = 0; view_candidate(ui->view, i, &found); i++)
        names_add(names, found.name);
}

static void filter_cancel(struct ui *ui)
{
    filter_enter(ui, prompted_of(ui)->filter, NULL);
}

const struct dialog prompt_filter = {
    .label = "Filter",
    .hint = "a text, or a condition: user = root and cpu > 5 (or the keys u and %)",
    .enter = "keep",
    .takes_empty = true,
    .begin = filter_begin,
    .change = filter_change,
    .enter_text = filter_enter,
    .meant = view_meant_filter,
    .candidates = column_names,
    .cancel = filter_cancel,
};

/* --- Events --- */

int prompts_count(struct ui *ui, const char *event, struct err *err)
{
    if (host_add_event(ui->host, event, err) < 0)
        return -1;
    ui->added = true;
    ui_say(ui, ROLE_VALUE, "counting '%s'", event);
    return 0;
}

int prompts_stop_counting(struct ui *ui, const char *event, struct err *err)
{
    if (host_remove_event(ui->host, event, err) < 0)
        return -1;
    ui_say(ui, ROLE_VALUE, "no longer counting '%s'", event);
    return 0;
}

/* Spellings are only for reading; Tab does not complete to them. */
static void known_events(struct ui *ui, struct names *names)
{
    struct front_event found;
    for (size_t i = 0; host_event(ui->host, i, &found); i++)
        if (!found.spelling)
            names_add(names, found.name);
}

const struct dialog prompt_event = {
    .label = "Add event",
    .check = host_check_counting,
    .hint = "faults, branches:u, {cycles,instructions}, sw=sched:sched_switch",
    .enter = "count it",
    .enter_text = prompts_count,
    .candidates = known_events,
};

static void counted_events(struct ui *ui, struct names *names)
{
    for (size_t i = 0; ui->frame && i < ui->frame->events->count; i++)
        names_add(names, ui->frame->events->events[i].name);
}

/* Lists what is counted, and offers the event of the sort column. */
static void remove_begin(struct ui *ui, struct str *text)
{
    AUTO_NAMES struct names names = {0};
    AUTO_STR struct str list = str_new();
    counted_events(ui, &names);
    for (size_t i = 0; i < names.count; i++)
        str_printf(&list, "%s%s", i ? ", " : "counted: ", names.items[i]);
    ui_say(ui, ROLE_VALUE, "%s", list.text);
    const struct view_column *column = view_column(ui->view, view_sort_column(ui->view));
    if (ui->frame && event_set_find(ui->frame->events, column->name) >= 0)
        str_add(text, column->name);
}

const struct dialog prompt_remove = {
    .label = "Remove event",
    .check = host_check_counting,
    .hint = "its name",
    .enter = "stop counting it",
    .begin = remove_begin,
    .enter_text = prompts_stop_counting,
    .candidates = counted_events,
};

/* --- Selection and highlighting of rows --- */

static void running_names(struct ui *ui, struct names *names)
{
    host_running_names(ui->host, names);
    for (size_t i = 0; ui->recent && i < ui->recent->process_count; i++)
        names_add(names, ui->recent->processes[i].comm);
}

static void watched_names(struct ui *ui, struct names *names)
{
    const struct watch *watch = &view_settings(ui->view)->watch;
    for (size_t i = 0; i < watch->names.count; i++)
        names_add(names, watch->names.items[i]);
    for (size_t i = 0; i < watch->pid_count; i++) {
        AUTO_FREE char *pid = mem_printf("%d", (int)watch->pids[i]);
        names_add(names, pid);
    }
}

static int attach_enter(struct ui *ui, const char *text, struct err *err)
{
    if (host_attach(ui->host, text, err) < 0)
        return -1;
    frames_apply(ui);
    AUTO_FREE char *absent = host_absent_names(ui->host, text);
    if (absent)
        ui_say(ui, ROLE_NOTICE, "no process is called '%s' yet: it is counted once there is one",
               absent);
    return 0;
}

/* Offers the tagged processes, else that of the row under the cursor. */
static void attach_begin(struct ui *ui, struct str *text)
{
    size_t count;
    const struct view_tagged *tagged = view_tagged(ui->view, &count);
    const struct row *row = table_row(&ui->table, ui->view);
    for (size_t i = 0; i < count; i++)
        str_printf(text, "%s%d", i > 0 ? "," : "", (int)tagged[i].pid);
    if (count == 0 && row && row->pid > 0 && view_settings(ui->view)->kind == VIEW_TASKS)
        str_printf(text, "%d", (int)row->pid);
}

const struct dialog prompt_attach = {
    .label = "Attach to",
    .check = host_check_watching,
    .hint = "pids or names, separated by commas",
    .enter = "show only these",
    .begin = attach_begin,
    .enter_text = attach_enter,
    .candidates = running_names,
};

const struct dialog prompt_detach = {
    .label = "Detach from",
    .check = host_check_watching,
    .hint = "pids or names, separated by commas; empty: from all",
    .enter = "detach",
    .takes_empty = true,
    .ask_host = host_let_go,
    .candidates = watched_names,
};

static void watch_begin(struct ui *ui, struct str *text)
{
    rows_write_watch(&view_settings(ui->view)->highlight, text);
}

static int watch_enter(struct ui *ui, const char *text, struct err *err)
{
    struct view_settings next = *view_settings(ui->view);
    next.highlight = (struct watch){0};
    int result = *text ? watch_add_processes(&next.highlight, text, err) : 0;
    if (result == 0)
        frames_change(ui, &next);
    watch_release(&next.highlight);
    return result;
}

const struct dialog prompt_watch = {
    .label = "Mark rows of",
    .hint = "pids or names, separated by commas; empty: none",
    .enter = "mark them >",
    .takes_empty = true,
    .begin = watch_begin,
    .enter_text = watch_enter,
    .candidates = running_names,
};

static int least_cpu_enter(struct ui *ui, const char *text, struct err *err)
{
    struct view_settings next = *view_settings(ui->view);
    next.least_cpu = 0;
    if (*text && (!str_to_double(text, &next.least_cpu) || next.least_cpu < 0))
        return err_set(err, "'%s' is no percentage: expected a number, 0 for all", text);
    frames_change(ui, &next);
    return 0;
}

const struct dialog prompt_least_cpu = {
    .label = "Least %CPU",
    .hint = "rows with less are hidden; 0: none",
    .enter = "set",
    .takes_empty = true,
    .enter_text = least_cpu_enter,
};

/* --- Delay, and screens --- */

static int delay_enter(struct ui *ui, const char *text, struct err *err)
{
    double seconds;
    if (!str_to_seconds(text, &seconds))
        return err_set(err, "delay must be 0.05 to 3600 seconds, not '%s'", text);
    return host_set_delay(ui->host, seconds, err);
}

const struct dialog prompt_delay = {
    .label = "Seconds between refreshes",
    .check = host_check_counting,
    .hint = "0.05 to 3600",
    .enter = "set",
    .enter_text = delay_enter,
};

static int when_enter(struct ui *ui, const char *text, struct err *err)
{
    if (host_when(ui->host, text, err) < 0)
        return -1;
    ui_say(ui, ROLE_VALUE,
           *text ? "the last minutes are kept until it becomes true: %s" : "no alarm%s", text);
    return 0;
}

const struct dialog prompt_when = {
    .label = "Alarm when",
    .check = host_check_alarm,
    .hint = "cpu > 90 for 3s, machine: ipc < 1, count(cpu > 50) > 5; empty: none",
    .enter = "set",
    .takes_empty = true,
    .enter_text = when_enter,
    .candidates = column_names,
};

const char *prompts_unread(const struct ui *ui)
{
    return host_reads_saved(ui->host) ? "" : ", without --no-config, which does not read it";
}

static int save_enter(struct ui *ui, const char *text, struct err *err)
{
    AUTO_FREE char *path = NULL;
    if (host_save_screen(ui->host, text, &path, err) < 0)
        return -1;
    frames_new_screen(ui);
    ui_say(ui, ROLE_VALUE, "wrote %s: 'countertop -s %s' shows it%s", path, text,
           prompts_unread(ui));
    return 0;
}

const struct dialog prompt_save = {
    .label = "Save screen as",
    .hint = "a name for these columns and events",
    .enter = "write it to a new file",
    .enter_text = save_enter,
};
