#include "front/tui/pane/panes.h"
#include "front/tui/state/keymap.h"

/* --- The column to sort by --- */

static void fill_sort(struct ui *ui, struct page *list)
{
    list->brief = true;
    page_title(list, "Sort by");
    pages_add_columns(ui, list);
}

/* Line 0 is the title. */
static void choose_sort(struct ui *ui)
{
    size_t column = pane_list(ui)->cursor - 1;
    pane_close(ui);
    if (column < view_columns(ui->view))
        rows_sort_by(ui, view_column(ui->view, column)->name);
}

/* --- A user --- */

/* All users, then those of processes whose names contain the typed text; else that itself. */
static void fill_users(struct ui *ui, struct page *list)
{
    const struct frame *frame = ui->recent;
    const struct watch *watch = &view_settings(ui->view)->watch;
    const struct view_lookup *lookup = view_lookup_of(ui->view);
    const char *typed = ui->words.text.text;
    uid_t chosen = watch->user_count == 1 ? watch->users[0] : (uid_t)-1;
    char number[USER_NUMBER];
    AUTO_NAMES struct names names = {0};
    AUTO_FREE char *now = mem_strdup(view_user(lookup, chosen, number));
    list->flat = true;
    for (size_t i = 0; frame && i < frame->process_count; i++) {
        const char *name = view_user(lookup, frame->processes[i].uid, number);
        if (name && strstr(name, typed))
            names_add(&names, name);
    }
    names_sort(&names);
    if (!*typed)
        page_add(list, ROLE_KEY, "", "all users");
    for (size_t i = 0; i < names.count; i++)
        if (i == 0 || !str_equal(names.items[i], names.items[i - 1]))
            page_add(list, ROLE_KEY, names.items[i], "%s",
                     str_equal(now, names.items[i]) ? "shown" : "");
    if (list->count == 0)
        page_add(list, ROLE_KEY, typed, "%s", "");
}

static void choose_user(struct ui *ui)
{
    const struct page_line *line = page_chosen(pane_list(ui));
    AUTO_FREE char *name = mem_strdup(line ? line->name : "");
    if (!ui_done(ui, host_set_user(ui->host, name, &ui->failure)))
        return;
    pane_close(ui);
    frames_apply(ui);
}

/* --- A theme --- */

const char *choices_theme(const struct ui *ui)
{
    return ui->theme ? ui->theme : THEME_DEFAULT;
}

int choices_preview_theme(struct ui *ui, const char *name, struct err *err)
{
    struct theme theme;
    if (theme_load(&theme, name, err) < 0)
        return -1;
    term_set_theme(ui->term, &theme);
    return 0;
}

void choices_take_theme(struct ui *ui, const char *name)
{
    if (!ui_done(ui, choices_preview_theme(ui, name, &ui->failure)))
        return;
    mem_replace(&ui->theme, mem_strdup(name));
    AUTO_FREE char *path = host_keep_setting(ui->host, "theme", name, &ui->failure);
    if (path)
        ui_say(ui, ROLE_VALUE, "theme '%s', kept in %s%s", name, path, prompts_unread(ui));
    else
        ui_say(ui, ROLE_NOTICE, "theme '%s' until the end: %s", name, ui->failure.text);
}

/* --- A command --- */

/* Ids of lines, after those of commands. */
enum { VIEWS = 1000, SCREENS = 2000, THEMES = 3000 };

/* Adds a line if the typed text has that rank: 0: it is the name, or the word after what it is a
 * name of; 1: a part of the name; 2: a part of the explanation. */
static void add_found(const struct ui *ui, struct page *list, int rank, int id, const char *of,
                      const char *name, const char *key, const char *help)
{
    const char *typed = ui->words.text.text;
    AUTO_FREE char *whole = mem_printf("%s%s%s", of, *of ? " " : "", name);
    int found = strcasecmp(name, typed) == 0      ? 0
                : strcasestr(whole, typed)        ? 1
                : help && strcasestr(help, typed) ? 2
                                                  : 3;
    if (found == rank)
        page_add(list, ROLE_KEY, whole, "%-6s %s", key, help ? help : "")->id = id;
}

/* What the pane below can do; for the table also the views, screens and themes that there are. */
static void fill_commands(struct ui *ui, struct page *list)
{
    const struct pane *pane = pane_below(ui, &pane_commands);
    const struct key_command *command;
    const struct screen_list *all = view_screens(ui->view);
    struct theme_list themes = {0};
    list->brief = true;
    if (pane == ui->panes[0])
        theme_list_make(&themes);
    for (int rank = 0; rank < 3; rank++) {
        const char *help = "";
        char keys[32], views[32] = "", screens[32] = "", setup[32] = "";
        for (size_t i = 0; (command = keymap_command(ui->keymap, pane, i)); i++) {
            help = keymap_text(ui->keymap, pane, "help", command->name) ?: help;
            keymap_keys(ui->keymap, pane, command, true, keys, sizeof(keys));
            add_found(ui, list, rank, (int)i, "", command->name, keys, help);
            if (str_equal(command->name, "view-next"))
                strcpy(views, keys);
            if (command->pane == &pane_screens)
                strcpy(screens, keys);
            if (str_equal(command->name, "setup"))
                strcpy(setup, keys);
        }
        for (int kind = 0; pane == ui->panes[0] && kind < VIEW_COUNT; kind++)
            if (view_types[kind].about)
                add_found(ui, list, rank, VIEWS + kind, "view", view_types[kind].word, views,
                          view_types[kind].about);
        for (size_t i = 0; pane == ui->panes[0] && i < all->count; i++)
            add_found(ui, list, rank, SCREENS + (int)i, "screen", all->screens[i].name, screens,
                      all->screens[i].description);
        for (size_t i = 0; i < themes.count; i++)
            add_found(ui, list, rank, THEMES, "theme", themes.entries[i].name, setup,
                      themes.entries[i].description);
    }
    theme_list_release(&themes);
    if (list->count == 0)
        page_title(list, "nothing has this text")->role = ROLE_TEXT;
}

static void show_screen(struct ui *ui, const char *name)
{
    if (ui_done(ui, host_show_screen(ui->host, name, &ui->failure)))
        frames_new_screen(ui);
}

static void run_command(struct ui *ui)
{
    const struct page_line *line = page_chosen(pane_list(ui));
    const struct pane *pane = pane_below(ui, &pane_commands);
    if (!line)
        return;
    int id = line->id;
    AUTO_FREE char *name = mem_strdup(line->name);
    pane_close(ui);
    if (id < VIEWS)
        pane_run(ui, keymap_command(ui->keymap, pane, (size_t)id));
    else if (id < SCREENS)
        functions_show_view(ui, (enum view_kind)(id - VIEWS));
    else if (id < THEMES)
        show_screen(ui, view_screens(ui->view)->screens[id - SCREENS].name);
    else
        choices_take_theme(ui, name + strlen("theme "));
}

/* --- A screen --- */

/* Of the first screens, in their order: why each cannot be shown; "": it can. */
static UI_OWN(struct names, obstacles_of, .end = own_names_end);

void choices_add(struct page *list, const char *name, bool used, const char *obstacle,
                 const char *description, const char *more)
{
    bool bad = obstacle && *obstacle;
    enum role role = bad ? ROLE_DIM : used ? ROLE_VALUE : ROLE_KEY;
    page_add(list, role, name, "%s%s%s%s%s%s", used ? "in use; " : "", description,
             bad && *description ? "; " : "", bad ? "not here: " : "", bad ? obstacle : "", more)
        ->used = used;
}

void choices_fill_screens(struct ui *ui, struct page *list)
{
    struct names *obstacles = obstacles_of(ui);
    uint64_t deadline = clock_monotonic() + TRIALS_NS;
    const struct screen_list *screens = view_screens(ui->view);
    const struct screen *shown = view_screen(ui->view);
    list->brief = true;
    page_title(list, "Screen");
    for (size_t i = 0; i < screens->count; i++) {
        const struct screen *screen = &screens->screens[i];
        if (i == obstacles->count && clock_monotonic() <= deadline) {
            AUTO_FREE char *why = host_screen_obstacle(ui->host, i);
            names_add(obstacles, why ? why : "");
        }
        bool tried = i < obstacles->count;
        choices_add(list, screen->name, shown && str_equal(shown->name, screen->name),
                    tried ? obstacles->items[i] : NULL,
                    screen->description ? screen->description : "", tried ? "" : " ...");
    }
    if (obstacles->count < screens->count)
        host_refresh(ui->host);
}

void choices_forget(struct ui *ui)
{
    names_release(obstacles_of(ui));
}

void choices_show_screen(struct ui *ui)
{
    const struct page_line *line = page_chosen(pane_list(ui));
    AUTO_FREE char *name = mem_strdup(line ? line->name : NULL); /* lines are written again */
    if (name)
        show_screen(ui, name);
}

/* --- The panes --- */

static const struct key_command choice_commands[] = {
    {"choose", "Enter", "choose", 80, .run = choose_sort},
    {"back", "Esc q", "cancel", 90, .run = pane_close},
    {0},
};

static const struct key_command users_commands[] = {
    {"choose", "Enter", "choose", 80, .run = choose_user},
    {"back", "Esc", "cancel", 90, .run = pane_close},
    {0},
};

static const struct key_command commands_commands[] = {
    {"run", "Enter", "run", 80, .run = run_command},
    {"back", "Esc", "cancel", 90, .run = pane_close},
    {0},
};

static const struct key_command screens_commands[] = {
    {"choose", "Enter Space", "show", 80, .run = choices_show_screen, .hides = "page-down"},
    {"back", "Esc q V", "close", 90, .run = pane_close},
    {0},
};

const struct pane pane_choice = {
    .name = "choice",
    .title = "In a list to choose from",
    .commands = choice_commands,
    .cover = COVER_SIDE,
    .fill = fill_sort,
};

const struct pane pane_users = {
    .name = "users",
    .title = "In the list of users",
    .commands = users_commands,
    .cover = COVER_SIDE,
    .types = true,
    .typed = "Only processes of: ",
    .fill = fill_users,
    .key = pane_type,
};

const struct pane pane_commands = {
    .name = "commands",
    .title = "In the list of commands",
    .commands = commands_commands,
    .cover = COVER_SIDE,
    .types = true,
    .typed = "Command: ",
    .fixed = true,
    .fill = fill_commands,
    .key = pane_type,
};

const struct pane pane_screens = {
    .name = "screens",
    .title = "In the list of screens",
    .commands = screens_commands,
    .cover = COVER_SIDE,
    .fill = choices_fill_screens,
    .close = choices_forget,
};
