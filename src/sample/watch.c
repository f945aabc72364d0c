#include "sample/watch.h"

void watch_release(struct watch *watch)
{
    names_release(&watch->names);
    free(watch->pids);
    free(watch->tids);
    free(watch->users);
    free(watch->cgroup);
    *watch = (struct watch){0};
}

static bool names_tasks(const struct watch *watch)
{
    return watch->pid_count || watch->names.count || watch->tid_count || watch->command;
}

bool watch_all(const struct watch *watch)
{
    return !names_tasks(watch) && !watch->user_count && !watch->cgroup;
}

static bool has_id(const pid_t *ids, size_t count, pid_t id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

static void add_id(pid_t **ids, size_t *count, size_t *room, pid_t id)
{
    if (!has_id(*ids, *count, id))
        *MEM_ADD(*ids, *count, *room) = id;
}

void watch_add_pid(struct watch *watch, pid_t pid)
{
    add_id(&watch->pids, &watch->pid_count, &watch->room[0], pid);
}

static void watch_add_tid(struct watch *watch, pid_t tid)
{
    add_id(&watch->tids, &watch->tid_count, &watch->room[1], tid);
}

void watch_add_user(struct watch *watch, uid_t uid)
{
    *MEM_ADD(watch->users, watch->user_count, watch->room[2]) = uid;
}

void watch_copy(struct watch *to, const struct watch *from)
{
    *to = (struct watch){.command = from->command, .cgroup = mem_strdup(from->cgroup)};
    for (size_t i = 0; i < from->pid_count; i++)
        watch_add_pid(to, from->pids[i]);
    for (size_t i = 0; i < from->names.count; i++)
        names_add(&to->names, from->names.items[i]);
    for (size_t i = 0; i < from->tid_count; i++)
        watch_add_tid(to, from->tids[i]);
    for (size_t i = 0; i < from->user_count; i++)
        watch_add_user(to, from->users[i]);
}

/* Calls add for each word of the list; -1 if it refuses one, or the list is empty. */
static int each_word(const char *list, const char *what,
                     int (*add)(struct watch *watch, const char *word, struct err *err),
                     struct watch *watch, struct err *err)
{
    struct watch old;
    watch_copy(&old, watch);
    AUTO_FREE char *copy = mem_strdup(list);
    char *rest = copy, *word;
    int result = 0;
    size_t words = 0;
    /* Names may have blanks. */
    const char *apart = list[strspn(list, "0123456789, \t")] ? "," : ", \t";
    while (result == 0 && (word = strsep(&rest, apart))) {
        word += strspn(word, " \t");
        for (size_t n = strlen(word); n && strchr(" \t", word[n - 1]);)
            word[--n] = '\0';
        if (!*word)
            continue;
        words++;
        result = add(watch, word, err);
    }
    if (result == 0 && words == 0)
        result = err_set(err, "nothing named in '%.100s': expected %s", list, what);
    struct watch unwanted = result ? *watch : old;
    if (result)
        *watch = old;
    watch_release(&unwanted);
    return result;
}

static int add_process_word(struct watch *watch, const char *word, struct err *err)
{
    unsigned long long pid;
    if (str_to_u64(word, 1, INT_MAX, &pid)) {
        watch_add_pid(watch, (pid_t)pid);
        return 0;
    }
    if (word[strspn(word, "-0123456789")] == '\0')
        return err_set(err, "no pid '%.100s': expected a number from 1 to %d", word, INT_MAX);
    names_add(&watch->names, word);
    return 0;
}

static int add_thread_word(struct watch *watch, const char *word, struct err *err)
{
    unsigned long long tid;
    if (!str_to_u64(word, 1, INT_MAX, &tid))
        return err_set(err, "no thread id '%.100s': expected a number from 1 to %d", word, INT_MAX);
    watch_add_tid(watch, (pid_t)tid);
    return 0;
}

int watch_add_processes(struct watch *watch, const char *list, struct err *err)
{
    return each_word(list, "pids or names, separated by commas", add_process_word, watch, err);
}

int watch_add_threads(struct watch *watch, const char *list, struct err *err)
{
    return each_word(list, "thread ids, separated by commas", add_thread_word, watch, err);
}

static bool take_id(pid_t *ids, size_t *count, pid_t id)
{
    size_t kept = 0, before = *count;
    for (size_t i = 0; i < before; i++)
        if (ids[i] != id)
            ids[kept++] = ids[i];
    *count = kept;
    return kept < before;
}

static int watch_remove_word(struct watch *watch, const char *word, struct err *err)
{
    unsigned long long id;
    bool found = names_has(&watch->names, word);
    while (names_has(&watch->names, word))
        names_remove(&watch->names, names_find(&watch->names, word));
    if (str_to_u64(word, 1, INT_MAX, &id)) {
        found |= take_id(watch->pids, &watch->pid_count, (pid_t)id);
        found |= take_id(watch->tids, &watch->tid_count, (pid_t)id);
    }
    return found ? 0 : err_set(err, "'%.100s' is not watched", word);
}

int watch_remove(struct watch *watch, const char *list, struct err *err)
{
    if (list[strspn(list, " \t")])
        return each_word(list, "pids or names, separated by commas", watch_remove_word, watch, err);
    names_release(&watch->names);
    watch->pid_count = watch->tid_count = 0;
    watch->command = 0;
    return 0;
}

static bool has_place(const struct watch *watch, const struct watched *task)
{
    bool user = watch->user_count == 0;
    for (size_t i = 0; i < watch->user_count; i++)
        user |= watch->users[i] == task->uid;
    return user && (task->in_cgroup || !watch->cgroup);
}

static bool has_process(const struct watch *watch, const struct watched *task)
{
    for (size_t i = 0; i < watch->names.count; i++)
        /* The kernel keeps 15 bytes of a name, so only those are compared. */
        if (strncmp(watch->names.items[i], task->comm, 15) == 0)
            return true;
    return (watch->command && task->command) || has_id(watch->pids, watch->pid_count, task->pid);
}

bool watch_has(const struct watch *watch, const struct watched *thread)
{
    if (!has_place(watch, thread))
        return false;
    return !names_tasks(watch) || has_process(watch, thread) ||
           has_id(watch->tids, watch->tid_count, thread->tid);
}

bool watch_may_have(const struct watch *watch, const struct watched *process)
{
    if (!has_place(watch, process))
        return false;
    return !names_tasks(watch) || watch->tid_count || has_process(watch, process);
}
