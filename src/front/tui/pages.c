#include "front/tui/pages.h"
#include "base/str.h"
#include "front/tui/command.h"

static void open_page(struct ui *ui, bool choosing, void (*fill)(struct ui *ui))
{
    page_clear(&ui->page, choosing);
    ui->choose = NULL;
    ui->fill = fill;
    fill(ui);
}

static void fill_columns(struct ui *ui)
{
    for (size_t i = 0; i < view_columns(ui->view); i++) {
        const struct view_column *column = view_column(ui->view, i);
        page_add(&ui->page, ROLE_KEY, column->title, column->help);
    }
}

/* A line for a command and those behind it that share its help; returns the one behind them. */
static const struct command *fill_keys(struct ui *ui, const struct command *command)
{
    const char *help = command->help;
    struct str keys;
    str_init(&keys);
    do {
        char more[64];
        keymap_keys(&ui->keymap, command, false, more, sizeof(more));
        str_printf(&keys, "%s%s", keys.length > 0 && more[0] ? " " : "", more);
        command++;
    } while (command->name && !command->help);
    page_add(&ui->page, ROLE_KEY, keys.text, help);
    str_release(&keys);
    return command;
}

static void fill_help(struct ui *ui)
{
    struct page *page = &ui->page;
    page_title(page, "Keys");
    for (const struct command *command = commands; command->name;)
        command = fill_keys(ui, command);
    page_title(page, "Cells");
    page_add(
        page, ROLE_SCALED, "12.3M~",
        "an estimate: the event shared a counter with others and was counted part of the time");
    page_add(page, ROLE_UNDEFINED, "n/a",
             "a ratio without a value: nothing to divide by, or a percentage beyond 100 that says "
             "only that its events were counted at different times");
    page_add(page, ROLE_MISSING, "-", "not counted; the page of events says why");
    page_add(page, ROLE_COUNTED, "0", "counted, and it did not happen");
    page_title(page, "Columns on show");
    fill_columns(ui);
}

void pages_help(struct ui *ui)
{
    open_page(ui, false, fill_help);
}

static void add_event(struct ui *ui, size_t i)
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

static void fill_events(struct ui *ui)
{
    page_title(&ui->page, "Events");
    if (!ui->frame) {
        page_add(&ui->page, ROLE_TEXT, "", "nothing is counted yet");
        return;
    }
    for (size_t i = 0; i < ui->frame->events->count; i++)
        add_event(ui, i);
}

void pages_events(struct ui *ui)
{
    open_page(ui, false, fill_events);
}

static void fill_sort(struct ui *ui)
{
    page_title(&ui->page, "Sort by");
    fill_columns(ui);
}

/* Line 0 is the title. */
static void choose_sort(struct ui *ui, size_t line)
{
    struct err err;
    if (line == 0 || line > view_columns(ui->view))
        return;
    if (view_sort_by(ui->view, view_column(ui->view, line - 1)->name, false, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    table_follow(&ui->table, ui->view);
}

void pages_sort(struct ui *ui)
{
    open_page(ui, true, fill_sort);
    ui->page.cursor = view_sort_column(ui->view) + 1;
    ui->choose = choose_sort;
}
