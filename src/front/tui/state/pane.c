#include "front/tui/state/state.h"

/* The index of the main pane in ui->panes. */
static size_t main_place(const struct ui *ui)
{
    size_t i = ui->depth - 1;
    while (i > 0 && ui->panes[i]->cover == COVER_LINE)
        i--;
    return i;
}

const struct pane *pane_now(const struct ui *ui)
{
    return ui->panes[ui->depth - 1];
}

const struct pane *pane_main(const struct ui *ui)
{
    return ui->panes[main_place(ui)];
}

struct page *pane_list(struct ui *ui)
{
    return &ui->lists[main_place(ui)];
}

static void tell_moved(struct ui *ui)
{
    if (pane_now(ui)->moved)
        pane_now(ui)->moved(ui);
}

static void refill_at_start(struct ui *ui)
{
    pane_refill(ui);
    page_step(pane_list(ui), STEP_HOME);
    page_find(pane_list(ui));
    tell_moved(ui);
}

void pane_open(struct ui *ui, const struct pane *pane)
{
    if (ui->depth == PANES_MAX)
        return;
    ui->panes[ui->depth++] = pane;
    if (pane->types && pane->cover != COVER_LINE)
        prompt_set(&ui->words, NULL);
    if (pane->open && !pane->open(ui)) {
        ui->depth--;
    } else if (pane->fill) {
        pane_list(ui)->choosing = !pane->reads;
        refill_at_start(ui);
    }
}

void pane_show(struct ui *ui)
{
    pane_open(ui, ui->command->pane);
}

void pane_close(struct ui *ui)
{
    if (ui->depth <= 1)
        return;
    const struct pane *pane = pane_now(ui);
    page_release(&ui->lists[--ui->depth]);
    if (pane->close)
        pane->close(ui);
}

bool pane_is_open(const struct ui *ui, const struct pane *pane)
{
    for (size_t i = 0; i < ui->depth; i++)
        if (ui->panes[i] == pane)
            return true;
    return false;
}

const struct pane *pane_below(const struct ui *ui, const struct pane *pane)
{
    size_t place = ui->depth - 1;
    while (ui->panes[place] != pane)
        place--;
    return ui->panes[place - 1];
}

enum need pane_need(const struct ui *ui)
{
    enum need most = ui->beside ? NEED_HISTORY : NEED_NOTHING;
    for (size_t i = 0; i < ui->depth; i++)
        most = ui->panes[i]->need > most ? ui->panes[i]->need : most;
    return most;
}

void pane_run(struct ui *ui, const struct key_command *command)
{
    ui->command = command;
    command->run(ui);
}

void pane_refill(struct ui *ui)
{
    struct page *list = pane_list(ui);
    size_t top = list->top, cursor = list->cursor;
    page_clear(list);
    pane_main(ui)->fill(ui, list);
    list->top = top;
    list->cursor = cursor < list->count ? cursor : list->count - (list->count > 0);
}

void pane_point(struct ui *ui, bool twice)
{
    if (!page_point(pane_list(ui), term_mouse(ui->term).y))
        return;
    tell_moved(ui);
    if (twice)
        pane_run(ui, pane_now(ui)->commands);
}

void pane_type(struct ui *ui, int key)
{
    if (prompt_key(&ui->words, key))
        refill_at_start(ui);
}

bool pane_jump(struct ui *ui, bool first)
{
    const struct pane *pane = pane_now(ui);
    if (!pane->fill || pane->reads || pane->types || ui->key <= ' ' || ui->key > '~')
        return false;
    struct page *list = pane_list(ui);
    AUTO_FREE char *text = page_typing(list, ui->key);
    bool found = page_jump(list, ui->key, first);
    if (found)
        tell_moved(ui);
    if (first && (!found || list->typed < strlen(text)))
        ui_say(ui, ROLE_NOTICE,
               found ? "no entry begins with '%s': '%c' begins anew" : "no entry begins with '%s'",
               text, ui->key);
    return found;
}

void pane_step(struct ui *ui, enum step step)
{
    const struct pane *pane = pane_now(ui);
    if (pane->step) {
        pane->step(ui, step);
    } else if (pane->fill) {
        page_step(pane_list(ui), step);
        tell_moved(ui);
    }
}

void pane_move(struct ui *ui)
{
    pane_step(ui, (enum step)ui->command->how);
}

void pane_press(struct ui *ui, int line, bool twice)
{
    const struct pane *pane = pane_now(ui);
    if (pane->press)
        pane->press(ui, line, twice);
    else if (pane->fill)
        pane_point(ui, twice);
}

void pane_draw(struct ui *ui, const struct band *band, int width)
{
    const struct pane *pane = pane_main(ui);
    if (pane->fill && !pane->fixed)
        pane_refill(ui);
    if (pane->draw) {
        pane->draw(ui, band, width);
        return;
    }
    bool typed = pane->typed && band->height > 0;
    struct band below = {band->y + typed, band->height - typed};
    if (typed)
        prompt_draw(&ui->words, ui->term, (struct box){band->y, 0, width}, pane->typed, "",
                    pane_now(ui) == pane);
    page_draw(pane_list(ui), ui->term, &below, 0, width);
}
