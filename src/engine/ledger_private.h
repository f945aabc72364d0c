/* What the ledger keeps, for the files that it is made of: ledger (who there is, and the whole),
 * ledger_switches (time on a CPU, and switch records), ledger_samples (samples, and what they
 * count). */
#ifndef ENGINE_LEDGER_PRIVATE_H
#define ENGINE_LEDGER_PRIVATE_H

#include "engine/exiting_tasks.h"
#include "engine/ledger_layout.h"
#include "engine/task_table.h"

/* What one group had counted on one CPU at its last record there. */
struct cumulative {
    uint64_t *value; /* by position, as records carry them */
    struct group_time at;
    uint64_t zero;        /* the time at which `enabled` was 0 */
    uint64_t time;        /* until when the time it was enabled has been credited */
    uint64_t lent;        /* ns of that since its last record */
    bool turns;           /* with members_only: it was seen not to count all of the time */
    uint64_t slice;       /* cpu.slice at that record */
    bool slice_ended;     /* that record was written at the end of its slice */
    uint64_t silent_idle; /* cpu.silent_idle at that record */
    bool gap;             /* records were lost since, or a task ran that writes none */
};

struct cpu {
    int number;
    bool gone;                  /* offline */
    bool gone_told;             /* its last counts were in a snapshot */
    struct cumulative *tallies; /* one for each group */
    struct counts carried;      /* what its counters had counted before they were opened anew */
    uint64_t busy;              /* ns */
    uint64_t ahead;             /* of them those after ledger.cut */
    uint64_t boundary;          /* until when time on this CPU has been credited */
    bool time_gap;              /* who ran since then is not known */
    uint64_t slice;             /* how many tasks were seen to begin running */
    uint64_t slice_start;       /* when the last of them did */
    bool slice_known;      /* a switch since that slice began, or was first seen, would be known */
    uint64_t witness_from; /* switch records are written from that time on, UINT64_MAX: not */
    uint64_t silent_idle;  /* ns from the end of a slice to a switch record that names idle */
    unsigned credit;       /* for doing without switch records: see ledger_switches_note_silence */
    bool frugal;           /* does without them: from full credit on, until none is left */
    bool idle_silent;      /* an idle slice without a record was seen */
    bool interrupted;      /* a group was seen not to count all of the time */
    struct exiting_tasks endings; /* its tasks have `ending` set */
    bool out_known;               /* the last switch record was one out: */
    pid_t out;                    /* of that thread */
    bool running_known;           /* the last record told who has the CPU: */
    pid_t running, process;       /* a thread, and its process; 0: the idle task */
    bool mute; /* it wrote nothing since a cut that it was asked for a sample at */
};

struct ledger {
    const struct ledger_layout *layout;
    struct task_table task_table;
    size_t cpu_count, cpu_room;
    struct cpu *cpus;
    struct counts idle, unattributed;
    uint64_t lost, throttled;
    uint64_t cut;         /* ns: up to when the next snapshot tells time; UINT64_MAX: all */
    bool lost_since;      /* records were lost since the last snapshot */
    uint64_t *difference; /* scratch, by position: what a record adds to the one before it */
};

#endif
