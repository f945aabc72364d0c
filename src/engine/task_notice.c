#include "engine/task_notice.h"
#include "base/str.h"
#include "event/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

static void explain_shortage(const struct watcher *watcher, struct str *text)
{
    enum { STEP = 64 };
    struct rlimit limit;
    unsigned long long starved = watcher->starved;
    /* What would have been enough, with a margin for new threads, rounded up. */
    unsigned long long wanted = watcher->opener.open + starved * watcher->opener.values + STEP;
    wanted = (wanted + STEP - 1) / STEP * STEP;
    if (watcher->shortage == ENFILE || getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        struct event event = {.attr = watcher->opener.style.filler};
        explain_refusal(&event, watcher->shortage, false, watcher->caps);
        str_printf(text, "no descriptors for %llu threads: %s", starved, event.reason);
        free(event.reason);
        return;
    }
    str_printf(text,
               "no descriptors for %llu threads (the limit is %llu): run 'ulimit -n %llu' before "
               "the start, or set LimitNOFILE=%llu for a service",
               starved, (unsigned long long)limit.rlim_cur, wanted, wanted);
}

static void explain_denied(const struct watcher *watcher, struct str *text)
{
    const struct task_counters *lost = watcher->lost;
    if (lost && lost->partly && lost->reach == REACH_PROCESS) {
        str_printf(text,
                   "some threads of process %d were born while it was opened: counting it again",
                   (int)lost->pid);
        return;
    }
    if (lost) {
        str_printf(text,
                   "process %d is not counted, or not all of it: it has executed a program with "
                   "privileges of its own",
                   (int)lost->pid);
        if (!watcher->caps->perfmon)
            str_printf(text, " (as root, run 'setcap cap_perfmon+ep %s')", watcher->caps->program);
        return;
    }
    struct event event = {.attr = watcher->opener.style.filler};
    explain_refusal(&event, watcher->refusal, false, watcher->caps);
    str_printf(text, "%llu threads not counted: %s", (unsigned long long)watcher->denied,
               event.reason);
    free(event.reason);
}

char *task_notice_make(const struct watcher *watcher)
{
    bool denied = watcher->denied && (!watch_all(watcher->watch) || watcher->lost);
    struct str text;
    if (!watcher->starved && !denied)
        return NULL;
    str_init(&text);
    if (watcher->starved)
        explain_shortage(watcher, &text);
    if (watcher->starved && denied)
        str_add(&text, "; ");
    if (denied)
        explain_denied(watcher, &text);
    return str_detach(&text);
}
