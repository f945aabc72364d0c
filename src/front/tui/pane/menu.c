#include "front/tui/pane/panes.h"

struct menu {
    size_t found; /* number of entries in the list; ids of lines are entries */
    bool *tried;  /* by entry: tried whether it can be counted */
    size_t tried_room;
    struct page details;       /* of the entry under the cursor */
    size_t detailed;           /* number of that entry; SIZE_MAX: none */
    struct event_set *counted; /* set of events of `tried`; only compared */
};

static const struct menu initial = {.detailed = SIZE_MAX};
static UI_OWN(struct menu, menu_of, .initial = &initial, .end = NULL);

/* Lists the matches of the typed words, with the title of each group: first the groups whose
 * first event can be counted here. */
static void menu_fill(struct ui *ui, struct page *list)
{
    const size_t *found;
    struct front_event event;
    menu_of(ui)->found = host_find_events(ui->host, ui->words.text.text, &found);
    for (int pass = 0; pass < 2; pass++) {
        const char *group = NULL;
        bool first = false; /* the group is one of the first */
        for (size_t i = 0; i < menu_of(ui)->found && host_event(ui->host, found[i], &event); i++) {
            bool begins = event.group != group;
            if (begins)
                first =
                    event.counted || (!event.spelling && !host_event_obstacle(ui->host, found[i]));
            group = event.group;
            if (first == (pass > 0))
                continue;
            if (begins)
                page_title(list, "%s", event.group)->role = ROLE_LABEL;
            /* The title of its group names libpfm4's table. */
            const char *table = event.spelling ? NULL : strstr(event.name, "::");
            page_add(list, ROLE_TEXT, table ? table + 2 : event.name, "%s", event.text)->id =
                (int)found[i];
        }
    }
    if (list->count == 0)
        page_title(list, "no event has all these words")->role = ROLE_TEXT;
}

/* A recording has no events to add. */
static bool menu_open(struct ui *ui)
{
    return !ui->moment.replay || ui_done(ui, host_check_counting(ui->host, &ui->failure));
}

static void menu_close(struct ui *ui)
{
    page_release(&menu_of(ui)->details);
    free(menu_of(ui)->tried);
    *menu_of(ui) = (struct menu){.detailed = SIZE_MAX};
    /* Trials may have other results later, for example with other CPUs: repeat them. */
    host_forget_events(ui->host);
}

/* The entry under the cursor; false if there is none. */
static bool get_chosen(struct ui *ui, size_t *number, struct front_event *event)
{
    const struct page_line *line = page_chosen(pane_list(ui));
    *number = line ? (size_t)line->id : 0;
    return line && host_event(ui->host, *number, event);
}

static void toggle(struct ui *ui)
{
    struct front_event event;
    size_t number;
    if (!get_chosen(ui, &number, &event))
        return;
    if (event.spelling) {
        /* The dialog begins with the text before the first part to replace. */
        AUTO_FREE char *start =
            mem_strndup(event.name, strcspn(event.name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ["));
        dialog_open(ui, &prompt_event, start);
        return;
    }
    int (*change)(struct ui *, const char *, struct err *) =
        event.listed ? prompts_stop_counting : prompts_count;
    if (ui_done(ui, change(ui, event.name, &ui->failure)))
        host_refresh(ui->host);
}

/* ---- drawing ---- */

enum {
    MARK = 6,
    NAME = 28,
    NAME_WIDE = 50,
    WIDE = 120,
    MIN_FOR_DETAILS = 7,
    MIN_FOR_TITLES = 12,
    DETAILS_MAX = 10
};

/* "now" for a counted event; NULL: not tried yet. */
static const char *mark_of(struct ui *ui, size_t number, uint64_t deadline, enum role *role)
{
    struct menu *menu = menu_of(ui);
    struct front_event event = {0};
    mem_grow(&menu->tried, &menu->tried_room, number + 1, sizeof(*menu->tried));
    host_event(ui->host, number, &event);
    *role = ROLE_VALUE;
    if (event.listed && event.counted)
        return "now";
    *role = ROLE_DIM;
    if (!menu->tried[number] && clock_monotonic() > deadline)
        return NULL;
    menu->tried[number] = true;
    const char *obstacle = host_event_obstacle(ui->host, number);
    if (event.spelling && !obstacle)
        return "";
    *role = obstacle ? ROLE_MISSING : ROLE_GOOD;
    return obstacle ? "no" : "yes";
}

/* Draws the list, with a mark before each visible line. */
static void draw_list(struct ui *ui, const struct band *band, int width)
{
    struct page *list = pane_list(ui);
    uint64_t deadline = clock_monotonic() + TRIALS_NS;
    bool all = true;
    list->flat = true;
    list->gutter = MARK;
    list->column = (width < WIDE ? NAME : NAME_WIDE) + 2;
    list->text_role = ROLE_DIM;
    page_draw(list, ui->term, band, 0, width);
    for (size_t i = list->top; i < list->count && i < list->top + list->height; i++) {
        const struct page_line *line = &list->lines[i];
        enum role role;
        if (line->title)
            continue;
        const char *mark = mark_of(ui, (size_t)line->id, deadline, &role);
        all &= mark != NULL;
        term_put(ui->term, band->y + (int)(i - list->top), 1, MARK - 2,
                 line == page_chosen(list) ? ROLE_SELECTED : role, mark ? mark : "...");
    }
    if (!all)
        host_refresh(ui->host);
}

/* Draws the prompt for words. */
static void draw_words(struct ui *ui, int y, int width)
{
    size_t count = menu_of(ui)->found;
    char found[48];
    snprintf(found, sizeof(found), count == 1 ? "%zu entry" : "%zu entries", count);
    int right = cells_width(found) + 1 > width / 2 ? 0 : cells_width(found) + 1;
    if (right > 0)
        line_put_right(ui->term, y, 0, width, ROLE_DIM, found);
    prompt_draw(&ui->words, ui->term, (struct box){y, 0, width - right},
                "Search events: ", "words of name or description", pane_now(ui) == &pane_menu);
}

static void add_detail(void *to, const char *what, const char *text)
{
    page_add(to, ROLE_LABEL, what, "%s", text);
}

static void fill_details(struct ui *ui, size_t number, const struct front_event *event)
{
    struct menu *menu = menu_of(ui);
    struct page *page = &menu->details;
    struct event_set *counted = ui->frame ? ui->frame->events : NULL;
    if (menu->detailed == number && menu->counted == counted)
        return;
    menu->detailed = number;
    menu->counted = counted;
    page_clear(page);
    const char *obstacle = host_event_obstacle(ui->host, number);
    AUTO_FREE char *fit =
        event->spelling || obstacle ? NULL : host_event_fit(ui->host, event->name);
    if (event->listed && event->counted)
        add_detail(page, "here", "counted now; Enter removes it");
    else if (obstacle)
        add_detail(page, "here", obstacle);
    if (event->spelling)
        add_detail(page, "here", "Enter starts to type one");
    if (fit)
        add_detail(page, "here", fit);
    if (*event->text)
        add_detail(page, "what", event->text);
    host_explain_event(ui->host, number, add_detail, page);
}

static void draw_details(struct ui *ui, const struct band *band, int width)
{
    struct band below = {band->y + 1, band->height - 1};
    struct front_event event;
    size_t number;
    if (band->height == 0)
        return;
    bool found = get_chosen(ui, &number, &event);
    term_field(ui->term, band->y, 0, width, ROLE_HEADING, found ? event.name : "");
    if (!found)
        return;
    fill_details(ui, number, &event);
    page_draw(&menu_of(ui)->details, ui->term, &below, 0, width);
}

static void menu_draw(struct ui *ui, const struct band *band, int width)
{
    int height = band->height, y = band->y;
    int details = height < MIN_FOR_DETAILS ? 0 : height / 3;
    details = details > DETAILS_MAX ? DETAILS_MAX : details && details < 4 ? 4 : details;
    draw_words(ui, y++, width);
    if (height >= MIN_FOR_TITLES) {
        char titles[96];
        snprintf(titles, sizeof(titles), " %-*s%-*s  %s", MARK - 1, "HERE",
                 width < WIDE ? NAME : NAME_WIDE, "EVENT", "COUNTS");
        term_field(ui->term, y++, 0, width, ROLE_HEADING, titles);
    }
    struct band below = {band->y + height - details, details};
    draw_list(ui, &(struct band){y, below.y - y}, width);
    draw_details(ui, &below, width);
}

static const struct key_command menu_commands[] = {
    {"toggle", "Enter", "add or remove", 80, .run = toggle},
    {"back", "Esc F7", "back", 90, .run = pane_close},
    {0},
};

const struct pane pane_menu = {
    .name = "catalogue",
    .title = "In the catalogue of events",
    .commands = menu_commands,
    .cover = COVER_ALL,
    .types = true,
    .open = menu_open,
    .fill = menu_fill,
    .fixed = true,
    .draw = menu_draw,
    .key = pane_type,
    .close = menu_close,
};
