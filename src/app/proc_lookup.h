/* Answers the view's questions about tasks from /proc and the user database. */
#ifndef APP_PROC_LOOKUP_H
#define APP_PROC_LOOKUP_H

#include "record/reader.h"
#include "view/view_context.h"

struct proc_lookup;

struct proc_lookup *proc_lookup_new(void);
void proc_lookup_free(struct proc_lookup *lookup);
/* Answers for delays from now on, where the kernel lets this process ask. Before the sandbox, which
 * lets nobody open a netlink socket. */
void proc_lookup_ask_delays(struct proc_lookup *lookup);
/* Answers from the interval that this reader read last; NULL: from /proc. */
void proc_lookup_use(struct proc_lookup *lookup, struct reader *reader);
const struct view_lookup *
proc_lookup_view(struct proc_lookup *lookup); /* valid as long as the lookup */

#endif
