#include <string.h>

#include "sample/watch.h"
#include "unit/test.h"

static bool has(const struct watch *watch, pid_t pid, pid_t tid, const char *comm, uid_t uid)
{
    return watch_has(watch, &(struct watched){.pid = pid, .tid = tid, .comm = comm, .uid = uid});
}

static bool may_have(const struct watch *watch, pid_t pid, const char *comm, uid_t uid)
{
    return watch_may_have(watch, &(struct watched){.pid = pid, .comm = comm, .uid = uid});
}

static void nothing_named_is_everything(void **state)
{
    struct watch watch = {0};
    assert_true(watch_all(&watch));
    assert_true(has(&watch, 1, 2, "x", 3));
    assert_true(may_have(&watch, 1, "x", 3));
    watch_release(&watch);
}

static void pids_and_names(void **state)
{
    struct watch watch = {0};
    struct err err = {""};
    assert_int_equal(watch_add_processes(&watch, " 12 ,spin,,2147483647, a b\t,", &err), 0);
    assert_int_equal(watch.pid_count, 2);
    assert_int_equal(watch.pids[0], 12);
    assert_int_equal(watch.pids[1], 2147483647);
    assert_int_equal(watch.name_count, 2);
    assert_string_equal(watch.names[0], "spin");
    assert_string_equal(watch.names[1], "a b");
    assert_false(watch_all(&watch));
    assert_true(has(&watch, 12, 13, "other", 0));
    assert_true(has(&watch, 7, 8, "spin", 0));
    assert_false(has(&watch, 7, 12, "other", 0)); /* 12 is a pid, not a tid */
    assert_false(has(&watch, 7, 7, "spinner", 0));
    assert_false(has(&watch, 7, 7, "spi", 0));
    assert_true(may_have(&watch, 12, "other", 0));
    assert_false(may_have(&watch, 13, "other", 0));
    watch_release(&watch);
    assert_true(watch_all(&watch));
}

static void names_longer_than_the_kernels(void **state)
{
    struct watch watch = {0};
    assert_int_equal(watch_add_processes(&watch, "a-very-long-name-indeed", NULL), 0);
    assert_true(has(&watch, 7, 7, "a-very-long-nam", 0));
    assert_false(has(&watch, 7, 7, "a-very-long-na", 0));
    watch_release(&watch);
}

static void threads(void **state)
{
    struct watch watch = {0};
    assert_int_equal(watch_add_threads(&watch, "5, 6", NULL), 0);
    assert_true(has(&watch, 1, 5, "x", 0));
    assert_false(has(&watch, 5, 7, "x", 0));
    assert_true(may_have(&watch, 1, "x", 0)); /* it may have the thread */
    watch_add_pid(&watch, 9);
    assert_true(has(&watch, 9, 10, "x", 0));
    assert_true(may_have(&watch, 1, "x", 0));
    watch_release(&watch);
}

static void users_narrow(void **state)
{
    struct watch watch = {0};
    watch_add_user(&watch, 1000);
    assert_false(watch_all(&watch));
    assert_true(has(&watch, 1, 1, "x", 1000));
    assert_false(has(&watch, 1, 1, "x", 1001));
    assert_false(has(&watch, 1, 1, "x", (uid_t)-1));
    watch_add_user(&watch, 1001);
    watch_add_pid(&watch, 7);
    assert_true(has(&watch, 7, 7, "x", 1001));
    assert_false(has(&watch, 8, 8, "x", 1001));
    assert_false(has(&watch, 7, 7, "x", 0));
    assert_true(may_have(&watch, 7, "x", 1000));
    assert_false(may_have(&watch, 8, "x", 1000));
    assert_false(may_have(&watch, 7, "x", 0));
    watch_release(&watch);
}

static void copies_stand_alone(void **state)
{
    struct watch watch, copy;
    watch = (struct watch){0};
    watch_add_processes(&watch, "7,spin", NULL);
    watch_add_threads(&watch, "8", NULL);
    watch_add_user(&watch, 9);
    watch_copy(&copy, &watch);
    watch_release(&watch);
    assert_true(has(&copy, 7, 1, "x", 9));
    assert_true(has(&copy, 1, 1, "spin", 9));
    assert_true(has(&copy, 1, 8, "x", 9));
    assert_false(has(&copy, 7, 1, "x", 1));
    watch_release(&copy);
}

static void a_command_and_what_descends_from_it(void **state)
{
    struct watch watch, copy;
    watch = (struct watch){0};
    watch.command = 5;
    watch_copy(&copy, &watch);
    watch_release(&watch);
    assert_false(watch_all(&copy));
    assert_true(watch_has(&copy, &(struct watched){.pid = 6, .comm = "x", .command = true}));
    assert_true(watch_may_have(&copy, &(struct watched){.pid = 6, .comm = "x", .command = true}));
    assert_false(has(&copy, 6, 6, "x", 0));
    watch_add_pid(&copy, 6);
    assert_true(has(&copy, 6, 6, "x", 0));
    watch_release(&copy);
}

static void a_cgroup_narrows(void **state)
{
    struct watch watch = {0}, copy;
    watch.cgroup = strdup("/sys/fs/cgroup/web");
    watch_copy(&copy, &watch);
    watch_release(&watch);
    assert_false(watch_all(&copy));
    assert_false(has(&copy, 6, 6, "x", 0));
    assert_true(watch_has(&copy, &(struct watched){.pid = 6, .comm = "x", .in_cgroup = true}));
    watch_add_pid(&copy, 7);
    assert_false(watch_has(&copy, &(struct watched){.pid = 6, .comm = "x", .in_cgroup = true}));
    watch_release(&copy);
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
    assert_int_equal(watch.name_count, 0);
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
    assert_int_equal(watch.name_count, 1);
    assert_string_equal(watch.names[0], "spin");
    assert_int_equal(watch.tid_count, 2);

    assert_int_equal(watch_remove(&watch, "8,coffee", &err), -1);
    assert_string_equal(err.text, "'coffee' is not watched");
    assert_int_equal(watch.pid_count, 1);
    assert_int_equal(watch.tid_count, 2);
    assert_int_equal(watch_remove(&watch, "8", &err), 0); /* a pid and a tid */
    assert_int_equal(watch.pid_count, 0);
    assert_int_equal(watch.tid_count, 1);

    assert_int_equal(watch_remove(&watch, " ", &err), 0);
    assert_int_equal(watch.name_count + watch.tid_count, 0);
    assert_int_equal(watch.command, 0);
    assert_int_equal(watch.user_count, 1); /* whose and where are no matter of that */
    assert_non_null(watch.cgroup);
    watch.user_count = 0;
    assert_int_equal(watch.user_count, 0);
    watch_release(&watch);
}
