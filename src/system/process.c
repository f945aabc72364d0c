#include "system/process.h"
#include "base/names.h"
#include "base/str.h"
#include "system/procfs.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int process_hold(pid_t pid, uint64_t seen, struct err *err)
{
    struct procfs_task task;
    uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    if (procfs_foreign())
        return err_set(err, "%s", procfs_foreign());
    int held = (int)syscall(SYS_pidfd_open, pid, 0);
    if (held < 0 && errno == ESRCH)
        return err_set(err, "it has ended");
    if (held < 0 && (errno == EMFILE || errno == ENFILE))
        return err_set(err, "file descriptors ran out: raise the limit ('ulimit -n'), or take "
                            "fewer processes at a time");
    if (held < 0)
        return err_set(err,
                       "this kernel refuses pidfd_open (%s), which Linux 5.3 and later have: run "
                       "'kill' with pid %d",
                       strerror(errno), (int)pid);
    /* The descriptor is open already, so the facts read now are about its process. Starts are in
     * clock ticks, rounded down (proc_pid_stat(5), starttime). */
    if (procfs_task(pid, 0, &task) == 0 && procfs_lives(&task) && task.start <= seen / tick)
        return held;
    close(held);
    return err_set(err, "it has ended");
}

int process_signal(int held, pid_t pid, int signal, struct err *err)
{
    if (syscall(SYS_pidfd_send_signal, held, signal, NULL, 0) == 0)
        return 0;
    if (errno == ESRCH)
        return err_set(err, "it has ended");
    if (errno == EPERM)
        return err_set(err, "not permitted; its user and root may: 'sudo kill -%d %d'", signal,
                       (int)pid);
    return err_set(err, "%s; try 'kill -%d %d'", strerror(errno), signal, (int)pid);
}

bool process_has_gained(pid_t pid)
{
    char status[8192], own[8192];
    struct privilege_user owner;
    if (geteuid() == 0 || procfs_read(pid, 0, "status", status, sizeof(status)) <= 0 ||
        procfs_read(getpid(), 0, "status", own, sizeof(own)) <= 0)
        return false;
    bool same = procfs_owner(pid, &owner) == 0 && owner.uid == getuid() && owner.gid == getgid();
    return !same || procfs_status_number(status, "\nCapPrm:", 16) &
                        ~procfs_status_number(own, "\nCapPrm:", 16);
}

int user_find(const char *given, uid_t *uid, struct err *err)
{
    unsigned long long number;
    struct passwd *found = getpwnam(given);
    if (found || str_to_u64(given, 0, UINT_MAX - 1, &number)) {
        *uid = found ? found->pw_uid : (uid_t)number;
        return 0;
    }
    AUTO_NAMES struct names names = {0}; /* copies: getpwent(3) overwrites its result */
    setpwent();
    for (struct passwd *user; (user = getpwent());)
        names_add(&names, user->pw_name);
    endpwent();
    err_set(err, "unknown user '%.100s': expected a user's name or uid", given);
    return err_add_nearest(err, names_nearest(&names, given));
}
