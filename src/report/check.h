/* --check: what can be counted here, what cannot and why, for a bug report. All of it is tried or
 * read when it is asked for; nothing is guessed. */
#ifndef REPORT_CHECK_H
#define REPORT_CHECK_H

#include "base/err.h"
#include "engine/probe_open.h"
#include "event/names.h"
#include "system/caps.h"

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/utsname.h>

/* What one may want to count. */
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

/* A limit of the kernel's, from a file of /proc/sys. */
struct check_limit {
    const char *name; /* as sysctl(8) has it, after "kernel." or "fs." */
    long long value;
    bool known; /* the file is there and readable */
};

struct check {
    struct utsname system;
    char cpu_model[128];
    size_t cpus; /* online */
    struct caps caps;
    uid_t uid;
    struct names pmus;
    struct check_core_pmu *cores; /* of these the core PMUs */
    size_t core_count;
    char libpfm[32]; /* version */
    struct names tables;
    char *reasons[CHECK_ABILITIES]; /* why not, with the remedy; NULL: it works */
    struct check_limit limits[CHECK_LIMITS];
    struct rlimit descriptors, locked; /* bytes */
};

/* Fills check, which is to be released in any case. -1 with a message. */
int check_make(struct check *check, struct err *err);
void check_release(struct check *check);

/* The exit status: 0 hardware counters work, 3 only software events do, 1 nothing does. */
int check_status(const struct check *check);

#endif
