/* Lines of rows that are asleep, kept from refresh to refresh: where thousands of tasks sleep,
 * their lines need not be written again as long as nothing in them has changed. */
#ifndef FRONT_ASLEEP_LINES_H
#define FRONT_ASLEEP_LINES_H

#include "base/map.h"
#include "base/str.h"
#include "model/frame.h"

struct asleep_lines { /* zeroed, but for the text: empty */
    struct map lines; /* by the ids of rows */
    struct str common;
};

void asleep_lines_init(struct asleep_lines *lines);
void asleep_lines_release(struct asleep_lines *lines);

/* Begins a refresh of that many rows. common: what lines depend on besides the facts of their rows;
 * lines written for another text are dropped. */
void asleep_lines_begin(struct asleep_lines *lines, const char *common, size_t rows);
/* Appends the line of a row; false if none is kept for it as it is now. */
bool asleep_lines_add(const struct asleep_lines *lines, const struct row *row, struct str *text);
/* Keeps the line that was written for a row. */
void asleep_lines_keep(struct asleep_lines *lines, const struct row *row, const char *line,
                       size_t length);

#endif
