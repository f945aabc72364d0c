/* Helpers: programs of their own that do what is dangerous or slow beside this program. They read
 * files that anybody may have made (countertop-lines), speak HTTP (countertop-http) and fetch debug
 * files (countertop-fetch). A helper has no capability, no descriptor but those that it is given, a
 * session of its own, and can be ended at any time. Whom it becomes may trace it, and read its
 * environment, once it has executed its program: it has no terminal and is in the root folder.
 *
 * Nothing of this program can be had through a helper that starts:
 * - It is started by vfork(2): until execve(2) it has this program's memory, with rings that are
 *   mapped. So it can be traced only if this program can, which capabilities of its file forbid.
 *   Where it becomes another user, that forbids it before (kernel/cred.c, commit_creds()), for both
 *   and for good: to permit it again would open the next one, of another thread.
 * - It closes all other descriptors first, changes its user and gives up its capabilities then.
 *
 * The file of a helper is beside this program's file, or installed: in ../libexec/countertop beside
 * it, or where the build says (LIBEXECDIR). A program with capabilities trusts /proc/self/exe only
 * so far: any user may make a hard link to it, and the folder beside that is the user's. So it
 * takes a file only if that and its folder belong to root, and nobody else may write to them. The
 * file that was checked is the one that is executed: both are done by its descriptor. Where there
 * is no such file, as beside a copy of the program, a copy of the helper is executed that the
 * program has in itself: from a file in memory (memfd_create(2)). */
#ifndef SYSTEM_HELPER_H
#define SYSTEM_HELPER_H

#include "base/err.h"
#include "system/privilege.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The copies, made by the Makefile; ends with name NULL. Not in programs of tests. */
struct helper_copy {
    const char *name;
    const char *begin, *end;
};
extern const struct helper_copy helper_copies[] __attribute__((weak));

struct helper {
    pid_t pid;
    int socket; /* to its standard input */
};

struct helper_command {
    const char *name; /* of its file */
    int type;         /* of the socket: SOCK_STREAM, SOCK_SEQPACKET */
    /* The beginnings of variables that it needs, the last NULL, and where they are from. Not where
     * it becomes another user: that one may read them. NULL: none. */
    const char *const *variables;
    char **environment;
    const int *files; /* become its descriptors from HELPER_FILES on */
    size_t count;     /* of them, at most HELPER_FILES_MAX */
    /* Whom it becomes where this program is root (privilege_leave()); NULL: it stays. */
    const struct privilege_user *user;
};

enum { HELPER_FILES = 3, HELPER_FILES_MAX = 5 };

/* Starts a helper. -1 with a message. Any thread may call it. */
int helper_start(struct helper *helper, const struct helper_command *command, struct err *err);
/* Kills it, closes its socket and reaps it. Returns its status as of waitpid(2): that of an end
 * before, if there was one. */
int helper_end(struct helper *helper);
/* Whether such a status says that helper_begin() refused to start. */
bool helper_refused(int status);

/* --- In the helper --- */

/* For its main(), which calls it first: prints why to standard error and exits if it has any
 * capability, was not started by helper_start() of the same version, or has no socket of that type
 * as standard input. From then on it writes no core file. */
void helper_begin(int argc, char **argv, int type);
/* Ignores keys of the terminal and signals to a whole service: it ends when its socket does. */
void helper_ignore_signals(void);

#endif
