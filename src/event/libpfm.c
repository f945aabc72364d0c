#include "event/query.h"

#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>

/* The functions of libpfm4, which is loaded when an event is first looked for in it: its tables
 * have 41,000 addresses, whose relocation would take 2 ms of each start. */
static struct {
    __typeof__(pfm_initialize) *initialize;
    __typeof__(pfm_get_pmu_info) *get_pmu_info;
    __typeof__(pfm_find_event) *find_event;
    __typeof__(pfm_get_event_info) *get_event_info;
    __typeof__(pfm_get_event_attr_info) *get_event_attr_info;
    __typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
    __typeof__(pfm_get_event_next) *get_event_next;
    __typeof__(pfm_strerror) *strerror;
    __typeof__(pfm_get_version) *get_version;
} pfm;

static void load_libpfm(void)
{
    static const char *const names[] = {"pfm_initialize",          "pfm_get_pmu_info",
                                        "pfm_find_event",          "pfm_get_event_info",
                                        "pfm_get_event_attr_info", "pfm_get_os_event_encoding",
                                        "pfm_get_event_next",      "pfm_strerror",
                                        "pfm_get_version"};
    enum { COUNT = sizeof(names) / sizeof(*names) };
    void *library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL), *functions[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        if (!library || !(functions[i] = dlsym(library, names[i])))
            return;
    memcpy(&pfm, functions, sizeof(pfm));
    /* If it fails, every later call returns PFM_ERR_NOINIT, and no event is found. */
    pfm.initialize();
}

static bool has_libpfm(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_libpfm);
    return pfm.initialize != NULL;
}

/* False: libpfm4 has none of that number. */
static bool get_table(int pmu, pfm_pmu_info_t *info)
{
    *info = (pfm_pmu_info_t){.size = sizeof(*info)};
    return has_libpfm() && pfm.get_pmu_info((pfm_pmu_t)pmu, info) == PFM_SUCCESS;
}

/* libpfm4 allows ':' and '.' before an attribute. */
size_t libpfm_event_length(const char *text)
{
    const char *pmu = strstr(text, "::");
    const char *event = pmu ? pmu + 2 : text;
    return (size_t)(event - text) + strcspn(event, ":.");
}

/* libpfm4's number of the event that text begins with; < 0: no such event. */
static int find_event(const char *text)
{
    AUTO_FREE char *event = mem_strndup(text, libpfm_event_length(text));
    return has_libpfm() ? pfm.find_event(event) : -1;
}

void libpfm_attributes(const char *text, struct names *masks, struct names *modifiers)
{
    int index = find_event(text);
    pfm_event_info_t event = {.size = sizeof(event)};
    if (index < 0 || pfm.get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS)
        return;
    for (int i = 0; i < event.nattrs; i++) {
        pfm_event_attr_info_t attr = {.size = sizeof(attr)};
        if (pfm.get_event_attr_info(index, i, PFM_OS_NONE, &attr) != PFM_SUCCESS)
            continue;
        AUTO_FREE char *modifier = mem_printf("%s (%s)", attr.name, attr.desc ? attr.desc : "");
        if (attr.type == PFM_ATTR_UMASK)
            names_add(masks, attr.name);
        else if (modifiers)
            names_add(modifiers, modifier);
    }
}

/* The event exists, but not with these attributes. */
static enum answer bad_attributes(struct query *q, int error)
{
    AUTO_NAMES struct names masks = {0};
    AUTO_STR struct str list = str_new();
    if (q->foreign)
        return query_not_here(
            q, "libpfm4 has the event for this machine, but not the attributes after its name");
    libpfm_attributes(q->base, &masks, NULL);
    for (size_t i = 0; i < masks.count && list.length < 300; i++)
        str_printf(&list, "%s%s", i ? ", " : "; its unit masks: ", masks.items[i]);
    return query_fail(q, "bad event '%s': %s (libpfm4)%s", q->text, pfm.strerror(error), list.text);
}

/* skx::EVENT of a processor that is not this machine's. */
static enum answer ask_other_processors(struct query *q)
{
    const char *end = strstr(q->base, "::");
    AUTO_FREE char *table = mem_strndup(q->base, end ? (size_t)(end - q->base) : 0);
    pfm_pmu_info_t info;
    for (int pmu = PFM_PMU_NONE; end && pmu < PFM_PMU_MAX; pmu++)
        if (get_table(pmu, &info) && !info.is_present && strcasecmp(info.name, table) == 0)
            return query_not_here(q, "it is an event of %s, which this machine is not", info.desc);
    return ANSWER_NO;
}

enum answer libpfm_ask(struct query *q)
{
    struct perf_event_attr found = {.size = sizeof(found)};
    pfm_perf_encode_arg_t encoding = {.attr = &found, .size = sizeof(encoding), .fstr = &q->full};
    AUTO_NAMES struct names masks = {0};
    if (!has_libpfm())
        return ANSWER_NO;
    if (*q->modifiers)
        libpfm_attributes(q->text, &masks, NULL);
    for (size_t i = 0; i < masks.count; i++)
        if (strcasecmp(masks.items[i], q->modifiers) == 0) { /* the letters are a unit mask */
            q->modifiers = "";
            free(q->base);
            q->base = mem_strdup(q->text);
        }
    int error = pfm.get_os_event_encoding(q->base, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
                                          PFM_OS_PERF_EVENT_EXT, &encoding);
    switch (error) {
    case PFM_SUCCESS:
        break;
    case PFM_ERR_UMASK:
    case PFM_ERR_FEATCOMB:
    case PFM_ERR_ATTR:
    case PFM_ERR_ATTR_VAL:
    case PFM_ERR_ATTR_SET:
    case PFM_ERR_TOOMANY:
        return bad_attributes(q, error);
    case PFM_ERR_NOTSUPP:
        /* libpfm4 searches for the kernel's PMU by a list of names. Version 4.13 in Debian 13 does
         * not try "armv8_pmuv3" for a Cortex-A57, its name in a virtual machine. */
        if (find_event(q->base) >= 0)
            return query_not_here(q,
                                  "libpfm4 does not know this machine's PMU by its name: use the "
                                  "PMU's own name of the event (--list-events), or a raw code");
        return ask_other_processors(q);
    default:
        return ask_other_processors(q);
    }
    struct perf_event_attr *attr = &q->event.attr;
    attr->type = found.type;
    attr->config = found.config;
    attr->config1 = found.config1;
    attr->config2 = found.config2;
    attr->precise_ip = found.precise_ip;
    attr->pinned = found.pinned;
    attr->exclusive = found.exclusive;
    /* libpfm4's own u and k may be among the attributes. It sets exclude_hv also on processors
     * without that mode. */
    q->has_mode = found.exclude_user || found.exclude_kernel;
    if (q->has_mode) {
        attr->exclude_user = found.exclude_user;
        attr->exclude_kernel = found.exclude_kernel;
        attr->exclude_hv = found.exclude_hv;
    }
    /* libpfm4 excludes guests by default (mg and mh change that). perf's names do not, and PMUs
     * outside the cores refuse it. */
    if (found.exclude_host || !found.exclude_guest)
        attr->exclude_host = found.exclude_host;
    return ANSWER_YES;
}

/* Passes an event with unit masks once for each, and alone only if it has a default mask. */
static void take_masks(const pfm_event_info_t *event, struct libpfm_entry entry,
                       void (*take)(void *ctx, const struct libpfm_entry *entry), void *ctx)
{
    AUTO_FREE pfm_event_attr_info_t *masks = mem_array((size_t)event->nattrs, sizeof(*masks));
    size_t count = 0;
    bool has_default = false;
    for (int i = 0; i < event->nattrs; i++) {
        pfm_event_attr_info_t *mask = &masks[count];
        mask->size = sizeof(*mask);
        if (pfm.get_event_attr_info(event->idx, i, PFM_OS_NONE, mask) != PFM_SUCCESS ||
            mask->type != PFM_ATTR_UMASK)
            continue;
        has_default |= mask->is_dfl;
        count++;
    }
    if (count == 0 || has_default)
        take(ctx, &entry);
    for (size_t i = 0; i < count; i++) {
        entry.mask = masks[i].name;
        entry.mask_text = masks[i].desc;
        take(ctx, &entry);
    }
}

void libpfm_each(bool masks, void (*take)(void *ctx, const struct libpfm_entry *entry), void *ctx)
{
    pfm_pmu_info_t info;
    for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        /* The generic events are listed under perf's own names. */
        if (pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW || !get_table(pmu, &info) ||
            !info.is_present)
            continue;
        for (int i = info.first_event; i != -1; i = pfm.get_event_next(i)) {
            pfm_event_info_t event = {.size = sizeof(event)};
            if (pfm.get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
                continue;
            struct libpfm_entry entry = {info.name, info.desc, event.name, event.desc, NULL, NULL};
            if (masks)
                take_masks(&event, entry, take, ctx);
            else
                take(ctx, &entry);
        }
    }
}

void libpfm_version(char *buffer, size_t size)
{
    int version = has_libpfm() ? pfm.get_version() : 0;
    snprintf(buffer, size, "%d.%d", PFM_MAJ_VERSION(version), PFM_MIN_VERSION(version));
}

void libpfm_tables(struct names *names)
{
    pfm_pmu_info_t info;
    for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++)
        if (get_table(pmu, &info) && info.is_present)
            names_add(names, info.name);
}
