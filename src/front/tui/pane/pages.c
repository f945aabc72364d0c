#include "base/embed.h"
#include "base/ini.h"
#include "front/tui/pane/panes.h"
#include "front/tui/state/keymap.h"
#include "view/sampling.h"

/* --- Help --- */

void pages_add_columns(struct ui *ui, struct page *list)
{
    for (size_t i = 0; i < view_columns(ui->view); i++) {
        const struct view_column *column = view_column(ui->view, i);
        page_add(list, ROLE_KEY, column->title, "%s", column->help)->used =
            i == view_sort_column(ui->view);
    }
}

/* Adds one line for a command and the following ones that share its help; returns the index of the
 * next command. */
static size_t fill_keys(struct ui *ui, const struct pane *pane, size_t i, struct page *list)
{
    const struct key_command *command = keymap_command(ui->keymap, pane, i);
    const char *help = keymap_text(ui->keymap, pane, "help", command->name);
    const char *group = keymap_text(ui->keymap, pane, "group", command->name);
    AUTO_STR struct str keys = str_new();
    if (group)
        page_title(list, "%s", group);
    do {
        char more[64];
        keymap_keys(ui->keymap, pane, command, false, more, sizeof(more));
        str_printf(&keys, "%s%s", keys.length > 0 && more[0] ? " " : "", more);
        command = keymap_command(ui->keymap, pane, ++i);
    } while (command && !keymap_text(ui->keymap, pane, "help", command->name));
    if (keys.length > 0)
        page_add(list, ROLE_KEY, keys.text, "%s", help);
    return i;
}

/* What help.conf says of a pane besides its keys, read into a page. */
struct help_text {
    const char *pane;
    struct page *list;
    bool ascii;
};

static int take_help(void *ctx, const char *section, const char *name, const char *value,
                     int line UNUSED, struct err *err UNUSED)
{
    const struct help_text *help = ctx;
    struct page *list = help->list;
    enum role role = ROLE_TEXT;
    if (!str_equal(section, help->pane))
        return INI_SKIP_SECTION;
    if (strcmp(name, "title") == 0) {
        page_title(list, "%s", value);
    } else if (strcmp(name, "text") == 0) {
        char **text = &list->lines[list->count - 1].text;
        mem_replace(text, mem_printf("%s%s%s", *text, **text ? " " : "", value));
    } else {
        while (role < ROLE_AMOUNT && strcmp(name, role_name(role)) != 0)
            role++;
        if (role == ROLE_AMOUNT)
            role = amount_role(strtod(name + strlen(role_name(role)), NULL) / 100);
        page_add(list, role, help->ascii && str_equal(value, "Σ") ? "sum" : value, "%s", "");
    }
    return 0;
}

static void fill_help(struct ui *ui, struct page *list)
{
    const struct pane *pane = pane_below(ui, &pane_help); /* may be a prompt */
    list->spread = true;
    page_title(list, "%s", pane->title);
    for (size_t i = 0; keymap_command(ui->keymap, pane, i);)
        i = fill_keys(ui, pane, i, list);
    ini_read(embedded_text("help.conf"), "help.conf", NULL, take_help,
             &(struct help_text){pane->name, list, term_ascii(ui->term)}, NULL);
    if (pane == ui->panes[0])
        pages_add_columns(ui, list);
}

/* --- Errors --- */

static void add_error(struct page *list, const struct error *error)
{
    char first[CLOCK_TEXT_SIZE], last[CLOCK_TEXT_SIZE];
    AUTO_STR struct str text = str_new();
    clock_text(first, error->first);
    clock_text(last, error->last);
    if (error->amount > 0)
        str_printf(&text, "%llu ", (unsigned long long)error->amount);
    str_add(&text, error->text);
    if (error->times > 1)
        str_printf(&text, " (%llu times since %s)", (unsigned long long)error->times, first);
    else if (strcmp(first, last) != 0)
        str_printf(&text, " (since %s)", first);
    page_add(list, ROLE_BAD, last, "%s", text.text);
}

static void add_event(struct page *list, const struct frame *frame, size_t i, int width)
{
    const struct event_info *event = &frame->events->events[i];
    AUTO_FREE char *name = mem_printf("%-*s", width, event->name);
    double coverage = event->kept ? 1 : frame->total.counts[i].coverage;
    AUTO_STR struct str text = str_new();
    if (event->state != EVENT_COUNTED) {
        page_add(list, ROLE_MISSING, name, "not counted: %s",
                 event->reason ? event->reason : event_state_name(event->state));
        return;
    }
    if (event->kept)
        str_printf(&text, "kept from the scheduler's records, or /proc: %s",
                   scheduler_info(event->kept)->text);
    else
        str_printf(&text, "counted by %s", event->pmu ? event->pmu : "the kernel");
    if (event->group >= 0 && !event->kept)
        str_printf(&text, ", group %d", event->group + 1);
    if (event->shared && !event->kept)
        str_add(&text, ", counts a whole socket: of CPUs, not of tasks");
    if (event->modeless)
        str_add(&text, "; k: it happens in kernel mode only, so the mode does not apply");
    if (coverage < 1)
        str_printf(&text, ", %.0f%% of the time: its counts are estimates", coverage * 100);
    page_add(list, coverage < 1 ? ROLE_SCALED : ROLE_COUNTED, name, "%s", text.text);
}

/* How it is counted: the engine, what the counts add up to, and what this costs. */
static void add_counting(const struct ui *ui, struct page *list)
{
    static const char *const modes[] = {"user and kernel", "user mode only", "kernel mode only"};
    const struct session *session = ui->session;
    const struct frame *frame = ui->frame;
    size_t events, turns = event_set_turns(frame->events, &events);
    double idle, unattributed;
    int event = frame_accounts(frame, &idle, &unattributed);
    page_title(list, "Counting");
    page_add(list, ROLE_VALUE, "machine", "%s, %s%s%zu CPU%s, Linux %s", session->host,
             session->cpu_model, session->cpu_model[0] ? ", " : "", session->cpus.count,
             session->cpus.count == 1 ? "" : "s", session->kernel);
    page_add(list, ROLE_VALUE, "engine", "%s%s%s%s", session->engine,
             str_equal(session->engine, "cpu")    ? ": all CPUs, all tasks"
             : str_equal(session->engine, "task") ? ": counters of each thread"
                                                  : "",
             *session->engine_reason ? "; " : "", session->engine_reason);
    page_add(list, ROLE_VALUE, "mode", "%s", modes[session->mode]);
    if (term_instead(ui->term))
        page_add(list, ROLE_NOTICE, "terminal", "taken for %s: terminfo does not know TERM=%s",
                 term_instead(ui->term), getenv("TERM"));
    if (turns > 1)
        page_add(list, ROLE_SCALED, "counters",
                 "%zu events take %zu turns on the counters of a core", events, turns);
    else if (turns == 1 && session->counters >= events)
        page_add(list, ROLE_VALUE, "counters", "%zu of %zu of a core are used", events,
                 session->counters);
    if (event >= 0)
        page_add(list, unattributed > FRAME_UNATTRIBUTED_BAD ? ROLE_BAD : ROLE_VALUE, "accounts",
                 "of %s: %.1f%% tasks, %.1f%% idle, %.1f%% not attributed to a task",
                 frame->events->events[event].name, (1 - idle - unattributed) * 100, idle * 100,
                 unattributed * 100);
    page_add(list, frame->lost_records ? ROLE_BAD : ROLE_VALUE, "records",
             "%llu lost, throttled %llu times", (unsigned long long)frame->lost_records,
             (unsigned long long)frame->throttled);
    if (frame->load.no_pressure)
        page_add(list, ROLE_MISSING, "pressure", "not known: %s", frame->load.no_pressure);
    AUTO_STR struct str cost = str_new();
    str_printf(&cost, "%.2f%% of a CPU", frame_self_share(frame) * 100);
    if (frame_has_descriptors(frame))
        str_printf(&cost, ", %zu descriptors", frame->self_descriptors);
    if (frame->self_rss)
        str_printf(&cost, ", %.1f MiB", (double)frame->self_rss / (1 << 20));
    page_add(list, ROLE_VALUE, "own cost", "%s", cost.text);
}

/* Why cells of the row under the cursor, else of the first, are "-": the columns of each reason. */
static void add_missing(const struct ui *ui, struct page *list)
{
    const struct view *view = ui->view;
    bool chosen = table_row(&ui->table, view), any = false;
    size_t row = chosen ? ui->table.row : 0,
           columns = row < view_rows(view) ? view_columns(view) : 0;
    AUTO_FREE bool *named = mem_array(columns, sizeof(*named));
    for (size_t first = 0; first < columns; first++) {
        const char *reason = named[first] ? NULL : view_missing(view, row, first);
        AUTO_STR struct str titles = str_new();
        for (size_t c = first; reason && c < columns; c++)
            if (str_equal(view_missing(view, row, c), reason)) {
                named[c] = true;
                str_printf(&titles, "%s%s", titles.length ? ", " : "", view_column(view, c)->title);
            }
        if (reason && !any)
            page_title(list, "Cells with - in the %s row", chosen ? "chosen" : "first");
        any |= reason != NULL;
        if (reason)
            page_add(list, ROLE_MISSING, "-", "%s: %s", titles.text, reason);
    }
}

/* Errors, the newest first, then all events. */
static void fill_errors(struct ui *ui, struct page *list)
{
    const struct errors *errors = &ui->errors;
    list->column = sizeof("HH:MM:SS") + 1;
    page_title(list, "What went wrong");
    if (errors->count == 0)
        page_add(list, ROLE_DIM, "nothing so far", "%s", "");
    for (size_t i = errors->count; i-- > 0;)
        add_error(list, &errors->list[i]);
    if (errors->forgotten > 0)
        page_add(list, ROLE_DIM, "", "and %llu older ones", (unsigned long long)errors->forgotten);
    if (ui->frame)
        add_missing(ui, list);
    if (ui->frame)
        add_counting(ui, list);
    page_title(list, "Events");
    if (!ui->frame)
        page_add(list, ROLE_TEXT, "", "nothing is counted yet");
    enum { ALIGNED = 24 };
    int width = 0;
    for (size_t i = 0; ui->frame && i < ui->frame->events->count; i++) {
        int length = cells_width(ui->frame->events->events[i].name);
        width = length > width && length <= ALIGNED ? length : width;
    }
    for (size_t i = 0; ui->frame && i < ui->frame->events->count; i++)
        add_event(list, ui->frame, i, width);
}

/* --- Long waits --- */

struct wait_log {
    size_t count; /* of all; `texts` is a ring */
    char *texts[LONG_WAITS_MAX];
    double over; /* ms */
};

static void wait_log_end(void *own)
{
    struct wait_log *log = own;
    for (size_t i = 0; i < LONG_WAITS_MAX; i++)
        free(log->texts[i]);
}

static UI_OWN(struct wait_log, wait_log, .end = wait_log_end);

void pages_take_waits(struct ui *ui, const struct frame *frame)
{
    const struct long_wait *wait;
    struct wait_log *log = wait_log(ui);
    for (size_t i = 0; (wait = long_waits_get(frame->long_waits, i)); i++) {
        struct str text = str_new();
        if (!view_covers_wait(ui->view, frame, wait))
            continue;
        char **kept = &log->texts[log->count++ % LONG_WAITS_MAX];
        format_long_wait(&text, wait, frame->profile, view_settings(ui->view)->ascii);
        free(*kept);
        *kept = text.text;
    }
}

/* The newest first; of the past those of its interval. */
static void fill_waits(struct ui *ui, struct page *list)
{
    const struct wait_log *log = wait_log(ui);
    bool past = !ui_is_live(ui) && ui->recent;
    const struct long_waits *waits = past ? ui->recent->long_waits : NULL;
    size_t count = waits ? waits->count : past ? 0 : log->count;
    bool lacks = ui->frame && !(ui->frame->has_cpus && event_set_waits(ui->frame->events));
    bool any = false;
    list->column = 1;
    if (past)
        page_title(list, "Single waits for a CPU that were listed in this interval");
    else
        page_title(list, "Single waits for a CPU over %g ms", log->over);
    if (lacks)
        page_add(
            list, ROLE_NOTICE, "",
            "not known: the screen waits (S) has them, where all CPUs are counted (--engine cpu)");
    for (size_t i = count < LONG_WAITS_MAX ? count : LONG_WAITS_MAX; i-- > 0;) {
        AUTO_STR struct str text = str_new();
        size_t at = count > LONG_WAITS_MAX ? (count + i) % LONG_WAITS_MAX : i;
        const struct long_wait *wait = past ? long_waits_get(waits, i) : NULL;
        if (wait && !view_covers_wait(ui->view, ui->recent, wait))
            continue;
        if (wait)
            format_long_wait(&text, wait, ui->recent->profile, view_settings(ui->view)->ascii);
        page_add(list, ROLE_VALUE, "", "%s", past ? text.text : log->texts[at]);
        any = true;
    }
    if (!lacks && !any)
        page_add(list, ROLE_DIM, "", "none so far");
}

/* --- The panes --- */

const struct key_command page_commands[] = {
    {"back", "Esc Enter q", "close", 90, .run = pane_close},
    {0},
};

const struct pane pane_page = {
    .name = "page",
    .title = "On a page to read",
    .commands = page_commands,
    .cover = COVER_ALL,
    .fill = fill_errors,
    .reads = true,
};

/* --- Who takes from whom --- */

static void fill_takers(struct ui *ui, struct page *list)
{
    AUTO_STR struct str text = str_new();
    list->column = 1;
    page_title(list, "Who takes from whom: who had the CPU while others waited for it");
    if (!view_format_taken(ui->view, term_width(ui->term) - 2, &text))
        page_add(list, ROLE_DIM, "", "no wait for a CPU is known");
    for (char *at = text.text, *line; (line = strsep(&at, "\n")) && (at || *line);)
        page_add(list, ROLE_VALUE, "", "%s", line);
}

const struct pane pane_takers = {
    .name = "takers",
    .title = "On the page of who takes from whom",
    .commands = page_commands,
    .cover = COVER_ALL,
    .fill = fill_takers,
    .reads = true,
};

const struct pane pane_waits = {
    .name = "waits",
    .title = "On the page of long waits",
    .commands = page_commands,
    .cover = COVER_ALL,
    .fill = fill_waits,
    .reads = true,
};

void pages_waits(struct ui *ui)
{
    enum { USUAL = 10 }; /* ms */
    wait_log(ui)->over = host_list_waits(ui->host, USUAL);
    pane_open(ui, &pane_waits);
}

const struct pane pane_help = {
    .name = "help",
    .title = "In the help",
    .commands = page_commands,
    .cover = COVER_ALL,
    .fill = fill_help,
    .reads = true,
};

void pages_help(struct ui *ui)
{
    if (pane_now(ui) != &pane_help)
        pane_open(ui, &pane_help);
}
