/* The manual page, man(7): the text of countertop.1.in, with the options, the settings, the keys
 * and the roles of themes written from the program's own tables. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include <stdio.h>

/* It does not depend on the machine or the user: the keys are the default ones. */
void manual_write(FILE *out);

#endif
