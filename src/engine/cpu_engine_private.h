/* What the engine of all CPUs keeps, for the files that it is made of: cpu_engine (counting, CPUs
 * that come and go, snapshots) and cpu_records (what the rings tell). */
#ifndef ENGINE_CPU_ENGINE_PRIVATE_H
#define ENGINE_CPU_ENGINE_PRIVATE_H

#include "engine/active_plan.h"
#include "engine/cpu_events.h"
#include "engine/merge.h"
#include "engine/prelude.h"
#include "engine/proc_seed.h"
#include "engine/scope.h"
#include "sample/source.h"
#include "system/caps.h"

struct cpu_engine {
    struct source source;
    struct caps caps;
    uint64_t delay; /* ns */
    bool all;       /* snapshots list idle tasks too */
    bool others;    /* CPUs that come online are counted too */
    int online;     /* open: which those are */
    struct scope scope;
    size_t ring_wanted, ring_bytes; /* of each ring; ring_bytes: what the mlock limit leaves */
    struct ledger *ledger;
    struct active_plan *counting; /* NULL before the first set_events */
    size_t count, room;
    struct cpu_events **places;
    struct merge merge; /* of all rings: scratch */
    uint64_t generation, started;
    pid_t command;           /* the one that is watched, 0: none */
    struct prelude *prelude; /* of a command whose beginning is not in the books yet */
    struct proc_seed census; /* of the machine's tasks, where all CPUs are counted */
};

#endif
