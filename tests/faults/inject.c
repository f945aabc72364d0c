/* inject [OPTION]... REPORT COMMAND...: runs a command, one of whose system calls fails.
 *   --class NAME   counts the calls of that class: `inject --classes` lists them
 *   --at N         the Nth of them fails, without being made; without it all are only counted
 *   --error K      with the Kth of the errors that its manual page lists for such a descriptor
 *   --child NAME   counts those of the child process of that name (comm) instead of the command's
 * own
 *   --limit MS     kills a command that runs longer
 * Counting begins when the dynamic linker has loaded the command: its first calls are not the
 * command's. All threads count together, so that N may be another call in the next run.
 *
 * The calls come here by a seccomp filter that tells a supervisor (seccomp_unotify(2)), so also
 * those that libraries make; those of other classes, and all of other processes, go on as they are.
 * What was done, and what came of it, goes to the file REPORT, a line each: `pid`, `failed` (call,
 * error, number of errors for this call, descriptor or path), `calls`, `ended` (as in the shell),
 * `late`, `left` (name of a process that outlives the command by more than two seconds, and is
 * killed). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ERRORS = 12 };

/* What a call does with its first argument. */
enum subject { NOTHING, DESCRIPTOR, PATH, PATH_AT };

struct call {
    const char *class;
    long number;
    const char *name;
    enum subject subject;
    int errors[ERRORS]; /* 0: no more */
};

/* Errors: from the manual page of each; is_possible() takes out those that such a descriptor cannot
 * give. */
static const struct call calls[] = {
#ifdef SYS_open
    {"open", SYS_open, "open", PATH, {EMFILE, ENFILE, ENOMEM, EACCES, EINTR, ENOSPC}},
#endif
    {"open", SYS_openat, "openat", PATH_AT, {EMFILE, ENFILE, ENOMEM, EACCES, EINTR, ENOSPC}},
    {"read", SYS_read, "read", DESCRIPTOR, {EIO, EINTR, EAGAIN, ESRCH}},
    {"read", SYS_readv, "readv", DESCRIPTOR, {EIO, EINTR, EAGAIN}},
    {"read", SYS_pread64, "pread64", DESCRIPTOR, {EIO, EINTR, EAGAIN, ESRCH}},
    {"read", SYS_getdents64, "getdents64", DESCRIPTOR, {EIO, ENOENT}},
    {"write", SYS_write, "write", DESCRIPTOR, {EIO, ENOSPC, EINTR, EAGAIN, EFBIG, EPIPE}},
    {"write", SYS_writev, "writev", DESCRIPTOR, {EIO, ENOSPC, EINTR, EAGAIN, EFBIG, EPIPE}},
    {"write", SYS_pwrite64, "pwrite64", DESCRIPTOR, {EIO, ENOSPC, EINTR, EFBIG}},
    {"mmap", SYS_mmap, "mmap", NOTHING, {ENOMEM, EAGAIN, EPERM}},
    {"mmap", SYS_mremap, "mremap", NOTHING, {ENOMEM, EAGAIN}},
    {"mmap", SYS_mprotect, "mprotect", NOTHING, {ENOMEM, EACCES}},
    {"process", SYS_clone, "clone", NOTHING, {EAGAIN, ENOMEM, EPERM}},
    {"process", SYS_clone3, "clone3", NOTHING, {EAGAIN, ENOMEM, EPERM}},
#ifdef SYS_fork
    {"process", SYS_fork, "fork", NOTHING, {EAGAIN, ENOMEM}},
    {"process", SYS_vfork, "vfork", NOTHING, {EAGAIN, ENOMEM}},
#endif
    {"process", SYS_execve, "execve", PATH, {ENOMEM, EACCES, EAGAIN, EIO, EMFILE}},
    {"process", SYS_wait4, "wait4", NOTHING, {EINTR}},
    {"process", SYS_waitid, "waitid", NOTHING, {EINTR}},
    {"process", SYS_pidfd_open, "pidfd_open", NOTHING, {EMFILE, ENOMEM, ENFILE, ENODEV}},
    {"socket", SYS_socket, "socket", NOTHING, {EMFILE, ENFILE, ENOBUFS, EACCES}},
    {"socket", SYS_socketpair, "socketpair", NOTHING, {EMFILE, ENFILE, EOPNOTSUPP}},
    {"socket", SYS_connect, "connect", DESCRIPTOR, {ECONNREFUSED, EINTR, ENETUNREACH, EAGAIN}},
    {"socket", SYS_bind, "bind", DESCRIPTOR, {EADDRINUSE, EACCES, ENOMEM}},
    {"socket", SYS_listen, "listen", DESCRIPTOR, {EADDRINUSE, EOPNOTSUPP}},
    {"socket",
     SYS_accept4,
     "accept4",
     DESCRIPTOR,
     {EMFILE, ENOBUFS, EINTR, ECONNABORTED, ENOMEM, EPERM}},
    {"socket", SYS_sendto, "sendto", DESCRIPTOR, {ENOBUFS, EINTR, ECONNRESET, ENOMEM, EAGAIN}},
    {"socket",
     SYS_sendmsg,
     "sendmsg",
     DESCRIPTOR,
     {ENOBUFS, EINTR, ECONNRESET, ENOMEM, ETOOMANYREFS, EAGAIN}},
    {"socket", SYS_recvfrom, "recvfrom", DESCRIPTOR, {EINTR, ECONNREFUSED, ENOMEM, EAGAIN}},
    {"socket", SYS_recvmsg, "recvmsg", DESCRIPTOR, {EINTR, ENOMEM, EAGAIN}},
    {"socket", SYS_setsockopt, "setsockopt", DESCRIPTOR, {ENOPROTOOPT, ENOMEM}},
    {"socket", SYS_getsockopt, "getsockopt", DESCRIPTOR, {ENOPROTOOPT, ENOBUFS}},
    {"socket", SYS_getsockname, "getsockname", DESCRIPTOR, {ENOBUFS}},
    {"socket", SYS_shutdown, "shutdown", DESCRIPTOR, {ENOTCONN}},
    {"ioctl", SYS_ioctl, "ioctl", DESCRIPTOR, {ENOTTY, EINVAL, ENOMEM, EIO}},
    {"fcntl", SYS_fcntl, "fcntl", DESCRIPTOR, {EACCES, EAGAIN, ENOLCK, EINTR, EPERM, EMFILE}},
    {"fcntl", SYS_flock, "flock", DESCRIPTOR, {EINTR, ENOLCK, EWOULDBLOCK}},
    {"fcntl", SYS_dup, "dup", DESCRIPTOR, {EMFILE}},
#ifdef SYS_dup2
    {"fcntl", SYS_dup2, "dup2", DESCRIPTOR, {EMFILE, EBUSY, EINTR}},
#endif
    {"fcntl", SYS_dup3, "dup3", DESCRIPTOR, {EMFILE, EBUSY, EINTR}},
#ifdef SYS_poll
    {"poll", SYS_poll, "poll", NOTHING, {EINTR, ENOMEM}},
    {"poll", SYS_epoll_wait, "epoll_wait", DESCRIPTOR, {EINTR}},
#endif
    {"poll", SYS_ppoll, "ppoll", NOTHING, {EINTR, ENOMEM}},
    {"poll", SYS_pselect6, "pselect6", NOTHING, {EINTR, ENOMEM}},
    {"poll", SYS_epoll_pwait, "epoll_pwait", DESCRIPTOR, {EINTR}},
    {"poll", SYS_epoll_create1, "epoll_create1", NOTHING, {EMFILE, ENFILE, ENOMEM}},
    {"poll", SYS_epoll_ctl, "epoll_ctl", DESCRIPTOR, {ENOMEM, ENOSPC}},
    {"poll", SYS_rt_sigtimedwait, "rt_sigtimedwait", NOTHING, {EINTR}},
    {"poll", SYS_clock_nanosleep, "clock_nanosleep", NOTHING, {EINTR}},
    {"perf",
     SYS_perf_event_open,
     "perf_event_open",
     NOTHING,
     {EMFILE, ENOSPC, EINVAL, ENOENT, EACCES, EBUSY, ENODEV, EOPNOTSUPP, ESRCH, EINTR, ENOMEM}},
    {"file", SYS_fsync, "fsync", DESCRIPTOR, {EIO, ENOSPC, EINTR, EDQUOT}},
    {"file", SYS_fdatasync, "fdatasync", DESCRIPTOR, {EIO, ENOSPC, EINTR, EDQUOT}},
    {"file", SYS_ftruncate, "ftruncate", DESCRIPTOR, {EIO, EFBIG, EINTR, EPERM}},
    {"file", SYS_fallocate, "fallocate", DESCRIPTOR, {EIO, ENOSPC, EINTR, EOPNOTSUPP}},
    {"file", SYS_lseek, "lseek", DESCRIPTOR, {EOVERFLOW}},
    {"file", SYS_fchmod, "fchmod", DESCRIPTOR, {EIO, EPERM, EROFS}},
    {"file", SYS_fchown, "fchown", DESCRIPTOR, {EIO, EPERM, EROFS}},
#ifdef SYS_rename
    {"file", SYS_rename, "rename", PATH, {EACCES, ENOSPC, EROFS, ENOMEM}},
    {"file", SYS_unlink, "unlink", PATH, {EACCES, EIO, EROFS, EBUSY}},
    {"file", SYS_mkdir, "mkdir", PATH, {EACCES, ENOSPC, EROFS, ENOMEM}},
    {"file", SYS_access, "access", PATH, {EACCES, EIO, ENOMEM}},
    {"file", SYS_readlink, "readlink", PATH, {EACCES, EIO, ENOMEM}},
    {"file", SYS_stat, "stat", PATH, {EACCES, ENOMEM, ENOENT}},
    {"file", SYS_lstat, "lstat", PATH, {EACCES, ENOMEM, ENOENT}},
#endif
    {"file", SYS_renameat2, "renameat2", PATH_AT, {EACCES, ENOSPC, EROFS, ENOMEM}},
    {"file", SYS_unlinkat, "unlinkat", PATH_AT, {EACCES, EIO, EROFS, EBUSY}},
    {"file", SYS_mkdirat, "mkdirat", PATH_AT, {EACCES, ENOSPC, EROFS, ENOMEM}},
    {"file", SYS_faccessat, "faccessat", PATH_AT, {EACCES, EIO, ENOMEM}},
    {"file", SYS_faccessat2, "faccessat2", PATH_AT, {EACCES, EIO, ENOMEM}},
    {"file", SYS_readlinkat, "readlinkat", PATH_AT, {EACCES, EIO, ENOMEM}},
    {"file", SYS_fstat, "fstat", DESCRIPTOR, {ENOMEM, EOVERFLOW}},
    {"file", SYS_newfstatat, "newfstatat", PATH_AT, {EACCES, ENOMEM, ENOENT}},
    {"file", SYS_statx, "statx", PATH_AT, {EACCES, ENOMEM, ENOENT}},
    {"file", SYS_statfs, "statfs", PATH, {EACCES, EIO, ENOMEM, EINTR}},
    {"file", SYS_fstatfs, "fstatfs", DESCRIPTOR, {EIO, ENOMEM, EINTR}},
    {"descriptor", SYS_pipe2, "pipe2", NOTHING, {EMFILE, ENFILE}},
    {"descriptor", SYS_eventfd2, "eventfd2", NOTHING, {EMFILE, ENFILE, ENOMEM, ENODEV}},
    {"descriptor", SYS_signalfd4, "signalfd4", NOTHING, {EMFILE, ENFILE, ENOMEM, ENODEV}},
    {"descriptor", SYS_timerfd_create, "timerfd_create", NOTHING, {EMFILE, ENFILE, ENOMEM, ENODEV}},
    {"descriptor", SYS_memfd_create, "memfd_create", NOTHING, {EMFILE, ENFILE, ENOMEM}},
    {"descriptor", SYS_inotify_init1, "inotify_init1", NOTHING, {EMFILE, ENFILE, ENOMEM}},
    {"descriptor",
     SYS_inotify_add_watch,
     "inotify_add_watch",
     DESCRIPTOR,
     {ENOSPC, ENOMEM, EACCES}},
    {"limits", SYS_prctl, "prctl", NOTHING, {EINVAL, EPERM, EACCES}},
    {"limits", SYS_seccomp, "seccomp", NOTHING, {EACCES, EINVAL, ENOMEM, EFAULT}},
    {"limits", SYS_prlimit64, "prlimit64", NOTHING, {EPERM, EINVAL}},
    {"limits", SYS_setpriority, "setpriority", NOTHING, {EACCES, EPERM, ESRCH}},
    {"limits", SYS_sched_setaffinity, "sched_setaffinity", NOTHING, {EINVAL, EPERM, ESRCH}},
    {"limits", SYS_sched_getaffinity, "sched_getaffinity", NOTHING, {EINVAL, ESRCH}},
    {"limits", SYS_capget, "capget", NOTHING, {EPERM, EINVAL}},
    {"limits", SYS_capset, "capset", NOTHING, {EPERM, EINVAL}},
    {"limits", SYS_setpgid, "setpgid", NOTHING, {EACCES, EPERM, ESRCH}},
    {"limits", SYS_setsid, "setsid", NOTHING, {EPERM}},
    {"limits", SYS_setgroups, "setgroups", NOTHING, {EPERM, ENOMEM}},
    {"limits", SYS_setresuid, "setresuid", NOTHING, {EAGAIN, EPERM}},
    {"limits", SYS_setresgid, "setresgid", NOTHING, {EPERM}},
    {"limits",
     SYS_landlock_create_ruleset,
     "landlock_create_ruleset",
     NOTHING,
     {EOPNOTSUPP, ENOMEM, EMFILE}},
    {"limits", SYS_landlock_add_rule, "landlock_add_rule", NOTHING, {ENOMEM, EPERM}},
    {"limits",
     SYS_landlock_restrict_self,
     "landlock_restrict_self",
     NOTHING,
     {E2BIG, EPERM, ENOMEM}},
};

enum { CALLS = sizeof(calls) / sizeof(*calls) };

static struct {
    const char *class, *child;
    unsigned long at, error;
    int limit;
    FILE *report;
    pid_t pid;
    int listener;
    uint64_t linker, linker_end; /* where the dynamic linker is mapped */
    bool counting;
    unsigned long count;
} inject = {.limit = 60000, .listener = -1};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    exit(125);
}

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* --- What /proc says of the command --- */

static FILE *open_of(pid_t pid, const char *file)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
    return fopen(path, "re");
}

static void word_of(pid_t pid, const char *file, char *word, int size)
{
    FILE *from = open_of(pid, file);
    *word = '\0';
    if (from && fgets(word, size, from))
        word[strcspn(word, "\n")] = '\0';
    if (from)
        fclose(from);
}

static void find_linker(void)
{
    char line[PATH_MAX + 100];
    FILE *maps = open_of(inject.pid, "maps");
    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long long from, to;
        if (!strstr(line, "/ld-") || sscanf(line, "%llx-%llx", &from, &to) != 2)
            continue;
        inject.linker = inject.linker ? inject.linker : from;
        inject.linker_end = to;
    }
    if (maps)
        fclose(maps);
}

/* Whether a thread belongs to the process whose calls are counted. */
static bool is_counted(pid_t tid)
{
    enum { KNOWN = 64 };
    static pid_t known[KNOWN];
    static size_t count;
    char path[64], name[32];
    for (size_t i = 0; i < count; i++)
        if (known[i] == tid)
            return true;
    snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)inject.pid, (int)tid);
    if (inject.child)
        word_of(tid, "comm", name, sizeof(name));
    bool found = inject.child ? strcmp(name, inject.child) == 0 : access(path, F_OK) == 0;
    if (found && count < KNOWN)
        known[count++] = tid;
    return found;
}

/* The path or the name of the descriptor that a call is about, printable. */
static void describe(const struct seccomp_notif *notice, enum subject subject, char *text, int size)
{
    char path[64];
    ssize_t length = 0;
    if (subject == DESCRIPTOR) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)notice->pid, (int)notice->data.args[0]);
        length = readlink(path, text, (size_t)size - 1);
    } else if (subject != NOTHING) {
        snprintf(path, sizeof(path), "/proc/%d/mem", (int)notice->pid);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        length = fd >= 0 ? pread(fd, text, (size_t)size - 1,
                                 (off_t)notice->data.args[subject == PATH_AT])
                         : 0;
        if (fd >= 0)
            close(fd);
    }
    text[length > 0 ? length : 0] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?';
}

/* Whether fcntl(2) would give up a lock, which needs no other. */
static bool is_unlocking(const struct seccomp_notif *notice)
{
    short type = F_UNLCK;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)notice->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!pread(fd, &type, sizeof(type), (off_t)notice->data.args[2]);
        close(fd);
    }
    return type == F_UNLCK;
}

static bool is_nonblocking(const struct seccomp_notif *notice)
{
    const __u64 *args = notice->data.args;
    char file[64], line[128];
    unsigned flags = 0;
    snprintf(file, sizeof(file), "fdinfo/%d", (int)args[0]);
    FILE *from = open_of((pid_t)notice->pid, file);
    while (from && fgets(line, sizeof(line), from))
        if (sscanf(line, "flags: %o", &flags) == 1)
            break;
    if (from)
        fclose(from);
    bool message = notice->data.nr == SYS_sendto || notice->data.nr == SYS_recvfrom;
    bool by_message = notice->data.nr == SYS_sendmsg || notice->data.nr == SYS_recvmsg;
    uint64_t asked = message ? args[3] : by_message ? args[2] : 0;
    return (flags & O_NONBLOCK) || (asked & MSG_DONTWAIT);
}

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the call can end with this error, by what it is about. */
static bool is_possible(const struct seccomp_notif *notice, const struct call *call,
                        const char *about, int error)
{
    bool reads = strcmp(call->class, "read") == 0, writes = strcmp(call->class, "write") == 0;
    bool kernel = starts(about, "/proc/") || starts(about, "/sys/");
    bool memory = starts(about, "/memfd:") || starts(about, "/dev/");
    bool regular = *about == '/' && !kernel && !memory;
    const __u64 *args = notice->data.args;
    if (call->number == SYS_fcntl) {
        bool lock = (args[1] == F_SETLK || args[1] == F_OFD_SETLK) && !is_unlocking(notice);
        bool copy = args[1] == F_DUPFD || args[1] == F_DUPFD_CLOEXEC;
        return error == EMFILE  ? copy
               : error == EPERM ? args[1] == F_SETFL
               : error == EINTR ? args[1] == F_SETLKW
                                : lock;
    }
    if (call->number == SYS_flock && error == EWOULDBLOCK)
        return args[1] & LOCK_NB;
    if (call->number == SYS_mmap)
        return error != EPERM || (int)args[4] >= 0;
    if (strcmp(call->class, "open") == 0 && error == ENOSPC)
        return args[call->subject == PATH_AT ? 2 : 1] & O_CREAT;
    if (call->number == SYS_waitid)
        return !(args[3] & WNOHANG);
    if (call->number == SYS_wait4)
        return !(args[2] & WNOHANG);
    if (writes && error == EAGAIN && strstr(about, "[eventfd]"))
        return false; /* there are no 2^64 notices */
    if (call->subject == DESCRIPTOR && error == EAGAIN && call->number != SYS_connect)
        return is_nonblocking(notice);
    if (error == EINTR && strcmp(call->class, "socket") == 0)
        return !is_nonblocking(notice);
    if (reads && error == ESRCH)
        return kernel;
    if ((reads || writes) && error == EIO)
        return regular || kernel || starts(about, "/dev/pts/");
    if (writes && error == EPIPE)
        return starts(about, "pipe:") || starts(about, "socket:");
    if (writes && (error == ENOSPC || error == EFBIG))
        return regular;
    return true;
}

/* --- The supervisor --- */

static const struct call *call_of(int number)
{
    for (size_t i = 0; i < CALLS; i++)
        if (calls[i].number == number && strcmp(calls[i].class, inject.class) == 0)
            return &calls[i];
    return NULL;
}

/* The error with which a call fails; 0: it is made. */
static int decide(const struct seccomp_notif *notice)
{
    char about[256];
    int possible[ERRORS];
    unsigned long count = 0;
    if (!inject.linker && notice->data.nr == SYS_execve)
        return 0; /* of the command itself */
    if (!inject.linker)
        find_linker();
    uint64_t address = notice->data.instruction_pointer;
    bool linker = address >= inject.linker && address < inject.linker_end;
    const struct call *call = call_of(notice->data.nr);
    if (!call || !is_counted((pid_t)notice->pid))
        return 0;
    inject.counting |= !linker;
    if (!inject.counting || ++inject.count != inject.at)
        return 0;
    describe(notice, call->subject, about, sizeof(about));
    for (size_t i = 0; i < ERRORS && call->errors[i]; i++)
        if (is_possible(notice, call, about, call->errors[i]))
            possible[count++] = call->errors[i];
    int error = count ? possible[inject.error % count] : 0;
    fprintf(inject.report, "failed %s %s %lu %s\n", call->name,
            error ? strerrorname_np(error) : "-", count, about);
    return error;
}

static void supervise(void)
{
    struct seccomp_notif notice = {0};
    struct seccomp_notif_resp answer = {0};
    if (ioctl(inject.listener, SECCOMP_IOCTL_NOTIF_RECV, &notice) < 0)
        return; /* the thread is gone */
    answer.id = notice.id;
    answer.error = -decide(&notice);
    answer.flags = answer.error ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(inject.listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

/* Supervises for that many ms, or until the listener has nothing. */
static void turn(int ms)
{
    struct pollfd wait = {.fd = inject.listener, .events = POLLIN};
    if (poll(&wait, 1, ms) > 0 && (wait.revents & POLLIN))
        supervise();
    else if (wait.revents & POLLHUP)
        inject.listener = -1; /* poll(2) ignores it */
}

/* --- The command --- */

static int install_filter(void)
{
    struct sock_filter steps[2 * CALLS + 4];
    unsigned short count = 0;
    steps[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALLS; i++) {
        if (strcmp(calls[i].class, inject.class) != 0)
            continue;
        steps[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                      (unsigned)calls[i].number, 0, 1);
        steps[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    steps[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {count, steps};
    if (geteuid() != 0)
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

/* The child shares the descriptors until it executes the command: so the listener, which its filter
 * makes, is this process's, too. */
static void start_command(char **words)
{
    volatile int *listener =
        mmap(NULL, sizeof(*listener), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (listener == MAP_FAILED)
        fail("mmap");
    *listener = -2;
    inject.pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
    if (inject.pid < 0)
        fail("clone");
    if (inject.pid == 0) {
        /* Without its supervisor, each of its calls fails for ever. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        *listener = inject.class ? install_filter() : -1;
        if (!inject.class || *listener >= 0)
            execv(words[0], words);
        _exit(125);
    }
    while (*listener == -2)
        usleep(100);
    inject.listener = *listener;
    if (inject.class && inject.listener < 0)
        fail("seccomp");
    if (inject.listener >= 0) /* the command's copy is closed by its exec */
        fcntl(inject.listener, F_SETFD, FD_CLOEXEC);
}

/* Kills the processes that are left, each with a line. */
static void end_left(void)
{
    char file[64], name[64];
    snprintf(file, sizeof(file), "task/%d/children", (int)getpid());
    for (;;) {
        int pid = 0;
        FILE *children = open_of(getpid(), file);
        bool some = children && fscanf(children, "%d", &pid) == 1;
        if (children)
            fclose(children);
        if (!some)
            return;
        word_of(pid, "comm", name, sizeof(name));
        fprintf(inject.report, "left %s\n", name);
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, WNOHANG) == 0)
            turn(10);
    }
}

int main(int argc, char **argv)
{
    enum { LEFT_MS = 2000 };
    int next = 1, status = 0;
    for (; next + 1 < argc && starts(argv[next], "--"); next += 2) {
        const char *value = argv[next + 1];
        if (strcmp(argv[next], "--class") == 0)
            inject.class = value;
        else if (strcmp(argv[next], "--at") == 0)
            inject.at = strtoul(value, NULL, 10);
        else if (strcmp(argv[next], "--error") == 0)
            inject.error = strtoul(value, NULL, 10);
        else if (strcmp(argv[next], "--child") == 0)
            inject.child = value;
        else if (strcmp(argv[next], "--limit") == 0)
            inject.limit = atoi(value);
    }
    if (argc == 2 && strcmp(argv[1], "--classes") == 0) {
        for (size_t i = 0; i < CALLS; i++)
            if (i == 0 || strcmp(calls[i].class, calls[i - 1].class) != 0)
                puts(calls[i].class);
        return 0;
    }
    if (next + 1 >= argc || !(inject.report = fopen(argv[next], "we"))) {
        fprintf(stderr, "usage: inject [OPTION]... REPORT COMMAND...\n");
        return 125;
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    start_command(argv + next + 1);
    fprintf(inject.report, "pid %d\n", (int)inject.pid);
    fflush(inject.report);
    bool late = false, ended = false;
    uint64_t end = now_ms() + (uint64_t)inject.limit;
    for (;;) {
        int how;
        pid_t pid = waitpid(-1, &how, WNOHANG);
        if (pid == inject.pid) {
            ended = true;
            status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
            end = now_ms() + LEFT_MS;
        }
        if (pid < 0 && errno == ECHILD)
            break;
        if (pid == 0)
            turn(5);
        if (now_ms() < end)
            continue;
        if (ended)
            break;
        late = true;
        kill(inject.pid, SIGKILL);
        end = now_ms() + LEFT_MS;
    }
    if (late)
        fprintf(inject.report, "late\n");
    fprintf(inject.report, "calls %lu\nended %d\n", inject.count, status);
    end_left();
    return status;
}
