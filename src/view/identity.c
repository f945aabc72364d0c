#include "view/detail.h"
#include "model/stack_tree.h"
#include "view/builtin_column.h"
#include "view/format.h"

static void add_clean(struct str *text, const struct view_context *context, const char *raw)
{
    char clean[4096];
    text_clean(clean, sizeof(clean), raw, context->settings.ascii);
    str_add(text, clean);
}

/* Adds what /proc says, after a label; false: it is not known. */
static bool add_fact(struct str *text, const char *label, const struct view_context *context,
                     pid_t pid, pid_t tid, enum proc_fact fact)
{
    AUTO_FREE char *word = proc_ask(context, pid, tid, fact);
    if (!word)
        return false;
    str_add(text, label);
    add_clean(text, context, word);
    return true;
}

/* A number of /proc; 0: not known. */
static double fact_number(const struct view_context *context, pid_t pid, pid_t tid,
                          enum proc_fact fact)
{
    AUTO_FREE char *word = proc_ask(context, pid, tid, fact);
    return word ? strtod(word, NULL) : 0;
}

/* Takes the text unless it is empty, then the old one stays. */
static void take(struct detail *detail, enum detail_text text, struct str *now)
{
    if (now->length > 0)
        mem_replace(&detail->texts[text], str_detach(now));
}

static void read_parents(struct detail *detail, const struct view_context *context, pid_t pid)
{
    enum { PARENTS_MAX = 12 };
    AUTO_STR struct str text = str_new();
    for (int i = 0; i < PARENTS_MAX; i++) {
        pid = (pid_t)fact_number(context, pid, 0, PROC_PARENT);
        if (pid <= 0 || !add_fact(&text, i ? " < " : "", context, pid, 0, PROC_NAME))
            break;
        str_printf(&text, " %d", (int)pid);
    }
    take(detail, TEXT_PARENTS, &text);
}

/* proc_pid_stat(5): the start is in clock ticks since the machine's. */
static void add_start(struct str *text, double ticks)
{
    double age = (double)clock_boot() / 1e9 - ticks / (double)sysconf(_SC_CLK_TCK);
    char when[32];
    clock_format(when, sizeof(when), age < 86400 ? "%H:%M:%S" : "%Y-%m-%d %H:%M",
                 clock_wall() - age);
    str_printf(text, ", started %s", when);
}

/* Time spent waiting for block I/O and for pages from swap space, which the kernel keeps if told so
 * before (Documentation/accounting/delay-accounting.rst). */
static void add_delays(struct str *text, const struct view_context *context, const struct row *row,
                       pid_t tid, bool single)
{
    const struct view_lookup *lookup = context->lookup;
    double block, swapin;
    if (lookup->delays && lookup->delays(lookup->ctx, row->pid, tid, &block, &swapin))
        str_printf(text, ", waited %.2f s for block I/O, %.2f s for swap-in", block, swapin);
    else if (single) /* /proc has it of one thread only (proc_pid_stat(5)) */
        str_printf(text, ", waited %.2f s for block I/O (for swap-in: ask as root)",
                   fact_number(context, row->pid, tid, PROC_BLOCK_DELAY) /
                       (double)sysconf(_SC_CLK_TCK));
}

/* What a task does that lives, and where it may; nothing if it has ended. */
static void add_present(struct str *text, const struct view_context *context, const struct row *row,
                        pid_t tid)
{
    char kept[8] = "", path[4096];
    struct task_wait wait;
    AUTO_STR struct str wchan = str_new();
    if (!add_fact(text, "", context, row->pid, tid, PROC_STATE))
        return;
    if (str_equal(text->text, "D") &&
        add_fact(&wchan, " in ", context, row->pid, tid, PROC_WCHAN) &&
        !str_equal(wchan.text, " in 0"))
        str_add(text, wchan.text);
    if (builtin_waits(context, row, true, &wait)) {
        AUTO_FREE char *waits = mem_printf(wait.reason ? " what is not known (%s)%s" : ": %s%s",
                                           wait.reason ? wait.reason : wait.text, wait.next);
        str_add(text, ", waits for");
        add_clean(text, context, waits);
    }
    int threads = (int)fact_number(context, row->pid, tid, PROC_THREADS);
    file_line("/proc/sys/kernel/task_delayacct", kept, sizeof(kept));
    if (str_equal(kept, "1"))
        add_delays(text, context, row, tid, tid || threads == 1);
    if (threads)
        str_printf(text, ", %d thread%s", threads, threads == 1 ? "" : "s");
    add_fact(text, ", nice ", context, row->pid, tid, PROC_NICE);
    double start = fact_number(context, row->pid, tid, PROC_START);
    if (start > 0)
        add_start(text, start);
    add_fact(text, ", may run on ", context, row->pid, tid, PROC_ALLOWED);
    const char *cgroup = builtin_cgroup(context, row, path, sizeof(path));
    str_add(text, cgroup ? ", cgroup " : "");
    add_clean(text, context, cgroup ? cgroup : "");
    if (str_equal(kept, "0"))
        str_add(text,
                ", waits for block I/O and swap-in not kept (sysctl kernel.task_delayacct=1)");
}

/* In which code the one that the task waits for was met most, if functions are sampled. */
static void add_awaited(struct str *text, const struct view_context *context, const struct row *row)
{
    const struct profile *profile = context->frame->profile;
    struct stack_tree tree = {.outermost = true};
    struct task_wait wait;
    size_t node = 0;
    if (!profile || !builtin_waits(context, row, true, &wait) || !wait.pid || !wait.kind)
        return;
    bool thread = str_equal(wait.kind, "mutex") || str_equal(wait.kind, "join");
    for (size_t s = 0; s < profile->site_count; s++)
        if ((thread ? profile->sites[s].tid : profile->sites[s].pid) == wait.pid)
            stack_tree_add(&tree, profile, s, "");
    for (size_t most; tree.count; node = most) {
        size_t child = most = tree.nodes[node].child;
        for (; child; child = tree.nodes[child].next)
            if (tree.nodes[child].weight > tree.nodes[most].weight)
                most = child;
        if (!most || tree.nodes[most].weight < tree.nodes[node].self)
            break;
    }
    str_printf(text, "%d ", (int)wait.pid);
    if (tree.count && tree.nodes->weight) {
        str_printf(text, "%.0f %% of %s in ",
                   100 * (double)tree.nodes[node].weight / (double)tree.nodes->weight,
                   profile->event);
        for (size_t at = node; tree.nodes[at].object; at = tree.nodes[at].parent) {
            str_add(text, at == node ? "" : " < ");
            add_clean(text, context, tree.nodes[at].name);
        }
    } else {
        str_printf(text, "no sample of %s in this interval", profile->event);
    }
    stack_tree_release(&tree);
}

void identity_read(struct detail *detail, const struct view_context *context, const struct row *row,
                   bool now)
{
    pid_t tid = row->process ? row->tid : 0;
    AUTO_STR struct str command = str_new(), state = str_new(), awaited = str_new();
    mem_replace(&detail->texts[TEXT_AWAITED], NULL); /* it is of this interval */
    detail->pid = now && !row->exited ? row->pid : 0;
    detail->tid = tid;
    if (row->exited || !context->lookup)
        return;
    add_fact(&command, "", context, row->pid, 0, PROC_CMDLINE);
    take(detail, TEXT_COMMAND, &command);
    read_parents(detail, context, row->pid);
    if (now)
        add_present(&state, context, row, tid);
    take(detail, TEXT_STATE, &state);
    add_awaited(&awaited, context, row);
    take(detail, TEXT_AWAITED, &awaited);
}

int rows_by_time(const void *a, const void *b)
{
    const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
    return x->oncpu != y->oncpu ? (x->oncpu < y->oncpu) - (x->oncpu > y->oncpu)
                                : (x->tid > y->tid) - (x->tid < y->tid);
}

void identity_read_cgroup(struct detail *detail, const struct view_context *context,
                          const char *path, bool now)
{
    enum { NAMED = 8 };
    const struct view_lookup *lookup = context->lookup;
    const struct frame *frame = context->frame;
    AUTO_STR struct str text = str_new(), tasks = str_new();
    AUTO_FREE char *state =
        now && lookup && lookup->cgroup_state ? lookup->cgroup_state(lookup->ctx, path) : NULL;
    const char *container =
        lookup && lookup->container ? lookup->container(lookup->ctx, path) : NULL;
    if (container)
        str_printf(&text, "%s: ", container);
    add_clean(&text, context, path);
    str_printf(&text, "%s%s", state ? "; " : "", state ? state : "");
    take(detail, TEXT_CGROUP, &text);
    AUTO_FREE const struct row **in = mem_array(frame->process_count, sizeof(*in));
    size_t count = 0;
    for (size_t p = 0; p < frame->process_count; p++)
        if (frame->processes[p].ran && str_equal(frame_cgroup(frame, &frame->processes[p]), path))
            in[count++] = &frame->processes[p];
    if (count > 1)
        qsort(in, count, sizeof(*in), rows_by_time);
    for (size_t i = 0; i < count && i < NAMED; i++) {
        str_add(&tasks, i ? ", " : "");
        add_clean(&tasks, context, in[i]->comm);
        str_printf(&tasks, " %d %.0f %%", (int)in[i]->pid,
                   100 * in[i]->oncpu / frame_seconds(frame, in[i]));
    }
    if (count > NAMED)
        str_printf(&tasks, ", and %zu more", count - NAMED);
    take(detail, TEXT_TASKS, &tasks);
}
