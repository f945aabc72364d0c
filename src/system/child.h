/* A command that is started to be watched: a child of ours that is forked early, waits until all is
 * set and counting, and only then becomes the command. So nothing it does is missed, and the events
 * that follow it can be opened on it before. */
#ifndef SYSTEM_CHILD_H
#define SYSTEM_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct child;

/* Forks the child. words: the program, found as execvp(3) does, and its arguments, NULL at the end;
 * environment: its variables, which are not copied.
 * To be called before signals are blocked and anything is opened: the child inherits what is there.
 *
 * apart: the terminal is ours alone. The child gets a process group of its own; where its input
 * would be the terminal it is /dev/null, and what it writes there is kept for child_free. NULL
 * with a message. */
struct child *child_start(char *const *words, char **environment, bool apart, struct err *err);

/* Writes what was kept of the command's output, so the terminal must be as it was; reaps a child
 * that has not been let go. For one that is apart and still runs it waits a second at most. NULL is
 * fine. */
void child_free(struct child *child);

pid_t child_pid(const struct child *child);

/* Lets the child execute the command. -1 with a message where it cannot. */
int child_go(struct child *child, struct err *err);

/* For SIGCHLD: whether the command has ended by now. */
bool child_ended(struct child *child);

/* After its end: its exit status, 128 + N when signal N ended it, as shells have it. After a
 * child_go() that failed: 127 where the program was not found, 126 where it cannot be executed, 1
 * where the child was lost. */
int child_status(const struct child *child);

/* The same in words: "'make' ended with status 2 after 12.3 s"; the caller frees it. */
char *child_report(const struct child *child);

double child_seconds(const struct child *child); /* how long it ran */

/* Sends a signal to the command, apart: to its process group. Nothing after its end. */
void child_signal(const struct child *child, int number);

/* Readable when the command has written something that is to be kept; -1: never. */
int child_output_fd(const struct child *child);
/* Takes it in; false when there will be no more. Of much output the last part is kept. */
bool child_take_output(struct child *child);

#endif
