#include "event/query.h"
#include "base/mem.h"

enum answer query_not_here(struct query *q, enum event_state state, const char *reason)
{
    q->event.state = state;
    q->event.reason = mem_strdup(reason);
    return ANSWER_NOT_HERE;
}
