#include "front/tui/amount.h"
#include "base/mem.h"
#include "front/tui/line.h"
#include "front/tui/ui.h"
#include "view/format.h"

#include <stdio.h>
#include <stdlib.h>

/* Whether it is the end of a command that is on show. */
static bool at_end(const struct ui *ui)
{
    return ui->session && ui->session->end && !rewind_over(ui);
}

static enum view_amount *wanted(struct ui *ui)
{
    return at_end(ui) ? &ui->amounts.final : &ui->amounts.usual;
}

void amount_init(struct ui *ui)
{
    ui->amounts = (struct amounts){view_settings(ui->view)->amount, AMOUNT_TOTAL};
}

void amount_step(struct ui *ui)
{
    enum view_amount *amount = wanted(ui);
    *amount = *amount == AMOUNT_TOTAL ? AMOUNT_RATE : *amount + 1;
    view_settings(ui->view)->amount = *amount;
    ui_show(ui);
}

void amount_choose(struct ui *ui)
{
    struct view_settings *settings = view_settings(ui->view);
    if (settings->amount == *wanted(ui))
        return;
    settings->amount = *wanted(ui);
    view_set_frame(ui->view, NULL); /* lest rows are sorted that nobody sees */
    view_apply(ui->view);
}

bool amount_is_whole(const struct ui *ui)
{
    enum view_amount amount = view_settings(ui->view)->amount;
    return amount == AMOUNT_TOTAL || (amount == AMOUNT_RATE && at_end(ui));
}

/* Totals cannot be had of all the past. */
static enum view_amount amount_shown(const struct ui *ui)
{
    enum view_amount amount = view_settings(ui->view)->amount;
    return amount == AMOUNT_TOTAL && ui->frame && !ui->frame->totals ? AMOUNT_INTERVAL : amount;
}

/* Whether all that a command did is in the frame: counting may have begun anew. */
static bool has_run(const struct ui *ui)
{
    return ui->frame->totals && ui->frame->interval >= ui->session->run;
}

void amount_add(const struct ui *ui, struct line *line)
{
    enum view_amount amount = amount_shown(ui);
    bool end = at_end(ui) && ui->frame;
    if (amount == AMOUNT_RATE && !end) /* titles say it */
        return;
    const char *rate = end && amount == AMOUNT_RATE ? "a second " : "";
    const char *of = !end                ? view_amount_text(amount)
                     : has_run(ui)       ? view_amount_text(AMOUNT_TOTAL)
                     : ui->frame->totals ? "since counting began"
                                         : "in the last interval";
    /* At the end it says more than what was watched. */
    struct piece *piece = line_add(line, end ? 93 : 88, "counts", "%s%s", rate, of);
    if (!ui->frame || (amount != AMOUNT_TOTAL && !end))
        return;
    char time[FORMAT_SIZE];
    snprintf(piece->brief, sizeof(piece->brief), "%s%s", rate, of);
    format_duration(time, ui->frame->interval, 8);
    snprintf(piece->text, sizeof(piece->text), "%s%s, %s", rate, of, time);
}

char *amount_notice(const struct ui *ui)
{
    static const char *const what[] = {"rates", "counts", "totals"};
    const struct session *session = ui->session;
    if (!session || !session->end)
        return mem_strdup(session ? session->notice : "");
    char *of = mem_strdup("");
    if (at_end(ui) && ui->frame) {
        const char *amount = what[amount_shown(ui)];
        free(of);
        if (has_run(ui))
            of = mem_printf("; %s since its start", amount);
        else if (ui->frame->totals)
            of = mem_printf("; %s of its last %.3g s", amount, ui->frame->interval);
        else
            of = mem_printf("; %s of its last interval", amount);
    }
    char *text = mem_printf("%s%s; q quits%s%s", session->end, of, *session->notice ? ". " : "",
                            session->notice);
    free(of);
    return text;
}
