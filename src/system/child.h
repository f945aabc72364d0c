/* A command that is started to be counted: a child process that is forked early, waits until
 * counting has begun, and only then executes the command. So events can be opened on it before, and
 * nothing it does is missed. */
#pragma once

#include "base/base.h"

#include <sys/resource.h>

struct child { /* only for reading */
    const char *name;
    pid_t pid;
    bool apart, ended;
    int gate;      /* socket: one byte starts the command, exec's errno comes back; -1: closed */
    siginfo_t end; /* from waitid(2) */
    struct rusage usage;    /* likewise: with that of its children that it waited for */
    struct rusage before;   /* of this program's copy, until it executed the command */
    uint64_t began, finish; /* monotonic, ns */
    int output;             /* readable when it has written output to keep; -1: there is none */
    struct str kept;        /* that output, of which the last MiB is kept */
    bool cut;               /* more was written than that */
};

/* What a command would inherit if this program did not change it for itself. */
struct child_heritage {
    sigset_t blocked;
    bool pipe_ignored, size_ignored; /* SIGPIPE, SIGXFSZ */
    int highest;                     /* no descriptor that it may inherit has a higher number */
    char **environment;              /* its variables; they are not copied */
};

/* Fills in all but the environment. Call it before this program blocks or ignores signals, and
 * before it opens files. */
void child_heritage_keep(struct child_heritage *heritage);

struct child_command {
    char *const *words; /* the program, found as execvp(3) does, and its arguments; then NULL */
    const struct child_heritage *heritage;
    /* The terminal belongs to countertop. The child gets a process group of its own; if its input
     * is the terminal it becomes /dev/null, and output to the terminal is kept for child_free. */
    bool apart;
    bool no_input, no_output; /* standard input or output is /dev/null */
    int input;                /* a descriptor that becomes standard input; 0: none */
};

/* Forks the child. Files must be opened with O_CLOEXEC: the command would inherit them; the
 * child closes those at once. NULL with a message. */
struct child *child_start(const struct child_command *command, struct err *err);

/* Writes the kept output to standard output, so the terminal must be restored before. Kills and
 * reaps a child that has not executed the command yet; waits at most a second for a command that is
 * apart and still runs. NULL is fine. */
void child_free(struct child *child);

/* Lets the child execute the command. -1 with a message if it cannot. */
int child_go(struct child *child, struct err *err);

/* Whether the command has ended; call it after SIGCHLD. */
bool child_ended(struct child *child);

/* After its end: its exit status, or as in shells 128 + N if signal N ended it. After a child_go()
 * that failed: 127 if the program was not found, 126 if it cannot be executed, 1 if the child was
 * lost. */
int child_status(const struct child *child);

/* The same in words: "'make' ended with status 2 after 12.3 s"; the caller frees it. */
char *child_report(const struct child *child);

double child_seconds(const struct child *child); /* how long it ran */
/* Its CPU time in user and kernel mode, with that of its children that it waited for, seconds; from
 * the execution of the command on. */
void child_cpu_times(const struct child *child, double *user, double *kernel);

/* Sends a signal to the command, or if it is apart to its process group. Does nothing after its
 * end. */
void child_signal(const struct child *child, int number);

/* Reads the output to keep. False at its end. */
bool child_take_output(struct child *child);

/* The words of a command that is given as one text. */

/* As make(1) does: a command that consists of plain words (letters, digits and -+=./:,@%^_), and
 * whose first one is a program, is executed itself, so that no shell is measured with it; any other
 * text is a script for /bin/sh -c. The words, NULL at the end; free them with words_free().
 * environment: its PATH is searched. */
char **words_of(const char *text, char *const *environment);
void words_free(char **words); /* NULL is fine */
