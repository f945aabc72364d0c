/* What fails in the sandbox, in all threads, and what does not. Each test has a process of its own,
 * since there is no way back. */
#include "system/caps.h"
#include "system/sandbox.h"
#include "unit/in_child.h"
#include "unit/test.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool refused(long result, int error)
{
    return result < 0 && errno == error;
}

/* Nothing of it would happen outside either, since the arguments make no sense. */
static bool all_refused(void)
{
    static const long calls[] = {
        SYS_mount,          SYS_umount2,    SYS_unshare,     SYS_setns,
        SYS_chroot,         SYS_keyctl,     SYS_init_module, SYS_process_vm_writev,
        SYS_io_uring_setup, SYS_setuid,     SYS_acct,        SYS_pivot_root,
        SYS_userfaultfd,    SYS_kexec_load, SYS_bpf,         SYS_finit_module};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!refused(syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L), EPERM))
            return false;
#ifdef SYS_mknod /* of x86, which other processors do without */
    if (!refused(syscall(SYS_mknod, -1L, -1L, -1L), EPERM))
        return false;
#endif
    return refused(syscall(SYS_mknodat, -1L, -1L, -1L, -1L), EPERM);
}

/* What root that counts makes of its helpers: other users. The arguments change nothing. */
static bool users_change(bool may)
{
    return syscall(SYS_setresuid, -1L, -1L, -1L) == (may ? 0 : -1) &&
           syscall(SYS_setresgid, -1L, -1L, -1L) == (may ? 0 : -1) &&
           refused(syscall(SYS_setgroups, -1L, NULL), may ? EINVAL : EPERM);
}

static bool sockets_are_local(void)
{
    static const int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (!refused(socket(families[i], SOCK_DGRAM, 0), EPERM))
            return false;
    return socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}

static long open_event(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_TASK_CLOCK,
                                   .exclude_kernel = 1};
    return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL);
}

static bool count_only(void)
{
    struct caps outside, inside;
    bool before = sandbox_entered(), counts = open_event() >= 0;
    caps_read(&outside);
    if (!sandbox_enter(SANDBOX_COUNT))
        _exit(IMPOSSIBLE);
    caps_read(&inside);
    /* What it forbids itself is no obstacle that a message would name. */
    if (inside.seccomp != outside.seccomp || inside.no_new_privs)
        return false;
    return !before && sandbox_entered() && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
           all_refused() && users_change(geteuid() == 0) && sockets_are_local() &&
           (open_event() >= 0) == counts;
}

static bool read_only(void)
{
    if (!sandbox_enter(SANDBOX_READ))
        _exit(IMPOSSIBLE);
    return sandbox_entered() && all_refused() && users_change(false) &&
           refused(open_event(), EPERM) &&
           refused(syscall(SYS_process_vm_readv, getpid(), NULL, 0UL, NULL, 0UL, 0UL), EPERM);
}

/* All that is open goes on, and memory; nothing new is opened, and no other process is reached. */
static bool serve_only(void)
{
    static const long calls[] = {SYS_openat,     SYS_socket,      SYS_connect,  SYS_bind,
                                 SYS_clone,      SYS_execve,      SYS_kill,     SYS_tgkill,
                                 SYS_ptrace,     SYS_prctl,       SYS_mprotect, SYS_readlinkat,
                                 SYS_getdents64, SYS_memfd_create};
    char byte;
    int ends[2];
    if (pipe(ends) < 0)
        return false;
    if (!sandbox_enter(SANDBOX_SERVE))
        _exit(IMPOSSIBLE);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!refused(syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L), EPERM))
            return false;
    void *memory = mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return sandbox_entered() && all_refused() && users_change(false) &&
           refused(open_event(), EPERM) && refused(accept4(ends[0], NULL, NULL, 0), ENOTSOCK) &&
           write(ends[1], "", 1) == 1 && read(ends[0], &byte, 1) == 1 && memory != MAP_FAILED &&
           munmap(memory, 1) == 0;
}

static void *after(void *pipe)
{
    char go;
    bool good = read(*(int *)pipe, &go, 1) == 1 && all_refused();
    return good ? pipe : NULL;
}

static bool in_older_threads(void)
{
    int ends[2];
    pthread_t thread;
    void *result;
    if (pipe(ends) < 0 || pthread_create(&thread, NULL, after, &ends[0]) != 0)
        return false;
    if (!sandbox_enter(SANDBOX_COUNT))
        _exit(IMPOSSIBLE);
    return write(ends[1], "", 1) == 1 && pthread_join(thread, &result) == 0 && result;
}

static bool in_programs(void)
{
    int status;
    if (!sandbox_enter(SANDBOX_COUNT))
        _exit(IMPOSSIBLE);
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "grep -q '^NoNewPrivs:.1' /proc/self/status", (char *)NULL);
        _exit(1);
    }
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static void what_counts(void **state)
{
    in_child(count_only);
}

static void what_reads(void **state)
{
    in_child(read_only);
}

static void what_serves(void **state)
{
    in_child(serve_only);
}

static void threads(void **state)
{
    in_child(in_older_threads);
}

static void programs(void **state)
{
    in_child(in_programs);
}
