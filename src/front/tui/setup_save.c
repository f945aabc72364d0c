#include "front/tui/setup_save.h"
#include "base/file.h"
#include "base/ini.h"
#include "base/mem.h"
#include "front/tui/command.h"

#include <stdlib.h>

enum { SETTINGS = 1, SCREEN, WRITTEN_MOST = 1 << 20 }; /* lines; line 0 is the title */

/* --- What was written, as the file has it --- */

static int add_setting(void *ctx, const char *section, const char *name, const char *value,
                       int line, struct err *err)
{
    (void)section, (void)line, (void)err;
    page_add(ctx, ROLE_VALUE, name, value);
    return 0;
}

static void add_written(struct ui *ui)
{
    struct page *list = &ui->setup->list;
    const char *path = ui->setup->written;
    struct err err;
    char *title = mem_printf("In %s", path), *text = file_load(path, WRITTEN_MOST, &err);
    page_title(list, title);
    size_t before = list->count;
    if (!text || ini_read(text, path, add_setting, list, &err) < 0)
        page_add(list, ROLE_BAD, "", err.text);
    if (list->count == before)
        page_add(list, ROLE_DIM, "", "nothing: all is as it is without it");
    free(text);
    free(title);
}

void setup_save_fill(struct ui *ui)
{
    struct page *list = &ui->setup->list;
    page_title(list, "Save");
    page_add(list, ROLE_KEY, "settings", "how things are shown now, for the next start");
    page_add(list, ROLE_KEY, "screen", "these columns and events, under a name");
    if (ui->setup->written)
        add_written(ui);
}

static void setup_save_save_settings(struct ui *ui)
{
    struct front_look look = {
        .bars = ui->meters.bars,
        .theme = ui->theme,
        .ascii = ui->ascii,
        .amount = ui->amounts.usual,
    };
    struct err err;
    char *path;
    if (host_save_settings(ui->host, &look, &path, &err) < 0) {
        ui_say(ui, ROLE_ERROR, "%s", err.text);
        return;
    }
    free(ui->setup->written);
    ui->setup->written = path;
    ui_say(ui, ROLE_VALUE, "wrote %s", path);
}

static void setup_save_save(struct ui *ui)
{
    if (ui->setup->list.cursor == SETTINGS)
        setup_save_save_settings(ui);
    else if (ui->setup->list.cursor == SCREEN)
        dialog_save(ui);
}

static const struct command save_commands[] = {
    {"choose", "Enter Space", "write", 80, "write what is under the cursor to a file of yours",
     setup_save_save},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", pane_close},
    {0},
};

const struct pane pane_setup_save = {
    .name = "setup-save",
    .title = "Where the setup is saved",
    .commands = save_commands,
    .cover = COVER_TABLE,
    .draw = setup_draw,
    .step = setup_step,
    .press = setup_press,
    .close = setup_close,
};
