/* Event files in perf's JSON (tools/perf/pmu-events/README of the kernel's sources, and
 * jevents.py there): a list of entries with EventName and EventCode, or with MetricName and
 * MetricExpr; Intel's perfmon has that list as the member "Events" of an object. Arm's own forms
 * are read, too, as lists of "events" and "metrics". The only user of libjansson. */
#ifndef EVENT_EVENT_JSON_H
#define EVENT_EVENT_JSON_H

#include "event/event_table.h"

#include <stdint.h>

/* The entries of files to which other entries refer by ArchStdEvent, by their names. */
struct json_t;
/* Adds those of a text to *std, NULL at first; what is no JSON has none. */
void event_json_add_std(struct json_t **std, const char *text);
void event_json_drop_std(struct json_t *std); /* NULL is fine */

/* The processor that a file in Arm's own form says that it is for. */
struct json_product {
    uint64_t midr;  /* implementer, part, variant and revision as MIDR_EL1 has them; 0: not given */
    bool versioned; /* variant and revision are given */
    char name[64];  /* "Neoverse N1"; "": not given */
};

/* Whether a text is in Arm's own form; else the product is empty. */
bool event_json_product(const char *text, struct json_product *product);

/* The table's index of the PMUs that files call Unit: "CHA", "cpu_atom". */
size_t event_json_unit(struct event_table *table, const char *unit);

/* Adds the events and metrics of a text to the table. `path` names the file: in the catalogue, and
 * in faults. Entries without a Unit are for `pmus`, an index into the table's. An entry with a
 * mistake is left out; the first one is noted as a fault of the file, with the number of others. */
void event_json_read(struct event_table *table, const char *text, const char *path, size_t pmus,
                     const struct json_t *std);

#endif
