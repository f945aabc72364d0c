/* The width of text on a terminal: cells, not bytes or characters. */
#pragma once

#include <stddef.h>

/* The character at text (not at its end) and its length in bytes: never 0. Invalid UTF-8 and
 * unprintable characters have *width 1 and *code '?'. */
size_t cells_char(const char *text, unsigned *code, int *width);

/* Cells that the whole text takes. */
int cells_width(const char *text);

/* Bytes of the longest beginning of text that fits in `width` cells; *used (may be NULL) receives
 * its cells, which may be one less if a wide character did not fit. */
size_t cells_fit(const char *text, int width, int *used);

/* Bytes of the first line when text is broken at spaces into lines of at most `width` cells. The
 * space of the break belongs to no line: skip spaces to get to the next one. */
size_t cells_line(const char *text, int width);

/* The number of lines into which cells_line() breaks a text, at most `most`; 0 for an empty text.
 */
int cells_lines(const char *text, int width, int most);
