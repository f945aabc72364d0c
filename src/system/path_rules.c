#include "system/sandbox.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(SYS_landlock_create_ruleset) && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

/* Headers may be older than the kernel: include/uapi/linux/landlock.h of Linux 6.12. What a kernel
 * does not know has to be 0. */
struct path_rules_all {
    uint64_t files, network, scoped;
};
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
static struct path_rules_all path_rules_all(int version)
{
    struct path_rules_all all = {.files = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1};
    if (version >= WITH_REFER)
        all.files |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= WITH_TRUNCATE)
        all.files |= LANDLOCK_ACCESS_FS_TRUNCATE;
    if (version >= WITH_NETWORK)
        all.network = NETWORK_BIND_CONNECT;
    if (version >= WITH_IOCTL)
        all.files |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
    if (version >= WITH_SCOPES)
        all.scoped = SCOPED_SOCKETS_SIGNALS;
    return all;
}

int path_rules_new(bool reading)
{
    struct path_rules_all all = path_rules_all(path_rules_version());
    if (reading)
        all.files &= ~READ;
    return (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
}

void path_rules_add(int rules, const char *path, enum path_access access)
{
    struct stat status;
    int fd = rules >= 0 ? open(path, O_PATH | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    uint64_t allowed = READ;
    if (access == PATH_EXECUTE)
        allowed |= LANDLOCK_ACCESS_FS_EXECUTE;
    if (access == PATH_WRITE)
        allowed |= WRITE;
    allowed &= path_rules_all(path_rules_version()).files;
    if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode))
        allowed &= OF_FILES;
    struct landlock_path_beneath_attr rule = {.allowed_access = allowed, .parent_fd = fd};
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(fd);
}

bool path_rules_enter(int rules)
{
    if (rules < 0)
        return false;
    bool entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                   syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return entered;
}

#else

int path_rules_version(void)
{
    return 0;
}

int path_rules_new(bool reading)
{
    (void)reading;
    return -1;
}

void path_rules_add(int rules, const char *path, enum path_access access)
{
    (void)rules, (void)path, (void)access;
}

bool path_rules_enter(int rules)
{
    (void)rules;
    return false;
}

#endif
