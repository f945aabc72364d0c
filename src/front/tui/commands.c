#include "front/tui/tui.h"
#include "front/tui/setup/setup.h"
#include "view/baseline.h"

/* --- The table --- */

static void cmd_quit(struct ui *ui)
{
    ui->quit = true;
}

static void cmd_refresh(struct ui *ui)
{
    ui->step = ui->paused;
    host_refresh(ui->host);
}

/* A command that toggles or steps a setting of the view has .run = cmd_switch and this as .how. */
#define SWITCH(member) ((int)offsetof(struct view_settings, member))
static void cmd_switch(struct ui *ui)
{
    struct view_settings next = *view_settings(ui->view);
    bool *value = (bool *)((char *)&next + ui->command->how);
    *value = !*value;
    ui->table.shift = 0; /* of command lines */
    frames_change(ui, &next);
}

/* Compares with the present rows, or a recording's, until the key is pressed again. */
static void cmd_baseline(struct ui *ui)
{
    struct baseline_facts facts;
    if (view_baseline(ui->view, &facts))
        view_drop_baseline(ui->view);
    else
        ui_done(ui, host_take_baseline(ui->host, &ui->failure));
}

static void cmd_threads(struct ui *ui)
{
    const struct view_settings *settings = view_settings(ui->view);
    size_t asleep = settings->threads || settings->idle ? 0 : view_asleep_threads(ui->view);
    cmd_switch(ui);
    host_set_threads(ui->host, view_settings(ui->view)->threads);
    if (asleep > 0)
        ui_say(ui, ROLE_VALUE, "hidden: %zu thread%s of these processes that slept; i shows them",
               asleep, asleep == 1 ? "" : "s");
}

static void cmd_view(struct ui *ui)
{
    int count = VIEW_TABS, kind = (int)view_settings(ui->view)->kind;
    if (kind == VIEW_INSTRUCTIONS)
        kind = VIEW_FUNCTIONS;
    if (kind == VIEW_CGROUP_TAKERS)
        kind = VIEW_TAKERS;
    do
        kind = (kind + count + ui->command->how) % count;
    while (!view_has_rows((enum view_kind)kind, ui->frame));
    functions_show_view(ui, (enum view_kind)kind);
}

static void cmd_cpus(struct ui *ui)
{
    functions_show_view(ui, view_of_cpus(view_settings(ui->view)->kind) ? VIEW_TASKS : VIEW_CPUS);
}

/* The arrows move in time where that is not the present. */
static void cmd_screen(struct ui *ui)
{
    if (!ui_is_live(ui) && (ui->key == K_LEFT || ui->key == K_RIGHT))
        rewind_move_cells(ui, ui->command->how);
    else
        header_step_screen(ui, ui->command->how);
}

static void cmd_hottest(struct ui *ui)
{
    if (!ui_is_live(ui) && view_settings(ui->view)->kind != VIEW_INSTRUCTIONS)
        rewind_peak(ui);
    else
        instructions_hottest(ui);
}

static void cmd_sort(struct ui *ui)
{
    view_sort_move(ui->view, ui->command->how);
    table_follow(&ui->table, ui->view);
}

static void cmd_sort_invert(struct ui *ui)
{
    view_sort_invert(ui->view);
    table_follow(&ui->table, ui->view);
}

static void cmd_sort_cpu(struct ui *ui)
{
    rows_sort_by(ui, "cpu_pct");
}

static void cmd_mode(struct ui *ui)
{
    static const enum count_mode next[] = {
        [MODE_ALL] = MODE_USER, [MODE_USER] = MODE_KERNEL, [MODE_KERNEL] = MODE_ALL};
    struct baseline_facts facts;
    bool compared = view_baseline(ui->view, &facts);
    if (ui_done(ui, host_set_mode(ui->host, next[ui->session->mode], &ui->failure)) && compared)
        ui_say(ui, ROLE_NOTICE, "counts of another mode are not compared: = compares from now on");
}

/* Where there are no rows since CPUs are not counted. */
static void count_cpus(struct ui *ui)
{
    struct err err;
    if (host_count_cpus(ui->host, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    else
        ui_say(ui, ROLE_VALUE, "all CPUs are counted from now on");
}

static void cmd_details(struct ui *ui)
{
    enum view_kind kind = view_settings(ui->view)->kind;
    if (ui->frame && view_lacks_cpus(kind, ui->frame))
        count_cpus(ui);
    else if (kind == VIEW_INSTRUCTIONS)
        instructions_enter(ui);
    else if (kind == VIEW_FUNCTIONS)
        instructions_open(ui);
    else if (!rows_open_ended(ui))
        pane_open(ui, &pane_details);
}

/* Whether Esc clears the filter: neither the past nor a cursor is left before. */
static bool clears_filter(const struct ui *ui)
{
    return view_settings(ui->view)->filter && !ui->table.selecting && ui->table.top == 0 &&
           !ui_looks_back(ui);
}

static void cmd_home(struct ui *ui)
{
    if (ui->key == K_ESC && ui_looks_back(ui)) {
        rewind_walk(ui, REWIND_ALL);
        return;
    }
    if (ui->key == K_ESC && clears_filter(ui))
        view_set_filter(ui->view, NULL, NULL);
    table_home(&ui->table);
}

static void cmd_scroll(struct ui *ui)
{
    table_scroll(&ui->table, ui->command->how);
}

static void cmd_picture(struct ui *ui)
{
    bool takers = view_types[view_settings(ui->view)->kind].takers;
    pane_open(ui, takers ? &pane_takers : &pane_icicle);
}

/* In the order of the help. Keys are those of htop where it has the command, else those of top. */
static const struct key_command table_commands[] = {
    {"help", "F1 h ?", "help", 90, .run = pages_help},
    {"setup", "F2 f", "setup", 35, .run = pane_show, .pane = &pane_setup},
    {"search", "F3 / L", "search", 40, .run = dialog_ask, .dialog = &prompt_search},
    {"search-again", "n &", NULL, 0, .run = dialog_again, .how = 1, .dialog = &prompt_search},
    {"search-back", "N Shift-F3", NULL, 0, .run = dialog_again, .how = -1,
     .dialog = &prompt_search},
    {"jump", "0 1 2 3 4 5 6 7 8 9", NULL, 0, .run = rows_jump},
    {"follow", "F", NULL, 0, .run = rows_follow},
    {"tag", "Space", NULL, 0, .run = rows_tag, .hides = "page-down"},
    {"untag-all", "U", NULL, 0, .run = rows_untag_all},
    {"kill", "F9 k", "kill", 55, .run = pane_show, .pane = &pane_signals, .hides = "up"},
    {"watch", "w", NULL, 0, .run = dialog_ask, .dialog = &prompt_watch},
    {"filter", "F4 \\", "filter", 77, .run = dialog_ask, .dialog = &prompt_filter},
    {"sort", "F6 O", "sort", 80, .run = pane_show, .pane = &pane_choice},
    {"sort-left", "<", NULL, 0, .run = cmd_sort, .how = -1},
    {"sort-right", ">", NULL, 0, .run = cmd_sort, .how = 1},
    {"sort-invert", "I R", NULL, 0, .run = cmd_sort_invert},
    {"sort-cpu", "P", NULL, 0, .run = cmd_sort_cpu},
    {"threads", "H", "threads", 56, .run = cmd_threads, .how = SWITCH(threads),
     .option = "threads"},
    {"view-next", "Tab", "views", 78, .run = cmd_view, .how = 1, .option = "view"},
    {"view-previous", "Shift-Tab", NULL, 0, .run = cmd_view, .how = -1},
    {"screen-previous", "Left [", NULL, 0, .run = cmd_screen, .how = -1},
    {"screen-next", "Right ]", NULL, 0, .run = cmd_screen, .how = 1},
    {"screens", "V", "screens", 36, .run = pane_show, .pane = &pane_screens},
    {"cpus", "v", "CPUs", 37, .run = cmd_cpus},
    {"level", "l", NULL, 0, .run = rows_level, .option = "level"},
    {"tree", "F5 t", "tree", 46, .run = rows_tree, .option = "tree"},
    {"fold", "-", NULL, 0, .run = rows_fold, .how = 1},
    {"unfold", "+", NULL, 63, .run = rows_fold, .how = -1},
    {"fold-all", "*", NULL, 0, .run = rows_fold_all},
    {"idle", "i", NULL, 0, .run = rows_idle, .option = "idle"},
    {"least-cpu", "%", "min %CPU", 47, .run = dialog_ask, .dialog = &prompt_least_cpu,
     .option = "cpu-min"},
    {"sticky", "S", NULL, 0, .run = rows_sticky, .option = "sticky"},
    {"cmdline", "c", NULL, 0, .run = cmd_switch, .how = SWITCH(cmdline), .option = "cmdline"},
    {"event", "e", "event", 60, .run = dialog_ask, .dialog = &prompt_event},
    {"catalogue", "F7 C", "catalogue", 43, .run = pane_show, .pane = &pane_menu},
    {"remove-event", "x", "remove", 50, .run = dialog_ask, .dialog = &prompt_remove},
    {"errors", "E", "errors", 20, .run = pane_show, .pane = &pane_page},
    {"attach", "a", "attach", 53, .run = dialog_ask, .dialog = &prompt_attach},
    {"let-go", "A", NULL, 0, .run = dialog_ask, .dialog = &prompt_detach},
    {"user", "u", "user", 48, .run = pane_show, .pane = &pane_users},
    {"delay", "d s", NULL, 0, .run = dialog_ask, .dialog = &prompt_delay, .option = "delay"},
    {"when", "^W", NULL, 0, .run = dialog_ask, .dialog = &prompt_when},
    {"details", "Enter", "details", 79, .run = cmd_details},
    {"beside", "_", NULL, 0, .run = details_hide},
    {"functions", "p", "functions", 78, .run = functions_open},
    {"callers", "G", NULL, 79, .run = functions_relations, .hides = "end"},
    {"long-waits", "`", NULL, 78, .run = pages_waits},
    {"icicle", "Y", NULL, 79, .run = cmd_picture},
    {"stacks", "J", NULL, 66, .run = functions_stacks},
    {"by-wall", ";", NULL, 0, .run = functions_by_wall},
    {"code-back", "Backspace", NULL, 75, .run = instructions_back},
    {"code-hottest", "!", NULL, 71, .run = cmd_hottest},
    {"source", "T", NULL, 72, .run = instructions_source, .option = "source"},
    {"lines-stop", "Q", NULL, 0, .run = instructions_stop},
    {"chart", "F8 y", "chart", 57, .run = pane_show, .pane = &pane_chart},
    {"amount", "o", NULL, 0, .run = frames_next_amount, .option = "show"},
    {"baseline", "=", NULL, 0, .run = cmd_baseline},
    {"exact", "X", NULL, 0, .run = cmd_switch, .how = SWITCH(exact), .option = "exact"},
    {"mode", "K", NULL, 0, .run = cmd_mode, .option = "mode"},
    {"bars", "m", NULL, 0, .run = meters_next_bars, .option = "bars"},
    {"bars-metric", "M", NULL, 0, .run = meters_next_metric, .option = ""},
    {"workload-more", "B", "more", 39, .run = workload_turn, .how = WORKLOAD_MORE},
    {"workload-less", "D", "less", 38, .run = workload_turn, .how = WORKLOAD_LESS},
    {"workload-thread", "'", NULL, 0, .run = workload_turn, .how = WORKLOAD_MORE_THREADS},
    {"workload-unthread", "\"", NULL, 0, .run = workload_turn, .how = WORKLOAD_LESS_THREADS},
    {"copy-pid", "#", NULL, 0, .run = rows_copy, .how = ROW_PID},
    {"copy-command", "~", NULL, 0, .run = rows_copy, .how = ROW_COMMAND},
    {"copy-row", "|", NULL, 0, .run = rows_copy, .how = ROW_CELLS},
    {"save", "W", "save", 51, .run = dialog_ask, .dialog = &prompt_save},
    {"refresh", "r", NULL, 0, .run = cmd_refresh},
    {"home", "Esc Home g", NULL, 97, .run = cmd_home},
    {"left", "( Shift-Left", NULL, 0, .run = cmd_scroll, .how = -1},
    {"right", ") Shift-Right", NULL, 0, .run = cmd_scroll, .how = 1},
    {"quit", "q F10", "quit", 100, .run = cmd_quit},
    {0},
};

static void step_table(struct ui *ui, enum step step)
{
    table_step(&ui->table, ui->view, step);
}

static void press_row(struct ui *ui, int line, bool twice)
{
    size_t row = table_row_at(&ui->table, line);
    if (row >= view_rows(ui->view))
        return;
    table_select(&ui->table, ui->view, row);
    if (twice)
        cmd_details(ui);
}

/* Sorts by the column, or reverses the order if it sorts already. */
static void press_title(struct ui *ui, int x)
{
    size_t column = table_column_at(&ui->table, x);
    if (column >= view_columns(ui->view))
        return;
    if (column == view_sort_column(ui->view))
        cmd_sort_invert(ui);
    else
        rows_sort_by(ui, view_column(ui->view, column)->name);
}

/* Labels where rows are code; other commands have none, or their own with NULL. */
static const struct code_label {
    const char *name, *functions, *instructions;
} code_labels[] = {
    {"details", "code", "follow"},
    {"functions", "back", "back"},
    {"icicle", "stacks", NULL},
    {"callers", "callers", NULL},
    {"stacks", "unwind", NULL},
    {"filter", "filter", NULL},
    {"sort", "sort", NULL},
    {"code-back", NULL, "go back"},
    {"code-hottest", NULL, "hottest"},
    {"source", NULL, "source"},
    {"kill", NULL, NULL},
    {"threads", NULL, NULL},
    {"user", NULL, NULL},
    {"least-cpu", NULL, NULL},
    {"cpus", NULL, NULL},
    {"tree", NULL, NULL},
    {"attach", NULL, NULL},
    {"chart", NULL, NULL},
    {"event", NULL, NULL},
    {"remove-event", NULL, NULL},
    {"save", NULL, NULL},
};

static const char *table_label(const struct ui *ui, const struct key_command *command)
{
    enum view_kind kind = view_settings(ui->view)->kind;
    if (command->run == workload_turn && !workload_there(ui))
        return NULL;
    if (command->run == cmd_home)
        return ui_looks_back(ui) ? "now" : clears_filter(ui) ? "no filter" : NULL;
    if (command->how == REWIND_ALL && ui_looks_back(ui))
        return NULL; /* Esc does that */
    if (strcmp(command->name, "unfold") == 0)
        return kind == VIEW_HEAT ? "zoom" : NULL;
    if (command->run == cmd_picture && view_types[kind].takers)
        return "matrix";
    if (command->run == functions_open && view_types[kind].takers)
        return NULL;
    if (command->run == pages_waits && ui->frame && !view_of_code(kind))
        return event_set_waits(ui->frame->events) ? "long waits" : NULL;
    const struct code_label *label = STR_FIND_IN(code_labels, name, command->name);
    if (view_of_code(kind) && label)
        return kind == VIEW_FUNCTIONS ? label->functions : label->instructions;
    return rewind_label(ui, command);
}

const struct pane pane_table = {
    .name = "table",
    .title = "Keys",
    .commands = table_commands,
    .cover = COVER_TABLE,
    .draw = rows_draw,
    .step = step_table,
    .press = press_row,
    .titles = press_title,
    .label = table_label,
};

/* --- All panes --- */

static void cmd_pause(struct ui *ui)
{
    if (rewind_pause(ui))
        return;
    ui->paused = !ui->paused;
    if (!ui->paused)
        host_refresh(ui->host);
}

static void cmd_repaint(struct ui *ui)
{
    term_repaint(ui->term);
}

static const struct key_command common_commands[] = {
    {"up", "Up k", NULL, 0, .run = pane_move, .how = STEP_UP},
    {"down", "Down j", NULL, 0, .run = pane_move, .how = STEP_DOWN},
    {"page-up", "PgUp", NULL, 0, .run = pane_move, .how = STEP_PAGE_UP},
    {"page-down", "PgDn Space", NULL, 0, .run = pane_move, .how = STEP_PAGE_DOWN},
    {"home", "Home g", NULL, 0, .run = pane_move, .how = STEP_HOME},
    {"end", "End G", NULL, 0, .run = pane_move, .how = STEP_END},
    {"left", "Left h", NULL, 0, .run = pane_move, .how = STEP_LEFT},
    {"right", "Right l", NULL, 0, .run = pane_move, .how = STEP_RIGHT},
    {"help", "F1 ?", "help", 10, .run = pages_help},
    {"commands", ":", "commands", 54, .run = pane_show, .pane = &pane_commands},
    {"pause", "Z", "pause", 30, .run = cmd_pause},
    {"time-back", ",", NULL, 94, .run = rewind_move, .how = -1},
    {"time-forth", ".", NULL, 93, .run = rewind_move, .how = 1},
    {"time-page-back", "{", NULL, 0, .run = rewind_move, .how = -REWIND_PAGE},
    {"time-page-forth", "}", NULL, 0, .run = rewind_move, .how = REWIND_PAGE},
    {"time-first", "^", NULL, 0, .run = rewind_move, .how = -REWIND_ALL},
    {"time-last", "$", NULL, 96, .run = rewind_move, .how = REWIND_ALL},
    {"time-seek", "b @", "past", 61, .run = rewind_seek},
    {"time-alarm", "^T", NULL, 0, .run = rewind_alarm},
    {"time-speed", "z", NULL, 95, .run = rewind_speed},
    {"repaint", "^L", NULL, 0, .run = cmd_repaint},
    {0},
};

static const struct pane *const panes[] = {
    &pane_table,       &pane_prompt,  &pane_menu,   &pane_details,       &pane_chart,
    &pane_signals,     &pane_confirm, &pane_setup,  &pane_setup_columns, &pane_setup_add,
    &pane_setup_lines, &pane_choice,  &pane_users,  &pane_commands,      &pane_screens,
    &pane_page,        &pane_waits,   &pane_takers, &pane_help,          &pane_callers,
    &pane_icicle,      NULL,
};

const struct key_tables commands_keys = {panes, common_commands};
