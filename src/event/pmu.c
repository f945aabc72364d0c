#include "event/pmu.h"
#include "event/event_table.h"
#include "system/topology.h"

#include <linux/perf_event.h>

/* The files are described in Documentation/ABI/testing/sysfs-bus-event_source-devices-format and
 * -events, and perf-list(1). Their contents are checked, since drivers out of tree can write
 * anything. */

static const char folder[] = "/sys/bus/event_source/devices";

enum { TEXT_SIZE = 4096 };

/* Whether name can be a file name in a folder of sysfs. */
static bool is_file_name(const char *name)
{
    if (!*name || *name == '.' || strlen(name) > 255)
        return false;
    for (const char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("_-.:+@", *p))
            return false;
    return true;
}

/* Files with properties of an event: name.unit, name.scale ... */
static bool is_event_property(const char *name)
{
    static const char *const endings[] = {".unit", ".scale", ".per-pkg", ".snapshot"};
    const char *dot = strrchr(name, '.');
    return dot && STR_IN(endings, dot);
}

/* Reads the first line of a file in the PMU's folder. False if there is none: also if a name that
 * is part of its path is no file name. */
static bool pmu_read(const char *pmu, const char *sub, const char *name, char *text, size_t size)
{
    char path[1024];
    if (!is_file_name(pmu) || !is_file_name(name))
        return false;
    snprintf(path, sizeof(path), "%s/%s/%s%s", folder, pmu, sub, name);
    return file_line(path, text, size) == 0;
}

bool pmu_type(const char *name, uint32_t *type)
{
    char text[32];
    unsigned long long value;
    if (!pmu_read(name, "", "type", text, sizeof(text)) || !str_to_u64(text, 0, UINT32_MAX, &value))
        return false;
    *type = (uint32_t)value;
    return true;
}

bool pmu_name(uint32_t type, char *buffer, size_t size)
{
    AUTO_NAMES struct names pmus = {0};
    uint32_t other;
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++)
        if (pmu_type(pmus.items[i], &other) && other == type)
            return snprintf(buffer, size, "%s", pmus.items[i]) >= 0;
    return false;
}

bool pmu_raw_code(const char *digits, uint64_t *code)
{
    static const char hexadecimal[] = "0123456789abcdefABCDEF";
    size_t count = strspn(digits, hexadecimal);
    *code = strtoull(digits, NULL, 16);
    return count > 0 && count <= 16 && !digits[count];
}

void pmu_names(const char *pmu, const char *sub, struct names *names)
{
    AUTO_NAMES struct names files = {0};
    AUTO_FREE char *path = mem_printf("%s/%s/%s", folder, pmu, sub);
    if (is_file_name(pmu))
        names_add_folder(&files, path);
    names_sort(&files);
    for (size_t i = 0; i < files.count; i++)
        if (is_file_name(files.items[i]) && !is_event_property(files.items[i]))
            names_add(names, files.items[i]);
}

bool pmu_event_terms(const char *pmu, const char *event, char *buffer, size_t size)
{
    if (!is_event_property(event) && pmu_read(pmu, "events/", event, buffer, size))
        return true;
    const struct table_event *found = event_table_find(pmu, event);
    if (found)
        snprintf(buffer, size, "%s", found->terms);
    return found;
}

bool pmu_has_event(const char *pmu, const char *event)
{
    char text[TEXT_SIZE];
    return pmu_event_terms(pmu, event, text, sizeof(text));
}

static const char *const words[] = {"config", "config1", "config2"};

/* The bits of a config word that a format file names. A value's bits go into them from the lowest
 * up; the order of the file's ranges does not matter. */
struct bit_field {
    int word; /* of words */
    uint64_t mask;
};

/* "config1:0-7,32-35\n" */
static bool parse_format(const char *text, struct bit_field *field)
{
    const char *p = strchr(text, ':');
    *field = (struct bit_field){-1, 0};
    for (int i = 0; p && i < 3; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0 && text + strlen(words[i]) == p)
            field->word = i;
    while (field->word >= 0) {
        uint64_t first, last;
        p++;
        if (!isdigit((unsigned char)*p) || !str_take_number(&p, &first))
            return false;
        last = first;
        if (*p == '-' && (!isdigit((unsigned char)*++p) || !str_take_number(&p, &last)))
            return false;
        if (last < first || last > 63)
            return false;
        for (uint64_t bit = first; bit <= last; bit++)
            field->mask |= UINT64_C(1) << bit;
        if (*p != ',')
            return *p == '\0' || *p == '\n';
    }
    return false;
}

struct encoding {
    const char *pmu;
    const char *asked; /* the user's own terms */
    uint64_t words[3];
};

/* 1 after setting the PMU's field, 0 if it has no such field, -1 with a message. */
static int set_field(struct encoding *e, const char *name, const char *value, struct err *err)
{
    char text[TEXT_SIZE];
    struct bit_field field = {-1, UINT64_MAX};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, words[i]) == 0)
            field.word = i;
    if (field.word < 0) {
        if (!pmu_read(e->pmu, "format/", name, text, sizeof(text)))
            return 0;
        if (!parse_format(text, &field))
            return err_set(err, "cannot use term '%s': PMU '%s' describes it as '%.60s'", name,
                           e->pmu, text);
    }
    uint64_t number = 1, bits = 0;
    const char *end = value;
    if (value && (!str_take_number(&end, &number) || *end))
        return err_set(err, "bad value '%s' of term '%s': expected a number such as 7 or 0x1f",
                       value, name);
    for (uint64_t left = field.mask; left; left &= left - 1, number >>= 1)
        if (number & 1)
            bits |= left & -left;
    e->words[field.word] = (e->words[field.word] & ~field.mask) | bits;
    if (number)
        return err_set(err, "value '%s' of term '%s' is too large: PMU '%s' has %d bits for it",
                       value ? value : "1", name, e->pmu, __builtin_popcountll(field.mask));
    return 1;
}

/* Sets the terms `name`, `name=value` between commas: the user's own, or those of an event. */
static int set_terms(struct encoding *e, const char *terms, bool own, struct err *err);

/* "core=?" of an event: the user's terms have to give the value. */
static int need_term(const struct encoding *e, const char *name, struct err *err)
{
    size_t length = strlen(name);
    for (const char *p = e->asked; p; p = strchr(p, ',')) {
        p += *p == ',';
        if (strncmp(p, name, length) == 0 && p[length] == '=')
            return 0;
    }
    return err_set(err, "an event of PMU '%s' needs the term '%s=NUMBER'", e->pmu, name);
}

static int set_term(struct encoding *e, const char *name, const char *value, bool own,
                    struct err *err)
{
    char text[TEXT_SIZE];
    uint64_t code;
    if (!own && value && strcmp(value, "?") == 0)
        return need_term(e, name, err);
    if (own && !*name)
        return err_set(err, "empty term of PMU '%s': expected term=value or an event's name",
                       e->pmu);
    if (own && !value && pmu_event_terms(e->pmu, name, text, sizeof(text)))
        return set_terms(e, text, false, err);
    int found = set_field(e, name, value, err);
    if (found != 0)
        return found < 0 ? -1 : 0;
    if (!own) {
        err_set(err, "cannot use an event of PMU '%s': its term '%s' is not in %s/%s/format",
                e->pmu, name, folder, e->pmu);
        errno = ENOTSUP;
        return -1;
    }
    /* cpu/r1a2/ is config in hexadecimal, like r1a2. */
    if (!value && name[0] == 'r' && pmu_raw_code(name + 1, &code)) {
        e->words[0] = code;
        return 0;
    }
    AUTO_NAMES struct names names = {0};
    pmu_names(e->pmu, "events", &names);
    pmu_names(e->pmu, "format", &names);
    for (size_t i = 0; i < event_table()->events.count; i++)
        if (event_table_find(e->pmu, event_table()->events.items[i].name))
            names_add(&names, event_table()->events.items[i].name);
    err_set(err, "unknown term '%s' of PMU '%s': expected names from %s/%s/events or format", name,
            e->pmu, folder, e->pmu);
    err_add_nearest(err, names_nearest(&names, name));
    errno = value ? EINVAL : ENOENT;
    return -1;
}

static int set_terms(struct encoding *e, const char *terms, bool own, struct err *err)
{
    if (strlen(terms) >= TEXT_SIZE)
        return err_set(err, "the terms of PMU '%s' are too long", e->pmu);
    AUTO_FREE char *copy = mem_strndup(terms, strcspn(terms, "\n"));
    char *rest = copy, *term;
    while ((term = strsep(&rest, ","))) {
        char *value = strchr(term, '=');
        if (value)
            *value++ = '\0';
        if (set_term(e, term, value, own, err) != 0)
            return -1;
    }
    return 0;
}

int pmu_encode(const char *pmu, const char *terms, struct perf_event_attr *attr, struct err *err)
{
    uint32_t type;
    errno = EINVAL;
    if (!pmu_type(pmu, &type))
        return err_set(err, "unknown PMU '%s': %s has none of that name", pmu, folder);
    struct encoding e = {.pmu = pmu, .asked = terms};
    if (set_terms(&e, terms, true, err) != 0)
        return -1;
    attr->type = type;
    attr->config = e.words[0];
    attr->config1 = e.words[1];
    attr->config2 = e.words[2];
    return 0;
}

void pmu_measure(const char *pmu, const char *terms, char **unit, double *scale)
{
    char text[64];
    double number;
    AUTO_FREE char *copy = mem_strdup(terms);
    char *rest = copy, *name;
    *unit = NULL;
    *scale = 1;
    while ((name = strsep(&rest, ","))) {
        if (!pmu_has_event(pmu, name))
            continue;
        AUTO_FREE char *of_unit = mem_printf("%s.unit", name);
        AUTO_FREE char *of_scale = mem_printf("%s.scale", name);
        const struct table_event *event =
            pmu_read(pmu, "events/", name, text, sizeof(text)) ? NULL : event_table_find(pmu, name);
        if (!*unit && event)
            *unit = mem_strdup(event->unit);
        else if (!*unit && pmu_read(pmu, "events/", of_unit, text, sizeof(text)))
            *unit = mem_strdup(text);
        if (event)
            *scale = event->scale;
        else if (pmu_read(pmu, "events/", of_scale, text, sizeof(text)) &&
                 str_to_double(text, &number) && number > 0)
            *scale = number;
    }
    if (!*unit)
        *unit = mem_strdup("");
}

bool pmu_cpus(const char *pmu, const char *file, struct cpulist *cpus)
{
    char text[TEXT_SIZE];
    *cpus = (struct cpulist){0};
    return pmu_read(pmu, "", file, text, sizeof(text)) && cpulist_parse(cpus, text, NULL) == 0;
}

void pmu_list(struct names *names)
{
    *names = (struct names){0};
    names_add_folder(names, folder);
    names_sort(names);
}

void pmu_core_types(struct names *names)
{
    char first[256];
    AUTO_NAMES struct names all = {0};
    *names = (struct names){0};
    if (!topology_core_pmu(first, sizeof(first)))
        return;
    pmu_list(&all);
    names_add(names, first);
    for (size_t i = 0; i < all.count; i++) {
        AUTO_CPUS struct cpulist cpus = {0};
        pmu_cpus(all.items[i], "cpus", &cpus);
        if (cpus.count > 0 && !str_equal(all.items[i], first) && topology_is_core_pmu(all.items[i]))
            names_add(names, all.items[i]);
    }
    if (names->count == 1)
        names_release(names);
}

/* As perf's util/pmu.c, perf_pmu__match(), and parse-events.y, event_pmu. */
void pmu_instances(const char *name, struct names *names)
{
    static const char uncore[] = "uncore_";
    AUTO_NAMES struct names all = {0};
    size_t length = strlen(name);
    *names = (struct names){0};
    pmu_list(&all);
    for (size_t i = 0; i < all.count && length > 0; i++) {
        const char *pmu = all.items[i];
        if (str_starts(pmu, uncore) && !str_starts(name, uncore))
            pmu += strlen(uncore);
        if (strncmp(pmu, name, length) != 0)
            continue;
        const char *number = pmu + length + (pmu[length] == '_');
        if (!pmu[length] ||
            (*number && number > pmu + length && number[strspn(number, "0123456789")] == '\0'))
            names_add(names, all.items[i]);
    }
}
