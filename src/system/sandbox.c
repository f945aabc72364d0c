#include "system/sandbox.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* The processor's calls; 0: their numbers are not known here. */
#if defined(__x86_64__)
static const uint32_t CALLS_OF = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const uint32_t CALLS_OF = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
static const uint32_t CALLS_OF = AUDIT_ARCH_RISCV64;
#else
static const uint32_t CALLS_OF = 0;
#endif

/* From here on calls of x86-64 are those of x32: the same calls by other numbers. Elsewhere no call
 * has such a number. */
static const uint32_t X32 = 0x40000000;

/* The kernel's seccomp(2) has no such error: so the filter is told from those of others. */
enum { OWN_ERROR = ENOANO };

/* Not every processor has all of them, nor does every kernel's header. */
static const int forbidden[] = {
    /* mounts and namespaces */
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_open_tree,
    SYS_move_mount, SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick,
#ifdef SYS_mount_setattr
    SYS_mount_setattr,
#endif
    /* other processes */
    SYS_process_vm_writev, SYS_kcmp,
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
#ifndef __SANITIZE_ADDRESS__ /* which looks for leaks with it */
    SYS_ptrace,
#endif
    /* the kernel */
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
    SYS_bpf, SYS_reboot, SYS_syslog, SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl,
    SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,
    SYS_clock_adjtime,
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm, SYS_modify_ldt,
#endif
    /* rights and keys */
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setfsuid, SYS_setfsgid, SYS_keyctl,
    SYS_add_key, SYS_request_key,
    /* what has opened many holes */
    SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#ifdef SYS_mknod
    SYS_mknod,
#endif
    SYS_open_by_handle_at, SYS_fanotify_init, SYS_mknodat, SYS_vhangup};

enum { FORBIDDEN = sizeof(forbidden) / sizeof(forbidden[0]) };

/* Root that counts starts helpers as other users (system/helper.h), who have less rights. */
static const int changes_of_user[] = {SYS_setresuid, SYS_setresgid, SYS_setgroups};
enum { CHANGES = sizeof(changes_of_user) / sizeof(changes_of_user[0]) };

/* All that SANDBOX_SERVE permits; it may not even send a signal. */
static const int served[] = {
    /* open files and sockets */
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_sendfile, SYS_close, SYS_fcntl,
    SYS_accept4, SYS_recvfrom, SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_shutdown, SYS_getsockname,
    SYS_getpeername, SYS_getsockopt, SYS_setsockopt,
    /* waiting and time */
    SYS_ppoll, SYS_epoll_ctl, SYS_epoll_pwait, SYS_timerfd_settime, SYS_clock_gettime,
    SYS_gettimeofday, SYS_restart_syscall, SYS_futex, SYS_sched_yield,
#ifdef SYS_poll
    SYS_poll, SYS_epoll_wait,
#endif
#ifdef SYS_time
    SYS_time,
#endif
#ifdef SYS_mmap2
    SYS_mmap2,
#endif
#ifdef SYS_mmap
    SYS_mmap,
#endif
#ifdef __SANITIZE_ADDRESS__ /* which looks at the stack before the end */
    SYS_sigaltstack,
#endif
    /* memory and the end */
    SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_getrandom, SYS_rt_sigreturn, SYS_exit,
    SYS_exit_group};

enum { SERVED = sizeof(served) / sizeof(served[0]) };

/* A filter of system calls that grows. */
struct filter {
    struct sock_filter steps[2 * (FORBIDDEN + CHANGES + SERVED) + 32];
    unsigned short count;
};

static void filter_add(struct filter *filter, struct sock_filter step)
{
    filter->steps[filter->count++] = step;
}

static void filter_load(struct filter *filter, size_t offset)
{
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void filter_end(struct filter *filter, uint32_t result)
{
    filter_add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result));
}

/* What was loaded is compared; where the comparison (BPF_JEQ or BPF_JGE) is as wanted, the call
 * fails with that error; 0: it is permitted. */
static void filter_end_if(struct filter *filter, unsigned comparison, uint32_t value, bool wanted,
                          int error)
{
    unsigned short code = (unsigned short)(BPF_JMP | comparison | BPF_K);
    filter_add(filter, (struct sock_filter)BPF_JUMP(code, value, !wanted, wanted));
    filter_end(filter, error ? SECCOMP_RET_ERRNO | (uint32_t)error : SECCOMP_RET_ALLOW);
}

static void filter_calls(struct filter *filter, const int *calls, size_t count, int error)
{
    for (size_t i = 0; i < count; i++)
        filter_end_if(filter, BPF_JEQ, (uint32_t)calls[i], true, error);
}

static void filter_make(struct filter *filter, enum sandbox sandbox)
{
    static const int reading[] = {SYS_perf_event_open, SYS_process_vm_readv};
    filter->count = 0;
    filter_load(filter, offsetof(struct seccomp_data, arch));
    filter_end_if(filter, BPF_JEQ, CALLS_OF, false, EPERM);
    filter_load(filter, offsetof(struct seccomp_data, nr));
    filter_end_if(filter, BPF_JGE, X32, true, ENOSYS);
    filter_end_if(filter, BPF_JEQ, SYS_seccomp, true, OWN_ERROR);
    if (sandbox == SANDBOX_SERVE) {
        filter_calls(filter, served, SERVED, 0);
        filter_end(filter, SECCOMP_RET_ERRNO | EPERM);
        return;
    }
    if (sandbox == SANDBOX_READ)
        filter_calls(filter, reading, sizeof(reading) / sizeof(*reading), EPERM);
    filter_calls(filter, forbidden, FORBIDDEN, EPERM);
    if (sandbox != SANDBOX_COUNT || geteuid() != 0)
        filter_calls(filter, changes_of_user, CHANGES, EPERM);
    /* The family of a socket is an int: the lower half of the argument. */
    filter_add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0));
    filter_end(filter, SECCOMP_RET_ALLOW);
    filter_load(filter, offsetof(struct seccomp_data, args[0]));
    filter_end_if(filter, BPF_JEQ, AF_UNIX, false, EPERM);
    filter_end(filter, SECCOMP_RET_ALLOW);
}

bool sandbox_enter(enum sandbox sandbox)
{
    struct filter filter;
    if (!CALLS_OF || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return false;
    filter_make(&filter, sandbox);
    struct sock_fprog program = {.len = filter.count, .filter = filter.steps};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

bool sandbox_entered(void)
{
    /* Of an unknown operation the kernel says EINVAL. */
    return syscall(SYS_seccomp, -1, 0, NULL) < 0 && errno == OWN_ERROR;
}

/* ---- files ---- */

/* Headers may be older than the kernel: include/uapi/linux/landlock.h of Linux 6.12. What a kernel
 * does not know has to be 0. */
struct path_rules_all {
    uint64_t files, network, scoped;
};
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (UINT64_C(1) << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (UINT64_C(1) << 15)
#endif
enum { NETWORK_BIND_CONNECT = 3, SCOPED_SOCKETS_SIGNALS = 3 };

/* Versions that brought these. */
enum { WITH_REFER = 2, WITH_TRUNCATE, WITH_NETWORK, WITH_IOCTL, WITH_SCOPES };

static const uint64_t READ = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
                      WRITE = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
                              LANDLOCK_ACCESS_FS_IOCTL_DEV,
                      OF_FILES = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE |
                                 LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
                                 LANDLOCK_ACCESS_FS_IOCTL_DEV;

int path_rules_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0UL, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

/* All that this kernel can forbid. */
static struct path_rules_all path_rules_all(void)
{
    int version = path_rules_version();
    return (struct path_rules_all){
        .files = (LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1) |
                 (version >= WITH_REFER ? LANDLOCK_ACCESS_FS_REFER : 0) |
                 (version >= WITH_TRUNCATE ? LANDLOCK_ACCESS_FS_TRUNCATE : 0) |
                 (version >= WITH_IOCTL ? LANDLOCK_ACCESS_FS_IOCTL_DEV : 0),
        .network = version >= WITH_NETWORK ? NETWORK_BIND_CONNECT : 0,
        .scoped = version >= WITH_SCOPES ? SCOPED_SOCKETS_SIGNALS : 0,
    };
}

int path_rules_new(bool reading)
{
    struct path_rules_all all = path_rules_all();
    if (reading)
        all.files &= ~READ;
    return (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
}

void path_rules_add(int rules, const char *path, enum path_access access)
{
    struct stat status;
    AUTO_CLOSE int fd = rules >= 0 ? open(path, O_PATH | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    uint64_t allowed = READ;
    if (access == PATH_EXECUTE)
        allowed |= LANDLOCK_ACCESS_FS_EXECUTE;
    if (access == PATH_WRITE)
        allowed |= WRITE;
    allowed &= path_rules_all().files;
    if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode))
        allowed &= OF_FILES;
    struct landlock_path_beneath_attr rule = {.allowed_access = allowed, .parent_fd = fd};
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

bool path_rules_enter(int rules)
{
    if (rules < 0)
        return false;
    bool entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                   syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    file_close(rules);
    return entered;
}
