/* Completion for shells, generated from the table of options: the scripts call the program to list
 * names of screens, themes, columns and events. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/options.h"

#include <stdio.h>

void completion_write(FILE *out, enum shell shell);

#endif
