#include "front/tui/pane/menu.h"
#include "base/cells.h"
#include "base/clock.h"
#include "base/mem.h"
#include "front/tui/pane/prompts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct menu_row {
    bool title;   /* of the group that begins with the next row */
    size_t entry; /* number in the catalogue; of a title, that of the next row */
};

struct menu {
    struct prompt words;
    struct menu_row *rows;
    size_t count, room, found; /* rows, and entries among them */
    size_t cursor, top;        /* rows; the cursor is never on a title */
    size_t height;             /* rows visible, as drawn last */
    int above;                 /* screen lines above them */
    bool *tried;               /* by entry: it was tried whether it counts */
    size_t tried_room;
    bool pending;              /* some that are visible have not been tried */
    struct page details;       /* of the entry under the cursor */
    size_t detailed;           /* that entry; SIZE_MAX: none */
    struct event_set *counted; /* the set of events then; only compared */
};

/* ---- the list ---- */

static bool get_entry(const struct ui *ui, size_t number, struct front_event *event)
{
    return host_event(ui->host, number, event);
}

static void menu_add_row(struct menu *menu, bool title, size_t entry)
{
    mem_grow(&menu->rows, &menu->room, menu->count + 1, sizeof(*menu->rows));
    menu->rows[menu->count++] = (struct menu_row){title, entry};
}

/* Fills the rows with what the words find. */
static void search(struct ui *ui)
{
    struct menu *menu = ui->menu;
    const size_t *found;
    const char *group = NULL;
    menu->found = host_find_events(ui->host, menu->words.text.text, &found);
    menu->count = 0;
    for (size_t i = 0; i < menu->found; i++) {
        struct front_event event;
        get_entry(ui, found[i], &event);
        if (event.group != group)
            menu_add_row(menu, true, found[i]);
        group = event.group;
        menu_add_row(menu, false, found[i]);
    }
    menu->cursor = menu->count ? 1 : 0;
    menu->top = 0;
}

void menu_open(struct ui *ui)
{
    struct menu *menu = mem_alloc(sizeof(*menu));
    prompt_init(&menu->words);
    page_init(&menu->details);
    menu->detailed = SIZE_MAX;
    ui->menu = menu;
    search(ui);
    pane_open(ui, &pane_menu);
}

static void menu_close(struct ui *ui)
{
    struct menu *menu = ui->menu;
    prompt_release(&menu->words);
    page_release(&menu->details);
    free(menu->rows);
    free(menu->tried);
    free(menu);
    ui->menu = NULL;
    /* What counts may change with the machine: try again next time. */
    host_forget_events(ui->host);
}

/* Titles cannot be chosen. */
static void menu_move(struct ui *ui, enum step step)
{
    struct menu *menu = ui->menu;
    if (menu->count == 0)
        return;
    menu->cursor = step_from(step, menu->cursor, menu->count, menu->height);
    if (menu->rows[menu->cursor].title)
        menu->cursor +=
            (step == STEP_UP || step == STEP_PAGE_UP) && menu->cursor > 0 ? (size_t)-1 : 1;
}

/* ---- keys ---- */

static void toggle(struct ui *ui)
{
    const struct menu *menu = ui->menu;
    struct front_event event;
    struct err err;
    if (menu->count == 0 || !get_entry(ui, menu->rows[menu->cursor].entry, &event))
        return;
    if (event.spelling) {
        /* The dialog begins with what comes before the first thing to be replaced. */
        char *start = mem_strndup(event.name, strcspn(event.name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ["));
        dialog_open(ui, &prompt_event, start);
        free(start);
        return;
    }
    int (*change)(struct host *, const char *, struct err *) =
        event.listed ? host_remove_event : host_add_event;
    if (ui_say_failure(ui, change(ui->host, event.name, &err), &err) < 0)
        return;
    ui->added = !event.listed;
    ui_say(ui, ROLE_VALUE, "%s '%s'", event.listed ? "no longer counting" : "counting", event.name);
    host_refresh(ui->host);
}

static void menu_press(struct ui *ui, int line, bool twice)
{
    struct menu *menu = ui->menu;
    size_t row = menu->top + (size_t)(line - menu->above);
    if (line < menu->above || row >= menu->top + menu->height || row >= menu->count ||
        menu->rows[row].title)
        return;
    menu->cursor = row;
    if (twice)
        toggle(ui);
}

static void menu_type(struct ui *ui, int key)
{
    if (prompt_key(&ui->menu->words, key) == PROMPT_EDITED)
        search(ui);
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

/* Time for trials in one drawing: the rest is tried in the next one. */
enum { TRIALS_NS = 20000000 };

/* "now" for an event that is counted; NULL: not tried yet. */
static const char *mark_of(struct ui *ui, size_t number, const struct front_event *event,
                           uint64_t deadline, enum role *role)
{
    struct menu *menu = ui->menu;
    mem_grow(&menu->tried, &menu->tried_room, number + 1, sizeof(*menu->tried));
    *role = ROLE_VALUE;
    if (event->listed && event->counted)
        return "now";
    *role = ROLE_DIM;
    if (!menu->tried[number] && clock_monotonic() > deadline)
        return NULL;
    menu->tried[number] = true;
    const char *obstacle = host_event_obstacle(ui->host, number);
    if (event->spelling && !obstacle)
        return "";
    *role = obstacle ? ROLE_MISSING : ROLE_GOOD;
    return obstacle ? "no" : "yes";
}

static void menu_draw_row(struct ui *ui, size_t row, int y, int width, uint64_t deadline)
{
    struct menu *menu = ui->menu;
    struct terminal *term = ui->term;
    size_t number = menu->rows[row].entry;
    struct front_event event;
    if (!get_entry(ui, number, &event))
        return;
    if (menu->rows[row].title) {
        term_put(term, y, 0, width, ROLE_LABEL, event.group);
        return;
    }
    enum role role;
    const char *mark = mark_of(ui, number, &event, deadline, &role);
    menu->pending |= !mark;
    bool selected = row == menu->cursor;
    if (selected)
        term_field(term, y, 0, width, ROLE_SELECTED, "");
    term_put(term, y, 1, MARK - 2, selected ? ROLE_SELECTED : role, mark ? mark : "...");
    int x = MARK, column = width < WIDE ? NAME : NAME_WIDE;
    /* libpfm4's table is in the title of its group. */
    const char *table = event.spelling ? NULL : strstr(event.name, "::");
    int used = term_put(term, y, x, width - x, selected ? ROLE_SELECTED : ROLE_TEXT,
                        table ? table + 2 : event.name);
    x += (used > column ? used : column) + 2;
    if (x < width)
        term_put(term, y, x, width - x, selected ? ROLE_SELECTED : ROLE_DIM, event.text);
}

/* The line in which words are typed. */
static void draw_words(struct ui *ui, int y, int width)
{
    const struct menu *menu = ui->menu;
    char found[48];
    snprintf(found, sizeof(found), menu->found == 1 ? "%zu entry" : "%zu entries", menu->found);
    int right = cells_width(found) + 1;
    if (right > width / 2)
        right = 0;
    else
        term_put(ui->term, y, width - right + 1, right - 1, ROLE_DIM, found);
    prompt_draw(&menu->words, ui->term, (struct box){y, 0, width - right},
                "Search events: ", "words of name or description", pane_now(ui) == &pane_menu);
}

static void menu_tell(void *to, const char *what, const char *text)
{
    page_add(to, ROLE_LABEL, what, text);
}

static void fill_details(struct ui *ui, size_t number, const struct front_event *event)
{
    struct menu *menu = ui->menu;
    struct page *page = &menu->details;
    struct event_set *counted = ui->frame ? ui->frame->events : NULL;
    if (menu->detailed == number && menu->counted == counted)
        return;
    menu->detailed = number;
    menu->counted = counted;
    page_clear(page, false);
    const char *obstacle = host_event_obstacle(ui->host, number);
    char *fit = event->spelling || obstacle ? NULL : host_event_fit(ui->host, event->name);
    if (event->listed && event->counted)
        menu_tell(page, "here", "counted now; Enter removes it");
    else if (obstacle)
        menu_tell(page, "here", obstacle);
    if (event->spelling)
        menu_tell(page, "here", "Enter starts to type one");
    if (fit)
        menu_tell(page, "here", fit);
    if (*event->text)
        menu_tell(page, "what", event->text);
    host_explain_event(ui->host, number, menu_tell, page);
    free(fit);
}

static void draw_details(struct ui *ui, const struct band *band, int width)
{
    struct menu *menu = ui->menu;
    struct band below = {band->y + 1, band->height - 1};
    struct front_event event;
    size_t number = menu->count > 0 ? menu->rows[menu->cursor].entry : SIZE_MAX;
    if (band->height == 0)
        return;
    bool found = menu->count > 0 && get_entry(ui, number, &event);
    term_field(ui->term, band->y, 0, width, ROLE_HEADING, found ? event.name : "");
    if (!found)
        return;
    fill_details(ui, number, &event);
    page_draw(&menu->details, ui->term, &below, 0, width);
}

/* Scrolls so that the cursor is within, with the title of its group if it is the first. */
static void menu_place(struct menu *menu, int height)
{
    menu->height = height > 0 ? (size_t)height : 0;
    if (menu->top > menu->cursor)
        menu->top = menu->cursor;
    if (menu->top > 0 && menu->top == menu->cursor && menu->rows[menu->top - 1].title &&
        menu->height > 1)
        menu->top--;
    if (menu->height > 0 && menu->cursor >= menu->top + menu->height)
        menu->top = menu->cursor + 1 - menu->height;
    if (menu->count <= menu->height)
        menu->top = 0;
}

static void menu_draw(struct ui *ui, const struct band *band, int width)
{
    struct menu *menu = ui->menu;
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
    uint64_t deadline = clock_monotonic() + TRIALS_NS;
    menu->pending = false;
    menu->above = y - band->y;
    menu_place(menu, below.y - y);
    if (menu->count == 0)
        term_put(ui->term, y, 0, width, ROLE_TEXT, "no event has all these words");
    for (size_t row = menu->top; row < menu->count && y < below.y; row++, y++)
        menu_draw_row(ui, row, y, width, deadline);
    draw_details(ui, &below, width);
    if (menu->pending)
        host_refresh(ui->host);
}

static const struct key_command menu_commands[] = {
    {"toggle", "Enter", "add or remove", 80, "count the event, or remove it", .run = toggle},
    {"back", "Esc F7", "back", 90, "close", .run = pane_close},
    {0},
};

const struct pane pane_menu = {
    .name = "catalogue",
    .title = "In the catalogue of events",
    .commands = menu_commands,
    .cover = COVER_ALL,
    .types = true,
    .draw = menu_draw,
    .step = menu_move,
    .key = menu_type,
    .press = menu_press,
    .close = menu_close,
};
