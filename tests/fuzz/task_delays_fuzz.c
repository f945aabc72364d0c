/* Attributes of an answer about delays: what is within another is no longer than that. */
#include "system/netlink.h"
#include "fuzz/fuzz.h"

#include <linux/taskstats.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct task_delays delays;
    task_delays_parse((const char *)data, size, TASKSTATS_TYPE_AGGR_PID, &delays);
    return 0;
}
