/* What the program may do beyond its user: with capabilities of its file, which the kernel calls
 * secure execution (getauxval(3), AT_SECURE). It serves counting and what the program reads in
 * /proc of itself, never what the user names; and no library listens to the user's variables. */
#ifndef SYSTEM_PRIVILEGE_H
#define SYSTEM_PRIVILEGE_H

#include "base/err.h"

#include <stdbool.h>

bool privilege_secure(void); /* whether it is secure execution */

/* Gives up the capabilities that counting does not need; root's are left alone. In secure execution
 * those that are kept have no effect from here on but between the next two. To be called first:
 * before there are threads, and before a file that the user names is opened. -1 with a message
 * where the kernel refuses. */
int privilege_reduce(struct err *err);

/* Whether what is mounted on /proc has the option hidepid, with any value that hides. */
bool privilege_hidepid(void);

enum {
    PRIVILEGE_COUNT = 1, /* CAP_PERFMON, or CAP_SYS_ADMIN where that is the one that is kept */
    PRIVILEGE_SEE = 2,   /* CAP_SYS_PTRACE, where that is kept: the processes of others */
};

/* In secure execution these have an effect, on the calling thread alone, until privilege_lower() is
 * given what this returns. Between them nothing may be opened whose path comes from the user: with
 * PRIVILEGE_SEE /proc/PID/cwd and the like lead to what is closed to him. Without secure execution
 * both do nothing: what is in effect is the user's own. errno is kept. */
bool privilege_raise(unsigned which);
void privilege_lower(bool raised);

/* For a child that is going to execute a command, which gets no capabilities that it has from our
 * file: gives them up now; root's are left alone. So its files in /proc belong to the user at once,
 * as they will (proc(5)), and not to root until then. */
void privilege_drop(void);

/* In secure execution only those variables are left that the program itself reads: others lead
 * libraries to files, as TERMINFO does curses. To be called before there are threads. Returns the
 * environment as it was, which is what a command gets. */
char **privilege_environment(void);

#endif
