#include "event/event_files.h"
#include "base/cpulist.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/event_json.h"
#include "event/pmu.h"
#include "system/topology.h"

#include <dirent.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MOST = 16 << 20 }; /* bytes; the largest of Intel's has 2.5 MiB */

/* ---- which processor ---- */

/* MIDR_EL1 (system/topology.c): variant and revision are the version. */
static const uint64_t MIDR_VERSION = 0xf0000f;

static bool is_midr(const char *id)
{
    return str_starts(id, "0x") && !strchr(id, '-');
}

/* Arm's comparison of versions (tools/perf/arch/arm64/util/header.c, strcmp_cpuid_str()): a row
 * names the oldest one that it is for. -1: it is for others; else its version. */
static int match_midr(const char *row, const char *id)
{
    uint64_t mine = strtoull(id, NULL, 16), theirs = strtoull(row, NULL, 16);
    int version = (int)(theirs >> 16 & 0xf0) | (int)(theirs & 0xf);
    int own = (int)(mine >> 16 & 0xf0) | (int)(mine & 0xf);
    return (mine & ~MIDR_VERSION) == (theirs & ~MIDR_VERSION) && version <= own ? version : -1;
}

/* Whether the expression matches the whole id. Nested counts, as in (a{200}){200}, would take all
 * memory. */
static bool match_whole(const char *row, const char *id)
{
    enum { LONGEST = 200 };
    regex_t expression;
    const char *brace = strchr(row, '{');
    if (!*id || strlen(row) > LONGEST || (brace && strchr(brace + 1, '{')))
        return false;
    char *whole = mem_printf("^(%s)$", row);
    int error = regcomp(&expression, whole, REG_EXTENDED | REG_NOSUB);
    bool matches = error == 0 && regexec(&expression, id, 0, NULL, 0) == 0;
    if (error == 0)
        regfree(&expression);
    free(whole);
    return matches;
}

/* -1: the row is for other processors; else the version of that row. */
static int match_id(const char *row, const char *id)
{
    if (is_midr(id))
        return match_midr(row, id);
    if (match_whole(row, id))
        return 0;
    /* RISC-V's ids have no stepping at the end. */
    const char *stepping = strrchr(id, '-');
    char *without = stepping ? mem_strndup(id, (size_t)(stepping - id)) : mem_strdup("");
    bool matches = !str_starts(id, "0x") && match_whole(row, without);
    free(without);
    return matches ? 0 : -1;
}

bool event_files_match(const char *processors)
{
    char id[128];
    topology_map_id(0, id, sizeof(id));
    return match_id(processors, id) >= 0;
}

/* ---- files ---- */

/* Takes ownership of the text. */
static void add_fault(struct event_table *table, char *text)
{
    names_add(&table->faults, text);
    free(text);
}

static void add_folder_fault(struct event_table *table, const char *path)
{
    add_fault(table, mem_printf("cannot read the directory '%s' of event files: %s", path,
                                strerror(errno)));
}

/* NULL: it cannot be read, which is a fault. */
static char *load_file(struct event_table *table, const char *path)
{
    struct err err;
    char *text = file_load(path, FILE_MOST, &err);
    if (!text)
        add_fault(table, mem_strdup(err.text));
    return text;
}

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

/* The names in a directory that end so, sorted; -1 with errno. */
static int list_folder(const char *path, const char *ending, struct names *names)
{
    *names = (struct names){0};
    DIR *folder = opendir(path);
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (*entry->d_name != '.' && has_ending(entry->d_name, ending))
            names_add(names, entry->d_name);
    closedir(folder);
    names_sort(names);
    return 0;
}

static void add_file(struct event_table *table, const char *path, size_t pmus,
                     const struct std_events *std)
{
    char *text = load_file(table, path);
    if (text)
        event_json_read(table, text, path, pmus, std);
    free(text);
}

/* Adds the files of a directory. */
static void add_folder(struct event_table *table, const char *path, size_t pmus,
                       const struct std_events *std)
{
    struct names files;
    if (list_folder(path, ".json", &files) < 0)
        add_folder_fault(table, path);
    for (size_t i = 0; i < files.count; i++) {
        char *file = mem_printf("%s/%s", path, files.items[i]);
        add_file(table, file, pmus, std);
        free(file);
    }
    names_release(&files);
}

/* ---- mapfile.csv ---- */

enum { COLUMN_ID, COLUMN_PATH = 2, COLUMN_TYPE, COLUMN_ROLE = 6, COLUMNS };

struct map {
    struct event_table *table;
    const char *directory;
    char *path, *text;      /* of mapfile.csv in it */
    struct std_events *std; /* NULL: not read yet */
};

/* The columns of a line, which it cuts; returns their number. */
static size_t cut_line(char *line, char *columns[COLUMNS])
{
    size_t count = 0;
    for (char *rest = line; rest && count < COLUMNS;)
        columns[count++] = strsep(&rest, ",");
    for (size_t i = count; i < COLUMNS; i++)
        columns[i] = NULL;
    return count;
}

/* The rows of Intel's map for files that are no lists of events. */
static bool is_other_form(const char *type)
{
    static const char *const types[] = {"metrics", "retire latency", "offcore", "fp_arith_inst"};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (strcasecmp(type, types[i]) == 0)
            return true;
    return false;
}

/* Intel's metrics in perf's form stand below the directory of those that the map names:
 * SPR/metrics/NAME.json, SPR/metrics/perf/NAME_perf.json. */
static char *metrics_of_perf(const char *path)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) : 0;
    const char *name = slash ? slash + 1 : path;
    char *file =
        mem_printf("%.*s/perf/%.*s_perf.json", folder, path, (int)strcspn(name, "."), name);
    if (access(file, R_OK) == 0)
        return file;
    free(file);
    return NULL;
}

/* The core types of a row in Intel's map; pmus where it names none. */
static size_t pmus_of_role(struct event_table *table, const char *role, size_t pmus)
{
    return str_equal(role, "Atom")   ? event_json_unit(table, "cpu_atom")
           : str_equal(role, "Core") ? event_json_unit(table, "cpu_core")
                                     : pmus;
}

static void read_std(struct map *map)
{
    struct names files;
    map->std = std_events_new();
    if (list_folder(map->directory, ".json", &files) < 0)
        return;
    for (size_t i = 0; i < files.count; i++) {
        char *path = mem_printf("%s/%s", map->directory, files.items[i]);
        char *text = load_file(map->table, path);
        if (text)
            std_events_add(map->std, text);
        free(text);
        free(path);
    }
    names_release(&files);
}

static void take_row(struct map *map, char *columns[COLUMNS], size_t pmus)
{
    const char *type = columns[COLUMN_TYPE] ? columns[COLUMN_TYPE] : "";
    char *path = mem_printf("%s/%s", map->directory,
                            columns[COLUMN_PATH] + strspn(columns[COLUMN_PATH], "/"));
    char *perf = strcasecmp(type, "metrics") == 0 ? metrics_of_perf(path) : NULL;
    if (!map->std)
        read_std(map);
    if (perf)
        add_file(map->table, perf, pmus, map->std);
    else if (is_other_form(type))
        log_line("event files: %s is of another form", path);
    else if (has_ending(path, ".json"))
        add_file(map->table, path, pmus_of_role(map->table, columns[COLUMN_ROLE], pmus), map->std);
    else
        add_folder(map->table, path, pmus, map->std);
    free(perf);
    free(path);
}

/* Calls `take`, unless it is NULL, with the rows for that id that have `version`; returns the
 * highest version of a row for it, -1: there is none. */
static int each_row(struct map *map, const char *id, int version, size_t pmus,
                    void (*take)(struct map *, char *columns[COLUMNS], size_t pmus))
{
    int highest = -1, number = 0;
    char *copy = mem_strdup(map->text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *columns[COLUMNS];
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (!line[strspn(line, " \t")] || *line == '#' || str_starts(line, "Family-model"))
            continue;
        if (cut_line(line, columns) <= COLUMN_PATH) {
            if (take) /* once, of the two times that a map is read */
                add_fault(map->table, mem_printf("%s:%d: expected processor,version,file,type",
                                                 map->path, number));
            continue;
        }
        int row = match_id(columns[COLUMN_ID], id);
        if (take && row >= 0 && row == version)
            take(map, columns, pmus);
        highest = row > highest ? row : highest;
    }
    free(copy);
    return highest;
}

/* ---- this machine's processors ---- */

/* The table's index of these PMUs of cores: all that entries without a Unit are for. */
static size_t core_pmus(struct event_table *table, const struct names *pmus)
{
    return event_table_pmus(table, pmus->count == 1 ? pmus->items[0] : "cpu", true, pmus);
}

/* Adds the rows of a map for the CPUs of these PMUs. */
static void add_rows(struct map *map, const struct names *pmus)
{
    struct cpulist cpus = {0};
    char id[128];
    if (pmus->count)
        pmu_cpus(pmus->items[0], "cpus", &cpus);
    topology_map_id(cpus.count ? cpus.cpus[0] : 0, id, sizeof(id));
    cpulist_release(&cpus);
    size_t index = core_pmus(map->table, pmus);
    each_row(map, id, each_row(map, id, -1, index, NULL), index, take_row);
}

/* Intel's core types have one id, and files that say for which an entry is. Arm's have an id each.
 */
static void add_map(struct map *map, const struct names *pmus)
{
    char id[128];
    topology_map_id(0, id, sizeof(id));
    map->text = load_file(map->table, map->path);
    if (map->text && is_midr(id) && pmus->count > 1) {
        for (size_t i = 0; i < pmus->count; i++)
            add_rows(map, &(struct names){.items = &pmus->items[i], .count = 1});
    } else if (map->text) {
        add_rows(map, pmus);
    }
    std_events_free(map->std);
    free(map->text);
}

void event_files_add(struct event_table *table, const char *directory)
{
    struct names below, pmus;
    char core[256];
    if (list_folder(directory, "", &below) < 0) {
        if (errno != ENOENT && errno != EACCES)
            add_folder_fault(table, directory);
        return;
    }
    pmu_core_types(&pmus);
    if (!pmus.count && topology_core_pmu(core, sizeof(core)))
        names_add(&pmus, core);
    /* The directory itself, then those in it. */
    for (size_t i = 0; i <= below.count; i++) {
        char *path = i ? mem_printf("%s/%s", directory, below.items[i - 1]) : mem_strdup(directory);
        struct map map = {table, path, mem_printf("%s/mapfile.csv", path), NULL, NULL};
        if (access(map.path, F_OK) == 0)
            add_map(&map, &pmus);
        else if (i == 0)
            add_folder(table, path, core_pmus(table, &pmus), NULL);
        free(map.path);
        free(path);
    }
    names_release(&pmus);
    names_release(&below);
}
