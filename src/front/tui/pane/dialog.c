#include "front/tui/pane/panes.h"

static void dialog_enter(struct ui *ui)
{
    const struct dialog *dialog = ui->dialog;
    AUTO_FREE char *text = mem_strdup(ui->prompt.text.text);
    struct err err;
    int result = 0;
    pane_close(ui); /* the action may open another pane */
    if (!*text && !dialog->takes_empty)
        ui_say(ui, ROLE_NOTICE, "nothing was typed: nothing has changed");
    else if (dialog->enter_text)
        result = dialog->enter_text(ui, text, &err);
    else if ((result = dialog->ask_host(ui->host, text, &err)) == 0)
        frames_apply(ui);
    if (result < 0) {
        dialog_open(ui, dialog, text);
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    }
}

static void dialog_cancel(struct ui *ui)
{
    const struct dialog *dialog = ui->dialog;
    pane_close(ui);
    if (dialog->cancel)
        dialog->cancel(ui);
}

void dialog_open(struct ui *ui, const struct dialog *dialog, const char *text)
{
    /* The help of this prompt may be open on top of it, and open another prompt. */
    while (pane_is_open(ui, &pane_prompt)) {
        if (pane_now(ui) == &pane_prompt)
            dialog_cancel(ui);
        else
            pane_close(ui);
    }
    prompt_set(&ui->prompt, text);
    ui->dialog = dialog;
    pane_open(ui, &pane_prompt);
}

void dialog_ask(struct ui *ui)
{
    const struct dialog *dialog = ui->command->dialog;
    AUTO_STR struct str text = str_new();
    if (dialog->check && !ui_done(ui, dialog->check(ui->host, &ui->failure)))
        return;
    if (dialog->begin)
        dialog->begin(ui, &text);
    dialog_open(ui, dialog, text.text);
}

void dialog_again(struct ui *ui)
{
    if (!ui->command->dialog->next(ui, ui->command->how < 0))
        dialog_ask(ui);
}

/* --- Completion --- */

enum { SHOWN = 300 }; /* bytes of names in a message */

/* The part of a name to compare with the typed text: of `table::EVENT` only the event, unless a
 * table is typed. NULL if the name does not begin with that text. */
static const char *completion(const char *name, const char *typed)
{
    const char *table = strstr(typed, "::") ? NULL : strstr(name, "::");
    size_t length = strlen(typed);
    if (*name && strncasecmp(name, typed, length) == 0)
        return name;
    return table && table[2] && strncasecmp(table + 2, typed, length) == 0 ? table + 2 : NULL;
}

static char *dialog_meant(const struct ui *ui)
{
    return ui->dialog->meant ? ui->dialog->meant(ui->view, ui->prompt.text.text) : NULL;
}

static void dialog_put(struct ui *ui, const char *text)
{
    prompt_set(&ui->prompt, text);
    if (ui->dialog->change)
        ui->dialog->change(ui, text);
}

/* Completes the end of the text, as much of it as a name begins with, ignoring case, up to the
 * first difference between such names. Several are listed in the message. */
static void dialog_complete(struct ui *ui)
{
    const struct dialog *dialog = ui->dialog;
    AUTO_NAMES struct names names = {0};
    AUTO_FREE char *meant = dialog_meant(ui);
    AUTO_FREE char *text = mem_strdup(ui->prompt.text.text);
    AUTO_STR struct str list = str_new();
    const char *first = NULL, *item = text, *next = text, *name;
    size_t count = 0, common = 0; /* number of these names, and length of their common beginning */
    if (meant)
        dialog_put(ui, meant);
    if (meant || !dialog->candidates)
        return;
    dialog->candidates(ui, &names);
    names_sort(&names);
    for (; count == 0 && next; next = (next = strpbrk(item, ",{ =")) ? next + 1 : NULL) {
        item = next;
        for (size_t i = 0; i < names.count; i++) {
            size_t same = 0;
            if ((i > 0 && str_equal(names.items[i], names.items[i - 1])) ||
                !(name = completion(names.items[i], item)))
                continue;
            if (count++ == 0)
                common = strlen(first = name);
            while (same < common &&
                   tolower((unsigned char)name[same]) == tolower((unsigned char)first[same]))
                same++;
            common = same;
            if (list.length < SHOWN)
                str_printf(&list, "%s%s", count > 1 ? ", " : "", name);
        }
    }
    if (count == 0) {
        ui_say(ui, ROLE_ERROR, "no name begins with '%s'", item);
        return;
    }
    AUTO_FREE char *whole = mem_printf("%.*s%.*s", (int)(item - text), text, (int)common, first);
    dialog_put(ui, whole);
    if (count > 1)
        ui_say(ui, ROLE_VALUE, "%s%s", list.text, list.length < SHOWN ? "" : " ...");
}

/* --- Keys --- */

static void dialog_next(struct ui *ui)
{
    if (ui->dialog->next)
        ui->dialog->next(ui, ui->command->how < 0);
}

static void dialog_type(struct ui *ui, int key)
{
    if (prompt_key(&ui->prompt, key) && ui->dialog->change)
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
    const struct pane *main = pane_main(ui);
    if (step >= STEP_HOME)
        prompt_key(&ui->prompt, keys[step]);
    else if (main->step)
        main->step(ui, step);
}

static void dialog_draw(struct ui *ui, const struct band *band, int width)
{
    if (band->height == 0)
        return;
    AUTO_FREE char *label = mem_printf("%s: ", ui->dialog->label);
    prompt_draw(&ui->prompt, ui->term, (struct box){band->y, 0, width}, label, ui->dialog->hint,
                true);
}

static const char *dialog_label(const struct ui *ui, const struct key_command *command)
{
    if (command->run == dialog_enter)
        return ui->dialog->enter;
    AUTO_FREE char *meant = dialog_meant(ui);
    if (command->run == dialog_complete)
        return meant ? "condition" : ui->dialog->candidates ? command->label : NULL;
    return command->label;
}

static const struct key_command prompt_commands[] = {
    {"enter", "Enter", "enter", 80, .run = dialog_enter},
    {"complete", "Tab", "complete", 70, .run = dialog_complete},
    {"search-next", "F3 ^N", NULL, 0, .run = dialog_next, .how = 1},
    {"search-previous", "Shift-F3 ^P", NULL, 0, .run = dialog_next, .how = -1},
    {"back", "Esc", "cancel", 90, .run = dialog_cancel},
    {0},
};

const struct pane pane_prompt = {
    .name = "prompt",
    .title = "Where text is typed",
    .commands = prompt_commands,
    .cover = COVER_LINE,
    .types = true,
    .draw = dialog_draw,
    .step = dialog_step,
    .key = dialog_type,
    .label = dialog_label,
};
