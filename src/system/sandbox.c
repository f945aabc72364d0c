#include "system/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { PROCESSOR = 1 };
static const uint32_t CALLS_OF = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
enum { PROCESSOR = 1 };
static const uint32_t CALLS_OF = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
enum { PROCESSOR = 1 };
static const uint32_t CALLS_OF = AUDIT_ARCH_RISCV64;
#else
enum { PROCESSOR = 0 };
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

static void filter_load(struct filter *filter, size_t offset)
{
    filter->steps[filter->count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void filter_end(struct filter *filter, uint32_t result)
{
    filter->steps[filter->count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, result);
}

/* What was loaded is compared; where the comparison (BPF_JEQ or BPF_JGE) is as wanted, that is the
 * result. */
static void filter_end_if(struct filter *filter, unsigned comparison, uint32_t value, bool wanted,
                          uint32_t result)
{
    filter->steps[filter->count++] = (struct sock_filter)BPF_JUMP(
        (unsigned short)(BPF_JMP | comparison | BPF_K), value, wanted ? 0 : 1, wanted ? 1 : 0);
    filter_end(filter, result);
}

static void filter_refuse(struct filter *filter, unsigned comparison, uint32_t value, bool wanted,
                          int error)
{
    filter_end_if(filter, comparison, value, wanted, SECCOMP_RET_ERRNO | (uint32_t)error);
}

static void filter_make(struct filter *filter, enum sandbox sandbox)
{
    filter->count = 0;
    filter_load(filter, offsetof(struct seccomp_data, arch));
    filter_refuse(filter, BPF_JEQ, CALLS_OF, false, EPERM);
    filter_load(filter, offsetof(struct seccomp_data, nr));
    filter_refuse(filter, BPF_JGE, X32, true, ENOSYS);
    filter_refuse(filter, BPF_JEQ, SYS_seccomp, true, OWN_ERROR);
    if (sandbox == SANDBOX_SERVE) {
        for (size_t i = 0; i < SERVED; i++)
            filter_end_if(filter, BPF_JEQ, (uint32_t)served[i], true, SECCOMP_RET_ALLOW);
        filter_end(filter, SECCOMP_RET_ERRNO | EPERM);
        return;
    }
    if (sandbox == SANDBOX_READ) {
        filter_refuse(filter, BPF_JEQ, SYS_perf_event_open, true, EPERM);
        filter_refuse(filter, BPF_JEQ, SYS_process_vm_readv, true, EPERM);
    }
    for (size_t i = 0; i < FORBIDDEN; i++)
        filter_refuse(filter, BPF_JEQ, (uint32_t)forbidden[i], true, EPERM);
    for (size_t i = 0; i < CHANGES && !(sandbox == SANDBOX_COUNT && geteuid() == 0); i++)
        filter_refuse(filter, BPF_JEQ, (uint32_t)changes_of_user[i], true, EPERM);
    /* The family of a socket is an int: the lower half of the argument. */
    filter->steps[filter->count++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 1, 0);
    filter_end(filter, SECCOMP_RET_ALLOW);
    filter_load(filter, offsetof(struct seccomp_data, args[0]));
    filter_refuse(filter, BPF_JEQ, AF_UNIX, false, EPERM);
    filter_end(filter, SECCOMP_RET_ALLOW);
}

bool sandbox_enter(enum sandbox sandbox)
{
    struct filter filter;
    if (!PROCESSOR || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
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
