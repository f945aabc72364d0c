/* A profile while samples are added: equal sites and equal chains of callers are kept once. */
#ifndef SAMPLE_PROFILE_SUM_H
#define SAMPLE_PROFILE_SUM_H

#include "base/map.h"
#include "sample/profile.h"

/* The memory of a sum is bounded: beyond PROFILE_PLACES_MAX sites samples are added up by thread
 * and object, beyond PROFILE_SITES_MAX by object alone, without a thread (pid and tid 0); beyond so
 * many chains or frames chains are not kept. */
enum {
    PROFILE_SITES_MAX = 1 << 16,
    PROFILE_PLACES_MAX = PROFILE_SITES_MAX / 4 * 3,
    PROFILE_CHAINS_MAX = 1 << 14,
    PROFILE_FRAMES_MAX = 1 << 18,
};

struct profile_sum {
    struct profile *profile; /* NULL: none; set and filled by the owner, but for sites and chains */
    struct map sites, chains; /* index + 1, by hashes */
};

void profile_sum_release(struct profile_sum *sum); /* drops the profile; a zeroed one is empty */

/* Adds the samples of a site; its chain is an index that profile_sum_chain() gave. values: one for
 * each of the profile's events. Adds to the profile's numbers of samples and weight, too. */
void profile_sum_add(struct profile_sum *sum, const struct profile_site *site,
                     const uint64_t *values);
uint32_t profile_sum_chain(struct profile_sum *sum, const struct profile_chain *chain);

/* Adds a whole profile. Without a profile yet, and after another start of sampling, begins one like
 * it. */
void profile_sum_take(struct profile_sum *sum, const struct profile *profile);

#endif
