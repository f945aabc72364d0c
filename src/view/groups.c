#include "view/rows.h"
#include "view/builtin_column.h"
#include "view/view_kind.h"

/* Frames after which the key of an idle process may be dropped. */
enum { REMEMBERED = 64 };

static void groups_clear(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (!groups->groups[i].lent)
            row_sum_release(&groups->rows[i]);
        free(groups->groups[i].key);
        free(groups->groups[i].taker);
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
    free(groups->row_of);
}

const struct group *group_of(const struct groups *groups, const struct row *row)
{
    return &groups->groups[row - groups->rows];
}

static size_t group_add(struct groups *groups, struct row row, struct group group)
{
    size_t at = groups->count++;
    mem_grow(&groups->rows, &groups->room, groups->count, sizeof(*groups->rows));
    mem_grow(&groups->groups, &groups->group_room, groups->count, sizeof(*groups->groups));
    groups->rows[at] = row;
    groups->groups[at] = group;
    return at;
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
    const struct view_type *type = &view_types[context->settings.kind];
    if (type->in_row)
        return type->key(context, process, key, size) ? key : NULL;
    const char *path = frame_cgroup(context->frame, process);
    if (path)
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

/* The index of the group with that key and taker; adds a new one if necessary. */
static size_t group_for(struct groups *groups, const struct view_context *context,
                        const struct row *part, const char *key, const char *taker)
{
    /* A name has the same id in every frame, so that the cursor finds its row. */
    uint64_t id = str_hash(key ? key : "") + (taker ? 31 * str_hash(taker) : 0);
    for (void *found; (found = map_get(&groups->found, id)); id++) {
        const struct group *group = &groups->groups[(uintptr_t)found - 1];
        if (str_equal(group->key, key) && str_equal(group->taker, taker))
            return (uintptr_t)found - 1;
    }
    struct row row = row_sum_new(context->frame->events);
    row.id = id;
    if (context->settings.kind == VIEW_USERS)
        row.uid = part->uid;
    size_t at =
        group_add(groups, row, (struct group){.key = mem_strdup(key), .taker = mem_strdup(taker)});
    map_put(&groups->found, id, (void *)(uintptr_t)(at + 1));
    return at;
}

/* In a tree the index of the group that this one is in; else, or if it is in none, its own. */
static size_t group_above(struct groups *groups, const struct view_context *context,
                          const struct row *part, size_t at)
{
    const char *key = groups->groups[at].key;
    if (!context->settings.tree || context->settings.kind != VIEW_CGROUPS || !key ||
        key[0] != '/' || !key[1])
        return at;
    if (!groups->groups[at].above) {
        AUTO_FREE char *above = mem_strdup(key);
        char *end = strrchr(above, '/');
        end[end == above] = '\0';
        size_t parent = group_for(groups, context, part, above, NULL);
        groups->groups[at].above = parent + 1;
    }
    return groups->groups[at].above - 1;
}

/* Adds who had the CPU while a process waited for it; what it counted is of no such pair. */
static void add_takers(struct groups *groups, struct key_memory *memory,
                       const struct view_context *context, const struct row *part, const char *key)
{
    const struct wait_takers *takers = part->wait_facts ? part->wait_facts->takers : NULL;
    char buffer[4096];
    for (size_t i = 0; takers && i < takers->count + NO_TAKERS; i++) {
        size_t n = i - takers->count;
        bool known = i < takers->count;
        uint64_t taken = known ? takers->list[i].taken : takers->none[n];
        const struct row *process =
            known ? process_with(memory, context->frame, takers->list[i].pid) : NULL;
        const char *taker = known ? takers->list[i].comm : builtin_no_taker[n];
        if (known && view_asks_proc(context->settings.kind))
            taker = process ? key_of(memory, context, process, 0, buffer, sizeof(buffer)) : NULL;
        if (taken == 0)
            continue;
        size_t at = group_for(groups, context, part, key, taker ? taker : "(ended)");
        groups->groups[at].taken += taken;
        groups->groups[at].sure += known ? takers->list[i].sure : taken;
        groups->rows[at].state = EVENT_UNSUPPORTED;
    }
}

/* Sets how long each one waited in all pairs. */
static void add_waited(struct groups *groups)
{
    AUTO_MAP struct map waited = {0};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < groups->count; i++) {
            struct group *group = &groups->groups[i];
            uint64_t id = str_hash(group->key ? group->key : "");
            uintptr_t sum = (uintptr_t)map_get(&waited, id);
            group->waited = sum;
            if (pass == 0)
                map_put(&waited, id, (void *)(sum + group->taken));
        }
}

void groups_make(struct groups *groups, struct key_memory *memory,
                 const struct view_context *context, const struct row **parts, size_t count)
{
    bool takers = view_types[context->settings.kind].takers;
    char buffer[4096];
    AUTO_MAP struct map members = {0};
    groups_clear(groups);
    if (memory->kind != context->settings.kind)
        key_memory_release(memory);
    memory->kind = context->settings.kind;
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
        if (takers) {
            add_takers(groups, memory, context, parts[i], key);
            continue;
        }
        size_t at = group_for(groups, context, parts[i], key, NULL), below = SIZE_MAX;
        for (; at != below; at = group_above(groups, context, parts[i], at)) {
            row_sum_add(&groups->rows[at], parts[i], context->frame);
            /* One number for a process in a group, whichever of its threads comes. */
            uint64_t member[] = {parts[i]->process ? parts[i]->process : parts[i]->id, at};
            groups->groups[at].processes +=
                !map_put(&members, str_hash_bytes(member, sizeof(member)), &members);
            below = at;
        }
    }
    if (takers)
        add_waited(groups);
    for (size_t i = 0; i < groups->count; i++) {
        const char *key = groups->groups[i].key;
        struct cgroup_load *load = key && context->settings.kind == VIEW_CGROUPS
                                       ? load_find_cgroup(&context->frame->load, key)
                                       : NULL;
        groups->rows[i].of_cgroup = load;
        groups->rows[i].kernel_times = load ? &load->kernel_times : NULL;
        row_sum_complete(&groups->rows[i], context->frame);
    }
}

/* ---- ended tasks ---- */

void groups_fold_ended(struct groups *groups, const struct view_context *context,
                       const struct map *opened, const struct row **rows, size_t *count)
{
    size_t all = *count, kept = 0;
    AUTO_FREE size_t *at = mem_array(all, sizeof(*at));
    groups_clear(groups);
    for (size_t i = 0; i < all; i++) {
        bool folds = rows[i]->exited && rows[i]->id != context->settings.kept &&
                     !map_get(opened, str_hash(rows[i]->comm));
        at[i] = folds ? group_for(groups, context, rows[i], rows[i]->comm, NULL) : SIZE_MAX;
        if (folds)
            groups->groups[at[i]].processes++;
    }
    for (size_t i = 0; i < all; i++) {
        if (at[i] == SIZE_MAX || groups->groups[at[i]].processes < 2)
            rows[kept++] = rows[i];
        if (at[i] == SIZE_MAX)
            continue;
        struct row *sum = &groups->rows[at[i]];
        sum->uid = !sum->exited || sum->uid == rows[i]->uid ? rows[i]->uid : (uid_t)-1;
        sum->exited = true;
        memcpy(sum->comm, rows[i]->comm, sizeof(sum->comm));
        row_sum_add(sum, rows[i], context->frame);
    }
    for (size_t i = 0; i < groups->count; i++) {
        row_sum_complete(&groups->rows[i], context->frame);
        if (groups->groups[i].processes >= 2)
            rows[kept++] = &groups->rows[i];
    }
    *count = kept;
}

size_t group_folded(const struct groups *ended, const struct row *row)
{
    bool is = ended && row >= ended->rows && row < ended->rows + ended->count;
    return is ? group_of(ended, row)->processes : 0;
}

/* ---- CPUs ---- */

/* The index of the row of a CPU. CPUs of unknown position belong together. */
static size_t row_for(struct groups *groups, const struct view_context *context,
                      const struct row *cpu)
{
    /* CPU numbers are small, so ids of different levels differ above these bits. */
    enum { LEVEL_SHIFT = 32 };
    enum view_level level = context->settings.level;
    struct group group = {.place = {.socket = -1, .core = -1}, .heat = -1};
    if (context->lookup && context->lookup->place)
        context->lookup->place(context->lookup->ctx, cpu->cpu, &group.place);
    if (level == LEVEL_CPU) {
        group.lent = true;
        return group_add(groups, *cpu, group);
    }
    for (size_t i = 1; i < groups->count; i++) {
        const struct view_place *other = &groups->groups[i].place;
        if (level == LEVEL_TYPE ? str_equal(other->type, group.place.type)
                                : other->socket == group.place.socket &&
                                      (level == LEVEL_SOCKET || other->core == group.place.core))
            return i;
    }
    struct row row = row_sum_new(context->frame->events);
    row.cpu = cpu->cpu;
    row.id = (uint64_t)level << LEVEL_SHIFT | cpu->id;
    return group_add(groups, row, group);
}

void groups_make_cpus(struct groups *groups, const struct view_context *context)
{
    const struct frame *frame = context->frame;
    groups_clear(groups);
    if (!frame->has_cpus)
        return;
    group_add(groups, frame->total,
              (struct group){.place = {.socket = -1, .core = -1},
                             .heat = -1,
                             .lent = true,
                             .cpus = frame->cpu_count});
    mem_grow(&groups->row_of, &groups->cpu_room, frame->cpu_count, sizeof(*groups->row_of));
    for (size_t c = 0; c < frame->cpu_count; c++) {
        size_t at = groups->row_of[c] = row_for(groups, context, &frame->cpus[c]);
        struct group *group = &groups->groups[at];
        group->cpus++;
        if (!group->lent)
            row_sum_add(&groups->rows[at], &frame->cpus[c], frame);
        if (!group->lent && frame->cpus[c].kernel_times)
            kernel_times_add(&group->kernel_times, frame->cpus[c].kernel_times);
    }
    if (context->settings.level == LEVEL_CPU)
        return;
    for (size_t i = 1; i < groups->count; i++) {
        groups->rows[i].kernel_times = &groups->groups[i].kernel_times;
        row_sum_complete(&groups->rows[i], frame);
    }
    /* Drops an event that is unknown in one of the rows. */
    for (size_t e = 0; e < frame->events->count; e++) {
        const struct event_info *event = &frame->events->events[e];
        bool known = true;
        for (size_t i = 1; i < groups->count && event->group >= 0; i++)
            known &= row_sum_tells(event, groups->rows[i].times[event->group]);
        for (size_t i = 1; i < groups->count && !known; i++)
            groups->rows[i].counts[e] = (struct count){0};
    }
}

bool group_is_machine(const struct view_context *context, const struct row *row)
{
    const struct groups *groups = context->groups;
    return view_of_cpus(context->settings.kind) && groups->count > 0 && row == groups->rows;
}

void group_cpus(const struct groups *groups, const struct frame *frame, const struct row *row,
                char *text, size_t size)
{
    size_t wanted = (size_t)(row - groups->rows), used = 0;
    *text = '\0';
    for (size_t c = 0; c < frame->cpu_count; c++) {
        int first = frame->cpus[c].cpu, last = first;
        if (wanted > 0 && groups->row_of[c] != wanted)
            continue;
        while (c + 1 < frame->cpu_count && frame->cpus[c + 1].cpu == last + 1 &&
               (wanted == 0 || groups->row_of[c + 1] == wanted)) {
            c++;
            last++;
        }
        char range[32];
        int length = snprintf(range, sizeof(range), last > first ? "%s%d-%d" : "%s%d",
                              used ? "," : "", first, last);
        if (used + (size_t)length + 2 > size) {
            snprintf(text + used, size - used, "+");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", range);
    }
}

const char *level_naming(enum view_level level, size_t i)
{
    static const char *const names[][4] = {
        [LEVEL_CPU] = {"cpu"},
        [LEVEL_CORE] = {"socket", "core", "cpus"},
        [LEVEL_SOCKET] = {"socket", "cpus"},
        [LEVEL_TYPE] = {"core_type", "cpus"},
    };
    return names[level][i];
}
