#include "front/tui/pane/panes.h"

#include <string.h>

static const struct {
    const char *command, *text;
} steps[TOUR_STEPS] = {
    {"search", "Three workloads run in this table: branch-random, faults and hot3. Press /, type "
               "hot3, and Enter: the cursor goes to its row."},
    {"event",
     "Count one more event: press e, type minor-faults, and Enter. It gets a column; faults "
     "has the most."},
    {"errors",
     "Is it counted all of the time? Press E: each event with how it is counted, or why it "
     "is not. More events than counters take turns: that is multiplexing, and their "
     "numbers, with ~, are estimates. q closes the page."},
    {"attach", "Watch only one: press a, type hot3, and Enter."},
    {"functions", "Where does its time go? Press p: its functions are sampled."},
    {"details", "demo_hot_70 has 70 % of them. Press Enter: its instructions, with their samples, "
                "and source lines."},
    {"code-back", "Press Backspace: back to the functions."},
    {"let-go", "Watch all again: press A, delete what is offered, and press Enter; Tab comes to "
               "tasks."},
    {"chart", "Press F8: a history of what is counted, below the table; q closes it."},
    {"workload-less",
     "Compare: press _ some times. Fewer of the branches of branch-random are random "
     "then, and a turn takes less time:"},
};

void tour_follow(struct ui *ui, const struct pane *pane, const struct key_command *command)
{
    struct tour *tour = &ui->tour;
    if (tour->step == TOUR_STEPS)
        return;
    bool failed = *ui->message.text && ui->message_role == ROLE_ERROR;
    bool cancelled = command && pane->cover == COVER_LINE && strcmp(command->name, "back") == 0;
    if (command && strcmp(command->name, steps[tour->step].command) == 0)
        tour->pressed = true;
    if (failed || cancelled)
        tour->pressed = false;
    if (!tour->pressed || ui->depth > 1)
        return;
    tour->step++;
    tour->pressed = false;
}

const char *tour_text(const struct tour *tour)
{
    return tour->step < TOUR_STEPS ? steps[tour->step].text
                                   : "That was the tour. q quits; countertop --demo list names all "
                                     "workloads, and F1 all keys.";
}
