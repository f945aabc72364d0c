#include "sample/profile.h"

const char *const stacks_words[] = {
    [STACKS_FP] = "fp", [STACKS_DWARF] = "dwarf", [STACKS_LBR] = "lbr", [STACKS_NONE] = "no", NULL};

void sampling_copy(struct sampling *to, const struct sampling *from)
{
    struct event_list one = {.events = (struct event *)&from->event, .count = 1}, copy;
    *to = *from;
    event_list_copy(&copy, &one);
    to->event = copy.events[0];
    free(copy.events);
    event_list_copy(&to->beside, &from->beside);
    watch_copy(&to->watch, &from->watch);
    cpulist_copy(&to->cpus, &from->cpus);
}

void sampling_release(struct sampling *sampling)
{
    event_release(&sampling->event);
    event_list_release(&sampling->beside);
    watch_release(&sampling->watch);
    cpulist_release(&sampling->cpus);
}

struct profile *profile_new(struct code_book *book)
{
    struct profile *profile =
        mem_copy(&(struct profile){.references = 1, .book = mem_share(book)}, sizeof(*profile));
    profile_add_chain(profile, &(struct profile_chain){0});
    return profile;
}

const char *const profile_wait_names[PROFILE_WAITS] = {"blocked", "preempted"};

int profile_value(const struct profile *profile, const char *name)
{
    size_t found = str_index((const char *const *)profile->names, profile->events, name);
    return found < profile->events ? (int)found : -1;
}

int profile_waits(const struct profile *profile)
{
    int first = profile_value(profile, profile_wait_names[0]);
    return first >= 0 && (size_t)first + PROFILE_WAITS <= profile->events ? first : -1;
}

void profile_drop(struct profile *profile)
{
    if (!mem_drop(profile))
        return;
    code_book_drop(profile->book);
    for (size_t c = 0; c < profile->chain_count; c++)
        free(profile->chains[c].frames);
    for (size_t e = 0; e < profile->events; e++)
        free(profile->names[e]);
    watch_release(&profile->watch);
    cpulist_release(&profile->cpus);
    free(profile->chains);
    free(profile->names);
    free(profile->values);
    free(profile->sites);
    free(profile->event);
    free(profile->unit);
    free(profile->note);
    free(profile);
}

struct profile_site *profile_add_site(struct profile *profile)
{
    size_t index = profile->site_count++;
    mem_grow(&profile->sites, &profile->site_room, profile->site_count, sizeof(*profile->sites));
    mem_grow(&profile->values, &profile->value_room, profile->site_count * profile->events,
             sizeof(*profile->values));
    profile->sites[index] = (struct profile_site){0};
    for (size_t e = 0; e < profile->events; e++)
        profile->values[index * profile->events + e] = 0;
    return &profile->sites[index];
}

uint32_t profile_add_chain(struct profile *profile, const struct profile_chain *chain)
{
    size_t index = profile->chain_count++;
    mem_grow(&profile->chains, &profile->chain_room, profile->chain_count,
             sizeof(*profile->chains));
    profile->chains[index] = (struct profile_chain){
        chain->depth,
        chain->depth ? mem_copy(chain->frames, chain->depth * sizeof(*chain->frames)) : NULL};
    profile->frame_count += chain->depth;
    return (uint32_t)index;
}

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
    size_t index = find_site(sum, &wanted, &key);
    if (index == SIZE_MAX && profile->site_count >= PROFILE_PLACES_MAX) {
        wanted.chain = 0;
        wanted.place.address = 0;
        index = find_site(sum, &wanted, &key);
    }
    if (index == SIZE_MAX && profile->site_count >= PROFILE_SITES_MAX) {
        wanted.pid = wanted.tid = 0;
        index = find_site(sum, &wanted, &key);
    }
    if (index == SIZE_MAX) {
        index = profile->site_count;
        struct profile_site *made = profile_add_site(profile);
        *made = wanted;
        made->samples = made->weight = 0;
        map_put(&sum->sites, key, (void *)((uintptr_t)index + 1));
    }
    profile->sites[index].samples += site->samples;
    profile->sites[index].weight += site->weight;
    for (size_t e = 0; e < profile->events; e++)
        profile->values[index * profile->events + e] += values[e];
    profile->samples += site->samples;
    profile->weight += site->weight;
}

const char *profile_note(const struct profile *profile)
{
    static const char many[] = "too many places: of some samples only the object is known";
    return !profile->note && profile->site_count > PROFILE_PLACES_MAX ? many : profile->note;
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
    profile->wall = from->wall;
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
    AUTO_FREE uint32_t *chains = mem_array(from->chain_count, sizeof(*chains));
    for (size_t c = 0; c < from->chain_count; c++)
        chains[c] = profile_sum_chain(sum, &from->chains[c]);
    for (size_t s = 0; s < from->site_count; s++) {
        struct profile_site site = from->sites[s];
        site.chain = chains[site.chain];
        profile_sum_add(sum, &site, from->events ? from->values + s * from->events : NULL);
    }
    profile->duration += from->duration;
    profile->ran += from->ran;
    profile->alone += from->alone;
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
