/* onscreen [-k KEYS] SECONDS COLUMNS ROWS COMMAND...: runs the command in a terminal of its own for
 * so long, then kills it, so that what it has drawn stays; writes all that it wrote to the
 * terminal. The keys are typed, one after the other, when it has drawn something and then nothing
 * for 0.1 s. */
#include "work.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    static const char text[] = "onscreen [-k KEYS] SECONDS COLUMNS ROWS COMMAND...";
    enum { QUIET = 100 }; /* ms */
    const char *keys = "";
    bool drawn = false;
    if (argc > 2 && strcmp(argv[1], "-k") == 0) {
        keys = argv[2];
        argc -= 2;
        argv += 2;
    }
    if (argc < 5)
        usage(text);
    double end = seconds() + (double)number(argv[1], text);
    struct winsize size = {.ws_col = (unsigned short)number(argv[2], text),
                           .ws_row = (unsigned short)number(argv[3], text)};
    int terminal;
    pid_t pid = forkpty(&terminal, NULL, NULL, &size);
    if (pid == 0) {
        execvp(argv[4], argv + 4);
        _exit(127);
    }
    check(pid < 0, "forkpty");
    struct pollfd wait = {.fd = terminal, .events = POLLIN};
    for (double left; (left = end - seconds()) > 0;) {
        char buffer[4096];
        int patience = (int)(left * 1000) + 1;
        if (poll(&wait, 1, drawn && *keys && patience > QUIET ? QUIET : patience) <= 0) {
            if (drawn && *keys && write(terminal, keys, 1) == 1)
                keys++;
            continue;
        }
        drawn = true;
        ssize_t n = read(terminal, buffer, sizeof(buffer));
        if (n <= 0 || write(STDOUT_FILENO, buffer, (size_t)n) != n)
            break;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return 0;
}
