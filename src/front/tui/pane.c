#include "front/tui/pane.h"
#include "front/tui/command.h"
#include "front/tui/details.h"
#include "front/tui/dialog.h"
#include "front/tui/kill.h"
#include "front/tui/menu.h"
#include "front/tui/pages.h"
#include "front/tui/setup_columns.h"
#include "front/tui/setup_display.h"
#include "front/tui/setup_save.h"
#include "front/tui/setup_screens.h"
#include "front/tui/setup_themes.h"
#include "front/tui/ui.h"

static const struct pane *const panes[] = {
    &pane_table,      &pane_prompt,        &pane_menu,         &pane_details,
    &pane_signals,    &pane_confirm,       &pane_setup,        &pane_setup_columns,
    &pane_setup_add,  &pane_setup_screens, &pane_setup_themes, &pane_setup_display,
    &pane_setup_save, &pane_choice,        &pane_page,         &pane_help,
};

const struct pane *pane_at(size_t i)
{
    return i < sizeof(panes) / sizeof(panes[0]) ? panes[i] : NULL;
}

void pane_open(struct ui *ui, const struct pane *pane)
{
    if (ui->depth < PANES_OPEN)
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

size_t pane_moved(enum step step, size_t at, size_t count, size_t height)
{
    size_t leaf = height > 1 ? height - 1 : 1; /* one line of the old page stays */
    size_t last = count > 0 ? count - 1 : 0, down = at < last ? last - at : 0;
    switch (step) {
    case STEP_UP:
        return at > 0 ? at - 1 : 0;
    case STEP_DOWN:
        return at + (down > 0);
    case STEP_PAGE_UP:
        return at > leaf ? at - leaf : 0;
    case STEP_PAGE_DOWN:
        return at + (down > leaf ? leaf : down);
    case STEP_HOME:
        return 0;
    case STEP_END:
        return last;
    case STEP_LEFT:
    case STEP_RIGHT:
        break;
    }
    return at;
}
