#include "metric/metric_set.h"
#include "base/ini.h"
#include "metric/alias.h"
#include "metric/machine.h"

static const struct {
    const char *word;
    enum unit_kind kind;
    const char *symbol;
    int time;
    bool prefixes; /* SI prefixes are allowed */
} words[] = {
    {"", UNIT_COUNT, "", 0, false},      {"1", UNIT_COUNT, "", 0, false},
    {"count", UNIT_COUNT, "", 0, false}, {"ratio", UNIT_RATIO, "", 0, false},
    {"%", UNIT_PERCENT, "%", 0, false},  {"percent", UNIT_PERCENT, "%", 0, false},
    {"s", UNIT_SECONDS, "s", 1, true},   {"seconds", UNIT_SECONDS, "s", 1, false},
    {"B", UNIT_BYTES, "B", 0, true},     {"bytes", UNIT_BYTES, "B", 0, false},
    {"Hz", UNIT_HERTZ, "Hz", -1, true},  {"J", UNIT_JOULES, "J", 0, true},
    {"W", UNIT_JOULES, "W", -1, true},
};

int unit_parse(struct unit *unit, const char *text, struct err *err)
{
    size_t length = strlen(text);
    bool rate = length >= 2 && strcmp(text + length - 2, "/s") == 0;
    length -= rate ? 2 : 0;
    /* No word begins with a prefix, so a text is not both. */
    bool prefix = length > 0 && strchr("numkMGT", *text);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const char *symbol = words[i].symbol;
        size_t size = strlen(words[i].word);
        if (size + prefix != length || strncmp(words[i].word, text + prefix, size) != 0 ||
            (prefix && !words[i].prefixes && !(size == 0 && rate)))
            continue;
        char before[2] = {prefix ? *text : '\0', '\0'};
        *unit =
            (struct unit){.kind = words[i].kind, .prefixed = prefix, .time = words[i].time - rate};
        snprintf(unit->text, sizeof(unit->text), "%s%s%s",
                 rate && !prefix && !*symbol ? "1" : before, symbol, rate ? "/s" : "");
        return 0;
    }
    return err_set(err,
                   "no unit '%.40s': expected count, ratio, percent, seconds, bytes, Hz, J or W, "
                   "or such as us, MB/s, 1/s",
                   text);
}

/* ---- sets ---- */

enum { NARROWEST = 4, WIDEST = 40, MOST_DECIMALS = 6, UNSET = -3 };

void metric_release(struct metric *metric)
{
    free(metric->name);
    free(metric->title);
    free(metric->text);
    free(metric->help);
    free(metric->cpus);
    free(metric->whole);
    expr_free(metric->expr);
    if (metric->before)
        metric_release(metric->before);
    free(metric->before);
}

void metric_set_release(struct metric_set *metric_set)
{
    for (size_t i = 0; i < metric_set->count; i++)
        metric_release(&metric_set->metrics[i]);
    free(metric_set->metrics);
    *metric_set = (struct metric_set){0};
}

struct metric *metric_set_find(const struct metric_set *metric_set, const char *name)
{
    return STR_FIND(metric_set->metrics, metric_set->count, name, name);
}

const struct metric *metric_set_named(const struct metric_set *metric_set, const char *word)
{
    size_t length = strlen(word);
    const struct metric *metric = metric_set_find(metric_set, word);
    for (size_t i = 0; i < metric_set->count && !metric && length > 0; i++) {
        const struct metric *other = &metric_set->metrics[i];
        if (strncasecmp(other->name, word, length) == 0 &&
            (!other->name[length] ||
             (other->name[length] == '_' && str_equal(other->name + length + 1, other->unit.text))))
            metric = other;
    }
    return metric;
}

/* Names are used in --sort, where a leading '-' has a meaning, and in lists separated by spaces.
 * The set of CPUs follows after '@'. */
static bool is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    if (!*text || !strchr(letters, *text))
        return false;
    text += strspn(text, others);
    return !*text || (*text == '@' && text[1] && !text[1 + strspn(text + 1, others)]);
}

static int set_number(int *field, const char *key, const char *value, int least, int most,
                      struct err *err)
{
    unsigned long long number;
    if (!str_to_u64(value, (unsigned)least, (unsigned)most, &number))
        return err_set(err, "%s is '%s': expected a number from %d to %d", key, value, least, most);
    *field = (int)number;
    return 0;
}

static int metric_set_set_key(struct metric *metric, const char *key, const char *value,
                              struct err *err)
{
    static const char *const keys[] = {"expr", "title", "unit", "help",  "width", "decimals",
                                       "good", "bad",   "mode", "whole", "cpus",  NULL};
    bool good = str_equal(key, "good");
    if (good || str_equal(key, "bad")) {
        *(good ? &metric->has_good : &metric->has_bad) = true;
        return str_to_double(value, good ? &metric->good : &metric->bad)
                   ? 0
                   : err_set(err, "%s is '%s': expected a number", key, value);
    }
    if (str_equal(key, "expr") && metric->elsewhere)
        return 0;
    if (str_equal(key, "expr")) {
        struct err why;
        struct expr *expr = expr_parse(value, &why);
        if (!expr)
            return err_set(err, "expr of metric '%s': %s", metric->name, why.text);
        expr_free(metric->expr);
        metric->expr = expr;
        mem_replace(&metric->text, mem_strdup(value));
        return 0;
    }
    if (str_equal(key, "mode")) {
        metric->all_modes = str_equal(value, "all");
        return metric->all_modes ? 0 : err_set(err, "mode is '%s': expected all", value);
    }
    if (str_equal(key, "width"))
        return set_number(&metric->width, key, value, NARROWEST, WIDEST, err);
    if (str_equal(key, "decimals"))
        return set_number(&metric->decimals, key, value, 0, MOST_DECIMALS, err);
    if (str_equal(key, "unit"))
        return unit_parse(&metric->unit, value, err);
    char **text = str_equal(key, "title")   ? &metric->title
                  : str_equal(key, "cpus")  ? &metric->cpus
                  : str_equal(key, "whole") ? &metric->whole
                  : str_equal(key, "help")  ? &metric->help
                                            : NULL;
    if (!text)
        return ini_unknown_key(key, "metric", keys, err);
    mem_replace(text, mem_strdup(value));
    return 0;
}

/* The first section that NAME or NAME@SET has; NULL if there is none yet. */
static const struct metric *metric_first(const struct metric_set *fresh, const char *name)
{
    size_t length = strcspn(name, "@");
    for (size_t i = 0; i < fresh->count; i++) {
        const char *other = fresh->metrics[i].name;
        if (strncmp(other, name, length) == 0 && (!other[length] || other[length] == '@'))
            return &fresh->metrics[i];
    }
    return NULL;
}

static int metric_set_take_entry(void *ctx, const char *name, const char *key, const char *value,
                                 int line, struct err *err)
{
    struct metric_set *fresh = ctx;
    struct metric *metric = fresh->count ? &fresh->metrics[fresh->count - 1] : NULL;
    if (metric && str_equal(metric->name, name)) /* mostly */
        return metric_set_set_key(metric, key, value, err);
    if (!is_name(name))
        return err_set(err, "no name for a metric '%s': expected letters, digits, '_', '-' and '.'",
                       name);
    metric = metric_set_find(fresh, name);
    if (!metric) {
        const char *set = strchr(name, '@');
        bool elsewhere = set && fresh->machine && !machine_matches(fresh->machine, set + 1);
        if (elsewhere && metric_first(fresh, name))
            return INI_SKIP_SECTION;
        metric = MEM_ADD(fresh->metrics, fresh->count, fresh->room);
        *metric = (struct metric){
            .name = mem_strdup(name), .decimals = UNSET, .line = line, .elsewhere = elsewhere};
    }
    return metric_set_set_key(metric, key, value, err);
}

/* The expression's dimension if it does not fit the unit; NULL if it does. Counts have no unit, so
 * only a given unit is checked. */
static const char *misfit(const struct metric *metric)
{
    static const char *const results[] = {"something per second", "no time", "seconds"};
    int time = metric->expr->time;
    if (!*metric->unit.text || metric->expr->any_time || time == metric->unit.time)
        return NULL;
    return time >= -1 && time <= 1 ? results[time + 1] : "a power of seconds";
}

/* Sets defaults. */
static void fill_in(struct metric *metric)
{
    enum { USUAL_WIDTH = 6 };
    const struct unit *unit = &metric->unit;
    if (!metric->title)
        metric->title = mem_strdup(metric->name);
    if (!metric->help)
        metric->help = mem_strdup("");
    if (metric->decimals == UNSET) {
        bool duration = unit->kind == UNIT_SECONDS && !unit->prefixed && unit->time == 1;
        metric->decimals = unit->kind == UNIT_PERCENT ? 1
                           : unit->kind == UNIT_RATIO ? 2
                           : duration                 ? METRIC_DURATION
                                                      : METRIC_SI;
    }
    if (metric->width == 0) {
        size_t length = strnlen(metric->title, WIDEST);
        metric->width = length < USUAL_WIDTH ? USUAL_WIDTH : (int)length;
    }
}

/* NAME@SET takes what it does not give from the first section of that name before it. */
static void metric_inherit(const struct metric_set *fresh, struct metric *metric)
{
    const struct metric *first = metric_first(fresh, metric->name);
    if (!strchr(metric->name, '@') || first == metric)
        return;
    metric->title = metric->title ? metric->title : mem_strdup(first->title);
    metric->help = metric->help ? metric->help : mem_strdup(first->help);
    metric->whole = metric->whole ? metric->whole : mem_strdup(first->whole);
    metric->all_modes |= first->all_modes;
    if (!*metric->unit.text)
        metric->unit = first->unit;
    if (metric->decimals == UNSET)
        metric->decimals = first->decimals;
    if (!metric->width)
        metric->width = first->width;
    if (!metric->has_good && !metric->has_bad) {
        metric->good = first->good;
        metric->bad = first->bad;
        metric->has_good = first->has_good;
        metric->has_bad = first->has_bad;
    }
}

/* Checks the metric, sets defaults, and splits the set of CPUs off the name. */
static int metric_set_complete(struct metric *metric, const char *origin, struct err *err)
{
    if (!metric->expr)
        return err_set(err, "%s:%d: metric '%s' has no expr", origin, metric->line, metric->name);
    if (metric->has_good != metric->has_bad || (metric->has_good && metric->good == metric->bad))
        return err_set(err, "%s:%d: metric '%s' needs both limits, good and bad, and not the same",
                       origin, metric->line, metric->name);
    const char *given = misfit(metric);
    if (given)
        return err_set(err, "%s:%d: unit '%s' of metric '%s' does not fit its expr, which gives %s",
                       origin, metric->line, metric->unit.text, metric->name, given);
    machine_take_set(&metric->name, &metric->cpus);
    fill_in(metric);
    return 0;
}

static void know_machine(const struct metric_set *metric_set, struct metric *metrics, size_t count)
{
    const struct machine *machine = metric_set->machine;
    int slots = machine && count ? machine_slots(machine) : 0;
    for (size_t i = 0; machine && i < count; i++) {
        metrics[i].expr->ghz_nominal = machine->ghz_nominal;
        metrics[i].expr->slots_per_cycle = slots;
    }
}

/* Tells a part of a whole of the others. */
static void balance(const struct metric_set *metric_set, const struct metric *part)
{
    AUTO_FREE struct expr **others = mem_array(metric_set->count, sizeof(struct expr *));
    size_t count = 0;
    for (size_t i = 0; part->whole && i < metric_set->count; i++) {
        const struct metric *other = &metric_set->metrics[i];
        if (other != part && other->whole && str_equal(other->whole, part->whole))
            others[count++] = other->expr;
    }
    if (count > 0)
        expr_balance(part->expr, others, count);
}

/* Moves the metrics of `from` that are for the set's machine: of each name the first. */
static void metric_set_merge(struct metric_set *metric_set, struct metric_set *from)
{
    size_t taken = 0;
    for (size_t i = 0; i < from->count; i++) {
        struct metric metric = from->metrics[i];
        const struct metric_set before = {.metrics = from->metrics, .count = taken};
        if (metric.elsewhere || metric_set_find(&before, metric.name) ||
            !machine_matches(metric_set->machine, metric.cpus)) {
            metric_release(&metric);
            continue;
        }
        from->metrics[taken++] = metric;
    }
    from->count = taken;
    know_machine(metric_set, from->metrics, taken);
    for (size_t i = 0; i < taken; i++)
        balance(from, &from->metrics[i]);
    from->count = 0;
    for (size_t i = 0; i < taken; i++) {
        struct metric *old = metric_set_find(metric_set, from->metrics[i].name);
        if (old)
            metric_release(old);
        else
            old = MEM_ADD(metric_set->metrics, metric_set->count, metric_set->room);
        *old = from->metrics[i];
    }
}

int metric_set_load(struct metric_set *metric_set, const char *text, const char *origin,
                    struct err *err)
{
    struct metric_set fresh = {.machine = metric_set->embedded ? metric_set->machine : NULL};
    int result = ini_read(text, origin, "metric", metric_set_take_entry, &fresh, err);
    for (size_t i = 0; result == 0 && i < fresh.count; i++)
        metric_inherit(&fresh, &fresh.metrics[i]);
    for (size_t i = 0; result == 0 && i < fresh.count; i++)
        if (!fresh.metrics[i].elsewhere)
            result = metric_set_complete(&fresh.metrics[i], origin, err);
    if (result == 0)
        metric_set_merge(metric_set, &fresh);
    metric_set_release(&fresh);
    return result;
}

char *metric_spans_text(void)
{
    struct str text = str_new();
    for (size_t i = 0; i < SPAN_KINDS * SPAN_FIGURES; i++) {
        const struct span_kind_text *kind = &span_kinds[i / SPAN_FIGURES];
        const struct span_figure_text *figure = &span_figures[i % SPAN_FIGURES];
        if (i != SPAN_WAKEUP * SPAN_FIGURES + SPAN_MAX) /* an event has that of each CPU, too */
            str_printf(&text,
                       "[metric %s_%s_us]\ntitle = us/%s%s\nunit = us\ndecimals = 1\n"
                       "help = microseconds of %s: %s\nexpr = %s_%s * 1e6\n",
                       kind->name, figure->name, kind->title, figure->name, kind->help,
                       figure->help, kind->name, figure->name);
    }
    return text.text;
}

/* ---- metrics set at run time ---- */

/* Makes a metric, whose expression may have any length. */
static int make_metric(const struct metric_set *metric_set, const char *name, const char *expr,
                       const char *unit, struct metric *metric, struct err *err)
{
    *metric = (struct metric){.decimals = UNSET};
    if (!is_name(name) || strchr(name, '@'))
        return err_set(err,
                       "no name for a metric '%.40s': expected letters, digits, '_', '-' and "
                       "'.', a letter first",
                       name);
    const struct metric *old = metric_set_find(metric_set, name);
    if (old) { /* a replacement keeps its other properties */
        *metric = *old;
        metric->title = mem_strdup(old->title);
        metric->help = mem_strdup(old->help);
        metric->cpus = metric->whole = metric->text = NULL;
        metric->expr = NULL;
        metric->before = NULL;
    }
    metric->name = mem_strdup(name);
    metric->own = true;
    if (unit) {
        metric->decimals = UNSET;
        if (unit_parse(&metric->unit, unit, err) < 0)
            return -1;
    }
    metric->expr = expr_parse(expr, err);
    if (!metric->expr)
        return -1;
    metric->text = mem_strdup(expr);
    know_machine(metric_set, metric, 1);
    const char *given = misfit(metric);
    if (given)
        return err_set(err, "unit '%s' of metric '%s' does not fit this, which gives %s",
                       metric->unit.text, name, given);
    fill_in(metric);
    return 0;
}

int metric_set_define(struct metric_set *metric_set, const char *name, const char *expr,
                      const char *unit, const char *help, struct err *err)
{
    struct metric metric;
    if (metric_set_find(metric_set, name))
        return err_set(err, "its name: expected another one, of letters, digits, '_', '-' and '.'");
    if (make_metric(metric_set, name, expr, unit, &metric, err) < 0) {
        metric_release(&metric);
        return -1;
    }
    metric.own = false;
    mem_replace(&metric.help, mem_strdup(help));
    *MEM_ADD(metric_set->metrics, metric_set->count, metric_set->room) = metric;
    return 0;
}

int metric_set_draft(const struct metric_set *metric_set, const char *name, const char *expr,
                     const char *unit, struct metric *metric, struct err *err)
{
    static const char key[] = "expr = ";
    *metric = (struct metric){0};
    if (strlen(expr) + sizeof(key) > INI_LINE_SIZE)
        return err_set(err, "the expression is too long: expected at most %zu characters",
                       INI_LINE_SIZE - sizeof(key));
    return make_metric(metric_set, name, expr, unit, metric, err);
}

int metric_set_check(const struct metric_set *metric_set, const char *name, const char *expr,
                     const char *unit, struct err *err)
{
    struct metric metric;
    int result = metric_set_draft(metric_set, name, expr, unit, &metric, err);
    metric_release(&metric);
    return result;
}

void metric_set_take(struct metric_set *metric_set, struct metric *metric)
{
    struct metric *old = metric_set_find(metric_set, metric->name);
    if (!old) {
        old = MEM_ADD(metric_set->metrics, metric_set->count, metric_set->room);
    } else if (old->own) {
        metric->before = old->before;
        old->before = NULL;
        metric_release(old);
    } else {
        metric->before = mem_alloc(sizeof(*metric->before));
        *metric->before = *old;
    }
    *old = *metric;
}

int metric_set_unset(struct metric_set *metric_set, const char *name, struct err *err)
{
    struct metric *metric = metric_set_find(metric_set, name);
    if (!metric)
        return err_set(err, "no metric '%.60s'", name);
    if (!metric->own)
        return err_set(err, "cannot remove metric '%s': it is built in, or of a file", name);
    struct metric *before = metric->before;
    metric->before = NULL;
    metric_release(metric);
    if (before) {
        *metric = *before;
        free(before);
        return 0;
    }
    size_t after = metric_set->count - (size_t)(metric - metric_set->metrics) - 1;
    memmove(metric, metric + 1, after * sizeof(*metric));
    metric_set->count--;
    return 0;
}

bool metric_applies(const struct metric *metric, const struct event_set *set)
{
    for (size_t i = 0; i < expr_event_count(metric->expr); i++) {
        int found = alias_find(set, expr_event(metric->expr, i));
        if (found < 0 || !metric_takes(metric, &set->events[found]))
            return false;
    }
    return true;
}

bool metric_counts_events(const struct metric *metric)
{
    return str_equal(metric->unit.text, "1/s") && metric->decimals == METRIC_SI;
}

int metric_judge(const struct metric *metric, double number)
{
    if (!metric->has_good || !metric->has_bad)
        return 0;
    /* With good above bad, more is better; otherwise both signs change. */
    double sign = metric->good > metric->bad ? 1 : -1;
    if (sign * number >= sign * metric->good)
        return 1;
    return sign * number <= sign * metric->bad ? -1 : 0;
}
