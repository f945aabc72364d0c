/* All event names of this machine, in groups: perf's generic events, software events, those of each
 * PMU in sysfs, those of event files, libpfm4's with their unit masks, the tracepoints, and
 * spellings for events without a name (event/name.h). Whether this user can count one is known only
 * by opening it. */
#pragma once

#include "base/base.h"

enum event_index_kind {
    EVENT_INDEX_EVENTS,
    EVENT_INDEX_TRACEPOINTS, /* of one subsystem: if one can be counted, all can */
    EVENT_INDEX_SPELLINGS,   /* patterns such as "rNNNN", not events */
};

struct event_index_group {
    char *title; /* "software events", "PMU 'msr'", "tracepoints of 'sched'" */
    enum event_index_kind kind;
};

struct event_index_entry {
    char *name; /* in the form of -e; capitals of a spelling are placeholders */
    char *text; /* its meaning, one line; "": not known */
    size_t group;
};

struct event_index {
    struct event_index_group *groups;
    struct event_index_entry *entries; /* sorted by group */
    size_t group_count, group_room;
    size_t count, room;
};

/* Built from /sys, tracefs and libpfm4's tables; the caller frees it. */
struct event_index *event_index_new(void);
void event_index_free(struct event_index *event_index); /* NULL is fine */

struct event_index_search { /* zeroed before the first call */
    size_t *found;          /* numbers of entries, by group in the index' order */
    size_t count;
};

/* Finds the entries that contain all words of text in their name, text or group's title, without
 * regard to case; all entries if there are no words. Of a group, those whose name has all words
 * come first. */
void event_index_search(const struct event_index *event_index, struct event_index_search *search,
                        const char *text);
void event_index_search_release(struct event_index_search *search);

/* The name nearest to a text that no entry contains; NULL if none is similar. */
const char *event_index_nearest(const struct event_index *event_index, const char *text);

/* Calls tell with more facts about an entry, each with a line of text: "unit masks", "modifiers",
 * "terms", "description", "fields". */
void event_index_explain(const struct event_index *event_index, size_t entry,
                         void (*tell)(void *to, const char *what, const char *text), void *to);
