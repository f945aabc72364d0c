/* forbid [-a] ERRNO COMMAND [ARGUMENT]...: executes the command where perf_event_open(2) fails with
 * that errno (a name such as EPERM), as in a container whose seccomp profile forbids it. -a: only
 * where it is given attributes, as if the kernel itself refused what it is asked for. Needs
 * CAP_SYS_ADMIN, and does without no_new_privs. */
#include "work.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int errno_of(const char *name)
{
    for (int number = 1; number < 134; number++)
        if (strerrorname_np(number) && strcmp(strerrorname_np(number), name) == 0)
            return number;
    return -1;
}

int main(int argc, char **argv)
{
    int with_attributes = argc > 1 && strcmp(argv[1], "-a") == 0;
    char **words = argv + 1 + with_attributes;
    int error = words[0] ? errno_of(words[0]) : -1;
    if (error < 0 || !words[1])
        usage("forbid [-a] ERRNO COMMAND [ARGUMENT]...");
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 3),
        /* The lower half of the pointer to the attributes. */
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, (unsigned char)with_attributes, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(*filter), .filter = filter};
    check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
    execvp(words[1], words + 1);
    perror(words[1]);
    return 127;
}
