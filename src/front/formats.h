/* The formats of batch output: one table, which --format, its help, the completion of shells, the
 * check of options that belong together, and the program that writes them read. */
#ifndef FRONT_FORMATS_H
#define FRONT_FORMATS_H

#include "front/batch.h"

extern const struct format formats[]; /* the first is the default; a row without name ends it */

/* "text (default), csv or json (JSON Lines)", in lines for --help. */
void formats_describe(struct str *text);

#endif
