/* Start-up as a table of stages: what opens each of them, and what closes it. */
#ifndef APP_STAGES_H
#define APP_STAGES_H

#include "base/err.h"

struct program; /* program.c */

struct stage {
    const char *name; /* in the file of --debug */
    /* 0, or the exit code with a message. */
    int (*open)(struct program *program, struct err *err);
    /* Closes what open() has opened, also after it failed half-way. */
    void (*close)(struct program *program);
};

/* Opens the stages in the order of the table, which ends with a row without a name, calls run(),
 * and closes them in the reverse order. After an open() that failed it closes that stage and those
 * before it, and does not call run(). Returns the exit code of what failed, or of run(). */
int stages_run(const struct stage *stages, int (*run)(struct program *program, struct err *err),
               struct program *program, struct err *err);

#endif
