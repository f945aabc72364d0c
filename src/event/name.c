#include "event/name.h"
#include "event/event_table.h"
#include "event/pmu.h"
#include "event/query.h"
#include "system/topology.h"

enum answer query_not_here(struct query *q, const char *format, ...)
{
    struct err reason;
    va_list args;
    va_start(args, format);
    err_vset(&reason, format, args);
    va_end(args);
    free(q->event.reason);
    q->event.state = EVENT_UNSUPPORTED;
    q->event.reason = mem_strdup(reason.text);
    return ANSWER_NOT_HERE;
}

/* Names that are no event. */

struct known_names {
    struct names names;
    bool with_table; /* libpfm4's as TABLE::EVENT */
};

static void name_add_libpfm(void *ctx, const struct libpfm_entry *entry)
{
    struct known_names *known = ctx;
    AUTO_FREE char *name = known->with_table ? mem_printf("%s::%s", entry->pmu, entry->event)
                                             : mem_strdup(entry->event);
    names_add(&known->names, name);
}

/* Fails with the nearest of all names. In a text for several machines the event may be another
 * machine's, and does not exist here, unless it differs in two letters at most from a known one. */
static enum answer unknown_ask(struct query *q)
{
    enum { SLIP = 2 };
    struct known_names known = {.with_table = strstr(q->base, "::") != NULL};
    AUTO_NAMES struct names pmus = {0}, filed = {0};
    struct generic_event generic;
    for (const char *line = NULL; generic_next(&line, &generic);)
        names_add(&known.names, generic.name);
    for (int e = SCHEDULER_NONE + 1; e < SCHEDULER_EVENTS; e++)
        names_add(&known.names, scheduler_info((enum scheduler_event)e)->name);
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++)
        pmu_names(pmus.items[i], "events", &known.names);
    for (size_t i = 0; i < event_table()->events.count; i++)
        names_add(&filed, event_table()->events.items[i].name);
    libpfm_each(false, name_add_libpfm, &known);
    AUTO_FREE char *asked = mem_strndup(q->base, libpfm_event_length(q->base));
    const char *nearest = names_nearest(&known.names, asked);
    bool slip = nearest && str_distance(asked, nearest) <= SLIP;
    /* In event files '.' belongs to the name. */
    const char *other = names_nearest(&filed, q->base);
    if (other && (!nearest || str_distance(q->base, other) < str_distance(asked, nearest)))
        nearest = other;
    err_set(&q->err, "unknown event '%s': expected a perf or libpfm4 name%s", q->text,
            nearest ? "" : " (--list-events shows them)");
    err_add_nearest(&q->err, nearest);
    names_release(&known.names);
    if (q->foreign && !slip)
        return query_not_here(q, "neither perf nor libpfm4 knows an event of that name here");
    return ANSWER_ERROR;
}

/* The letters after an event: `cycles:u`. Their meaning is perf's: perf-list(1), "EVENT
 * MODIFIERS". */

static const char letters[] = "ukhHGIpPDWeSb";

enum { MOST_PRECISE = 3 }; /* perf_event_open(2), precise_ip: two bits */

/* Whether text consists of such letters only, and is not empty. */
static bool modifier_is(const char *text)
{
    return *text && text[strspn(text, letters)] == '\0';
}

/* Whether text, which may be "", is a valid set of modifiers: no letter twice, except p up to three
 * times. -1 with a message that names the event. */
static int modifier_check(const char *text, const char *event, struct err *err)
{
    int precise = 0;
    for (const char *p = text; *p; p++) {
        if (!strchr(letters, *p))
            return err_set(err, "bad modifiers '%s' of event '%s': expected letters of '%s'", text,
                           event, letters);
        if (*p == 'p' ? ++precise > MOST_PRECISE : strchr(p + 1, *p) != NULL)
            return err_set(err, "bad modifiers '%s' of event '%s': '%c' is there too often", text,
                           event, *p);
    }
    return 0;
}

/* Sets exclude_*, precise_ip, pinned (D) and exclusive (e) from valid modifiers. Returns whether
 * they name a mode (u, k or h), which then overrides the program's mode. P, W, S and b have no
 * effect: precision is for sampled addresses (P), groups are always weak, which means split if they
 * do not fit (W), and always read as one (S), and b selects how perf counts. */
static bool modifier_apply(const char *text, struct perf_event_attr *attr)
{
    bool mode = strpbrk(text, "ukh") != NULL;
    bool machine = strpbrk(text, "HG") != NULL;
    if (mode) {
        attr->exclude_user = !strchr(text, 'u');
        attr->exclude_kernel = !strchr(text, 'k');
        attr->exclude_hv = !strchr(text, 'h');
    }
    if (machine) {
        attr->exclude_host = !strchr(text, 'H');
        attr->exclude_guest = !strchr(text, 'G');
    } else if (strpbrk(text, "up")) {
        /* A guest's kernel runs in the host's user mode, and its addresses mean nothing here. */
        attr->exclude_guest = 1;
    }
    attr->exclude_idle = strchr(text, 'I') != NULL;
    attr->pinned |= strchr(text, 'D') != NULL;
    attr->exclusive |= strchr(text, 'e') != NULL;
    for (const char *p = text; *p; p++)
        attr->precise_ip += *p == 'p';
    return mode;
}

/* LONGEST_TEXT is for events that contain a path or a filter. */
enum { LONGEST_NAME = 255, LONGEST_TEXT = 1023 };

/* ---- perf's generic names and raw codes ---- */

/* A generic event, or rNNN: perf-list(1), "RAW HARDWARE EVENT DESCRIPTOR". */
static bool encode_perf(const char *text, struct perf_event_attr *attr)
{
    struct generic_event generic;
    if (generic_find(text, &generic)) {
        attr->type = generic.type;
        attr->config = generic.config;
        return true;
    }
    uint64_t code;
    if (*text != 'r' || !pmu_raw_code(text + (str_starts(text, "r0x") ? 3 : 1), &code))
        return false;
    attr->type = PERF_TYPE_RAW;
    attr->config = code;
    return true;
}

static enum answer ask_perf(struct query *q)
{
    if (encode_perf(q->base, &q->event.attr)) {
        q->each_type = true;
        return ANSWER_YES;
    }
    /* cycles:foo is cycles with bad modifiers, even if libpfm4 has such an event. */
    struct perf_event_attr attr;
    size_t length = strcspn(q->base, ":");
    AUTO_FREE char *name = mem_strndup(q->base, length);
    if (!q->base[length] || !encode_perf(name, &attr))
        return ANSWER_NO;
    const char *modifiers = q->text + length + 1;
    if (!*modifiers)
        return query_fail(q, "bad event '%s': expected modifiers after ':'", q->text);
    modifier_check(modifiers, q->text, &q->err);
    return ANSWER_ERROR;
}

/* perf's tool events (perf-list(1)), which no kernel counts. */
static enum answer ask_tools(struct query *q)
{
    static const char *const names[] = {"duration_time", "user_time", "system_time"};
    if (!STR_IN(names, q->base))
        return ANSWER_NO;
    return query_not_here(q, "it is a clock of the program perf, no event of the kernel: "
                             "'task-clock' tells the time on a CPU");
}

static enum answer ask_scheduler(struct query *q)
{
    enum scheduler_event kept = scheduler_find(q->base);
    if (!kept)
        return ANSWER_NO;
    q->event.pmu = mem_strdup(SCHEDULER_PMU);
    q->event.unit = mem_strdup(scheduler_info(kept)->unit);
    q->event.attr.type = SCHEDULER_TYPE;
    q->event.attr.config = kept;
    return ANSWER_YES;
}

/* ---- `pmu/terms/` ---- */

static enum answer encode_terms(struct query *q, const char *pmu, const char *terms)
{
    struct event *event = &q->event;
    struct generic_event generic;
    event->pmu = mem_strdup(pmu);
    /* cpu_atom/cycles/ is the generic event on that core type, as in perf since 6.5. */
    if (topology_is_core_pmu(pmu) && !pmu_has_event(pmu, terms) && generic_find(terms, &generic) &&
        generic.type != PERF_TYPE_SOFTWARE) {
        event->attr.type = generic.type;
        event->attr.config = generic.config;
        return ANSWER_YES;
    }
    if (pmu_encode(pmu, terms, &event->attr, &q->err) == 0) {
        pmu_measure(pmu, terms, &event->unit, &event->scale);
        return ANSWER_YES;
    }
    if (errno == ENOTSUP)
        return query_not_here(q, "%s", q->err.text);
    if (!q->foreign || errno != ENOENT)
        return ANSWER_ERROR;
    return query_not_here(q, "the PMU '%s' has no '%s' here", pmu, terms);
}

static enum answer ask_pmu(struct query *q)
{
    const char *slash = strchr(q->base, '/');
    if (!slash)
        return ANSWER_NO;
    AUTO_FREE char *pmu = mem_strndup(q->base, (size_t)(slash - q->base));
    AUTO_FREE char *terms = mem_strndup(slash + 1, strcspn(slash + 1, "/"));
    AUTO_NAMES struct names pmus = {0};
    uint32_t type;
    if (!*pmu || !*terms || !str_equal(strchr(slash + 1, '/'), "/"))
        return query_fail(q, "bad event '%s': expected pmu/term=value,.../modifiers", q->text);
    if (pmu_type(pmu, &type))
        return encode_terms(q, pmu, terms);
    pmu_list(&pmus);
    const char *nearest = names_nearest(&pmus, pmu);
    err_set(&q->err, "this machine has no PMU '%s'", pmu);
    err_add_nearest(&q->err, nearest);
    return nearest && !q->foreign ? ANSWER_ERROR : query_not_here(q, "%s", q->err.text);
}

/* An event of a PMU, written without the PMU, as in perf: `mem-loads`, `tsc`. Where each core type
 * has it, it is counted on each. */
static enum answer ask_all_pmus(struct query *q)
{
    AUTO_NAMES struct names pmus = {0}, found = {0};
    AUTO_STR struct str choices = str_new();
    bool cores = true;
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++) {
        uint32_t type;
        if (!pmu_has_event(pmus.items[i], q->base) || !pmu_type(pmus.items[i], &type))
            continue;
        names_add(&found, pmus.items[i]);
        cores &= topology_is_core_pmu(pmus.items[i]);
        str_printf(&choices, "%s%s/%s/", choices.length ? ", " : "", pmus.items[i], q->base);
    }
    if (found.count == 0)
        return ANSWER_NO;
    if (found.count > 1 && !cores)
        return query_fail(q, "ambiguous event '%s': choose from %s", q->text, choices.text);
    q->each_name = found.count > 1 ? q->base : NULL;
    return encode_terms(q, found.items[0], q->base);
}

/* An event of an event file, for PMUs that this machine does not have. */
static enum answer ask_missing_pmu(struct query *q)
{
    size_t count;
    const struct table_event *event = event_table_named(q->base, &count);
    if (!event)
        return ANSWER_NO;
    const struct table_pmus *pmus = &event_table()->pmus[event->pmus];
    if (pmus->core)
        return query_not_here(q, "this machine has no hardware counters of cores, which count it");
    return query_not_here(q, "this machine has no PMU '%s', which counts it", pmus->family);
}

/* ---- `subsystem:event` ---- */

/* The slash before a tracepoint's filter; NULL: text is no tracepoint with a filter. */
static const char *filter_slash(const char *text)
{
    const char *slash = strchr(text, '/');
    AUTO_FREE char *name = mem_strndup(text, slash ? (size_t)(slash - text) : 0);
    return tracepoint_is_name(name) ? slash : NULL;
}

/* For a text that looks like a tracepoint and matches nothing else. Tracepoints differ between
 * kernels and come with modules, so it may exist on another machine. */
static enum answer ask_missing_tracepoint(struct query *q)
{
    uint64_t id;
    if (!tracepoint_is_name(q->base))
        return ANSWER_NO;
    enum tracepoint found = tracepoint_find(q->base, &id, &q->err);
    if (found == TRACEPOINT_ABSENT && !q->foreign)
        return query_fail(q, "unknown event '%s': %s", q->text, q->err.text);
    q->event.pmu = mem_strdup("tracepoint");
    query_not_here(q, "%s", q->err.text);
    if (found == TRACEPOINT_HIDDEN)
        q->event.state = EVENT_DENIED;
    return ANSWER_NOT_HERE;
}

static enum answer ask_tracepoint(struct query *q)
{
    uint64_t id;
    const char *slash = filter_slash(q->base);
    if (slash) { /* moves the filter from base to the event */
        size_t length = strlen(slash + 1);
        if (length < 2 || slash[length] != '/')
            return query_fail(q,
                              "bad event '%s': expected subsystem:event/filter/modifiers, such as "
                              "sched:sched_switch/prev_prio < 100/",
                              q->text);
        q->event.filter = mem_strndup(slash + 1, length - 1);
        q->base[slash - q->base] = '\0';
    }
    if (!tracepoint_is_name(q->base) || tracepoint_find(q->base, &id, &q->err) != TRACEPOINT_FOUND)
        return q->event.filter ? ask_missing_tracepoint(q) : ANSWER_NO;
    q->event.attr.type = PERF_TYPE_TRACEPOINT;
    q->event.attr.config = id;
    return ANSWER_YES;
}

/* In order; the first answer other than ANSWER_NO is used. */
static enum answer (*const answerers[])(struct query *) = {
    probe_ask, breakpoint_ask, ask_perf,   ask_tools,       ask_scheduler,          ask_tracepoint,
    ask_pmu,   ask_all_pmus,   libpfm_ask, ask_missing_pmu, ask_missing_tracepoint, unknown_ask,
};

/* ---- one event of a list ---- */

struct event_parser {
    struct event_list *list;
    enum count_mode mode;
    int group;         /* of the braces around the event, or -1 */
    const char *outer; /* modifiers after those braces, or "" */
    bool foreign;
    struct err *err;
};

/* Whether colons and slashes of text are part of a probe or breakpoint. */
static bool has_own_colons(const char *text)
{
    return probe_is(text) || breakpoint_is(text);
}

/* The modifiers of text, or its end; *length is that of the text before them. */
static const char *find_modifiers(const char *text, size_t *length)
{
    const char *slash = strrchr(text, '/'), *colon = strrchr(text, ':');
    *length = strlen(text);
    if (has_own_colons(text)) {
        const char *own = text;
        for (size_t i = probe_colons(text); i > 0 && own; i--)
            own = strchr(own + (own > text), ':');
        if (!own || colon <= own || !modifier_is(colon + 1))
            return text + *length;
        *length = (size_t)(colon - text);
        return colon + 1;
    }
    if (slash) {
        *length = (size_t)(slash + 1 - text);
        return slash[1] == ':' ? slash + 2 : slash + 1;
    }
    if (!colon || colon == text || colon[-1] == ':' || !modifier_is(colon + 1))
        return text + *length;
    *length = (size_t)(colon - text);
    return colon + 1;
}

/* Names the event and sets its modes, the CPUs that count it, and its core types. */
static int name_finish(struct event_parser *parser, struct query *q)
{
    char added[16];
    size_t count = 0;
    for (const char *p = parser->outer; *p && count < sizeof(added) - 1; p++)
        if (!strchr(q->modifiers, *p))
            added[count++] = *p;
    added[count] = '\0';
    bool marked = *q->modifiers || (strchr(q->text, '/') && !has_own_colons(q->text));
    AUTO_FREE char *modifiers = mem_printf("%s%s", q->modifiers, added);
    struct event *event = &q->event;
    struct perf_event_attr *attr = &event->attr;
    event->text = mem_printf("%s%s%s", q->text, marked || !count ? "" : ":", added);
    event->name = mem_strdup(q->own ? q->own : event->text);
    if (modifier_check(modifiers, event->text, parser->err) != 0)
        return -1;
    bool has_mode = modifier_apply(modifiers, attr) || q->has_mode;
    if (!has_mode && !event_of_kernel(event)) {
        attr->exclude_kernel = attr->exclude_hv = parser->mode == MODE_USER;
        attr->exclude_user = parser->mode == MODE_KERNEL;
        event->halved = parser->mode != MODE_ALL;
    }
    event->modeless = parser->mode == MODE_USER && !*modifiers && !q->has_mode &&
                      event_of_kernel(event) && !event_kept(event);
    event->group = parser->group;
    event_settle(event);
    if (event->state != EVENT_COUNTED)
        return 0;
    if (event->hardware)
        event_set_variants(event, q->each_type, q->each_name);
    else if (attr->type >= PERF_TYPE_MAX && event->pmu)
        event->shared = pmu_cpus(event->pmu, "cpumask", &event->cpus);
    event->encoding = event_encoding(event, q->full);
    if (event->shared && event->cpus.count == 0)
        query_not_here(q, "PMU '%s' names no CPU to count it on", event->pmu);
    else
        event_never(event);
    return 0;
}

static int parse_name(struct event_parser *parser, const char *text, const char *own)
{
    struct event_list *list = parser->list;
    size_t length;
    struct query q = {.text = text,
                      .own = own,
                      .modifiers = find_modifiers(text, &length),
                      .foreign = parser->foreign};
    q.base = mem_strndup(text, length);
    enum answer answer = ANSWER_NO;
    for (size_t i = 0; answer == ANSWER_NO; i++)
        answer = answerers[i](&q);
    int result =
        answer == ANSWER_ERROR ? err_set(parser->err, "%s", q.err.text) : name_finish(parser, &q);
    struct event *old = result == 0 ? event_list_find(list, q.event.name) : NULL;
    if (old && own && !str_equal(old->text, q.event.text))
        result = err_set(parser->err, "bad name '%s' of event '%s': it is that of '%s'", own, text,
                         old->text);
    if (old && old->group < 0)
        old->group = q.event.group;
    if (result == 0 && !old)
        *event_list_add(list) = q.event;
    else
        event_release(&q.event);
    free(q.base);
    free(q.full);
    return result;
}

/* `UNC_M_CLOCKTICKS:k` as `uncore_imc/UNC_M_CLOCKTICKS/k` if an event file has it for several PMUs
 * of one kind, which count it together, as in perf. NULL: it is no such event. */
static char *spread_event(const char *text)
{
    size_t length, count;
    const char *modifiers = find_modifiers(text, &length);
    AUTO_FREE char *name = mem_strndup(text, length);
    const struct table_event *event = event_table_named(name, &count);
    const struct table_pmus *pmus = event ? &event_table()->pmus[event->pmus] : NULL;
    if (count != 1 || pmus->core || pmus->here.count < 2)
        return NULL;
    return mem_printf("%s/%s/%s", pmus->family, name, modifiers);
}

/* Parses an event without its own name; that may be NULL. */
static int parse_unnamed(struct event_parser *parser, const char *text, const char *own)
{
    if (!*text)
        return err_set(parser->err, "empty event name: expected names separated by single commas");
    const char *filter = filter_slash(text);
    if (strlen(text) > (size_t)(strchr(text, '/') ? LONGEST_TEXT : LONGEST_NAME))
        return err_set(parser->err, "event name '%.40s...' is too long", text);
    for (const char *p = text; *p; p++)
        if ((*p == ' ' && (!filter || p < filter)) || (unsigned char)*p < ' ' || *p == 0x7f ||
            *p == '{' || *p == '}')
            return err_set(parser->err, "bad event '%s': unexpected '%c'", text, *p);
    const char *slash = has_own_colons(text) ? NULL : strchr(text, '/');
    AUTO_FREE char *spread = slash ? NULL : spread_event(text);
    if (spread)
        return parse_unnamed(parser, spread, own);
    /* `uncore_imc/event/` adds that event of each uncore_imc_N, as in perf. */
    uint32_t type;
    AUTO_NAMES struct names pmus = {0};
    AUTO_FREE char *pmu = mem_strndup(text, slash ? (size_t)(slash - text) : 0);
    if (slash && !pmu_type(pmu, &type))
        pmu_instances(pmu, &pmus);
    int result = pmus.count ? 0 : parse_name(parser, text, own);
    for (size_t i = 0; i < pmus.count && result == 0; i++) {
        AUTO_FREE char *name = mem_printf("%s%s", pmus.items[i], slash);
        AUTO_FREE char *numbered = own ? mem_printf("%s_%s", own, pmus.items[i]) : NULL;
        result = parse_name(parser, name, numbered);
    }
    return result;
}

/* An event with a name of its own: `NAME=event` or, as perf writes it, `event/name=NAME/` and
 * `pmu/term,name=NAME/`. */
static int parse_event(struct event_parser *parser, const char *text)
{
    size_t length;
    struct generic_event generic;
    const char *own = names_own(text, &length);
    if (!own || (own > text && has_own_colons(text)))
        return parse_unnamed(parser, text, NULL);
    const char *start = own == text ? text : own - strlen("name="), *end = own + length;
    bool sole = own > text && start[-1] == '/' && *end == '/'; /* `cycles/name=x/u` */
    if (length == 0 || (own > text && *end != ',' && *end != '/'))
        return err_set(parser->err, "bad name in '%s': expected letters, digits, '_', '-' and '.'",
                       text);
    /* With the name go its '=', or the slashes around it, or the comma at one side. */
    start -= own > text && (sole || *end != ',');
    end += own == text || sole || *end == ',';
    AUTO_FREE char *name = mem_strndup(own, length);
    AUTO_FREE char *rest = mem_printf("%.*s%s%s", (int)(start - text), text,
                                      sole && *end && *end != ':' ? ":" : "", end);
    if (generic_find(name, &generic))
        return err_set(parser->err, "bad name in '%s': '%s' is an event itself", text, name);
    return parse_unnamed(parser, rest, name);
}

/* ---- lists ---- */

static bool name_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* The end of the item at text: a ',' or `stop` outside slashes and braces, or the end of text. */
static const char *item_end(const char *text, char stop)
{
    bool slashes = false, begins = true;
    int braces = 0;
    const char *p = text;
    for (; *p; p++) {
        size_t length;
        const char *own = begins ? names_own(p, &length) : NULL;
        if (begins && has_own_colons(own == p ? p + length + 1 : p))
            p += strcspn(p, ",{}");
        if (!*p)
            break;
        /* The end of a quoted string in a filter. */
        const char *quote = slashes && (*p == '"' || *p == '\'') ? strchr(p + 1, *p) : NULL;
        if (*p == '/')
            slashes = !slashes;
        else if (slashes)
            p = quote ? quote : p;
        else if (braces == 0 && (*p == ',' || *p == stop))
            break;
        else if (*p == '{')
            braces++;
        else if (*p == '}' && braces)
            braces--;
        begins = !slashes && (*p == ',' || *p == '{' || (begins && name_is_blank(*p)));
    }
    return p;
}

static int parse_braces(struct event_parser *parser, const char *text);

/* Parses the items between commas, without the blanks around them. Braces contain no braces. */
static int parse_items(struct event_parser *parser, const char *text)
{
    for (;; text++) {
        const char *next = item_end(text, '\0'), *end = next;
        while (text < end && name_is_blank(*text))
            text++;
        while (end > text && name_is_blank(end[-1]))
            end--;
        AUTO_FREE char *item = mem_strndup(text, (size_t)(end - text));
        bool braces = *item == '{' && parser->group < 0;
        if ((braces ? parse_braces(parser, item) : parse_event(parser, item)) != 0)
            return -1;
        text = next;
        if (!*text)
            return 0;
    }
}

/* `{a,b}:modifiers` */
static int parse_braces(struct event_parser *parser, const char *text)
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
    struct event_parser inner = *parser;
    inner.outer = outer;
    inner.group = parser->list->groups++;
    AUTO_FREE char *inside = mem_strndup(text + 1, (size_t)(close - text - 1));
    return parse_items(&inner, inside);
}

static int parse_list(struct event_list *list, const char *text, enum count_mode mode, bool foreign,
                      struct err *err)
{
    struct event_list next;
    struct event_parser parser = {
        .list = &next, .mode = mode, .group = -1, .outer = "", .foreign = foreign, .err = err};
    event_list_copy(&next, list);
    int result = parse_items(&parser, text);
    event_list_release(result == 0 ? list : &next);
    if (result == 0)
        *list = next;
    return result;
}

int event_parse(struct event_list *list, const char *text, enum count_mode mode, struct err *err)
{
    return parse_list(list, text, mode, false, err);
}

int event_parse_foreign(struct event_list *list, const char *text, enum count_mode mode,
                        struct err *err)
{
    return parse_list(list, text, mode, true, err);
}
