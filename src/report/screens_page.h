/* What --list-screens prints. */
#ifndef REPORT_SCREENS_PAGE_H
#define REPORT_SCREENS_PAGE_H

#include "view/screen.h"

#include <stdio.h>

/* The screens for this machine with what they count, and why not where they cannot be counted; then
 * the machines that others are for. Tries the events that screens require. */
void screens_page_write(FILE *out, const struct screen_list *list);

#endif
