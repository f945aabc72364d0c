#include "event/event_table.h"
#include "base/str.h"
#include "event/pmu.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>

/* ---- members of an entry ---- */

/* Some files write these for a member without a value. */
static bool is_nothing(const char *text)
{
    return !*text || strcasecmp(text, "na") == 0 || strcasecmp(text, "null") == 0;
}

/* The text of a member; NULL: it has none. */
static const char *member_text(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text && !is_nothing(text) ? text : NULL;
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
    static const struct {
        const char *unit, *family;
    } families[] = {
        {"CBO", "uncore_cbox"},   {"QPI LL", "uncore_qpi"},     {"SBO", "uncore_sbox"},
        {"iMPH-U", "uncore_arb"}, {"UPI LL", "uncore_upi"},     {"CPU-M-CF", "cpum_cf"},
        {"CPU-M-SF", "cpum_sf"},  {"PAI-CRYPTO", "pai_crypto"}, {"PAI-EXT", "pai_ext"},
        {"L3PMC", "amd_l3"},      {"DFPMC", "amd_df"},          {"UMCPMC", "amd_umc"},
        {"cpu_core", "cpu_core"}, {"cpu_atom", "cpu_atom"},     {"imx8_ddr", "imx8_ddr"},
        {"imx9_ddr", "imx9_ddr"}, {"ali_drw", "ali_drw"},       {"arm_cmn", "arm_cmn"},
    };
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        if (strcmp(unit, families[i].unit) == 0)
            return mem_strdup(families[i].family);
    if (str_starts(unit, "hisi_"))
        return mem_strdup(unit);
    return lower(mem_printf("uncore_%s", unit));
}

size_t event_json_unit(struct event_table *table, const char *unit)
{
    AUTO_NAMES struct names here = {0};
    AUTO_FREE char *family = unit_family(unit);
    pmu_instances(family, &here);
    return event_table_pmus(table, family, str_starts(family, "cpu_"), &here);
}

/* ---- entries ---- */

struct json_reading {
    struct event_table *table;
    const struct json_t *std;
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

void event_json_add_std(struct json_t **std, const char *text)
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

void event_json_drop_std(struct json_t *std)
{
    json_decref(std);
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

bool event_json_product(const char *text, struct json_product *product)
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

void event_json_read(struct event_table *table, const char *text, const char *path, size_t pmus,
                     const struct json_t *std)
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
