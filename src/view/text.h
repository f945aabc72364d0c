/* Text from outside (names of tasks and users, command lines) made fit for a terminal. */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Copies text, cut between characters where `size` bytes with the '\0' are not enough. Control
 * characters, characters that change the direction or the lines of the text around them, those that
 * nobody sees, and bytes that are not UTF-8 become '?'; with `ascii` all others outside of ASCII
 * too. */
void text_clean(char *out, size_t size, const char *text, bool ascii);

/* Cuts clean text to at most width characters, the last then being '+'. */
void text_cut(char *text, int width);

#endif
