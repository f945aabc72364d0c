#include "base/mem.h"
#include "engine/decode.h"
#include "engine/group.h"
#include "engine/sys.h"
#include "unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Software events of this thread, which any kernel counts for oneself: in user mode alone, so that
 * no permission is needed. Page faults of user code are such. */

static const struct caps caps = {.paranoid = 2, .descriptors = 1024};
static const struct group_target myself = {0, -1};

static struct perf_event_attr software(uint64_t config)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE, .config = config, .exclude_kernel = 1, .exclude_hv = 1};
}

static struct group_style reading(void)
{
    struct group_style style = {.filler = software(PERF_COUNT_SW_DUMMY)};
    style.filler.read_format = DECODE_READ_FORMAT;
    return style;
}

static struct group_style sampling(void)
{
    struct group_style style = {.samples = true,
                                .switches = software(PERF_COUNT_SW_CONTEXT_SWITCHES),
                                .ticker = software(PERF_COUNT_SW_CPU_CLOCK)};
    style.switches.read_format = style.ticker.read_format = DECODE_READ_FORMAT;
    style.switches.sample_type = DECODE_SWITCH_FIELDS;
    style.ticker.sample_type = DECODE_TICK_FIELDS;
    style.switches.sample_period = 1;
    style.ticker.sample_period = 100000000;
    return style;
}

static void add(struct event_list *list, const char *name, struct perf_event_attr attr)
{
    mem_grow(&list->events, &list->room, list->count + 1, sizeof(*list->events));
    struct event *event = &list->events[list->count++];
    *event = (struct event){
        .text = mem_strdup(name), .name = mem_strdup(name), .group = -1, .attr = attr};
    event_settle(event);
}

/* Faults, a clock, switches. */
static void three_events(struct event_list *list)
{
    *list = (struct event_list){0};
    add(list, "faults", software(PERF_COUNT_SW_PAGE_FAULTS));
    add(list, "clock", software(PERF_COUNT_SW_TASK_CLOCK));
    add(list, "switches", software(PERF_COUNT_SW_CONTEXT_SWITCHES));
}

static int begin(void **state)
{
    struct perf_event_attr attr = software(PERF_COUNT_SW_PAGE_FAULTS);
    int fd = sys_open(&attr, false, 0, -1, -1);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : -1;
}

static size_t descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void make(struct group_plan *plan, struct event_list *list, struct group_style style)
{
    size_t before = descriptors();
    group_plan_make(plan, list, &style, myself, &caps);
    assert_int_equal(descriptors(), before); /* trials leave nothing open */
    event_list_release(list);
}

static void the_users_switches_share_a_counter(void **state)
{
    struct event_list list;
    struct group_plan plan;
    three_events(&list);
    make(&plan, &list, sampling());
    const struct group_shape *shape = &plan.shapes[0];
    assert_int_equal(shape->values, 3);
    assert_int_equal(shape->event_of[shape->switches], 2);
    group_plan_release(&plan);
}

static void a_group_opens_whole_or_not_at_all(void **state)
{
    struct event_list list;
    struct group_plan plan;
    struct group_style style = reading();
    struct rlimit old, few;
    int fds[3];
    size_t refused = 99;
    three_events(&list);
    make(&plan, &list, style);
    int next = dup(0); /* the lowest that is free */
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    /* sys_open() leaves this many to the program: two of the three can be had. */
    few = (struct rlimit){(rlim_t)next + 2 + 16, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    int result = group_open(&plan, 0, &style, myself, fds, &refused), error = errno;
    int again = dup(0);
    setrlimit(RLIMIT_NOFILE, &old);
    close(again);
    assert_int_equal(result, -1);
    assert_int_equal(error, EMFILE);
    assert_int_equal(refused, 2);
    assert_int_equal(again, next); /* none is left open */
    group_plan_release(&plan);
}
