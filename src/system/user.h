/* Users by name, from the user database (getpwnam(3)). */
#ifndef SYSTEM_USER_H
#define SYSTEM_USER_H

#include "base/err.h"

#include <sys/types.h>

/* The uid of a user given by name, or as a number, which need not belong to a user. -1 with a
 * message that offers the nearest name. */
int user_find(const char *given, uid_t *uid, struct err *err);

#endif
