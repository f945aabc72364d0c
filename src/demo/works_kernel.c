#include "base/file.h"
#include "base/mem.h"
#include "demo/loops.h"
#include "demo/worker.h"
#include "demo/works.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void work_must(bool succeeded)
{
    if (!succeeded)
        _exit(EXIT_FAILURE); /* the parent says that the workload has ended */
}

/* ---- page faults ---- */

static void *new_pages(const struct work *work, uint64_t count, bool huge)
{
    void *pages =
        mmap(NULL, count * work->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    work_must(pages != MAP_FAILED);
    /* A huge page would satisfy many touches with one fault. Kernels without huge pages refuse the
     * advice. */
    madvise(pages, count * work->page, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return pages;
}

void work_faults(struct work *work, uint64_t turns)
{
    bool huge = work->workload->parameter;
    /* Pages in a huge one: as many as a page of page tables has pointers. Whole ones are touched,
     * else each end would have small pages. */
    uint64_t around = huge ? work->page / sizeof(void *) : 0;
    char *pages = new_pages(work, turns + around, huge);
    size_t size = around * work->page;
    char *first = huge ? pages + (size - (uintptr_t)pages % size) % size : pages;
    loops_touch(first, work->page, turns);
    munmap(pages, (turns + around) * work->page);
}

char *work_needs_huge_pages(const struct workload *workload)
{
    char text[128];
    (void)workload;
    const char *path = "/sys/kernel/mm/transparent_hugepage/enabled";
    if (file_line(path, text, sizeof(text)) < 0)
        return mem_strdup("this kernel has no transparent huge pages");
    return strstr(text, "[never]")
               ? mem_strdup("transparent huge pages are off: as root, run 'echo madvise > "
                            "/sys/kernel/mm/transparent_hugepage/enabled'")
               : NULL;
}

/* ---- two threads on one CPU ---- */

static void play_turn(const struct work *work, int self)
{
    static const size_t counts[] = {WORK_PAGES_FIRST, WORK_PAGES_SECOND};
    char *pages = work->memory;
    size_t first = self ? work->turns * WORK_PAGES_FIRST : 0;
    if (pages)
        loops_touch(pages + (first + work->turn * counts[self]) * work->page, work->page,
                    counts[self]);
}

/* Waits for a byte in each turn and in no other place: each wait is a context switch. */
static void *play_second(void *argument)
{
    struct work *work = argument;
    char byte = 0;
    work->tids[1] = (pid_t)syscall(SYS_gettid);
    do
        work_must(write(work->pipes[1][1], &byte, 1) == 1);
    while (read(work->pipes[0][0], &byte, 1) == 1 && (play_turn(work, 1), true));
    return NULL;
}

void work_prepare_pingpong(struct work *work)
{
    char byte;
    work_must(pipe(work->pipes[0]) == 0 && pipe(work->pipes[1]) == 0 &&
              pthread_create(&work->partner, NULL, play_second, work) == 0);
    work_must(read(work->pipes[1][0], &byte, 1) == 1);
}

void work_pingpong(struct work *work, uint64_t turns)
{
    uint64_t count = turns * (WORK_PAGES_FIRST + WORK_PAGES_SECOND);
    char byte = 0;
    work->memory = work->workload->parameter ? new_pages(work, count, false) : NULL;
    work->turns = turns;
    for (work->turn = 0; work->turn < turns; work->turn++) {
        play_turn(work, 0);
        work_must(write(work->pipes[0][1], &byte, 1) == 1);
        work_must(read(work->pipes[1][0], &byte, 1) == 1);
    }
    if (work->memory)
        munmap(work->memory, count * work->page);
}

/* ---- migrations, calls, time ---- */

char *work_needs_two_cpus(const struct workload *workload)
{
    (void)workload;
    return worker_cpus() > 1 ? NULL : mem_strdup("it needs two CPUs, and may use only one");
}

void work_migrate(struct work *work, uint64_t turns)
{
    cpu_set_t set;
    for (uint64_t i = 0; i < turns; i++) {
        CPU_ZERO(&set);
        CPU_SET(work->cpus[(i + 1) % 2], &set);
        work_must(sched_setaffinity(0, sizeof(set), &set) == 0);
    }
}

void work_calls(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        syscall(SYS_getppid);
}

void work_clock(struct work *work, uint64_t turns)
{
    enum { BETWEEN = 1000 }; /* turns of the loop between two looks at the clock */
    struct timespec now;
    uint64_t end = 0, time;
    (void)work;
    do {
        loops_count(BETWEEN);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        time = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
        end = end ? end : time + turns;
    } while (time < end);
}
