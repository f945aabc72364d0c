#include "event/name.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/generic.h"
#include "event/modifier.h"
#include "event/names.h"
#include "event/pmu.h"
#include "event/tracepoint.h"

#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 255 };

/* What a text turned out to be. */
enum answer {
    ANSWER_ERROR = -1, /* wrong usage: err is set */
    ANSWER_NO,         /* not known to the one who was asked: ask the next */
    ANSWER_YES,        /* the event's attr is set */
    ANSWER_NOT_HERE,   /* known, but not on this machine: the event's state and reason are set */
};

/* One event's text on its way to an answer. */
struct query {
    const char *text;      /* as written */
    char *base;            /* without its modifiers */
    const char *modifiers; /* the end of text, or "" */
    struct event event;    /* attr, pmu, state and reason */
    bool has_mode;         /* text itself says which modes to count */
    struct err err;
};

static enum answer not_here(struct query *q, enum event_state state, const char *reason)
{
    q->event.state = state;
    q->event.reason = mem_strdup(reason);
    return ANSWER_NOT_HERE;
}

/* ---- perf's generic names and raw codes ---- */

/* rNNN: perf-list(1), "RAW HARDWARE EVENT DESCRIPTOR". */
static bool parse_raw(const char *text, uint64_t *config)
{
    if (*text++ != 'r')
        return false;
    if (str_starts(text, "0x"))
        text += 2;
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    if (digits == 0 || digits > 16 || text[digits])
        return false;
    *config = strtoull(text, NULL, 16);
    return true;
}

static bool encode_perf(const char *text, struct perf_event_attr *attr)
{
    uint64_t config;
    const struct generic_event *generic = generic_find(text);
    if (generic) {
        attr->type = generic->type;
        attr->config = generic->config;
    } else if (parse_raw(text, &config)) {
        attr->type = PERF_TYPE_RAW;
        attr->config = config;
    } else {
        return false;
    }
    return true;
}

static enum answer ask_perf(struct query *q)
{
    if (encode_perf(q->base, &q->event.attr))
        return ANSWER_YES;
    /* cycles:foo is cycles with bad modifiers, whatever libpfm4 might make of it. */
    size_t length = strcspn(q->base, ":");
    if (!q->base[length])
        return ANSWER_NO;
    char *name = mem_strndup(q->base, length);
    bool known = encode_perf(name, &q->event.attr);
    free(name);
    if (!known)
        return ANSWER_NO;
    const char *modifiers = q->text + length + 1;
    if (!*modifiers)
        err_set(&q->err, "bad event '%s': expected modifiers after ':'", q->text);
    else
        modifier_check(modifiers, q->text, &q->err);
    return ANSWER_ERROR;
}

/* ---- `pmu/terms/` ---- */

static enum answer ask_pmu(struct query *q)
{
    const char *slash = strchr(q->base, '/');
    if (!slash)
        return ANSWER_NO;
    char *pmu = mem_strndup(q->base, (size_t)(slash - q->base));
    char *terms = mem_strndup(slash + 1, strcspn(slash + 1, "/"));
    uint32_t type;
    enum answer answer = ANSWER_ERROR;
    if (!*pmu || !*terms || !str_equal(strchr(slash + 1, '/'), "/")) {
        err_set(&q->err, "bad event '%s': expected pmu/term=value,.../modifiers", q->text);
    } else if (!pmu_type(pmu, &type)) {
        err_set(&q->err, "this machine has no PMU '%s'", pmu);
        answer = not_here(q, EVENT_UNSUPPORTED, q->err.text);
    } else if (pmu_encode(pmu, terms, &q->event.attr, &q->err) == 0) {
        q->event.pmu = mem_strdup(pmu);
        answer = ANSWER_YES;
    }
    free(pmu);
    free(terms);
    return answer;
}

/* ---- `subsystem:event` ---- */

static enum answer ask_tracepoint(struct query *q)
{
    uint64_t id;
    if (!tracepoint_is_name(q->base) || tracepoint_find(q->base, &id, &q->err) != TRACEPOINT_FOUND)
        return ANSWER_NO;
    q->event.attr.type = PERF_TYPE_TRACEPOINT;
    q->event.attr.config = id;
    return ANSWER_YES;
}

/* What looks like a tracepoint and is nothing else. Kernels differ in their tracepoints, modules
 * bring theirs along: one that is not there is no wrong usage. */
static enum answer ask_missing_tracepoint(struct query *q)
{
    uint64_t id;
    if (!tracepoint_is_name(q->base))
        return ANSWER_NO;
    enum tracepoint found = tracepoint_find(q->base, &id, &q->err);
    q->event.pmu = mem_strdup("tracepoint");
    return not_here(q, found == TRACEPOINT_HIDDEN ? EVENT_DENIED : EVENT_UNSUPPORTED, q->err.text);
}

/* ---- libpfm4 ---- */

static void initialize_libpfm(void)
{
    /* When it fails, every later call says PFM_ERR_NOINIT: then it knows no event. */
    pfm_initialize();
}

static void need_libpfm(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize_libpfm);
}

/* Length of `pmu::EVENT` or `EVENT` at the start of text: libpfm4 allows ':' and '.' before an
 * attribute. */
static size_t event_length(const char *text)
{
    const char *pmu = strstr(text, "::");
    const char *event = pmu ? pmu + 2 : text;
    return (size_t)(event - text) + strcspn(event, ":.");
}

/* libpfm4's number of the event that text begins with, whatever follows; < 0: none. */
static int find_event(const char *text)
{
    char *event = mem_strndup(text, event_length(text));
    need_libpfm();
    int index = pfm_find_event(event);
    free(event);
    return index;
}

static void add_unit_masks(struct names *names, const char *text)
{
    int index = find_event(text);
    pfm_event_info_t event = {.size = sizeof(event)};
    if (index < 0 || pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS)
        return;
    for (int i = 0; i < event.nattrs; i++) {
        pfm_event_attr_info_t attr = {.size = sizeof(attr)};
        if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &attr) == PFM_SUCCESS &&
            attr.type == PFM_ATTR_UMASK)
            names_add(names, attr.name);
    }
}

/* Whether the letters behind the last ':' are a unit mask of the event, and so no modifiers. */
static bool ends_with_unit_mask(const char *text, const char *last)
{
    struct names masks;
    names_init(&masks);
    add_unit_masks(&masks, text);
    bool found = false;
    for (size_t i = 0; i < masks.count && !found; i++)
        found = strcasecmp(masks.items[i], last) == 0;
    names_release(&masks);
    return found;
}

/* The event is there, but not with what follows its name. */
static enum answer bad_attributes(struct query *q, int error)
{
    struct names masks;
    struct str list;
    names_init(&masks);
    str_init(&list);
    add_unit_masks(&masks, q->base);
    for (size_t i = 0; i < masks.count && list.length < 300; i++)
        str_printf(&list, "%s%s", i ? ", " : "; its unit masks: ", masks.items[i]);
    err_set(&q->err, "bad event '%s': %s (libpfm4)%s", q->text, pfm_strerror(error), list.text);
    str_release(&list);
    names_release(&masks);
    return ANSWER_ERROR;
}

/* skx::EVENT where libpfm4 knows the processor, but this machine has another one. */
static enum answer ask_other_processors(struct query *q)
{
    const char *end = strstr(q->base, "::");
    if (!end)
        return ANSWER_NO;
    size_t length = (size_t)(end - q->base);
    for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof(info)};
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS || info.is_present ||
            strlen(info.name) != length || strncasecmp(info.name, q->base, length) != 0)
            continue;
        err_set(&q->err, "it is an event of %s, which this machine is not", info.desc);
        return not_here(q, EVENT_UNSUPPORTED, q->err.text);
    }
    return ANSWER_NO;
}

static enum answer ask_libpfm(struct query *q)
{
    struct perf_event_attr found = {.size = sizeof(found)};
    pfm_perf_encode_arg_t encoding = {.attr = &found, .size = sizeof(encoding)};
    need_libpfm();
    if (*q->modifiers && ends_with_unit_mask(q->text, q->modifiers)) {
        q->modifiers = "";
        free(q->base);
        q->base = mem_strdup(q->text);
    }
    int error = pfm_get_os_event_encoding(q->base, PFM_PLM0 | PFM_PLM3 | PFM_PLMH,
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
    default:
        return ask_other_processors(q);
    }
    struct perf_event_attr *attr = &q->event.attr;
    attr->type = found.type;
    attr->config = found.config;
    attr->config1 = found.config1;
    attr->config2 = found.config2;
    attr->precise_ip = found.precise_ip;
    /* Its own u and k may stand among the attributes. Of h it says that it is excluded where the
     * processor has no such mode. */
    q->has_mode = found.exclude_user || found.exclude_kernel;
    if (q->has_mode) {
        attr->exclude_user = found.exclude_user;
        attr->exclude_kernel = found.exclude_kernel;
        attr->exclude_hv = found.exclude_hv;
    }
    /* It leaves guests out unless asked otherwise (mg, mh); perf's names here do not, and PMUs
     * outside the cores refuse it. */
    if (found.exclude_host || !found.exclude_guest)
        attr->exclude_host = found.exclude_host;
    return ANSWER_YES;
}

/* ---- nobody knows it ---- */

/* The events of this machine's PMUs as libpfm4 has them, named with their PMU if asked. */
static void add_libpfm_events(struct names *names, bool with_pmu)
{
    need_libpfm();
    for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof(info)};
        /* The generic events are offered under perf's own names. */
        if (pmu == PFM_PMU_PERF_EVENT || pmu == PFM_PMU_PERF_EVENT_RAW ||
            pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS || !info.is_present)
            continue;
        for (int i = info.first_event; i != -1; i = pfm_get_event_next(i)) {
            pfm_event_info_t event = {.size = sizeof(event)};
            if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
                continue;
            char *name = mem_printf("%s::%s", info.name, event.name);
            names_add(names, with_pmu ? name : event.name);
            free(name);
        }
    }
}

static enum answer nobody_knows(struct query *q)
{
    struct names names;
    names_init(&names);
    for (const struct generic_event *event = generic_events; event->name; event++)
        names_add(&names, event->name);
    add_libpfm_events(&names, strstr(q->base, "::") != NULL);
    char *asked = mem_strndup(q->base, event_length(q->base));
    const char *nearest = names_nearest(&names, asked);
    err_set(&q->err, "unknown event '%s': expected a perf or libpfm4 name%s%s%s", q->text,
            nearest ? "; nearest is '" : " (perf's are in 'perf list')", nearest ? nearest : "",
            nearest ? "'" : "");
    free(asked);
    names_release(&names);
    return ANSWER_ERROR;
}

/* The first that does not answer no, decides. */
static enum answer (*const answerers[])(struct query *) = {
    ask_perf, ask_pmu, ask_tracepoint, ask_libpfm, ask_missing_tracepoint, nobody_knows,
};

/* ---- one event of a list ---- */

struct parser {
    struct event_list *list;
    enum count_mode mode;
    int group;         /* of the braces around the event, or -1 */
    const char *outer; /* modifiers behind those braces, or "" */
    struct err *err;
};

/* Where the modifiers of text begin (its end when it has none); *length is that of what is before
 * them. */
static const char *find_modifiers(const char *text, size_t *length)
{
    const char *slash = strrchr(text, '/'), *colon = strrchr(text, ':');
    *length = strlen(text);
    if (slash) {
        *length = (size_t)(slash + 1 - text);
        return slash[1] == ':' ? slash + 2 : slash + 1;
    }
    if (!colon || colon == text || colon[-1] == ':' || !modifier_is(colon + 1))
        return text + *length;
    *length = (size_t)(colon - text);
    return colon + 1;
}

/* Names the event and sets its modes. */
static int finish(struct parser *parser, struct query *q)
{
    char added[16];
    size_t count = 0;
    for (const char *p = parser->outer; *p && count < sizeof(added) - 1; p++)
        if (!strchr(q->modifiers, *p))
            added[count++] = *p;
    added[count] = '\0';
    bool marked = *q->modifiers || strchr(q->text, '/');
    char *modifiers = mem_printf("%s%s", q->modifiers, added);
    q->event.name = mem_printf("%s%s%s", q->text, marked || !count ? "" : ":", added);
    int result = modifier_check(modifiers, q->event.name, parser->err);
    if (result == 0) {
        struct perf_event_attr *attr = &q->event.attr;
        if (!modifier_apply(modifiers, attr) && !q->has_mode && !event_of_scheduler(attr)) {
            attr->exclude_kernel = attr->exclude_hv = parser->mode == MODE_USER;
            attr->exclude_user = parser->mode == MODE_KERNEL;
        }
        q->event.group = parser->group;
        event_settle(&q->event);
    }
    free(modifiers);
    return result;
}

/* Takes over the event's contents. */
static void add_event(struct parser *parser, struct event *event)
{
    struct event_list *list = parser->list;
    for (size_t i = 0; i < list->count; i++) {
        struct event *old = &list->events[i];
        if (!str_equal(old->name, event->name))
            continue;
        if (old->group < 0)
            old->group = event->group;
        event_release(event);
        return;
    }
    mem_grow(&list->events, &list->room, list->count + 1, sizeof(*list->events));
    list->events[list->count++] = *event;
}

static int parse_event(struct parser *parser, const char *text)
{
    if (!*text)
        return err_set(parser->err, "empty event name: expected names separated by single commas");
    if (strlen(text) > LONGEST_NAME)
        return err_set(parser->err, "event name '%.40s...' is too long", text);
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == '{' || *p == '}')
            return err_set(parser->err, "bad event '%s': unexpected '%c'", text, *p);
    size_t length;
    struct query q = {.text = text, .modifiers = find_modifiers(text, &length)};
    q.base = mem_strndup(text, length);
    enum answer answer = ANSWER_NO;
    for (size_t i = 0; answer == ANSWER_NO; i++)
        answer = answerers[i](&q);
    int result = -1;
    if (answer == ANSWER_ERROR)
        err_set(parser->err, "%s", q.err.text);
    else
        result = finish(parser, &q);
    if (result == 0)
        add_event(parser, &q.event);
    else
        event_release(&q.event);
    free(q.base);
    return result;
}

/* ---- lists ---- */

/* The end of the item at text: a ',' or `stop` outside slashes and braces, or the end of text. */
static const char *item_end(const char *text, char stop)
{
    bool slashes = false;
    int braces = 0;
    const char *p = text;
    for (; *p; p++) {
        if (*p == '/')
            slashes = !slashes;
        else if (slashes)
            continue;
        else if (braces == 0 && (*p == ',' || *p == stop))
            break;
        else if (*p == '{')
            braces++;
        else if (*p == '}' && braces)
            braces--;
    }
    return p;
}

static char *trimmed(const char *text, const char *end)
{
    static const char blanks[] = " \t\n";
    while (text < end && strchr(blanks, *text))
        text++;
    while (end > text && strchr(blanks, end[-1]))
        end--;
    return mem_strndup(text, (size_t)(end - text));
}

/* Calls parse with each item between commas. */
static int each_item(struct parser *parser, const char *text,
                     int (*parse)(struct parser *, const char *item))
{
    for (;; text++) {
        const char *end = item_end(text, '\0');
        char *item = trimmed(text, end);
        int result = parse(parser, item);
        free(item);
        text = end;
        if (result != 0 || !*text)
            return result;
    }
}

/* `{a,b}:modifiers` */
static int parse_braces(struct parser *parser, const char *text)
{
    const char *close = item_end(text + 1, '}');
    while (*close == ',')
        close = item_end(close + 1, '}');
    if (*close != '}')
        return err_set(parser->err, "unbalanced braces in '%s': expected '{event,event}'", text);
    if (close[1] && (close[1] != ':' || !close[2]))
        return err_set(parser->err, "bad event '%s': expected ',' or ':modifiers' after '}'", text);
    const char *outer = close[1] ? close + 2 : "";
    if (modifier_check(outer, text, parser->err) != 0)
        return -1;
    struct parser inner = *parser;
    inner.outer = outer;
    inner.group = parser->list->groups++;
    char *inside = mem_strndup(text + 1, (size_t)(close - text - 1));
    int result = each_item(&inner, inside, parse_event);
    free(inside);
    return result;
}

static int parse_item(struct parser *parser, const char *text)
{
    return *text == '{' ? parse_braces(parser, text) : parse_event(parser, text);
}

int event_parse(struct event_list *list, const char *text, enum count_mode mode, struct err *err)
{
    struct event_list next;
    event_list_copy(&next, list);
    struct parser parser = {.list = &next, .mode = mode, .group = -1, .outer = "", .err = err};
    if (each_item(&parser, text, parse_item) != 0) {
        event_list_release(&next);
        return -1;
    }
    event_list_release(list);
    *list = next;
    return 0;
}
