#include "system/netlink.h"
#include "unit/test.h"

#include <linux/taskstats.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whoever may ask is told about itself, and nothing about a task that is not there. */
static void the_kernel_answers(void **state)
{
    struct delay_source source;
    struct task_delays delays;
    if (!task_delays_open(&source))
        skip(); /* not root, or no taskstats in this kernel */
    assert_true(task_delays_read(&source, getpid(), 0, &delays));
    assert_true(task_delays_read(&source, getpid(), gettid(), &delays));
    pid_t child = fork();
    if (child == 0)
        _exit(setresuid(65534, 65534, 65534) == 0 && task_delays_open(&(struct delay_source){0}));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(task_delays_read(&source, child, 0, &delays));
    assert_false(task_delays_read(&source, child, child, &delays));
    task_delays_close(&source);
    assert_false(task_delays_read(&source, getpid(), 0, &delays));
}

static void attributes_are_within_others(void **state)
{
    struct {
        uint16_t outer_length, outer, pid_length, pid_type;
        uint32_t pid;
        uint16_t length, type;
        struct taskstats stats;
    } answer = {.outer = TASKSTATS_TYPE_AGGR_PID,
                .pid_length = 8,
                .pid_type = TASKSTATS_TYPE_PID,
                .length = 4 + sizeof(struct taskstats),
                .type = TASKSTATS_TYPE_STATS};
    struct task_delays delays = {0};
    /* The kernel puts it at any multiple of 4 bytes. */
    char bytes[sizeof(answer)];
    size_t before = offsetof(typeof(answer), stats), size = 16 + sizeof(struct taskstats);
    answer.outer_length = (uint16_t)size;
    answer.stats.blkio_delay_total = 7;
    answer.stats.swapin_delay_total = 5;
    memcpy(bytes, &answer, 16);
    memcpy(bytes + 16, (char *)&answer + before, sizeof(struct taskstats));
    assert_true(task_delays_parse(bytes, size, TASKSTATS_TYPE_AGGR_PID, &delays));
    assert_int_equal(delays.block, 7);
    assert_int_equal(delays.swapin, 5);
    assert_false(task_delays_parse(bytes, size, TASKSTATS_TYPE_AGGR_TGID, &delays));
    assert_false(task_delays_parse(bytes, size - 1, TASKSTATS_TYPE_AGGR_PID, &delays));
    bytes[12] = 12; /* too short for delays */
    bytes[13] = 0;
    assert_false(task_delays_parse(bytes, size, TASKSTATS_TYPE_AGGR_PID, &delays));
}
