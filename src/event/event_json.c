#include "event/event_table.h"
#include "event/pmu.h"
#include "system/topology.h"

#include <jansson.h>
#include <regex.h>

/* Event files in perf's JSON (tools/perf/pmu-events/README of the kernel's
 * sources, and jevents.py there): a list of entries with EventName and EventCode, or with
 * MetricName and MetricExpr; Intel's perfmon has that list as the member "Events" of an object.
 * Arm's own forms are read, too, as lists of "events" and "metrics". */

/* ---- members of an entry ---- */

/* The text of a member; NULL: it has none, for which some files write "na" or "null". */
static const char *member_text(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text && *text && strcasecmp(text, "na") && strcasecmp(text, "null") ? text : NULL;
}

/* The number of a member, written as a number or as text, of which the first in a list counts:
 * "0x1A6, 0x1A7". 0 if there is none. -1 with a message. */
static int member_number(const json_t *entry, const char *key, uint64_t *number, struct err *err)
{
    const json_t *member = json_object_get(entry, key);
    const char *text = member_text(entry, key), *end = text;
    *number = 0;
    if (json_is_integer(member) && json_integer_value(member) >= 0)
        *number = (uint64_t)json_integer_value(member);
    else if (text && (!str_take_number(&end, number) || (*end && *end != ',')))
        return err_set(err, "%s is '%.40s': expected a number such as 7 or 0x1f", key, text);
    else if (member && !text && !json_is_string(member) && !json_is_null(member))
        return err_set(err, "%s is no text and no number from 0 on", key);
    return 0;
}

/* One line that a terminal can show. */
static char *member_line(const json_t *entry, const char *key)
{
    struct str line = str_new();
    const char *text = member_text(entry, key);
    AUTO_FREE char *copy = mem_strdup(text ? text : "");
    for (char *p = copy; (p = strpbrk(p, "\n\r\t"));)
        *p = ' ';
    str_add_visible(&line, copy + strspn(copy, " "));
    while (line.length && line.text[line.length - 1] == ' ')
        line.text[--line.length] = '\0';
    return str_detach(&line);
}

/* 0 also where it is none. */
static uint64_t number_or_0(const json_t *entry, const char *key)
{
    uint64_t number;
    return member_number(entry, key, &number, NULL) == 0 ? number : 0;
}

/* ---- from members to a PMU's terms ---- */

/* Numbers of an entry, and the terms that they are written as, in this order; NULL: in another one.
 * 0 is the same as no member. */
enum { EXT, WIDE, UMASK, PORTS = 4, FC_MASK = 7 };
static const struct {
    const char *key, *term;
} fields[] = {
    {"ExtSel", NULL},
    {"UMaskExt", NULL},
    {"UMask", "umask"},
    {"AnyThread", "any"},
    {"PortMask", "ch_mask"},
    {"CounterMask", "cmask"},
    {"EdgeDetect", "edge"},
    {"FCMask", "fc_mask"},
    {"Invert", "inv"},
    {"NodeType", "type"},
    {"RdWrMask", "rdwrmask"},
    {"EnAllCores", "enallcores"},
    {"SliceId", "sliceid"},
    {"EnAllSlices", "enallslices"},
    {"ThreadMask", "threadmask"},
};
enum { FIELDS = sizeof(fields) / sizeof(*fields) };

/* Intel's fixed counters, which the kernel chooses by the general events (jevents.py,
 * real_event()). */
static const struct {
    const char *name, *terms;
} fixed[] = {
    {"inst_retired.any", "event=0xc0"},
    {"inst_retired.any_p", "event=0xc0"},
    {"cpu_clk_unhalted.ref", "event=0x0,umask=0x3"},
    {"cpu_clk_unhalted.thread", "event=0x3c"},
    {"cpu_clk_unhalted.core", "event=0x3c"},
    {"cpu_clk_unhalted.thread_any", "event=0x3c,any=1"},
};

/* The value of a register that the event needs, as the term that the kernel has for it. */
static int add_msr(struct str *terms, const json_t *entry, struct err *err)
{
    static const struct {
        unsigned index;
        const char *term;
    } registers[] = {
        {0x3f6, "ldlat"}, {0x1a6, "offcore_rsp"}, {0x1a7, "offcore_rsp"}, {0x3f7, "frontend"}};
    uint64_t index, value;
    if (member_number(entry, "MSRIndex", &index, err) < 0 ||
        member_number(entry, "MSRValue", &value, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
        if (registers[i].index == index) {
            str_printf(terms, ",%s=0x%" PRIx64, registers[i].term, value);
            return 0;
        }
    return index == 0
               ? 0
               : err_set(err, "MSRIndex is 0x%" PRIx64 ": expected 0x1a6, 0x1a7, 0x3f6 or 0x3f7",
                         index);
}

/* Appends the event's terms. -1 with a message. */
static int add_terms(struct str *terms, const json_t *entry, const char *name, struct err *err)
{
    uint64_t code, number[FIELDS];
    const char *unit = member_text(entry, "Unit");
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
        if (strcasecmp(name, fixed[i].name) == 0 && (!unit || str_starts(unit, "cpu_"))) {
            str_add(terms, fixed[i].terms);
            return 0;
        }
    const char *key = member_text(entry, "ConfigCode")    ? "ConfigCode"
                      : member_text(entry, "EventidCode") ? "EventidCode"
                      : json_object_get(entry, "code")    ? "code"
                                                          : "EventCode";
    const char *term = *key == 'C' ? "config" : str_equal(key, "EventidCode") ? "eventid" : "event";
    if (member_number(entry, key, &code, err) < 0)
        return -1;
    for (size_t i = 0; i < FIELDS; i++)
        if (member_number(entry, fields[i].key, &number[i], err) < 0)
            return -1;
    str_printf(terms, "%s=0x%" PRIx64, term, code | number[EXT] << 8);
    /* perfmon has the upper bits of some masks beside them, except where other members have what
     * they are for (its scripts/create_perf_json.py). */
    if (!number[PORTS] && !number[FC_MASK])
        number[UMASK] |= number[WIDE] << 8;
    for (size_t i = 0; i < FIELDS; i++)
        if (fields[i].term && number[i])
            str_printf(terms, ",%s=0x%" PRIx64, fields[i].term, number[i]);
    const char *filter = member_text(entry, "Filter");
    if (filter && strchr(filter, '='))
        str_printf(terms, ",%s", filter);
    return add_msr(terms, entry, err);
}

/* Makes a text lower-case, and returns it. */
static char *lower(char *text)
{
    for (char *p = text; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return text;
}

/* ---- PMUs ---- */

/* The kernel's name for the PMUs that a file calls Unit (jevents.py, unit_to_pmu()). */
static char *unit_family(const char *unit)
{
    static const struct unit_family {
        const char *unit, *family;
    } families[] = {
        {"CBO", "uncore_cbox"},   {"QPI LL", "uncore_qpi"},     {"SBO", "uncore_sbox"},
        {"iMPH-U", "uncore_arb"}, {"UPI LL", "uncore_upi"},     {"CPU-M-CF", "cpum_cf"},
        {"CPU-M-SF", "cpum_sf"},  {"PAI-CRYPTO", "pai_crypto"}, {"PAI-EXT", "pai_ext"},
        {"L3PMC", "amd_l3"},      {"DFPMC", "amd_df"},          {"UMCPMC", "amd_umc"},
        {"cpu_core", "cpu_core"}, {"cpu_atom", "cpu_atom"},     {"imx8_ddr", "imx8_ddr"},
        {"imx9_ddr", "imx9_ddr"}, {"ali_drw", "ali_drw"},       {"arm_cmn", "arm_cmn"},
    };
    const struct unit_family *known = STR_FIND_IN(families, unit, unit);
    if (known)
        return mem_strdup(known->family);
    if (str_starts(unit, "hisi_"))
        return mem_strdup(unit);
    return lower(mem_printf("uncore_%s", unit));
}

/* The table's index of the PMUs that files call Unit: "CHA", "cpu_atom". */
static size_t event_json_unit(struct event_table *table, const char *unit)
{
    AUTO_NAMES struct names here = {0};
    AUTO_FREE char *family = unit_family(unit);
    pmu_instances(family, &here);
    return event_table_pmus(table, family, str_starts(family, "cpu_"), &here);
}

/* ---- entries ---- */

struct json_reading {
    struct event_table *table;
    const json_t *std;
    size_t pmus;
};

/* A member ScaleUnit: "64Bytes" is 64 and "Bytes". Without it, or with a number that is not above
 * 0, it is 1 and "". The caller frees the unit. */
static double member_scale(const json_t *entry, char **unit)
{
    AUTO_FREE char *text = member_line(entry, "ScaleUnit");
    double scale;
    size_t length = strspn(text, "0123456789.");
    if (length && (text[length] == 'e' || text[length] == 'E') && text[length + 1] &&
        strchr("+-0123456789", text[length + 1]))
        length += 2 + strspn(text + length + 2, "0123456789");
    AUTO_FREE char *number = mem_strndup(text, length);
    bool scaled = str_to_double(number, &scale) && scale > 0;
    *unit = mem_strdup(scaled ? text + length : "");
    return scaled ? scale : 1;
}

static bool is_event_name(const char *name)
{
    for (const char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("_.-:", *p))
            return false;
    return isalpha((unsigned char)*name) && strlen(name) <= 128;
}

static size_t entry_pmus(struct json_reading *reading, const json_t *entry)
{
    const char *unit = member_text(entry, "Unit");
    return unit && strcasecmp(unit, "core") != 0 ? event_json_unit(reading->table, unit)
                                                 : reading->pmus;
}

/* Adds an event, or a metric. */
static int take_named(struct json_reading *reading, const json_t *entry, const char *name,
                      bool metric, struct err *err)
{
    struct event_table *table = reading->table;
    struct table_entries *entries = metric ? &table->metrics : &table->events;
    AUTO_STR struct str terms = str_new();
    if (metric && !member_text(entry, "MetricExpr"))
        return err_set(err, "it has no formula");
    if (!metric && !is_event_name(name))
        return err_set(err, "its name: expected letters, digits, '_', '.' and '-'");
    if (!metric && add_terms(&terms, entry, name, err) < 0)
        return -1;
    struct table_event *event = MEM_ADD(entries->items, entries->count, entries->room);
    AUTO_FREE char *text = member_line(entry, "BriefDescription");
    AUTO_FREE char *groups = member_line(entry, "MetricGroup");
    *event = (struct table_event){
        .name = mem_strdup(name),
        .terms = metric ? member_line(entry, "MetricExpr") : str_detach(&terms),
        .detail = member_line(entry, "PublicDescription"),
        .source = table->sources.count - 1,
        .pmus = entry_pmus(reading, entry),
    };
    event->scale = member_scale(entry, &event->unit);
    if (metric)
        event->text =
            *groups ? mem_printf("%s%s[%s]", text, *text ? " " : "", groups) : mem_strdup(text);
    else
        event->text = mem_printf("%s%s",
                                 *text            ? text
                                 : *event->detail ? event->detail
                                                  : event->terms,
                                 number_or_0(entry, "Deprecated") ? " (deprecated)" : "");
    return 0;
}

/* ---- standard events ---- */

/* The list of entries; NULL if there is none. */
static json_t *entries_of(json_t *root)
{
    json_t *events = json_object_get(root, "Events"), *metrics = json_object_get(root, "Metrics");
    return json_is_array(root) ? root : events ? events : metrics;
}

/* Adds the entries of a text, to which other entries refer by ArchStdEvent, to *std by their names;
 * that is NULL at first. A text that is no JSON has none. */
static void event_json_add_std(json_t **std, const char *text)
{
    static const char *const keys[] = {"EventName", "MetricName"};
    json_t *root = json_loads(text, 0, NULL), *entry;
    size_t i;
    *std = *std ? *std : json_object();
    json_array_foreach(entries_of(root), i, entry)
    {
        for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
            const char *name = member_text(entry, keys[k]);
            AUTO_FREE char *key = name ? lower(mem_strdup(name)) : NULL;
            if (key && !json_object_get(*std, key))
                json_object_set(*std, key, entry);
        }
    }
    json_decref(root);
}

/* What the entry says of the standard event, or metric, and what that says else: a new reference.
 * NULL with a message. */
static json_t *with_std(const struct json_reading *reading, json_t *entry, struct err *err)
{
    if (!json_is_object(entry))
        return err_null(err, "expected an object");
    const char *name = member_text(entry, "ArchStdEvent");
    AUTO_FREE char *key = name ? lower(mem_strdup(name)) : NULL;
    json_t *known = key ? json_object_get(reading->std, key) : NULL;
    if (name && !known)
        return err_null(err, "no file beside mapfile.csv has the ArchStdEvent '%.60s'", name);
    json_t *merged = json_copy(entry);
    json_object_update_missing(merged, known);
    return merged;
}

static int take_json_entry(struct json_reading *reading, json_t *given, struct err *err)
{
    json_t *entry = with_std(reading, given, err);
    if (!entry)
        return -1;
    const char *name = member_text(entry, "EventName"), *metric = member_text(entry, "MetricName");
    int result = name || metric ? 0 : err_set(err, "it has no EventName and no MetricName");
    if (member_text(entry, "Compat"))
        result =
            err_set(err, "it is for a PMU with an identifier (Compat), which is not supported");
    if (name && result == 0)
        result = take_named(reading, entry, name, false, err);
    if (metric && result == 0)
        result = take_named(reading, entry, metric, true, err);
    json_decref(entry);
    return result;
}

/* ---- Arm's own form ---- */

/* Arm's lists of events (github.com/ARM-software/data, schemas/pmu-schema.json), and its telemetry
 * specifications (gitlab.arm.com/telemetry-solution/telemetry-solution, data/schema/cpu), which
 * have metrics, too. */
static bool is_arm_form(const json_t *root)
{
    return json_is_object(json_object_get(root, "product_configuration")) ||
           str_equal(member_text(root, "_type"), "Events");
}

/* The processor that a file in Arm's own form says that it is for. */
struct json_product {
    uint64_t midr;  /* implementer, part, variant and revision as MIDR_EL1 has them; 0: not given */
    bool versioned; /* variant and revision are given */
    char name[64];  /* "Neoverse N1"; "": not given */
};

/* Whether a text is in Arm's own form; else the product is empty. */
static bool event_json_product(const char *text, struct json_product *product)
{
    json_t *root = json_loads(text, 0, NULL), *own = json_object_get(root, "product_configuration");
    bool arm = is_arm_form(root);
    const char *name = own ? member_text(own, "product_name") : member_text(root, "cpu");
    uint64_t cpuid = number_or_0(root, "cpuid");
    uint64_t maker = own ? number_or_0(own, "implementer") : cpuid >> 12;
    uint64_t part = own ? number_or_0(own, "part_num") : cpuid & 0xfff;
    *product = (struct json_product){.versioned = json_object_get(own, "major_revision") != NULL};
    if (arm && maker && part)
        product->midr = (maker & 0xff) << 24 | (number_or_0(own, "major_revision") & 0xf) << 20 |
                        0xf0000 | (part & 0xfff) << 4 | (number_or_0(own, "minor_revision") & 0xf);
    if (arm && name)
        snprintf(product->name, sizeof(product->name), "%s", name);
    json_decref(root);
    return arm;
}

/* Whether a counter can count the event for users: it is not only for traces, or the driver. */
static bool is_for_counters(const json_t *event)
{
    const json_t *accesses = json_object_get(event, "accesses"), *access;
    bool counters = !accesses;
    size_t i;
    json_array_foreach(accesses, i, access) counters |= str_equal(json_string_value(access), "PMU");
    return counters && !json_is_true(json_object_get(event, "for_driver"));
}

/* Adds the event in perf's form. Those without a name have none to choose them by. */
static void add_arm_event(json_t *entries, const char *name, json_t *event)
{
    json_t *title = json_object_get(event, "title"), *text = json_object_get(event, "description");
    json_t *code = json_object_get(event, "code");
    if (!json_is_object(event))
        json_array_append(entries, event);
    else if (name && is_for_counters(event))
        json_array_append_new(entries, json_pack("{ss, so, sO?, sO?}", "EventName", name, "code",
                                                 code ? json_incref(code) : json_string("missing"),
                                                 "BriefDescription", title ? title : text,
                                                 "PublicDescription", title ? text : NULL));
}

static void add_arm_metric(json_t *entries, const char *name, json_t *metric)
{
    const char *units = member_text(metric, "units");
    bool none = !units || str_equal(units, "None") || !isalpha((unsigned char)*units);
    AUTO_FREE char *unit =
        none ? NULL : mem_printf("1%s", str_starts(units, "percent") ? "%" : units);
    json_t *text = json_object_get(metric, "description");
    json_array_append_new(
        entries, json_pack("{ss, sO?, sO?, ss?}", "MetricName", name, "MetricExpr",
                           json_object_get(metric, "formula"), "BriefDescription",
                           text ? text : json_object_get(metric, "title"), "ScaleUnit", unit));
}

/* Arm's events and metrics in perf's form, a new reference; NULL: it is no list in Arm's form. */
static json_t *arm_entries(json_t *root)
{
    json_t *events = json_object_get(root, "events"), *metrics = json_object_get(root, "metrics");
    json_t *entries, *item;
    const char *name;
    size_t i;
    if (!is_arm_form(root) || !(json_is_array(events) || json_is_object(events)))
        return NULL;
    entries = json_array();
    json_array_foreach(events, i, item) add_arm_event(entries, member_text(item, "name"), item);
    json_object_foreach(events, name, item) add_arm_event(entries, name, item);
    json_object_foreach(metrics, name, item) add_arm_metric(entries, name, item);
    return entries;
}

/* ---- files ---- */

/* Adds the events and metrics of a text to the table. `path` names the file: in the catalogue, and
 * in faults. Entries without a Unit are for `pmus`, an index into the table's. An entry with a
 * mistake is left out; the first one is noted as a fault of the file, with the number of others. */
static void event_json_read(struct event_table *table, const char *text, const char *path,
                            size_t pmus, const json_t *std)
{
    struct json_reading reading = {table, std, pmus};
    json_error_t mistake;
    struct err err, first;
    size_t wrong = 0, i;
    json_t *entry, *root = json_loads(text, 0, &mistake), *arm = arm_entries(root);
    json_t *list = arm ? arm : entries_of(root);
    char number[24] = "";
    names_add(&table->sources, path);
    json_array_foreach(list, i, entry)
    {
        const char *name = member_text(entry, "EventName");
        if (!name)
            name = member_text(entry, "MetricName");
        if (!name)
            name = member_text(entry, "ArchStdEvent");
        if (take_json_entry(&reading, entry, &err) == 0 || wrong++)
            continue;
        if (!arm) /* whose entries are not all in the list */
            snprintf(number, sizeof(number), "%zu ", i + 1);
        err_set(&first, "entry %s'%.60s': %.300s; left out", number, name ? name : "", err.text);
    }
    if (!root)
        event_table_fault(table, "%s:%d: no JSON: %s", path, mistake.line, mistake.text);
    else if (!json_is_array(list))
        event_table_fault(table, "%s: no event file: expected a list of events", path);
    else if (wrong > 1)
        event_table_fault(table, "%s: %s, and %zu more entries", path, first.text, wrong - 1);
    else if (wrong)
        event_table_fault(table, "%s: %s", path, first.text);
    json_decref(arm);
    json_decref(root);
}

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
                      err_reason(errno));
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

static void add_file(struct event_table *table, const char *path, size_t pmus, const json_t *std)
{
    AUTO_FREE char *text = load_file(table, path);
    if (text)
        event_json_read(table, text, path, pmus, std);
}

/* Adds the files of a directory. */
static void add_folder(struct event_table *table, const char *path, size_t pmus, const json_t *std)
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
    char *path, *text; /* of mapfile.csv in it */
    json_t *std;       /* standard events by name; NULL: not read yet */
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
    json_decref(map->std);
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
