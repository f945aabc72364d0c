#include "system/wait_target.h"
#include "base/signals.h"
#include "system/netlink.h"
#include "system/procfs.h"

#include <arpa/inet.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* One reading of one thread. */
struct wait_reading {
    struct wait_tables *tables;
    pid_t pid, tid; /* tid 0: the first thread */
    size_t threads; /* of the process */
    unsigned long long args[6];
    struct wait_target *target;
    uint64_t pipe; /* inode, of the last descriptor; 0: it is none */
};

struct wait_call {
    long number;
    const char *kind, *verb;
    /* Tells more than the verb; NULL: there is no more. */
    void (*tell)(struct wait_reading *reading, const struct wait_call *call);
};

static __attribute__((format(printf, 3, 4))) void
wait_say(struct wait_target *target, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    target->kind = kind;
    vsnprintf(target->text, sizeof(target->text), format, args);
    va_end(args);
}

/* ---- memory ---- */

/* Memory of others is read in a thread of its own: a page of it may be on a file system that never
 * answers. The thread frees this when it ends. */
struct wait_memory {
    sem_t asked, answered;
    bool late, ends; /* late: an answer is still to come */
    bool got;
    pid_t pid;
    uint64_t address;
    size_t size;
    char bytes[256];
};

static void *wait_memory_work(void *of)
{
    struct wait_memory *memory = of;
    while (sem_wait(&memory->asked) == 0 && !memory->ends) {
        memory->got = procfs_memory(memory->pid, memory->address, memory->bytes, memory->size);
        sem_post(&memory->answered);
    }
    free(memory);
    return NULL;
}

/* As procfs_memory(); false as long as one that was asked for before has not come. */
static bool wait_memory_read(struct wait_tables *tables, pid_t pid, uint64_t address, void *bytes,
                             size_t size)
{
    enum { PATIENCE = 100000000 }; /* ns: a page may be on a disk */
    struct wait_memory *memory = tables->memory;
    pthread_t thread;
    if (!memory) {
        memory = mem_alloc(sizeof(*memory));
        sem_init(&memory->asked, 0, 0);
        sem_init(&memory->answered, 0, 0);
        if (thread_start(&thread, "memory", wait_memory_work, memory) != 0) {
            free(memory);
            return false;
        }
        pthread_detach(thread);
        tables->memory = memory;
    }
    if (memory->late && sem_trywait(&memory->answered) < 0)
        return false;
    memory->pid = pid;
    memory->address = address;
    memory->size = size;
    sem_post(&memory->asked);
    struct timespec until = clock_after(PATIENCE);
    do
        memory->late = sem_timedwait(&memory->answered, &until) < 0;
    while (memory->late && errno == EINTR);
    if (memory->late || !memory->got)
        return false;
    memcpy(bytes, memory->bytes, size);
    return true;
}

/* ---- processes and threads ---- */

/* The number here of a thread of the process, which knows it by another one where it is in another
 * pid namespace; 0: it has no such thread. */
static pid_t wait_thread(struct wait_reading *reading, pid_t inner)
{
    char space[sizeof(reading->tables->pid_space)];
    char *here = reading->tables->pid_space;
    AUTO_PIDS struct pid_list threads = {0};
    pid_t found = 0;
    if (!*here)
        procfs_link_own(getpid(), 0, "ns/pid", here, sizeof(space));
    procfs_link_own(reading->pid, 0, "ns/pid", space, sizeof(space));
    if (str_equal(space, here))
        return procfs_uid(reading->pid, inner) == (uid_t)-1 ? 0 : inner;
    procfs_threads(reading->pid, &threads);
    for (size_t i = 0; i < threads.count && !found; i++)
        if (procfs_inner(reading->pid, threads.pids[i]) == inner)
            found = threads.pids[i];
    return found;
}

/* Its only child, if it has one thread; 0: it has more. */
static pid_t wait_only_child(const struct wait_reading *reading)
{
    AUTO_PIDS struct pid_list children = {0};
    if (reading->threads == 1)
        procfs_children_own(reading->pid, &children);
    return children.count == 1 ? *children.pids : 0;
}

/* Names the child with that number, unless it is that of another process: in another pid namespace
 * numbers differ. */
static void wait_tell_child(struct wait_reading *reading, const struct wait_call *call)
{
    struct wait_target *target = reading->target;
    struct procfs_task child;
    bool by_id = call->number == SYS_waitid;
    int inner = (int)reading->args[by_id ? 1 : 0];
    bool any = by_id ? reading->args[0] == P_ALL : inner == -1;
    bool one = by_id ? reading->args[0] == P_PID : inner > 0;
    wait_say(target, call->kind, "wait for a child");
    if (any && (target->pid = wait_only_child(reading)))
        wait_say(target, call->kind, "wait for child %d", (int)target->pid);
    if (!one || procfs_task(inner, 0, &child) < 0 || child.ppid != reading->pid ||
        procfs_inner(inner, 0) != inner)
        return;
    target->pid = inner;
    wait_say(target, call->kind, "wait for child %d %s", inner, child.comm);
}

/* ---- sockets, files and locks ---- */

void wait_tables_open(struct wait_tables *tables)
{
    tables->unix_peers = unix_peer_open() + 1;
}

void wait_tables_release(struct wait_tables *tables)
{
    map_free(&tables->sockets);
    map_release(&tables->holders);
    map_release(&tables->pipes);
    map_release(&tables->locks);
    if (tables->memory) {
        tables->memory->ends = true;
        sem_post(&tables->memory->asked);
    }
    file_close(tables->unix_peers - 1);
    *tables = (struct wait_tables){0};
}

struct wait_socket {
    uint64_t inode;
    char kind;              /* 't' TCP, 'u' UDP, 'x' unix */
    char own[64], peer[64]; /* addresses; "": it has none */
    char path[];            /* of a unix socket */
};

static void wait_add_socket(struct wait_tables *tables, uint64_t inode, char kind, const char *own,
                            const char *peer, const char *path)
{
    struct wait_socket *added = mem_alloc(sizeof(*added) + strlen(path) + 1);
    added->inode = inode;
    added->kind = kind;
    strcpy(added->own, own);
    strcpy(added->peer, peer);
    strcpy(added->path, path);
    free(map_put(&tables->sockets, inode, added));
}

/* "10.0.0.5:5432", "[::1]:80", ":8080" for any address; from the kernel's words in host order. */
static void wait_write_address(const char *digits, unsigned port, char text[64])
{
    uint32_t words[4] = {0};
    char address[INET6_ADDRSTRLEN] = "";
    bool four = strlen(digits) == 8, mapped, any = true;
    for (size_t i = 0; i < 4 && sscanf(digits + 8 * i, "%8" SCNx32, &words[i]) == 1 && !four; i++)
        ;
    for (size_t i = 0; i < 4; i++)
        any &= words[i] == 0;
    mapped = !four && !words[0] && !words[1] && words[2] == htonl(0xffff);
    if (!any)
        inet_ntop(four || mapped ? AF_INET : AF_INET6, mapped ? &words[3] : words, address,
                  sizeof(address));
    snprintf(text, 64, any || four || mapped ? "%s:%u" : "[%s]:%u", address, port);
}

/* A line of net/tcp, udp and their forms for IPv6 (proc_pid_net(5)). */
static void wait_take_inet(struct wait_tables *tables, const char *line, char kind)
{
    char from[40], to[40], own[64], peer[64] = "";
    unsigned own_port, port;
    uint64_t inode;
    if (sscanf(line,
               " %*[0-9]: %39[0-9A-F]:%x %39[0-9A-F]:%x %*x %*x:%*x %*x:%*x %*x %*u %*u %" SCNu64,
               from, &own_port, to, &port, &inode) != 5 ||
        !inode)
        return;
    wait_write_address(from, own_port, own);
    if (port)
        wait_write_address(to, port, peer);
    wait_add_socket(tables, inode, kind, own, peer, "");
}

static void wait_take_unix(struct wait_tables *tables, const char *line, char kind)
{
    uint64_t inode;
    int path = 0;
    if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %" SCNu64 " %n", &inode, &path) == 1 && path)
        wait_add_socket(tables, inode, kind, "", "", line + path);
}

enum {
    TABLES_LAST = 20000000, /* ns: how long tables are of one refresh */
    LINES_MAX = 4096,       /* read of each: the kernel takes about 1 us for a line */
};

/* The sockets of the process's network namespace, unless they were read in the same refresh. Only
 * the first ones of each kind. */
static void wait_read_sockets(struct wait_reading *reading)
{
    static const struct {
        const char *name;
        char kind;
    } files[] = {{"net/tcp", 't'},
                 {"net/tcp6", 't'},
                 {"net/udp", 'u'},
                 {"net/udp6", 'u'},
                 {"net/unix", 'x'}};
    struct wait_tables *tables = reading->tables;
    char space[32];
    uint64_t now = clock_monotonic();
    procfs_link_own(reading->pid, 0, "ns/net", space, sizeof(space));
    if (tables->sockets_read && now - tables->sockets_read < TABLES_LAST &&
        str_equal(space, tables->net_space))
        return;
    map_free(&tables->sockets);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        AUTO_FILE FILE *file = procfs_open_own(reading->pid, reading->tid, files[i].name);
        char line[512];
        for (int n = 0; file && n < LINES_MAX && fgets(line, sizeof(line), file); n++) {
            line[strcspn(line, "\n")] = '\0';
            (files[i].kind == 'x' ? wait_take_unix : wait_take_inet)(tables, line, files[i].kind);
        }
    }
    strcpy(tables->net_space, space);
    tables->sockets_read = clock_monotonic();
}

/* The socket of this machine at the other end of one: a unix socket's, if it is in the network
 * namespace of this program; else the one with the opposite addresses, or the one without a peer
 * at that address. 0: not known. */
static uint64_t wait_socket_peer(const struct wait_tables *tables, const struct wait_socket *socket)
{
    const char *port = strrchr(socket->peer, ':');
    bool loopback = str_starts(socket->peer, "127.") || str_starts(socket->peer, "[::1]");
    uint64_t found = 0;
    if (socket->kind == 'x')
        return unix_peer(tables->unix_peers - 1, socket->inode);
    if (!port)
        return 0;
    MAP_EACH (const struct wait_socket, other, &tables->sockets) {
        bool same = other->kind == socket->kind && str_equal(other->own, socket->peer);
        if (same && str_equal(other->peer, socket->own))
            return other->inode;
        bool any = other->kind == socket->kind && loopback && str_equal(other->own, port);
        if ((same || any) && !*other->peer)
            found = other->inode;
    }
    return found;
}

/* The process that has a socket, if it is only one; 0: not known. The descriptors of all processes
 * are looked through for at most 50 ms of CPU time, and in at most a twentieth of the time. */
static pid_t wait_socket_holder(struct wait_tables *tables, uint64_t inode)
{
    enum { COST_MAX = 50000000, PART = 20 };
    uint64_t now = clock_monotonic(), began = clock_cpu(), cost = 0;
    uint64_t lasts =
        tables->holders_cost * PART > TABLES_LAST ? tables->holders_cost * PART : TABLES_LAST;
    if (!tables->holders_read || now - tables->holders_read > lasts) {
        AUTO_PIDS struct pid_list list = {0};
        map_clear(&tables->holders);
        procfs_processes(&list);
        for (size_t i = 0; i < list.count && cost < COST_MAX; i++) {
            procfs_sockets_own(list.pids[i], &tables->holders);
            cost = clock_cpu() - began;
        }
        tables->holders_cost = cost;
        tables->holders_read = clock_monotonic();
    }
    intptr_t pid = (intptr_t)map_get(&tables->holders, inode);
    return pid > 0 ? (pid_t)pid : 0;
}

/* Names a socket by its peer, or where it listens or receives, and the process there. */
static void wait_name_socket(struct wait_reading *reading, uint64_t inode, char *name, size_t size)
{
    struct wait_target *target = reading->target;
    struct wait_tables *tables = reading->tables;
    char comm[16], holder[20] = "";
    wait_read_sockets(reading);
    const struct wait_socket *socket = map_get(&tables->sockets, inode), *other;
    if (!socket) {
        snprintf(name, size, "socket");
        return;
    }
    uint64_t peer = wait_socket_peer(tables, socket);
    other = peer ? map_get(&tables->sockets, peer) : NULL;
    snprintf(target->address, sizeof(target->address), "%s",
             *socket->peer ? socket->peer : socket->own);
    snprintf(target->path, sizeof(target->path), "%s",
             *socket->path || !other ? socket->path : other->path);
    const char *found = *target->address ? target->address : target->path;
    target->pid = peer ? wait_socket_holder(tables, peer) : 0;
    if (target->pid && procfs_comm(target->pid, 0, comm))
        snprintf(holder, sizeof(holder), " (%s)", comm);
    snprintf(name, size, "socket%s%.220s%s", *found ? " " : "", found, holder);
}

/* Names a descriptor: "pipe", "socket 10.0.0.5:5432 (postgres)", "/var/lib/x", "eventfd". */
static void wait_name_file(struct wait_reading *reading, int fd, char *name, size_t size)
{
    struct wait_target *target = reading->target;
    char file[32], link[sizeof(target->path)], *end;
    snprintf(file, sizeof(file), "fd/%d", fd);
    ssize_t length = procfs_link_own(reading->pid, reading->tid, file, link, sizeof(link));
    if (length <= 0) {
        snprintf(name, size, "descriptor %d", fd);
        return;
    }
    if (length == (ssize_t)sizeof(link) - 1)
        link[length - 1] = '+'; /* it is cut */
    if (str_starts(link, "socket:[")) {
        wait_name_socket(reading, strtoull(link + strlen("socket:["), NULL, 10), name, size);
    } else if (str_starts(link, "anon_inode:")) { /* "anon_inode:[eventfd]" */
        end = link + strlen("anon_inode:");
        end += *end == '[';
        snprintf(name, size, "%.*s", (int)strcspn(end, "]"), end);
    } else if ((end = strstr(link, ":["))) {
        if (str_starts(link, "pipe:"))
            reading->pipe = strtoull(end + strlen(":["), NULL, 10);
        snprintf(name, size, "%.*s", (int)(end - link), link);
    } else {
        strcpy(target->path, link);
        snprintf(name, size, "%s", link);
    }
}

/* Whether a process has that end of a pipe. Its descriptors are read once for a refresh. */
static bool wait_has_end(struct wait_tables *tables, pid_t pid, uint64_t pipe, mode_t end)
{
    uint64_t now = clock_monotonic();
    if (now - tables->pipes_read > TABLES_LAST) {
        map_clear(&tables->pipes);
        tables->pipes_read = now;
    }
    if (!map_put(&tables->pipes, procfs_pipe_key(pid, 0), tables))
        procfs_pipes_own(pid, &tables->pipes);
    return (uintptr_t)map_get(&tables->pipes, procfs_pipe_key(pid, pipe)) & end;
}

/* Names the process at the other end of the pipe, looked for as in a pipeline: among its parent's
 * children, its own, and its parent. Nobody, if several have that end. */
static void wait_tell_pipe(struct wait_reading *reading, const struct wait_call *call)
{
    enum { MOST = 32 };
    struct wait_target *target = reading->target;
    bool writes = str_equal(call->kind, "write");
    struct procfs_task own;
    AUTO_PIDS struct pid_list others = {0};
    pid_t peer = 0;
    char comm[16];
    if (procfs_task(reading->pid, 0, &own) < 0)
        return;
    procfs_children_own(own.ppid, &others);
    procfs_children_own(reading->pid, &others);
    for (size_t i = 0; i <= others.count && others.count <= MOST && peer >= 0; i++) {
        pid_t pid = i < others.count ? others.pids[i] : own.ppid;
        if (pid != reading->pid &&
            wait_has_end(reading->tables, pid, reading->pipe, writes ? S_IRUSR : S_IWUSR))
            peer = peer ? -1 : pid;
    }
    if (peer <= 0 || !procfs_comm(peer, 0, comm))
        return;
    target->pid = peer;
    wait_say(target, call->kind, "%s pipe %s %s %d", call->verb, writes ? "to" : "from", comm,
             (int)peer);
}

static void wait_tell_descriptor(struct wait_reading *reading, const struct wait_call *call, int fd)
{
    char name[sizeof(reading->target->path)];
    bool connection = str_equal(call->kind, "accept") || str_equal(call->kind, "connect");
    wait_name_file(reading, fd, name, sizeof(name));
    const char *path = reading->target->path;
    bool terminal = str_starts(path, "/dev/pts/") || str_starts(path, "/dev/tty") ||
                    str_equal(path, "/dev/console");
    if (terminal && !str_equal(call->kind, "write"))
        wait_say(reading->target, "terminal", "terminal input");
    else if (str_equal(name, "signalfd"))
        wait_say(reading->target, "signal", "signal");
    else
        wait_say(reading->target, call->kind, "%s %s", call->verb,
                 name + (connection && str_starts(name, "socket ") ? strlen("socket ") : 0));
    if (reading->pipe)
        wait_tell_pipe(reading, call);
}

static void wait_tell_file(struct wait_reading *reading, const struct wait_call *call)
{
    wait_tell_descriptor(reading, call, (int)reading->args[0]);
}

/* Who holds the lock that a process waits for, from the first lines of /proc/locks (proc_locks(5)):
 * a process that waits follows the holder, with an arrow. 0: not known, or it waits for several. */
static pid_t wait_lock_holder(struct wait_tables *tables, pid_t pid)
{
    char line[128];
    int holder = 0, waits;
    AUTO_FILE FILE *file = NULL;
    if (!tables->locks_read || clock_monotonic() - tables->locks_read > TABLES_LAST) {
        map_clear(&tables->locks);
        file = file_open("/proc/locks");
        tables->locks_read = clock_monotonic();
    }
    for (int n = 0; file && n < LINES_MAX && fgets(line, sizeof(line), file); n++) {
        if (sscanf(line, "%*d: -> %*s %*s %*s %d", &waits) != 1) {
            sscanf(line, "%*d: %*s %*s %*s %d", &holder);
            continue;
        }
        bool known = holder > 0 && !map_get(&tables->locks, (uint64_t)waits);
        map_put(&tables->locks, (uint64_t)waits, (void *)(intptr_t)(known ? holder : -1));
    }
    intptr_t found = (intptr_t)map_get(&tables->locks, (uint64_t)pid);
    return found > 0 ? (pid_t)found : 0;
}

static void wait_tell_lock(struct wait_reading *reading, const struct wait_call *call)
{
    struct wait_target *target = reading->target;
    char name[sizeof(target->path)], holder[32] = "";
    int command = (int)reading->args[1];
    if (call->number != SYS_flock && command != F_SETLKW && command != F_OFD_SETLKW) {
        wait_say(target, "other", "%s", call->verb);
        return;
    }
    wait_name_file(reading, (int)reading->args[0], name, sizeof(name));
    target->pid = wait_lock_holder(reading->tables, reading->pid);
    if (target->pid)
        snprintf(holder, sizeof(holder), ", held by %d", (int)target->pid);
    wait_say(target, call->kind, "lock %s (%s)%s", name, call->verb, holder);
}

/* A path of the file that is opened, as the program has it in its memory. */
static void wait_tell_open(struct wait_reading *reading, const struct wait_call *call)
{
    struct wait_target *target = reading->target;
    uint64_t address = reading->args[call->number == SYS_openat || call->number == SYS_openat2];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), left = page - address % page;
    size_t size = sizeof(target->path) - 1;
    char path[sizeof(target->path)] = "";
    /* What follows it may not be mapped. */
    if (!wait_memory_read(reading->tables, reading->pid, address, path, size) &&
        !(left < size && wait_memory_read(reading->tables, reading->pid, address, path, left)))
        return;
    if (strlen(path) == size)
        path[size - 1] = '+'; /* it is cut */
    strcpy(target->path, path);
    wait_say(target, call->kind, "%s %s", call->verb, path);
}

/* ---- time and many descriptors ---- */

static void wait_say_seconds(struct wait_target *target, double seconds)
{
    wait_say(target, "sleep", seconds < 1 ? "sleep %.0f ms" : "sleep %.1f s",
             seconds < 1 ? seconds * 1000 : seconds);
}

/* Of the struct timespec 12 bytes: all of its seconds, and of a number below 10^9 the lower half.
 */
static void wait_tell_sleep(struct wait_reading *reading, const struct wait_call *call)
{
    static const double LONGEST = 1e10; /* s, 300 years */
    struct wait_target *target = reading->target;
    bool by_clock = call->number == SYS_clock_nanosleep;
    int32_t words[3];
    int64_t seconds;
    wait_say(target, call->kind, "sleep");
    if (sizeof(long) != sizeof(seconds) ||
        !wait_memory_read(reading->tables, reading->pid, reading->args[by_clock ? 2 : 0], words,
                          sizeof(words)))
        return;
    memcpy(&seconds, words, sizeof(seconds));
    double span = (double)seconds + words[2] / 1e9;
    if (span < 0 || span > LONGEST)
        return;
    if (!by_clock || !(reading->args[1] & TIMER_ABSTIME)) {
        wait_say_seconds(target, span);
        return;
    }
    char until[CLOCK_TEXT_SIZE] = "";
    struct timespec now;
    if (clock_gettime((clockid_t)reading->args[0], &now) == 0)
        clock_text(until, clock_wall() + span - (double)now.tv_sec - (double)now.tv_nsec / 1e9);
    if (*until)
        wait_say(target, call->kind, "sleep until %s", until);
}

static void wait_say_descriptors(struct wait_target *target, const char *verb, const char *more,
                                 unsigned long long count)
{
    wait_say(target, "poll", "%s (%s%llu descriptor%s)", verb, more, count, count == 1 ? "" : "s");
}

/* poll(2): the second argument is the number, the third the time in ms, of ppoll(2) in memory. */
static void wait_tell_poll(struct wait_reading *reading, const struct wait_call *call)
{
    int timeout = (int)reading->args[2];
    if (reading->args[1] > 0)
        wait_say_descriptors(reading->target, call->verb, "", reading->args[1]);
    else if (call->number != SYS_ppoll && timeout >= 0)
        wait_say_seconds(reading->target, timeout / 1e3);
    else
        wait_say(reading->target, "sleep", "sleep");
}

/* The first argument is the largest descriptor and one. */
static void wait_tell_select(struct wait_reading *reading, const struct wait_call *call)
{
    if (reading->args[0] == 0)
        wait_say(reading->target, "sleep", "sleep");
    else if (reading->args[0] == 1) /* only descriptor 0 */
        wait_tell_descriptor(reading, call, 0);
    else
        wait_say(reading->target, call->kind, "select (descriptors below %llu)", reading->args[0]);
}

static void wait_tell_epoll(struct wait_reading *reading, const struct wait_call *call)
{
    char file[32], info[65536], *line = info;
    unsigned long long count = 0;
    snprintf(file, sizeof(file), "fdinfo/%d", (int)reading->args[0]);
    ssize_t length = procfs_read_own(reading->pid, reading->tid, file, info, sizeof(info));
    while (length > 0 && (line = strstr(line, "\ntfd:"))) {
        count++;
        line++;
    }
    if (length > 0)
        wait_say_descriptors(reading->target, call->verb,
                             length == (ssize_t)sizeof(info) - 1 ? "more than " : "", count);
    else
        wait_say(reading->target, call->kind, "%s", call->verb);
}

/* ---- futexes ---- */

/* The C library's ABI: in its mutex a lock, a counter and the owner's thread id. Lock 2: threads
 * wait for it (glibc, sysdeps/nptl/bits/struct_mutex.h, nptl/lowlevellock.h). For robust ones, and
 * those with priority inheritance by futex(2), the lock is the owner and FUTEX_WAITERS. 0: it is no
 * such mutex. */
static pid_t wait_mutex_owner(unsigned op, uint32_t expected, const uint32_t words[3])
{
    enum { CONTENDED = 2, LOCK_PI2 = 13 /* FUTEX_LOCK_PI2, since Linux 5.14 */ };
    pid_t owner = (pid_t)words[2], in_lock = (pid_t)(words[0] & FUTEX_TID_MASK);
    if (op == FUTEX_LOCK_PI || op == LOCK_PI2)
        return in_lock;
    if (words[0] != expected)
        return 0; /* it was unlocked since */
    bool robust = words[0] & FUTEX_WAITERS && in_lock == owner;
    return words[0] == CONTENDED || robust ? owner : 0;
}

/* What else glibc waits for with this operation, told apart by the words beside: a semaphore has
 * the number of its waiters, and whether it is shared, behind the word (nptl/semaphoreP.h); a
 * condition has waiters * 8 + flags one or two words before it (nptl/pthread_cond_common.c). NULL:
 * neither, or it looks like both. */
static const char *wait_glibc_name(const struct wait_reading *reading, uint64_t address,
                                   const uint32_t words[3])
{
    enum { SHARED = 128, FLAGS = 3 };
    uint32_t before[3];
    bool first = address % sizeof(uint64_t) == 0;
    bool semaphore = first && words[0] == 0 && words[1] > 0 && words[1] <= reading->threads &&
                     (words[2] == 0 || words[2] == SHARED);
    bool condition = false;
    if (words[0] % 2 == 0 && wait_memory_read(reading->tables, reading->pid,
                                              address - sizeof(uint64_t), before, sizeof(before))) {
        uint32_t waiters = before[first ? 1 : 0] >> FLAGS;
        condition = waiters > 0 && waiters <= reading->threads;
    }
    return semaphore == condition ? NULL : semaphore ? "semaphore" : "condition";
}

static void wait_tell_futex(struct wait_reading *reading, const struct wait_call *call)
{
    struct wait_target *target = reading->target;
    uint64_t address = reading->args[0];
    unsigned op = (unsigned)reading->args[1] & FUTEX_CMD_MASK;
    uint32_t expected = (uint32_t)reading->args[2], words[3];
    bool private = reading->args[1] & FUTEX_PRIVATE_FLAG;
    pid_t owner;
    snprintf(target->address, sizeof(target->address), "0x%llx", (unsigned long long)address);
    wait_say(target, call->kind, "futex %s", target->address);
    target->endless = reading->args[3] == 0;
    if (!wait_memory_read(reading->tables, reading->pid, address, words, sizeof(words))) {
        *target->address = '\0'; /* nor is the file read that is mapped there */
        return;
    }
    owner = wait_mutex_owner(op, expected, words);
    if (owner)
        target->pid = wait_thread(reading, owner);
    if (owner && !target->pid && !private && procfs_uid(owner, 0) != (uid_t)-1)
        target->pid = owner; /* a thread of another process may hold it */
    if (target->pid) {
        target->word = address;
        memcpy(target->words, words, sizeof(words));
        wait_say(target, "mutex", "mutex %s, held by %d", target->address, (int)target->pid);
    } else if (op != FUTEX_WAIT_BITSET || words[0] != expected) {
        return;
    } else if (!private) {
        /* The kernel clears the word of a thread that ends, and wakes those who wait, but not for
         * private futexes: set_tid_address(2). */
        if ((target->pid = wait_thread(reading, (pid_t)words[0])))
            wait_say(target, "join", "join thread %d", (int)target->pid);
    } else {
        const char *name = wait_glibc_name(reading, address, words);
        if (name)
            wait_say(target, *name == 'c' ? name : call->kind, "%s %s", name, target->address);
    }
}

/* ---- system calls ---- */

static const struct wait_call wait_calls[] = {
    {SYS_read, "read", "read", wait_tell_file},
    {SYS_readv, "read", "read", wait_tell_file},
    {SYS_pread64, "read", "read", wait_tell_file},
    {SYS_preadv, "read", "read", wait_tell_file},
    {SYS_preadv2, "read", "read", wait_tell_file},
    {SYS_recvfrom, "read", "read", wait_tell_file},
    {SYS_recvmsg, "read", "read", wait_tell_file},
    {SYS_recvmmsg, "read", "read", wait_tell_file},
    {SYS_splice, "read", "splice", wait_tell_file},
    {SYS_getdents64, "read", "list", wait_tell_file},
    {SYS_write, "write", "write", wait_tell_file},
    {SYS_writev, "write", "write", wait_tell_file},
    {SYS_pwrite64, "write", "write", wait_tell_file},
    {SYS_pwritev, "write", "write", wait_tell_file},
    {SYS_pwritev2, "write", "write", wait_tell_file},
    {SYS_sendto, "write", "write", wait_tell_file},
    {SYS_sendmsg, "write", "write", wait_tell_file},
    {SYS_sendmmsg, "write", "write", wait_tell_file},
    {SYS_sendfile, "write", "write", wait_tell_file},
    {SYS_accept, "accept", "accept", wait_tell_file},
    {SYS_accept4, "accept", "accept", wait_tell_file},
    {SYS_connect, "connect", "connect", wait_tell_file},
    {SYS_fsync, "sync", "fsync", wait_tell_file},
    {SYS_fdatasync, "sync", "fdatasync", wait_tell_file},
    {SYS_sync_file_range, "sync", "sync_file_range", wait_tell_file},
    {SYS_syncfs, "sync", "syncfs", wait_tell_file},
    {SYS_sync, "sync", "sync", NULL},
    {SYS_msync, "sync", "msync", NULL},
    {SYS_ioctl, "other", "ioctl", wait_tell_file},
    {SYS_flock, "lock", "flock", wait_tell_lock},
    {SYS_fcntl, "lock", "fcntl", wait_tell_lock},
    {SYS_openat, "open", "open", wait_tell_open},
    {SYS_openat2, "open", "open", wait_tell_open},
    {SYS_ppoll, "poll", "poll", wait_tell_poll},
    {SYS_pselect6, "poll", "poll", wait_tell_select},
    {SYS_epoll_pwait, "poll", "epoll", wait_tell_epoll},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, "poll", "epoll", wait_tell_epoll},
#endif
    {SYS_nanosleep, "sleep", "sleep", wait_tell_sleep},
    {SYS_clock_nanosleep, "sleep", "sleep", wait_tell_sleep},
    {SYS_wait4, "child", "wait", wait_tell_child},
    {SYS_waitid, "child", "wait", wait_tell_child},
    {SYS_futex, "futex", "futex", wait_tell_futex},
    {SYS_rt_sigsuspend, "signal", "signal", NULL},
    {SYS_rt_sigtimedwait, "signal", "signal", NULL},
    {SYS_restart_syscall, "other", "a call that a signal interrupted", NULL},
    {SYS_msgrcv, "other", "message queue", NULL},
    {SYS_msgsnd, "other", "message queue", NULL},
    {SYS_mq_timedreceive, "other", "message queue", wait_tell_file},
    {SYS_mq_timedsend, "other", "message queue", wait_tell_file},
    {SYS_semop, "other", "semaphores of System V", NULL},
    {SYS_semtimedop, "other", "semaphores of System V", NULL},
    {SYS_io_getevents, "other", "asynchronous I/O", NULL},
    {SYS_io_uring_enter, "other", "io_uring", NULL},
    {SYS_exit, "other", "its end", NULL},
    {SYS_exit_group, "other", "its end", NULL},
    {SYS_execve, "other", "execute a program", NULL},
#ifdef SYS_open /* the first Linux processors have older calls, too */
    {SYS_open, "open", "open", wait_tell_open},
    {SYS_poll, "poll", "poll", wait_tell_poll},
    {SYS_select, "poll", "poll", wait_tell_select},
    {SYS_epoll_wait, "poll", "epoll", wait_tell_epoll},
    {SYS_pause, "signal", "signal", NULL},
    {SYS_vfork, "child", "wait until its child executes a program", NULL},
#endif
};

/* The kernel's function in which a thread waits that is in no system call, where it may be known
 * (proc_pid_wchan(5)). */
static void wait_tell_function(struct wait_reading *reading)
{
    char function[64];
    if (procfs_read_own(reading->pid, reading->tid, "wchan", function, sizeof(function)) > 0 &&
        !str_equal(function, "0"))
        wait_say(reading->target, "other", "in %s", function);
    else
        wait_say(reading->target, "other", "in the kernel");
}

/* Why the file cannot be read; NULL: the task is gone. Root is refused where a process has more
 * rights than it. */
static const char *wait_refusal(pid_t pid)
{
    uid_t uid = procfs_uid(pid, 0), own = geteuid();
    if (uid == (uid_t)-1)
        return NULL;
    if (uid != own && own != 0)
        return "other user";
    return access("/proc/self/syscall", F_OK) < 0 ? "this kernel has no /proc/PID/syscall"
                                                  : "not permitted";
}

void wait_target_read(struct wait_tables *tables, pid_t pid, pid_t tid, char state, size_t threads,
                      struct wait_target *target)
{
    struct wait_reading reading = {
        .tables = tables, .pid = pid, .tid = tid, .threads = threads, .target = target};
    unsigned long long stack, *args = reading.args;
    char text[256];
    long number;
    *target = (struct wait_target){0};
    if (state == 'T' || state == 't') {
        wait_say(target, "stopped", state == 'T' ? "stopped by signal" : "stopped by a tracer");
        return;
    }
    if (state != 'S' && state != 'D')
        return;
    if (procfs_read_own(pid, tid, "syscall", text, sizeof(text)) <= 0) {
        target->reason = wait_refusal(pid);
        return;
    }
    int count = sscanf(text, "%ld %llx %llx %llx %llx %llx %llx %llx", &number, &args[0], &args[1],
                       &args[2], &args[3], &args[4], &args[5], &stack);
    if (count == 2 || (count == 8 && stack == 0)) { /* in none; a thread of the kernel */
        wait_tell_function(&reading);
        return;
    }
    if (count != 8)
        return; /* "running" by now */
    if (sizeof(long) == sizeof(uint64_t) && stack <= UINT32_MAX) {
        target->reason = "32-bit program: its system calls have other numbers";
        return;
    }
    wait_say(target, "other", "system call %ld", number);
    for (size_t i = 0; i < sizeof(wait_calls) / sizeof(*wait_calls); i++) {
        const struct wait_call *call = &wait_calls[i];
        if (call->number != number)
            continue;
        wait_say(target, call->kind, "%s", call->verb);
        if (call->tell)
            call->tell(&reading, call);
        return;
    }
}

bool wait_target_lasts(struct wait_tables *tables, pid_t pid, const struct wait_target *target)
{
    uint32_t words[3];
    if (target->word)
        return wait_memory_read(tables, pid, target->word, words, sizeof(words)) &&
               memcmp(words, target->words, sizeof(words)) == 0;
    return target->kind ? !str_equal(target->kind, "lock") && !str_equal(target->kind, "throttled")
                        : target->reason != NULL;
}

/* ---- threads that wait for each other ---- */

struct wait_link {
    pid_t tid, next;
    uint64_t switches;
    char address[sizeof(((struct wait_target *)0)->address)];
};

/* Reads what any thread waits for, and returns its process; 0: it is gone. */
static pid_t wait_read_thread(struct wait_tables *tables, pid_t tid, struct procfs_switches *now,
                              struct wait_target *target)
{
    pid_t pid = procfs_process_of(tid);
    if (pid <= 0 || !procfs_switches(pid, tid, now))
        return 0;
    wait_target_read(tables, pid, tid, now->state, 0, target);
    return pid;
}

pid_t wait_target_next(struct wait_tables *tables, const struct wait_target *target,
                       struct wait_target *next, char *state)
{
    struct procfs_switches now = {0};
    pid_t pid = target->pid ? wait_read_thread(tables, target->pid, &now, next) : 0;
    *state = now.state;
    return pid;
}

/* Follows what a thread waits for until it comes back to a thread. The number of links, of which
 * those from *first on are a ring; 0: it leads elsewhere. */
static size_t wait_follow(struct wait_tables *tables, pid_t tid,
                          struct wait_link links[WAIT_RING_MAX], size_t *first)
{
    size_t count = 0;
    bool round = false;
    while (count < WAIT_RING_MAX && !round) {
        struct wait_target target;
        struct procfs_switches now;
        if (!wait_read_thread(tables, tid, &now, &target) || !target.endless || !target.pid)
            break;
        struct wait_link *link = &links[count++];
        *link = (struct wait_link){tid, target.pid, now.voluntary + now.forced, ""};
        strcpy(link->address, target.address);
        tid = target.pid;
        for (*first = 0; *first < count && links[*first].tid != tid;)
            ++*first;
        round = *first < count;
    }
    return round ? count : 0;
}

size_t wait_target_ring(struct wait_tables *tables, pid_t tid, pid_t tids[WAIT_RING_MAX])
{
    struct wait_link once[WAIT_RING_MAX], again[WAIT_RING_MAX];
    size_t first, same, count = wait_follow(tables, tid, once, &first);
    if (!count || wait_follow(tables, tid, again, &same) != count || first != same)
        return 0;
    for (size_t i = first; i < count; i++) {
        if (once[i].tid != again[i].tid || once[i].next != again[i].next ||
            once[i].switches != again[i].switches || !str_equal(once[i].address, again[i].address))
            return 0;
        tids[i - first] = once[i].tid;
    }
    return count - first;
}
