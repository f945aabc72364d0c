/* COUNT threads, or with -p child processes, one after the other, each of which has N page faults,
 * or with -i retires N instructions in a loop, and ends. Prints "ready PID", waits for a line on
 * standard input, does all that, prints "done FAULTS" with what the kernel counted for the process
 * and its children meanwhile, and waits for the end of standard input. With -n it waits for nothing
 * and prints nothing. With -u child K has K times N page faults, and at the end each child's line
 * is "PID FAULTS" with what the kernel counted for all of its life. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "brood [-n] [-p] [-u] [-i] COUNT N";

struct brood {
    uint64_t n;
    int instructions;
};

struct life {
    pid_t pid;
    long faults;
};

static void *live(void *argument)
{
    const struct brood *brood = argument;
    if (brood->instructions) {
        burn(brood->n / 2);
        return NULL;
    }
    size_t size = (size_t)sysconf(_SC_PAGESIZE), length = brood->n * size;
    char *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(pages == MAP_FAILED, "mmap");
    madvise(pages, length, MADV_NOHUGEPAGE); /* kernels without huge pages refuse it */
    for (size_t at = 0; at < length; at += size)
        *(volatile char *)(pages + at) = 1;
    munmap(pages, length);
    return NULL;
}

static long faults_of(int who)
{
    struct rusage usage;
    check(getrusage(who, &usage), "getrusage");
    return usage.ru_minflt + usage.ru_majflt;
}

static struct life beget(struct brood brood, int processes)
{
    pthread_t thread;
    if (!processes) {
        errno = pthread_create(&thread, NULL, live, &brood);
        check(errno, "pthread_create");
        pthread_join(thread, NULL);
        return (struct life){0};
    }
    pid_t child = fork();
    check(child < 0, "fork");
    if (child == 0) {
        live(&brood);
        _exit(0);
    }
    struct rusage usage;
    check(wait4(child, NULL, 0, &usage) != child, "wait4");
    return (struct life){child, usage.ru_minflt + usage.ru_majflt};
}

static long faults_so_far(void)
{
    return faults_of(RUSAGE_SELF) + faults_of(RUSAGE_CHILDREN);
}

int main(int argc, char **argv)
{
    struct brood brood = {0};
    int option, processes = 0, waits = 1, unequal = 0;
    char c = 0;
    while ((option = getopt(argc, argv, "npui")) != -1) {
        if (option == 'n')
            waits = 0;
        else if (option == 'p')
            processes = 1;
        else if (option == 'u')
            unequal = processes = 1;
        else if (option == 'i')
            brood.instructions = 1;
        else
            usage(usage_text);
    }
    if (optind + 2 != argc)
        usage(usage_text);
    uint64_t count = number(argv[optind], usage_text);
    brood.n = number(argv[optind + 1], usage_text);
    if (brood.n < 1 || (brood.instructions && brood.n < 2))
        usage(usage_text);
    struct life *lives = calloc(count, sizeof(*lives));
    check(!lives, "calloc");
    if (waits) {
        beget(brood, processes); /* brings in the code that would fault later */
        printf("ready %d\n", getpid());
        fflush(stdout);
    }
    while (waits && c != '\n' && read(STDIN_FILENO, &c, 1) == 1)
        ;
    long before = faults_so_far();
    for (uint64_t k = 0; k < count; k++)
        lives[k] =
            beget((struct brood){brood.n * (unequal ? k + 1 : 1), brood.instructions}, processes);
    for (uint64_t k = 0; unequal && k < count; k++)
        printf("%d %ld\n", lives[k].pid, lives[k].faults);
    if (waits) {
        printf("done %ld\n", faults_so_far() - before);
        fflush(stdout);
    }
    while (waits && read(STDIN_FILENO, &c, 1) == 1)
        ;
    return 0;
}
