/* --check: what can be counted on this machine, what cannot and why, for a bug report. Everything
 * is tried or read at the time; nothing is guessed. */
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "base/err.h"
#include "engine/probe_open.h"
#include "base/names.h"
#include "system/caps.h"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/utsname.h>

/* Abilities that are tried. */
enum check_ability {
    CHECK_HARDWARE,
    CHECK_SOFTWARE,
    CHECK_KERNEL,
    CHECK_SYSTEM_WIDE,
    CHECK_OTHERS,
    CHECK_TRACEPOINTS,
    CHECK_BREAKPOINTS,
    CHECK_ABILITIES,
};

struct check_core_pmu {
    char *name;
    struct probe_open_counters counters;
};

enum { CHECK_LIMITS = 6 };

/* A limit of the kernel, from a file of /proc/sys. */
struct check_limit {
    const char *name; /* name of sysctl(8) after "kernel." or "fs." */
    long long value;
    bool known; /* the file exists and is readable */
};

struct check {
    struct utsname system;
    char cpu_model[128];
    size_t cpus; /* online */
    struct caps caps;
    uid_t uid;
    struct names pmus;
    struct check_core_pmu *cores; /* the core PMUs with these CPUs */
    size_t core_count;
    char libpfm[32]; /* version */
    struct names tables;
    char *reasons[CHECK_ABILITIES]; /* why not, with the remedy; NULL: it works */
    struct check_limit limits[CHECK_LIMITS];
    struct rlimit descriptors, locked; /* bytes */
};

/* Fills check; release it in any case. -1 with a message. */
int check_make(struct check *check, struct err *err);
void check_release(struct check *check);

/* The exit status: 0 hardware counters work, 3 only software events do, 1 nothing does. */
int check_status(const struct check *check);

#endif
