#include "sample/watch.h"
#include "unit/test.h"

static bool has(const struct watch *watch, pid_t pid, pid_t tid, const char *comm, uid_t uid)
{
    return watch_has(watch, &(struct watched){.pid = pid, .tid = tid, .comm = comm, .uid = uid});
}

static void names_longer_than_the_kernels(void **state)
{
    struct watch watch = {0};
    assert_int_equal(watch_add_processes(&watch, "a-very-long-name-indeed", NULL), 0);
    assert_true(has(&watch, 7, 7, "a-very-long-nam", 0));
    assert_false(has(&watch, 7, 7, "a-very-long-na", 0));
    watch_release(&watch);
}
