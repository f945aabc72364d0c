#include "front/tui/pane/panes.h"
#include "view/baseline.h"
#include "view/marks.h"

/* What a press on a piece of the line does; 0: nothing. */
enum header_place {
    HEADER_SCREEN_BEFORE = 1,
    HEADER_SCREEN_AFTER,
    HEADER_VIEW, /* and the views after the first */
};

/* Ranks of warnings, the least important first. */
enum { WARN_NOTICE, WARN_STEAL, WARN_UNATTRIBUTED, WARN_COUNTING, WARN_LOST };

struct header {
    struct line line, warnings;  /* as drawn */
    const struct screen *screen; /* whose neighbours are known; only compared */
    const struct session *session;
    enum count_mode mode;
    char *before, *after; /* their names; NULL: none */
    bool settled;         /* there were rows: neighbours are asked for */
    uint64_t lost;        /* records lost lately; 0: none */
    double lost_wall;     /* of the last frame that said so */
    char *notice;         /* the last one */
    uint64_t since;       /* clock_monotonic() when it came */
    bool folded;          /* it has given its line back */
    char *verdict;        /* on the machine; NULL: none yet */
    char *alarm;      /* of the recording of an alarm: its condition and a curve; NULL: not asked */
    bool curve_grows; /* intervals are still being read for it */
    struct verdict_wording wording;
    double worded, judged; /* ends of intervals, seconds since 1970: of its words, of its numbers */
};

static const double NOTICE_SECONDS = 10; /* then the notice gives its line back */

static void header_end(void *own)
{
    struct header *header = own;
    free(header->before);
    free(header->after);
    free(header->notice);
    free(header->verdict);
    free(header->alarm);
}

static UI_OWN(struct header, header_of, .end = header_end);

/* --- Where one is --- */

/* A name that can be pressed; `form` has what is around it. */
__attribute__((format(printf, 4, 0))) static struct piece *
add_place(struct line *line, int rank, int press, const char *form, const char *name)
{
    struct piece *piece = line_add(line, rank, "", form, name);
    piece->role = ROLE_LABEL;
    piece->press = press;
    return piece;
}

/* The view shown is in brackets, so that colour is not needed to see it. */
static void add_views(const struct ui *ui, struct line *line)
{
    enum view_kind shown = view_settings(ui->view)->kind;
    for (enum view_kind kind = 0; kind < VIEW_TABS; kind++) {
        bool now = str_equal(view_types[kind].title, view_types[shown].title);
        if (!now && !view_has_rows(kind, ui->frame))
            continue;
        struct piece *piece =
            add_place(line, now ? RANK_VIEW : RANK_FIRST_VIEW - (int)kind, HEADER_VIEW + (int)kind,
                      now ? "[%s]" : " %s ", view_types[kind].title);
        piece->gap = 0;
        if (now)
            piece->role = ROLE_TAB;
    }
}

/* The screen between the two that the keys lead to. Asked for once a screen: it takes trials. */
static void add_screens(const struct ui *ui, struct line *line)
{
    const struct screen *screen = view_screen(ui->view);
    struct header *header = header_of(ui);
    if (!screen)
        return;
    if (header->settled && (header->screen != screen || header->session != ui->session ||
                            header->mode != ui->session->mode)) {
        free(header->before);
        free(header->after);
        header->before = host_near_screen(ui->host, -1);
        header->after = host_near_screen(ui->host, 1);
        header->screen = screen;
        header->session = ui->session;
        header->mode = ui->session->mode;
    }
    if (!header->screen)
        return; /* it would move when those beside it are known */
    if (header->before)
        add_place(line, RANK_SCREEN_BEFORE, HEADER_SCREEN_BEFORE, "%s", header->before);
    struct piece *piece = add_place(line, RANK_SCREEN, HEADER_SCREEN_AFTER,
                                    term_ascii(ui->term) ? "<%s>" : "‹%s›", screen->name);
    piece->role = ROLE_TAB;
    piece->gap = header->before ? 1 : LINE_GAP; /* also where that one is left out */
    if (header->after)
        add_place(line, RANK_SCREEN_AFTER, HEADER_SCREEN_AFTER, "%s", header->after)->gap = 1;
}

/* --- What it shows --- */

static void add_watched(const struct ui *ui, struct line *line)
{
    const struct watch *watch = &view_settings(ui->view)->watch;
    const struct view_lookup *lookup = view_lookup_of(ui->view);
    AUTO_STR struct str text = str_new();
    if (watch_all(watch))
        watch = &ui->session->watch;
    if (watch->command && ui->session->command)
        str_add(&text, ui->session->command);
    rows_write_watch(watch, &text);
    for (size_t i = 0; i < watch->tid_count; i++)
        str_printf(&text, ",tid %d", (int)watch->tids[i]);
    for (size_t i = 0; i < watch->user_count; i++) {
        char number[USER_NUMBER];
        const char *user = view_user(lookup, watch->users[i], number);
        str_printf(&text, ",%s %s", user == number ? "uid" : "user", user);
    }
    if (watch->cgroup) {
        char name[128] = "";
        if (lookup)
            lookup->cgroup_name(lookup->ctx, watch->cgroup, name, sizeof(name));
        str_printf(&text, ",cgroup %s", name);
    }
    if (text.length > 0)
        line_add_right(line, RANK_WATCHING, "watching", "%s", text.text + (*text.text == ','))
            ->cut = true;
}

/* Totals may not exist for the whole past. */
static enum view_amount amount_shown(const struct ui *ui)
{
    enum view_amount amount = view_settings(ui->view)->amount;
    return amount == AMOUNT_TOTAL && ui->frame && !ui->frame->totals ? AMOUNT_INTERVAL : amount;
}

/* Whether the frame covers the whole run of the command: counting may have restarted. */
static bool has_run(const struct ui *ui)
{
    return ui->frame->totals && ui->frame->interval >= ui->session->run;
}

static void add_baseline(const struct ui *ui, struct line *line)
{
    struct baseline_facts facts;
    char when[CLOCK_TEXT_SIZE];
    if (!view_baseline(ui->view, &facts))
        return;
    clock_text(when, facts.time);
    const char *from = facts.name ? facts.name : when;
    struct piece *piece =
        facts.elsewhere ? line_add_right(line, RANK_BASELINE, "baseline", "of other rows, %s", from)
                        : line_add_right(line, RANK_BASELINE, "change from",
                                         "%s, mean of %zu; %zu new, %zu gone", from,
                                         facts.intervals, facts.fresh, facts.gone);
    snprintf(piece->brief, sizeof(piece->brief), "%s", facts.elsewhere ? "of other rows" : when);
    piece->cut = facts.name;
}

static void header_add_amount(const struct ui *ui, struct line *line)
{
    enum view_amount amount = amount_shown(ui);
    bool end = frames_at_end(ui) && ui->frame;
    if (amount == AMOUNT_RATE && !end) /* column titles show it */
        return;
    const char *rate = end && amount == AMOUNT_RATE ? "a second " : "";
    const char *of = !end                ? view_amount_text(amount)
                     : has_run(ui)       ? view_amount_text(AMOUNT_TOTAL)
                     : ui->frame->totals ? "since counting began"
                                         : "in the last interval";
    /* At the end this is more important than the targets. */
    struct piece *piece =
        line_add_right(line, end ? RANK_AMOUNT_AT_END : RANK_AMOUNT, "counts", "%s%s", rate, of);
    if (!ui->frame || (amount != AMOUNT_TOTAL && !end))
        return;
    char time[FORMAT_SIZE];
    snprintf(piece->brief, sizeof(piece->brief), "%s%s", rate, of);
    format_duration(time, ui->frame->interval, 8);
    snprintf(piece->text, sizeof(piece->text), "%s%s, %s", rate, of, time);
}

/* Settings that the rows do not show. */
static void add_state(const struct ui *ui, struct line *line)
{
    const struct view_settings *settings = view_settings(ui->view);
    const struct table *table = &ui->table;
    size_t tagged, sort = view_sort_column(ui->view);
    view_tagged(ui->view, &tagged);
    add_watched(ui, line);
    if (settings->filter)
        line_add_right(line, RANK_FILTER, "filter", "%s", settings->filter)->cut = true;
    if (table->following)
        line_add_right(line, RANK_FOLLOWING, "following", "%s%s", table->followed,
                       table->ended    ? " (ended)"
                       : table->absent ? " (not running)"
                                       : "");
    if (tagged > 0)
        line_add_right(line, RANK_TAGGED, "tagged", "%zu", tagged);
    if (settings->least_cpu > 0 && !view_of_cpus(settings->kind) && !view_of_code(settings->kind))
        line_add_right(line, RANK_LEAST_CPU, "%CPU from", "%g", settings->least_cpu);
    /* The title that marks the sort column is scrolled off. */
    if (ui->frame && sort < view_columns(ui->view) && !table_shows_column(table, sort))
        line_add_right(line, RANK_SORTED, "sorted by", "%s", view_column(ui->view, sort)->title);
    if (ui->session->mode != MODE_ALL)
        line_add_right(line, RANK_MODE, "", "%s only", session_mode(ui->session));
    add_baseline(ui, line);
    header_add_amount(ui, line);
    if (!ui->session->end)
        line_add_right(line,
                       ui->session->delay == 1 || ui->moment.replay ? RANK_USUAL_DELAY : RANK_DELAY,
                       "every", "%g s", ui->session->delay);
    rewind_mark(ui, line);
}

/* --- What is wrong --- */

/* Records lost in the interval shown, and in the present in the seconds before it: one sees what an
 * interval alone would show for a moment. */
static void add_lost(const struct ui *ui, struct line *line)
{
    struct header *header = header_of(ui);
    uint64_t lost = ui->frame->lost_records;
    double wall = ui->frame->wall;
    if (ui_is_live(ui) && ui->recent) {
        const struct frame *recent = ui->recent;
        if (!ui->paused && fabs(recent->wall - header->lost_wall) >= NOTICE_SECONDS)
            header->lost = 0;
        if (recent->lost_records > 0 && recent->wall != header->lost_wall) {
            header->lost += recent->lost_records;
            header->lost_wall = recent->wall;
        }
        lost = header->lost > lost ? header->lost : lost;
        wall = header->lost > 0 ? header->lost_wall : wall;
    }
    if (lost == 0)
        return;
    char when[CLOCK_TEXT_SIZE];
    clock_text(when, wall);
    struct piece *piece = line_add_right(line, WARN_LOST, "lost", "%llu records at %s",
                                         (unsigned long long)lost, when);
    snprintf(piece->brief, sizeof(piece->brief), "%llu records", (unsigned long long)lost);
}

struct line *header_warnings(struct ui *ui)
{
    const struct frame *frame = ui->frame;
    struct line *line = &header_of(ui)->warnings;
    line->count = 0;
    if (header_of(ui)->folded) {
        struct piece *piece = line_add_right(line, WARN_NOTICE, "E", "notice");
        piece->label_role = ROLE_KEY;
        piece->role = ROLE_NOTICE;
    }
    if (frame) {
        const struct {
            const char *label, *what;
            uint64_t number;
        } faults[] = {
            {"throttled", "times", frame->throttled},
            {"not permitted", "threads", frame->denied_tasks},
            {"no descriptor", "threads", frame->starved_tasks},
        };
        double idle, unattributed;
        double steal = load_mean(&frame->load, CPU_STEAL, NULL);
        add_lost(ui, line);
        for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
            if (faults[i].number > 0)
                line_add_right(line, WARN_COUNTING, faults[i].label, "%llu %s",
                               (unsigned long long)faults[i].number, faults[i].what);
        int event = frame_accounts(frame, &idle, &unattributed);
        if (event >= 0 && unattributed > FRAME_UNATTRIBUTED_BAD) {
            struct piece *piece =
                line_add_right(line, WARN_UNATTRIBUTED, "unattributed", "%.0f%% of %s",
                               unattributed * 100, frame->events->events[event].name);
            snprintf(piece->brief, sizeof(piece->brief), "%.0f%%", unattributed * 100);
        }
        if (steal > LOAD_SHOWN)
            line_add_right(line, WARN_STEAL, "steal", "%3.0f%%", steal * 100);
    }
    for (size_t i = header_of(ui)->folded; i < line->count; i++)
        line->pieces[i].role = ROLE_BAD;
    return line;
}

static void add_trouble(const struct frame *frame, size_t counters, struct line *line)
{
    size_t all = frame->events->count, counted = 0;
    double coverage = 1;
    for (size_t i = 0; i < all; i++) {
        if (frame->events->events[i].state != EVENT_COUNTED)
            continue;
        counted++;
        if (!frame->events->events[i].kept && frame->total.counts[i].coverage < coverage)
            coverage = frame->total.counts[i].coverage;
    }
    if (frame->load.reason && !frame_has_machine(frame))
        line_add_right(line, RANK_BUSY, "busy", "not known: %s", frame->load.reason)->role =
            ROLE_BAD;
    if (counted < all)
        line_add_right(line, RANK_UNCOUNTED, "events", "%zu of %zu counted", counted, all)->role =
            ROLE_BAD;
    else
        line_add_right(line, RANK_EVENTS, "events", "%zu", all);
    if (coverage < 1) {
        size_t events;
        event_set_turns(frame->events, &events);
        struct piece *piece = line_add_right(line, RANK_COVERAGE, "coverage",
                                             counters ? "from %2.0f%%: %zu events on %zu counters"
                                                      : "from %2.0f%%: %zu events",
                                             coverage * 100, events, counters);
        snprintf(piece->brief, sizeof(piece->brief), "from %2.0f%%", coverage * 100);
        piece->role = ROLE_SCALED;
    }
}

void header_draw(const struct ui *ui, const struct layout *layout)
{
    struct line *line = &header_of(ui)->line;
    line->count = 0;
    gauges_draw(ui, &layout->meters, layout->width);
    if (layout->header.height == 0)
        return;
    add_views(ui, line);
    add_screens(ui, line);
    if (ui->frame)
        add_trouble(ui->frame, ui->session->counters, line);
    add_state(ui, line);
    if (ui_is_live(ui)) { /* rewind_mark() writes the time */
        char text[CLOCK_TEXT_SIZE];
        clock_text(text, ui->frame ? ui->frame->wall : clock_wall());
        if (!ui->paused)
            text[sizeof("HH:MM") - 1] = '\0';
        line_add_right(line, ui->paused ? RANK_PAUSED_CLOCK : RANK_CLOCK, "", "%s", text)->role =
            ROLE_TEXT;
    }
    line_fit(line, layout->width);
    line_draw(line, ui->term, layout->header.y, layout->width);
}

void header_press(struct ui *ui, int x)
{
    const struct piece *piece = line_piece_at(&header_of(ui)->line, x);
    int press = piece ? piece->press : 0;
    if (press >= HEADER_VIEW)
        functions_show_view(ui, (enum view_kind)(press - HEADER_VIEW));
    else if (press)
        header_step_screen(ui, press == HEADER_SCREEN_AFTER ? 1 : -1);
}

void header_step_screen(struct ui *ui, int step)
{
    if (ui_done(ui, host_step_screen(ui->host, step, &ui->failure)))
        frames_new_screen(ui);
}

/* --- The verdict --- */

/* "alarm: ▁▁▁▅█▇ 97.3: cpu > 90 for 3s" for the recording of one; "". */
static const char *header_alarm(struct ui *ui)
{
    enum { CELLS = 32 };
    struct header *header = header_of(ui);
    const struct session_alarm *facts = &ui->session->alarm;
    struct str text = str_new();
    size_t count = 0, known = 0;
    if (header->alarm && !header->curve_grows)
        return header->alarm;
    const double *values = host_alarm(ui->host, &count, &known);
    double most = 0;
    header->curve_grows = known < count;
    if (ui->moment.replay && facts->condition)
        str_add(&text, "alarm:");
    for (size_t i = 0; values && i < known; i++)
        most = values[i] > most ? values[i] : most;
    for (size_t cell = 0; cell < CELLS && cell < count && most > 0; cell++) {
        double largest = 0; /* of the intervals in the cell */
        size_t cells = count < CELLS ? count : CELLS;
        if ((cell + 1) * count / cells > known)
            break;
        for (size_t i = cell * count / cells; i < (cell + 1) * count / cells; i++)
            largest = values[i] > largest ? values[i] : largest;
        str_printf(&text, "%s%s", cell ? "" : " ", heat_mark(largest / most, term_ascii(ui->term)));
    }
    if (most > 0)
        str_printf(&text, " %.4g:", facts->value);
    if (text.length) /* last: where there is no room for all of it, its end is missing */
        str_printf(&text, " %s", facts->condition);
    free(header->alarm);
    return header->alarm = str_detach(&text);
}

const char *header_verdict(struct ui *ui, int height)
{
    enum { LOWEST = 24, SECONDS = 3 }; /* lines; while counting goes on words stay that long */
    struct header *header = header_of(ui);
    const struct frame *frame = ui->recent;
    if (height < LOWEST)
        return NULL;
    if (!frame)
        return "";
    bool moves = ui_is_live(ui) || ui->moment.speed > 0;
    if (!header->verdict || header->curve_grows || frame->wall != header->judged) {
        double age = frame->wall - header->worded;
        header->wording.kept = header->verdict && moves && age >= 0 && age < SECONDS;
        if (!header->wording.kept)
            header->worded = frame->wall;
        AUTO_FREE char *machine = view_verdict(ui->view, frame, &header->wording);
        const char *alarm = header_alarm(ui);
        mem_replace(&header->verdict,
                    mem_printf("%s%s%s", alarm, *alarm && *machine ? "; " : "", machine));
        header->judged = frame->wall;
    }
    return header->verdict;
}

bool header_grows(const struct ui *ui)
{
    return header_of(ui)->curve_grows;
}

bool header_settle(const struct ui *ui)
{
    struct header *header = header_of(ui);
    bool before = header->settled;
    header->settled = true;
    return !before;
}

/* --- The notice --- */

/* How the command ended and which of its counts are shown; then the session's notice. */
static char *notice_text(const struct ui *ui)
{
    static const char *const what[] = {"rates", "counts", "totals"};
    const struct session *session = ui->session;
    const struct frame *frame = ui->frame;
    struct str text = str_new();
    if (session->end) {
        str_add(&text, session->end);
        if (frames_at_end(ui) && frame) {
            str_printf(&text, "; %s ", what[amount_shown(ui)]);
            if (has_run(ui))
                str_add(&text, "since its start");
            else if (frame->totals)
                str_printf(&text, "of its last %.3g s", frame->interval);
            else
                str_add(&text, "of its last interval");
        }
        str_printf(&text, "; q quits. CPU time: %.3g s user, %.3g s kernel%s", session->run_user,
                   session->run_kernel, *session->notice ? "; " : "");
    }
    str_add(&text, session->notice);
    return str_detach(&text);
}

char *header_notice(struct ui *ui)
{
    struct header *header = header_of(ui);
    char *text = notice_text(ui);
    uint64_t now = clock_monotonic();
    if (!str_equal(text, header->notice)) {
        mem_replace(&header->notice, mem_strdup(text));
        header->since = now;
    }
    header->folded =
        *text && !ui->session->end && (double)(now - header->since) >= NOTICE_SECONDS * 1e9;
    if (header->folded)
        *text = '\0';
    return text;
}
