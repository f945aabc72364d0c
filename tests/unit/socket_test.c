/* Messages between processes of the program. */
#include "base/socket.h"
#include "unit/test.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* A limit is for all of it: a sender that dribbles gains nothing. */
static void test_dribble(void **state)
{
    enum { PARTS = 40, PAUSE = 100000 };
    char part[PARTS];
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t pid = fork();
    for (int i = 0; pid == 0 && i < PARTS; i++) {
        usleep(PAUSE);
        (void)!write(ends[1], "x", 1);
    }
    if (pid == 0)
        _exit(0);
    struct timeval limit = {.tv_sec = 1};
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
    assert_true(socket_receive(ends[0], part, 1));
    assert_false(socket_receive(ends[0], part, PARTS - 1));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ends[0]);
    close(ends[1]);
}
