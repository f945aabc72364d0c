/* A list of names, and the nearest to a wrong name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct names { /* zeroed: empty */
    char **items;
    size_t count, room;
};

void names_release(struct names *names);
/* For a local `AUTO_NAMES struct names names = {0};`: released where its block ends. */
#define AUTO_NAMES __attribute__((unused, cleanup(names_release)))
void names_add(struct names *names, const char *name); /* copies it */
/* Adds the entries of a folder of /sys except those that begin with a dot; none if it is not
 * readable. */
void names_add_folder(struct names *names, const char *path);
void names_sort(struct names *names);
bool names_has(const struct names *names, const char *name);
size_t names_find(const struct names *names, const char *name); /* its index; count: none */
void names_remove(struct names *names, size_t index);

/* The name nearest to text, the first of several; NULL if none is similar. */
const char *names_nearest(const struct names *names, const char *text);

/* Finds the name that the user gave an event in its text: NAME of `NAME=event` or, as perf writes
 * it, of the term in `event/name=NAME/`. The result points into the text and has *length bytes;
 * NULL: the user gave none. */
const char *names_own(const char *event, size_t *length);
