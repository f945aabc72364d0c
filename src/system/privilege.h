/* Rights of the program beyond its user's, from capabilities of its file; the kernel calls this
 * secure execution (getauxval(3), AT_SECURE). They are used for counting and for files of /proc
 * that the program itself chooses, never for files that the user names, and the user's environment
 * is kept from the libraries. */
#pragma once

#include "base/base.h"

#include <linux/capability.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

bool privilege_secure(void); /* whether it is secure execution */

/* Gives up the capabilities that counting does not need, except root's. In secure execution those
 * that are kept then take effect only between privilege_raise() and privilege_lower(). Call it
 * first, before threads are started and files that the user names are opened. -1 with a message if
 * the kernel refuses. */
int privilege_reduce(struct err *err);

/* Whether the mount on /proc has the option hidepid, with any value that hides. */
bool privilege_hidepid(void);

enum {
    PRIVILEGE_COUNT = 1, /* CAP_PERFMON, or CAP_SYS_ADMIN if that was kept instead */
    PRIVILEGE_SEE = 2,   /* CAP_SYS_PTRACE if it was kept: other users' processes */
};

/* In secure execution enables these in the calling thread until privilege_lower() gets the result
 * of this call. Between them no path that comes from the user may be opened: with PRIVILEGE_SEE,
 * links such as /proc/PID/cwd lead to files that the user may not read. Without secure execution
 * both do nothing. errno is kept. */
bool privilege_raise(unsigned which);
void privilege_lower(bool raised);

/* Gives up the capabilities of the program's file for good, except root's: for a child that will
 * execute a command, which would not get them anyway, and for showing a recording. A process that
 * could not be traced still cannot (PR_SET_DUMPABLE), since its memory is that of a program with
 * capabilities, until it executes another one. */
void privilege_drop(void);

/* Whose rights a process has. */
enum { PRIVILEGE_GROUPS = 64 };
struct privilege_user {
    uid_t uid;
    gid_t gid, groups[PRIVILEGE_GROUPS];
    size_t count; /* of groups: some may be missing */
};
extern const struct privilege_user privilege_nobody;

/* Gives up all capabilities for good, root's too: for a process that needs none. No program that it
 * executes gains any. Root becomes the user, unless that is NULL; privilege_nobody only where the
 * kernel permits (a user namespace may have none). May be called between vfork(2) and execve(2).
 * False with errno: it is not done. */
bool privilege_leave(const struct privilege_user *user);

/* Whether this process has any capability that it could use, or secure execution. */
bool privilege_any(void);

/* In secure execution removes all variables except those that the program reads itself: others
 * direct libraries to files, for example TERMINFO. Call it before threads are started. Returns the
 * original environment, for a command. */
char **privilege_environment(void);
