/* Events by libpfm4's names: `skx::MEM_LOAD_RETIRED:L3_MISS:u`. The only user of libpfm4. */
#ifndef EVENT_LIBPFM_H
#define EVENT_LIBPFM_H

#include "event/names.h"
#include "event/query.h"

/* What libpfm4 makes of the text; a unit mask that find_modifiers took for modifiers goes back to
 * the event. */
enum answer libpfm_ask(struct query *q);

/* Adds the events of this machine's PMUs as libpfm4 has them, named with their PMU if asked. */
void libpfm_add_events(struct names *names, bool with_pmu);

/* Its version, and the names of its tables that are for this machine (or for the one that the
 * variable LIBPFM_FORCE_PMU names), which are added. */
void libpfm_version(char *buffer, size_t size);
void libpfm_tables(struct names *names);

/* Length of `pmu::EVENT` or `EVENT` at the start of text, before its attributes. */
size_t libpfm_event_length(const char *text);

#endif
