/* Helpers: programs of their own that do what is dangerous or slow beside this program. They read
 * files that anybody may have made (countertop-lines), speak HTTP (countertop-http) and fetch debug
 * files (countertop-fetch). A helper has no capability, no descriptor but those that it is given, a
 * session of its own without a terminal, and can be ended at any time. Whom it becomes may trace
 * it, and read its environment, once it has executed its program.
 *
 * Until then it has this program's memory (vfork(2)), with rings that are mapped. It can be traced
 * only if this program can, which capabilities of its file forbid; so does a change of its user,
 * for both and for good (kernel/cred.c, commit_creds()).
 *
 * The file of a helper is beside this program's file, in ../libexec/countertop beside it, or in
 * LIBEXECDIR of the build. Any user may make a hard link to a program with capabilities, so that
 * takes a file only if it and its folder belong to root, and nobody else may write to them. Where
 * there is none, a copy that the program has in itself is executed from memory. */
#pragma once

#include "system/privilege.h"

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
