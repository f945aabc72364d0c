#include "view/builtin_column.h"
#include "base/clock.h"
#include "base/str.h"
#include "view/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const builtin_no_taker[NO_TAKERS] = {"others", "(no task ran)", "(cpu.max)", "(stolen)",
                                                 "(interrupts)"};

/* A process, all of one name, or what is nobody's. */
struct taken_part {
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
    char name[TAKER_COMM_SIZE * 4];
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
    struct taken_part parts[WAIT_TAKERS + NO_TAKERS];
    size_t count = 0;
    uint64_t sum = takers ? wait_takers_sum(takers) : 0;
    if (sum == 0)
        return false;
    for (size_t i = 0; i < takers->count; i++) {
        const struct wait_taker *taker = &takers->list[i];
        size_t p = 0;
        while (p < count && strcmp(parts[p].taker->comm, taker->comm) != 0)
            p++;
        if (p == count)
            parts[count++] = (struct taken_part){.taker = taker};
        parts[p].taken += taker->taken;
        parts[p].sure += taker->sure;
    }
    for (enum no_taker n = 0; n < NO_TAKERS; n++)
        parts[count++] =
            (struct taken_part){NULL, n, takers->none[n], n < TAKEN_STOLEN ? takers->none[n] : 0};
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

static void add_task(struct str *text, const struct long_wait_task *task, bool ascii)
{
    char name[TAKER_COMM_SIZE * 4];
    text_clean(name, sizeof(name), task->comm, ascii);
    str_printf(text, "%s%s%d", name, *name ? " " : "", (int)task->id);
}

void format_long_wait(struct str *text, const struct long_wait *wait, bool ascii)
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
}
