#include "view/view_context.h"

/* The place of a word in /proc, see view_lookup.word(). */
static const struct {
    const char *file, *after;
    int n;
} places[] = {
    [PROC_STATE] = {"stat", ")", STAT_STATE},
    [PROC_PARENT] = {"stat", ")", STAT_PARENT},
    [PROC_USER_TIME] = {"stat", ")", STAT_USER_TIME},
    [PROC_KERNEL_TIME] = {"stat", ")", STAT_KERNEL_TIME},
    [PROC_NICE] = {"stat", ")", STAT_NICE},
    [PROC_THREADS] = {"stat", ")", STAT_THREADS},
    [PROC_START] = {"stat", ")", STAT_START},
    [PROC_BLOCK_DELAY] = {"stat", ")", STAT_BLOCK_DELAY},
    [PROC_NAME] = {"comm", NULL, 0},
    [PROC_ALLOWED] = {"status", "Cpus_allowed_list:", 0},
    [PROC_WCHAN] = {"wchan", NULL, 0},
    [PROC_PAGES] = {"statm", NULL, 1},
    [PROC_OOM] = {"oom_score", NULL, 0},
};

static char *ask_now(const struct view_lookup *lookup, pid_t pid, pid_t tid, enum proc_fact fact)
{
    char text[4096];
    bool known = false;
    if (fact == PROC_CMDLINE)
        return lookup->cmdline ? lookup->cmdline(lookup->ctx, pid) : NULL;
    if (fact == PROC_CGROUP)
        known = lookup->cgroup && lookup->cgroup(lookup->ctx, pid, text, sizeof(text));
    else if (lookup->word)
        known = lookup->word(lookup->ctx, pid, tid, places[fact].file, places[fact].after,
                             places[fact].n, text, sizeof(text));
    return known ? mem_strdup(text) : NULL;
}

char *proc_ask(const struct view_context *context, pid_t pid, pid_t tid, enum proc_fact fact)
{
    if (!context->lookup)
        return NULL;
    if (!context->held)
        return ask_now(context->lookup, pid, tid, fact);
    uint64_t task = tid ? (uint32_t)tid | 1u << 31 : (uint32_t)pid;
    uint64_t question = (uint64_t)fact << 32 | task;
    const char *held = map_get(context->held, question); /* "+" and the answer; "": there is none */
    if (held)
        return *held ? mem_strdup(held + 1) : NULL;
    char *answer = ask_now(context->lookup, pid, tid, fact);
    map_put(context->held, question, answer ? mem_printf("+%s", answer) : mem_strdup(""));
    return answer;
}
