/* Which files this process may open from now on, as landlock(7) permits it without rights. What is
 * open stays usable. A process with such rules may look into no other one (access check of
 * ptrace(2)), which counting needs: so they are for processes that do not count. */
#ifndef SYSTEM_PATH_RULES_H
#define SYSTEM_PATH_RULES_H

#include <stdbool.h>

/* The version of the kernel's interface; 0: it has none, or Landlock is turned off. */
int path_rules_version(void);

enum path_access {
    PATH_READ,    /* the file, or all files below the directory */
    PATH_EXECUTE, /* ... and execute them */
    PATH_WRITE,   /* as PATH_READ, and write, and below the directory make, replace and remove files
                   */
};

/* Rules that permit nothing, or only reading, but that of all files; for path_rules_enter(). -1:
 * not possible. */
int path_rules_new(bool reading);

/* Permits it for what a path, in which links are followed, leads to now. A file that takes its
 * place is another. What is not there is left out; rules -1 is fine. */
void path_rules_add(int rules, const char *path, enum path_access access);

/* From now on the calling thread, and those and the processes that it starts, open other files no
 * more, connect to no network, and send signals to none but each other. Ends the rules. False: not
 * possible. */
bool path_rules_enter(int rules);

#endif
