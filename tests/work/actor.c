/* actor: does what it is told, so that who a task is changes while others look. It prints its pid
 * and the ids of its threads 0 (the first), 1 and 2. A line "THREAD VERB N" is obeyed by that
 * thread and answered with "done". Verbs: setuid N (of the process), own N (the user of the thread
 * alone), name N (its name becomes actN), children N (that each end at once), faults N (touches N
 * new pages), work N (N thousand system calls), exit (the thread ends). The end of the input ends
 * the program. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3 };

static struct order {
    bool given;
    char verb[16];
    long n;
} orders[THREADS];
static pid_t tids[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;

static void make_children(long n)
{
    for (long i = 0; i < n; i++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        waitpid(pid, NULL, 0);
    }
}

static __attribute__((noinline)) void touch_pages(long n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)n * page;
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        abort();
    madvise(pages, size, MADV_NOHUGEPAGE);
    for (long i = 0; i < n; i++)
        ((volatile char *)pages)[(size_t)i * page] = 1;
    munmap(pages, size);
}

static void work(long n)
{
    for (long i = 0; i < n * 1000; i++)
        syscall(SYS_getppid);
}

static void obey(const struct order *order)
{
    char name[16];
    long n = order->n;
    int failed = 0;
    snprintf(name, sizeof(name), "act%ld", n);
    if (strcmp(order->verb, "setuid") == 0)
        failed = setresuid((uid_t)n, (uid_t)n, (uid_t)n);
    else if (strcmp(order->verb, "own") == 0)
        failed = (int)syscall(SYS_setresuid, n, n, n);
    else if (strcmp(order->verb, "name") == 0)
        failed = prctl(PR_SET_NAME, name);
    else if (strcmp(order->verb, "children") == 0)
        make_children(n);
    else if (strcmp(order->verb, "faults") == 0)
        touch_pages(n);
    else if (strcmp(order->verb, "work") == 0)
        work(n);
    else if (strcmp(order->verb, "exit") != 0)
        failed = -1;
    printf(failed ? "failed\n" : "done\n");
    fflush(stdout);
}

static void *act(void *argument)
{
    long number = (long)argument;
    struct order order = {0};
    pthread_mutex_lock(&lock);
    tids[number] = gettid();
    pthread_cond_broadcast(&change);
    while (strcmp(order.verb, "exit") != 0) {
        while (!orders[number].given)
            pthread_cond_wait(&change, &lock);
        order = orders[number];
        pthread_mutex_unlock(&lock);
        obey(&order);
        pthread_mutex_lock(&lock);
        orders[number].given = false;
        pthread_cond_broadcast(&change);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *listen_to(void *argument)
{
    (void)argument;
    struct order order = {.given = true};
    unsigned number;
    char line[64];
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS; i++)
        while (!tids[i])
            pthread_cond_wait(&change, &lock);
    printf("%d %d %d %d\n", getpid(), tids[0], tids[1], tids[2]);
    fflush(stdout);
    pthread_mutex_unlock(&lock);
    while (fgets(line, sizeof(line), stdin)) {
        order.n = 0;
        if (sscanf(line, "%u %15s %ld", &number, order.verb, &order.n) < 2 || number >= THREADS)
            abort();
        pthread_mutex_lock(&lock);
        orders[number] = order;
        pthread_cond_broadcast(&change);
        while (orders[number].given) /* one after another */
            pthread_cond_wait(&change, &lock);
        pthread_mutex_unlock(&lock);
    }
    exit(0);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, listen_to, NULL);
    for (long i = 1; i < THREADS; i++)
        pthread_create(&thread, NULL, act, (void *)i);
    act((void *)0L);
    pthread_exit(NULL);
}
