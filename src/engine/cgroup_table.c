#include "engine/cgroup_table.h"

struct known_cgroup {
    uint64_t id;
    unsigned look; /* that found it, or a task in it, last */
    bool sure;     /* of the path; "": none */
    char path[];
};

void cgroup_table_release(struct cgroup_table *table)
{
    map_free(&table->known);
    cgroup_names_drop(table->names);
    *table = (struct cgroup_table){0};
}

static void know(struct cgroup_table *table, uint64_t id, const char *path, bool sure,
                 unsigned look)
{
    struct known_cgroup *cgroup = mem_alloc(sizeof(*cgroup) + strlen(path) + 1);
    cgroup->id = id;
    cgroup->look = look;
    cgroup->sure = sure;
    strcpy(cgroup->path, path);
    free(map_put(&table->known, id, cgroup));
    table->wanted |= !sure;
    table->changed = true;
}

void cgroup_table_want(struct cgroup_table *table, uint64_t id)
{
    if (!map_get(&table->known, id))
        know(table, id, "", false, table->look);
}

void cgroup_table_add(struct cgroup_table *table, uint64_t id, const char *path, bool sure)
{
    const struct known_cgroup *cgroup = map_get(&table->known, id);
    if (id && (!cgroup || !cgroup->sure))
        know(table, id, path, sure, table->look);
}

bool cgroup_table_wants_look(const struct cgroup_table *table)
{
    return table->wanted || table->most == 0 || table->known.count > table->most;
}

void cgroup_table_found(void *ctx, uint64_t id, const char *path)
{
    struct cgroup_table *table = ctx;
    struct known_cgroup *cgroup = map_get(&table->known, id);
    if (cgroup && strcmp(cgroup->path, path) == 0)
        cgroup->look = table->look + 1;
    else
        know(table, id, path, true, table->look + 1);
}

static void mark_used(struct cgroup_table *table, const struct task *task)
{
    struct known_cgroup *cgroup = map_get(&table->known, task->cgroup);
    if (cgroup)
        cgroup->look = table->look;
    for (size_t i = 0; i < task->move_count; i++)
        if ((cgroup = map_get(&table->known, task->moves[i].cgroup)))
            cgroup->look = table->look;
}

void cgroup_table_looked(struct cgroup_table *table, const struct task_table *task_table)
{
    enum { SPARE = 1024 }; /* cgroups that are made, before the next look */
    struct known_cgroup *cgroup;
    AUTO_FREE struct known_cgroup **gone = mem_array(table->known.count, sizeof(*gone));
    size_t count = 0;
    char path[64];
    table->look++;
    MAP_EACH (const struct task, task, &task_table->tasks)
        mark_used(table, task);
    for (size_t i = 0; i < task_table->touched_count; i++)
        mark_used(table, task_table->touched[i]);
    for (size_t at = 0; (cgroup = map_next(&table->known, &at));)
        if (cgroup->look != table->look || !*cgroup->path)
            gone[count++] = cgroup;
    for (size_t i = 0; i < count; i++) {
        cgroup = gone[i];
        bool used = cgroup->look == table->look;
        snprintf(path, sizeof(path), "(removed cgroup %llu)", (unsigned long long)cgroup->id);
        if (used)
            know(table, cgroup->id, path, true, table->look);
        else
            free(map_remove(&table->known, cgroup->id));
        table->changed = true;
    }
    table->wanted = false;
    table->most = 2 * table->known.count + SPARE;
}

struct cgroup_names *cgroup_table_names(struct cgroup_table *table)
{
    if (table->names && !table->changed)
        return cgroup_names_share(table->names);
    AUTO_FREE struct cgroup_name *names = mem_array(table->known.count, sizeof(*names));
    size_t count = 0;
    MAP_EACH (const struct known_cgroup, cgroup, &table->known)
        if (*cgroup->path)
            names[count++] = (struct cgroup_name){cgroup->id, cgroup->path};
    cgroup_names_drop(table->names);
    table->names = cgroup_names_new(names, count);
    table->changed = false;
    return cgroup_names_share(table->names);
}
