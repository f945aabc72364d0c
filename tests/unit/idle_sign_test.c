#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/watcher.h"
#include "system/procfs.h"
#include "unit/test.h"

static const struct perf_event_attr filler = {
    .type = PERF_TYPE_SOFTWARE,
    .config = PERF_COUNT_SW_DUMMY,
    .exclude_kernel = 1,
    .exclude_hv = 1,
};

/* A thread that answers each byte with its id, until there are no more. */
struct echo {
    int question[2], answer[2];
    pthread_t thread;
    pid_t tid;
};

static void *answer(void *argument)
{
    const struct echo *echo = argument;
    char byte;
    while (read(echo->question[0], &byte, 1) == 1) {
        pid_t tid = (pid_t)syscall(SYS_gettid);
        if (write(echo->answer[1], &tid, sizeof(tid)) != sizeof(tid))
            break;
    }
    return NULL;
}

static void ask(struct echo *echo)
{
    struct procfs_task facts;
    assert_int_equal(write(echo->question[1], "?", 1), 1);
    assert_int_equal(read(echo->answer[0], &echo->tid, sizeof(echo->tid)), sizeof(echo->tid));
    do
        assert_int_equal(procfs_task(getpid(), echo->tid, &facts), 0);
    while (facts.state != 'S');
}

static void echo_start(struct echo *echo)
{
    assert_int_equal(pipe(echo->question) | pipe(echo->answer), 0);
    assert_int_equal(pthread_create(&echo->thread, NULL, answer, echo), 0);
    ask(echo);
}

static void echo_end(struct echo *echo)
{
    close(echo->question[1]);
    pthread_join(echo->thread, NULL);
    close(echo->question[0]);
    close(echo->answer[0]);
    close(echo->answer[1]);
}

static void a_sign_changes_when_its_thread_runs(void **state)
{
    struct echo echoes[2];
    struct idle_sign signs[2];
    const struct idle_sign *both[] = {&signs[0], &signs[1]};
    if (idle_sign_limit(&filler) < 2)
        skip();
    for (int i = 0; i < 2; i++) {
        echo_start(&echoes[i]);
        assert_true(idle_sign_open(&signs[i], &filler, echoes[i].tid));
    }
    for (int turn = 0; turn < 100; turn++) {
        uint32_t first = idle_sign_value(&signs[0]), second = idle_sign_value(&signs[1]);
        ask(&echoes[turn % 2]);
        assert_int_equal(idle_sign_value(&signs[0]) == first, turn % 2 == 1);
        assert_int_equal(idle_sign_value(&signs[1]) == second, turn % 2 == 0);
    }
    assert_int_equal(idle_sign_count_living(both, 2), 2);
    echo_end(&echoes[1]);
    assert_int_equal(idle_sign_count_living(both, 2), 1);
    echo_end(&echoes[0]);
    assert_int_equal(idle_sign_count_living(both, 2), 0);
    for (int i = 0; i < 2; i++) {
        idle_sign_close(&signs[i]);
        assert_null(signs[i].page);
    }
}

static void signs_take_half_of_what_may_be_locked(void **state)
{
    struct rlimit old, limit;
    rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
    getrlimit(RLIMIT_MEMLOCK, &old);
    if (idle_sign_limit(&filler) == 0 || old.rlim_cur < 9 * page)
        skip();
    limit = (struct rlimit){9 * page, old.rlim_max};
    setrlimit(RLIMIT_MEMLOCK, &limit);
    assert_int_equal(idle_sign_limit(&filler), 4);
    limit.rlim_cur = 0;
    setrlimit(RLIMIT_MEMLOCK, &limit);
    assert_int_equal(idle_sign_limit(&filler), 0);
    setrlimit(RLIMIT_MEMLOCK, &old);
}

static void there_may_be_none(void **state)
{
    struct idle_sign sign;
    struct perf_event_attr unknown = {.type = UINT32_MAX};
    assert_false(idle_sign_open(&sign, &unknown, 0));
    assert_null(sign.page);
    assert_int_equal(idle_sign_value(&sign), 0);
    idle_sign_close(&sign);
    assert_int_equal(idle_sign_limit(&unknown), 0);
}
