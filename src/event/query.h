/* The text of an event and its attr: event/name.c tries each kind of event in turn. */
#pragma once

#include "event/event.h"

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

/* Sets the message, and returns ANSWER_ERROR. */
#define query_fail(q, ...) (err_set(&(q)->err, __VA_ARGS__), ANSWER_ERROR)
/* Makes the event EVENT_UNSUPPORTED for a reason, and returns ANSWER_NOT_HERE. */
enum answer query_not_here(struct query *q, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- breakpoints ---- */

/* Breakpoints as events, as perf writes them: `mem:ADDRESS[/LENGTH][:rwx]` (perf-record(1), -e). */

/* Whether text begins as a breakpoint does; it may be malformed. */
bool breakpoint_is(const char *text);

/* Counts how often these bytes are read (r), written (w) or executed (x); rw is the default. The
 * length is 1, 2, 4 or 8; the default is 4, and sizeof(long) for x alone. Except for x alone the
 * address must be a multiple of the length: x86 refuses others, and arm64 watches only the part in
 * the first of two words (arch/arm64/kernel/hw_breakpoint.c). Processors may support fewer kinds
 * (x86 has no r alone, and x only with the default length): then opening the event fails. */
enum answer breakpoint_ask(struct query *q);

/* ---- probes ---- */

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

/* The file offset of a function's code: probe_offset of a uprobe in perf_event_open(2). Searches
 * the symbol table, then the table for dynamic linking, which strip(1) keeps. -1 with a message;
 * for an unknown function it has the nearest name. Refused as well: a name of several functions,
 * and one (STT_GNU_IFUNC) whose code only chooses, once, what is called by this name. */
int elf_function(const char *path, const char *function, uint64_t *offset, struct err *err);

/* False if it cannot be read, too. */
bool elf_has_section(const char *path, const char *name);

/* ---- tracepoints ---- */

/* Tracepoints by name, `subsystem:event`, from tracefs (Documentation/trace/events.rst). */

enum tracepoint {
    TRACEPOINT_FOUND,
    TRACEPOINT_ABSENT, /* tracefs is readable and has no such tracepoint */
    TRACEPOINT_HIDDEN, /* tracefs is not mounted or not readable */
};

/* Whether text looks like a tracepoint's name, whether or not there is one. */
bool tracepoint_is_name(const char *text);

/* The number of a tracepoint, for attr.config; if it is not found, why gets the reason. */
enum tracepoint tracepoint_find(const char *name, uint64_t *id, struct err *why);

/* Adds the events of a subsystem, sorted, or with "" the subsystems; none if tracefs is not
 * readable. */
void tracepoint_names(const char *subsystem, struct names *names);

/* Adds the fields that a filter of this tracepoint can use, in its order, to `names` unless that is
 * NULL. Finds where `field`, which may be NULL, is in the tracepoint's data, in bytes; false if it
 * is not there or not readable. */
bool tracepoint_fields(const char *name, struct names *names, const char *field, size_t *offset,
                       size_t *size);

/* ---- libpfm4 ---- */

/* Events by libpfm4's names: `skx::MEM_LOAD_RETIRED:L3_MISS:u`. */

/* Resolves the text by libpfm4. If its last word was taken for modifiers and is a unit mask, it
 * becomes part of q->base again. */
enum answer libpfm_ask(struct query *q);

/* An event of this machine's PMUs, alone or with one unit mask. */
struct libpfm_entry {
    const char *pmu, *pmu_text;     /* "skx", "Intel Skylake X" */
    const char *event, *event_text; /* texts may be NULL */
    const char *mask, *mask_text;   /* NULL: alone */
};

/* Calls `take` for each event of this machine's PMUs, PMU by PMU. With `masks`: an event with unit
 * masks once with each of them, and alone only if it has a default mask. Without: each event once,
 * alone, in a tenth of the time. An entry is valid until `take` returns. Leaves out libpfm4's
 * generic events, which are listed under perf's names. */
void libpfm_each(bool masks, void (*take)(void *ctx, const struct libpfm_entry *entry), void *ctx);

/* What may follow the event that text begins with: unit masks, and modifiers as "c (counter-mask in
 * range [0-255])" (modifiers may be NULL). Adds nothing if there is no such event. */
void libpfm_attributes(const char *text, struct names *masks, struct names *modifiers);

/* libpfm4's version. The second adds the names of its tables for this machine, or for the one that
 * the variable LIBPFM_FORCE_PMU names. */
void libpfm_version(char *buffer, size_t size);
void libpfm_tables(struct names *names);

/* Length of `pmu::EVENT` or `EVENT` at the start of text, before its attributes. */
size_t libpfm_event_length(const char *text);

/* ---- general events ---- */

/* The events that have the same names on every machine (event/generic.txt): perf-list(1), and
 * perf_event_open(2)'s PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE and PERF_TYPE_HW_CACHE. */

struct generic_event {
    char name[32];
    uint32_t type;
    uint64_t config;
    const char *text; /* its meaning, of `length` bytes */
    size_t length;
};

/* Finds one by any of perf's spellings: "l1d-read-miss" is L1-dcache-load-misses. */
bool generic_find(const char *name, struct generic_event *event);

/* Takes the first one, where *line is NULL, or the next one, type by type with synonyms ("cycles",
 * "cpu-cycles"): the names of `perf list`. False: there are no more. */
bool generic_next(const char **line, struct generic_event *event);
