/* What the view asks about tasks on show, answered from /proc and the user database. */
#ifndef APP_LOOKUP_H
#define APP_LOOKUP_H

#include "record/reader.h"
#include "view/view.h"

struct lookup;

struct lookup *lookup_new(void);
void lookup_free(struct lookup *lookup);
/* From now on it is the interval that this reader read last that is on show, and /proc is not
 * asked; NULL: it is what there is now. */
void lookup_use(struct lookup *lookup, struct reader *reader);
const struct view_lookup *lookup_view(struct lookup *lookup); /* lives as long as the lookup */

#endif
