/* Touches all pages of MIB mebibytes, then creates PROCESSES one after the other, which have that
 * memory, too, and end at once: giving it back takes them longer than all else. Prints how many
 * page faults it and they have had, as the kernel says. */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "bulky MIB PROCESSES";

int main(int argc, char **argv)
{
    if (argc != 3)
        usage(usage_text);
    size_t bytes = number(argv[1], usage_text) << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t processes = number(argv[2], usage_text);
    struct rusage own, theirs;
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(memory == MAP_FAILED, "mmap");
    madvise((void *)memory, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += page)
        memory[i] = 1;
    for (uint64_t p = 0; p < processes; p++) {
        pid_t pid = fork();
        check(pid < 0, "fork");
        if (pid == 0)
            _exit(0);
        check(waitpid(pid, NULL, 0) < 0, "waitpid");
    }
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &theirs);
    printf("%ld\n", own.ru_minflt + own.ru_majflt + theirs.ru_minflt + theirs.ru_majflt);
    return 0;
}
