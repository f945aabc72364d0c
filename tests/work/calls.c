/* Enters the kernel again and again, with ROUNDS of a loop in user mode before each time: its time
 * is shared between the two in steady proportion. */
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "calls [-c CPU] ROUNDS";

int main(int argc, char **argv)
{
    int option;
    while ((option = getopt(argc, argv, "c:")) != -1) {
        if (option != 'c')
            usage(usage_text);
        pin((int)number(optarg, usage_text));
    }
    if (optind + 1 != argc)
        usage(usage_text);
    uint64_t rounds = number(argv[optind], usage_text);
    if (rounds < 1)
        usage(usage_text);
    for (;;) {
        burn(rounds);
        syscall(SYS_getppid);
    }
}
