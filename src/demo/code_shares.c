#include "demo/code_shares.h"
#include "event/name.h"
#include "model/functions.h"

#include <string.h>

int code_sampling(struct sampling *sampling, const struct demo_check *check, enum count_mode mode,
                  pid_t pid, struct err *err)
{
    enum { RATE = 3989 }; /* no multiple or part of the clock's ticks */
    struct event_list list = {0};
    *sampling = (struct sampling){.stacks = check->code >= DEMO_WAITS ? STACKS_FP : STACKS_NONE,
                                  .rate = check->code == DEMO_WAITS ? 0 : RATE};
    if (event_parse(&list, check->events, mode, err) < 0)
        return -1;
    sampling->event = list.events[0];
    list.count = 0; /* its owner is `sampling` now */
    event_list_release(&list);
    watch_add_pid(&sampling->watch, pid);
    return 0;
}

/* What a site's samples stand for. */
static double site_weight(const struct profile *profile, size_t number, enum demo_code code)
{
    int at = profile_waits(profile);
    const uint64_t *values = profile->values + number * profile->events;
    if (code != DEMO_WAITS)
        return (double)profile->sites[number].weight;
    return at < 0 ? 0 : (double)(values[at + PROFILE_BLOCKED] + values[at + PROFILE_PREEMPTED]);
}

/* The functions in a row whose names have that prefix, the innermost of the site's stack; its name
 * to *name. Waits are in the kernel, below which these are. *pending is set if a name is still
 * looked up. */
static size_t named_frames(const struct profile *profile, const struct profile_site *site,
                           const char *prefix, size_t length, const char **name, bool *pending)
{
    const struct profile_chain *chain = &profile->chains[site->chain];
    size_t count = 0;
    for (size_t i = 0; i <= chain->depth; i++) {
        struct code_function function;
        code_book_function(profile->book, i ? chain->frames[i - 1] : site->place, &function);
        *pending |= function.state == CODE_PENDING;
        bool named = function.name && strncmp(function.name, prefix, length) == 0;
        if (!named && count)
            break;
        if (named && count++ == 0)
            *name = function.name;
    }
    return count;
}

/* The same of functions that are inlined into the one whose name is theirs until '_'; the name is
 * the check's, or "". Of others the debug information is not read. */
static size_t inlined_frame(const struct profile *profile, const struct profile_site *site,
                            const struct demo_check *check, size_t length, const char **name,
                            bool *pending)
{
    const struct line_inline *found[LINE_INLINES_MAX];
    struct code_function function;
    struct line_table *table;
    code_book_function(profile->book, site->place, &function);
    *pending |= function.state == CODE_PENDING;
    if (!function.name || strlen(function.name) + 1 != length ||
        strncmp(function.name, check->function, length - 1) != 0)
        return 0;
    size_t count = functions_inlined(profile->book, &function, found, &table);
    *name = count && strcmp(found[0]->name, check->function) == 0 ? check->function : "";
    *pending |= !table;
    line_table_drop(table);
    return count > 0;
}

/* Whether a name is still looked up. */
static bool add_sites_of(const struct profile *profile, pid_t pid, const struct demo_check *check,
                         struct demo_difference *difference)
{
    const char *end = strrchr(check->function, '_') + 1, *name;
    size_t length =
        check->code == DEMO_DEPTH ? strlen(check->function) : (size_t)(end - check->function);
    bool pending = false;
    double most = 0;
    difference->counts[0] = difference->counts[1] = 0;
    difference->samples = 0;
    for (size_t s = 0; s < profile->site_count; s++) {
        const struct profile_site *site = &profile->sites[s];
        double weight = site_weight(profile, s, check->code);
        size_t frames = site->pid != pid ? 0
                        : check->code == DEMO_INLINED
                            ? inlined_frame(profile, site, check, length, &name, &pending)
                            : named_frames(profile, site, check->function, length, &name, &pending);
        if (frames == 0)
            continue;
        difference->samples += site->samples;
        difference->counts[1] += weight;
        if (check->code == DEMO_DEPTH && weight > most)
            difference->counts[0] = (double)frames;
        else if (check->code != DEMO_DEPTH && strcmp(name, check->function) == 0)
            difference->counts[0] += weight;
        most = weight > most ? weight : most;
    }
    return pending;
}

const char *code_shares(const struct frame *frame, pid_t pid, const struct demo_check *check,
                        double patience, struct demo_difference *difference)
{
    if (!frame->profile)
        return "nothing is sampled: p samples its functions";
    bool pending = add_sites_of(frame->profile, pid, check, difference);
    if (pending && code_book_settle(frame->profile->book, patience, false))
        pending = add_sites_of(frame->profile, pid, check, difference);
    if (pending)
        return "the names of its functions are still being read";
    return difference->samples ? NULL : "no sample is in its functions, or they have no names";
}
