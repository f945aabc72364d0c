#include "app/app_watch.h"
#include "app/startup.h"
#include "system/user.h"

int app_watch_add(struct watch *watch, const char *list, struct err *err)
{
    struct watch added;
    watch_init(&added);
    int result = watch_add_processes(&added, list, err);
    if (result == 0)
        result = startup_check_watch(&added, err);
    watch_release(&added);
    return result == 0 ? watch_add_processes(watch, list, err) : -1;
}

int app_watch_user(struct watch *watch, const char *user, struct err *err)
{
    uid_t uid;
    if (*user && user_find(user, &uid, err) < 0)
        return -1;
    watch_remove_users(watch);
    if (*user)
        watch_add_user(watch, uid);
    return 0;
}
