/* Reads source lines and inlined functions out of DWARF debug information, by libdw. May take long,
 * much memory, and fail in any way where a file is damaged: it runs in a process of its own
 * (code/line_child.h). */
#ifndef CODE_LINE_DWARF_H
#define CODE_LINE_DWARF_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct line_dwarf;

/* Opens what a program, a library or a debug file has, which stays in use and is not closed. NULL:
 * no debug information. */
struct line_dwarf *line_dwarf_open(int fd);
void line_dwarf_close(struct line_dwarf *dwarf); /* NULL is fine */

/* Adds what is known of a function's instructions, as text of code/line_table.h. */
void line_dwarf_read(struct line_dwarf *dwarf, uint64_t start, uint64_t size, struct str *text);

#endif
