#include "front/tui/pane/pages.h"
#include "base/str.h"
#include "front/tui/state/keymap.h"
#include "front/tui/state/state.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void pages_refill(struct ui *ui)
{
    page_refill(&ui->page, ui->fill, ui);
}

static void pages_open(struct ui *ui, const struct pane *pane, void (*fill)(struct ui *ui))
{
    page_clear(&ui->page, pane == &pane_choice);
    ui->fill = fill;
    fill(ui);
    pane_open(ui, pane);
}

/* --- Help --- */

static void fill_columns(struct ui *ui, struct page *page)
{
    for (size_t i = 0; i < view_columns(ui->view); i++) {
        const struct view_column *column = view_column(ui->view, i);
        page_add(page, ROLE_KEY, column->title, column->help);
    }
}

/* A line for a command and those after it that share its help; returns the number of the next. */
static size_t fill_keys(struct ui *ui, const struct pane *pane, size_t i)
{
    const struct key_command *command = keymap_command(ui->keymap, pane, i);
    const char *help = command->help;
    struct str keys;
    str_init(&keys);
    do {
        char more[64];
        keymap_keys(ui->keymap, pane, command, false, more, sizeof(more));
        str_printf(&keys, "%s%s", keys.length > 0 && more[0] ? " " : "", more);
        command = keymap_command(ui->keymap, pane, ++i);
    } while (command && !command->help);
    if (keys.length > 0)
        page_add(&ui->help, ROLE_KEY, keys.text, help);
    str_release(&keys);
    return i;
}

/* What the help of the table says beyond its keys. */
static const struct help_line {
    enum role role;
    const char *name, *text;
} table_help[] = {
    {ROLE_HEADING, "Cells", ""},
    {ROLE_SCALED, "12.3M~",
     "an estimate: the event shared a counter with others and was counted part of the time"},
    {ROLE_UNDEFINED, "n/a",
     "a ratio without a value: nothing to divide by, or a percentage beyond 100 that says only "
     "that its events were counted at different times"},
    {ROLE_MISSING, "-", "not counted; the page of events says why"},
    {ROLE_COUNTED, "0", "counted, and it did not happen"},
    {ROLE_HEADING, "Marks before rows", ""},
    {ROLE_VALUE, ".", "did not run, or does not match the filter: shown as the parent of others"},
    {ROLE_VALUE, "+", "has ended"},
    {ROLE_VALUE, "*", "tagged"},
    {ROLE_VALUE, ">", "marked with the key w or the option --watch"},
    {ROLE_HEADING, "Columns of the table", ""},
};

void pages_help(struct ui *ui)
{
    const struct pane *pane = pane_now(ui);
    if (pane == &pane_help)
        return;
    page_clear(&ui->help, false);
    page_title(&ui->help, pane->title);
    for (size_t i = 0; keymap_command(ui->keymap, pane, i);)
        i = fill_keys(ui, pane, i);
    if (pane == ui->panes[0]) {
        for (size_t i = 0; i < sizeof(table_help) / sizeof(table_help[0]); i++)
            page_add(&ui->help, table_help[i].role, table_help[i].name, table_help[i].text);
        fill_columns(ui, &ui->help);
    }
    pane_open(ui, &pane_help);
}

/* --- What went wrong --- */

static void time_text(char text[16], double wall)
{
    time_t time = (time_t)wall;
    struct tm local;
    text[0] = '\0';
    if (localtime_r(&time, &local))
        strftime(text, 16, "%H:%M:%S", &local);
}

static void add_error(struct ui *ui, const struct error *error)
{
    char first[16], last[16];
    struct str text;
    str_init(&text);
    time_text(first, error->first);
    time_text(last, error->last);
    if (error->amount > 0)
        str_printf(&text, "%llu ", (unsigned long long)error->amount);
    str_add(&text, error->text);
    if (error->times > 1)
        str_printf(&text, " (%llu times since %s)", (unsigned long long)error->times, first);
    else if (strcmp(first, last) != 0)
        str_printf(&text, " (since %s)", first);
    page_add(&ui->page, ROLE_BAD, last, text.text);
    str_release(&text);
}

/* The last one first. */
static void fill_errors(struct ui *ui)
{
    const struct errors *errors = &ui->errors;
    page_title(&ui->page, "What went wrong");
    if (errors->count == 0)
        page_add(&ui->page, ROLE_DIM, "nothing so far", "");
    for (size_t i = errors->count; i-- > 0;)
        add_error(ui, &errors->list[i]);
    if (errors->forgotten > 0) {
        char text[64];
        snprintf(text, sizeof(text), "and %llu older ones", (unsigned long long)errors->forgotten);
        page_add(&ui->page, ROLE_DIM, "", text);
    }
}

/* --- Events --- */

static void pages_add_event(struct ui *ui, size_t i)
{
    const struct frame *frame = ui->frame;
    const struct event_info *event = &frame->events->events[i];
    struct str text;
    str_init(&text);
    if (event->state == EVENT_COUNTED) {
        double coverage = frame->total.counts[i].coverage;
        str_printf(&text, "counted by %s", event->pmu ? event->pmu : "the kernel");
        if (event->group >= 0)
            str_printf(&text, ", group %d", event->group + 1);
        if (event->shared)
            str_add(&text, ", counts a whole socket: of CPUs, not of tasks");
        if (coverage < 1)
            str_printf(&text, ", %.0f%% of the time: its counts are estimates", coverage * 100);
        page_add(&ui->page, coverage < 1 ? ROLE_SCALED : ROLE_COUNTED, event->name, text.text);
    } else {
        str_printf(&text, "not counted: %s",
                   event->reason ? event->reason : event_state_name(event->state));
        page_add(&ui->page, ROLE_MISSING, event->name, text.text);
    }
    str_release(&text);
}

static void pages_fill_events(struct ui *ui)
{
    fill_errors(ui);
    page_title(&ui->page, "Events");
    if (!ui->frame) {
        page_add(&ui->page, ROLE_TEXT, "", "nothing is counted yet");
        return;
    }
    for (size_t i = 0; i < ui->frame->events->count; i++)
        pages_add_event(ui, i);
}

void pages_errors(struct ui *ui)
{
    pages_open(ui, &pane_page, pages_fill_events);
}

static void fill_sort(struct ui *ui)
{
    page_title(&ui->page, "Sort by");
    fill_columns(ui, &ui->page);
}

/* Line 0 is the title. */
static void choose_sort(struct ui *ui, size_t line)
{
    struct err err;
    if (line == 0 || line > view_columns(ui->view))
        return;
    const char *name = view_column(ui->view, line - 1)->name;
    ui_say_failure(ui, view_sort_by(ui->view, name, false, &err), &err);
    table_follow(&ui->table, ui->view);
}

void pages_sort(struct ui *ui)
{
    pages_open(ui, &pane_choice, fill_sort);
    ui->page.cursor = view_sort_column(ui->view) + 1;
    ui->choose = choose_sort;
}

/* --- The panes --- */

/* The help covers everything while it is open. */
static struct page *open_one(struct ui *ui)
{
    return pane_is_open(ui, &pane_help) ? &ui->help : &ui->page;
}

static void pages_step(struct ui *ui, enum step step)
{
    page_step(open_one(ui), step);
}

static void pages_draw(struct ui *ui, const struct band *band, int width)
{
    page_draw(open_one(ui), ui->term, band, 0, width);
}

static void pages_choose(struct ui *ui)
{
    size_t line = ui->page.cursor;
    pane_close(ui); /* what it does may open another pane */
    ui->choose(ui, line);
}

static void press_choice(struct ui *ui, int line, bool twice)
{
    if (page_point(&ui->page, line) && twice)
        pages_choose(ui);
}

static const struct key_command page_commands[] = {
    {"back", "Esc Enter q", "close", 90, "close", .run = pane_close},
    {0},
};

static const struct key_command choice_commands[] = {
    {"choose", "Enter", "choose", 80, "take the line under the cursor", .run = pages_choose},
    {"back", "Esc q", "cancel", 90, "close, and leave things as they were", .run = pane_close},
    {0},
};

const struct pane pane_page = {
    .name = "page",
    .title = "On a page to read",
    .commands = page_commands,
    .cover = COVER_ALL,
    .draw = pages_draw,
    .step = pages_step,
    .refresh = pages_refill,
};

const struct pane pane_choice = {
    .name = "choice",
    .title = "In a list to choose from",
    .commands = choice_commands,
    .cover = COVER_TABLE,
    .draw = pages_draw,
    .step = pages_step,
    .press = press_choice,
    .refresh = pages_refill,
};

const struct pane pane_help = {
    .name = "help",
    .title = "In the help",
    .commands = page_commands,
    .cover = COVER_ALL,
    .draw = pages_draw,
    .step = pages_step,
};
