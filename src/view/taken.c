#include "view/builtin_column.h"
#include "view/state.h"
#include "view/view.h"

const char *const builtin_no_taker[NO_TAKERS] = {"others", "(no task ran)", "(cpu.max)", "(stolen)",
                                                 "(interrupts)"};

/* A process, all of one name, or what is nobody's. */
struct taken_part {
    const char *name;
    const struct wait_taker *taker; /* NULL: */
    enum no_taker none;
    uint64_t taken, sure;
};

static int by_taken(const void *a, const void *b)
{
    const struct taken_part *x = a, *y = b;
    return (x->taken < y->taken) - (x->taken > y->taken);
}

static void taken_name(const struct view_context *context, const struct row *row,
                       const struct taken_part *part, struct str *text)
{
    char name[TASK_COMM_SIZE * 4];
    if (!part->taker) {
        str_add(text, builtin_no_taker[part->none]);
        return;
    }
    bool itself = row->pid > 0 && part->taker->pid == row->pid;
    text_clean(name, sizeof(name), *part->taker->comm ? part->taker->comm : "?",
               context->settings.ascii);
    str_add(text, itself ? "itself" : name);
}

bool builtin_taken(const struct view_context *context, const struct row *row, size_t most,
                   struct str *text)
{
    const struct wait_takers *takers = row->wait_facts ? row->wait_facts->takers : NULL;
    struct taken_part parts[WAIT_TAKERS_SUM + NO_TAKERS];
    size_t count = 0;
    uint64_t sum = takers ? wait_takers_sum(takers) : 0;
    if (sum == 0)
        return false;
    for (size_t i = 0; i < takers->count; i++) {
        const struct wait_taker *taker = &takers->list[i];
        struct taken_part *part = STR_FIND(parts, count, name, taker->comm);
        if (!part)
            *(part = &parts[count++]) = (struct taken_part){.name = taker->comm, .taker = taker};
        part->taken += taker->taken;
        part->sure += taker->sure;
    }
    for (enum no_taker n = 0; n < NO_TAKERS; n++)
        parts[count++] = (struct taken_part){NULL, NULL, n, takers->none[n],
                                             n < TAKEN_STOLEN ? takers->none[n] : 0};
    qsort(parts, count, sizeof(*parts), by_taken);
    for (size_t p = 0; p < count && p < most && parts[p].taken > 0; p++) {
        char share[FORMAT_SIZE];
        format_fixed(share, (double)parts[p].taken / (double)sum * 100, 0, 4);
        str_add(text, p > 0 ? ", " : "");
        taken_name(context, row, &parts[p], text);
        str_printf(text, " %s%s%%", parts[p].sure < parts[p].taken ? "~" : "", share);
    }
    return true;
}

bool builtin_takes(const struct view_context *context, const struct row *row, struct str *text)
{
    enum { NAMES = 64, MOST = 5, WIDTH = 7 };
    const struct frame *frame = context->frame;
    struct taken_part parts[NAMES];
    size_t count = 0;
    bool more = false;
    for (size_t i = 0; i < frame->thread_count; i++) {
        const struct row *waiter = &frame->threads[i];
        const struct wait_takers *takers = waiter->wait_facts ? waiter->wait_facts->takers : NULL;
        more |= takers && takers->none[TAKEN_OTHERS] > 0;
        for (size_t t = 0; takers && t < takers->count; t++) {
            struct taken_part *part = STR_FIND(parts, count, name, waiter->comm);
            if (takers->list[t].pid != row->pid)
                continue;
            more |= !part && count == NAMES;
            if (!part && count < NAMES)
                *(part = &parts[count++]) = (struct taken_part){.name = waiter->comm};
            if (part)
                part->taken += takers->list[t].taken;
        }
    }
    qsort(parts, count, sizeof(*parts), by_taken);
    for (size_t p = 0; p < count && p < MOST; p++) {
        char name[TASK_COMM_SIZE * 4], time[FORMAT_SIZE];
        text_clean(name, sizeof(name), parts[p].name, context->settings.ascii);
        format_duration(time, (double)parts[p].taken / 1e9, WIDTH);
        str_printf(text, "%s%s %s",
                   p > 0  ? ", "
                   : more ? "at least "
                          : "",
                   name, time + strspn(time, " "));
    }
    return count > 0;
}

/* --- The matrix --- */

enum { TAKEN_LARGEST = 12 };

static const char *name_in(const struct group *pair, bool taker)
{
    return taker ? pair->taker : pair->key ? pair->key : "(ended)";
}

/* The names with the largest sums, of one side of the pairs. */
static size_t largest(const struct groups *pairs, bool takers, const char *names[TAKEN_LARGEST])
{
    AUTO_FREE struct taken_part *sums = mem_array(pairs->count, sizeof(*sums));
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const char *name = name_in(&pairs->groups[i], takers);
        struct taken_part *sum = STR_FIND(sums, count, name, name) ?: &sums[count++];
        sum->name = name;
        sum->taken += pairs->groups[i].taken;
    }
    qsort(sums, count, sizeof(*sums), by_taken);
    count = count < TAKEN_LARGEST ? count : TAKEN_LARGEST;
    for (size_t i = 0; i < count; i++)
        names[i] = sums[i].name;
    return count;
}

/* Adds a name, of a path that is too long the last part. field: below 0: at the left. */
static void add_name(struct str *text, const char *name, int width, int field, bool ascii)
{
    char clean[256];
    const char *last = *name == '/' ? strrchr(name, '/') : NULL;
    text_clean(clean, sizeof(clean), name, ascii);
    if (cells_width(clean) > width && last && last[1])
        text_clean(clean, sizeof(clean), last + 1, ascii);
    text_cut(clean, width);
    int pad = (field < 0 ? -field : field) - cells_width(clean);
    str_printf(text, "%*s%s%*s", field > 0 ? pad : 0, "", clean, field < 0 ? pad : 0, "");
}

bool view_format_taken(const struct view *view, int width, struct str *text)
{
    enum { TIME = 8, PERCENT = 5, NAMED = 9, LABEL = 12, LABEL_MAX = 24 };
    const struct groups *pairs = &view->rows.groups;
    const char *waiters[TAKEN_LARGEST], *takers[TAKEN_LARGEST];
    uint64_t taken[TAKEN_LARGEST + 1][TAKEN_LARGEST + 1] = {0}; /* the last ones: of all others */
    bool ascii = view->settings.ascii;
    if (!view_types[view->settings.kind].takers || pairs->count == 0)
        return false;
    size_t rows = largest(pairs, false, waiters), columns = largest(pairs, true, takers);
    for (size_t i = 0; i < pairs->count; i++) {
        const struct group *pair = &pairs->groups[i];
        taken[str_index(waiters, rows, name_in(pair, false))]
             [str_index(takers, columns, pair->taker)] += pair->taken;
    }
    int label = width / 5 < LABEL ? LABEL : width / 5 > LABEL_MAX ? LABEL_MAX : width / 5;
    int cell = (width - label - TIME) / (int)(columns + 1);
    bool named = cell >= NAMED; /* else letters stand for names */
    cell = named ? (cell < TASK_COMM_SIZE + 1 ? cell : TASK_COMM_SIZE + 1)
                 : (cell < PERCENT ? cell : PERCENT);
    str_printf(text, "%-*s%*s", label, "% OF WAITING", TIME, "WAITED");
    for (size_t t = 0; t < columns; t++)
        if (named)
            add_name(text, takers[t], cell - 1, cell, ascii);
        else
            str_printf(text, "%*c", cell, 'a' + (int)t);
    str_printf(text, "%*s\n", cell, "rest");
    for (size_t w = 0; w < rows; w++) {
        char cells[FORMAT_SIZE];
        uint64_t waited = 0;
        for (size_t t = 0; t <= columns; t++)
            waited += taken[w][t];
        add_name(text, waiters[w], label - 1, -label, ascii);
        format_duration(cells, (double)waited / 1e9, TIME - 1);
        str_printf(text, "%*s", TIME, cells);
        for (size_t t = 0; t <= columns; t++) {
            double part = (double)taken[w][t] / (double)waited * 100;
            format_fixed(cells, part, 0, PERCENT - 1);
            str_printf(text, "%*s", cell, taken[w][t] == 0 ? "." : part < 0.5 ? "<1" : cells);
        }
        str_add_char(text, '\n');
    }
    size_t start = text->length;
    for (size_t t = 0; t < columns && !named; t++) {
        AUTO_STR struct str name = str_new();
        str_printf(&name, "%c ", 'a' + (int)t);
        add_name(&name, takers[t], LABEL_MAX, 0, ascii);
        bool full = text->length + name.length + 2 > start + (size_t)width;
        str_add(text, t == 0 ? "" : full ? "\n" : "  ");
        start = full ? text->length : start;
        str_add(text, name.text);
    }
    str_add(text, named ? "" : "\n");
    return true;
}

/* --- Single waits --- */

static void add_task(struct str *text, const struct long_wait_task *task, bool ascii)
{
    char name[TASK_COMM_SIZE * 4];
    text_clean(name, sizeof(name), task->comm, ascii);
    str_printf(text, "%s%s%d", name, *name ? " " : "", (int)task->id);
}

void format_long_wait(struct str *text, const struct long_wait *wait, const struct profile *profile,
                      bool ascii)
{
    enum { WIDTH = 7 };
    char length[FORMAT_SIZE], taken[FORMAT_SIZE], clock[CLOCK_TEXT_SIZE];
    clock_text(clock, wait->time);
    str_printf(text, "%s.%03d  ", clock, (int)((wait->time - trunc(wait->time)) * 1000));
    format_duration(length, (double)wait->length / 1e9, WIDTH);
    format_duration(taken, (double)wait->taken / 1e9, WIDTH);
    add_task(text, &wait->task, ascii);
    str_printf(text, ": %s %s", length, wait->woken ? "after a wake-up by " : "preempted");
    if (wait->woken && wait->interrupt)
        str_add(text, "an interrupt");
    else if (wait->woken && wait->waker.id <= 0)
        str_add(text, wait->waker.id ? "an ended task" : "an idle CPU");
    else if (wait->woken)
        add_task(text, &wait->waker, ascii);
    str_add(text, "; ");
    if (wait->taker.id > 0)
        add_task(text, &wait->taker, ascii);
    if (wait->taker.id > 0)
        str_printf(text, " had the CPU for %s of it", taken);
    else
        str_add(text, "who had the CPU is not known");
    AUTO_NAMES struct names stack = {0};
    functions_of_wait(profile, wait, &stack);
    if (stack.count > 0)
        str_add(text, profile_waits(profile) < 0 ? "; most of its samples in the interval: "
                                                 : "; it left the CPU for longest in: ");
    for (size_t i = 0; i < stack.count; i++) {
        char name[256];
        text_clean(name, sizeof(name), stack.items[i], ascii);
        str_printf(text, "%s%s", i ? " < " : "", name);
    }
}
