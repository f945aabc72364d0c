#include "view/groups.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/row_sum.h"

#include <stdlib.h>
#include <string.h>

/* Frames after which what was learnt of a process that did not run is let go of. */
enum { REMEMBERED = 64 };

/* The cgroup of a process, when it was asked for last. */
struct asked {
    uint64_t process, seq;
    char path[];
};

bool groups_shown(enum view_kind kind)
{
    return kind == VIEW_USERS || kind == VIEW_COMMANDS || kind == VIEW_CGROUPS;
}

void groups_init(struct groups *groups)
{
    *groups = (struct groups){0};
    map_init(&groups->found);
}

static void groups_clear(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->rows[i].counts);
        free(groups->groups[i].cgroup);
    }
    groups->count = 0;
    map_clear(&groups->found);
}

void groups_release(struct groups *groups)
{
    groups_clear(groups);
    map_release(&groups->found);
    free(groups->rows);
    free(groups->groups);
    groups_init(groups);
}

const struct group *groups_of(const struct groups *groups, const struct row *row)
{
    return &groups->groups[row - groups->rows];
}

/* --- Cgroups of processes --- */

void cgroup_memory_init(struct cgroup_memory *memory)
{
    *memory = (struct cgroup_memory){0};
    map_init(&memory->asked);
}

void cgroup_memory_release(struct cgroup_memory *memory)
{
    struct asked *asked;
    for (size_t at = 0; (asked = map_next(&memory->asked, &at));)
        free(asked);
    map_release(&memory->asked);
}

static struct asked *groups_remember(struct cgroup_memory *memory, uint64_t process,
                                     const char *path)
{
    struct asked *asked = mem_alloc(sizeof(*asked) + strlen(path) + 1);
    asked->process = process;
    strcpy(asked->path, path);
    free(map_put(&memory->asked, process, asked));
    return asked;
}

/* /proc must not be asked about a process that ended: its pid may be another's by now. It was asked
 * while it lived, unless it was born and ended between two frames. */
static const char *cgroup_of(struct cgroup_memory *memory, const struct view_context *context,
                             const struct row *process)
{
    char path[4096];
    const struct view_lookup *lookup = context->lookup;
    struct asked *asked = map_get(&memory->asked, process->id);
    if (!process->exited && lookup && lookup->cgroup &&
        lookup->cgroup(lookup->ctx, process->pid, path, sizeof(path)) &&
        !(asked && str_equal(asked->path, path)))
        asked = groups_remember(memory, process->id, path);
    if (!asked)
        return NULL;
    asked->seq = context->frame->seq;
    return asked->path;
}

static void forget_old(struct cgroup_memory *memory, uint64_t seq)
{
    if (seq < memory->swept + REMEMBERED)
        return;
    struct asked *asked, **old = mem_array(memory->asked.count, sizeof(*old));
    size_t count = 0;
    for (size_t at = 0; (asked = map_next(&memory->asked, &at));)
        if (asked->seq + REMEMBERED < seq)
            old[count++] = asked;
    for (size_t i = 0; i < count; i++)
        free(map_remove(&memory->asked, old[i]->process));
    free(old);
    memory->swept = seq;
}

/* --- Groups --- */

/* FNV-1a: of a name the same in every frame, so that the cursor finds its row again. */
static uint64_t hash(const char *text)
{
    uint64_t value = 0xcbf29ce484222325;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * 0x100000001b3;
    return value;
}

static uint64_t groups_id_of(enum view_kind kind, const struct row *part, const char *cgroup)
{
    if (kind == VIEW_USERS)
        return (uint64_t)part->uid + 1;
    return hash(kind == VIEW_COMMANDS ? part->comm : cgroup ? cgroup : "");
}

static bool belongs(const struct groups *groups, size_t i, enum view_kind kind,
                    const struct row *part, const char *cgroup)
{
    if (kind == VIEW_USERS)
        return groups->rows[i].uid == part->uid;
    if (kind == VIEW_COMMANDS)
        return str_equal(groups->rows[i].comm, part->comm);
    return str_equal(groups->groups[i].cgroup, cgroup);
}

static size_t new_group(struct groups *groups, const struct view_context *context,
                        const struct row *part, const char *cgroup)
{
    enum view_kind kind = context->settings->kind;
    size_t at = groups->count++;
    mem_grow(&groups->rows, &groups->room, groups->count, sizeof(*groups->rows));
    mem_grow(&groups->groups, &groups->group_room, groups->count, sizeof(*groups->groups));
    struct row *row = &groups->rows[at];
    *row = row_sum_new(context->frame->events);
    groups->groups[at] = (struct group){.cgroup = mem_strdup(cgroup)};
    if (kind == VIEW_USERS)
        row->uid = part->uid;
    else if (kind == VIEW_COMMANDS)
        memcpy(row->comm, part->comm, sizeof(row->comm));
    return at;
}

static size_t group_for(struct groups *groups, const struct view_context *context,
                        const struct row *part, const char *cgroup)
{
    enum view_kind kind = context->settings->kind;
    uint64_t id = groups_id_of(kind, part, cgroup);
    for (struct group *group; (group = map_get(&groups->found, id)); id++) {
        size_t at = (size_t)(uintptr_t)group - 1;
        if (belongs(groups, at, kind, part, cgroup))
            return at;
    }
    size_t at = new_group(groups, context, part, cgroup);
    groups->rows[at].id = id;
    map_put(&groups->found, id, (void *)(uintptr_t)(at + 1));
    return at;
}

void groups_make(struct groups *groups, struct cgroup_memory *memory,
                 const struct view_context *context, const struct row **parts, size_t count)
{
    const struct event_set *set = context->frame->events;
    bool cgroups = context->settings->kind == VIEW_CGROUPS;
    groups_clear(groups);
    for (size_t i = 0; i < count; i++) {
        const char *cgroup = cgroups ? cgroup_of(memory, context, parts[i]) : NULL;
        size_t at = group_for(groups, context, parts[i], cgroup);
        row_sum_add(&groups->rows[at], parts[i], set);
        groups->groups[at].processes++;
    }
    for (size_t i = 0; i < groups->count; i++)
        row_sum_complete(&groups->rows[i], set);
    if (cgroups)
        forget_old(memory, context->frame->seq);
}
