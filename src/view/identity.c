#include "view/detail.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/builtin_column.h"
#include "view/format.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WORD = 256, PARENTS_MAX = 12 };

/* A word of /proc, see struct view_lookup. */
struct proc_place {
    const char *file, *after;
    int n;
};

static const struct proc_place STATE = {"stat", ")", STAT_STATE},
                               PARENT = {"stat", ")", STAT_PARENT}, NICE = {"stat", ")", STAT_NICE},
                               THREADS = {"stat", ")", STAT_THREADS},
                               START = {"stat", ")", STAT_START}, NAME = {"comm", NULL, 0},
                               ALLOWED = {"status", "Cpus_allowed_list:", 0},
                               WCHAN = {"wchan", NULL, 0}, DELAY = {"stat", ")", STAT_BLOCK_DELAY};

static bool read_word(const struct view_context *context, pid_t pid, pid_t tid,
                      const struct proc_place *place, char word[WORD])
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
    struct str text = str_new();
    char word[WORD], name[WORD];
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

/* Time spent waiting for block I/O and for pages from swap space, which the kernel keeps if told so
 * before (Documentation/accounting/delay-accounting.rst). */
static void add_delays(struct str *text, const struct view_context *context, const struct row *row,
                       pid_t tid, bool single)
{
    const struct view_lookup *lookup = context->lookup;
    char word[WORD];
    double block, swapin;
    if (lookup->delays && lookup->delays(lookup->ctx, row->pid, tid, &block, &swapin))
        str_printf(text, ", waited %.2f s for block I/O, %.2f s for swap-in", block, swapin);
    /* /proc has it of one thread only (proc_pid_stat(5)). */
    else if (single && read_word(context, row->pid, tid, &DELAY, word))
        str_printf(text, ", waited %.2f s for block I/O (for swap-in: ask as root)",
                   (double)strtoull(word, NULL, 10) / (double)sysconf(_SC_CLK_TCK));
}

/* What a task does that lives, and where it may; nothing if it has ended. */
static void add_present(struct str *text, const struct view_context *context, const struct row *row,
                        pid_t tid)
{
    char word[WORD], threads[WORD] = "", kept[8] = "", path[4096], clean[4096];
    struct view_wait wait;
    if (!read_word(context, row->pid, tid, &STATE, word))
        return;
    str_add(text, word);
    add_wchan(text, context, row, tid);
    if (builtin_waits(context, row, true, &wait)) {
        struct str waits = str_new();
        str_printf(&waits, wait.reason ? " what is not known (%s)" : ": %s%s",
                   wait.reason ? wait.reason : wait.text, wait.next);
        text_clean(clean, sizeof(clean), waits.text, context->settings->ascii);
        str_printf(text, ", waits for%s", clean);
        str_release(&waits);
    }
    read_word(context, row->pid, tid, &THREADS, threads);
    file_line("/proc/sys/kernel/task_delayacct", kept, sizeof(kept));
    if (str_equal(kept, "1"))
        add_delays(text, context, row, tid, tid || str_equal(threads, "1"));
    if (*threads)
        str_printf(text, ", %s thread%s", threads, str_equal(threads, "1") ? "" : "s");
    if (read_word(context, row->pid, tid, &NICE, word))
        str_printf(text, ", nice %s", word);
    if (read_word(context, row->pid, tid, &START, word))
        add_start(text, word);
    if (read_word(context, row->pid, tid, &ALLOWED, word))
        str_printf(text, ", may run on %s", word);
    const char *cgroup = builtin_cgroup(context, row, path, sizeof(path));
    if (cgroup) {
        text_clean(clean, sizeof(clean), cgroup, context->settings->ascii);
        str_printf(text, ", cgroup %s", clean);
    }
    if (str_equal(kept, "0"))
        str_add(text,
                ", waits for block I/O and swap-in not kept (sysctl kernel.task_delayacct=1)");
}

void identity_read(struct identity *identity, const struct view_context *context,
                   const struct row *row, bool now)
{
    const struct view_lookup *lookup = context->lookup;
    pid_t tid = row->process ? row->tid : 0;
    char *line, clean[4096];
    struct str command = str_new(), state = str_new();
    identity->pid = now && !row->exited ? row->pid : 0;
    identity->tid = tid;
    if (row->exited || !lookup)
        return;
    if (lookup->cmdline && (line = lookup->cmdline(lookup->ctx, row->pid))) {
        text_clean(clean, sizeof(clean), line, context->settings->ascii);
        str_add(&command, clean);
        free(line);
    }
    take(&identity->command, &command);
    read_parents(identity, context, row->pid);
    if (now)
        add_present(&state, context, row, tid);
    take(&identity->state, &state);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    return x->oncpu != y->oncpu ? (x->oncpu < y->oncpu) - (x->oncpu > y->oncpu)
                                : (x->pid > y->pid) - (x->pid < y->pid);
}

void identity_read_cgroup(struct identity *identity, const struct view_context *context,
                          const char *path, bool now)
{
    enum { NAMED = 8 };
    const struct view_lookup *lookup = context->lookup;
    const struct frame *frame = context->frame;
    char clean[4096], comm[4 * TASK_COMM_SIZE];
    struct str text = str_new(), tasks = str_new();
    text_clean(clean, sizeof(clean), path, context->settings->ascii);
    str_add(&text, clean);
    char *state =
        now && lookup && lookup->cgroup_state ? lookup->cgroup_state(lookup->ctx, path) : NULL;
    str_printf(&text, "%s%s", state ? "; " : "", state ? state : "");
    free(state);
    take(&identity->cgroup, &text);
    const struct row **in = mem_array(frame->process_count, sizeof(*in));
    size_t count = 0;
    for (size_t p = 0; p < frame->process_count; p++)
        if (frame->processes[p].ran && str_equal(frame_cgroup(frame, &frame->processes[p]), path))
            in[count++] = &frame->processes[p];
    if (count > 1)
        qsort(in, count, sizeof(*in), by_time);
    for (size_t i = 0; i < count && i < NAMED; i++) {
        text_clean(comm, sizeof(comm), in[i]->comm, context->settings->ascii);
        str_printf(&tasks, "%s%s %d %.0f %%", i ? ", " : "", comm, (int)in[i]->pid,
                   100 * in[i]->oncpu / frame_seconds(frame, in[i]));
    }
    if (count > NAMED)
        str_printf(&tasks, ", and %zu more", count - NAMED);
    free(in);
    take(&identity->tasks, &tasks);
}

void identity_release(struct identity *identity)
{
    free(identity->cgroup);
    free(identity->tasks);
    free(identity->command);
    free(identity->parents);
    free(identity->state);
    *identity = (struct identity){0};
}
