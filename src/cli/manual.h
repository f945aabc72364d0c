/* The manual page, man(7): the text of countertop.1.in, with options, settings, keys and roles of
 * themes from the program's tables. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include <stdio.h>

/* The result does not depend on the machine or the user: it has the default keys. */
void manual_write(FILE *out);

#endif
