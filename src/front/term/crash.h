/* Restores the terminal when the program crashes, then lets it crash. */
#ifndef FRONT_TERM_CRASH_H
#define FRONT_TERM_CRASH_H

#include <stddef.h>

/* Text to be written to standard output. */
struct crash_text {
    char bytes[256];
    size_t length;
};

void crash_prepare(void); /* saves the mode of the terminal on standard input */

/* Until crash_disarm, a deadly signal first writes the text (copied) and restores the saved mode,
 * then calls the previous handlers. */
void crash_arm(const struct crash_text *text);
void crash_disarm(void);

#endif
