#include "view/rows.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/row_sum.h"
#include "view/view_kind.h"

#include <stdlib.h>
#include <string.h>

/* Frames after which the key of an idle process may be dropped. */
enum { REMEMBERED = 64 };

static void groups_clear(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        row_sum_release(&groups->rows[i]);
        free(groups->groups[i].key);
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
}

void key_memory_release(struct key_memory *memory)
{
    map_free(&memory->known);
    map_free(&memory->before);
    map_release(&memory->rows);
}

/* In the memory pids have this bit, ids of processes have not. */
static const uint64_t BY_PID = (uint64_t)1 << 63;

static void remember(struct key_memory *memory, uint64_t process, const char *key)
{
    free(map_put(&memory->known, process, mem_strdup(key)));
}

static const char *recall(struct key_memory *memory, uint64_t process)
{
    char *key = map_get(&memory->known, process);
    if (!key && (key = map_remove(&memory->before, process)))
        map_put(&memory->known, process, key);
    return key;
}

/* The process that has that pid in the frame; NULL: none. */
static const struct row *process_with(struct key_memory *memory, const struct frame *frame,
                                      pid_t pid)
{
    if (memory->rows.count == 0)
        for (size_t i = 0; i < frame->process_count; i++)
            map_put(&memory->rows, (uint64_t)frame->processes[i].pid, &frame->processes[i]);
    return map_get(&memory->rows, (uint64_t)pid);
}

/* The key of a process, from a buffer or the memory; NULL: not known. /proc is not read for ended
 * processes: another one may have the pid now. Their key is in memory, or if they started and ended
 * between two frames it is that of the process that created them. */
static const char *key_of(struct key_memory *memory, const struct view_context *context,
                          const struct row *process, int depth, char *key, size_t size)
{
    enum { DEPTH_MAX = 64 };
    const struct view_type *type = &view_types[context->settings->kind];
    if (type->in_row)
        return type->key(context, process, key, size) ? key : NULL;
    const char *path = frame_cgroup(context->frame, process);
    if (path && context->settings->kind == VIEW_CGROUPS)
        return path;
    uint64_t id = process->id & ~BY_PID;
    if (!process->exited && type->key(context, process, key, size)) {
        remember(memory, id, key);
        remember(memory, BY_PID | (uint64_t)process->pid, key);
        return key;
    }
    const char *known = recall(memory, id);
    const struct row *parent =
        known || depth == DEPTH_MAX ? NULL : process_with(memory, context->frame, process->ppid);
    if (parent)
        return key_of(memory, context, parent, depth + 1, key, size);
    /* What created it did not run since. */
    return known ? known : recall(memory, BY_PID | (uint64_t)process->ppid);
}

/* A key for two numbers, the second of which is small. */
static uint64_t hash_two(uint64_t a, uint64_t b)
{
    uint64_t both[] = {a, b};
    return str_hash_bytes(both, sizeof(both));
}

/* The index of the group with that key; adds a new one if necessary. */
static size_t group_for(struct groups *groups, const struct view_context *context,
                        const struct row *part, const char *key)
{
    /* A name has the same id in every frame, so that the cursor finds its row. */
    uint64_t id = str_hash(key ? key : "");
    for (void *found; (found = map_get(&groups->found, id)); id++)
        if (str_equal(groups->groups[(uintptr_t)found - 1].key, key))
            return (uintptr_t)found - 1;
    size_t at = groups->count++;
    mem_grow(&groups->rows, &groups->room, groups->count, sizeof(*groups->rows));
    mem_grow(&groups->groups, &groups->group_room, groups->count, sizeof(*groups->groups));
    groups->groups[at] = (struct group){.key = mem_strdup(key)};
    struct row *row = &groups->rows[at];
    *row = row_sum_new(context->frame->events);
    row->id = id;
    if (context->settings->kind == VIEW_USERS)
        row->uid = part->uid;
    map_put(&groups->found, id, (void *)(uintptr_t)(at + 1));
    return at;
}

/* In a tree the index of the group that this one is in; else, or if it is in none, its own. */
static size_t group_above(struct groups *groups, const struct view_context *context,
                          const struct row *part, size_t at)
{
    const char *key = groups->groups[at].key;
    if (!context->settings->tree || context->settings->kind != VIEW_CGROUPS || !key ||
        key[0] != '/' || !key[1])
        return at;
    if (!groups->groups[at].above) {
        char *above = mem_strdup(key), *end = strrchr(above, '/');
        end[end == above] = '\0';
        size_t parent = group_for(groups, context, part, above);
        groups->groups[at].above = parent + 1;
        free(above);
    }
    return groups->groups[at].above - 1;
}

void groups_make(struct groups *groups, struct key_memory *memory,
                 const struct view_context *context, const struct row **parts, size_t count)
{
    char buffer[4096];
    struct map members = {0};
    groups_clear(groups);
    if (memory->kind != context->settings->kind)
        key_memory_release(memory);
    memory->kind = context->settings->kind;
    map_clear(&memory->rows);
    uint64_t age = context->frame->seq - memory->turned;
    if (age >= REMEMBERED) {
        map_free(&memory->before);
        memory->before = memory->known;
        memory->known = (struct map){0};
        memory->turned = context->frame->seq;
    }
    if (age >= 2 * REMEMBERED)
        map_free(&memory->before);
    for (size_t i = 0; i < count; i++) {
        const char *key = key_of(memory, context, parts[i], 0, buffer, sizeof(buffer));
        size_t at = group_for(groups, context, parts[i], key), below = SIZE_MAX;
        for (; at != below; at = group_above(groups, context, parts[i], at)) {
            row_sum_add(&groups->rows[at], parts[i], context->frame);
            /* One number for a process in a group, whichever of its threads comes. */
            uint64_t process = parts[i]->process ? parts[i]->process : parts[i]->id;
            groups->groups[at].processes += !map_put(&members, hash_two(process, at), &members);
            below = at;
        }
    }
    for (size_t i = 0; i < groups->count; i++) {
        const char *key = groups->groups[i].key;
        struct cgroup_load *load = key && context->settings->kind == VIEW_CGROUPS
                                       ? load_find_cgroup(&context->frame->load, key)
                                       : NULL;
        groups->rows[i].of_cgroup = load;
        groups->rows[i].kernel_times = load ? &load->kernel_times : NULL;
        row_sum_complete(&groups->rows[i], context->frame);
    }
    map_release(&members);
}
