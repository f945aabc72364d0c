/* What --list-events prints. */
#ifndef REPORT_EVENTS_PAGE_H
#define REPORT_EVENTS_PAGE_H

#include "app/event_availability.h"
#include "base/err.h"

#include <stdio.h>

/* Writes the events that contain all the words of pattern (NULL: all), group by group, each with
 * whether it counts here, and once for several in a row why not. width: columns of the terminal, to
 * which lines are broken; 0: one line for each event. -1 with a message that has the nearest name
 * when there is none. */
int events_page_write(FILE *out, int width, struct availability *availability, const char *pattern,
                      struct err *err);

#endif
