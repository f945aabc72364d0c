/* Users by name, from the user database (getpwnam(3)). */
#ifndef SYSTEM_USER_H
#define SYSTEM_USER_H

#include "base/err.h"

#include <sys/types.h>

/* The uid of a user given by name, or by number, which need not be a known user's. -1 with a
 * message that has the nearest name. */
int user_find(const char *given, uid_t *uid, struct err *err);

#endif
