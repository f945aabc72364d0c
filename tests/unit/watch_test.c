#include <string.h>

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

static void expect_error(int (*add)(struct watch *watch, const char *list, struct err *err),
                         const char *list, const char *message)
{
    struct watch watch = {0};
    struct err err = {""};
    watch_add_pid(&watch, 3);
    assert_int_equal(add(&watch, list, &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(watch.pid_count, 1);
    assert_int_equal(watch.names.count, 0);
    assert_int_equal(watch.tid_count, 0);
    watch_release(&watch);
}

static void what_is_no_list_changes_nothing(void **state)
{
    expect_error(watch_add_processes, "",
                 "nothing named in '': expected pids or names, separated by commas");
    expect_error(watch_add_processes, " ,",
                 "nothing named in ' ,': expected pids or names, separated by commas");
    expect_error(watch_add_processes, "7,spin,0",
                 "no pid '0': expected a number from 1 to 2147483647");
    expect_error(watch_add_processes, "7,2147483648",
                 "no pid '2147483648': expected a number from 1 to 2147483647");
    expect_error(watch_add_processes, "-7", "no pid '-7': expected a number from 1 to 2147483647");
    expect_error(watch_add_threads, "7,spin",
                 "no thread id 'spin': expected a number from 1 to 2147483647");
    expect_error(watch_add_threads, ",",
                 "nothing named in ',': expected thread ids, separated by commas");
}

static void letting_go(void **state)
{
    struct watch watch = {0};
    struct err err = {""};
    watch_add_processes(&watch, "7,spin,8,tea,7", NULL);
    watch_add_threads(&watch, "8,9", NULL);
    watch_add_user(&watch, 1000);
    watch.command = 5;
    watch.cgroup = strdup("/sys/fs/cgroup/web");
    assert_int_equal(watch_remove(&watch, " 7, tea", &err), 0);
    assert_int_equal(watch.pid_count, 1);
    assert_int_equal(watch.pids[0], 8);
    assert_int_equal(watch.names.count, 1);
    assert_string_equal(watch.names.items[0], "spin");
    assert_int_equal(watch.tid_count, 2);

    assert_int_equal(watch_remove(&watch, "8,coffee", &err), -1);
    assert_string_equal(err.text, "'coffee' is not watched");
    assert_int_equal(watch.pid_count, 1);
    assert_int_equal(watch.tid_count, 2);
    assert_int_equal(watch_remove(&watch, "8", &err), 0); /* a pid and a tid */
    assert_int_equal(watch.pid_count, 0);
    assert_int_equal(watch.tid_count, 1);

    assert_int_equal(watch_remove(&watch, " ", &err), 0);
    assert_int_equal(watch.names.count + watch.tid_count, 0);
    assert_int_equal(watch.command, 0);
    assert_int_equal(watch.user_count, 1); /* whose and where are no matter of that */
    assert_non_null(watch.cgroup);
    watch.user_count = 0;
    assert_int_equal(watch.user_count, 0);
    watch_release(&watch);
}
