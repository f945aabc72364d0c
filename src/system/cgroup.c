#include "system/cgroup.h"
#include "system/container.h"
#include "system/procfs.h"

#include <sched.h>

enum {
    CGROUPS_MAX = 16384, /* searched for a name */
    DEPTH_MAX = 256,     /* levels searched for a name */
    ID_SHOWN = 12,       /* digits of a container's id */
};

/* A mount of the hierarchy: its cgroup `root` is visible at `point`. */
struct mount {
    char root[CGROUP_PATH_SIZE], point[CGROUP_PATH_SIZE];
    bool first; /* of version 1 */
};

/* --- Text of /proc --- */

/* Whether a word is in a list with commas; an empty word only in an empty list. */
static bool lists(const char *list, size_t length, const char *word)
{
    const char *end = list + length, *next;
    for (const char *item = list; item <= end; item = next + 1) {
        next = memchr(item, ',', (size_t)(end - item));
        next = next ? next : end;
        if ((size_t)(next - item) == strlen(word) && !memcmp(item, word, strlen(word)))
            return true;
    }
    return false;
}

/* mountinfo writes blanks, newlines and backslashes as \ooo (proc_pid_mountinfo(5)). */
static void unescape(char *text)
{
    char *to = text;
    unsigned code;
    int length;
    for (const char *p = text; *p; p += length, to++) {
        bool escaped = sscanf(p, "\\%3o%n", &code, &length) == 1;
        length = escaped ? length : 1;
        *to = escaped ? (char)code : *p;
    }
    *to = '\0';
}

/* A walk over the mounts of hierarchies of cgroups, zeroed at first, and ended by its last step. */
struct mount_walk {
    FILE *file;
    char *line;
    size_t room;
    struct mount mount;
    const char *controllers; /* of version 1, a list; NULL: version 2 */
};

static bool next_mount(struct mount_walk *walk)
{
    struct mount *mount = &walk->mount;
    char type[16];
    walk->file = walk->file ? walk->file : file_open("/proc/self/mountinfo");
    while (walk->file && getline(&walk->line, &walk->room, walk->file) > 0) {
        walk->line[strcspn(walk->line, "\n")] = '\0';
        char *kind = strstr(walk->line, " - ");
        if (!kind || sscanf(kind, " - %15s", type) != 1 ||
            sscanf(walk->line, "%*s %*s %*s %4095s %4095s", mount->root, mount->point) != 2)
            continue;
        unescape(mount->root);
        unescape(mount->point);
        mount->first = str_equal(type, "cgroup");
        walk->controllers = mount->first ? strrchr(kind, ' ') + 1 : NULL;
        if ((mount->first || str_equal(type, "cgroup2")) && *mount->root == '/' &&
            *mount->point == '/')
            return true;
    }
    free(walk->line);
    if (walk->file)
        fclose(walk->file);
    return false;
}

/* Version 1 with the controller perf_event ranks above version 2, since a controller is in one
 * hierarchy only. A complete hierarchy ranks above a part. */
static bool find_mount(struct mount *mount)
{
    int best = 0;
    for (struct mount_walk walk = {0}; next_mount(&walk);) {
        const char *controllers = walk.controllers;
        int rank = (controllers ? 3 : 1) + str_equal(walk.mount.root, "/");
        if (rank > best &&
            (!controllers || lists(controllers, strlen(controllers), "perf_event"))) {
            best = rank;
            *mount = walk.mount;
        }
    }
    return best > 0;
}

/* The path in the text of /proc/PID/cgroup (cgroups(7), "/proc files") for the hierarchy with this
 * controller, "" for version 2. False if it is missing. */
static bool path_in(const char *text, const char *controller, char *path, size_t size)
{
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        const char *list = strchr(line, ':'), *last = list ? strchr(list + 1, ':') : NULL;
        if (!last || last > end || last[1] != '/' ||
            !lists(list + 1, (size_t)(last - list - 1), controller))
            continue;
        snprintf(path, size, "%.*s", (int)(end - last - 1), last + 1);
        return true;
    }
    return false;
}

/* An ended thread keeps its cgroup when its process is moved, and of version 1 it tells none
 * (kernel/cgroup/cgroup.c, cgroup_migrate_add_task(), proc_cgroup_show()). */
static ssize_t cgroup_lines(pid_t pid, char text[CGROUP_TEXT_SIZE])
{
    pid_t other = procfs_other_thread(pid);
    return procfs_read(pid, other, "cgroup", text, CGROUP_TEXT_SIZE);
}

void cgroup_in(const char *text, char *path, size_t size)
{
    static const char *const hierarchies[] = {"perf_event", "", "name=systemd"};
    for (size_t i = 0; i < sizeof(hierarchies) / sizeof(*hierarchies); i++)
        if (path_in(text, hierarchies[i], path, size) && !str_equal(path, "/"))
            return;
    snprintf(path, size, "/");
}

bool cgroup_of(pid_t pid, char *path, size_t size)
{
    char text[CGROUP_TEXT_SIZE];
    *path = '\0';
    if (cgroup_lines(pid, text) < 0)
        return false;
    cgroup_in(text, path, size);
    return true;
}

/* Whether perf counts by version 1, although that mount is one of version 2: of a hierarchy that is
 * mounted nowhere here, but has cgroups, or had when it was unmounted. */
static bool counts_elsewhere(const struct mount *mount)
{
    char text[CGROUP_TEXT_SIZE], path[CGROUP_PATH_SIZE];
    return !mount->first && file_read("/proc/self/cgroup", text, sizeof(text)) >= 0 &&
           path_in(text, "perf_event", path, sizeof(path));
}

/* --- Directories --- */

/* Whether `path` is `above` or is below it. */
static bool is_within(const char *path, const char *above)
{
    size_t length = strlen(above);
    if (length == 1)
        return path[0] == '/' && !str_starts(path, "/../") && !str_equal(path, "/..");
    return str_starts(path, above) && (path[length] == '/' || !path[length]);
}

/* The root of a mount is written with this end, since its directory has no cgroup's name. */
static const char ROOT_END[] = "/.";

/* The directory of the cgroup that the text of /proc/PID/cgroup names, which the caller frees;
 * NULL: no mount shows it. */
static char *directory_in(const char *text)
{
    char path[CGROUP_PATH_SIZE];
    struct mount mount;
    if (!find_mount(&mount) ||
        !path_in(text, mount.first ? "perf_event" : "", path, sizeof(path)) ||
        !is_within(path, mount.root))
        return NULL;
    size_t root = str_equal(mount.root, "/") ? 0 : strlen(mount.root);
    return mem_printf("%s%s", mount.point, path + root);
}

bool cgroup_has(const char *directory, pid_t pid)
{
    char text[CGROUP_TEXT_SIZE];
    const char *last = strrchr(directory, '/');
    if (!last || cgroup_lines(pid, text) < 0)
        return false;
    bool root = str_equal(last, ROOT_END);
    if (!root && !strstr(text, last))
        return false; /* rejects most processes without reading the mounts */
    AUTO_FREE char *own = directory_in(text);
    AUTO_FREE char *above = mem_strndup(directory, root ? (size_t)(last - directory) : SIZE_MAX);
    return own && is_within(own, above);
}

uint64_t cgroup_id(pid_t pid)
{
    char text[CGROUP_TEXT_SIZE];
    struct stat status;
    AUTO_FREE char *directory = cgroup_lines(pid, text) < 0 ? NULL : directory_in(text);
    return !directory || file_stat(directory, &status) < 0 ? 0 : status.st_ino;
}

bool cgroup_is_root(const char *directory)
{
    char line[64];
    const char *last = strrchr(directory, '/');
    if (!str_equal(last, ROOT_END))
        return false;
    /* The mount may be a part of the hierarchy or a cgroup namespace (cgroup_namespaces(7)). Only
     * the real root has no cgroup.type in version 2, and a release_agent in version 1
     * (kernel/cgroup/: CFTYPE_NOT_ON_ROOT, CFTYPE_ONLY_ON_ROOT). */
    if (file_readf(line, sizeof(line), "%s/release_agent", directory) >= 0)
        return true;
    return file_readf(line, sizeof(line), "%s/cgroup.controllers", directory) >= 0 &&
           file_readf(line, sizeof(line), "%s/cgroup.type", directory) < 0;
}

/* --- What the kernel keeps of them --- */

static const char *const controllers_read[CGROUP_CONTROLLERS] = {
    [CGROUP_CPU] = "cpu",
    [CGROUP_MEMORY] = "memory",
    [CGROUP_PIDS] = "pids",
};

/* Mounts of a part are left out. */
static void find_places(struct cgroup_places *places)
{
    for (struct mount_walk walk = {0}; !places->found && next_mount(&walk);) {
        const char *controllers = walk.controllers;
        bool whole = str_equal(walk.mount.root, "/");
        if (whole && !controllers && !places->unified)
            places->unified = mem_strdup(walk.mount.point);
        for (size_t i = 0; i < CGROUP_CONTROLLERS && whole && controllers; i++)
            if (!places->first[i] && lists(controllers, strlen(controllers), controllers_read[i]))
                places->first[i] = mem_strdup(walk.mount.point);
    }
    places->found = true;
}

void cgroup_places_release(struct cgroup_places *places)
{
    free(places->unified);
    for (size_t i = 0; i < CGROUP_CONTROLLERS; i++)
        free(places->first[i]);
    *places = (struct cgroup_places){0};
}

/* The number after a word in cpu.stat. */
static bool stat_number(const char *text, const char *word, uint64_t *number)
{
    const char *found = strstr(text, word);
    return found && sscanf(found + strlen(word), " %" SCNu64, number) == 1;
}

/* Whether the cgroup is there. */
static bool take_throttled(const char *point, const char *path, struct kernel_times *times)
{
    char text[4096];
    uint64_t time, count;
    if (!point || file_readf(text, sizeof(text), "%s%s/cpu.stat", point, path) < 0)
        return false;
    bool in_us = stat_number(text, "throttled_usec", &time);
    if ((in_us || stat_number(text, "throttled_time", &time)) &&
        stat_number(text, "nr_throttled", &count)) {
        kernel_times_set(times, CGROUP_THROTTLED, in_us ? time * 1000 : time);
        kernel_times_set(times, CGROUP_THROTTLES, count);
    }
    return true;
}

bool cgroup_throttled(struct cgroup_places *places, const char *path, struct kernel_times *times)
{
    find_places(places);
    *times = (struct kernel_times){0};
    bool there = take_throttled(places->unified, path, times);
    return take_throttled(places->first[CGROUP_CPU], path, times) || there;
}

bool cgroup_kernel_times(struct cgroup_places *places, const char *path, struct kernel_times *times)
{
    char text[256];
    bool there = cgroup_throttled(places, path, times);
    kernel_times_set(times, CGROUP_TIME, clock_monotonic());
    for (size_t p = 0; p < PRESSURES && places->unified; p++) {
        struct pressure_time time;
        if (file_readf(text, sizeof(text), "%s%s/%s.pressure", places->unified, path,
                       pressure_names[p]) < 0)
            continue;
        there = true;
        if (!procfs_parse_pressure(text, &time))
            continue;
        kernel_times_set(times, CGROUP_PRESSURE + 2 * p, time.some);
        if (strstr(text, "\nfull "))
            kernel_times_set(times, CGROUP_PRESSURE + 2 * p + 1, time.full);
    }
    return there;
}

/* Whether the kernel lets none of a cgroup run on a CPU, if some could: its queue there is held
 * back, or not in the list of those that are not (kernel/sched/fair.c, tg_throttle_down()). */
static bool queue_is_stopped(const char *path, int cpu)
{
    AUTO_FREE char *queue = mem_printf("cfs_rq[%d]:%s\n", cpu, path), *line = NULL;
    AUTO_FILE FILE *file = file_open("/sys/kernel/debug/sched/debug");
    size_t room = 0;
    int number, held, of_cpu = 0;
    bool inside = false, runs = false;
    while (file && getline(&line, &room, file) > 0) {
        of_cpu += sscanf(line, "cpu#%d", &number) == 1 && number == cpu;
        inside = str_equal(line, queue) || (inside && *line != '\n');
        runs |= inside && sscanf(line, " .throttle_count : %d", &held) == 1 && held == 0;
    }
    return of_cpu == 1 && !runs; /* else a name of a task looks like such a line */
}

bool cgroup_stops(struct cgroup_places *places, pid_t pid, pid_t tid)
{
    char text[CGROUP_TEXT_SIZE], path[CGROUP_PATH_SIZE];
    struct procfs_task task[2];
    struct procfs_switches switches[2];
    struct kernel_times times = {0};
    find_places(places);
    const char *first = places->first[CGROUP_CPU], *point = first ? first : places->unified;
    if (!point || !cgroup_sees_all() || procfs_read(pid, tid, "cgroup", text, sizeof(text)) < 0 ||
        !path_in(text, first ? "cpu" : "", path, sizeof(path)))
        return false;
    AUTO_FREE char *above = mem_strdup(path);
    for (char *end; !times.time[CGROUP_THROTTLES] && (end = strrchr(above, '/')) && end[1];
         *end = '\0')
        take_throttled(point, above, &times);
    for (int i = 0; i < 2; i++) /* it is in that queue in between, if it was not switched to */
        if (!times.time[CGROUP_THROTTLES] || (i > 0 && !queue_is_stopped(path, task->cpu)) ||
            procfs_task(pid, tid, &task[i]) < 0 || !procfs_switches(pid, tid, &switches[i]) ||
            switches[i].state != 'R')
            return false;
    return task[0].cpu == task[1].cpu && switches[0].voluntary == switches[1].voluntary &&
           switches[0].forced == switches[1].forced && task->policy < 32 &&
           1u << task->policy & (1u << SCHED_OTHER | 1u << SCHED_BATCH | 1u << SCHED_IDLE);
}

/* --- Limits and use --- */

/* A cgroup whose state is written. */
struct cgroup_writing {
    struct cgroup_places places;
    const char *path;
    struct str text;
};

/* The first number in a file of a cgroup: in version 2, or under another name in version 1. False:
 * it is "max", or larger than any machine's memory, or missing. *second is a number after it. */
static bool read_number(const struct cgroup_writing *writing, const char *file,
                        enum cgroup_controller controller, const char *other, double *number,
                        double *second)
{
    static const double NO_LIMIT = 9e18; /* memory.limit_in_bytes has about LONG_MAX */
    char text[256];
    const struct cgroup_places *places = &writing->places;
    const char *unified = places->unified, *first = places->first[controller];
    return ((file && unified &&
             file_readf(text, sizeof(text), "%s%s/%s", unified, writing->path, file) > 0) ||
            (other && first &&
             file_readf(text, sizeof(text), "%s%s/%s", first, writing->path, other) > 0)) &&
           sscanf(text, "%lf %lf", number, second) >= 1 && *number >= 0 && *number < NO_LIMIT;
}

static void add_cpus(struct cgroup_writing *writing)
{
    struct str *text = &writing->text;
    struct kernel_times times;
    uint64_t count, held;
    double quota, of = 0, none;
    if (!read_number(writing, "cpu.max", CGROUP_CPU, NULL, &quota, &of) &&
        read_number(writing, NULL, CGROUP_CPU, "cpu.cfs_quota_us", &quota, &none))
        read_number(writing, NULL, CGROUP_CPU, "cpu.cfs_period_us", &of, &none);
    if (of > 0)
        str_printf(text, "at most %.2f CPUs", quota / of);
    cgroup_throttled(&writing->places, writing->path, &times);
    if (kernel_times_get(&times, CGROUP_THROTTLES, &count) && count > 0)
        str_printf(text, "%sheld back %" PRIu64 " times", text->length ? ", " : "", count);
    if (kernel_times_get(&times, CGROUP_THROTTLED, &held) && held > 0)
        str_printf(text, " for %.1f s", (double)held / 1e9);
}

/* What a cgroup uses of something, and its limit. */
struct cgroup_use {
    const char *before, *after;
    double unit;
    enum cgroup_controller controller;
    const char *used[2], *most[2]; /* files of version 2, and of version 1 */
};

static void add_use(struct cgroup_writing *writing, const struct cgroup_use *use)
{
    struct str *text = &writing->text;
    double used, most, none;
    int digits = use->unit > 1;
    if (!read_number(writing, use->used[0], use->controller, use->used[1], &used, &none))
        return;
    str_printf(text, "%s%s%.*f", text->length ? "; " : "", use->before, digits, used / use->unit);
    if (read_number(writing, use->most[0], use->controller, use->most[1], &most, &none))
        str_printf(text, " of %.*f", digits, most / use->unit);
    str_add(text, use->after);
}

char *cgroup_state(const char *path)
{
    static const struct cgroup_use uses[] = {
        {"memory ",
         " MiB",
         1 << 20,
         CGROUP_MEMORY,
         {"memory.current", "memory.usage_in_bytes"},
         {"memory.max", "memory.limit_in_bytes"}},
        {"", " tasks", 1, CGROUP_PIDS, {"pids.current", "pids.current"}, {"pids.max", "pids.max"}},
    };
    struct cgroup_writing writing = {.path = str_equal(path, "/") ? "" : path, .text = str_new()};
    char line[256];
    double share;
    find_places(&writing.places);
    add_cpus(&writing);
    for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
        add_use(&writing, &uses[i]);
    const char *separator = writing.text.length ? "; pressure of 10 s: " : "pressure of 10 s: ";
    for (size_t p = 0; p < PRESSURES && writing.places.unified; p++) {
        if (file_readf(line, sizeof(line), "%s%s/%s.pressure", writing.places.unified, writing.path,
                       pressure_names[p]) < 0 ||
            sscanf(line, "some avg10=%lf", &share) != 1)
            continue;
        str_printf(&writing.text, "%s%s %.1f %%", separator, pressure_names[p], share);
        separator = ", ";
    }
    cgroup_places_release(&writing.places);
    return writing.text.length ? str_detach(&writing.text) : NULL;
}

/* --- Names --- */

static const char MONITOR[] = "conmon-";

/* The name of a Kubernetes pod: "pod" and a uid, its digits separated by '-' or '_'. */
static bool name_pod(const char *part, char *name, size_t size)
{
    const char *last = str_starts(part, "kubepods") ? strstr(part, "-pod") : NULL;
    const char *pod = last ? last + 1 : part;
    if (!str_starts(pod, "pod"))
        return false;
    char digits[ID_SHOWN + 1];
    size_t count = 0;
    for (const char *p = pod + 3; count < ID_SHOWN; p++) {
        if (isxdigit((unsigned char)*p))
            digits[count++] = *p;
        else if (count == 0 || (*p != '-' && *p != '_'))
            return false;
    }
    digits[count] = '\0';
    snprintf(name, size, "pod%s", digits);
    return true;
}

void cgroup_name(const char *path, const char *container, char *name, size_t size)
{
    const char *slash = strrchr(path, '/'), *part = slash ? slash + 1 : path;
    const char *id = container_id(path);
    /* What watches a container, of Podman or CRI-O, has a cgroup with its id, too. */
    const char *monitor = id && strstr(part, MONITOR) ? MONITOR : "";
    if (id && container)
        snprintf(name, size, "%s%s", monitor, container);
    else if (id)
        snprintf(name, size, "%s%.*s", monitor, ID_SHOWN, id);
    else if (!name_pod(part, name, size))
        snprintf(name, size, "%s", *part && !str_equal(part, ".") ? part : "/");
}

/* --- From a name to a directory --- */

/* A walk through the cgroups below the root of a mount. */
struct cgroup_walk {
    const struct mount *mount;
    size_t left;         /* cgroups that are still taken */
    cgroup_visit *visit; /* NULL: they are only counted */
    void *ctx;
};

/* Visits the cgroups below the one with that path. */
static void cgroup_walk_on(struct cgroup_walk *walk, const char *path, int depth)
{
    size_t root = str_equal(walk->mount->root, "/") ? 0 : strlen(walk->mount->root);
    AUTO_FREE char *directory = mem_printf("%s%s", walk->mount->point, path + root);
    AUTO_NAMES struct names found = {0};
    DIR *folder = depth < DEPTH_MAX ? file_opendir(directory) : NULL;
    if (!folder)
        return;
    for (struct dirent *entry; walk->left > 0 && (entry = readdir(folder));) {
        if (entry->d_type != DT_DIR || str_equal(entry->d_name, ".") ||
            str_equal(entry->d_name, ".."))
            continue;
        AUTO_FREE char *below = mem_printf("%s/%s", path, entry->d_name);
        walk->left--;
        if (walk->visit)
            walk->visit(walk->ctx, entry->d_ino, below);
        names_add(&found, below);
    }
    closedir(folder);
    for (size_t i = 0; i < found.count; i++)
        cgroup_walk_on(walk, found.items[i], depth + 1);
}

/* Returns how many there were, up to `most`. */
static size_t cgroup_walk(const struct mount *mount, size_t most, cgroup_visit *visit, void *ctx)
{
    struct cgroup_walk walk = {mount, most, visit, ctx};
    cgroup_walk_on(&walk, str_equal(mount->root, "/") ? "" : mount->root, 0);
    return most - walk.left;
}

void cgroup_each(cgroup_visit *visit, void *ctx)
{
    struct mount mount;
    struct stat status;
    if (!find_mount(&mount) || file_stat(mount.point, &status) < 0)
        return;
    visit(ctx, status.st_ino, mount.root);
    cgroup_walk(&mount, CGROUPS_MAX, visit, ctx);
}

bool cgroup_tells(void)
{
    struct mount mount;
    return find_mount(&mount) &&
           (mount.first ? cgroup_walk(&mount, 1, NULL, NULL) > 0 : !counts_elsewhere(&mount));
}

bool cgroup_sees_all(void)
{
    static const ino_t FIRST = 0xeffffffb; /* include/linux/proc_ns.h, PROC_CGROUP_INIT_INO */
    struct stat status;
    return stat("/proc/self/ns/cgroup", &status) < 0 || status.st_ino == FIRST;
}

static void add_path(void *ctx, uint64_t id UNUSED, const char *path)
{
    names_add(ctx, path);
}

/* The only cgroup with this name: the last part of its path, or what cgroup_name() makes of that,
 * with or without a container's name. Of a container's, those below another one are left out. NULL
 * with a message if there is none or more than one. */
static char *find_called(const struct mount *mount, const char *name, struct err *err)
{
    AUTO_NAMES struct names found = {0}, called = {0};
    struct container_names containers = {0};
    const char *first = NULL, *second = NULL;
    char shown[CGROUP_NAME_SIZE], brief[CGROUP_NAME_SIZE];
    size_t root = str_equal(mount->root, "/") ? 0 : strlen(mount->root);
    cgroup_walk(mount, CGROUPS_MAX, add_path, &found);
    for (size_t i = 0; i < found.count; i++) {
        char *path = found.items[i];
        memmove(path, path + root + 1, strlen(path + root)); /* below the mount */
        const char *last = strrchr(path, '/');
        cgroup_name(path, container_name(&containers, path), shown, sizeof(shown));
        cgroup_name(path, NULL, brief, sizeof(brief));
        names_add(&called, shown);
        if (!(str_equal(last ? last + 1 : path, name) || str_equal(shown, name) ||
              str_equal(brief, name)) ||
            (first && container_id(path) && is_within(path, first)))
            continue;
        second = first ? first : second;
        first = path;
    }
    container_names_release(&containers);
    if (first && !second)
        return mem_printf("%s/%s", mount->point, first);
    if (second)
        err_set(err, "more than one cgroup '%.100s': expected a path, such as '%.100s' or '%.100s'",
                name, second, first);
    else
        err_set(err,
                "unknown cgroup '%.100s': expected a unit, a container or a path below '%.100s'",
                name, mount->point);
    if (!second)
        err_add_nearest(err, names_nearest(strchr(name, '/') ? &found : &called, name));
    return NULL;
}

/* The path without empty parts, "." and "..". The caller frees it. */
static char *straighten(const char *path)
{
    struct str straight = str_new();
    AUTO_FREE char *copy = mem_strdup(path);
    char *rest = copy, *part;
    while ((part = strsep(&rest, "/"))) {
        if (str_equal(part, "..")) {
            while (straight.length > 0 && straight.text[--straight.length] != '/')
                ;
            if (straight.room)
                straight.text[straight.length] = '\0';
        } else if (*part && !str_equal(part, ".")) {
            str_printf(&straight, "/%s", part);
        }
    }
    return str_detach(&straight);
}

static bool is_directory(const char *path)
{
    struct stat status;
    return file_stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

char *cgroup_find(const char *given, struct err *err)
{
    struct mount mount;
    if (!find_mount(&mount))
        return err_null(
            err,
            "cannot look for cgroup '%.100s': no hierarchy that perf counts by is mounted: "
            "as root, run 'mount -t cgroup2 none /sys/fs/cgroup'",
            given);
    if (counts_elsewhere(&mount))
        return err_null(
            err,
            "cannot count cgroup '%.100s': the controller perf_event is in a hierarchy of "
            "version 1 that is not mounted here: as root, run 'mount -t cgroup -o perf_event "
            "none DIR' and look there; to count by version 2 remove its cgroups and unmount it",
            given);
    AUTO_FREE char *path = straighten(given);
    bool absolute = given[0] == '/', inside = absolute && is_within(path, mount.point);
    const char *below = inside ? path + strlen(mount.point) : path;
    char *directory = mem_printf("%s%s", mount.point, *below ? below : ROOT_END);
    if (is_directory(directory) && *given)
        return directory;
    free(directory);
    if (!absolute || inside || !is_directory(path))
        return find_called(&mount, *below ? below + 1 : below, err);
    return err_null(
        err,
        "cannot count '%.100s': it is not in the hierarchy '%.100s', which perf counts by; "
        "expected a cgroup there",
        given, mount.point);
}
