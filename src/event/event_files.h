/* Finds the event files (event/event_json.h) that are for this machine. A directory of them has
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
#ifndef EVENT_EVENT_FILES_H
#define EVENT_EVENT_FILES_H

#include "event/event_table.h"

/* Adds what the directory has for this machine. A directory that is missing or forbidden has
 * nothing; other mistakes become faults of the table. */
void event_files_add(struct event_table *table, const char *directory);

/* Whether the first column of a mapfile.csv names the processor of CPU 0. */
bool event_files_match(const char *processors);

#endif
