/* Threads that wait, each for another kind of thing, for good. Prints a line for each: its thread
 * id, the kind and the text that countertop has to show, with tabs between them; then "ready". In
 * the directory DIR it makes files. With `ring` or `chain` instead: N threads of which each holds
 * one mutex and waits for the next one's; in a chain the last one lets go of its mutex now and
 * then. With `queue`: N threads that take one mutex in turns; who has it holds it for a while. Ends
 * by a signal. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "waiter DIR | ring N | chain N | queue N";

static struct {
    const char *dir;
    char path[8][PATH_MAX];
    pthread_mutex_t recursive, inherited, *robust, guard, lock[64];
    unsigned long heap; /* where it begins */
    pthread_cond_t condition;
    sem_t semaphore, told;
    pid_t owner, child, locker;
    pthread_t endless;
    pid_t endless_tid;
    int full[2], empty[2], listener, datagram, stream, busy, master, terminal;
    int served[4]; /* sockets whose other end a child has */
    uint32_t word;
    pthread_barrier_t held;
    uint64_t count;
} waiter;

static pthread_mutex_t cache_lock;

static void tell(const char *kind, const char *format, ...)
{
    char text[PATH_MAX + 64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    printf("%d\t%s\t%s\n", (int)gettid(), kind, text);
    fflush(stdout);
    sem_post(&waiter.told);
}

static const char *path(int i, const char *name)
{
    snprintf(waiter.path[i], PATH_MAX, "%s/%s", waiter.dir, name);
    return waiter.path[i];
}

static int own_port(int socket)
{
    struct sockaddr_in address;
    socklen_t length = sizeof(address);
    check(getsockname(socket, (struct sockaddr *)&address, &length) < 0, "getsockname");
    return ntohs(address.sin_port);
}

static int bound(int type)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int made = socket(AF_INET, type, 0);
    check(made < 0 || bind(made, (struct sockaddr *)&address, sizeof(address)) < 0, "bind");
    return made;
}

static int joined(int port, int flags)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int made = socket(AF_INET, SOCK_STREAM | flags, 0);
    check(made < 0, "socket");
    if (connect(made, (struct sockaddr *)&address, sizeof(address)) < 0)
        check(errno != EINPROGRESS && errno != ETIMEDOUT, "connect");
    return made;
}

static const char *port_of_peer(int socket)
{
    static _Thread_local char text[16];
    struct sockaddr_in address;
    socklen_t length = sizeof(address);
    check(getpeername(socket, (struct sockaddr *)&address, &length) < 0, "getpeername");
    snprintf(text, sizeof(text), "%d", ntohs(address.sin_port));
    return text;
}

static void read_pipe(void)
{
    char byte;
    tell("read", "read pipe");
    check(read(waiter.empty[0], &byte, 1) != 1, "read");
}

static void write_pipe(void)
{
    char byte = 0;
    tell("write", "write pipe");
    check(write(waiter.full[1], &byte, 1) != 1, "write");
}

static void read_stream(void)
{
    char byte;
    tell("read", "read socket 127.0.0.1:%d", own_port(waiter.listener));
    check(recv(waiter.stream, &byte, 1, 0) != 1, "recv");
}

static void read_datagram(void)
{
    char byte;
    tell("read", "read socket 127.0.0.1:%d", own_port(waiter.datagram));
    check(recv(waiter.datagram, &byte, 1, 0) != 1, "recv");
}

static void read_unix(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int made = socket(AF_UNIX, SOCK_DGRAM, 0);
    char byte;
    snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path(0, "socket"));
    check(made < 0 || bind(made, (struct sockaddr *)&address, sizeof(address)) < 0, "bind");
    tell("read", "read socket %s", waiter.path[0]);
    check(recv(made, &byte, 1, 0) != 1, "recv");
}

static void read_served(int i, const char *form, const char *at)
{
    char byte, text[PATH_MAX];
    snprintf(text, sizeof(text), form, at);
    tell("read", "read socket %s(waiter-peer)", text);
    check(recv(waiter.served[i], &byte, 1, 0) != 1, "recv");
}

static void read_tcp(void)
{
    read_served(0, "127.0.0.1:%s ", port_of_peer(waiter.served[0]));
}

/* The other end receives at any address. */
static void read_udp(void)
{
    read_served(1, "127.0.0.1:%s ", port_of_peer(waiter.served[1]));
}

static void read_unix_peer(void)
{
    read_served(2, "%s ", waiter.path[3]);
}

static void read_pair(void)
{
    read_served(3, "%s", "");
}

static void accept_any(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int made = socket(AF_INET, SOCK_STREAM, 0);
    check(made < 0 || bind(made, (struct sockaddr *)&address, sizeof(address)) < 0 ||
              listen(made, 1) < 0,
          "listen");
    tell("accept", "accept :%d", own_port(made));
    check(accept(made, NULL, NULL) < 0, "accept");
}

static void accept_six(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t length = sizeof(address);
    int made = socket(AF_INET6, SOCK_STREAM, 0);
    if (made < 0 || bind(made, (struct sockaddr *)&address, length) < 0)
        return; /* this machine has no IPv6 */
    check(listen(made, 1) < 0 || getsockname(made, (struct sockaddr *)&address, &length) < 0,
          "listen");
    tell("accept", "accept [::1]:%d", ntohs(address.sin6_port));
    check(accept(made, NULL, NULL) < 0, "accept");
}

static void connect_busy(void)
{
    int port = own_port(waiter.busy);
    tell("connect", "connect 127.0.0.1:%d", port);
    for (;;)
        close(joined(port, 0));
}

static void poll_three(void)
{
    struct pollfd ends[3] = {{waiter.empty[0], POLLIN, 0}, {-1, 0, 0}, {-1, 0, 0}};
    tell("poll", "poll (3 descriptors)");
    check(poll(ends, 3, -1) != 0, "poll");
}

static void poll_none(void)
{
    tell("sleep", "sleep 1000.5 s");
    check(poll(NULL, 0, 1000500) != 0, "poll");
}

static void select_some(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(waiter.empty[0], &set);
    tell("poll", "select (descriptors below %d)", waiter.empty[0] + 1);
    check(select(waiter.empty[0] + 1, &set, NULL, NULL, NULL) != 0, "select");
}

static void epoll_hundred(void)
{
    struct epoll_event event = {.events = EPOLLIN};
    int made = epoll_create1(0);
    for (int i = 0; i < 100; i++)
        check(epoll_ctl(made, EPOLL_CTL_ADD, eventfd(0, 0), &event) < 0, "epoll_ctl");
    tell("poll", "epoll (100 descriptors)");
    check(epoll_wait(made, &event, 1, -1) != 0, "epoll_wait");
}

static void sleep_long(void)
{
    tell("sleep", "sleep 1234.5 s");
    check(nanosleep(&(struct timespec){1234, 500000000}, NULL), "nanosleep");
}

static void sleep_until(void)
{
    struct timespec at;
    struct tm local;
    char text[16];
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_sec += 3600;
    at.tv_nsec = 500000000;
    strftime(text, sizeof(text), "%H:%M:%S", localtime_r(&at.tv_sec, &local));
    tell("sleep", "sleep until %s", text);
    check(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL), "clock_nanosleep");
}

static void wait_for_one(void)
{
    tell("child", "wait for child %d waiter-child", (int)waiter.child);
    check(waitpid(waiter.child, NULL, 0) < 0, "waitpid");
}

static void wait_for_any(void)
{
    tell("child", "wait for a child");
    check(wait(NULL) < 0, "wait");
}

/* In state D, while the child has this memory. */
static void wait_for_exec(void)
{
#ifdef SYS_vfork
    tell("child", "wait until its child executes a program");
    if (vfork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
#else
    tell("signal", "signal");
    pause();
#endif
}

static void lock_file(void)
{
    int file = open(path(1, "file.db"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    tell("lock", "lock %s (flock), held by %d", waiter.path[1], (int)waiter.locker);
    check(flock(file, LOCK_EX) < 0, "flock");
}

static void open_fifo(void)
{
    check(mkfifo(path(2, "fifo"), 0600) < 0, "mkfifo");
    tell("open", "open %s", waiter.path[2]);
    check(open(waiter.path[2], O_RDONLY) < 0, "open");
}

/* What is to be shown of an address. */
static const char *place(const void *at)
{
    static _Thread_local char text[64];
    uintptr_t within = (uintptr_t)at - (uintptr_t)&waiter;
    if (at == &cache_lock)
        return "cache_lock";
    if (within < sizeof(waiter))
        snprintf(text, sizeof(text), "waiter+0x%zx", (size_t)within);
    else
        snprintf(text, sizeof(text), "[heap+0x%lx]", (unsigned long)at - waiter.heap);
    return text;
}

static void lock_mutex(pthread_mutex_t *mutex)
{
    tell("mutex", "mutex %s, held by %d", place(mutex), (int)waiter.owner);
    check(pthread_mutex_lock(mutex) != 0, "pthread_mutex_lock");
}

static void lock_plain(void)
{
    lock_mutex(&cache_lock);
}

static void lock_recursive(void)
{
    lock_mutex(&waiter.recursive);
}

static void lock_inherited(void)
{
    lock_mutex(&waiter.inherited);
}

static void lock_robust(void)
{
    lock_mutex(waiter.robust);
}

/* glibc waits at a word of it (nptl/pthread_cond_wait.c): which one, its version says. */
static void wait_condition(void)
{
    tell("condition", "condition %s+", place(&waiter.condition));
    pthread_mutex_lock(&waiter.guard);
    for (;;)
        pthread_cond_wait(&waiter.condition, &waiter.guard);
}

static void wait_semaphore(void)
{
    tell("futex", "semaphore %s", place(&waiter.semaphore));
    check(sem_wait(&waiter.semaphore) < 0, "sem_wait");
}

static void wait_word(void)
{
    tell("futex", "futex %s", place(&waiter.word));
    syscall(SYS_futex, &waiter.word, FUTEX_WAIT_PRIVATE, waiter.word, NULL, NULL, 0);
}

static void join_thread(void)
{
    tell("join", "join thread %d", (int)waiter.endless_tid);
    pthread_join(waiter.endless, NULL);
}

static void wait_signal(void)
{
    tell("signal", "signal");
    for (;;)
        pause();
}

static void read_signals(void)
{
    struct signalfd_siginfo info;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    int made = signalfd(-1, &set, 0);
    tell("signal", "signal");
    check(read(made, &info, sizeof(info)) < 0, "read");
}

static void read_events(void)
{
    uint64_t value;
    int made = eventfd(0, 0);
    tell("read", "read eventfd");
    check(read(made, &value, sizeof(value)) < 0, "read");
}

static void read_terminal(void)
{
    char byte;
    tell("terminal", "terminal input");
    check(read(waiter.terminal, &byte, 1) < 0, "read");
}

static void (*const kinds[])(void) = {
    read_tcp,       read_udp,      read_unix_peer, read_pair,      read_pipe,    write_pipe,
    read_stream,    read_datagram, read_unix,      accept_any,     accept_six,   connect_busy,
    poll_three,     poll_none,     select_some,    epoll_hundred,  sleep_long,   sleep_until,
    wait_for_one,   wait_for_any,  lock_file,      open_fifo,      lock_plain,   lock_recursive,
    lock_inherited, lock_robust,   wait_condition, wait_semaphore, wait_word,    join_thread,
    wait_signal,    read_signals,  read_events,    read_terminal,  wait_for_exec};

static void *run_kind(void *kind)
{
    kinds[(uintptr_t)kind]();
    sem_post(&waiter.told); /* there was nothing to wait for */
    pause();
    return NULL;
}

static void *never_end(void *unused)
{
    waiter.endless_tid = gettid();
    pthread_barrier_wait(&waiter.held);
    for (;;)
        pause();
    return unused;
}

static void make_mutex(pthread_mutex_t *mutex, int type, int protocol, int robust)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, type);
    pthread_mutexattr_setprotocol(&kind, protocol);
    pthread_mutexattr_setrobust(&kind, robust);
    errno = pthread_mutex_init(mutex, &kind);
    check(errno, "pthread_mutex_init");
    pthread_mutex_lock(mutex);
}

/* A child that stops itself with `stopped`, else sleeps. */
static pid_t child_named(const char *name, int file)
{
    int told[2];
    char byte = 0;
    check(pipe(told) < 0, "pipe");
    pid_t pid = fork();
    check(pid < 0, "fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prctl(PR_SET_NAME, name);
        if (file >= 0)
            check(flock(open(waiter.path[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600), LOCK_EX) < 0,
                  "flock");
        check(write(told[1], &byte, 1) != 1, "write");
        for (;;)
            pause();
    }
    check(read(told[0], &byte, 1) != 1, "read");
    return pid;
}

/* Connects sockets to others, which only a child keeps. */
static void make_served(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int other[4], pair[2], listener = bound(SOCK_STREAM), named = socket(AF_UNIX, SOCK_STREAM, 0);
    check(listen(listener, 1) < 0, "listen");
    waiter.served[0] = joined(own_port(listener), 0);
    other[0] = accept(listener, NULL, NULL);
    other[1] = socket(AF_INET, SOCK_DGRAM, 0);
    check(bind(other[1], (struct sockaddr *)&any, sizeof(any)) < 0, "bind");
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    any.sin_port = htons((uint16_t)own_port(other[1]));
    waiter.served[1] = socket(AF_INET, SOCK_DGRAM, 0);
    check(connect(waiter.served[1], (struct sockaddr *)&any, sizeof(any)) < 0, "connect");
    snprintf(at.sun_path, sizeof(at.sun_path), "%.100s", path(3, "served"));
    check(bind(named, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(named, 1) < 0, "listen");
    waiter.served[2] = socket(AF_UNIX, SOCK_STREAM, 0);
    check(connect(waiter.served[2], (struct sockaddr *)&at, sizeof(at)) < 0, "connect");
    other[2] = accept(named, NULL, NULL);
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0, "socketpair");
    waiter.served[3] = pair[0];
    other[3] = pair[1];
    close(listener);
    close(named);
    child_named("waiter-peer", -1);
    for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
        close(other[i]);
}

static void prepare(void)
{
    waiter.owner = gettid();
    pthread_barrier_init(&waiter.held, NULL, 2);
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX];
    waiter.robust = malloc(sizeof(*waiter.robust));
    while (maps && fgets(line, sizeof(line), maps))
        if (strstr(line, "[heap]"))
            waiter.heap = strtoul(line, NULL, 16);
    make_mutex(&cache_lock, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_STALLED);
    make_mutex(&waiter.recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE,
               PTHREAD_MUTEX_STALLED);
    make_mutex(&waiter.inherited, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT,
               PTHREAD_MUTEX_STALLED);
    make_mutex(waiter.robust, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&waiter.guard, NULL);
    pthread_cond_init(&waiter.condition, NULL);
    sem_init(&waiter.semaphore, 0, 0);
    sem_init(&waiter.told, 0, 0);
    path(1, "file.db");
    waiter.child = child_named("waiter-child", -1);
    waiter.locker = child_named("waiter-locker", 1);
    waiter.datagram = bound(SOCK_DGRAM);
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    ioctl(waiter.datagram, SIOCSIFFLAGS, &loopback); /* in a network of its own */
    make_served();
    check(pipe(waiter.empty) < 0 || pipe2(waiter.full, O_NONBLOCK) < 0, "pipe");
    for (char page[4096] = ""; write(waiter.full[1], page, sizeof(page)) > 0;)
        ;
    check(fcntl(waiter.full[1], F_SETFL, 0) < 0, "fcntl");
    waiter.listener = bound(SOCK_STREAM);
    check(listen(waiter.listener, 1) < 0, "listen");
    waiter.stream = joined(own_port(waiter.listener), 0);
    waiter.busy = bound(SOCK_STREAM);
    check(listen(waiter.busy, 0) < 0, "listen");
    for (int i = 0; i < 4; i++) /* so many that no more are taken */
        joined(own_port(waiter.busy), SOCK_NONBLOCK);
    waiter.master = posix_openpt(O_RDWR | O_NOCTTY);
    check(waiter.master < 0 || grantpt(waiter.master) < 0 || unlockpt(waiter.master) < 0,
          "posix_openpt");
    waiter.terminal = open(ptsname(waiter.master), O_RDWR | O_NOCTTY);
    check(waiter.terminal < 0, "open");
    errno = pthread_create(&waiter.endless, NULL, never_end, NULL);
    check(errno, "pthread_create");
    pthread_barrier_wait(&waiter.held);
}

static void *take_next(void *number)
{
    uint64_t i = (uintptr_t)number;
    pthread_mutex_lock(&waiter.lock[i]);
    printf("%d\n", (int)gettid());
    pthread_barrier_wait(&waiter.held);
    pthread_mutex_lock(&waiter.lock[(i + 1) % waiter.count]);
    for (;;)
        pause();
    return NULL;
}

/* A chain that lives: each holds its lock and takes the next one's for a moment. */
static void *take_two(void *number)
{
    uint64_t i = (uintptr_t)number;
    printf("%d\n", (int)gettid());
    pthread_barrier_wait(&waiter.held);
    for (;;) {
        pthread_mutex_lock(&waiter.lock[i]);
        if (i + 1 < waiter.count)
            pthread_mutex_lock(&waiter.lock[i + 1]);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        if (i + 1 < waiter.count)
            pthread_mutex_unlock(&waiter.lock[i + 1]);
        pthread_mutex_unlock(&waiter.lock[i]);
    }
    return NULL;
}

static void *take_turns(void *unused)
{
    printf("%d\n", (int)gettid());
    pthread_barrier_wait(&waiter.held);
    for (;;) {
        pthread_mutex_lock(&waiter.lock[0]);
        nanosleep(&(struct timespec){0, 200000000}, NULL);
        pthread_mutex_unlock(&waiter.lock[0]);
    }
    return unused;
}

static void start(void *(*live)(void *), uint64_t count)
{
    pthread_barrier_init(&waiter.held, NULL, (unsigned)count + 1);
    for (uint64_t i = 0; i < count; i++) {
        pthread_t thread;
        pthread_mutex_init(&waiter.lock[i], NULL);
        errno = pthread_create(&thread, NULL, live, (void *)(uintptr_t)i);
        check(errno, "pthread_create");
    }
    pthread_barrier_wait(&waiter.held);
}

int main(int argc, char **argv)
{
    void *(*live)(void *) = NULL;
    if (argc == 3)
        live = strcmp(argv[1], "ring") == 0    ? take_next
               : strcmp(argv[1], "chain") == 0 ? take_two
               : strcmp(argv[1], "queue") == 0 ? take_turns
                                               : NULL;
    if (argc != 2 && !live)
        usage(usage_text);
    if (live) {
        waiter.count = number(argv[2], usage_text);
        if (waiter.count < 1 || waiter.count > sizeof(waiter.lock) / sizeof(*waiter.lock))
            usage(usage_text);
        start(live, waiter.count);
    } else {
        waiter.dir = argv[1];
        prepare();
        for (uintptr_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
            pthread_t thread;
            errno = pthread_create(&thread, NULL, run_kind, (void *)i);
            check(errno, "pthread_create");
            while (sem_wait(&waiter.told) < 0)
                ;
        }
    }
    puts("ready");
    fflush(stdout);
    for (;;)
        pause();
}
