#include "engine/crew.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct crew {
    size_t count;
    const struct idle_sign **asked; /* scratch */
    struct task_counters *members[];
};

struct crew *crew_new(struct task_counters *const *members, size_t count)
{
    size_t signs = 0;
    while (signs < count && task_counters_sign(members[signs]))
        signs++;
    if (signs < count || count == 0)
        return NULL;
    struct crew *crew = mem_alloc(sizeof(*crew) + count * sizeof(*members));
    crew->count = count;
    crew->asked = mem_array(count, sizeof(*crew->asked));
    memcpy(crew->members, members, count * sizeof(*members));
    return crew;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    free(crew->asked);
    free(crew);
}

bool crew_is_complete(const struct crew *crew, pid_t pid)
{
    size_t asked = 0;
    /* First: a member that lives later lived then, too. */
    if (procfs_thread_count(pid) != crew->count)
        return false;
    for (size_t i = 0; i < crew->count; i++) {
        const struct idle_sign *sign = task_counters_sign(crew->members[i]);
        if (!sign)
            return false;
        /* To end, a thread must run. */
        if (!task_counters_still(crew->members[i]))
            crew->asked[asked++] = sign;
    }
    return idle_sign_count_living(crew->asked, asked) == asked;
}

void crew_found(const struct crew *crew, uint64_t scan)
{
    for (size_t i = 0; i < crew->count; i++)
        crew->members[i]->seen = scan;
}
