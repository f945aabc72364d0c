#include "front/tui/setup/setup.h"
#include "base/mem.h"
#include "front/tui/setup/columns.h"
#include "front/tui/setup/display.h"
#include "front/tui/setup/metric.h"
#include "front/tui/setup/save.h"
#include "front/tui/setup/screens.h"
#include "front/tui/setup/themes.h"

#include <stdlib.h>

static const struct section sections[] = {
    {"Columns", &pane_setup_columns, columns_fill}, {"Screens", &pane_setup_screens, screens_fill},
    {"Themes", &pane_setup_themes, themes_fill},    {"Display", &pane_setup_display, display_fill},
    {"Save", &pane_setup_save, save_fill},
};

enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

void setup_open(struct ui *ui)
{
    ui->setup = mem_alloc(sizeof(*ui->setup));
    *ui->setup = (struct setup){
        .sections = sections,
        .count = SECTIONS,
        .pane = &pane_setup,
        .column = SIZE_MAX,
        .list.brief = true,
    };
    prompt_init(&ui->setup->words);
    theme_list_make(&ui->setup->themes);
    pane_open(ui, &pane_setup);
    section_show(ui, 0);
}

static void setup_close(struct ui *ui)
{
    struct setup *setup = ui->setup;
    page_release(&setup->list);
    prompt_release(&setup->words);
    theme_list_release(&setup->themes);
    screens_forget(ui);
    metric_forget(ui);
    free(setup->written);
    free(setup);
    ui->setup = NULL;
}

static void step_sections(struct ui *ui, enum step step)
{
    section_show(ui, step_from(step, ui->setup->section, SECTIONS, SECTIONS));
}

static const struct key_command setup_commands[] = {
    {"open", "Enter Right l", "open", 80, "go to the lines of the section", .run = section_enter},
    {"back", "Esc F2 q", "close", 90, "close", .run = pane_close},
    {0},
};

const struct pane pane_setup = {
    .name = "setup",
    .title = "In the setup",
    .commands = setup_commands,
    .cover = COVER_TABLE,
    .draw = section_draw,
    .step = step_sections,
    .press = section_press,
    .close = setup_close,
};
