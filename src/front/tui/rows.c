#include "front/tui/rows.h"
#include "base/clock.h"
#include "base/mem.h"
#include "front/tui/dialog.h"
#include "view/marks.h"

#include <stdlib.h>

enum { DIGITS_MS = 1500 }; /* between two digits of one number */

static bool in_tasks(struct ui *ui, const char *what)
{
    if (view_settings(ui->view)->kind == VIEW_TASKS)
        return true;
    ui_say(ui, ROLE_NOTICE, "%s: Tab leads to the tasks", what);
    return false;
}

/* The row under the cursor; where there is none the cursor is shown, for the next time. */
static const struct row *chosen(struct ui *ui)
{
    const struct row *row = table_row(&ui->table, ui->view);
    if (!row)
        table_select(&ui->table, ui->view, ui->table.row);
    return row;
}

/* --- Tags --- */

void rows_tag(struct ui *ui)
{
    if (!in_tasks(ui, "only tasks are tagged") || !chosen(ui))
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
    else if (chosen(ui) || table_row(&ui->table, ui->view))
        table_hold(&ui->table, ui->view);
}

static bool rows_find_number(struct ui *ui, uint64_t number)
{
    enum view_kind kind = view_settings(ui->view)->kind;
    for (size_t i = 0; i < view_rows(ui->view); i++) {
        const struct row *row = view_row(ui->view, i);
        bool total = view_row_marks(ui->view, i) & ROW_TOTAL;
        if (kind == VIEW_CPUS ? !total && (uint64_t)row->cpu == number
                              : (uint64_t)row->tid == number) {
            table_select(&ui->table, ui->view, i);
            return true;
        }
    }
    return false;
}

static const char *number_name(struct ui *ui)
{
    const struct view_settings *settings = view_settings(ui->view);
    return settings->kind == VIEW_CPUS ? "CPU" : settings->threads ? "tid" : "pid";
}

static bool has_numbers(struct ui *ui)
{
    return view_settings(ui->view)->kind == VIEW_CPUS || in_tasks(ui, "no row here has a number");
}

static void say_missing(struct ui *ui, uint64_t number)
{
    ui_say(ui, ROLE_NOTICE, "no row has the %s %llu%s", number_name(ui), (unsigned long long)number,
           view_settings(ui->view)->idle ? "" : "; i shows also what did not run");
}

static int jump_enter(struct ui *ui, const char *text, struct err *err)
{
    unsigned long long number;
    if (!*text)
        return 0;
    if (!str_to_u64(text, 0, INT32_MAX, &number))
        return err_set(err, "'%s' is no %s: expected a number", text, number_name(ui));
    if (!rows_find_number(ui, number))
        say_missing(ui, number);
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
    uint64_t now = clock_monotonic();
    if (!has_numbers(ui))
        return;
    if (ui->key < '0' || ui->key > '9') {
        dialog_open(ui, &jump, NULL);
        return;
    }
    if (now - ui->digit_at > DIGITS_MS * 1000000ull || ui->number > INT32_MAX / BASE)
        ui->number = 0;
    ui->digit_at = now;
    ui->number = ui->number * BASE + (uint64_t)(ui->key - '0');
    if (rows_find_number(ui, ui->number))
        ui_say(ui, ROLE_VALUE, "%s %llu", number_name(ui), (unsigned long long)ui->number);
    else
        say_missing(ui, ui->number);
}

/* --- The tree --- */

void rows_tree(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    if (!in_tasks(ui, "only tasks make a tree"))
        return;
    settings->tree = !settings->tree;
    ui_show_idle(ui);
}

static bool in_tree(struct ui *ui)
{
    if (!in_tasks(ui, "only tasks make a tree"))
        return false;
    if (!view_settings(ui->view)->tree)
        ui_say(ui, ROLE_NOTICE, "there is a tree to fold once t shows it");
    return view_settings(ui->view)->tree;
}

static void set_folded(struct ui *ui, bool folded)
{
    if (!in_tree(ui) || !chosen(ui))
        return;
    size_t row = ui->table.row;
    if (folded && !(view_row_marks(ui->view, row) & ROW_HAS_CHILDREN) &&
        view_row_parent(ui->view, row, &row))
        table_select(&ui->table, ui->view, row);
    view_fold(ui->view, row, folded);
    table_follow(&ui->table, ui->view);
}

void rows_fold(struct ui *ui)
{
    set_folded(ui, true);
}

void rows_unfold(struct ui *ui)
{
    set_folded(ui, false);
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

/* --- Which rows stay, and are marked --- */

void rows_sticky(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    if (!in_tasks(ui, "only tasks end, and stay on show"))
        return;
    settings->sticky = !settings->sticky;
    ui_apply(ui);
    ui_say(ui, ROLE_VALUE,
           settings->sticky ? "tasks that end stay on show, marked +"
                            : "tasks that end leave the table");
}

static int watch_enter(struct ui *ui, const char *text, struct err *err)
{
    struct watch *highlight = &view_settings(ui->view)->highlight, next;
    watch_init(&next);
    if (*text && watch_add_processes(&next, text, err) < 0) {
        watch_release(&next);
        return -1;
    }
    watch_release(highlight);
    *highlight = next;
    ui_apply(ui);
    return 0;
}

static const struct dialog watching = {
    .label = "Mark rows of",
    .hint = "pids or names, separated by commas; nothing: no longer",
    .enter = "mark them >",
    .enter_text = watch_enter,
};

void rows_watch(struct ui *ui)
{
    const struct watch *now = &view_settings(ui->view)->highlight;
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < now->name_count; i++)
        str_printf(&text, "%s%s", text.length > 0 ? "," : "", now->names[i]);
    for (size_t i = 0; i < now->pid_count; i++)
        str_printf(&text, "%s%d", text.length > 0 ? "," : "", (int)now->pids[i]);
    dialog_open(ui, &watching, text.text);
    str_release(&text);
}

static int least_enter(struct ui *ui, const char *text, struct err *err)
{
    double percent = 0;
    if (*text && (!str_to_double(text, &percent) || percent < 0))
        return err_set(err, "'%s' is no percentage: expected a number, 0 for all", text);
    view_settings(ui->view)->least_cpu = percent;
    ui_apply(ui);
    return 0;
}

static const struct dialog least = {
    .label = "Least %CPU",
    .hint = "rows with less are not shown; 0: all",
    .enter = "set",
    .enter_text = least_enter,
};

void rows_least(struct ui *ui)
{
    dialog_open(ui, &least, NULL);
}

void rows_level(struct ui *ui)
{
    static const char *const names[] = {[LEVEL_CPU] = "CPUs",
                                        [LEVEL_CORE] = "cores",
                                        [LEVEL_SOCKET] = "sockets",
                                        [LEVEL_TYPE] = "core types"};
    struct view_settings *settings = view_settings(ui->view);
    if (settings->kind != VIEW_CPUS) {
        ui_say(ui, ROLE_NOTICE, "cores and sockets are rows of the view of CPUs, which v shows");
        return;
    }
    settings->level = settings->level == LEVEL_TYPE ? LEVEL_CPU : settings->level + 1;
    table_home(&ui->table);
    ui_apply(ui);
    ui_say(ui, ROLE_VALUE, "rows are %s", names[settings->level]);
}
