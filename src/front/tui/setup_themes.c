#include "front/tui/setup_themes.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/command.h"

#include <stdio.h>
#include <stdlib.h>

static const char *in_use(const struct ui *ui)
{
    return ui->theme ? ui->theme : THEME_DEFAULT;
}

static void add_title(struct ui *ui)
{
    int colors = term_colors(ui->term);
    char title[80];
    if (colors == 0)
        snprintf(title, sizeof(title), "Themes, without colours");
    else
        snprintf(title, sizeof(title), "Themes, on %d colours", colors);
    page_title(&ui->setup->list, title);
}

void setup_themes_fill(struct ui *ui)
{
    const struct theme_list *themes = &ui->setup->themes;
    add_title(ui);
    for (size_t i = 0; i < themes->count; i++) {
        const struct theme_entry *entry = &themes->entries[i];
        bool bad = entry->err.text[0], used = str_equal(entry->name, in_use(ui));
        char *text =
            mem_printf("%s%s", used ? "in use; " : "", bad ? entry->err.text : entry->description);
        page_add(&ui->setup->list,
                 bad    ? ROLE_MISSING
                 : used ? ROLE_VALUE
                        : ROLE_KEY,
                 entry->name, text);
        free(text);
    }
}

static int setup_themes_show(struct ui *ui, const char *name, struct err *err)
{
    struct theme theme;
    if (theme_load(&theme, name, err) < 0)
        return -1;
    term_set_theme(ui->term, &theme);
    ui->setup->previewed = !str_equal(name, in_use(ui));
    return 0;
}

static void preview(struct ui *ui, enum step step)
{
    const char *name;
    setup_step(ui, step);
    if ((name = setup_chosen(ui)))
        setup_themes_show(ui, name, NULL);
}

static void setup_themes_take(struct ui *ui)
{
    const char *name = setup_chosen(ui);
    struct err err;
    if (!name)
        return;
    if (setup_themes_show(ui, name, &err) < 0) {
        ui_say(ui, ROLE_ERROR, "%s", err.text);
        return;
    }
    free(ui->theme);
    ui->theme = mem_strdup(name);
    ui->setup->previewed = false;
    ui_say(ui, ROLE_VALUE, "theme '%s'; the section Save keeps it", name);
}

static void setup_themes_leave(struct ui *ui)
{
    if (ui->setup->previewed)
        setup_themes_show(ui, in_use(ui), NULL);
    setup_close(ui);
}

static const struct command themes_commands[] = {
    {"choose", "Enter Space", "take", 80, "use the theme under the cursor, which is on show",
     setup_themes_take},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections, and to the theme in use",
     pane_close},
    {0},
};

const struct pane pane_setup_themes = {
    .name = "setup-themes",
    .title = "In the setup of themes",
    .commands = themes_commands,
    .cover = COVER_TABLE,
    .draw = setup_draw,
    .step = preview,
    .press = setup_press,
    .close = setup_themes_leave,
};
