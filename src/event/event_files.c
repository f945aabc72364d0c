#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "event/event_table.h"
#include "event/pmu.h"
#include "system/topology.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <unistd.h>

enum { FILE_MAX = 16 << 20 }; /* bytes; the largest of Intel's has 2.5 MiB */

/* ---- which processor ---- */

/* MIDR_EL1 (system/topology.c): variant and revision are the version. */
static const uint64_t MIDR_VERSION = 0xf0000f;

static bool is_midr(const char *id)
{
    return str_starts(id, "0x") && !strchr(id, '-');
}

static int midr_version(uint64_t midr)
{
    return (int)(midr >> 16 & 0xf0) | (int)(midr & 0xf);
}

/* Arm's comparison of versions (tools/perf/arch/arm64/util/header.c, strcmp_cpuid_str()): a row
 * names the oldest one that it is for. -1: it is for others; else its version. */
static int match_midr(const char *row, const char *id)
{
    uint64_t mine = strtoull(id, NULL, 16), theirs = strtoull(row, NULL, 16);
    int version = midr_version(theirs);
    bool same = (mine & ~MIDR_VERSION) == (theirs & ~MIDR_VERSION);
    return same && version <= midr_version(mine) ? version : -1;
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
    AUTO_FREE char *whole = mem_printf("^(%s)$", row);
    if (regcomp(&expression, whole, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool matches = regexec(&expression, id, 0, NULL, 0) == 0;
    regfree(&expression);
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
    AUTO_FREE char *without = mem_strndup(id, stepping ? (size_t)(stepping - id) : 0);
    return !str_starts(id, "0x") && match_whole(row, without) ? 0 : -1;
}

bool event_files_match(const char *processors)
{
    char id[128];
    topology_map_id(0, id, sizeof(id));
    return match_id(processors, id) >= 0;
}

/* ---- this machine's processors ---- */

/* Those that have event files of their own: all, or on Arm a core type. Intel's core types have one
 * id, and files that say for which an entry is; Arm's have an id each. */
struct kind {
    struct names pmus; /* of cores; not owned */
    char id[128];      /* topology_map_id() */
    struct topology_place place;
};

static struct kind find_kind(const struct names *pmus)
{
    struct kind kind = {.pmus = *pmus};
    AUTO_CPUS struct cpulist cpus = {0};
    if (pmus->count)
        pmu_cpus(pmus->items[0], "cpus", &cpus);
    int cpu = cpus.count ? cpus.cpus[0] : 0;
    topology_map_id(cpu, kind.id, sizeof(kind.id));
    topology_place(cpu, &kind.place);
    return kind;
}

/* The caller frees them; *count is 1 at least. */
static struct kind *find_kinds(const struct names *pmus, size_t *count)
{
    struct kind *kinds = mem_alloc((pmus->count + 1) * sizeof(*kinds));
    kinds[0] = find_kind(pmus);
    *count = is_midr(kinds[0].id) && pmus->count > 1 ? pmus->count : 1;
    for (size_t i = 0; *count > 1 && i < *count; i++)
        kinds[i] = find_kind(&(struct names){.items = &pmus->items[i], .count = 1});
    return kinds;
}

/* The table's index of these PMUs of cores: all that entries without a Unit are for. */
static size_t core_pmus(struct event_table *table, const struct names *pmus)
{
    return event_table_pmus(table, pmus->count == 1 ? pmus->items[0] : "cpu", true, pmus);
}

/* ---- files ---- */

static void add_folder_fault(struct event_table *table, const char *path)
{
    event_table_fault(table, "cannot read the directory '%s' of event files: %s", path,
                      strerror(errno));
}

/* NULL: it cannot be read, which is a fault. */
static char *load_file(struct event_table *table, const char *path)
{
    struct err err;
    char *text = file_load(path, FILE_MAX, &err);
    if (!text)
        event_table_fault(table, "%s", err.text);
    return text;
}

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length > size && strcmp(name + length - size, ending) == 0;
}

/* Adds the paths of the files in a directory whose names end so, sorted; -1 with errno. */
static int list_folder(const char *path, const char *ending, struct names *paths)
{
    AUTO_FOLDER DIR *folder = opendir(path);
    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));) {
        AUTO_FREE char *file = mem_printf("%s/%s", path, entry->d_name);
        if (*entry->d_name != '.' && has_ending(entry->d_name, ending))
            names_add(paths, file);
    }
    names_sort(paths);
    return 0;
}

static void add_file(struct event_table *table, const char *path, size_t pmus,
                     const struct json_t *std)
{
    AUTO_FREE char *text = load_file(table, path);
    if (text)
        event_json_read(table, text, path, pmus, std);
}

/* Adds the files of a directory. */
static void add_folder(struct event_table *table, const char *path, size_t pmus,
                       const struct json_t *std)
{
    AUTO_NAMES struct names files = {0};
    if (list_folder(path, ".json", &files) < 0)
        add_folder_fault(table, path);
    for (size_t i = 0; i < files.count; i++)
        add_file(table, files.items[i], pmus, std);
}

/* ---- mapfile.csv ---- */

enum { COLUMN_ID, COLUMN_PATH = 2, COLUMN_TYPE, COLUMN_ROLE = 6, COLUMNS };

struct map_file {
    struct event_table *table;
    const char *directory;
    char *path, *text;  /* of mapfile.csv in it */
    struct json_t *std; /* standard events by name; NULL: not read yet */
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
    AUTO_FREE char *file =
        mem_printf("%.*s/perf/%.*s_perf.json", folder, path, (int)strcspn(name, "."), name);
    return access(file, R_OK) == 0 ? mem_strdup(file) : NULL;
}

/* The core types of a row in Intel's map; pmus where it names none. */
static size_t pmus_of_role(struct event_table *table, const char *role, size_t pmus)
{
    return str_equal(role, "Atom")   ? event_json_unit(table, "cpu_atom")
           : str_equal(role, "Core") ? event_json_unit(table, "cpu_core")
                                     : pmus;
}

static void read_std(struct map_file *map)
{
    AUTO_NAMES struct names files = {0};
    list_folder(map->directory, ".json", &files);
    for (size_t i = 0; i < files.count; i++) {
        AUTO_FREE char *text = load_file(map->table, files.items[i]);
        if (text)
            event_json_add_std(&map->std, text);
    }
}

static void take_row(struct map_file *map, char *columns[COLUMNS], size_t pmus)
{
    const char *type = columns[COLUMN_TYPE] ? columns[COLUMN_TYPE] : "";
    AUTO_FREE char *path = mem_printf("%s/%s", map->directory,
                                      columns[COLUMN_PATH] + strspn(columns[COLUMN_PATH], "/"));
    AUTO_FREE char *perf = strcasecmp(type, "metrics") == 0 ? metrics_of_perf(path) : NULL;
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
}

/* Takes the rows for that id that have `version`, unless that is below 0. Returns the highest
 * version of a row for the id; -1: there is none. */
static int each_row(struct map_file *map, const char *id, int version, size_t pmus)
{
    int highest = -1, number = 0;
    AUTO_FREE char *copy = mem_strdup(map->text);
    char *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        char *columns[COLUMNS];
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (!line[strspn(line, " \t")] || *line == '#' || str_starts(line, "Family-model"))
            continue;
        if (cut_line(line, columns) <= COLUMN_PATH) {
            if (version < 0) /* the first of the two times that a map is read */
                event_table_fault(map->table, "%s:%d: expected processor,version,file,type",
                                  map->path, number);
            continue;
        }
        int row = match_id(columns[COLUMN_ID], id);
        if (row >= 0 && row == version)
            take_row(map, columns, pmus);
        highest = row > highest ? row : highest;
    }
    return highest;
}

static void add_map(struct map_file *map, const struct kind *kinds, size_t count)
{
    map->text = load_file(map->table, map->path);
    for (size_t i = 0; map->text && i < count; i++) {
        size_t pmus = core_pmus(map->table, &kinds[i].pmus);
        int version = each_row(map, kinds[i].id, -1, pmus);
        if (version >= 0)
            each_row(map, kinds[i].id, version, pmus);
    }
    event_json_drop_std(map->std);
    free(map->text);
}

/* ---- files that no map chooses ---- */

/* "Neoverse N1" is system/topology's "Neoverse-N1". */
static bool same_name(const char *a, const char *b)
{
    while (*a &&
           (tolower((unsigned char)*a) == tolower((unsigned char)*b) || (*a == ' ' && *b == '-')))
        a++, b++;
    return !*a && !*b;
}

/* How well a file in Arm's own form fits: of those with a version the newest that is not newer than
 * the processor, else the oldest; those without one fit all. -1: it is for others. */
enum { FIT_NOT_NEWER = 256, FIT_ALL = 512 };

static int fit_product(const struct json_product *product, const struct kind *kind)
{
    uint64_t mine = strtoull(kind->id, NULL, 16);
    if (!is_midr(kind->id))
        return -1;
    if (!product->midr)
        return *product->name && same_name(product->name, kind->place.type) ? FIT_ALL : -1;
    if ((mine & ~MIDR_VERSION) != (product->midr & ~MIDR_VERSION))
        return -1;
    int version = midr_version(product->midr);
    return !product->versioned             ? FIT_ALL
           : version <= midr_version(mine) ? FIT_NOT_NEWER + version
                                           : FIT_NOT_NEWER - 1 - version;
}

/* Adds the files that fit best. */
static void add_products(struct event_table *table, const struct names *files,
                         const struct json_product *products, const struct kind *kind)
{
    int best = -1;
    for (size_t i = 0; i < files->count; i++) {
        int fit = fit_product(&products[i], kind);
        best = fit != FIT_ALL && fit > best ? fit : best;
    }
    for (size_t i = 0; i < files->count; i++) {
        int fit = fit_product(&products[i], kind);
        if (fit >= 0 && (fit == FIT_ALL || fit == best))
            add_file(table, files->items[i], core_pmus(table, &kind->pmus), NULL);
    }
}

/* Adds the files of a directory that are in Arm's own form, each for the processor that it names;
 * others for these PMUs, unless they are NULL. */
static void add_unmapped(struct event_table *table, const char *path, const struct names *others,
                         const struct kind *kinds, size_t count)
{
    AUTO_NAMES struct names files = {0};
    if (list_folder(path, ".json", &files) < 0 && others)
        add_folder_fault(table, path);
    AUTO_FREE struct json_product *products = mem_array(files.count, sizeof(*products));
    for (size_t i = 0; i < files.count; i++) {
        const char *file = files.items[i];
        AUTO_FREE char *text = others ? load_file(table, file) : file_load(file, FILE_MAX, NULL);
        bool arm = text && event_json_product(text, &products[i]);
        if (arm && !products[i].midr && !*products[i].name)
            event_table_fault(table, "%s: it names no processor", file);
        else if (text && !arm && others)
            event_json_read(table, text, file, core_pmus(table, others), NULL);
    }
    for (size_t i = 0; i < count; i++)
        add_products(table, &files, products, &kinds[i]);
}

void event_files_add(struct event_table *table, const char *directory)
{
    AUTO_NAMES struct names folders = {0}, pmus = {0};
    char core[256];
    size_t count;
    if (list_folder(directory, "", &folders) < 0) {
        int error = errno; /* HOME may name no directory, or another user's */
        bool forbidden = error == EACCES || access(directory, F_OK) < 0;
        errno = error;
        if (!forbidden)
            add_folder_fault(table, directory);
        return;
    }
    pmu_core_types(&pmus);
    if (!pmus.count && topology_core_pmu(core, sizeof(core)))
        names_add(&pmus, core);
    AUTO_FREE struct kind *kinds = find_kinds(&pmus, &count);
    /* The directory itself, then those in it. */
    for (size_t i = 0; i <= folders.count; i++) {
        const char *path = i ? folders.items[i - 1] : directory;
        AUTO_FREE char *mapfile = mem_printf("%s/mapfile.csv", path);
        struct map_file map = {.table = table, .directory = path, .path = mapfile};
        bool mapped = access(mapfile, F_OK) == 0;
        if (mapped)
            add_map(&map, kinds, count);
        if (is_midr(kinds[0].id) || (i == 0 && !mapped))
            add_unmapped(table, path, i == 0 && !mapped ? &pmus : NULL, kinds, count);
    }
}
