#include "front/tui/pane/panes.h"
#include "front/tui/state/keymap.h"

enum { PANEL_MAX = 24, TEXT_MAX = 110, WHAT = 23, NUMBER = 15 };

/* A line of the panel. Those of low rank are left out first. */
struct panel_line {
    int rank;
    enum role role;
    const char *label;                    /* before the text, which leaves room for it */
    char *text;                           /* owned; NULL: a row of the table of counts */
    const struct front_demo_count *count; /* of that row; NULL: its headings */
};

struct panel {
    struct panel_line lines[PANEL_MAX];
    int count, width;
};

struct shown_workload {
    struct front_demo demo; /* without a name: none */
    struct tour {
        size_t step;  /* from 0 */
        bool pressed; /* its key was; it is done when the table has the keys again */
    } tour;           /* of a demo that is one */
};

static UI_OWN(struct shown_workload, workload_of, .end = NULL);

void workload_take(struct ui *ui)
{
    host_demo(ui->host, &workload_of(ui)->demo);
}

bool workload_there(const struct ui *ui)
{
    return workload_of(ui)->demo.name;
}

bool workload_tour(const struct ui *ui)
{
    return workload_of(ui)->demo.tour;
}

void workload_turn(struct ui *ui)
{
    int how = ui->command->how;
    if (ui_done(ui, host_turn_demo(ui->host, (size_t)how / 2, how % 2 ? -1 : 1, &ui->failure)))
        workload_take(ui);
}

/* ---- the lines ---- */

static void panel_add(struct panel *panel, struct panel_line line)
{
    if (panel->count < PANEL_MAX)
        panel->lines[panel->count++] = line;
    else
        free(line.text);
}

/* As many lines as the text needs, the last ones with the lowest rank. */
static void panel_text(struct panel *panel, int rank, enum role role, const char *label,
                       const char *text)
{
    int used = *label ? (int)strlen(label) + 1 : 0;
    int width = (panel->width < TEXT_MAX ? panel->width : TEXT_MAX) - used;
    for (; *text && width > 0; label = "") {
        AUTO_FREE char *part = page_take_line(&text, width, false);
        panel_add(panel, (struct panel_line){.rank = rank--,
                                             .role = role,
                                             .label = label,
                                             .text = mem_printf("%*s%s", used, "", part)});
    }
}

static void panel_counts(struct panel *panel, const struct front_demo *demo)
{
    enum { RANK_COUNT = 90, RANK_HEADING = 70, RANK_REASON = 65 };
    if (demo->pending) {
        panel_text(panel, RANK_COUNT, ROLE_DIM, "", demo->pending);
        return;
    }
    panel_add(panel, (struct panel_line){.rank = RANK_HEADING, .label = ""});
    for (size_t i = 0; i < demo->count; i++)
        panel_add(panel,
                  (struct panel_line){.rank = RANK_COUNT, .label = "", .count = &demo->counts[i]});
    for (size_t i = 0; i < demo->count; i++)
        if (*demo->counts[i].reason &&
            (i == 0 || strcmp(demo->counts[i].reason, demo->counts[i - 1].reason) != 0))
            panel_text(panel, RANK_REASON, ROLE_NOTICE, "not measured:", demo->counts[i].reason);
}

static void panel_time(struct panel *panel, const struct front_demo *demo)
{
    enum { RANK = 80, WIDTH = 12 };
    static const double US = 1000; /* ns */
    bool longer = demo->turn >= US;
    char cycles[FORMAT_SIZE];
    if (isnan(demo->turn))
        return;
    format_count(cycles, demo->cycles, WIDTH);
    AUTO_FREE char *text =
        mem_printf("%.2f %s%s%s%s", longer ? demo->turn / US : demo->turn, longer ? "us" : "ns",
                   isnan(demo->cycles) ? "" : ": by the time of an addition about ",
                   isnan(demo->cycles) ? "" : cycles, isnan(demo->cycles) ? "" : " cycles");
    panel_text(panel, RANK, ROLE_VALUE, "a turn takes", text);
}

/* The first key of the command that changes it so; "" for none. */
static void workload_key(const struct ui *ui, int how, char *key, size_t size)
{
    const struct key_command *command;
    *key = '\0';
    for (size_t i = 0; (command = keymap_command(ui->keymap, ui->panes[0], i)); i++)
        if (command->run == workload_turn && command->how == how)
            keymap_keys(ui->keymap, ui->panes[0], command, true, key, size);
}

static void panel_knobs(struct panel *panel, const struct ui *ui)
{
    enum { RANK = 75 };
    AUTO_STR struct str text = str_new();
    for (size_t k = 0; k < FRONT_DEMO_KNOBS; k++) {
        const struct front_demo_knob *knob = &workload_of(ui)->demo.knobs[k];
        char up[16], down[16], value[FORMAT_SIZE];
        if (!knob->what)
            continue;
        workload_key(ui, 2 * (int)k, up, sizeof(up));
        workload_key(ui, 2 * (int)k + 1, down, sizeof(down));
        format_digits(value, (double)knob->value, FORMAT_SIZE - 1);
        str_printf(&text, "%s%s %s%s%s (%s more, %s less)", text.length ? ", " : "", knob->what,
                   value, *knob->unit ? " " : "", knob->unit, up, down);
    }
    panel_text(panel, RANK, ROLE_KEY, "change:", text.text);
}

enum { RANK_TITLE = 100, RANK_STEP = 95, RANK_DOES = 40, RANK_FORMULA = 60, RANK_NEXT = 50 };

static void panel_title(struct panel *panel, char *text)
{
    panel_add(panel, (struct panel_line){
                         .rank = RANK_TITLE, .role = ROLE_HEADING, .label = "", .text = text});
}

static void panel_workload(struct panel *panel, const struct ui *ui)
{
    const struct front_demo *demo = &workload_of(ui)->demo;
    panel_title(panel, mem_printf("%s: %s", demo->name, demo->teaches));
    panel_text(panel, RANK_DOES, ROLE_TEXT, "", demo->does);
    panel_text(panel, RANK_FORMULA, ROLE_VALUE, "formula:", demo->formula);
    if (ui_is_live(ui))
        panel_counts(panel, demo);
    else
        panel_text(panel, RANK_FORMULA, ROLE_DIM, "",
                   "an interval of the past: $ goes back to now");
    panel_time(panel, demo);
    panel_knobs(panel, ui);
    panel_text(panel, RANK_NEXT, ROLE_TEXT, "try:", demo->next);
}

/* The commands of its steps. */
static const char *const steps[] = {"search",  "event",     "errors", "attach", "functions",
                                    "details", "code-back", "let-go", "chart",  "workload-less"};
enum { TOUR_STEPS = sizeof(steps) / sizeof(*steps) };

static void panel_tour(struct panel *panel, const struct ui *ui)
{
    size_t step = workload_of(ui)->tour.step;
    panel_title(panel, step < TOUR_STEPS
                           ? mem_printf("tour: step %zu of %d (%sq leaves)", step + 1, TOUR_STEPS,
                                        pane_now(ui)->types ? "Esc closes the prompt, then " : "")
                           : mem_strdup("tour: done"));
    panel_text(panel, RANK_STEP, ROLE_TEXT, "",
               step < TOUR_STEPS ? keymap_text(ui->keymap, ui->panes[0], "tour", steps[step])
                                 : "That was the tour. q quits; countertop --demo list names all "
                                   "workloads, and F1 all keys.");
    if (step + 1 < TOUR_STEPS)
        return;
    panel_time(panel, &workload_of(ui)->demo); /* the last step changes it */
    panel_knobs(panel, ui);
}

/* Leaves out lines until that number is left. */
static void panel_fit(struct panel *panel, int height)
{
    while (panel->count > height) {
        int least = panel->count - 1;
        for (int i = least; i >= 0; i--)
            if (panel->lines[i].rank < panel->lines[least].rank)
                least = i;
        free(panel->lines[least].text);
        panel->count--;
        for (int i = least; i < panel->count; i++)
            panel->lines[i] = panel->lines[i + 1];
    }
}

/* ---- drawing ---- */

/* A count with all digits, a ratio with three decimals. */
static void workload_number(char text[FORMAT_SIZE], double number)
{
    enum { DECIMALS = 3 };
    static const double WHOLE = 1000; /* ratios are smaller */
    if (number == floor(number) || fabs(number) >= WHOLE)
        format_digits(text, number, NUMBER);
    else
        format_fixed(text, number, DECIMALS, NUMBER);
}

static void workload_expected(char *text, size_t size, const struct front_demo_count *count)
{
    char low[FORMAT_SIZE], high[FORMAT_SIZE];
    if (!isnan(count->expected)) {
        workload_number(low, count->expected);
        snprintf(text, size, "%s", low);
        return;
    }
    snprintf(low, sizeof(low), "%.4g", count->low);
    snprintf(high, sizeof(high), "%.4g", count->high);
    snprintf(text, size, "%s to %s", low, high);
}

static void workload_count(const struct front_demo_count *count, struct terminal *term, int y,
                           int width)
{
    enum { RANK_WHAT = 4, RANK_MEASURED = 3, RANK_EXPECTED = 2, RANK_OFF = 1 };
    char expected[3 * FORMAT_SIZE], measured[FORMAT_SIZE] = "-", off[FORMAT_SIZE] = "";
    struct line line = {0};
    bool known = count && !isnan(count->measured);
    if (count)
        workload_expected(expected, sizeof(expected), count);
    if (known)
        workload_number(measured, count->measured);
    if (known && count->low < count->high && count->measured >= count->low &&
        count->measured <= count->high)
        snprintf(off, sizeof(off), "within bounds");
    else if (known && count->expected > 0)
        snprintf(off, sizeof(off), "%+.2f %%",
                 (count->measured - count->expected) / count->expected * 100);
    line_add(&line, RANK_WHAT, "", "%-*s", WHAT, count ? count->what : "in this interval")->role =
        ROLE_LABEL;
    line_add(&line, RANK_EXPECTED, "", "%*s", NUMBER, count ? expected : "expected")->role =
        count ? ROLE_COUNTED : ROLE_LABEL;
    line_add(&line, RANK_MEASURED, "", "%*s%s", NUMBER, count ? measured : "measured",
             known && count->scaled ? "~" : "")
        ->role = !count          ? ROLE_LABEL
                 : !known        ? ROLE_MISSING
                 : count->scaled ? ROLE_SCALED
                                 : ROLE_COUNTED;
    line_add(&line, RANK_OFF, "", "%*s", NUMBER, count ? off : "difference")->role = ROLE_LABEL;
    line_put(&line, term, y, width, width);
}

int workload_draw(const struct ui *ui, const struct band *band, int width)
{
    struct panel panel = {.width = width};
    if (!workload_there(ui))
        return 0;
    if (workload_tour(ui))
        panel_tour(&panel, ui);
    else
        panel_workload(&panel, ui);
    int wanted = panel.count;
    panel_fit(&panel, band->height);
    for (int i = 0; i < panel.count; i++) {
        const struct panel_line *line = &panel.lines[i];
        int y = band->y + i;
        if (!line->text) {
            workload_count(line->count, ui->term, y, width);
            continue;
        }
        term_field(ui->term, y, 0, width, line->role, line->text);
        term_put(ui->term, y, 0, width, ROLE_LABEL, line->label);
        free(line->text);
    }
    return wanted;
}

void tour_follow(struct ui *ui, const struct pane *pane, const struct key_command *command)
{
    struct tour *tour = &workload_of(ui)->tour;
    if (tour->step == TOUR_STEPS)
        return;
    bool failed = *ui->message.text && ui->message_role == ROLE_ERROR;
    bool cancelled = command && pane->cover == COVER_LINE && strcmp(command->name, "back") == 0;
    if (command && strcmp(command->name, steps[tour->step]) == 0)
        tour->pressed = true;
    if (failed || cancelled)
        tour->pressed = false;
    if (!tour->pressed || ui->depth > 1)
        return;
    tour->step++;
    tour->pressed = false;
}
