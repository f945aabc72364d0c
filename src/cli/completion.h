/* Completion for shells, made of the table of options: scripts that ask the program itself for the
 * names of screens, themes, columns and events when they are wanted. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/options.h"

#include <stdio.h>

void completion_write(FILE *out, enum shell shell);

#endif
