/* Fields of CSV at the end of a text, with a comma before each but the first one of a line, which
 * is never empty. */
#ifndef FRONT_CSV_FIELD_H
#define FRONT_CSV_FIELD_H

#include "base/str.h"

void csv_add_empty(struct str *text, size_t fields);

/* NULL: an empty field. safe: as csv_safe in front/csv.c. */
void csv_add_field(struct str *line, const char *text, bool safe);

#endif
