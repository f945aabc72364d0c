/* A program that checks each of its own system calls: it creates threads and processes, executes
 * programs, maps memory, and so on. Each of its ACTORS (itself, threads, processes) calls the
 * function leave_mark and getppid(2) MARKS times. Prints "all calls well", and ends with status 0;
 * else names each call that failed, with status 1. With "wait" it first prints "ready PID ADDRESS",
 * the latter of an int that each actor but those that execute a program writes MARKS times, waits
 * for a line on standard input, and in the end for the end of that input. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

/* Itself, two threads, a forked process and its thread, processes by vfork and posix_spawn. */
enum { MARKS = 10, ACTORS = 7 };

extern char **environ;
static volatile int marked;
static int failures;

void leave_mark(void);

__attribute__((noinline, noclone)) void leave_mark(void)
{
    __asm__ volatile("");
}

static void act(int writes)
{
    for (int i = 0; i < MARKS; i++) {
        leave_mark();
        syscall(SYS_getppid);
        if (writes)
            marked = i;
    }
}

/* error: 0, or an errno. */
static void expect(int error, const char *what)
{
    if (!error)
        return;
    printf("%s: %s\n", what, strerror(error));
    fflush(stdout);
    __atomic_fetch_add(&failures, 1, __ATOMIC_SEQ_CST);
}

static void expect_call(long result, const char *what)
{
    expect(result < 0 ? errno : 0, what);
}

static void *run_thread(void *unused)
{
    act(1);
    expect_call(prctl(PR_SET_NAME, "careful"), "prctl");
    return unused;
}

static void thread(void)
{
    pthread_t made;
    int error = pthread_create(&made, NULL, run_thread, NULL);
    expect(error, "pthread_create");
    if (!error)
        expect(pthread_join(made, NULL), "pthread_join");
}

static void await(pid_t pid, const char *what)
{
    int status = 0;
    expect_call(pid, what);
    if (pid < 0)
        return;
    expect_call(waitpid(pid, &status, 0), "waitpid");
    if (status)
        printf("%s: the process ended with %d\n", what, status);
    failures += status != 0;
}

static void memory(void)
{
    enum { BYTES = 1 << 20 };
    int fd = memfd_create("careful", 0);
    expect_call(fd, "memfd_create");
    expect_call(ftruncate(fd, BYTES), "ftruncate");
    char *file = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    char *own = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(file == MAP_FAILED || own == MAP_FAILED ? errno : 0, "mmap");
    memset(own, 1, BYTES);
    expect_call(pwrite(fd, own, BYTES, 0), "pwrite");
    expect_call(mprotect(own, BYTES, PROT_READ | PROT_EXEC), "mprotect");
    expect_call(madvise(own, BYTES, MADV_DONTNEED), "madvise");
    expect_call(munmap(own, BYTES), "munmap");
    expect_call(munmap(file, BYTES), "munmap");
    expect_call(close(fd), "close");
}

static void others(void)
{
    cpu_set_t set;
    int ends[2];
    char byte;
    expect_call(pipe(ends), "pipe");
    expect_call(write(ends[1], "x", 1), "write");
    expect_call(read(ends[0], &byte, 1), "read");
    expect_call(dup2(ends[0], ends[1]), "dup2");
    close(ends[0]);
    close(ends[1]);
    expect_call(sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
    expect_call(sched_setaffinity(0, sizeof set, &set), "sched_setaffinity");
    expect_call(kill(getpid(), 0), "kill");
    expect_call(usleep(1000), "usleep");
    expect_call(setuid(getuid()), "setuid");
}

int main(int argc, char **argv)
{
    char *child[] = {argv[0], (char *)"child", NULL};
    int waits = argc > 1 && strcmp(argv[1], "wait") == 0;
    pid_t pid;
    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        act(0);
        return 0;
    }
    if (waits) {
        printf("ready %d %p\n", getpid(), (void *)(uintptr_t)&marked);
        fflush(stdout);
        while (getchar() != '\n')
            ;
    }
    act(1);
    thread();
    pid = fork();
    if (pid == 0) {
        act(1);
        thread();
        memory();
        _exit(failures > 0);
    }
    await(pid, "fork");
    pid = vfork();
    if (pid == 0) {
        execv(argv[0], child);
        _exit(1);
    }
    await(pid, "vfork");
    expect(posix_spawn(&pid, argv[0], NULL, NULL, child, environ), "posix_spawn");
    await(pid, "posix_spawn");
    memory();
    others();
    thread();
    if (!failures)
        puts("all calls well");
    fflush(stdout);
    while (waits && getchar() != EOF)
        ;
    return failures > 0;
}
