/* Batch output as JSON Lines: one object a refresh, exact integers, null for what is not known. */
#ifndef FRONT_JSON_H
#define FRONT_JSON_H

#include "front/front.h"
#include "front/out.h"

/* Takes over `out`; the others outlive it. */
struct front *json_new(struct view *view, const struct metric_set *metric_set,
                       const struct view_lookup *lookup, struct out out);

#endif
