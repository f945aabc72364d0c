/* Makes text from outside (names of tasks and users, command lines) safe for a terminal. */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Copies text; if it is longer than `size` bytes with the '\0', it is cut and ends in '+'. Control
 * characters, characters that change the direction or the lines of the surrounding text, invisible
 * ones, and bytes that are not UTF-8 become '?'; with `ascii` all characters outside of ASCII,
 * too. */
void text_clean(char *out, size_t size, const char *text, bool ascii);

/* Cuts clean text to at most width cells; it ends in '+' then. */
void text_cut(char *text, int width);

#endif
