/* Events by libpfm4's names: `skx::MEM_LOAD_RETIRED:L3_MISS:u`. The only user of libpfm4. */
#ifndef EVENT_LIBPFM_H
#define EVENT_LIBPFM_H

#include "base/names.h"
#include "event/query.h"

/* Resolves the text by libpfm4. A unit mask that looked like modifiers is put back to the event. */
enum answer libpfm_ask(struct query *q);

/* An event of this machine's PMUs, alone or with one unit mask. */
struct libpfm_entry {
    const char *pmu, *pmu_text;     /* "skx", "Intel Skylake X" */
    const char *event, *event_text; /* texts may be NULL */
    const char *mask, *mask_text;   /* NULL: alone */
};

/* Calls take for each of them, PMU by PMU: an event with unit masks once with each, and alone only
 * if it has a default mask; without `masks`, which takes a tenth of the time, each event once,
 * alone. Entries are valid during the call only. Leaves out libpfm4's generic events, which are
 * listed under perf's names. */
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

#endif
