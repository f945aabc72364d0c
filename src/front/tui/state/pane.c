#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

void pane_open(struct ui *ui, const struct pane *pane)
{
    if (ui->depth < PANES_MAX)
        ui->panes[ui->depth++] = pane;
}

void pane_close(struct ui *ui)
{
    if (ui->depth <= 1)
        return;
    const struct pane *pane = pane_now(ui);
    ui->depth--;
    if (pane->close)
        pane->close(ui);
}

const struct pane *pane_now(const struct ui *ui)
{
    return ui->panes[ui->depth - 1];
}

bool pane_is_open(const struct ui *ui, const struct pane *pane)
{
    for (size_t i = 0; i < ui->depth; i++)
        if (ui->panes[i] == pane)
            return true;
    return false;
}

bool pane_shows_history(const struct ui *ui)
{
    for (size_t i = 0; i < ui->depth; i++)
        if (ui->panes[i]->history)
            return true;
    return false;
}

void pane_run(struct ui *ui, const struct key_command *command)
{
    ui->command = command;
    command->run(ui);
}
