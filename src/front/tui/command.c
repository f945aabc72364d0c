#include "front/tui/command.h"
#include "front/tui/details.h"
#include "front/tui/dialog.h"
#include "front/tui/kill.h"
#include "front/tui/menu.h"
#include "front/tui/pages.h"
#include "front/tui/rewind.h"
#include "front/tui/rows.h"
#include "front/tui/setup.h"
#include "front/tui/ui.h"

static void cmd_quit(struct ui *ui)
{
    ui->quit = true;
}

static void cmd_refresh(struct ui *ui)
{
    ui->step = ui->paused;
    host_refresh(ui->host);
}

static void cmd_pause(struct ui *ui)
{
    if (rewind_pause(ui))
        return;
    ui->paused = !ui->paused;
    if (!ui->paused)
        host_refresh(ui->host);
}

static void cmd_threads(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    settings->threads = !settings->threads;
    host_set_threads(ui->host, settings->threads);
    ui_apply(ui);
}

static void show_view(struct ui *ui, enum view_kind kind)
{
    view_settings(ui->view)->kind = kind;
    table_home(&ui->table);
    ui_apply(ui);
}

static void cmd_view_next(struct ui *ui)
{
    enum view_kind kind = view_settings(ui->view)->kind;
    show_view(ui, kind == VIEW_LAST ? VIEW_TASKS : kind + 1);
}

static void cmd_view_previous(struct ui *ui)
{
    enum view_kind kind = view_settings(ui->view)->kind;
    show_view(ui, kind == VIEW_TASKS ? VIEW_LAST : kind - 1);
}

static void cmd_cpus(struct ui *ui)
{
    show_view(ui, view_settings(ui->view)->kind == VIEW_CPUS ? VIEW_TASKS : VIEW_CPUS);
}

static void step_screen(struct ui *ui, int step)
{
    struct err err;
    if (host_step_screen(ui->host, step, &err) < 0) {
        ui_say(ui, ROLE_ERROR, "%s", err.text);
        return;
    }
    ui_new_screen(ui);
}

static void cmd_screen_next(struct ui *ui)
{
    step_screen(ui, 1);
}

static void cmd_screen_previous(struct ui *ui)
{
    step_screen(ui, -1);
}

static void cmd_idle(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    settings->idle = !settings->idle;
    ui_show_idle(ui);
}

static void cmd_cmdline(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    settings->cmdline = !settings->cmdline;
    ui->table.shift = 0;
    ui_apply(ui);
}

static void cmd_sort_left(struct ui *ui)
{
    view_sort_move(ui->view, -1);
    table_follow(&ui->table, ui->view);
}

static void cmd_sort_right(struct ui *ui)
{
    view_sort_move(ui->view, 1);
    table_follow(&ui->table, ui->view);
}

static void cmd_sort_invert(struct ui *ui)
{
    view_sort_invert(ui->view);
    table_follow(&ui->table, ui->view);
}

static void cmd_sort_cpu(struct ui *ui)
{
    struct err err;
    if (view_sort_by(ui->view, "cpu_pct", false, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    table_follow(&ui->table, ui->view);
}

static void cmd_exact(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    settings->exact = !settings->exact;
    ui_apply(ui);
}

static void cmd_mode(struct ui *ui)
{
    static const enum count_mode next[] = {
        [MODE_ALL] = MODE_USER, [MODE_USER] = MODE_KERNEL, [MODE_KERNEL] = MODE_ALL};
    struct err err;
    if (ui->session && host_set_mode(ui->host, next[ui->session->mode], &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
}

static void cmd_home(struct ui *ui)
{
    table_home(&ui->table);
}

static void cmd_scroll_left(struct ui *ui)
{
    table_scroll(&ui->table, -1);
}

static void cmd_scroll_right(struct ui *ui)
{
    table_scroll(&ui->table, 1);
}

/* --- Of every pane --- */

static void command_step(struct ui *ui, enum step step)
{
    const struct pane *pane = pane_now(ui);
    if (pane->step)
        pane->step(ui, step);
}

static void cmd_up(struct ui *ui)
{
    command_step(ui, STEP_UP);
}

static void cmd_down(struct ui *ui)
{
    command_step(ui, STEP_DOWN);
}

static void cmd_page_up(struct ui *ui)
{
    command_step(ui, STEP_PAGE_UP);
}

static void cmd_page_down(struct ui *ui)
{
    command_step(ui, STEP_PAGE_DOWN);
}

static void cmd_first(struct ui *ui)
{
    command_step(ui, STEP_HOME);
}

static void cmd_last(struct ui *ui)
{
    command_step(ui, STEP_END);
}

static void cmd_left(struct ui *ui)
{
    command_step(ui, STEP_LEFT);
}

static void cmd_right(struct ui *ui)
{
    command_step(ui, STEP_RIGHT);
}

static void cmd_repaint(struct ui *ui)
{
    term_repaint(ui->term);
}

/* In the order of the help. Keys follow htop where it has the command, else top (design: "What
 * fingers know"). */
static const struct command table_commands[] = {
    {"help", "F1 h ?", "help", 90, "this help", pages_help},
    {"setup", "F2 f", "setup", 35, "columns, screens, themes, switches; the table is in sight",
     setup_open},
    {"search", "F3 / L", "search", 40, "move the cursor to a row by its name, user or pid",
     dialog_search},
    {"search-again", "n &", NULL, 0, "the next row with the text searched for last",
     dialog_search_again},
    {"search-back", "N Shift-F3", NULL, 0, "the one before", dialog_search_back},
    {"jump", "0 1 2 3 4 5 6 7 8 9", NULL, 0, "the digits of a pid move the cursor to it",
     rows_jump},
    {"follow", "F", NULL, 0,
     "keep the cursor on its row until it is moved, also while that is gone", rows_follow},
    {"tag", "Space", NULL, 0, "tag a row, for a signal to several, or no longer", rows_tag},
    {"untag-all", "U", NULL, 0, "tag no row any more", rows_untag_all},
    {"kill", "F9 k", "kill", 55,
     "send a signal to the tagged rows, else to the one under the cursor", kill_open},
    {"watch", "w", NULL, 0, "mark the rows of some pids or names", rows_watch},
    {"filter", "F4 \\", "filter", 70, "show only rows that contain a text, or satisfy a condition",
     dialog_filter},
    {"sort", "F6 O", "sort", 80, "choose the column to sort by", pages_sort},
    {"sort-left", "<", NULL, 0, "sort by the next column to the left or right", cmd_sort_left},
    {"sort-right", ">", NULL, 0, NULL, cmd_sort_right},
    {"sort-invert", "I R", NULL, 0, "invert the order", cmd_sort_invert},
    {"sort-cpu", "P", NULL, 0, "sort by CPU time", cmd_sort_cpu},
    {"threads", "H", "threads", 50, "threads or processes", cmd_threads},
    {"view-next", "Tab", "views", 44, "tasks, CPUs, users, commands, cgroups, and around",
     cmd_view_next},
    {"view-previous", "Shift-Tab", NULL, 0, NULL, cmd_view_previous},
    {"screen-previous", "Left [", NULL, 0, "the screen before or behind this one: other columns",
     cmd_screen_previous},
    {"screen-next", "Right ]", NULL, 0, NULL, cmd_screen_next},
    {"cpus", "v", "CPUs", 45, "CPUs, and back to tasks", cmd_cpus},
    {"level", "l", NULL, 0, "CPUs, cores, sockets or core types, in the view of CPUs", rows_level},
    {"tree", "F5 t", "tree", 46, "tasks under their parents", rows_tree},
    {"fold", "-", NULL, 0, "fold the tree below a row, unfold it", rows_fold},
    {"unfold", "+", NULL, 0, NULL, rows_unfold},
    {"fold-all", "*", NULL, 0, "fold or unfold all of the tree", rows_fold_all},
    {"idle", "i", NULL, 0, "also what did not run in the interval", cmd_idle},
    {"least-cpu", "%", NULL, 0, "only rows that take so many %CPU", rows_least},
    {"sticky", "S", NULL, 0, "tasks that ended stay on show, marked +", rows_sticky},
    {"cmdline", "c", NULL, 0, "command lines or names", cmd_cmdline},
    {"event", "e", "add event", 75, "count one more event, in a column of its own", dialog_event},
    {"catalogue", "F7 C", "catalogue", 43, "all events there are, to search, add and remove",
     menu_open},
    {"remove-event", "x", NULL, 0, "count an event no longer, by name", dialog_remove},
    {"errors", "E", "errors", 20, "what went wrong so far; every event: counted how, or why not",
     pages_errors},
    {"attach", "a", "attach", 60, "show only some processes, by pid or name; more add to them",
     dialog_attach},
    {"let-go", "A", NULL, 0, "let go of some that are attached to, or of all", dialog_let_go},
    {"user", "u", NULL, 0, "show only processes of a user, or again everybody's", dialog_user},
    {"delay", "d s", NULL, 0, "seconds between refreshes", dialog_delay},
    {"details", "Enter", "details", 42, "all that is counted of the row under the cursor, and was",
     details_open},
    {"amount", "o", NULL, 0, "counts a second, in the interval, or since the start", amount_step},
    {"exact", "X", NULL, 0, "counts with all their digits, or short", cmd_exact},
    {"mode", "K", NULL, 0, "count user mode, kernel mode, or both; begins anew", cmd_mode},
    {"bars", "m", NULL, 0, "bars of the header: the machine, each CPU, none; where there is room",
     meters_next_bars},
    {"bars-metric", "M", NULL, 0, "what bars and their history are of: busy, or a metric on show",
     meters_next_metric},
    {"save", "W", NULL, 0, "write these columns and events as a screen of yours", dialog_save},
    {"refresh", "r", NULL, 0, "refresh now; a single step while paused", cmd_refresh},
    {"home", "Home Esc g", NULL, 0, "to the top, and stay there without a cursor", cmd_home},
    {"left", "( Shift-Left", NULL, 0, "scroll the columns, then the command", cmd_scroll_left},
    {"right", ") Shift-Right", NULL, 0, NULL, cmd_scroll_right},
    {"quit", "q F10", "quit", 100, "leave", cmd_quit},
    {0},
};

const struct command common_commands[] = {
    {"up", "Up k", NULL, 0, "move", cmd_up},
    {"down", "Down j", NULL, 0, NULL, cmd_down},
    {"page-up", "PgUp", NULL, 0, NULL, cmd_page_up},
    {"page-down", "PgDn Space", NULL, 0, NULL, cmd_page_down},
    {"home", "Home g", NULL, 0, NULL, cmd_first},
    {"end", "End G", NULL, 0, NULL, cmd_last},
    {"left", "Left h", NULL, 0, NULL, cmd_left},
    {"right", "Right l", NULL, 0, NULL, cmd_right},
    {"help", "F1 ?", "help", 10, "the keys of the pane one is in", pages_help},
    {"pause", "Z", "pause", 30, "hold the screen still; play or stop a recording", cmd_pause},
    {"time-back", ",", NULL, 66, "the interval before the one on show, or behind it", rewind_back},
    {"time-forth", ".", NULL, 65, NULL, rewind_forth},
    {"time-page-back", "{", NULL, 0, "ten intervals back, or on", rewind_page_back},
    {"time-page-forth", "}", NULL, 0, NULL, rewind_page_forth},
    {"time-first", "^", NULL, 0, "the first interval that is kept; now, or the end of a recording",
     rewind_first},
    {"time-last", "$", NULL, 96, NULL, rewind_last},
    {"time-seek", "b @", NULL, 64, "go to a time, or to an interval by its number", rewind_seek},
    {"time-speed", "z", NULL, 67, "play a recording, then x2, x10, x60, x0.5 as fast as it was",
     rewind_speed},
    {"repaint", "^L", NULL, 0, "draw the screen anew", cmd_repaint},
    {0},
};

static void command_move_cursor(struct ui *ui, enum step step)
{
    table_step(&ui->table, ui->view, step);
}

static void press_row(struct ui *ui, int line, bool twice)
{
    size_t row = ui->table.top + (size_t)line;
    if (row >= view_rows(ui->view))
        return;
    table_select(&ui->table, ui->view, row);
    if (twice)
        details_open(ui);
}

/* Sorts by the column, or the other way round. */
static void press_title(struct ui *ui, int x)
{
    struct err err;
    size_t column = table_column_at(&ui->table, x);
    if (column >= view_columns(ui->view))
        return;
    if (column == view_sort_column(ui->view))
        view_sort_invert(ui->view);
    else if (view_sort_by(ui->view, view_column(ui->view, column)->name, false, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    table_follow(&ui->table, ui->view);
}

const struct pane pane_table = {
    .name = "table",
    .title = "Keys",
    .commands = table_commands,
    .cover = COVER_TABLE,
    .draw = ui_draw_table,
    .step = command_move_cursor,
    .press = press_row,
    .titles = press_title,
    .label = rewind_label,
};
