#include "front/tui/dialog.h"
#include "base/mem.h"
#include "front/tui/command.h"
#include "front/tui/complete.h"
#include "front/tui/entry.h"

#include <stdlib.h>
#include <string.h>

/* --- Search --- */

/* Each letter searches from where the cursor was, so that taking one back goes back too. The
 * table's placing is not part of that: it belongs to the screen as it is now. */
static void restore_cursor(struct ui *ui)
{
    ui->table.selecting = ui->before.selecting;
    ui->table.id = ui->before.id;
    ui->table.row = ui->before.row;
    ui->table.following = ui->before.following;
    ui->table.absent = ui->before.absent;
    table_follow(&ui->table, ui->view);
}

static void dialog_find(struct ui *ui, const char *text, size_t from, bool backwards)
{
    if (!table_search(&ui->table, ui->view, text, from, backwards))
        ui_say(ui, ROLE_NOTICE, "no row contains '%s'", text);
}

/* From the row behind the cursor on, or the one before it. */
static void find_more(struct ui *ui, const char *text, bool backwards)
{
    size_t from = ui->table.selecting ? ui->table.row + !backwards : 0;
    dialog_find(ui, text, from, backwards);
}

static void search_change(struct ui *ui, const char *text)
{
    restore_cursor(ui);
    if (*text)
        dialog_find(ui, text, ui->table.row, false);
}

static int search_enter(struct ui *ui, const char *text, struct err *err)
{
    (void)err;
    if (*text) {
        free(ui->searched);
        ui->searched = mem_strdup(text);
    }
    return 0;
}

static const struct dialog search = {
    .label = "Search",
    .hint = "text of a name, user or pid",
    .enter = "stay there",
    .change = search_change,
    .enter_text = search_enter,
    .cancel = restore_cursor,
};

void dialog_search(struct ui *ui)
{
    ui->before = ui->table;
    dialog_open(ui, &search, NULL);
}

static void search_again(struct ui *ui, bool backwards)
{
    if (ui->searched)
        find_more(ui, ui->searched, backwards);
    else
        dialog_search(ui);
}

void dialog_search_again(struct ui *ui)
{
    search_again(ui, false);
}

void dialog_search_back(struct ui *ui)
{
    search_again(ui, true);
}

/* --- Filter --- */

/* What is not finished leaves the rows as they are; a mistake is told while it can be mended. */
static void filter_change(struct ui *ui, const char *text)
{
    struct err err;
    if (view_type_filter(ui->view, text, &err) == VIEW_TYPED_WRONG)
        ui_say(ui, ROLE_NOTICE, "%s", err.text);
    table_follow(&ui->table, ui->view);
}

static int filter_enter(struct ui *ui, const char *text, struct err *err)
{
    if (view_set_filter(ui->view, text, err) < 0)
        return -1;
    table_follow(&ui->table, ui->view);
    return 0;
}

static void filter_cancel(struct ui *ui)
{
    view_set_filter(ui->view, ui->filter_before, NULL);
    table_follow(&ui->table, ui->view);
}

static const struct dialog filter = {
    .label = "Filter",
    .hint = "text of a name or command line, or a condition: ipc < 0.5 and user = web",
    .enter = "keep",
    .change = filter_change,
    .enter_text = filter_enter,
    .cancel = filter_cancel,
};

void dialog_filter(struct ui *ui)
{
    const char *now = view_settings(ui->view)->filter;
    free(ui->filter_before);
    ui->filter_before = mem_strdup(now);
    dialog_open(ui, &filter, now);
}

/* --- Events --- */

static int event_enter(struct ui *ui, const char *text, struct err *err)
{
    if (!*text)
        return 0;
    if (host_add_event(ui->host, text, err) < 0)
        return -1;
    ui->added = true;
    ui_say(ui, ROLE_VALUE, "counting '%s'", text);
    return 0;
}

/* Spellings are to be read, not to be completed to. */
static const char *known_event(struct ui *ui, size_t i)
{
    struct front_event found;
    if (!host_event(ui->host, i, &found))
        return NULL;
    return found.spelling ? "" : found.name;
}

static const struct dialog event = {
    .label = "Add event",
    .hint = "cache-misses, branches:u, {cycles,instructions} ...",
    .enter = "count it",
    .enter_text = event_enter,
    .candidate = known_event,
};

void dialog_event_from(struct ui *ui, const char *text)
{
    dialog_open(ui, &event, text);
}

void dialog_event(struct ui *ui)
{
    dialog_event_from(ui, NULL);
}

static const char *counted_event(struct ui *ui, size_t i)
{
    const struct event_set *counted = ui->frame ? ui->frame->events : NULL;
    return counted && i < counted->count ? counted->events[i].name : NULL;
}

static int remove_enter(struct ui *ui, const char *text, struct err *err)
{
    if (!*text)
        return 0;
    if (host_remove_event(ui->host, text, err) < 0)
        return -1;
    ui_say(ui, ROLE_VALUE, "no longer counting '%s'", text);
    return 0;
}

static const struct dialog removal = {
    .label = "Remove event",
    .hint = "its name",
    .enter = "stop counting it",
    .enter_text = remove_enter,
    .candidate = counted_event,
};

/* The event whose own column sorts is offered. */
void dialog_remove(struct ui *ui)
{
    const struct view_column *column = view_column(ui->view, view_sort_column(ui->view));
    bool counted = ui->frame && event_set_find(ui->frame->events, column->name) >= 0;
    dialog_open(ui, &removal, counted ? column->name : NULL);
}

/* --- Attach --- */

static int attach_enter(struct ui *ui, const char *text, struct err *err)
{
    if (*text && host_attach(ui->host, text, err) < 0)
        return -1;
    ui_apply(ui);
    return 0;
}

static const struct dialog attach = {
    .label = "Attach to",
    .hint = "pids or names, separated by commas",
    .enter = "show only what is attached to",
    .enter_text = attach_enter,
};

void dialog_attach(struct ui *ui)
{
    dialog_open(ui, &attach, NULL);
}

static int let_go_enter(struct ui *ui, const char *text, struct err *err)
{
    if (host_let_go(ui->host, text, err) < 0)
        return -1;
    ui_apply(ui);
    return 0;
}

static const struct dialog let_go = {
    .label = "Let go of",
    .hint = "pids or names, separated by commas; nothing: of all",
    .enter = "let go",
    .enter_text = let_go_enter,
};

void dialog_let_go(struct ui *ui)
{
    dialog_open(ui, &let_go, NULL);
}

/* --- User --- */

static int user_enter(struct ui *ui, const char *text, struct err *err)
{
    if (host_set_user(ui->host, text, err) < 0)
        return -1;
    ui_apply(ui);
    return 0;
}

static const struct dialog user = {
    .label = "Only processes of",
    .hint = "a user's name or uid; nothing: everybody's",
    .enter = "show",
    .enter_text = user_enter,
};

void dialog_user(struct ui *ui)
{
    dialog_open(ui, &user, NULL);
}

/* --- Save --- */

static int save_enter(struct ui *ui, const char *text, struct err *err)
{
    char *path;
    if (!*text)
        return 0;
    if (host_save_screen(ui->host, text, &path, err) < 0)
        return -1;
    ui_say(ui, ROLE_VALUE, "wrote %s: 'countertop -s %s' shows it", path, text);
    free(path);
    return 0;
}

static const struct dialog save = {
    .label = "Save screen as",
    .hint = "a name for these columns and events",
    .enter = "write it to a new file",
    .enter_text = save_enter,
};

void dialog_save(struct ui *ui)
{
    dialog_open(ui, &save, NULL);
}

/* --- Delay --- */

static int delay_enter(struct ui *ui, const char *text, struct err *err)
{
    double seconds;
    if (!*text)
        return 0;
    if (!str_to_double(text, &seconds))
        return err_set(err, "'%s' is no number of seconds: expected 0.05 to 3600", text);
    return host_set_delay(ui->host, seconds, err);
}

static const struct dialog delay = {
    .label = "Seconds between refreshes",
    .hint = "0.05 to 3600",
    .enter = "set",
    .enter_text = delay_enter,
};

void dialog_delay(struct ui *ui)
{
    dialog_open(ui, &delay, NULL);
}

/* --- The pane --- */

static void close_prompt(struct ui *ui)
{
    ui->dialog = NULL;
}

static void dialog_enter(struct ui *ui)
{
    const struct dialog *dialog = ui->dialog;
    char *text = mem_strdup(ui->prompt.text.text);
    struct err err;
    pane_close(ui); /* what it does may open another pane */
    if (dialog->enter_text(ui, text, &err) < 0) {
        dialog_open(ui, dialog, text);
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    }
    free(text);
}

static void cancel(struct ui *ui)
{
    const struct dialog *dialog = ui->dialog;
    pane_close(ui);
    if (dialog->cancel)
        dialog->cancel(ui);
}

/* One at a time: over the help of a prompt another one may be asked for. */
static void cancel_other(struct ui *ui)
{
    while (pane_is_open(ui, &pane_prompt)) {
        if (pane_now(ui) == &pane_prompt)
            cancel(ui);
        else
            pane_close(ui);
    }
}

void dialog_open(struct ui *ui, const struct dialog *dialog, const char *text)
{
    cancel_other(ui);
    prompt_set(&ui->prompt, text);
    ui->dialog = dialog;
    pane_open(ui, &pane_prompt);
}

static void dialog_complete(struct ui *ui)
{
    if (ui->dialog->candidate)
        complete_prompt(ui, ui->dialog->candidate);
}

/* What was searched for last comes back where nothing is typed. */
static void find_typed(struct ui *ui, bool backwards)
{
    if (ui->dialog != &search)
        return;
    if (ui->prompt.text.length == 0)
        prompt_set(&ui->prompt, ui->searched);
    if (ui->prompt.text.length > 0)
        find_more(ui, ui->prompt.text.text, backwards);
}

static void find_next(struct ui *ui)
{
    find_typed(ui, false);
}

static void find_previous(struct ui *ui)
{
    find_typed(ui, true);
}

static void dialog_type(struct ui *ui, int key)
{
    if (prompt_key(&ui->prompt, key) == PROMPT_EDITED && ui->dialog->change)
        ui->dialog->change(ui, ui->prompt.text.text);
}

static void dialog_step(struct ui *ui, enum step step)
{
    static const int keys[] = {
        [STEP_HOME] = K_HOME,
        [STEP_END] = K_END,
        [STEP_LEFT] = K_LEFT,
        [STEP_RIGHT] = K_RIGHT,
    };
    if (step < STEP_HOME)
        pane_table.step(ui, step);
    else
        prompt_key(&ui->prompt, keys[step]);
}

static void dialog_draw(struct ui *ui, const struct band *band, int width)
{
    if (band->height == 0)
        return;
    char *label = mem_printf("%s: ", ui->dialog->label);
    struct entry entry = {label, ui->dialog->hint, &ui->prompt};
    entry_draw(&entry, ui->term, (struct cpu_events){band->y, 0, width}, true);
    free(label);
}

static const struct command prompt_commands[] = {
    {"enter", "Enter", "enter", 80, "take what is typed", dialog_enter},
    {"complete", "Tab", "complete", 70, "complete a name, where there are names to choose from",
     dialog_complete},
    {"search-next", "F3 ^N", NULL, 0, "while searching: the next or previous row with that text",
     find_next},
    {"search-previous", "Shift-F3 ^P", NULL, 0, NULL, find_previous},
    {"back", "Esc", "cancel", 90, "close, and leave things as they were", cancel},
    {0},
};

static const char *label(const struct ui *ui, const struct command *command)
{
    if (command->run == dialog_enter)
        return ui->dialog->enter;
    return command->run == dialog_complete && !ui->dialog->candidate ? NULL : command->label;
}

const struct pane pane_prompt = {
    .name = "prompt",
    .title = "Where text is typed",
    .commands = prompt_commands,
    .cover = COVER_LINE,
    .types = true,
    .draw = dialog_draw,
    .step = dialog_step,
    .key = dialog_type,
    .close = close_prompt,
    .label = label,
};
