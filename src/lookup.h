/* What the view asks about tasks on show, answered from /proc and the user database. */
#ifndef LOOKUP_H
#define LOOKUP_H

#include "view/view.h"

struct lookup;

struct lookup *lookup_new(void);
void lookup_free(struct lookup *lookup);
const struct view_lookup *lookup_view(struct lookup *lookup); /* lives as long as the lookup */

#endif
