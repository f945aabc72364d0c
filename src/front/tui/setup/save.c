#include "front/tui/setup/save.h"
#include "base/file.h"
#include "base/ini.h"
#include "base/mem.h"
#include "front/tui/pane/prompts.h"

#include <stdlib.h>

enum { SETTINGS = 1, SCREEN, FILE_MAX = 1 << 20 }; /* lines; line 0 is the title */

static int add_setting(void *ctx, const char *section, const char *name, const char *value,
                       int line, struct err *err)
{
    (void)section, (void)line, (void)err;
    page_add(ctx, ROLE_VALUE, name, value);
    return 0;
}

/* What was written, as the file has it. */
static void add_written(struct page *list, const char *path)
{
    struct err err;
    char *title = mem_printf("In %s", path), *text = file_load(path, FILE_MAX, &err);
    page_title(list, title);
    size_t before = list->count;
    if (!text || ini_read(text, path, add_setting, list, &err) < 0)
        page_add(list, ROLE_BAD, "", err.text);
    if (list->count == before)
        page_add(list, ROLE_DIM, "", "nothing: all settings are the defaults");
    free(text);
    free(title);
}

void save_fill(struct ui *ui)
{
    struct page *list = &ui->setup->list;
    page_title(list, "Save");
    page_add(list, ROLE_KEY, "settings", "the current settings, for the next start");
    page_add(list, ROLE_KEY, "screen", "these columns and events, under a name");
    if (ui->setup->written)
        add_written(list, ui->setup->written);
}

static void save_chosen(struct ui *ui)
{
    struct front_look look = section_look(ui);
    struct err err;
    char *path;
    if (ui->setup->list.cursor == SCREEN)
        dialog_open(ui, &prompt_save, NULL);
    if (ui->setup->list.cursor != SETTINGS ||
        ui_say_failure(ui, host_save_settings(ui->host, &look, &path, &err), &err) < 0)
        return;
    free(ui->setup->written);
    ui->setup->written = path;
    ui_say(ui, ROLE_VALUE, "wrote %s", path);
}

static const struct key_command save_commands[] = {
    {"choose", "Enter Space", "write", 80, "write the settings, or the screen, to a file",
     .run = save_chosen},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", .run = pane_close},
    {0},
};

const struct pane pane_setup_save = {
    .name = "setup-save",
    .title = "Where the setup is saved",
    .commands = save_commands,
    .cover = COVER_TABLE,
    .draw = section_draw,
    .step = section_step,
    .press = section_press,
    .close = section_close,
};
