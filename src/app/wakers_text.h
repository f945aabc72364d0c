/* Who wakes up the task of the details (front/host.h), as a line of text. */
#ifndef APP_WAKERS_TEXT_H
#define APP_WAKERS_TEXT_H

#include "engine/wakers.h"

/* "perl 12 61 %, interrupts 30 %, sh 15 8 %, 2 others; 812 times, last by perl 12"; the caller
 * frees it. ascii: names have no other characters. */
char *wakers_text(const struct wakers *wakers, bool ascii);

#endif
