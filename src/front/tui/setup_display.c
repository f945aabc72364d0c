#include "front/tui/setup_display.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATE = 32 };

/* --- What is set --- */

static void write_flag(char state[STATE], bool on)
{
    snprintf(state, STATE, "%s", on ? "yes" : "no");
}

static void view_state(struct ui *ui, char state[STATE])
{
    static const char *const names[] = {"tasks", "CPUs", "users", "commands", "cgroups"};
    snprintf(state, STATE, "%s", names[view_settings(ui->view)->kind]);
}

static void threads_state(struct ui *ui, char state[STATE])
{
    write_flag(state, view_settings(ui->view)->threads);
}

static void tree_state(struct ui *ui, char state[STATE])
{
    write_flag(state, view_settings(ui->view)->tree);
}

static void idle_state(struct ui *ui, char state[STATE])
{
    write_flag(state, view_settings(ui->view)->idle);
}

static void sticky_state(struct ui *ui, char state[STATE])
{
    write_flag(state, view_settings(ui->view)->sticky);
}

static void cmdline_state(struct ui *ui, char state[STATE])
{
    write_flag(state, view_settings(ui->view)->cmdline);
}

static void exact_state(struct ui *ui, char state[STATE])
{
    write_flag(state, view_settings(ui->view)->exact);
}

static void ascii_state(struct ui *ui, char state[STATE])
{
    write_flag(state, term_ascii(ui->term));
}

static void least_state(struct ui *ui, char state[STATE])
{
    snprintf(state, STATE, "%g", view_settings(ui->view)->least_cpu);
}

static void amount_state(struct ui *ui, char state[STATE])
{
    snprintf(state, STATE, "%s", view_amount_text(view_settings(ui->view)->amount));
}

static void mode_state(struct ui *ui, char state[STATE])
{
    static const char *const names[] = {
        [MODE_ALL] = "user and kernel", [MODE_USER] = "user", [MODE_KERNEL] = "kernel"};
    snprintf(state, STATE, "%s", ui->session ? names[ui->session->mode] : "");
}

static void delay_state(struct ui *ui, char state[STATE])
{
    snprintf(state, STATE, "%g s", ui->session ? ui->session->delay : 0);
}

static void bars_state(struct ui *ui, char state[STATE])
{
    static const char *const names[] = {
        [BARS_MACHINE] = "the machine", [BARS_CPUS] = "each CPU", [BARS_OFF] = "none"};
    snprintf(state, STATE, "%s", names[ui->meters.bars]);
}

static void metric_state(struct ui *ui, char state[STATE])
{
    snprintf(state, STATE, "%.31s", ui->meters.metric ? ui->meters.metric : "busy");
}

/* --- The switches --- */

static void switch_ascii(struct ui *ui)
{
    ui->ascii = !term_ascii(ui->term);
    term_set_ascii(ui->term, ui->ascii);
    view_settings(ui->view)->ascii = term_ascii(ui->term);
    if (term_ascii(ui->term) != ui->ascii)
        ui_say(ui, ROLE_NOTICE, "the locale has only ASCII: LANG chooses another one");
    ui_apply(ui);
}

static const struct command ascii_command = {
    .name = "ascii", .keys = "", .help = "only ASCII characters", .run = switch_ascii};

static const struct toggle {
    const char *command; /* of the table */
    void (*write)(struct ui *ui, char state[STATE]);
} toggles[] = {
    {"view-next", view_state},     {"threads", threads_state}, {"tree", tree_state},
    {"idle", idle_state},          {"least-cpu", least_state}, {"sticky", sticky_state},
    {"cmdline", cmdline_state},    {"amount", amount_state},   {"exact", exact_state},
    {"mode", mode_state},          {"delay", delay_state},     {"bars", bars_state},
    {"bars-metric", metric_state}, {"ascii", ascii_state},
};

enum { TOGGLES = sizeof(toggles) / sizeof(toggles[0]) };

static const struct command *command_of(const struct toggle *toggle)
{
    const struct command *command;
    for (size_t i = 0; (command = keymap_command(&pane_table, i)); i++)
        if (strcmp(command->name, toggle->command) == 0)
            return command;
    return &ascii_command;
}

void setup_display_fill(struct ui *ui)
{
    page_title(&ui->setup->list, "Display, and its keys");
    for (size_t i = 0; i < TOGGLES; i++) {
        const struct command *command = command_of(&toggles[i]);
        char state[STATE], key[16], text[160];
        toggles[i].write(ui, state);
        keymap_keys(&ui->keymap, &pane_table, command, true, key, sizeof(key));
        char *name = mem_printf("%s%s%s", command->name, *key ? " " : "", key);
        snprintf(text, sizeof(text), setup_is_wide(ui) ? "%-15s  %s" : "%s", state, command->help);
        page_add(&ui->setup->list, ROLE_KEY, name, text);
        free(name);
    }
}

/* Line 0 is the title. */
static void setup_display_change(struct ui *ui)
{
    size_t line = ui->setup->list.cursor;
    if (line > 0 && line <= TOGGLES)
        command_of(&toggles[line - 1])->run(ui);
}

static const struct command display_commands[] = {
    {"choose", "Enter Space", "change", 80, "change what is under the cursor",
     setup_display_change},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", pane_close},
    {0},
};

const struct pane pane_setup_display = {
    .name = "setup-display",
    .title = "In the setup of the display",
    .commands = display_commands,
    .cover = COVER_TABLE,
    .draw = setup_draw,
    .step = setup_step,
    .press = setup_press,
    .close = setup_close,
};
