/* The words of a command that is given as one text. */
#ifndef SYSTEM_WORDS_H
#define SYSTEM_WORDS_H

/* As make(1) does: a command that consists of plain words (letters, digits and -+=./:,@%^_), and
 * whose first one is a program, is executed itself, so that no shell is measured with it; any other
 * text is a script for /bin/sh -c. The words, NULL at the end; free them with words_free().
 * environment: its PATH is searched. */
char **words_of(const char *text, char *const *environment);
void words_free(char **words); /* NULL is fine */

#endif
