/* A plain sentence about a row: what keeps it from running, what its cycles are spent on, and where
 * that data comes from. From a table of rules with limits; only what was counted is judged. */
#ifndef VIEW_VERDICT_H
#define VIEW_VERDICT_H

#include "view/view_context.h"

struct metric_set;

/* "62 % of its slots wait for memory; 71 % of the lines it fetches come from memory". The caller
 * frees it. NULL: nothing is beyond its limit, or what would tell it is not counted. */
char *verdict_text(const struct view_context *context, const struct metric_set *metric_set,
                   const struct row *row);

#endif
