/* Processes that are held, and signals to them. */
#include "base/clock.h"
#include "system/procfs.h"
#include "unit/test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECOND = 1000000000 };

static pid_t start_child(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    assert_true(pid > 0);
    return pid;
}

static void end_child(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void one_that_began_later_is_another(void **state)
{
    struct err err;
    uint64_t before = clock_boot();
    pid_t pid = start_child();
    assert_int_equal(process_hold(pid, before - SECOND, &err), -1);
    assert_string_equal(err.text, "it has ended");
    end_child(pid);
}

static void an_ended_one_cannot_be_held(void **state)
{
    struct err err;
    siginfo_t info;
    pid_t pid = start_child();
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(process_hold(pid, clock_boot(), &err), -1); /* not waited for yet */
    assert_string_equal(err.text, "it has ended");
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(process_hold(pid, clock_boot(), &err), -1);
    assert_string_equal(err.text, "it has ended");
}
