#include "system/privilege.h"

#include <mntent.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

bool privilege_secure(void)
{
    return getauxval(AT_SECURE);
}

/* --- Capabilities --- */

enum { WORDS = _LINUX_CAPABILITY_U32S_3 };

/* What capget(2) and capset(2) take: the sets in words of 32 bits. */
struct sets {
    struct __user_cap_header_struct header;
    struct __user_cap_data_struct words[WORDS];
};

static bool get_sets(struct sets *sets)
{
    *sets = (struct sets){.header = {.version = _LINUX_CAPABILITY_VERSION_3}};
    return syscall(SYS_capget, &sets->header, sets->words) == 0;
}

static int put_sets(struct sets *sets)
{
    return (int)syscall(SYS_capset, &sets->header, sets->words);
}

static const uint64_t PERFMON = UINT64_C(1) << CAP_PERFMON, ADMIN = UINT64_C(1) << CAP_SYS_ADMIN,
                      PTRACE = UINT64_C(1) << CAP_SYS_PTRACE;

/* Makes the permitted capabilities of the mask effective, and no others; false: there are none, or
 * the kernel refuses. */
static bool make_effective(uint64_t mask)
{
    struct sets sets;
    uint32_t some = 0;
    if (!get_sets(&sets))
        return false;
    for (int i = 0; i < WORDS; i++) {
        struct __user_cap_data_struct *word = &sets.words[i];
        word->effective = word->permitted & (uint32_t)(mask >> 32 * i);
        some |= word->effective;
    }
    return (some || !mask) && put_sets(&sets) == 0;
}

bool privilege_hidepid(void)
{
    char text[4096];
    struct mntent mount;
    FILE *mounts = file_open("/proc/self/mounts");
    bool hides = false;
    while (mounts && getmntent_r(mounts, &mount, text, sizeof(text))) {
        const char *option = hasmntopt(&mount, "hidepid");
        if (str_equal(mount.mnt_dir, "/proc")) /* the last one is on top */
            hides =
                option && !str_starts(option, "hidepid=0") && !str_starts(option, "hidepid=off");
    }
    if (mounts)
        endmntent(mounts);
    return hides;
}

int privilege_reduce(struct err *err)
{
    struct sets sets;
    struct utsname names;
    unsigned major, minor;
    bool secure = privilege_secure();
    if (geteuid() == 0 || !get_sets(&sets))
        return 0;
    /* Without CAP_SYS_PTRACE other users' tasks may be hidden by hidepid, or not countable with
     * CAP_PERFMON alone, which is enough since Linux 5.9 (perf_event_open(2), "pid"). */
    bool old = uname(&names) == 0 && sscanf(names.release, "%u.%u", &major, &minor) == 2 &&
               (major < 5 || (major == 5 && minor < 9));
    uint64_t mask = PERFMON | (old || privilege_hidepid() ? PTRACE : 0);
    if (!(sets.words[CAP_TO_INDEX(CAP_PERFMON)].permitted & CAP_TO_MASK(CAP_PERFMON)))
        mask |= ADMIN;
    for (int i = 0; i < WORDS; i++) {
        struct __user_cap_data_struct *word = &sets.words[i];
        word->permitted &= (uint32_t)(mask >> 32 * i);
        word->effective &= secure ? 0 : word->permitted;
        word->inheritable = 0; /* and so are the ambient ones: capabilities(7) */
    }
    if (put_sets(&sets) == 0 || !secure)
        return 0;
    return err_set(err, "cannot give up capabilities: %s; a seccomp filter has to allow 'capset'",
                   err_reason(errno));
}

bool privilege_raise(unsigned which)
{
    int saved = errno;
    bool raised =
        privilege_secure() && make_effective((which & PRIVILEGE_COUNT ? PERFMON | ADMIN : 0) |
                                             (which & PRIVILEGE_SEE ? PTRACE : 0));
    errno = saved;
    return raised;
}

/* Aborts on failure: the program must not go on with rights to other users' files. */
void privilege_lower(bool raised)
{
    int saved = errno;
    if (raised && !make_effective(0))
        abort();
    errno = saved;
}

void privilege_drop(void)
{
    struct sets none = {.header = {.version = _LINUX_CAPABILITY_VERSION_3}};
    if (geteuid() != 0)
        put_sets(&none);
}

/* The system calls: the C library's functions change all threads of the memory that a child of
 * vfork(2) has. */
#ifdef SYS_setresuid32
enum { SET_GROUPS = SYS_setgroups32, SET_GIDS = SYS_setresgid32, SET_UIDS = SYS_setresuid32 };
#else
enum { SET_GROUPS = SYS_setgroups, SET_GIDS = SYS_setresgid, SET_UIDS = SYS_setresuid };
#endif

/* Nobody else has the group: so no other process of the user can trace it (ptrace(2): user and
 * group have to be the same). */
enum { NOBODY = 65534, NO_GROUP = 0x7ffffffd };
const struct privilege_user privilege_nobody = {.uid = NOBODY, .gid = NO_GROUP};

static bool become_user(const struct privilege_user *user)
{
    bool nobody = user->uid == NOBODY;
    return syscall(SET_GROUPS, user->count, user->groups) == 0 &&
           (syscall(SET_GIDS, user->gid, user->gid, user->gid) == 0 ||
            (nobody && syscall(SET_GIDS, NOBODY, NOBODY, NOBODY) == 0)) &&
           syscall(SET_UIDS, user->uid, user->uid, user->uid) == 0;
}

bool privilege_leave(const struct privilege_user *user)
{
    struct sets none = {.header = {.version = _LINUX_CAPABILITY_VERSION_3}};
    if (user && geteuid() == 0 && !become_user(user) && user != &privilege_nobody)
        return false;
    return put_sets(&none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool privilege_any(void)
{
    struct sets sets;
    bool any = privilege_secure() || !get_sets(&sets);
    for (int i = 0; i < WORDS && !any; i++)
        any = sets.words[i].permitted; /* the others are in it: capabilities(7) */
    return any;
}

/* --- The environment --- */

char **privilege_environment(void)
{
    /* Not HOME, where curses looks for terminal descriptions. */
    static const char CONFIG[] = "XDG_CONFIG_HOME=";
    static const char *const kept[] = {
        "COLUMNS=",  "LANG=",       "LC_ALL=", "LC_CTYPE=",   "LINES=", "TERM=",
        "NO_COLOR=", "LISTEN_FDS=", "TZ=",     "LISTEN_PID=", CONFIG};
    char **given = environ;
    size_t count = 0;
    bool named = false;
    if (!privilege_secure() || !given)
        return given;
    while (given[count])
        count++;
    /* The directory of base/file.h without HOME: XDG Base Directory Specification. */
    const char *home = getenv("HOME");
    /* Not by setenv(3), which leaves this array behind for another one. */
    char **left = mem_array(count + 2, sizeof(*left)), **next = left;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof(kept) / sizeof(*kept); k++)
            if (str_starts(given[i], kept[k]) &&
                !(kept[k] == CONFIG && given[i][strlen(CONFIG)] != '/')) {
                *next++ = given[i];
                named |= kept[k] == CONFIG;
            }
    if (!named && home && *home == '/')
        *next++ = mem_printf("%s%s/.config", CONFIG, home);
    environ = left;
    return given;
}
