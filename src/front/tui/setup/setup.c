#include "front/tui/setup/setup.h"
#include "base/mem.h"
#include "front/tui/pane/choices.h"
#include "front/tui/setup/columns.h"
#include "front/tui/setup/metric.h"
#include "front/tui/setup/sections.h"

#include <stdlib.h>

const struct section setup_sections[SECTIONS] = {
    {"Columns", &pane_setup_columns}, {"Screens", &pane_setup_screens},
    {"Themes", &pane_setup_themes},   {"Display", &pane_setup_display},
    {"Save", &pane_setup_save},
};

void setup_open(struct ui *ui)
{
    ui->setup = mem_alloc(sizeof(*ui->setup));
    ui->setup->column = SIZE_MAX;
    theme_list_make(&ui->setup->themes);
    pane_open(ui, &pane_setup);
}

static void setup_close(struct ui *ui)
{
    struct setup *setup = ui->setup;
    theme_list_release(&setup->themes);
    choices_forget(ui);
    metric_forget(ui);
    free(setup->written);
    free(setup);
    ui->setup = NULL;
}

static void setup_fill(struct ui *ui, struct page *list)
{
    setup_sections[ui->setup->section].pane->fill(ui, list);
}

static void setup_step(struct ui *ui, enum step step)
{
    section_show(ui, step_from(step, ui->setup->section, SECTIONS, SECTIONS));
}

static const struct key_command setup_commands[] = {
    {"open", "Enter Right l", "open", 80, "go to the lines of the section", .run = section_enter,
     .hides = "right"},
    {"back", "Esc F2 q", "close", 90, "close", .run = pane_close},
    {0},
};

const struct pane pane_setup = {
    .name = "setup",
    .title = "In the setup",
    .commands = setup_commands,
    .fill = setup_fill,
    .reads = true,
    .draw = section_draw,
    .step = setup_step,
    .press = section_press,
    .close = setup_close,
};
