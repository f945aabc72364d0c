/* INI text: `[section]` and `name = value` lines, comments after `;` or `#` at the beginning of a
 * line and after ` ;` within one. One entry is one line; indentation means nothing. */
#ifndef BASE_INI_H
#define BASE_INI_H

#include "base/err.h"

#include <stddef.h>

/* Longest line and section name taken: the limits of libinih as distributions build it, beyond
 * which it cuts in silence. Longer ones are errors here. */
enum { INI_LINE_SIZE = 196, INI_SECTION_SIZE = 48 };

/* Calls `entry` for each `name = value` in order, with surrounding space removed; section is ""
 * before the first heading. The strings live for the call only. `entry` returns 0, or -1 with a
 * message: that ends the reading.
 * Returns 0, or -1 with a message that begins `origin:line: `, also for malformed lines; entries
 * may have been called before. */
int ini_read(const char *text, const char *origin,
             int (*entry)(void *ctx, const char *section, const char *name, const char *value,
                          int line, struct err *err),
             void *ctx, struct err *err);

/* NAME where the section is `KIND NAME`, NULL where it is of another kind. */
const char *ini_section(const char *section, const char *kind);

/* -1 with the message for a key that no section of this kind has, and the nearest of those that
 * it has: `candidate` is as for str_nearest. */
int ini_unknown_key(const char *key, const char *kind,
                    const char *(*candidate)(void *ctx, size_t i), void *ctx, struct err *err);

#endif
