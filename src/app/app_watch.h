/* Changes of what is watched that someone asks for while it runs; what is named has to be there. */
#ifndef APP_APP_WATCH_H
#define APP_APP_WATCH_H

#include "sample/watch.h"

/* Adds processes, by pid or name. -1 with a message, and watch as it was. */
int app_watch_add(struct watch *watch, const char *list, struct err *err);
/* Of one user, by name or uid, or with "" of all. Likewise. */
int app_watch_user(struct watch *watch, const char *user, struct err *err);

#endif
