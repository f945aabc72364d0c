/* Has N page faults when told to. Prints "ready PID TID", waits for a line on standard input,
 * touches N fresh pages in thread TID (the first one, or with -t a second one), prints "done
 * FAULTS" with what the kernel counted for that thread meanwhile, and waits for the end of standard
 * input. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "faults [-t] N";

static void wait_for_line(void)
{
    char c = 0;
    while (c != '\n' && read(STDIN_FILENO, &c, 1) == 1)
        ;
}

static long faults_so_far(void)
{
    struct rusage usage;
    check(getrusage(RUSAGE_THREAD, &usage), "getrusage");
    return usage.ru_minflt + usage.ru_majflt;
}

static long touch(char *pages, size_t count, size_t size)
{
    long before = faults_so_far();
    for (size_t i = 0; i < count; i++)
        *(volatile char *)(pages + i * size) = 1;
    return faults_so_far() - before;
}

static void *work(void *argument)
{
    size_t count = *(size_t *)argument, size = (size_t)sysconf(_SC_PAGESIZE);
    /* One more than asked for: touching the first beforehand brings in the code and the stack,
     * which would fault later. */
    char *pages =
        mmap(NULL, (count + 1) * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(pages == MAP_FAILED, "mmap");
    /* A huge page would satisfy many touches with one fault. Kernels without huge pages refuse the
     * advice. */
    madvise(pages, (count + 1) * size, MADV_NOHUGEPAGE);
    char text[64];
    touch(pages, 1, size);
    snprintf(text, sizeof text, "ready %d %d\n", getpid(), gettid());
    check(write(STDOUT_FILENO, text, strlen(text)) < 0, "write");
    wait_for_line();
    long faults = touch(pages + size, count, size);
    snprintf(text, sizeof text, "done %ld\n", faults);
    check(write(STDOUT_FILENO, text, strlen(text)) < 0, "write");
    char c;
    while (read(STDIN_FILENO, &c, 1) == 1)
        ;
    /* At once: the C library's way out of a thread would fault once more. */
    _exit(0);
}

int main(int argc, char **argv)
{
    int option, threaded = 0;
    while ((option = getopt(argc, argv, "t")) != -1) {
        if (option != 't')
            usage(usage_text);
        threaded = 1;
    }
    if (optind + 1 != argc)
        usage(usage_text);
    size_t count = number(argv[optind], usage_text);
    if (threaded) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, work, &count);
        check(errno, "pthread_create");
        pthread_join(thread, NULL);
    } else {
        work(&count);
    }
    return 0;
}
