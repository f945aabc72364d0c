/* Who there is without a record having told of it: from /proc to the ledger. */
#ifndef ENGINE_PROC_SEED_H
#define ENGINE_PROC_SEED_H

#include "engine/ledger.h"

/* Asks all processes for their names, once at the start: one that ends soon could not be asked
 * later. The newest first, which are the likeliest to be gone soon, and not for longer than the
 * first table may wait for. */
void proc_seed_meet(struct ledger *ledger);

/* Adds all threads of the machine that the ledger does not know, or of a cgroup's directory (as
 * system/cgroup.h finds it; NULL: all). */
void proc_seed_adopt(struct ledger *ledger, const char *cgroup);

/* When the machine was looked at last. Zeroed: never. */
struct proc_seed {
    uint64_t generation, lost; /* of counts, and of records, then */
    uint64_t next;             /* when it is to be looked at again */
};

/* The same for the machine where records tell of all births: looks only where some may not have
 * been told, as there are other counters or more was lost than the last time, and now and then for
 * tasks that write no records. */
void proc_seed_keep(struct proc_seed *census, struct ledger *ledger, uint64_t generation);

#endif
