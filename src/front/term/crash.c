#include "front/term/crash.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <termios.h>
#include <unistd.h>

/* SIGQUIT is no crash, but ends the program in the same way if it is not blocked. */
static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

/* Static, for the signal handler. */
static struct {
    volatile sig_atomic_t armed;
    bool has_mode;
    struct termios mode;
    struct crash_text text;
    struct sigaction before[SIGNALS];
    char stack[1 << 16]; /* of the handler: the crash may be a stack overflow */
} crash;

static void handle(int number)
{
    int saved = errno;
    if (crash.armed) {
        crash.armed = 0;
        ssize_t written = write(STDOUT_FILENO, crash.text.bytes, crash.text.length);
        (void)written;
        if (crash.has_mode)
            tcsetattr(STDIN_FILENO, TCSANOW, &crash.mode);
    }
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            sigaction(number, &crash.before[i], NULL);
    raise(number); /* waits until this handler returns */
    errno = saved;
}

void crash_prepare(void)
{
    crash.has_mode = tcgetattr(STDIN_FILENO, &crash.mode) == 0;
}

void crash_arm(const struct crash_text *text)
{
    if (crash.armed)
        return;
    crash.text = *text;
    stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof(crash.stack)};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &crash.before[i]);
    crash.armed = 1;
}

void crash_disarm(void)
{
    if (!crash.armed)
        return;
    crash.armed = 0;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &crash.before[i], NULL);
    stack_t stack = {.ss_flags = SS_DISABLE};
    sigaltstack(&stack, NULL);
}
