#include "system/cgroup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/str.h"
#include "system/kernel_times.h"
#include "system/procfs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MOUNTS_MAX = 256 << 10, /* bytes of mountinfo that are read: /sys is mounted early */
    PROC_MAX = 16 << 10,    /* bytes of /proc/PID/cgroup: a line for each hierarchy */
    CGROUPS_MAX = 16384,    /* searched for a name */
    DEPTH_MAX = 32,         /* levels searched for a name */
    ID_DIGITS = 64,         /* of a container's id */
    ID_SHOWN = 12,
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
    const char *end = list + length;
    size_t wanted = strlen(word);
    if (!wanted)
        return length == 0;
    for (const char *part = list, *next; part < end; part = next + 1) {
        next = memchr(part, ',', (size_t)(end - part));
        next = next ? next : end;
        if ((size_t)(next - part) == wanted && memcmp(part, word, wanted) == 0)
            return true;
    }
    return false;
}

/* mountinfo writes blanks, newlines and backslashes as \ooo (proc_pid_mountinfo(5)). */
static void unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p;) {
        if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
            p[3] >= '0' && p[3] <= '7') {
            *to++ = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 4;
        } else {
            *to++ = *p++;
        }
    }
    *to = '\0';
}

/* Calls `take` with each mount of a hierarchy of cgroups, which ends with NULL in `controllers` for
 * version 2; for version 1 that is the list of its controllers. */
static void each_mount(void (*take)(void *ctx, const struct mount *mount, const char *controllers),
                       void *ctx)
{
    char *text = mem_alloc(MOUNTS_MAX), *rest = text, *line, type[16];
    struct mount *mount = mem_alloc(sizeof(*mount));
    if (file_read("/proc/self/mountinfo", text, MOUNTS_MAX) < 0)
        *text = '\0';
    while ((line = strsep(&rest, "\n"))) {
        char *kind = strstr(line, " - ");
        if (!kind || sscanf(kind, " - %15s", type) != 1 ||
            sscanf(line, "%*s %*s %*s %4095s %4095s", mount->root, mount->point) != 2)
            continue;
        unescape(mount->root);
        unescape(mount->point);
        bool version_2 = str_equal(type, "cgroup2");
        if ((version_2 || str_equal(type, "cgroup")) && *mount->root == '/' && *mount->point == '/')
            take(ctx, mount, version_2 ? NULL : strrchr(kind, ' ') + 1);
    }
    free(mount);
    free(text);
}

struct best_mount {
    struct mount *mount;
    int rank; /* 0: none yet */
};

/* Version 1 with the controller perf_event ranks above version 2, since a controller is in one
 * hierarchy only. A complete hierarchy ranks above a part. */
static void take_best(void *ctx, const struct mount *mount, const char *controllers)
{
    struct best_mount *best = ctx;
    if (controllers && !lists(controllers, strlen(controllers), "perf_event"))
        return;
    int rank = (controllers ? 3 : 1) + str_equal(mount->root, "/");
    if (rank <= best->rank)
        return;
    best->rank = rank;
    *best->mount = *mount;
    best->mount->first = controllers != NULL;
}

static bool find_mount(struct mount *mount)
{
    struct best_mount best = {.mount = mount};
    each_mount(take_best, &best);
    return best.rank > 0;
}

/* The path in the text of /proc/PID/cgroup (cgroups(7), "/proc files") for the hierarchy with this
 * controller, "" for version 2. False if it is missing. */
static bool path_in(const char *text, const char *controller, char *path, size_t size)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *end = line + length;
        const char *list = memchr(line, ':', length);
        const char *last = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;
        if (last && last[1] == '/' && lists(list + 1, (size_t)(last - list - 1), controller)) {
            snprintf(path, size, "%.*s", (int)(end - last - 1), last + 1);
            return true;
        }
        line = *end ? end + 1 : end;
    }
    return false;
}

/* An ended thread keeps its cgroup when its process is moved, and of version 1 it tells none
 * (kernel/cgroup/cgroup.c, cgroup_migrate_add_task(), proc_cgroup_show()). */
static ssize_t cgroup_lines(pid_t pid, char text[PROC_MAX])
{
    pid_t other = procfs_other_thread(pid);
    return procfs_read(pid, other, "cgroup", text, PROC_MAX);
}

bool cgroup_of(pid_t pid, char *path, size_t size)
{
    static const char *const hierarchies[] = {"perf_event", "", "name=systemd"};
    char text[PROC_MAX];
    *path = '\0';
    if (cgroup_lines(pid, text) < 0)
        return false;
    for (size_t i = 0; i < sizeof(hierarchies) / sizeof(*hierarchies); i++)
        if (path_in(text, hierarchies[i], path, size) && !str_equal(path, "/"))
            return true;
    snprintf(path, size, "/");
    return true;
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

bool cgroup_has(const char *directory, pid_t pid)
{
    char text[PROC_MAX], path[CGROUP_PATH_SIZE], cgroup[2 * CGROUP_PATH_SIZE];
    const char *last = strrchr(directory, '/');
    struct mount mount;
    /* The path in perf's hierarchy. */
    if (!last || cgroup_lines(pid, text) < 0 ||
        (!path_in(text, "perf_event", path, sizeof(path)) &&
         !path_in(text, "", path, sizeof(path))))
        return false;
    bool root = str_equal(last, ROOT_END);
    if (!root && !strstr(path, last))
        return false; /* rejects most processes without reading the mounts */
    if (!find_mount(&mount) || !is_within(directory, mount.point))
        return false;
    const char *below = root ? "" : directory + strlen(mount.point);
    snprintf(cgroup, sizeof(cgroup), "%s%s", str_equal(mount.root, "/") ? "" : mount.root, below);
    return is_within(path, *cgroup ? cgroup : "/");
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

static void take_place(void *ctx, const struct mount *mount, const char *controllers)
{
    struct cgroup_places *places = ctx;
    if (!str_equal(mount->root, "/"))
        return; /* of a part */
    if (!controllers && !places->unified)
        places->unified = mem_strdup(mount->point);
    else if (controllers && !places->cpu && lists(controllers, strlen(controllers), "cpu"))
        places->cpu = mem_strdup(mount->point);
}

/* A number after a word at the beginning of a line. */
static bool stat_number(const char *text, const char *word, uint64_t *number)
{
    size_t length = strlen(word);
    for (; *text; text += *text == '\n') {
        if (strncmp(text, word, length) == 0 && text[length] == ' ' &&
            isdigit((unsigned char)text[length + 1])) {
            *number = strtoull(text + length + 1, NULL, 10);
            return true;
        }
        text += strcspn(text, "\n");
    }
    return false;
}

/* Whether the cgroup is there. */
static bool take_throttled(const char *point, const char *path, struct kernel_times *times)
{
    char text[4096];
    uint64_t time, count;
    if (file_readf(text, sizeof(text), "%s%s/cpu.stat", point, path) < 0)
        return false;
    bool known = stat_number(text, "throttled_usec", &time);
    if (known)
        time *= 1000;
    else
        known = stat_number(text, "throttled_time", &time);
    if (!known || !stat_number(text, "nr_throttled", &count))
        return true;
    kernel_times_set(times, CGROUP_THROTTLED, time);
    kernel_times_set(times, CGROUP_THROTTLES, count);
    return true;
}

bool cgroup_throttled(struct cgroup_places *places, const char *path, struct kernel_times *times)
{
    if (!places->found)
        each_mount(take_place, places);
    places->found = true;
    *times = (struct kernel_times){0};
    bool there = places->unified && take_throttled(places->unified, path, times);
    return (places->cpu && take_throttled(places->cpu, path, times)) || there;
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

/* --- Limits and use --- */

/* Where version 1's controller is mounted as a whole, or for "" version 2. False: nowhere. */
static bool find_controller(const char *controller, char point[CGROUP_PATH_SIZE])
{
    char *text = mem_alloc(MOUNTS_MAX), *rest = text, *line;
    bool found = false;
    if (file_read("/proc/self/mountinfo", text, MOUNTS_MAX) < 0)
        *text = '\0';
    while (!found && (line = strsep(&rest, "\n"))) {
        char root[2], *kind = strstr(line, " - ");
        if (!kind || sscanf(line, "%*s %*s %*s %1s %4095s", root, point) != 2)
            continue;
        unescape(point);
        const char *options = strrchr(kind, ' ') + 1;
        found = *controller
                    ? str_starts(kind + 3, "cgroup ") && lists(options, strlen(options), controller)
                    : str_starts(kind + 3, "cgroup2 ");
    }
    free(text);
    return found;
}

/* Reads a file of a cgroup: in version 2, or of version 1's controller under another name. */
static bool read_file(const char *path, const char *file, const char *controller, const char *other,
                      char *text, size_t size)
{
    char point[CGROUP_PATH_SIZE];
    return (find_controller("", point) &&
            file_readf(text, size, "%s%s/%s", point, path, file) > 0) ||
           (other && find_controller(controller, point) &&
            file_readf(text, size, "%s%s/%s", point, path, other) > 0);
}

/* A number of such a file; false: it is "max", or larger than any machine's memory, or missing. */
static bool read_number(const char *path, const char *file, const char *controller,
                        const char *other, double *number)
{
    static const double NO_LIMIT = 9e18; /* memory.limit_in_bytes has about LONG_MAX */
    char text[256], *end;
    if (!read_file(path, file, controller, other, text, sizeof(text)))
        return false;
    *number = strtod(text, &end);
    return end > text && *number >= 0 && *number < NO_LIMIT;
}

static void add_cpus(struct str *text, const char *path)
{
    char line[256] = "", period[256];
    double quota, of = 0;
    if (read_file(path, "cpu.max", "", NULL, line, sizeof(line))) {
        if (sscanf(line, "%lf %lf", &quota, &of) != 2)
            of = 0;
    } else if (read_number(path, "", "cpu", "cpu.cfs_quota_us", &quota) &&
               read_file(path, "", "cpu", "cpu.cfs_period_us", period, sizeof(period))) {
        of = strtod(period, NULL);
    }
    if (of > 0)
        str_printf(text, "at most %.2f CPUs", quota / of);
    uint64_t times, held;
    if (read_file(path, "cpu.stat", "cpu", "cpu.stat", line, sizeof(line)) &&
        stat_number(line, "nr_throttled", &times) && times > 0)
        str_printf(text, "%sheld back %llu times", text->length ? ", " : "",
                   (unsigned long long)times);
    if (stat_number(line, "throttled_usec", &held) && held > 0)
        str_printf(text, " for %.1f s", (double)held / 1e6);
}

/* Adds "; ", what is used and its limit, in a unit. */
static void add_use(struct str *text, const char *before, const char *after, double unit,
                    const double *used, const double *most)
{
    if (!used)
        return;
    int digits = unit > 1;
    str_printf(text, "%s%s%.*f", text->length ? "; " : "", before, digits, *used / unit);
    if (most)
        str_printf(text, " of %.*f", digits, *most / unit);
    str_add(text, after);
}

char *cgroup_state(const char *path)
{
    static const double MEBIBYTE = 1 << 20;
    struct str text = str_new();
    double used, most, share;
    char line[256], file[64];
    path = str_equal(path, "/") ? "" : path;
    add_cpus(&text, path);
    bool known = read_number(path, "memory.current", "memory", "memory.usage_in_bytes", &used);
    bool limit = read_number(path, "memory.max", "memory", "memory.limit_in_bytes", &most);
    add_use(&text, "memory ", " MiB", MEBIBYTE, known ? &used : NULL, limit ? &most : NULL);
    known = read_number(path, "pids.current", "pids", "pids.current", &used);
    limit = read_number(path, "pids.max", "pids", "pids.max", &most);
    add_use(&text, "", " tasks", 1, known ? &used : NULL, limit ? &most : NULL);
    for (size_t p = 0, told = 0; p < PRESSURES; p++) {
        snprintf(file, sizeof(file), "%s.pressure", pressure_names[p]);
        if (read_file(path, file, "", NULL, line, sizeof(line)) &&
            sscanf(line, "some avg10=%lf", &share) == 1)
            str_printf(&text, "%s%s %.1f %%",
                       told++            ? ", "
                       : text.length > 0 ? "; pressure of 10 s: "
                                         : "pressure of 10 s: ",
                       pressure_names[p], share);
    }
    if (text.length > 0)
        return str_detach(&text);
    str_release(&text);
    return NULL;
}

/* --- Names --- */

/* A container's id in a part of a path: exactly ID_DIGITS hexadecimal digits in a row. NULL if it
 * has none. */
static const char *container_id(const char *part, size_t length)
{
    for (size_t at = 0; at + ID_DIGITS <= length;) {
        size_t digits = strspn(part + at, "0123456789abcdefABCDEF");
        if (digits == ID_DIGITS)
            return part + at;
        at += digits + 1;
    }
    return NULL;
}

/* The name of a Kubernetes pod: "pod" and a uid, its digits separated by '-' or '_'. */
static bool name_pod(const char *part, char *name, size_t size)
{
    const char *pod = strstr(part, "pod");
    while (pod && !(pod > part ? pod[-1] == '-' : true))
        pod = strstr(pod + 1, "pod");
    if (!pod || !(pod == part || str_starts(part, "kubepods")))
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

void cgroup_name(const char *path, char *name, size_t size)
{
    const char *end = path + strlen(path), *part = end;
    while (part > path && part[-1] != '/')
        part--;
    const char *id = container_id(part, (size_t)(end - part));
    if (!id && str_equal(part, "container") && part > path + 1) {
        /* Podman puts a container's processes into a child of the cgroup with the id. */
        const char *above = part - 1;
        while (above > path && above[-1] != '/')
            above--;
        id = container_id(above, (size_t)(part - 1 - above));
    }
    if (id)
        snprintf(name, size, "%.*s", ID_SHOWN, id);
    else if (!name_pod(part, name, size))
        snprintf(name, size, "%s", *part && !str_equal(part, ".") ? part : "/");
}

/* --- From a name to a directory --- */

/* A walk through the cgroups below a directory. */
struct cgroup_walk {
    const char *point;
    size_t left; /* cgroups that are still taken */
    cgroup_visit *visit;
    void *ctx;
};

/* Visits the cgroups below this one, with a slash before their paths. */
static void cgroup_walk_on(struct cgroup_walk *walk, const char *path, int depth)
{
    char *directory = mem_printf("%s%s", walk->point, path);
    DIR *folder = depth < DEPTH_MAX ? file_opendir(directory) : NULL;
    free(directory);
    if (!folder)
        return;
    for (struct dirent *entry; walk->left > 0 && (entry = readdir(folder));) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
            continue;
        char *below = mem_printf("%s/%s", path, entry->d_name);
        walk->left--;
        walk->visit(walk->ctx, entry->d_ino, below);
        cgroup_walk_on(walk, below, depth + 1);
        free(below);
    }
    closedir(folder);
}

static void add_path(void *ctx, uint64_t id, const char *path)
{
    (void)id;
    names_add(ctx, path + 1);
}

/* A cgroup below the mount of a part. */
struct cgroup_part {
    const char *root;
    cgroup_visit *visit;
    void *ctx;
};

static void visit_in_part(void *ctx, uint64_t id, const char *path)
{
    const struct cgroup_part *part = ctx;
    char *whole = mem_printf("%s%s", part->root, path);
    part->visit(part->ctx, id, whole);
    free(whole);
}

void cgroup_each(cgroup_visit *visit, void *ctx)
{
    struct mount mount;
    struct stat status;
    if (!find_mount(&mount) || stat(mount.point, &status) < 0)
        return;
    struct cgroup_part part = {str_equal(mount.root, "/") ? "" : mount.root, visit, ctx};
    struct cgroup_walk walk = {mount.point, CGROUPS_MAX, visit_in_part, &part};
    visit(ctx, status.st_ino, mount.root);
    cgroup_walk_on(&walk, "", 0);
}

static void count_cgroup(void *ctx, uint64_t id, const char *path)
{
    (void)id, (void)path;
    ++*(size_t *)ctx;
}

bool cgroup_tells(void)
{
    struct mount mount;
    size_t count = 0;
    if (!find_mount(&mount))
        return false;
    struct cgroup_walk walk = {mount.point, 1, count_cgroup, &count};
    cgroup_walk_on(&walk, "", 0);
    return count > 0 || !mount.first;
}

bool cgroup_sees_all(void)
{
    static const ino_t FIRST = 0xeffffffb; /* include/linux/proc_ns.h, PROC_CGROUP_INIT_INO */
    struct stat status;
    return stat("/proc/self/ns/cgroup", &status) < 0 || status.st_ino == FIRST;
}

/* The only cgroup with this name: the last part of its path, or what cgroup_name() makes of that.
 * NULL with a message if there is none or more than one. */
static char *find_called(const char *point, const char *name, struct err *err)
{
    struct names found = {0};
    struct cgroup_walk walk = {point, CGROUPS_MAX, add_path, &found};
    const char *first = NULL, *second = NULL;
    char *directory = NULL, shown[CGROUP_NAME_SIZE];
    cgroup_walk_on(&walk, "", 0);
    for (size_t i = 0; i < found.count; i++) {
        const char *path = found.items[i], *last = strrchr(path, '/');
        cgroup_name(path, shown, sizeof(shown));
        if (!str_equal(last ? last + 1 : path, name) && !str_equal(shown, name))
            continue;
        second = first ? first : second;
        first = path;
    }
    if (second)
        err_set(err, "more than one cgroup '%.100s': expected a path, such as '%.100s' or '%.100s'",
                name, second, first);
    else if (first)
        directory = mem_printf("%s/%s", point, first);
    else {
        err_set(err, "unknown cgroup '%.100s': expected one below '%.100s'", name, point);
        err_add_nearest(err, names_nearest(&found, name));
    }
    names_release(&found);
    return directory;
}

/* The path without empty parts, "." and "..". The caller frees it. */
static char *straighten(const char *path)
{
    struct str straight = str_new();
    char *copy = mem_strdup(path), *rest = copy, *part;
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
    free(copy);
    return str_detach(&straight);
}

static bool is_directory(const char *path)
{
    DIR *folder = file_opendir(path);
    if (folder)
        closedir(folder);
    return folder;
}

char *cgroup_find(const char *given, struct err *err)
{
    struct mount mount;
    if (!find_mount(&mount)) {
        err_set(err,
                "cannot look for cgroup '%.100s': no hierarchy that perf counts by is mounted: "
                "as root, run 'mount -t cgroup2 none /sys/fs/cgroup'",
                given);
        return NULL;
    }
    char *path = straighten(given);
    bool absolute = given[0] == '/', inside = absolute && is_within(path, mount.point);
    const char *below = inside ? path + strlen(mount.point) : path;
    char *directory = mem_printf("%s%s", mount.point, *below ? below : ROOT_END);
    if (!is_directory(directory) || !*given) {
        free(directory);
        directory = NULL;
        if (absolute && !inside && is_directory(path))
            err_set(err,
                    "cannot count '%.100s': it is not in the hierarchy '%.100s', which perf "
                    "counts by; expected a cgroup there",
                    given, mount.point);
        else
            directory = find_called(mount.point, *below ? below + 1 : below, err);
    }
    free(path);
    return directory;
}
