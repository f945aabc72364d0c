#include "sample/profile.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

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
    struct profile *profile = mem_alloc(sizeof(*profile));
    *profile = (struct profile){.references = 1, .book = code_book_share(book)};
    profile_add_chain(profile, &(struct profile_chain){0});
    return profile;
}

const char *const profile_wait_names[PROFILE_WAITS] = {"blocked", "preempted"};

int profile_value(const struct profile *profile, const char *name)
{
    for (size_t e = 0; e < profile->events; e++)
        if (str_equal(profile->names[e], name))
            return (int)e;
    return -1;
}

int profile_waits(const struct profile *profile)
{
    int first = profile_value(profile, profile_wait_names[0]);
    return first >= 0 && (size_t)first + PROFILE_WAITS <= profile->events ? first : -1;
}

struct profile *profile_share(struct profile *profile)
{
    if (profile)
        __atomic_add_fetch(&profile->references, 1, __ATOMIC_RELAXED);
    return profile;
}

void profile_drop(struct profile *profile)
{
    if (!profile || __atomic_sub_fetch(&profile->references, 1, __ATOMIC_ACQ_REL) > 0)
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
    size_t at = profile->site_count++;
    mem_grow(&profile->sites, &profile->site_room, profile->site_count, sizeof(*profile->sites));
    mem_grow(&profile->values, &profile->value_room, profile->site_count * profile->events,
             sizeof(*profile->values));
    profile->sites[at] = (struct profile_site){0};
    for (size_t e = 0; e < profile->events; e++)
        profile->values[at * profile->events + e] = 0;
    return &profile->sites[at];
}

uint32_t profile_add_chain(struct profile *profile, const struct profile_chain *chain)
{
    size_t at = profile->chain_count++;
    mem_grow(&profile->chains, &profile->chain_room, profile->chain_count,
             sizeof(*profile->chains));
    profile->chains[at] = (struct profile_chain){chain->depth, NULL};
    profile->frame_count += chain->depth;
    if (chain->depth) {
        profile->chains[at].frames = mem_array(chain->depth, sizeof(*chain->frames));
        memcpy(profile->chains[at].frames, chain->frames, chain->depth * sizeof(*chain->frames));
    }
    return (uint32_t)at;
}
