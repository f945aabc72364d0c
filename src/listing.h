/* The answers to --list-events, --list-columns and --list-themes, on standard output. */
#ifndef LISTING_H
#define LISTING_H

#include "library.h"
#include "options.h"

/* The status to end with: 1 with a message where there is none of that name. */
int listing_events(const struct options *options, struct err *err);
void listing_columns(const struct library *library);
void listing_themes(void);

#endif
