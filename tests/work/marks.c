/* Leaves marks that can be counted one by one. Prints "ready PID ADDRESS", waits for a line on
 * standard input, writes the eight bytes at ADDRESS and calls the function leave_mark as often as
 * asked, in equal parts between its sleeps (slices of a CPU), prints "done", and waits for the end
 * of standard input. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "marks WRITES CALLS SLEEPS";

static volatile uint64_t marked;

void leave_mark(void);

__attribute__((noinline, noclone)) void leave_mark(void)
{
    __asm__ volatile("");
}

static void say(const char *text)
{
    check(write(STDOUT_FILENO, text, strlen(text)) < 0, "write");
}

static void wait_for(char end)
{
    char c = end + 1;
    while (c != end && read(STDIN_FILENO, &c, 1) == 1)
        ;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        usage(usage_text);
    uint64_t writes = number(argv[1], usage_text), calls = number(argv[2], usage_text);
    uint64_t sleeps = number(argv[3], usage_text);
    const struct timespec moment = {0, 1000};
    char text[64];
    snprintf(text, sizeof text, "ready %d 0x%llx\n", getpid(),
             (unsigned long long)(uintptr_t)&marked);
    say(text);
    wait_for('\n');
    uint64_t written = 0, called = 0;
    for (uint64_t slept = 0; slept <= sleeps; slept++) {
        for (; written < writes * (slept + 1) / (sleeps + 1); written++)
            marked = written;
        for (; called < calls * (slept + 1) / (sleeps + 1); called++)
            leave_mark();
        if (slept < sleeps)
            nanosleep(&moment, NULL);
    }
    say("done\n");
    wait_for('\0');
    return 0;
}
