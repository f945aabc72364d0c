#include "front/tui/setup/display.h"
#include "base/mem.h"
#include "front/tui/state/frames.h"
#include "front/tui/state/keymap.h"
#include "front/tui/state/meters.h"

#include <stdio.h>
#include <stdlib.h>

static void switch_ascii(struct ui *ui)
{
    ui->ascii = !term_ascii(ui->term);
    term_set_ascii(ui->term, ui->ascii);
    view_settings(ui->view)->ascii = term_ascii(ui->term);
    if (term_ascii(ui->term) != ui->ascii)
        ui_say(ui, ROLE_NOTICE, "the locale has only ASCII: choose another one with LANG");
    frames_apply(ui);
}

static const struct key_command ascii = {.name = "ascii",
                                         .keys = "",
                                         .help = "only ASCII characters",
                                         .run = switch_ascii,
                                         .option = "ascii"};

/* The i-th command of the table that changes an option, then the one without a key; NULL after
 * that. */
static const struct key_command *display_command(const struct ui *ui, size_t i)
{
    const struct key_command *command = ui->panes[0]->commands;
    for (; command->name; command++)
        if (command->option && i-- == 0)
            return command;
    return i == 0 ? &ascii : NULL;
}

void display_fill(struct ui *ui)
{
    const struct key_command *command;
    struct front_look look = section_look(ui);
    look.ascii = term_ascii(ui->term);
    look.amount = view_settings(ui->view)->amount;
    page_title(&ui->setup->list, "Display, and its keys");
    for (size_t i = 0; (command = display_command(ui, i)); i++) {
        char key[16], text[160];
        char *value = *command->option
                          ? host_setting(ui->host, &look, command->option)
                          : mem_strdup(ui->meters->metric ? ui->meters->metric : "busy");
        keymap_keys(ui->keymap, ui->panes[0], command, true, key, sizeof(key));
        char *name = mem_printf("%s%s%s", command->name, *key ? " " : "", key);
        snprintf(text, sizeof(text), section_is_wide(ui) ? "%-15s  %s" : "%s", value,
                 command->help);
        page_add(&ui->setup->list, ROLE_KEY, name, text);
        free(value);
        free(name);
    }
}

/* Line 0 is the title. */
static void display_change(struct ui *ui)
{
    size_t line = ui->setup->list.cursor;
    const struct key_command *command = line > 0 ? display_command(ui, line - 1) : NULL;
    if (command)
        pane_run(ui, command);
}

static const struct key_command display_commands[] = {
    {"choose", "Enter Space", "change", 80, "change the option under the cursor",
     .run = display_change},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", .run = pane_close},
    {0},
};

const struct pane pane_setup_display = {
    .name = "setup-display",
    .title = "In the setup of the display",
    .commands = display_commands,
    .cover = COVER_TABLE,
    .draw = section_draw,
    .step = section_step,
    .press = section_press,
    .close = section_close,
};
