/* The formats of batch output. --format, its help, shell completion, the check of options that
 * belong together, and batch output read this table. */
#ifndef FRONT_FORMATS_H
#define FRONT_FORMATS_H

#include "front/batch.h"

/* Their writers, each of which has a file: .write of struct format. */
int text_write(struct batch *batch, const struct session *session, struct err *err);
int csv_write(struct batch *batch, const struct session *session, struct err *err);
int json_write(struct batch *batch, const struct session *session, struct err *err);
int folded_write(struct batch *batch, const struct session *session, struct err *err);
int svg_write(struct batch *batch, const struct session *session, struct err *err);
int pprof_write(struct batch *batch, const struct session *session, struct err *err);

extern const struct format formats[]; /* the first is the default; a row without name ends it */

/* "text (default), csv or json (JSON Lines)", with line breaks for --help. */
void formats_describe(struct str *text);

#endif
