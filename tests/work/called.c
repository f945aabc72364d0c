/* N threads, numbered from 1, each of which waits until it is called. A line of input calls one:
 *   I touch P   touches P pages that nobody has touched
 *   I bear P    creates another thread, which gets the next number, touches P pages, and then waits
 *   I end       ends, after it has touched 0 pages
 * The answer, when it is done, is a line with the id of the thread that was called, or created. The
 * first line of output, when all wait, is the number of threads. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

enum { THREADS_MAX = 1000, PAGES_MAX = 100000 };

static struct thread {
    sem_t called;
    char what[6];
    uint64_t pages;
} threads[THREADS_MAX];

static const char usage_text[] = "called N";
static size_t created;
static sem_t done;
static long done_by;
static volatile char *fresh;

static void touch(uint64_t pages)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    for (; pages > 0; pages--) {
        *fresh = 1;
        fresh += size;
    }
    done_by = syscall(SYS_gettid);
    sem_post(&done);
}

static void create(const char *what, uint64_t pages);

static void *live(void *argument)
{
    struct thread *self = argument;
    do {
        sem_wait(&self->called);
        if (strcmp(self->what, "bear") == 0)
            create("touch", self->pages);
        else
            touch(self->pages);
    } while (strcmp(self->what, "end") != 0);
    return NULL;
}

static void call(struct thread *thread, const char *what, uint64_t pages)
{
    snprintf(thread->what, sizeof(thread->what), "%s", what);
    thread->pages = pages;
    sem_post(&thread->called);
}

static void create(const char *what, uint64_t pages)
{
    pthread_t id;
    struct thread *thread = &threads[created++];
    check(created == THREADS_MAX || sem_init(&thread->called, 0, 0), "sem_init");
    call(thread, what, pages);
    errno = pthread_create(&id, NULL, live, thread);
    check(errno, "pthread_create");
    pthread_detach(id);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        usage(usage_text);
    uint64_t count = number(argv[1], usage_text);
    size_t bytes = PAGES_MAX * (size_t)sysconf(_SC_PAGESIZE);
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(map == MAP_FAILED, "mmap");
    madvise(map, bytes, MADV_NOHUGEPAGE);
    fresh = map;
    sem_init(&done, 0, 0);
    for (uint64_t i = 0; i < count; i++) {
        create("touch", 1);
        sem_wait(&done);
    }
    printf("%zu\n", created);
    fflush(stdout);
    char line[64], what[6];
    size_t who;
    unsigned long long pages;
    while (fgets(line, sizeof(line), stdin)) {
        pages = 0;
        check(sscanf(line, "%zu %5s %llu", &who, what, &pages) < 2 || who < 1 || who > created,
              "called");
        call(&threads[who - 1], what, pages);
        sem_wait(&done);
        printf("%ld\n", done_by);
        fflush(stdout);
    }
    return 0;
}
