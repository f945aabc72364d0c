#include "front/tui/setup/setup.h"
#include "base/ini.h"
#include "front/tui/state/keymap.h"

enum { TITLES_WIDTH = 8, GAP = 2, ENOUGH_FOR_TABLE = 13 };
enum { COLUMNS, SCREENS, THEMES, DISPLAY, SAVE, SECTIONS };

UI_OWN(struct setup, setup_of, .end = NULL);

const char *section_chosen(struct ui *ui)
{
    const struct page_line *line = page_chosen(pane_list(ui));
    return line && *line->name ? line->name : NULL;
}

static struct front_look section_look(const struct ui *ui)
{
    struct front_look look = {
        .bars = meters_of(ui)->bars, .theme = ui->theme, .ascii = setup_of(ui)->ascii};
    frames_usual(ui, &look.amount, &look.kind);
    return look;
}

/* --- Themes: the one under the cursor is previewed --- */

static void themes_fill(struct ui *ui, struct page *list)
{
    const struct theme_list *themes = &setup_of(ui)->themes;
    if (term_colors(ui->term) == 0)
        page_title(list, "Themes, without colours");
    else
        page_title(list, "Themes, on %d colours", term_colors(ui->term));
    for (size_t i = 0; i < themes->count; i++) {
        const struct theme_entry *entry = &themes->entries[i];
        choices_add(list, entry->name, str_equal(entry->name, choices_theme(ui)), entry->err.text,
                    entry->description, "");
    }
}

static void themes_choose(struct ui *ui)
{
    if (section_chosen(ui))
        choices_take_theme(ui, section_chosen(ui));
}

static void themes_close(struct ui *ui)
{
    if (setup_of(ui)->section == THEMES)
        choices_preview_theme(ui, choices_theme(ui), &ui->failure);
}

/* --- Display: options that keys of the table change, with their keys and values --- */

static void switch_ascii(struct ui *ui)
{
    setup_of(ui)->ascii = !term_ascii(ui->term);
    term_set_ascii(ui->term, setup_of(ui)->ascii);
    struct view_settings next = *view_settings(ui->view);
    next.ascii = next.plain = term_ascii(ui->term);
    if (term_ascii(ui->term) != setup_of(ui)->ascii)
        ui_say(ui, ROLE_NOTICE, "the locale has only ASCII: choose another one with LANG");
    frames_change(ui, &next);
}

static const struct key_command ascii = {
    .name = "ascii", .keys = "", .run = switch_ascii, .option = "ascii"};

/* The i-th command that changes an option, then the one without a key; NULL after that. */
static const struct key_command *display_command(const struct ui *ui, size_t i)
{
    const struct key_command *command = ui->panes[0]->commands;
    for (; command->name; command++)
        if (command->option && i-- == 0)
            return command;
    return i == 0 ? &ascii : NULL;
}

static void display_fill(struct ui *ui, struct page *list)
{
    const struct key_command *command;
    struct front_look look = section_look(ui);
    look.ascii = term_ascii(ui->term);
    look.amount = view_settings(ui->view)->amount;
    page_title(list, "Display: what is set, and the key that changes it");
    for (size_t i = 0; (command = display_command(ui, i)); i++) {
        char key[16];
        AUTO_FREE char *value =
            *command->option ? host_setting(ui->host, &look, command->option)
                             : mem_strdup(meters_of(ui)->metric ? meters_of(ui)->metric : "busy");
        keymap_keys(ui->keymap, ui->panes[0], command, true, key, sizeof(key));
        page_add(list, ROLE_KEY, keymap_text(ui->keymap, ui->panes[0], "state", command->name),
                 "%-15s %s", *value ? value : "-", key);
    }
}

/* Line 0 is the title. */
static void display_choose(struct ui *ui)
{
    if (page_chosen(pane_list(ui)))
        pane_run(ui, display_command(ui, pane_list(ui)->cursor - 1));
}

/* --- Save: settings, and the columns as a screen --- */

enum { SETTINGS = 1, SCREEN, FILE_MAX = 1 << 20 }; /* lines; line 0 is the title */

static int add_setting(void *ctx, const char *section UNUSED, const char *name, const char *value,
                       int line UNUSED, struct err *err UNUSED)
{
    page_add(ctx, ROLE_VALUE, name, "%s", value);
    return 0;
}

static void save_fill(struct ui *ui, struct page *list)
{
    const char *path = setup_of(ui)->written;
    struct err err;
    page_title(list, "Save");
    page_add(list, ROLE_KEY, "settings", "the current settings, for the next start");
    page_add(list, ROLE_KEY, "screen", "these columns and events, under a name");
    if (!path)
        return;
    page_title(list, "In %s", path);
    AUTO_FREE char *text = file_load(path, FILE_MAX, &err);
    size_t before = list->count;
    if (!text || ini_read(text, path, NULL, add_setting, list, &err) < 0)
        page_add(list, ROLE_BAD, "", "%s", err.text);
    if (list->count == before)
        page_add(list, ROLE_DIM, "", "nothing: all settings are the defaults");
}

static void save_choose(struct ui *ui)
{
    struct front_look look = section_look(ui);
    size_t line = pane_list(ui)->cursor;
    if (line == SCREEN)
        dialog_open(ui, &prompt_save, NULL);
    char *path = line == SETTINGS ? host_save_settings(ui->host, &look, &ui->failure) : NULL;
    if (line != SETTINGS || !ui_done(ui, path ? 0 : -1))
        return;
    mem_replace(&setup_of(ui)->written, path);
    ui_say(ui, ROLE_VALUE, "wrote %s%s", path, prompts_unread(ui));
}

/* --- The sections --- */

static const struct section {
    const char *title;
    const struct pane *pane; /* open while the cursor is on its lines */
    void (*fill)(struct ui *ui, struct page *list);
    /* In pane_setup_lines: what Enter does, and its label. */
    void (*choose)(struct ui *ui);
    const char *label;
} sections[SECTIONS] = {
    [COLUMNS] = {"Columns", &pane_setup_columns, columns_fill},
    [SCREENS] = {"Screens", &pane_setup_lines, choices_fill_screens, choices_show_screen, "show"},
    [THEMES] = {"Themes", &pane_setup_lines, themes_fill, themes_choose, "take"},
    [DISPLAY] = {"Display", &pane_setup_lines, display_fill, display_choose, "change"},
    [SAVE] = {"Save", &pane_setup_lines, save_fill, save_choose, "write"},
};

static void setup_fill(struct ui *ui, struct page *list)
{
    sections[setup_of(ui)->section].fill(ui, list);
}

static void section_show(struct ui *ui, size_t section)
{
    setup_of(ui)->section = section;
    pane_list(ui)->top = 0;
}

static void section_enter(struct ui *ui)
{
    pane_open(ui, sections[setup_of(ui)->section].pane);
}

static void lines_choose(struct ui *ui)
{
    sections[setup_of(ui)->section].choose(ui);
}

static const char *lines_label(const struct ui *ui, const struct key_command *command)
{
    return command->run == lines_choose ? sections[setup_of(ui)->section].label : command->label;
}

static void lines_moved(struct ui *ui)
{
    if (setup_of(ui)->section == THEMES && section_chosen(ui))
        choices_preview_theme(ui, section_chosen(ui), &ui->failure);
}

void section_press(struct ui *ui, int line, bool twice)
{
    int y = line - setup_of(ui)->above;
    if (term_mouse(ui->term).x < TITLES_WIDTH + GAP) {
        if (y < 0 || y >= SECTIONS)
            return;
        while (pane_now(ui) != &pane_setup)
            pane_close(ui);
        section_show(ui, (size_t)y);
        return;
    }
    if (pane_now(ui) == &pane_setup) {
        int first = pane_list(ui)->y;
        section_enter(ui);
        pane_list(ui)->y = first;
    }
    pane_point(ui, twice);
}

/* Part of the table, with the column that is edited. */
static void draw_above(struct ui *ui, const struct band *band, int width)
{
    struct table *table = &ui->table;
    struct band titles = {band->y, 1}, rows = {band->y + 1, band->height - 1};
    size_t column = columns_at(ui);
    bool sought = column < view_columns(ui->view);
    table->left = sought ? 0 : table->left;
    table_place(table, ui->view, width, rows.height);
    /* A spare column may have no room at all: then the table scrolls back. */
    for (size_t left = 0; sought && left < column && left == table->left; left++) {
        if (table_shows_column(table, column))
            break;
        table->left = left + 1;
        table_place(table, ui->view, width, rows.height);
    }
    table_draw_titles(table, ui->view, ui->term, &titles, width);
    rows_draw(ui, &rows, width);
}

void section_draw(struct ui *ui, const struct band *band, int width)
{
    int x = TITLES_WIDTH + GAP;
    struct band above = {band->y, band->height < ENOUGH_FOR_TABLE ? 0 : band->height / 3};
    struct band below = {band->y + above.height, band->height - above.height};
    struct page *list = pane_list(ui);
    int section = (int)setup_of(ui)->section;
    int first = section < below.height ? 0 : section + 1 - below.height;
    setup_of(ui)->above = above.height;
    if (above.height > 0)
        draw_above(ui, &above, width);
    for (int i = first; i < SECTIONS && i - first < below.height; i++) {
        enum role chosen = pane_main(ui) == &pane_setup ? ROLE_SELECTED : ROLE_VALUE;
        char text[TITLES_WIDTH + 2] = {i == section ? '>' : ' '};
        strcpy(text + 1, sections[i].title);
        term_field(ui->term, below.y + i - first, 0, TITLES_WIDTH,
                   i == section ? chosen : ROLE_TEXT, text);
    }
    if (pane_main(ui)->types && below.height > 0) {
        prompt_draw(&ui->words, ui->term, (struct box){below.y, x, width - x},
                    "Add: ", "words of name, title or help", true);
        below.y++;
        below.height--;
    }
    list->brief = true;
    page_draw(list, ui->term, &below, x, width - x);
}

static bool setup_open(struct ui *ui)
{
    setup_of(ui)->section = 0;
    theme_list_make(&setup_of(ui)->themes);
    return true;
}

static void setup_close(struct ui *ui)
{
    struct setup *setup = setup_of(ui);
    theme_list_release(&setup->themes);
    choices_forget(ui);
    metric_forget(ui);
    mem_replace(&setup->written, NULL);
}

static void setup_step(struct ui *ui, enum step step)
{
    section_show(ui, step_from(step, setup_of(ui)->section, SECTIONS, SECTIONS));
}

static const struct key_command setup_commands[] = {
    {"open", "Enter Right l", "open", 80, .run = section_enter, .hides = "right"},
    {"back", "Esc F2 q", "close", 90, .run = pane_close},
    {0},
};

static const struct key_command lines_commands[] = {
    {"choose", "Enter Space", "choose", 80, .run = lines_choose, .hides = "page-down"},
    {"back", "Esc F2 Left h q", "back", 90, .run = pane_close, .hides = "left"},
    {0},
};

const struct pane pane_setup_lines = {
    .name = "setup-lines",
    .title = "In the setup of screens, themes and the display, and where it is saved",
    .commands = lines_commands,
    .fill = setup_fill,
    .moved = lines_moved,
    .draw = section_draw,
    .press = section_press,
    .close = themes_close,
    .label = lines_label,
};

const struct pane pane_setup = {
    .name = "setup",
    .title = "In the setup",
    .commands = setup_commands,
    .open = setup_open,
    .fill = setup_fill,
    .reads = true,
    .draw = section_draw,
    .step = setup_step,
    .press = section_press,
    .close = setup_close,
};
