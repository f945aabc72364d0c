/* The pages of --demo: the list of workloads, and the self-test. */
#ifndef REPORT_DEMO_PAGE_H
#define REPORT_DEMO_PAGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes what each workload teaches, the events that it needs, and why these cannot be counted
 * here. As JSON a line each. */
void demo_page_list(FILE *out, bool json);

/* Checks a workload, or "all", and writes each result when it is known. The exit status: 0, 1 if a
 * check failed, or 2 with a message if there is no such workload. */
int demo_page_verify(FILE *out, const char *name, bool json, struct err *err);

#endif
