/* Events and metrics of event files that are for this machine. The program owns one table: it is
 * read once, before threads are started, and does not change then, like libpfm4's tables. */
#pragma once

#include "base/base.h"

/* The PMUs that count an event: those of cores, or all that are called uncore_imc_N. */
struct table_pmus {
    char *family;      /* "cpu", "uncore_imc": the part of the name that they share */
    struct names here; /* the PMUs of this machine; none: it has no such PMU */
    bool core;
};

/* An event, or a metric. */
struct table_event {
    char *name;   /* as the file writes it; case makes no difference, and of an event ':' is '.' */
    char *terms;  /* as in a PMU's events folder: "event=0xc0,umask=0x1"; of a metric its formula in
                     perf's grammar (metric/perf_expr.h) */
    char *unit;   /* of a count, or the metric's value, times scale: "%", "MB/s"; "": none */
    double scale; /* 1: none */
    char *text;   /* its meaning, and the groups of a metric, one line; "": not known */
    char *detail; /* more about it, one line; "": nothing */
    size_t source; /* index into the table's sources */
    size_t pmus;   /* index into the table's pmus: which count it, or whose events it is about */
};

struct table_entries {
    struct table_event *items;
    size_t count, room;
};

struct event_table { /* zeroed: empty */
    struct table_pmus *pmus;
    size_t pmus_count, pmus_room;
    struct table_entries events;  /* after event_table_sort(): by name */
    struct table_entries metrics; /* in the order of the files */
    struct names sources;         /* the files, by the path under which they were read */
    struct names faults;          /* what is wrong in them, one line each */
};

/* The table's index of the PMUs with that family name, which it adds unless it has them; it copies
 * both. */
size_t event_table_pmus(struct event_table *table, const char *family, bool core,
                        const struct names *here);

/* Adds a line to the table's faults. */
void event_table_fault(struct event_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Sorts the events. Of several with one name and the same PMUs the first is kept. */
void event_table_sort(struct event_table *table);

/* Makes the table that of the program, which from then on owns it; NULL: none. */
void event_table_use(struct event_table *table);
const struct event_table *event_table(void); /* an empty one before */

/* The first of the events with that name, of which *count stand one after the other, one for each
 * kind of PMU; NULL: none. */
const struct table_event *event_table_named(const char *name, size_t *count);
/* The event with that name that this PMU counts; NULL: none. */
const struct table_event *event_table_find(const char *pmu, const char *name);
/* What -e takes for an event: NAME, or FAMILY/NAME/ if several kinds of PMUs have one of that name
 * or each of several PMUs counts it. The caller frees it. */
char *event_table_spelling(const struct table_event *event);
/* The event for such a text; NULL: none. */
const struct table_event *event_table_spelled(const char *text);

/* Finds the event files (below) that are for this machine. A directory of them has
 * mapfile.csv, as perf's (tools/perf/pmu-events/README of the kernel's sources) and Intel's have,
 * or one directory below it has. Each row names the processors by a regular expression for
 * topology_map_id() (on x86 without the stepping if it has none; on Arm by a MIDR_EL1, of which the
 * row with the highest version counts that is not above the CPU's), and a directory of files, or a
 * file. Files beside mapfile.csv have the standard events of ArchStdEvent. In a directory without
 * mapfile.csv all files are for this machine.
 *
 * Files in Arm's own form need no map: in the directory and in each one below it they are for the
 * processor that they name, by its part number or its name. Of several versions of it the newest
 * counts that is not newer than the CPU, else the oldest: Arm names one file for all versions
 * before it, too. */

/* Adds what the directory has for this machine. A directory that is missing or forbidden has
 * nothing; other mistakes become faults of the table. */
void event_files_add(struct event_table *table, const char *directory);

/* Whether the first column of a mapfile.csv names the processor of CPU 0. */
bool event_files_match(const char *processors);
