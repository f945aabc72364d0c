#include "engine/code_waits.h"
#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct code_wait {
    struct profile_site site;
    struct profile_chain chain; /* owned */
    enum { WAIT_NONE, WAIT_BLOCKED, WAIT_PREEMPTED, WAIT_ENDED } state;
    uint64_t *values; /* of the sample that is held; NULL: none */
    uint64_t since;   /* of the wait, or the end of the last interval in it; NONE: when it was back,
                         0:   it has not run yet */
};

static void code_wait_free(struct code_wait *wait)
{
    free(wait->chain.frames);
    free(wait);
}

void code_waits_release(struct code_waits *waits)
{
    struct code_wait *wait;
    for (size_t at = 0; (wait = map_next(&waits->threads, &at));)
        code_wait_free(wait);
    map_release(&waits->threads);
}

static struct code_wait *wait_of(struct code_waits *waits, pid_t pid, pid_t tid)
{
    struct code_wait *wait = map_get(&waits->threads, (uint64_t)tid);
    if (!wait) {
        wait = mem_alloc(sizeof(*wait));
        wait->site.pid = pid;
        wait->site.tid = tid;
        map_put(&waits->threads, (uint64_t)tid, wait);
    }
    return wait;
}

void code_waits_asleep(struct code_waits *waits, pid_t pid, pid_t tid)
{
    wait_of(waits, pid, tid);
}

size_t code_waits_unknown(const struct code_waits *waits)
{
    const struct code_wait *wait;
    size_t unknown = 0;
    for (size_t at = 0; (wait = map_next(&waits->threads, &at));)
        unknown += wait->since == 0;
    return unknown;
}

static void keep_chain(struct code_wait *wait, const struct profile_chain *chain)
{
    wait->chain.frames = mem_resize(wait->chain.frames, chain->depth + 1, sizeof(*chain->frames));
    memcpy(wait->chain.frames, chain->frames, chain->depth * sizeof(*chain->frames));
    wait->chain.depth = chain->depth;
}

void code_waits_settle(struct code_waits *waits, pid_t tid, const uint64_t *values,
                       const struct profile_chain *chain)
{
    struct code_wait *wait = map_get(&waits->threads, (uint64_t)tid);
    if (!wait || wait->values != values)
        return; /* it has left its CPU once more since, or has no wait */
    keep_chain(wait, chain);
    wait->values = NULL;
}

void code_waits_leave(struct code_waits *waits, const struct profile_site *site,
                      const struct profile_chain *chain, uint64_t time, uint64_t *values)
{
    struct code_wait *wait = site->tid ? wait_of(waits, site->pid, site->tid) : NULL;
    /* A record of another CPU may be read before an earlier one of this CPU. */
    if (!wait || wait->state == WAIT_ENDED || wait->since > time)
        return;
    keep_chain(wait, chain);
    wait->values = values;
    wait->site = *site;
    wait->state = WAIT_BLOCKED;
    wait->since = time;
}

void code_waits_preempted(struct code_waits *waits, pid_t tid)
{
    struct code_wait *wait = map_get(&waits->threads, (uint64_t)tid);
    if (wait && wait->state == WAIT_BLOCKED)
        wait->state = WAIT_PREEMPTED;
}

/* Adds what has passed of a wait. */
static void add_wait(struct code_wait *wait, struct profile_sum *sum, uint64_t time)
{
    uint64_t passed[PROFILE_WAITS] = {0}, *values = wait->values ? wait->values : passed;
    struct profile_site site = wait->site;
    if (time <= wait->since)
        return;
    values[wait->state == WAIT_PREEMPTED ? PROFILE_PREEMPTED : PROFILE_BLOCKED] +=
        time - wait->since;
    wait->since = time;
    if (wait->values)
        return;
    site.samples = site.weight = 0;
    site.chain = profile_sum_chain(sum, &wait->chain);
    profile_sum_add(sum, &site, passed);
}

void code_waits_return(struct code_waits *waits, struct profile_sum *sum, pid_t tid, uint64_t time)
{
    struct code_wait *wait = map_get(&waits->threads, (uint64_t)tid);
    if (!wait || wait->state == WAIT_ENDED)
        return;
    if (wait->state != WAIT_NONE)
        add_wait(wait, sum, time);
    wait->state = WAIT_NONE;
    wait->since = time;
}

void code_waits_end(struct code_waits *waits, pid_t pid, pid_t tid, uint64_t time)
{
    struct code_wait *wait = wait_of(waits, pid, tid);
    wait->state = WAIT_ENDED;
    wait->since = time;
}

void code_waits_cut(struct code_waits *waits, struct profile_sum *sum, uint64_t time)
{
    enum { LINGERS = 1000000000 }; /* ns from a thread's end to its last switch, at most */
    struct code_wait *wait;
    bool lost = sum->profile->lost > 0; /* the ends of threads, too, perhaps */
    size_t gone_count = 0, gone_room = 0;
    pid_t *gone = NULL;
    for (size_t at = 0; (wait = map_next(&waits->threads, &at));) {
        bool ended = wait->state == WAIT_ENDED && wait->since + LINGERS < time;
        ended |= lost && kill(wait->site.pid, 0) < 0 && errno == ESRCH;
        if (ended) {
            mem_grow(&gone, &gone_room, gone_count + 1, sizeof(*gone));
            gone[gone_count++] = wait->site.tid;
        } else if (wait->state == WAIT_BLOCKED || wait->state == WAIT_PREEMPTED) {
            add_wait(wait, sum, time);
        }
    }
    for (size_t i = 0; i < gone_count; i++)
        code_wait_free(map_remove(&waits->threads, (uint64_t)gone[i]));
    free(gone);
}
