/* Page faults in cgroups, whose number it knows. DIRECTORY is that of a cgroup, which it enters.
 * With -n it starts N processes there, one after the other, which touch PAGES fresh pages each and
 * end; without, it goes N times from one cgroup to the next, touches so many pages in each, and
 * waits there for so long with -w. Prints "done" and for each cgroup the faults that the kernel
 * counted for it meanwhile. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "grouped [-n | -w MICROSECONDS] N DIRECTORY PAGES...";

enum { GROUPS_MAX = 8 };

static long faults(const struct rusage *usage)
{
    return usage->ru_minflt + usage->ru_majflt;
}

static long own_faults(void)
{
    struct rusage usage;
    check(getrusage(RUSAGE_SELF, &usage), "getrusage");
    return faults(&usage);
}

static char *fresh_pages(size_t count)
{
    size_t size = count * (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(pages == MAP_FAILED, "mmap");
    madvise(pages, size, MADV_NOHUGEPAGE);
    return pages;
}

static void touch(size_t count)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = fresh_pages(count);
    for (size_t i = 0; i < count; i++)
        *(volatile char *)(pages + i * size) = 1;
    munmap(pages, count * size);
}

/* What a child that ends at once counted. */
static long one_child(size_t pages)
{
    struct rusage usage;
    pid_t child = fork();
    check(child < 0, "fork");
    if (child == 0) {
        touch(pages);
        _exit(0);
    }
    check(wait4(child, NULL, 0, &usage) < 0, "wait4");
    return faults(&usage);
}

int main(int argc, char **argv)
{
    int option, children = 0, doors[GROUPS_MAX];
    useconds_t wait = 0;
    while ((option = getopt(argc, argv, "nw:")) != -1) {
        if (option == 'n')
            children = 1;
        else if (option == 'w')
            wait = (useconds_t)number(optarg, usage_text);
        else
            usage(usage_text);
    }
    int groups = (argc - optind - 1) / 2;
    if (groups < 1 || groups > GROUPS_MAX || optind + 1 + 2 * groups != argc)
        usage(usage_text);
    uint64_t rounds = number(argv[optind], usage_text);
    size_t pages[GROUPS_MAX];
    long counted[GROUPS_MAX] = {0};
    for (int g = 0; g < groups; g++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/cgroup.procs", argv[optind + 1 + 2 * g]);
        pages[g] = number(argv[optind + 2 + 2 * g], usage_text);
        check((doors[g] = open(path, O_WRONLY | O_CLOEXEC)) < 0, path);
    }
    touch(1);
    one_child(1);
    long before = own_faults();
    for (uint64_t i = 0; i < rounds || (children && i == 0); i++)
        for (int g = 0; g < groups; g++) {
            if (!children || i == 0)
                check(write(doors[g], "0", 1) != 1, "cgroup.procs");
            if (i == 0 && g == 0) /* the pages before were touched elsewhere */
                before = own_faults();
            if (children)
                counted[g] += one_child(pages[g]);
            else
                touch(pages[g]);
            if (wait)
                usleep(wait);
            counted[g] += own_faults() - before;
            before = own_faults();
        }
    char text[256];
    int length = snprintf(text, sizeof text, "done");
    for (int g = 0; g < groups; g++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %ld", counted[g]);
    text[length++] = '\n';
    check(write(STDOUT_FILENO, text, (size_t)length) < 0, "write");
    _exit(0);
}
