/* Parses the command line by the table of options (options.h), and writes its help. */
#ifndef CLI_CMDLINE_H
#define CLI_CMDLINE_H

#include "base/err.h"
#include "cli/options.h"

#include <stdio.h>

/* Fills options (release with options_release, also after a failure); texts point into argv. -1
 * with a message fit for "wrong usage". */
int cmdline_parse(struct options *options, int argc, char **argv, struct err *err);

void cmdline_help(const struct options *options, FILE *out);

/* Writes a line for each option on the command line that changes nothing in the rows of the chosen
 * view. Not for the terminal, where the views are a key apart. */
void cmdline_say_unused(const struct options *options, FILE *out);

#endif
