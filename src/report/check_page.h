/* The page of --check. */
#ifndef REPORT_CHECK_PAGE_H
#define REPORT_CHECK_PAGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Tries what can be counted and writes the results: as text, or as one line of JSON. sandbox: also
 * tries that, for which there is no way back. Returns the exit status: 0 hardware counters work, 3
 * only software events do, 1 nothing does, or the check failed (with a message). */
int check_page_write(FILE *out, bool json, bool sandbox, struct err *err);

#endif
