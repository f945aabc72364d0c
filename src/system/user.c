#include "system/user.h"
#include "base/names.h"
#include "base/str.h"

#include <limits.h>
#include <pwd.h>

int user_find(const char *given, uid_t *uid, struct err *err)
{
    unsigned long long number;
    struct passwd *found = getpwnam(given);
    if (found || str_to_u64(given, 0, UINT_MAX - 1, &number)) {
        *uid = found ? found->pw_uid : (uid_t)number;
        return 0;
    }
    struct names names = {0}; /* copies: getpwent(3) overwrites its result */
    setpwent();
    for (struct passwd *user; (user = getpwent());)
        names_add(&names, user->pw_name);
    endpwent();
    err_set(err, "unknown user '%.100s': expected a user's name or uid", given);
    err_add_nearest(err, names_nearest(&names, given));
    names_release(&names);
    return -1;
}
