/* INI text: `[section]` and `name = value` lines, comments after `;` or `#` at the beginning of a
 * line and after ` ;` within one. One entry is one line; indentation means nothing. */
#pragma once

#include "base/err.h"

/* Longest line and section name; longer ones are errors. */
enum { INI_LINE_SIZE = 196, INI_SECTION_SIZE = 48 };

enum { INI_SKIP_SECTION = 1 };

/* Calls `entry` for each line `name = value`, in order, with surrounding space removed; section is
 * "" before the first heading. kind: only lines in sections `[KIND NAME]` are read, and `entry`
 * gets NAME as the section; NULL: all are. The strings are valid during the call only. `entry`
 * returns 0, INI_SKIP_SECTION to read no more of this section, or -1 with a message, which ends the
 * reading. Returns 0, or -1 with a message that begins `origin:line: `, also for malformed lines;
 * `entry` has then been called for the lines before. */
int ini_read(const char *text, const char *origin, const char *kind,
             int (*entry)(void *ctx, const char *section, const char *name, const char *value,
                          int line, struct err *err),
             void *ctx, struct err *err);

/* NAME of the section `KIND NAME`; NULL for a section of another kind. */
const char *ini_section(const char *section, const char *kind);

/* -1 with the message that sections of this kind have no such key, and the nearest of the keys that
 * they have; NULL ends those. */
int ini_unknown_key(const char *key, const char *kind, const char *const *keys, struct err *err);
