#include "sample/profile_sum.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

void profile_sum_release(struct profile_sum *sum)
{
    profile_drop(sum->profile);
    map_release(&sum->sites);
    map_release(&sum->chains);
    sum->profile = NULL;
}

static uint64_t mix_in(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static bool same_place(struct code_place a, struct code_place b)
{
    return a.object == b.object && a.address == b.address;
}

uint32_t profile_sum_chain(struct profile_sum *sum, const struct profile_chain *chain)
{
    struct profile *profile = sum->profile;
    uint64_t key = chain->depth;
    if (chain->depth == 0)
        return 0;
    for (size_t f = 0; f < chain->depth; f++)
        key = mix_in(mix_in(key, chain->frames[f].object), chain->frames[f].address);
    for (void *found; (found = map_get(&sum->chains, key)); key++) {
        const struct profile_chain *known = &profile->chains[(uintptr_t)found - 1];
        bool same = known->depth == chain->depth;
        for (size_t f = 0; f < chain->depth && same; f++)
            same = same_place(known->frames[f], chain->frames[f]);
        if (same)
            return (uint32_t)((uintptr_t)found - 1);
    }
    if (profile->chain_count >= PROFILE_CHAINS_MAX ||
        profile->frame_count + chain->depth > PROFILE_FRAMES_MAX)
        return 0;
    uint32_t at = profile_add_chain(profile, chain);
    map_put(&sum->chains, key, (void *)((uintptr_t)at + 1));
    return at;
}

/* The index of the site with these facts. SIZE_MAX if there is none; *key is where to put it. */
static size_t find_site(const struct profile_sum *sum, const struct profile_site *site,
                        uint64_t *key)
{
    *key = mix_in(mix_in(mix_in((uint64_t)site->tid << 32 | site->chain, (uint64_t)site->pid),
                         site->place.object),
                  site->place.address);
    for (void *found; (found = map_get(&sum->sites, *key)); (*key)++) {
        const struct profile_site *known = &sum->profile->sites[(uintptr_t)found - 1];
        if (known->pid == site->pid && known->tid == site->tid && known->chain == site->chain &&
            same_place(known->place, site->place))
            return (uintptr_t)found - 1;
    }
    return SIZE_MAX;
}

void profile_sum_add(struct profile_sum *sum, const struct profile_site *site,
                     const uint64_t *values)
{
    struct profile *profile = sum->profile;
    struct profile_site wanted = *site;
    uint64_t key;
    size_t at = find_site(sum, &wanted, &key);
    if (at == SIZE_MAX && profile->site_count >= PROFILE_PLACES_MAX) {
        wanted.chain = 0;
        wanted.place.address = 0;
        at = find_site(sum, &wanted, &key);
    }
    if (at == SIZE_MAX && profile->site_count >= PROFILE_SITES_MAX) {
        wanted.pid = wanted.tid = 0;
        at = find_site(sum, &wanted, &key);
    }
    if (at == SIZE_MAX) {
        at = profile->site_count;
        struct profile_site *made = profile_add_site(profile);
        *made = wanted;
        made->samples = made->weight = 0;
        map_put(&sum->sites, key, (void *)((uintptr_t)at + 1));
    }
    profile->sites[at].samples += site->samples;
    profile->sites[at].weight += site->weight;
    for (size_t e = 0; e < profile->events; e++)
        profile->values[at * profile->events + e] += values[e];
    profile->samples += site->samples;
    profile->weight += site->weight;
}

/* An empty profile of the same event. */
static struct profile *profile_like(const struct profile *from)
{
    struct profile *profile = profile_new(from->book);
    profile->event = mem_strdup(from->event);
    profile->unit = mem_strdup(from->unit);
    profile->rate = from->rate;
    profile->stacks = from->stacks;
    profile->start = from->start;
    profile->whole = from->whole;
    watch_copy(&profile->watch, &from->watch);
    cpulist_copy(&profile->cpus, &from->cpus);
    profile->names = mem_array(from->events + 1, sizeof(*profile->names));
    for (size_t e = 0; e < from->events; e++)
        profile->names[e] = mem_strdup(from->names[e]);
    profile->events = from->events;
    return profile;
}

void profile_sum_take(struct profile_sum *sum, const struct profile *from)
{
    if (sum->profile && (sum->profile->start != from->start || sum->profile->book != from->book))
        profile_sum_release(sum);
    if (!sum->profile)
        sum->profile = profile_like(from);
    struct profile *profile = sum->profile;
    uint32_t *chains = mem_array(from->chain_count, sizeof(*chains));
    for (size_t c = 0; c < from->chain_count; c++)
        chains[c] = profile_sum_chain(sum, &from->chains[c]);
    for (size_t s = 0; s < from->site_count; s++) {
        struct profile_site site = from->sites[s];
        site.chain = chains[site.chain];
        profile_sum_add(sum, &site, from->events ? from->values + s * from->events : NULL);
    }
    free(chains);
    profile->duration += from->duration;
    profile->lost += from->lost;
    profile->throttled += from->throttled;
    profile->exact += from->exact;
    profile->short_stacks += from->short_stacks;
    profile->unwound += from->unwound;
    profile->late += from->late;
    profile->copied += from->copied;
    profile->unwinding += from->unwinding;
    profile->user_only |= from->user_only;
    if (!str_equal(profile->note, from->note)) {
        free(profile->note);
        profile->note = mem_strdup(from->note);
    }
}
