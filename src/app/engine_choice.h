/* Which engine counts when none was asked for. */
#ifndef APP_ENGINE_CHOICE_H
#define APP_ENGINE_CHOICE_H

#include "cli/options.h"
#include "system/caps.h"

/* Whether the task engine is to count although the ledger may: where a few processes are watched it
 * disturbs nobody else. events: how many there are at most. Why or why not is left in *reason,
 * which the caller frees. */
bool engine_choice_is_task(const struct options *options, const struct caps *caps, size_t events,
                           char **reason);

#endif
