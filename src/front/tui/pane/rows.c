#include "front/tui/pane/panes.h"
#include "view/marks.h"

enum { DIGITS_MS = 1500 }; /* maximum time between two digits of a number */

static bool in_tasks(struct ui *ui, const char *what)
{
    if (view_settings(ui->view)->kind == VIEW_TASKS)
        return true;
    ui_say(ui, ROLE_NOTICE, "%s: Tab leads to the tasks", what);
    return false;
}

/* Whether there is a cursor; else shows it for the next key, or says that its row is away. */
static bool has_chosen(struct ui *ui)
{
    if (table_row(&ui->table, ui->view))
        return true;
    if (!ui_row_is_away(ui))
        table_select(&ui->table, ui->view, ui->table.row);
    return false;
}

void rows_sort_by(struct ui *ui, const char *column)
{
    ui_done(ui, view_sort_by(ui->view, column, false, &ui->failure));
    table_follow(&ui->table, ui->view);
}

/* --- Tags --- */

void rows_tag(struct ui *ui)
{
    if (!in_tasks(ui, "only tasks are tagged") || !has_chosen(ui))
        return;
    size_t row = ui->table.row;
    view_tag(ui->view, row, !(view_row_marks(ui->view, row) & ROW_TAGGED));
    table_step(&ui->table, ui->view, STEP_DOWN);
}

void rows_untag_all(struct ui *ui)
{
    view_untag_all(ui->view);
}

/* --- Following and jumping --- */

void rows_follow(struct ui *ui)
{
    if (ui->table.following)
        table_select(&ui->table, ui->view, ui->table.row);
    else if (has_chosen(ui) || table_row(&ui->table, ui->view))
        table_hold(&ui->table, ui->view);
}

static const char *number_name(struct ui *ui)
{
    const struct view_settings *settings = view_settings(ui->view);
    return view_of_cpus(settings->kind) ? "CPU" : settings->threads ? "tid" : "pid";
}

bool rows_select(struct ui *ui, uint64_t number)
{
    bool cpus = view_of_cpus(view_settings(ui->view)->kind);
    for (size_t i = 0; i < view_rows(ui->view); i++) {
        const struct row *row = view_row(ui->view, i);
        bool total = view_row_marks(ui->view, i) & ROW_TOTAL;
        if (cpus ? total || (uint64_t)row->cpu != number : (uint64_t)row->tid != number)
            continue;
        table_select(&ui->table, ui->view, i);
        return true;
    }
    return false;
}

/* Says the number to which the cursor moves, or that there is no such row. */
static void jump_to(struct ui *ui, uint64_t number)
{
    unsigned long long shown = number;
    if (rows_select(ui, number))
        ui_say(ui, ROLE_VALUE, "%s %llu", number_name(ui), shown);
    else
        ui_say(ui, ROLE_NOTICE, "no row has the %s %llu%s", number_name(ui), shown,
               view_settings(ui->view)->idle ? "" : "; i shows rows that did not run, too");
}

static int jump_enter(struct ui *ui, const char *text, struct err *err)
{
    unsigned long long number;
    if (!str_to_u64(text, 0, INT32_MAX, &number))
        return err_set(err, "'%s' is no %s: expected a number", text, number_name(ui));
    jump_to(ui, number);
    return 0;
}

static const struct dialog jump = {
    .label = "Jump to",
    .hint = "the number of a row: a pid, in the view of CPUs a CPU",
    .enter = "go there",
    .enter_text = jump_enter,
};

void rows_jump(struct ui *ui)
{
    enum { BASE = 10 };
    struct typed {
        uint64_t number, time, key; /* time and count of keys at its last digit */
    };
    static const struct own own = {.size = sizeof(struct typed)};
    struct typed *typed = ui_own(ui, &own);
    uint64_t now = clock_monotonic();
    if (!view_of_cpus(view_settings(ui->view)->kind) && !in_tasks(ui, "no row here has a number"))
        return;
    if (ui->key < '0' || ui->key > '9') {
        dialog_open(ui, &jump, NULL);
        return;
    }
    if (now - typed->time > DIGITS_MS * 1000000ull || ui->keys != typed->key + 1 ||
        typed->number > INT32_MAX / BASE)
        typed->number = 0;
    typed->time = now;
    typed->key = ui->keys;
    typed->number = typed->number * BASE + (uint64_t)(ui->key - '0');
    jump_to(ui, typed->number);
}

/* --- The clipboard --- */

/* The cells of a row, with tabs between them. */
static void write_cells(struct view *view, size_t row, struct str *text)
{
    struct cell cell;
    for (size_t i = 0; i < view_columns(view); i++) {
        if (view_column_strip(view, i) != STRIP_NONE)
            continue;
        view_cell(view, row, i, &cell);
        str_printf(text, "%s%s", i > 0 ? "\t" : "", cell.text + strspn(cell.text, " "));
    }
}

void rows_copy(struct ui *ui)
{
    struct view *view = ui->view;
    enum row_part part = (enum row_part)ui->command->how;
    char command[4096] = "";
    AUTO_STR struct str text = str_new();
    if ((part != ROW_CELLS && !in_tasks(ui, "no row here is a process")) || !has_chosen(ui))
        return;
    size_t at = ui->table.row;
    const struct row *row = view_row(view, at);
    struct cell name;
    view_cell(view, at, view_columns(view) - 1, &name);
    if (part == ROW_CELLS)
        write_cells(view, at, &text);
    else if (part == ROW_PID)
        str_printf(&text, "%d", (int)(row->process ? row->tid : row->pid));
    else
        str_add(&text, view_command_line(view, at, command, sizeof(command)) ? command : name.text);
    if (term_copy(ui->term, text.text))
        ui_say(ui, ROLE_VALUE, "copied: %s", part == ROW_CELLS ? "the row" : text.text);
    else
        ui_say(ui, ROLE_NOTICE, "cannot copy: this terminal has no clipboard that is known");
}

/* --- Idle rows, and the tree --- */

/* Turns over the settings that list idle tasks. */
static void turn_listing(struct ui *ui, bool idle, bool tree)
{
    struct view_settings next = *view_settings(ui->view);
    bool listed = view_needs_idle(&next);
    next.idle ^= idle;
    next.tree ^= tree;
    bool changes = view_needs_idle(&next) != listed;
    if (changes)
        host_set_idle(ui->host, !listed);
    frames_change(ui, &next);
    if (changes)
        rewind_again(ui);
    if (changes && !ui->paused) /* only the next frame has idle tasks, or only those that ran */
        host_refresh(ui->host);
}

void rows_idle(struct ui *ui)
{
    turn_listing(ui, true, false);
}

/* Whether rows can be a tree; else says so. */
static bool make_tree(struct ui *ui)
{
    return view_settings(ui->view)->kind == VIEW_CGROUPS ||
           in_tasks(ui, "only tasks and cgroups make a tree");
}

void rows_tree(struct ui *ui)
{
    if (make_tree(ui))
        turn_listing(ui, false, true);
}

static bool in_tree(struct ui *ui)
{
    if (!make_tree(ui))
        return false;
    if (!view_settings(ui->view)->tree)
        ui_say(ui, ROLE_NOTICE, "no tree to fold: t shows it");
    return view_settings(ui->view)->tree;
}

/* Folds or unfolds below a row, or ended tasks of one name, of which one is chosen then. */
static bool fold_row(struct ui *ui, size_t row, bool folded)
{
    struct row of = *view_row(ui->view, row); /* rows are invalid afterwards */
    if (!view_fold(ui->view, row, folded))
        return false;
    for (size_t i = 0; i < view_rows(ui->view) && of.exited && !view_settings(ui->view)->tree; i++)
        if (view_row(ui->view, i)->exited && str_equal(view_row(ui->view, i)->comm, of.comm)) {
            table_select(&ui->table, ui->view, i);
            break;
        }
    table_follow(&ui->table, ui->view);
    return true;
}

bool rows_open_ended(struct ui *ui)
{
    const struct table *table = &ui->table;
    return !ui_row_is_away(ui) && table_row(table, ui->view) && !view_settings(ui->view)->tree &&
           view_row_marks(ui->view, table->row) & ROW_FOLDED && fold_row(ui, table->row, false);
}

void rows_fold(struct ui *ui)
{
    bool folded = ui->command->how > 0;
    size_t row = ui->table.row;
    if (view_settings(ui->view)->kind == VIEW_HEAT) {
        meters_zoom(ui);
        return;
    }
    if (!has_chosen(ui))
        return;
    if (folded && !(view_row_marks(ui->view, row) & ROW_HAS_CHILDREN) &&
        view_row_parent(ui->view, row, &row))
        table_select(&ui->table, ui->view, row);
    if (!fold_row(ui, row, folded))
        in_tree(ui); /* says how there is one */
}

void rows_fold_all(struct ui *ui)
{
    bool folded = false;
    if (!in_tree(ui))
        return;
    for (size_t i = 0; i < view_rows(ui->view) && !folded; i++)
        folded = view_row_marks(ui->view, i) & ROW_FOLDED;
    view_fold_all(ui->view, !folded);
    table_follow(&ui->table, ui->view);
}

/* --- Selection of rows --- */

void rows_sticky(struct ui *ui)
{
    struct view_settings next = *view_settings(ui->view);
    if (!in_tasks(ui, "only tasks end"))
        return;
    next.sticky = !next.sticky;
    frames_change(ui, &next);
    ui_say(ui, ROLE_VALUE,
           next.sticky ? "keeping tasks that have ended, marked +"
                       : "dropping tasks that have ended");
}

void rows_level(struct ui *ui)
{
    static const char *const names[] = {[LEVEL_CPU] = "CPUs",
                                        [LEVEL_CORE] = "cores",
                                        [LEVEL_SOCKET] = "sockets",
                                        [LEVEL_TYPE] = "core types"};
    struct view_settings next = *view_settings(ui->view);
    if (!view_of_cpus(next.kind)) {
        ui_say(ui, ROLE_NOTICE, "only the view of CPUs has cores and sockets: v shows it");
        return;
    }
    next.level = next.level == LEVEL_TYPE ? LEVEL_CPU : next.level + 1;
    table_home(&ui->table);
    frames_change(ui, &next);
    ui_say(ui, ROLE_VALUE, "rows are %s", names[next.level]);
}

/* --- Drawing --- */

void rows_write_watch(const struct watch *watch, struct str *text)
{
    for (size_t i = 0; i < watch->names.count; i++)
        str_printf(text, "%s%s", text->length > 0 ? "," : "", watch->names.items[i]);
    for (size_t i = 0; i < watch->pid_count; i++)
        str_printf(text, "%s%d", text->length > 0 ? "," : "", (int)watch->pids[i]);
}

void rows_draw(struct ui *ui, const struct band *band, int width)
{
    const struct view_settings *settings = view_settings(ui->view);
    const struct watch *watch = &settings->watch;
    bool named = watch->names.count || watch->user_count || watch->cgroup || watch->command;
    char text[300], filter[256];
    AUTO_FREE char *absent = NULL;
    AUTO_STR struct str watched = str_new(), asleep = str_new();
    rows_write_watch(watch, &watched);
    const char *empty = "nothing ran in this interval";
    if (!ui->frame)
        empty = "counting...";
    else if (view_lacks_cpus(settings->kind, ui->frame))
        empty = "CPUs are not known to the engine 'task'; Enter counts all CPUs from now on";
    else if (view_types[settings->kind].takers && !settings->filter)
        empty = "no wait for a CPU is known; the screen 'waits' finds them";
    else if (view_of_code(settings->kind) && !settings->filter)
        empty = settings->kind == VIEW_FUNCTIONS ? functions_empty(ui) : instructions_empty(ui);
    else if (view_filters_text(ui->view)) {
        text_clean(filter, sizeof(filter), settings->filter, false);
        text_cut(filter, width - (int)strlen("no row contains ''"));
        snprintf(text, sizeof(text), "no row contains '%s'", filter);
        empty = text;
    } else if (settings->filter)
        empty = "no row matches the filter";
    else if (named && (absent = host_absent_names(ui->host, watched.text))) {
        snprintf(text, sizeof(text), "no process is called '%.200s'", absent);
        empty = text;
    } else if (view_tell_asleep(ui->view, "i", &asleep))
        empty = asleep.text;
    table_draw(&ui->table, ui->view, ui->term, band, width, empty);
}
