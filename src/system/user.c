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

int user_find(const char *given, uid_t *uid, struct err *err)
{
    unsigned long long number;
    struct passwd *found = getpwnam(given);
    if (found || str_to_u64(given, 0, UINT_MAX - 1, &number)) {
        *uid = found ? found->pw_uid : (uid_t)number;
        return 0;
    }
    char **names = NULL; /* copies: getpwent(3) overwrites its result */
    size_t count = 0, room = 0;
    setpwent();
    for (struct passwd *user; (user = getpwent());) {
        mem_grow(&names, &room, count + 2, sizeof(*names));
        names[count++] = mem_strdup(user->pw_name);
        names[count] = NULL;
    }
    endpwent();
    err_set(err, "unknown user '%.100s': expected a user's name or uid", given);
    err_add_nearest(err, names ? str_nearest(given, user_name_at, names) : NULL);
    while (count > 0)
        free(names[--count]);
    free(names);
    return -1;
}
