#include "sample/cgroup_names.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct cgroup_names {
    int references;
    size_t count;
    struct cgroup_name names[]; /* by id; the paths are behind the last one */
};

struct cgroup_names *cgroup_names_new(struct cgroup_name *names, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(names[i].path) + 1;
    struct cgroup_names *all = mem_alloc(sizeof(*all) + count * sizeof(*names) + bytes);
    char *to = (char *)(all->names + count);
    all->references = 1;
    all->count = count;
    mem_sort(names, count, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        all->names[i] = (struct cgroup_name){names[i].id, to};
        to = stpcpy(to, names[i].path) + 1;
    }
    return all;
}

struct cgroup_names *cgroup_names_share(struct cgroup_names *names)
{
    if (names)
        __atomic_add_fetch(&names->references, 1, __ATOMIC_RELAXED);
    return names;
}

void cgroup_names_drop(struct cgroup_names *names)
{
    if (names && __atomic_sub_fetch(&names->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(names);
}

struct cgroup_names *cgroup_names_join(const struct cgroup_names *names, const struct map *more)
{
    size_t count = names ? names->count : 0;
    struct cgroup_name *all = mem_array(count + more->count, sizeof(*all));
    for (size_t i = 0; i < count; i++)
        all[i] = names->names[i];
    for (size_t i = 0; i < more->room; i++)
        if (more->slots[i].value)
            all[count++] = (struct cgroup_name){more->slots[i].key, more->slots[i].value};
    struct cgroup_names *joined = cgroup_names_new(all, count);
    free(all);
    return joined;
}

const char *cgroup_names_find(const struct cgroup_names *names, uint64_t id)
{
    size_t after = names ? mem_after(names->names, names->count, sizeof(*names->names), id) : 0;
    return after > 0 && names->names[after - 1].id == id ? names->names[after - 1].path : NULL;
}
