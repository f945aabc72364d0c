/* Everything that can be counted by name on this machine, in groups: perf's generic events,
 * software events, those of each PMU in sysfs, libpfm4's with their unit masks, the tracepoints,
 * and the spellings for what has no name of its own (event/name.h). Whether it can be counted by
 * this user is another question: it takes a trial. */
#ifndef EVENT_EVENT_INDEX_H
#define EVENT_EVENT_INDEX_H

#include <stdbool.h>
#include <stddef.h>

enum event_index_kind {
    EVENT_INDEX_EVENTS,
    EVENT_INDEX_TRACEPOINTS, /* of one subsystem: the kernel treats them alike */
    EVENT_INDEX_SPELLINGS,   /* not events, but how to write them */
};

struct event_index_group {
    char *title; /* "software events", "PMU 'msr'", "tracepoints of 'sched'" */
    enum event_index_kind kind;
};

struct event_index_entry {
    char *name; /* as -e takes it; capitals in a spelling are to be replaced */
    char *text; /* one line; "" where nobody says */
    size_t group;
};

struct event_index {
    struct event_index_group *groups;
    struct event_index_entry *entries; /* those of a group together */
    size_t group_count, group_room;
    size_t count, room;
};

/* Built from /sys, tracefs and libpfm4's tables as they are now; the caller frees it. */
struct event_index *event_index_new(void);
void event_index_free(struct event_index *event_index); /* NULL is fine */

/* A search that goes on while its words are typed. */
struct event_index_search {
    char *text;
    size_t *found; /* entries, in the catalogue's order */
    size_t count;
    size_t examined; /* entries looked at by the last call */
};

/* Finds the entries that contain all the words of text, in name, text or the title of their group,
 * whatever the case; without words it is all of them. Where text only goes on from the one before,
 * only what was found then is looked at. The search begins zeroed. */
void event_index_search(const struct event_index *event_index, struct event_index_search *search,
                        const char *text);
void event_index_search_release(struct event_index_search *search);

/* The name nearest to text, which no entry contains; NULL when none is near. */
const char *event_index_nearest(const struct event_index *event_index, const char *text);

/* Calls tell with what else can be said of an entry: "unit masks", "modifiers", "terms", "fields",
 * each with a line of text. */
void event_index_explain(const struct event_index *event_index, size_t entry,
                         void (*tell)(void *to, const char *what, const char *text), void *to);

#endif
