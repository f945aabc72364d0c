#include "front/compare.h"
#include "base/json.h"
#include "view/view.h"
#include "view/format.h"

static const char test_text[] = "Welch's t-test (Biometrika 34, 1947)";
static const char rate_text[] = "Benjamini and Hochberg (J. R. Stat. Soc. B 57, 1995)";
static const char interval_text[] = "Fieller (J. R. Stat. Soc. B 16, 1954)";

/* ---- numbers for people ---- */

/* The decimals with which a deviation has two digits. */
static int decimals_for(double deviation, int most)
{
    int decimals = deviation > 0 ? 1 - (int)floor(log10(deviation)) : most;
    return decimals < 0 ? 0 : decimals > most ? most : decimals;
}

/* How the values of one cell are written: multiplied by a factor, in that unit. */
struct compared_unit {
    double factor;
    int decimals;
    char unit[20];
};

/* Counts without deviation have all digits, so that equal ones are seen to be equal. */
static struct compared_unit measure_of(const struct comparison_metric *metric,
                                       const struct summary *summary)
{
    static const struct {
        double scale;
        const char *prefix;
    } prefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}};
    enum { COUNT = sizeof(prefixes) / sizeof(*prefixes), ONE = 3, DECIMALS_MAX = 4 };
    bool clock = strncmp(metric->unit, "ns", 2) == 0; /* or ns/s */
    bool count = (metric->kind == COMPARE_COUNT || metric->kind == COMPARE_RATE) && !clock;
    bool seconds = metric->kind == COMPARE_SECONDS || clock;
    double base = clock ? 1e-9 : 1, mean = summary->mean * base;
    size_t p = 0;
    while (p < ONE && (!count || summary->deviation == 0 || mean < prefixes[p].scale))
        p++;
    while (seconds && p + 1 < COUNT && mean < prefixes[p].scale && mean > 0)
        p++;
    struct compared_unit measure = {.factor = base / prefixes[p].scale};
    snprintf(measure.unit, sizeof(measure.unit), "%s%s", prefixes[p].prefix,
             clock ? metric->unit + 1 : metric->unit);
    if (summary->min < summary->max)
        measure.decimals = decimals_for(summary->deviation * measure.factor, DECIMALS_MAX);
    else if (metric->kind != COMPARE_COUNT && summary->mean != 0)
        measure.decimals = DECIMALS_MAX;
    return measure;
}

/* The mean with the deviation, if there are several values. */
static char *mean_text(const struct comparison_metric *metric, size_t side, bool ascii)
{
    const struct compared *of = &metric->of[side];
    const struct summary *summary = &of->summary;
    struct compared_unit measure = measure_of(metric, summary);
    struct str cell = str_new();
    if (!summary->count) /* a ratio that is undefined, or what was not counted */
        return mem_strdup(of->undefined ? "n/a" : "-");
    str_printf(&cell, "%s%.*f", of->coverage < 1 ? "~" : "", measure.decimals,
               summary->mean * measure.factor);
    if (summary->count > 1)
        str_printf(&cell, " %s %.*f", ascii ? "+-" : "±", measure.decimals,
                   summary->deviation * measure.factor);
    str_printf(&cell, "%s%s", *measure.unit ? " " : "", measure.unit);
    return str_detach(&cell);
}

/* One value; whole numbers as they are. */
static char *value_text(const struct comparison_metric *metric, size_t side, double value)
{
    const struct summary *summary = &metric->of[side].summary;
    struct compared_unit measure = measure_of(metric, summary);
    if (!summary->count)
        return mem_strdup(metric->of[side].undefined ? "n/a" : "-");
    if (metric->kind == COMPARE_COUNT && measure.factor == 1)
        measure.decimals = 0;
    return mem_printf("%.*f%s%s", measure.decimals, value * measure.factor,
                      *measure.unit ? " " : "", measure.unit);
}

/* The change with its interval; `*` where it is significant. */
static char *change_text(const struct change *change)
{
    enum { DECIMALS_MAX = 4 };
    const char *mark = change->significant ? " *" : "  ";
    if (isnan(change->ratio))
        return mem_printf("%s%s", "n/a", mark);
    if (isnan(change->low))
        return mem_printf("%+.1f %% [n/a]%s", change->ratio * 100, mark);
    int decimals = decimals_for((change->high - change->low) * 50, DECIMALS_MAX);
    return mem_printf("%+.*f %% [%+.*f, %+.*f]%s", decimals, change->ratio * 100, decimals,
                      change->low * 100, decimals, change->high * 100, mark);
}

/* ---- text ---- */

/* The texts of a table, row by row; the first row has the titles. */
struct text_grid {
    size_t columns, left; /* number of columns; of those that begin at the left */
    char **cells;
    size_t count, room;
};

static void grid_add(struct text_grid *grid, char *cell)
{
    *MEM_ADD(grid->cells, grid->count, grid->room) = cell;
}

/* Writes the table and empties it. */
static void grid_write(struct text_grid *grid, struct str *text)
{
    for (size_t i = 0; i < grid->count; i++) {
        size_t column = i % grid->columns;
        int width = 0;
        for (size_t other = column; other < grid->count; other += grid->columns) {
            int cells = cells_width(grid->cells[other]);
            width = cells > width ? cells : width;
        }
        int pad = width - cells_width(grid->cells[i]);
        str_add(text, column == 0 ? "" : column < grid->left ? "  " : "   ");
        if (column < grid->left)
            str_printf(text, "%s%*s", grid->cells[i], pad, "");
        else
            str_printf(text, "%*s%s", pad, "", grid->cells[i]);
        if (column + 1 == grid->columns) {
            while (text->text[text->length - 1] == ' ')
                text->text[--text->length] = '\0';
            str_add_char(text, '\n');
        }
    }
    for (size_t i = 0; i < grid->count; i++)
        free(grid->cells[i]);
    free(grid->cells);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void compare_add_commands(struct str *text, const struct comparison *comparison,
                                 const struct compare_input *input)
{
    const struct session *session = input->sessions;
    size_t runs = comparison->sides[0].runs;
    str_printf(text, "countertop %s  engine %s  %zu run%s", session->host, session->engine, runs,
               plural(runs));
    if (comparison->count > 1)
        str_printf(text, " of each of %zu commands, in turn", comparison->count);
    if (comparison->warmups)
        str_printf(text, ", after %zu to warm up", comparison->warmups);
    str_add_char(text, '\n');
}

static void add_heading(struct str *text, const struct comparison *comparison,
                        const struct compare_input *input)
{
    bool recordings = comparison->recordings;
    const char *notice = recordings ? input->notice : input->sessions->notice;
    char name[128];
    if (recordings && comparison->functions)
        str_printf(text,
                   "countertop  functions of %zu recordings: %s a second, in blocks of intervals\n",
                   comparison->count, comparison_all(comparison)->name);
    else if (recordings)
        str_printf(text, "countertop  %zu recordings by command: means of their intervals\n",
                   comparison->count);
    else
        compare_add_commands(text, comparison, input);
    for (size_t c = 0; c < comparison->count; c++) {
        text_clean(name, sizeof(name), comparison->sides[c].text, input->ascii);
        if (comparison->count > 1)
            str_printf(text, "  %zu:", c + 1);
        str_printf(text, recordings ? "  %s" : "  %s\n", name);
        if (!recordings)
            continue;
        const struct comparison_side *side = &comparison->sides[c];
        const struct session *session = &input->sessions[c];
        str_printf(text, "    %zu %s%s in %.3g s, host %s, engine %s", side->runs,
                   comparison->functions ? "block" : "interval", plural(side->runs), side->seconds,
                   session->host, session->engine);
        str_printf(text, session->mode == MODE_ALL ? "\n" : ", %s only\n", session_mode(session));
    }
    if (notice && *notice)
        str_printf(text, "%s\n", notice);
    if (comparison->tests && comparison->functions)
        str_printf(text,
                   "* significant: %s, %g %% false ones of those marked in all %zu rows:\n"
                   "  %s; intervals: %s, %.6g %% each\n",
                   test_text, (1 - COMPARISON_CONFIDENCE) * 100, comparison->tests, rate_text,
                   interval_text, (1 - comparison->alpha) * 100);
    else if (comparison->tests)
        str_printf(text,
                   "* significant: %s;\n"
                   "  intervals: %s; %g %% for all %zu together\n",
                   test_text, interval_text, COMPARISON_CONFIDENCE * 100, comparison->tests);
    else if (comparison->count > 1)
        str_printf(text, "one %s cannot tell a change from chance: nothing is tested\n",
                   recordings ? "interval" : "run");
    if (comparison->tests && comparison->functions && !comparison->differs)
        str_add(text, "all functions together do not differ: shares are tested, too\n");
    if (comparison->functions)
        str_add(text, "functions are matched without what differs between builds: suffixes of "
                      "compilers, hashes, defaults of templates, versions of libraries\n");
    else if (recordings)
        str_add(text,
                "neighbouring intervals that resemble each other count as fewer; what is 0 in "
                "all is left out\n");
}

static void add_outliers(struct str *text, const struct comparison *comparison)
{
    const struct comparison_metric *first = &comparison->subjects->metrics[0];
    for (size_t c = 0; c < comparison->count; c++) {
        const struct comparison_side *command = &comparison->sides[c];
        const char *between = "";
        if (!command->outliers)
            continue;
        str_printf(text, "left out, %zu of %zu runs", command->outliers, command->runs);
        if (comparison->count > 1)
            str_printf(text, " of command %zu", c + 1);
        str_printf(text, ", far outside the others' %s (Tukey's outer fences): ", first->name);
        for (size_t run = 0; run < command->runs; run++)
            if (command->left_out[run]) {
                AUTO_FREE char *value = value_text(first, c, first->of[c].values[run]);
                str_printf(text, "%s%s in run %zu", between, value, run + 1);
                between = ", ";
            }
        str_add_char(text, '\n');
    }
}

static void compare_add_titles(struct text_grid *grid, const struct comparison *comparison,
                               bool ascii)
{
    bool single = comparison->count == 1;
    if (comparison->recordings)
        grid_add(grid, mem_strdup("COMMAND"));
    grid_add(grid, mem_strdup("METRIC"));
    for (size_t c = 0; c < comparison->count; c++)
        grid_add(grid, single ? mem_strdup(ascii ? "MEAN +- SD" : "MEAN ± SD")
                              : mem_printf("%zu", c + 1));
    for (size_t c = 1; c < comparison->count; c++)
        grid_add(grid, mem_printf("CHANGE OF %zu  ", c + 1));
    if (single) {
        grid_add(grid, mem_strdup("MIN"));
        grid_add(grid, mem_strdup("MAX"));
    }
}

/* "new" or "gone": it ran in one of the first and this side only; NULL: another row. */
static const char *compare_state(const struct comparison_subject *subject, size_t side)
{
    if (!subject->name || !subject->ran[0] == !subject->ran[side])
        return NULL;
    return subject->ran[side] ? "new" : "gone";
}

static bool compare_is_zero(const struct comparison *comparison,
                            const struct comparison_metric *metric)
{
    for (size_t c = 0; c < comparison->count; c++)
        if (metric->of[c].summary.count && metric->of[c].summary.mean != 0)
            return false;
    return true;
}

/* Adds the rows of a subject, whose name is in the first. */
static void compare_add_subject(struct text_grid *grid, const struct comparison *comparison,
                                const struct comparison_subject *subject, bool ascii)
{
    char name[64] = "(all)";
    if (subject->name)
        text_clean(name, sizeof(name), subject->name, ascii);
    for (size_t m = 0; m < subject->metric_count; m++) {
        const struct comparison_metric *metric = &subject->metrics[m];
        if (comparison->recordings && compare_is_zero(comparison, metric))
            continue;
        if (comparison->recordings)
            grid_add(grid, mem_strdup(name));
        *name = '\0';
        grid_add(grid, mem_strdup(metric->name));
        for (size_t c = 0; c < comparison->count; c++)
            grid_add(grid, mean_text(metric, c, ascii));
        for (size_t c = 1; c < comparison->count; c++) {
            const char *state = compare_state(subject, c);
            grid_add(grid, state ? mem_printf("%s  ", state) : change_text(&metric->of[c].change));
        }
        if (comparison->count == 1) {
            grid_add(grid, value_text(metric, 0, metric->of[0].summary.min));
            grid_add(grid, value_text(metric, 0, metric->of[0].summary.max));
        }
    }
}

/* ---- functions as text ---- */

static double compare_share(const struct comparison *comparison,
                            const struct comparison_metric *metric, size_t side)
{
    double all = comparison_all(comparison)->of[side].summary.mean;
    return all > 0 ? metric->of[side].summary.mean / all : NAN;
}

/* Whether the share of a function does. */
static bool share_differs(const struct comparison_subject *subject)
{
    return subject->metrics[1].of[1].change.significant;
}

static void compare_add_function(struct text_grid *grid, const struct comparison *comparison,
                                 const struct comparison_subject *subject,
                                 const struct comparison_metric *metric, bool ascii)
{
    char name[52] = "(elapsed)", object[32] = "";
    bool shares = subject->name || metric == comparison_all(comparison);
    const struct change *change = &metric->of[1].change;
    if (subject->name) {
        text_clean(name, sizeof(name), subject->name, ascii);
        text_clean(object, sizeof(object), subject->object, ascii);
    } else if (shares) {
        snprintf(name, sizeof(name), "(all functions)");
    }
    grid_add(grid, mem_strdup(name));
    grid_add(grid, mem_strdup(object));
    for (size_t c = 0; c < comparison->count; c++) {
        double share = compare_share(comparison, metric, c) * 100;
        const char *mark = !c ? "" : subject->name && share_differs(subject) ? " *" : "  ";
        grid_add(grid, !shares        ? mem_strdup("")
                       : isnan(share) ? mem_printf("n/a%s", mark)
                                      : mem_printf("%.2f%s", share, mark));
    }
    for (size_t c = 0; c < comparison->count; c++)
        grid_add(grid, mean_text(metric, c, ascii));
    if (isnan(change->ratio) && metric->of[1].summary.mean > 0)
        grid_add(grid, mem_printf("new%s", change->significant ? " *" : "  "));
    else
        grid_add(grid, change_text(change));
}

/* What is below a thousandth on both sides, and not marked, is only counted. */
static bool function_matters(const struct comparison *comparison,
                             const struct comparison_subject *subject)
{
    static const double LEAST = 0.001;
    const struct comparison_metric *metric = subject->metrics;
    return metric->of[1].change.significant || share_differs(subject) ||
           compare_share(comparison, metric, 0) >= LEAST ||
           compare_share(comparison, metric, 1) >= LEAST;
}

static void compare_functions(struct str *text, const struct comparison *comparison,
                              const struct compare_input *input)
{
    static const char *const titles[] = {"FUNCTION", "OBJECT", "1 %",          "2 %  ",
                                         "1",        "2",      "CHANGE OF 2  "};
    struct text_grid grid = {.columns = sizeof(titles) / sizeof(*titles), .left = 2};
    const struct comparison_subject *all = comparison->subjects;
    size_t left = 0, shown = 0;
    for (size_t i = 0; i < grid.columns; i++)
        grid_add(&grid, mem_strdup(titles[i]));
    for (size_t m = 0; m < all->metric_count; m++)
        compare_add_function(&grid, comparison, all, &all->metrics[m], input->ascii);
    for (size_t s = 1; s < comparison->subject_count; s++) {
        const struct comparison_subject *subject = &comparison->subjects[s];
        bool shows = (!input->rows || shown < input->rows) && function_matters(comparison, subject);
        left += !shows;
        shown += shows;
        if (shows)
            compare_add_function(&grid, comparison, subject, subject->metrics, input->ascii);
    }
    grid_write(&grid, text);
    if (left > 0)
        str_printf(text, "%zu more function%s%s\n", left, plural(left),
                   input->rows ? "" : ", each below 0.1 % and not significant");
}

void compare_text(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input)
{
    bool single = comparison->count == 1, recordings = comparison->recordings;
    struct text_grid grid = {.left = recordings ? 2 : 1};
    size_t count = comparison->subject_count, shown = count;
    grid.columns = grid.left + (single ? 3 : 2 * comparison->count - 1);
    add_heading(text, comparison, input);
    if (comparison->functions) {
        compare_functions(text, comparison, input);
    } else {
        compare_add_titles(&grid, comparison, input->ascii);
        if (input->rows && input->rows < count - 1)
            shown = (size_t)input->rows + 1;
        for (size_t s = 0; s < shown; s++)
            compare_add_subject(&grid, comparison, &comparison->subjects[s], input->ascii);
        grid_write(&grid, text);
        if (shown < count)
            str_printf(text, "%zu more command%s\n", count - shown, plural(count - shown));
    }
    if (!recordings)
        add_outliers(text, comparison);
    text->length = str_clean(text->text, true);
}

/* ---- for programs ---- */

/* What is known of a side's values, in the order of CSV; SHARE only of functions. */
enum statistic {
    MEAN,
    DEVIATION,
    MIN,
    MAX,
    COVERAGE,
    CHANGE,
    LOW,
    HIGH,
    SIGNIFICANT,
    FIELDS,
    SHARE = FIELDS
};
static const char *const field_names[FIELDS] = {"mean",   "sd",  "min",  "max",        "coverage",
                                                "change", "low", "high", "significant"};

/* NAN: no value. */
static double field_of(const struct comparison *comparison, const struct comparison_metric *metric,
                       size_t side, enum statistic field)
{
    const struct compared *of = &metric->of[side];
    const struct summary *summary = &of->summary;
    const struct change *change = &of->change;
    if (field == SHARE)
        return compare_share(comparison, metric, side);
    if (field < CHANGE ? summary->count <= (field == DEVIATION) : !side)
        return NAN;
    const double fields[FIELDS] = {
        summary->mean, summary->deviation, summary->min,
        summary->max,  of->coverage,       change->ratio,
        change->low,   change->high,       change->tested ? change->significant : NAN,
    };
    return fields[field];
}

static void csv_add_metric(struct str *text, const struct comparison *comparison,
                           const struct comparison_subject *subject,
                           const struct comparison_metric *metric, size_t side, bool safe)
{
    const struct comparison_side *of = &comparison->sides[side];
    bool named = comparison->recordings || comparison->functions;
    if (named && subject->name)
        csv_add_field(text, subject->name, safe);
    else if (named)
        str_add(text, "\"\""); /* an empty field that begins the row */
    if (comparison->functions)
        csv_add_field(text, subject->object, safe);
    csv_add_field(text, metric->name, safe);
    csv_add_field(text, metric->unit, safe);
    csv_add_field(text, of->text, safe);
    str_printf(text, ",%zu,%zu", of->runs,
               comparison->recordings && !comparison->functions ? subject->ran[side]
                                                                : of->outliers);
}

void compare_csv(struct str *text, const struct comparison *comparison,
                 const struct compare_input *input)
{
    str_add(text, comparison->functions    ? "function,object,metric,unit,side,runs,outliers"
                  : comparison->recordings ? "command,metric,unit,recording,intervals,ran"
                                           : "metric,unit,command,runs,outliers");
    for (enum statistic field = 0; field < FIELDS; field++)
        str_printf(text, ",%s", field_names[field]);
    str_add_char(text, '\n');
    for (size_t s = 0; s < comparison->subject_count; s++)
        for (size_t m = 0; m < comparison->subjects[s].metric_count; m++)
            for (size_t c = 0; c < comparison->count; c++) {
                const struct comparison_subject *subject = &comparison->subjects[s];
                const struct comparison_metric *metric = &subject->metrics[m];
                csv_add_metric(text, comparison, subject, metric, c, input->csv_safe);
                for (enum statistic field = 0; field < FIELDS; field++) {
                    double value = field_of(comparison, metric, c, field);
                    str_add_char(text, ',');
                    if (!isnan(value))
                        str_printf(text, "%.15g", value);
                }
                str_add_char(text, '\n');
            }
}

static void json_add_field(struct str *text, const char *key, const struct comparison *comparison,
                           const struct comparison_metric *metric, size_t side,
                           enum statistic field)
{
    double value = field_of(comparison, metric, side, field);
    if (!isnan(value) && field == SIGNIFICANT)
        json_bool(text, key, value > 0);
    else
        json_known(text, key, !isnan(value), "%.15g", value);
}

static void json_add_fields(struct str *text, const char *key, const struct comparison *comparison,
                            const struct comparison_metric *metric, enum statistic field)
{
    json_open(text, key, '[');
    for (size_t c = 0; c < comparison->count; c++)
        json_add_field(text, NULL, comparison, metric, c, field);
    json_close(text, ']');
}

static void json_add_commands(struct str *text, const struct comparison *comparison,
                              const struct compare_input *input)
{
    json_number(text, "runs", "%zu", comparison->sides[0].runs);
    json_number(text, "warmups", "%zu", comparison->warmups);
    json_open(text, "commands", '[');
    for (size_t c = 0; c < comparison->count; c++)
        json_text(text, NULL, comparison->sides[c].text);
    json_close(text, ']');
    json_open(text, "outliers", '[');
    for (size_t c = 0; c < comparison->count; c++)
        json_number(text, NULL, "%zu", comparison->sides[c].outliers);
    json_close(text, ']');
    json_text(text, "engine", input->sessions->engine);
    json_text(text, "notice", *input->sessions->notice ? input->sessions->notice : NULL);
    json_open(text, "events", '[');
    for (size_t e = 0; e < input->events->count; e++) {
        json_open(text, NULL, '{');
        json_text(text, "name", input->events->events[e].name);
        json_text(text, "state", event_state_name(input->events->events[e].state));
        json_text(text, "reason", input->events->events[e].reason);
        json_close(text, '}');
    }
    json_close(text, ']');
}

static void json_add_recordings(struct str *text, const struct comparison *comparison,
                                const struct compare_input *input)
{
    json_open(text, "recordings", '[');
    for (size_t c = 0; c < comparison->count; c++) {
        json_open(text, NULL, '{');
        json_text(text, "file", comparison->sides[c].text);
        json_number(text, "intervals", "%zu", comparison->sides[c].runs);
        json_number(text, "seconds", "%.9g", comparison->sides[c].seconds);
        json_text(text, "host", input->sessions[c].host);
        json_text(text, "engine", input->sessions[c].engine);
        json_text(text, "mode", session_mode(&input->sessions[c]));
        json_close(text, '}');
    }
    json_close(text, ']');
    json_text(text, "notice", input->notice);
    if (comparison->functions)
        return;
    json_open(text, "rows", '[');
    for (size_t s = 0; s < comparison->subject_count; s++) {
        const struct comparison_subject *subject = &comparison->subjects[s];
        json_open(text, NULL, '{');
        json_text(text, "command", subject->name);
        json_open(text, "ran", '[');
        for (size_t c = 0; c < comparison->count; c++)
            json_number(text, NULL, "%zu", subject->ran[c]);
        json_close(text, ']');
        json_open(text, "state", '[');
        for (size_t c = 0; c < comparison->count; c++)
            json_text(text, NULL, compare_state(subject, c));
        json_close(text, ']');
        json_close(text, '}');
    }
    json_close(text, ']');
}

static void json_add_changes(struct str *text, const struct comparison *comparison,
                             const struct comparison_metric *metric)
{
    for (enum statistic field = CHANGE; field < FIELDS; field++)
        json_add_field(text, field_names[field], comparison, metric, 1, field);
}

/* A function, or all together (name NULL). */
static void json_add_function(struct str *text, const struct comparison *comparison,
                              const struct comparison_subject *subject,
                              const struct comparison_metric *metric)
{
    json_open(text, subject->name ? NULL : metric->name, '{');
    if (subject->name) {
        json_text(text, "function", subject->name);
        json_text(text, "object", subject->object);
        json_add_fields(text, "share", comparison, metric, SHARE);
        json_open(text, "share_change", '{');
        json_add_changes(text, comparison, &metric[1]);
        json_close(text, '}');
    }
    json_add_fields(text, metric->kind == COMPARE_SECONDS ? "seconds" : "count", comparison, metric,
                    MEAN);
    json_add_fields(text, "sd", comparison, metric, DEVIATION);
    json_add_changes(text, comparison, metric);
    json_close(text, '}');
}

static void json_add_functions(struct str *text, const struct comparison *comparison)
{
    const struct comparison_subject *all = comparison->subjects;
    json_text(text, "rate", rate_text);
    json_number(text, "tests", "%zu", comparison->tests);
    json_number(text, "alpha", "%.6g", comparison->alpha);
    json_open(text, "all", '{');
    for (size_t m = 0; m < all->metric_count; m++)
        json_add_function(text, comparison, all, &all->metrics[m]);
    json_close(text, '}');
    json_open(text, "functions", '[');
    for (size_t s = 1; s < comparison->subject_count; s++)
        json_add_function(text, comparison, &comparison->subjects[s],
                          comparison->subjects[s].metrics);
    json_close(text, ']');
}

static void json_add_metric(struct str *text, const struct comparison *comparison,
                            const struct comparison_subject *subject,
                            const struct comparison_metric *metric)
{
    json_open(text, NULL, '{');
    if (comparison->recordings)
        json_text(text, "command", subject->name);
    json_text(text, "name", metric->name);
    json_text(text, "unit", metric->unit);
    for (enum statistic field = 0; field < FIELDS; field++)
        json_add_fields(text, field_names[field], comparison, metric, field);
    json_close(text, '}');
}

void compare_json(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input)
{
    json_open(text, NULL, '{');
    json_text(text, "type", "compare");
    if (comparison->recordings)
        json_add_recordings(text, comparison, input);
    else
        json_add_commands(text, comparison, input);
    json_number(text, "confidence", "%g", COMPARISON_CONFIDENCE);
    json_text(text, "test", test_text);
    json_text(text, "intervals", interval_text);
    if (comparison->functions) {
        json_add_functions(text, comparison);
    } else {
        json_open(text, "metrics", '[');
        for (size_t s = 0; s < comparison->subject_count; s++)
            for (size_t m = 0; m < comparison->subjects[s].metric_count; m++)
                json_add_metric(text, comparison, &comparison->subjects[s],
                                &comparison->subjects[s].metrics[m]);
        json_close(text, ']');
    }
    json_close(text, '}');
    str_add_char(text, '\n');
}
