/* Runs a test in a process of its own, for what there is no way back from. */
#pragma once

#include "unit/test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PASSED = 42, IMPOSSIBLE };

/* The test may exit with IMPOSSIBLE: then it is skipped. */
static void in_child(bool (*test)(void))
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(test() ? PASSED : EXIT_FAILURE);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == IMPOSSIBLE)
        skip();
    assert_int_equal(WEXITSTATUS(status), PASSED);
}
