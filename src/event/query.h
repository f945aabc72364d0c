/* The text of an event and its attr: event/name.c tries each kind of event in turn. */
#ifndef EVENT_QUERY_H
#define EVENT_QUERY_H

#include "base/err.h"
#include "base/mem.h"
#include "event/event.h"

#include <stddef.h>
#include <stdint.h>

enum answer {
    ANSWER_ERROR = -1, /* wrong usage: err is set */
    ANSWER_NO,         /* not an event of this kind: try the next */
    ANSWER_YES,        /* the event's attr is set */
    ANSWER_NOT_HERE,   /* known, but not on this machine: the event's state and reason are set */
};

struct query {
    const char *text;      /* as written, without a name of its own */
    const char *own;       /* that name; NULL: none */
    char *base;            /* without its modifiers */
    const char *modifiers; /* the end of text, or "" */
    struct event event;    /* attr, pmu, unit, scale, target, filter, state and reason */
    bool has_mode;         /* the text or the kind of event sets the modes to count */
    bool each_type;        /* counted on each core type */
    const char *each_name; /* by this name of each core type's PMU; NULL: by the same attr */
    bool foreign;          /* an unknown name may be known on another machine */
    char *full;            /* libpfm4's full string; NULL if it is not libpfm4's event */
    struct err err;
};

/* Sets the event's state and reason, and returns ANSWER_NOT_HERE. */
static inline enum answer query_not_here(struct query *q, enum event_state state,
                                         const char *reason)
{
    q->event.state = state;
    q->event.reason = mem_strdup(reason);
    return ANSWER_NOT_HERE;
}

/* Breakpoints as events, as perf writes them: `mem:ADDRESS[/LENGTH][:rwx]` (perf-record(1), -e). */

/* Whether text begins as a breakpoint does; it may be malformed. */
bool breakpoint_is(const char *text);

/* Counts how often these bytes are read (r), written (w) or executed (x); rw is the default. The
 * length is 1, 2, 4 or 8; the default is 4, and sizeof(long) for x alone. Except for x alone the
 * address must be a multiple of the length: x86 refuses others, and arm64 watches only the part in
 * the first of two words (arch/arm64/kernel/hw_breakpoint.c). Processors may support fewer kinds
 * (x86 has no r alone, and x only with the default length): then opening the event fails. */
enum answer breakpoint_ask(struct query *q);

/* Probes through the kernel's dynamic PMUs: perf_event_open(2), "kprobe and uprobe".
 * `uprobe:/path:function[+offset]` counts how often that instruction of a program or library is
 * executed, `uprobe:/path:0x1234` that at an offset in the file, `uretprobe:/path:function`
 * returns; `kprobe:function[+offset]`, `kprobe:0xADDRESS` and `kretprobe:function` the same in the
 * kernel. */

/* Whether text begins as a probe does; it may be malformed. A path in it may have slashes. */
bool probe_is(const char *text);

/* The number of colons in the probe; modifiers follow another one. */
size_t probe_colons(const char *text);

enum answer probe_ask(struct query *q);

/* The events that have the same names on every machine: perf-list(1), and perf_event_open(2)'s
 * PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE and PERF_TYPE_HW_CACHE. */

struct generic_event {
    const char *name;
    uint32_t type;
    uint64_t config;
    const char *text; /* its meaning; NULL: a synonym, or a cache event */
};

/* All of them with synonyms ("cycles", "cpu-cycles"); cache events only by the names of `perf
 * list`. The last entry has the name NULL. */
extern const struct generic_event generic_events[];

/* By any of perf's spellings: "l1d-read-miss" is L1-dcache-load-misses. NULL: no such name. */
const struct generic_event *generic_find(const char *name);

/* The meaning of an event of the list, in a few words, from perf_event_open(2). The caller frees
 * it. */
char *generic_text(const struct generic_event *event);

#endif
