#include "system/user.h"
#include "base/mem.h"
#include "base/str.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>

static const char *user_name_at(void *ctx, size_t i)
{
    return ((char **)ctx)[i];
}

/* Copies the names, since getpwent(3) overwrites its result. */
static int user_refuse(const char *given, struct err *err)
{
    char **names = NULL;
    size_t count = 0, room = 0;
    setpwent();
    for (struct passwd *user; (user = getpwent());) {
        mem_grow(&names, &room, count + 2, sizeof(*names));
        names[count++] = mem_strdup(user->pw_name);
        names[count] = NULL;
    }
    endpwent();
    const char *near = names ? str_nearest(given, user_name_at, names) : NULL;
    err_set(err, "unknown user '%.100s': expected a user's name or uid", given);
    err_add_nearest(err, near);
    while (count > 0)
        free(names[--count]);
    free(names);
    return -1;
}

int user_find(const char *given, uid_t *uid, struct err *err)
{
    unsigned long long number;
    struct passwd *user = getpwnam(given);
    if (!user && !str_to_u64(given, 0, UINT_MAX - 1, &number))
        return user_refuse(given, err);
    *uid = user ? user->pw_uid : (uid_t)number;
    return 0;
}
