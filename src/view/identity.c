#include "view/identity.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/text.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WORD = 256, PARENTS_MAX = 12 };

/* A word of /proc, see struct view_lookup. */
struct place {
    const char *file, *after;
    int n;
};

static const struct place STATE = {"stat", ")", STAT_STATE}, PARENT = {"stat", ")", STAT_PARENT},
                          NICE = {"stat", ")", STAT_NICE}, THREADS = {"stat", ")", STAT_THREADS},
                          START = {"stat", ")", STAT_START}, NAME = {"comm", NULL, 0},
                          ALLOWED = {"status", "Cpus_allowed_list:", 0}, WCHAN = {"wchan", NULL, 0},
                          DELAY = {"stat", ")", STAT_BLOCK_DELAY};

static bool read_word(const struct view_context *context, pid_t pid, pid_t tid,
                      const struct place *place, char word[WORD])
{
    const struct view_lookup *lookup = context->lookup;
    char raw[WORD];
    if (!lookup->word ||
        !lookup->word(lookup->ctx, pid, tid, place->file, place->after, place->n, raw, WORD))
        return false;
    text_clean(word, WORD, raw, context->settings->ascii);
    return true;
}

/* Takes the text unless it is empty, then the old one stays. */
static void take(char **text, struct str *now)
{
    if (now->length == 0) {
        str_release(now);
        return;
    }
    free(*text);
    *text = str_detach(now);
}

static void read_parents(struct identity *identity, const struct view_context *context, pid_t pid)
{
    struct str text;
    char word[WORD], name[WORD];
    str_init(&text);
    for (int i = 0; i < PARENTS_MAX && read_word(context, pid, 0, &PARENT, word); i++) {
        pid = (pid_t)strtol(word, NULL, 10);
        if (pid <= 0 || !read_word(context, pid, 0, &NAME, name))
            break;
        str_printf(&text, "%s%s %d", i ? " < " : "", name, (int)pid);
    }
    take(&identity->parents, &text);
}

/* proc_pid_stat(5): the start is in clock ticks since the machine's. */
static void add_start(struct str *text, const char *ticks)
{
    double age = (double)clock_boot() / 1e9 -
                 (double)strtoull(ticks, NULL, 10) / (double)sysconf(_SC_CLK_TCK);
    double now = clock_wall();
    time_t start = (time_t)(now - age);
    struct tm local;
    char when[32];
    if (localtime_r(&start, &local) &&
        strftime(when, sizeof(when), age < 86400 ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &local))
        str_printf(text, ", started %s", when);
}

/* What a thread in uninterruptible sleep waits in: proc_pid_wchan(5) has "0" for those who may not
 * know. */
static void add_wchan(struct str *text, const struct view_context *context, const struct row *row,
                      pid_t tid)
{
    char word[WORD];
    if (str_equal(text->text, "D") && read_word(context, row->pid, tid, &WCHAN, word) &&
        !str_equal(word, "0"))
        str_printf(text, " in %s", word);
}

/* Time that a thread waited for block I/O, which the kernel keeps if told so before
 * (Documentation/accounting/delay-accounting.rst). */
static void add_delay(struct str *text, const struct view_context *context, const struct row *row,
                      pid_t tid)
{
    static const char sysctl[] = "/proc/sys/kernel/task_delayacct";
    char word[WORD], on[8];
    if (file_line(sysctl, on, sizeof(on)) < 0)
        return;
    if (str_equal(on, "0"))
        str_add(text, ", waits for block I/O not kept (sysctl kernel.task_delayacct=1)");
    else if (read_word(context, row->pid, tid, &DELAY, word))
        str_printf(text, ", waited %.2f s for block I/O",
                   (double)strtoull(word, NULL, 10) / (double)sysconf(_SC_CLK_TCK));
}

void identity_read(struct identity *identity, const struct view_context *context,
                   const struct row *row, bool now)
{
    const struct view_lookup *lookup = context->lookup;
    pid_t tid = row->process ? row->tid : 0;
    char word[WORD], line[4096], clean[4096];
    struct str command, state;
    identity->pid = now && !row->exited ? row->pid : 0;
    identity->tid = tid;
    if (row->exited || !lookup)
        return;
    str_init(&command);
    if (lookup->cmdline && lookup->cmdline(lookup->ctx, row->pid, line, sizeof(line))) {
        text_clean(clean, sizeof(clean), line, context->settings->ascii);
        str_add(&command, clean);
    }
    take(&identity->command, &command);
    read_parents(identity, context, row->pid);
    str_init(&state);
    if (now && read_word(context, row->pid, tid, &STATE, word))
        str_add(&state, word);
    if (state.length)
        add_wchan(&state, context, row, tid);
    bool single = tid;
    if (state.length && read_word(context, row->pid, tid, &THREADS, word)) {
        single |= str_equal(word, "1");
        str_printf(&state, ", %s thread%s", word, str_equal(word, "1") ? "" : "s");
    }
    if (state.length && read_word(context, row->pid, tid, &NICE, word))
        str_printf(&state, ", nice %s", word);
    if (state.length && read_word(context, row->pid, tid, &START, word))
        add_start(&state, word);
    if (state.length && read_word(context, row->pid, tid, &ALLOWED, word))
        str_printf(&state, ", may run on %s", word);
    if (state.length && lookup->cgroup &&
        lookup->cgroup(lookup->ctx, row->pid, line, sizeof(line))) {
        text_clean(clean, sizeof(clean), line, context->settings->ascii);
        str_printf(&state, ", cgroup %s", clean);
    }
    if (state.length && single) /* /proc/PID/stat has the first thread's */
        add_delay(&state, context, row, tid);
    take(&identity->state, &state);
}

void identity_release(struct identity *identity)
{
    free(identity->command);
    free(identity->parents);
    free(identity->state);
    *identity = (struct identity){0};
}
