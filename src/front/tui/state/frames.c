#include "front/tui/state/state.h"

struct shown {
    struct frame *total;    /* the totals if needed, owned */
    enum view_amount usual; /* amount shown while counting runs */
    enum view_amount final; /* ... after the command has ended */
    bool ranks;             /* rows of tasks become commands when the command has ended */
    enum view_kind ranked;  /* what the rows became last; the user chose others: nothing more */
};

static void shown_end(void *own)
{
    frame_free(((struct shown *)own)->total);
}

static UI_OWN(struct shown, shown_of, .end = shown_end);

void frames_begin(struct ui *ui, bool ranks)
{
    *shown_of(ui) = (struct shown){
        .usual = view_settings(ui->view)->amount, .final = AMOUNT_TOTAL, .ranks = ranks};
}

bool frames_at_end(const struct ui *ui)
{
    return ui->session && ui->session->end && ui_is_live(ui);
}

void frames_usual(const struct ui *ui, enum view_amount *amount, enum view_kind *kind)
{
    const struct shown *shown = shown_of(ui);
    *amount = shown->usual;
    *kind = view_settings(ui->view)->kind;
    if (shown->ranks && *kind == shown->ranked)
        *kind = VIEW_TASKS;
}

/* The end of a command is ranked by command, unless the user chose the rows, or looks at one. */
static enum view_kind choose_kind(struct ui *ui)
{
    const struct view_settings *settings = view_settings(ui->view);
    struct shown *shown = shown_of(ui);
    bool end = frames_at_end(ui);
    bool rows = settings->threads || settings->tree || ui->table.following || ui->depth > 1;
    if (settings->kind != shown->ranked || (end && shown->ranked == VIEW_TASKS && rows))
        shown->ranks = false;
    if (shown->ranks)
        shown->ranked = end ? VIEW_COMMANDS : VIEW_TASKS;
    return shown->ranks ? shown->ranked : settings->kind;
}

/* Chooses the frame to show, the last interval or the totals, and gives it to the view, once.
 * Counts at the end of a command, and in the past before it, have an amount of their own. learn:
 * the interval is a new one of the present. Frees the previous frames. recent may be NULL. */
static void show_frames(struct ui *ui, struct frame *recent, bool learn)
{
    const struct view_settings *now = view_settings(ui->view);
    struct view_settings next = *now;
    next.amount = frames_at_end(ui) ? shown_of(ui)->final : shown_of(ui)->usual;
    next.kind = choose_kind(ui);
    bool totals = next.amount == AMOUNT_TOTAL || (next.amount == AMOUNT_RATE && frames_at_end(ui));
    bool details = pane_need(ui) == NEED_TOTALS && recent;
    struct frame *total = recent && (totals || details) ? host_total(ui->host) : NULL;
    if (total && total->events != recent->events) {
        frame_free(total); /* counting has restarted */
        total = NULL;
    }
    struct frame *shown = total && totals ? total : recent;
    if (next.kind != now->kind)
        table_home(&ui->table);
    if (next.kind != now->kind || next.amount != now->amount)
        view_change_frame(ui->view, &next, shown);
    else if (shown != ui->frame)
        view_set_frame(ui->view, shown);
    if (learn) {
        view_record(ui->view, recent, false);
        meters_learn(ui, recent, false, false);
    }
    if (total && details)
        view_record_total(ui->view, total);
    if (details)
        view_identify(ui->view, recent);
    if (recent != ui->recent)
        frame_free(ui->recent);
    frame_free(shown_of(ui)->total);
    ui->recent = recent;
    shown_of(ui)->total = total;
    ui->frame = shown;
    table_follow(&ui->table, ui->view);
}

void frames_put(struct ui *ui, struct frame *frame, bool learn)
{
    double age = clock_wall() - frame->wall; /* since the end of the interval */
    uint64_t now = clock_boot(), passed = age > 0 ? (uint64_t)(age * 1e9) : 0;
    ui->seen = passed < now ? now - passed : 0;
    view_hold(ui->view, false); /* what a pause held is not true of another frame */
    show_frames(ui, frame, learn);
}

void frames_take(struct ui *ui, struct frame *frame)
{
    if (((ui->paused && !ui->step) || ui_looks_back(ui)) && ui->frame) {
        /* Histories are updated although an older frame stays visible. /proc describes only running
         * tasks, so it is not read for a frame of the past. */
        bool asks = view_asks_proc(view_settings(ui->view)->kind);
        if (frame->events == ui->frame->events && !(asks && ui_looks_back(ui)))
            view_record(ui->view, frame, true);
        meters_learn(ui, frame, false, true);
        frame_free(frame);
        return;
    }
    size_t columns = view_columns(ui->view);
    ui->step = false;
    frames_put(ui, frame, ui_is_live(ui)); /* else rewind_catch_up() learns it */
    if (ui->added && view_columns(ui->view) != columns) {
        ui->table.reveal = true;
        ui->added = false;
    }
}

void frames_retell(struct ui *ui)
{
    view_tell(ui->view, ui->recent);
    show_frames(ui, ui->recent, false);
}

void frames_next_amount(struct ui *ui)
{
    enum view_amount *amount = frames_at_end(ui) ? &shown_of(ui)->final : &shown_of(ui)->usual;
    *amount = *amount == AMOUNT_TOTAL ? AMOUNT_RATE : *amount + 1;
    ui->stale = true;
    show_frames(ui, ui->recent, false);
}

void frames_change(struct ui *ui, const struct view_settings *next)
{
    view_change(ui->view, next);
    ui->stale = true;
    table_follow(&ui->table, ui->view);
}

void frames_apply(struct ui *ui)
{
    view_apply(ui->view);
    ui->stale = true;
    table_follow(&ui->table, ui->view);
}

void frames_new_screen(struct ui *ui)
{
    const struct screen *screen = view_screen(ui->view);
    ui->table.left = ui->table.shift = 0;
    frames_apply(ui);
    if (screen)
        ui_say(ui, ROLE_VALUE, "screen '%s'%s%s", screen->name, screen->description ? ": " : "",
               screen->description ? screen->description : "");
}
