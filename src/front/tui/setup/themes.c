#include "front/tui/setup/themes.h"
#include "base/mem.h"

#include <stdlib.h>

static const char *in_use(const struct ui *ui)
{
    return ui->theme ? ui->theme : THEME_DEFAULT;
}

void themes_fill(struct ui *ui)
{
    const struct theme_list *themes = &ui->setup->themes;
    int colors = term_colors(ui->term);
    char *title = colors == 0 ? mem_strdup("Themes, without colours")
                              : mem_printf("Themes, on %d colours", colors);
    page_title(&ui->setup->list, title);
    free(title);
    for (size_t i = 0; i < themes->count; i++) {
        const struct theme_entry *entry = &themes->entries[i];
        bool bad = entry->err.text[0], used = str_equal(entry->name, in_use(ui));
        char *text =
            mem_printf("%s%s", used ? "in use; " : "", bad ? entry->err.text : entry->description);
        enum role role = bad ? ROLE_MISSING : used ? ROLE_VALUE : ROLE_KEY;
        page_add(&ui->setup->list, role, entry->name, text);
        free(text);
    }
}

static int themes_show(struct ui *ui, const char *name, struct err *err)
{
    struct theme theme;
    if (theme_load(&theme, name, err) < 0)
        return -1;
    term_set_theme(ui->term, &theme);
    ui->setup->previewed = !str_equal(name, in_use(ui));
    return 0;
}

static void themes_step(struct ui *ui, enum step step)
{
    section_step(ui, step);
    if (section_chosen(ui))
        themes_show(ui, section_chosen(ui), NULL);
}

static void themes_take(struct ui *ui)
{
    const char *name = section_chosen(ui);
    struct err err;
    if (!name || ui_say_failure(ui, themes_show(ui, name, &err), &err) < 0)
        return;
    free(ui->theme);
    ui->theme = mem_strdup(name);
    ui->setup->previewed = false;
    ui_say(ui, ROLE_VALUE, "theme '%s'; save it in the section Save", name);
}

static void themes_close(struct ui *ui)
{
    if (ui->setup->previewed)
        themes_show(ui, in_use(ui), NULL);
    section_close(ui);
}

static const struct key_command themes_commands[] = {
    {"choose", "Enter Space", "take", 80, "use the theme under the cursor", .run = themes_take},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections, and to the theme in use",
     .run = pane_close},
    {0},
};

const struct pane pane_setup_themes = {
    .name = "setup-themes",
    .title = "In the setup of themes",
    .commands = themes_commands,
    .cover = COVER_TABLE,
    .draw = section_draw,
    .step = themes_step,
    .press = section_press,
    .close = themes_close,
};
