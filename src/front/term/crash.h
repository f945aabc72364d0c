/* Restores the terminal when the program crashes, then lets it crash. */
#ifndef FRONT_TERM_CRASH_H
#define FRONT_TERM_CRASH_H

#include <stddef.h>

/* What is to be written to standard output. */
struct crash_text {
    char bytes[256];
    size_t length;
};

void crash_prepare(void); /* remembers the mode of the terminal on standard input */

/* From now until crash_disarm, a deadly signal first writes the text (copied) and sets the mode
 * remembered. The handlers that were there before then have their turn. */
void crash_arm(const struct crash_text *text);
void crash_disarm(void);

#endif
