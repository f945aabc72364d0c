#include "lookup.h"
#include "base/map.h"
#include "base/mem.h"
#include "system/cgroup.h"
#include "system/procfs.h"

#include <pwd.h>
#include <stdlib.h>

struct lookup {
    struct view_lookup view;
    struct map users; /* name by uid + 1; "" where there is none */
};

static const char *user(void *ctx, uid_t uid)
{
    struct lookup *lookup = ctx;
    uint64_t key = (uint64_t)uid + 1;
    char *name = map_get(&lookup->users, key);
    if (!name) {
        struct passwd *entry = getpwuid(uid);
        name = mem_strdup(entry ? entry->pw_name : "");
        map_put(&lookup->users, key, name);
    }
    return *name ? name : NULL;
}

static bool cmdline(void *ctx, pid_t pid, char *buffer, size_t size)
{
    (void)ctx;
    return procfs_cmdline(pid, buffer, size);
}

static void state(void *ctx, pid_t pid, pid_t tid, char *letter, size_t *threads)
{
    (void)ctx;
    struct procfs_task task;
    bool there = procfs_task(pid, tid, &task) == 0;
    *letter = there ? task.state : '\0';
    *threads = there ? task.threads : 0;
}

static bool cgroup(void *ctx, pid_t pid, char *path, size_t size)
{
    (void)ctx;
    return cgroup_of(pid, path, size);
}

static void shorten(void *ctx, const char *path, char *name, size_t size)
{
    (void)ctx;
    cgroup_name(path, name, size);
}

struct lookup *lookup_new(void)
{
    struct lookup *lookup = mem_alloc(sizeof(*lookup));
    lookup->view = (struct view_lookup){lookup, user, cmdline, state, cgroup, shorten};
    map_init(&lookup->users);
    return lookup;
}

void lookup_free(struct lookup *lookup)
{
    if (!lookup)
        return;
    char *name;
    for (size_t at = 0; (name = map_next(&lookup->users, &at));)
        free(name);
    map_release(&lookup->users);
    free(lookup);
}

const struct view_lookup *lookup_view(struct lookup *lookup)
{
    return &lookup->view;
}
