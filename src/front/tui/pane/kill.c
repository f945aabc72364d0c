#include "front/tui/pane/panes.h"
#include "view/marks.h"

enum { SIGNAL_NAME = 32, NAME = TASK_COMM_SIZE * 4 };

struct victim {
    int held; /* the program's handle of the process */
    pid_t pid;
    char name[NAME];
};

struct kill {
    struct victim *victims;
    size_t count, room;
    pid_t thread; /* tid of the chosen thread's row; 0: a process, or several */
};

static UI_OWN(struct kill, kill_of, .end = NULL);

/* --- Names --- */

/* "SIGTERM". False for signals that the C library reserves. */
static bool name_signal(char name[SIGNAL_NAME], int signal)
{
    const char *known = sigabbrev_np(signal);
    int first = SIGRTMIN, last = SIGRTMAX;
    if (known)
        snprintf(name, SIGNAL_NAME, "SIG%s", known);
    else if (signal == first || signal == last)
        snprintf(name, SIGNAL_NAME, signal == first ? "SIGRTMIN" : "SIGRTMAX");
    else if (signal > first && signal <= (first + last) / 2)
        snprintf(name, SIGNAL_NAME, "SIGRTMIN+%d", signal - first);
    else if (signal > first && signal < last)
        snprintf(name, SIGNAL_NAME, "SIGRTMAX-%d", last - signal);
    else
        return false;
    return true;
}

/* The processes as text: "3 processes: 12 'make', ..."; several are cut to `room` cells. */
static char *name_victims(const struct kill *kill, int room)
{
    struct str text = str_new();
    if (kill->thread)
        str_printf(&text, "%d '%s', the process of thread %d", (int)kill->victims[0].pid,
                   kill->victims[0].name, (int)kill->thread);
    else if (kill->count == 1)
        str_printf(&text, "%d '%s'", (int)kill->victims[0].pid, kill->victims[0].name);
    else
        str_printf(&text, "%zu processes:", kill->count);
    for (size_t i = 0; i < kill->count && kill->count > 1; i++) {
        enum { MORE = sizeof(" and 10000 more") };
        AUTO_FREE char *one =
            mem_printf(" %d '%s'", (int)kill->victims[i].pid, kill->victims[i].name);
        bool last = i + 1 == kill->count;
        int left = room - cells_width(text.text) - 1;
        bool fits = cells_width(one) <= (last ? left : left - MORE);
        if (fits)
            str_printf(&text, "%s%s", i > 0 ? "," : "", one);
        else
            str_printf(&text, i > 0 ? " and %zu more" : " %zu", kill->count - i);
        if (!fits)
            break;
    }
    return str_detach(&text);
}

/* --- Victims --- */

static void kill_release(struct ui *ui)
{
    struct kill *kill = kill_of(ui);
    for (size_t i = 0; i < kill->count; i++)
        host_drop_process(ui->host, kill->victims[i].held);
    free(kill->victims);
    *kill = (struct kill){0};
}

/* Holds a process; false with a message. `comm` is the row's name, maybe not the main thread's. */
static bool kill_hold(struct ui *ui, pid_t pid, pid_t tid, const char *comm, bool exited)
{
    struct kill *kill = kill_of(ui);
    struct victim victim = {.pid = pid};
    struct err err;
    for (size_t i = 0; i < kill->count; i++)
        if (kill->victims[i].pid == pid)
            return true; /* held already for another of its threads */
    for (size_t i = 0; tid != pid && i < ui->recent->process_count; i++)
        if (ui->recent->processes[i].pid == pid)
            comm = ui->recent->processes[i].comm;
    text_clean(victim.name, sizeof(victim.name), comm, false);
    if (exited)
        victim.held = err_set(&err, "it has ended");
    else
        victim.held = host_hold_process(ui->host, pid, ui->seen, &err);
    if (victim.held < 0) {
        ui_say(ui, ROLE_ERROR, "cannot send a signal to %d '%s': %s", (int)pid, victim.name,
               err.text);
        return false;
    }
    *MEM_ADD(kill->victims, kill->count, kill->room) = victim;
    return true;
}

/* Tags apply only to the view of tasks: no other view shows them. */
static void hold_chosen(struct ui *ui)
{
    const struct row *row = table_row(&ui->table, ui->view);
    size_t count;
    const struct view_tagged *tagged = view_tagged(ui->view, &count);
    if (view_settings(ui->view)->kind != VIEW_TASKS) {
        ui_say(ui, ROLE_ERROR,
               "cannot send a signal to this row, which is no process: Tab leads to the tasks, "
               "where Space tags more than one");
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (!tagged[i].exited)
            kill_hold(ui, tagged[i].pid, tagged[i].tid, tagged[i].comm, false);
    if (count > 0 || ui_row_is_away(ui))
        return;
    if (!row)
        ui_say(ui, ROLE_ERROR, "no row is chosen to send a signal to: Up and Down choose one");
    else if (kill_hold(ui, row->pid, row->tid, row->comm, row->exited) && row->tid != row->pid)
        kill_of(ui)->thread = row->tid;
}

/* --- The list --- */

/* Signals whose number or name begins with the typed text. The id of a line is its signal. */
static void kill_fill(struct ui *ui, struct page *list)
{
    const char *typed = ui->words.text.text;
    typed += strncasecmp(typed, "SIG", 3) == 0 ? 3 : 0;
    list->flat = true;
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        char name[SIGNAL_NAME], line[SIGNAL_NAME + 16], number[16];
        const char *description = sigdescr_np(signal);
        snprintf(number, sizeof(number), "%d", signal);
        if (!name_signal(name, signal) ||
            !(str_starts(number, typed) || strncasecmp(name + 3, typed, strlen(typed)) == 0))
            continue;
        snprintf(line, sizeof(line), "%3d %s", signal, name);
        struct page_line *added =
            page_add(list, ROLE_KEY, line, "%s", description ? description : "");
        added->id = signal;
        added->used = signal == SIGTERM && !*typed;
    }
    if (list->count == 0)
        page_title(list, "no signal begins with '%s'", typed)->role = ROLE_TEXT;
}

static bool kill_open(struct ui *ui)
{
    if (ui->recent)
        hold_chosen(ui);
    return kill_of(ui)->count > 0;
}

/* "Signal: TYPED", for whom on up to two lines below, and the list. */
static void kill_draw(struct ui *ui, const struct band *band, int width)
{
    enum { WHOM_LINES = 2 };
    struct terminal *term = ui->term;
    struct band below = {band->y + 1, band->height - 1};
    if (band->height == 0)
        return;
    AUTO_FREE char *whom = name_victims(kill_of(ui), WHOM_LINES * (width - (int)sizeof("for ")));
    AUTO_FREE char *text = mem_printf("for %s", whom);
    prompt_draw(&ui->words, term, (struct box){band->y, 0, width}, "Signal: ", "",
                pane_now(ui) == &pane_signals);
    int lines = below.height > WHOM_LINES ? WHOM_LINES : below.height - 1;
    int used = page_put(term, below.y, 0, width, lines, ROLE_VALUE, text);
    below = (struct band){below.y + used, below.height - used};
    page_draw(pane_list(ui), term, &below, 0, width);
}

/* --- The confirmation --- */

static bool confirm_open(struct ui *ui)
{
    return page_chosen(pane_list(ui));
}

static void draw_question(struct ui *ui, const struct band *band, int width)
{
    static const char answers[] = "? y / n";
    const struct kill *kill = kill_of(ui);
    char name[SIGNAL_NAME];
    if (band->height == 0)
        return;
    name_signal(name, page_chosen(pane_list(ui))->id);
    AUTO_FREE char *start = mem_printf("send %s to ", name);
    AUTO_FREE char *whom = name_victims(kill, width - cells_width(start) - (int)sizeof(answers));
    AUTO_FREE char *text = mem_printf("%s%s", start, whom);
    int room = width - (int)sizeof(answers);
    int x = term_put(ui->term, band->y, 0, room, ROLE_NOTICE, text);
    term_put(ui->term, band->y, x, width - x, ROLE_NOTICE, answers);
}

static void send(struct ui *ui)
{
    struct kill *kill = kill_of(ui);
    int signal = page_chosen(pane_list(ui))->id;
    char name[SIGNAL_NAME];
    size_t failed = 0;
    struct err err;
    name_signal(name, signal);
    for (size_t i = 0; i < kill->count; i++) {
        const struct victim *victim = &kill->victims[i];
        if (host_signal_process(ui->host, victim->held, victim->pid, signal, &err) == 0)
            continue;
        failed++;
        ui_say(ui, ROLE_ERROR, "cannot send %s to %d '%s': %s", name, (int)victim->pid,
               victim->name, err.text);
    }
    if (failed == 0) {
        AUTO_FREE char *whom = name_victims(kill, term_width(ui->term));
        ui_say(ui, ROLE_VALUE, "sent %s to %s", name, whom);
    } else if (kill->count > 1) {
        ui_say(ui, ROLE_NOTICE, "sent %s to %zu of %zu processes; E shows why not to the others",
               name, kill->count - failed, kill->count);
    }
    pane_close(ui);
    pane_close(ui);
    host_refresh(ui->host);
}

static const struct key_command signals_commands[] = {
    {"choose", "Enter", "choose", 80, .run = pane_show, .pane = &pane_confirm},
    {"back", "Esc", "cancel", 90, .run = pane_close},
    {0},
};

static const struct key_command confirm_commands[] = {
    {"send", "y", "send it", 80, .run = send},
    {"back", "n Esc q", "no", 90, .run = pane_close},
    {0},
};

const struct pane pane_signals = {
    .name = "signals",
    .title = "In the list of signals",
    .commands = signals_commands,
    .cover = COVER_SIDE,
    .types = true,
    .open = kill_open,
    .fill = kill_fill,
    .fixed = true,
    .draw = kill_draw,
    .key = pane_type,
    .close = kill_release,
};

const struct pane pane_confirm = {
    .name = "confirmation",
    .title = "Where a signal is confirmed",
    .commands = confirm_commands,
    .cover = COVER_LINE,
    .open = confirm_open,
    .draw = draw_question,
};
