#include "front/compare.h"
#include "base/cells.h"
#include "base/json.h"
#include "base/mem.h"
#include "front/csv_field.h"
#include "view/view.h"
#include "view/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char test_text[] = "Welch's t-test (Biometrika 34, 1947)";
static const char interval_text[] = "Fieller (J. R. Stat. Soc. B 16, 1954)";

/* ---- numbers for people ---- */

/* The decimals with which a deviation has two digits. */
static int decimals_for(double deviation, int most)
{
    int decimals = deviation > 0 ? 1 - (int)floor(log10(deviation)) : most;
    return decimals < 0 ? 0 : decimals > most ? most : decimals;
}

/* How the values of one cell are written: multiplied by a factor, in that unit. */
struct measure {
    double factor;
    int decimals;
    char unit[12];
};

/* Counts without deviation have all digits, so that equal ones are seen to be equal. */
static struct measure measure_of(const struct comparison_metric *metric,
                                 const struct summary *summary)
{
    static const struct {
        double scale;
        const char *prefix;
    } prefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1, ""}, {1e-3, "m"}, {1e-6, "u"}};
    enum { COUNT = sizeof(prefixes) / sizeof(*prefixes), ONE = 3, DECIMALS_MAX = 4 };
    bool clock = strcmp(metric->unit, "ns") == 0, count = metric->kind == COMPARE_COUNT && !clock;
    bool seconds = metric->kind == COMPARE_SECONDS || clock;
    double base = clock ? 1e-9 : 1, mean = summary->mean * base;
    size_t p = 0;
    while (p < ONE && (!count || summary->deviation == 0 || mean < prefixes[p].scale))
        p++;
    while (seconds && p + 1 < COUNT && mean < prefixes[p].scale && mean > 0)
        p++;
    struct measure measure = {.factor = base / prefixes[p].scale};
    snprintf(measure.unit, sizeof(measure.unit), "%s%s", prefixes[p].prefix,
             clock ? "s" : metric->unit);
    if (summary->min < summary->max)
        measure.decimals = decimals_for(summary->deviation * measure.factor, DECIMALS_MAX);
    else if (!count && summary->mean != 0)
        measure.decimals = DECIMALS_MAX;
    return measure;
}

static void add_measured(struct str *cell, const struct measure *measure, double value)
{
    str_printf(cell, "%.*f", measure->decimals, value * measure->factor);
}

static void compare_add_unit(struct str *cell, const struct measure *measure)
{
    str_printf(cell, "%s%s", *measure->unit ? " " : "", measure->unit);
}

/* The mean with the deviation, if there are several values. */
static char *mean_text(const struct comparison_metric *metric, size_t command, bool ascii)
{
    const struct compared *of = &metric->of[command];
    const struct summary *summary = &of->summary;
    struct measure measure = measure_of(metric, summary);
    struct str cell;
    str_init(&cell);
    if (!summary->count) {
        str_add(&cell, "-");
        return str_detach(&cell);
    }
    str_add(&cell, of->coverage < 1 ? "~" : "");
    add_measured(&cell, &measure, summary->mean);
    if (summary->count > 1) {
        str_add(&cell, ascii ? " +- " : " ± ");
        add_measured(&cell, &measure, summary->deviation);
    }
    compare_add_unit(&cell, &measure);
    return str_detach(&cell);
}

/* One value; whole numbers as they are. */
static char *value_text(const struct comparison_metric *metric, size_t command, double value)
{
    const struct summary *summary = &metric->of[command].summary;
    struct measure measure = measure_of(metric, summary);
    struct str cell;
    str_init(&cell);
    if (!summary->count) {
        str_add(&cell, "-");
        return str_detach(&cell);
    }
    if (metric->kind == COMPARE_COUNT && measure.factor == 1)
        measure.decimals = 0;
    add_measured(&cell, &measure, value);
    compare_add_unit(&cell, &measure);
    return str_detach(&cell);
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
struct grid {
    size_t columns;
    char **cells;
    size_t count, room;
};

static void grid_add(struct grid *grid, char *cell)
{
    mem_grow(&grid->cells, &grid->room, grid->count + 1, sizeof(*grid->cells));
    grid->cells[grid->count++] = cell;
}

/* Writes the table, the first column to the left and others to the right, and empties it. */
static void grid_write(struct grid *grid, struct str *text)
{
    for (size_t i = 0; i < grid->count; i++) {
        size_t column = i % grid->columns;
        int width = 0;
        for (size_t other = column; other < grid->count; other += grid->columns) {
            int cells = cells_width(grid->cells[other]);
            width = cells > width ? cells : width;
        }
        int pad = width - cells_width(grid->cells[i]);
        if (column == 0)
            str_printf(text, "%s%*s", grid->cells[i], pad, "");
        else
            str_printf(text, "   %*s%s", pad, "", grid->cells[i]);
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

static void add_heading(struct str *text, const struct comparison *comparison,
                        const struct compare_input *input)
{
    const struct session *session = input->session;
    size_t runs = comparison->commands[0].runs;
    char name[128];
    str_printf(text, "countertop %s  engine %s  %zu run%s", session->host, session->engine, runs,
               plural(runs));
    if (comparison->count > 1)
        str_printf(text, " of each of %zu commands, in turn", comparison->count);
    if (comparison->warmups)
        str_printf(text, ", after %zu to warm up", comparison->warmups);
    str_add_char(text, '\n');
    for (size_t c = 0; c < comparison->count; c++) {
        text_clean(name, sizeof(name), comparison->commands[c].text, input->ascii);
        if (comparison->count > 1)
            str_printf(text, "  %zu:", c + 1);
        str_printf(text, "  %s\n", name);
    }
    if (*session->notice)
        str_printf(text, "%s\n", session->notice);
    if (comparison->tests)
        str_printf(text,
                   "* significant: %s;\n"
                   "  intervals: %s; %g %% for all %zu together\n",
                   test_text, interval_text, COMPARISON_CONFIDENCE * 100, comparison->tests);
    else if (comparison->count > 1)
        str_add(text, "one run cannot tell a change from chance: nothing is tested\n");
}

static void add_outliers(struct str *text, const struct comparison *comparison)
{
    const struct comparison_metric *first = &comparison->metrics[0];
    for (size_t c = 0; c < comparison->count; c++) {
        const struct compared_command *command = &comparison->commands[c];
        const char *between = "";
        if (!command->outliers)
            continue;
        str_printf(text, "left out, %zu of %zu runs", command->outliers, command->runs);
        if (comparison->count > 1)
            str_printf(text, " of command %zu", c + 1);
        str_printf(text, ", far outside the others' %s (Tukey's outer fences): ", first->name);
        for (size_t run = 0; run < command->runs; run++)
            if (command->left_out[run]) {
                char *value = value_text(first, c, first->of[c].values[run]);
                str_printf(text, "%s%s in run %zu", between, value, run + 1);
                between = ", ";
                free(value);
            }
        str_add_char(text, '\n');
    }
}

void compare_text(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input)
{
    bool single = comparison->count == 1;
    struct grid grid = {.columns = single ? 4 : 2 * comparison->count};
    add_heading(text, comparison, input);
    grid_add(&grid, mem_strdup("METRIC"));
    for (size_t c = 0; c < comparison->count; c++)
        grid_add(&grid, single ? mem_strdup(input->ascii ? "MEAN +- SD" : "MEAN ± SD")
                               : mem_printf("%zu", c + 1));
    for (size_t c = 1; c < comparison->count; c++)
        grid_add(&grid, mem_printf("CHANGE OF %zu  ", c + 1));
    if (single) {
        grid_add(&grid, mem_strdup("MIN"));
        grid_add(&grid, mem_strdup("MAX"));
    }
    for (size_t m = 0; m < comparison->metric_count; m++) {
        const struct comparison_metric *metric = &comparison->metrics[m];
        grid_add(&grid, mem_strdup(metric->name));
        for (size_t c = 0; c < comparison->count; c++)
            grid_add(&grid, mean_text(metric, c, input->ascii));
        for (size_t c = 1; c < comparison->count; c++)
            grid_add(&grid, change_text(&metric->of[c].change));
        if (single) {
            grid_add(&grid, value_text(metric, 0, metric->of[0].summary.min));
            grid_add(&grid, value_text(metric, 0, metric->of[0].summary.max));
        }
    }
    grid_write(&grid, text);
    add_outliers(text, comparison);
}

/* ---- for programs ---- */

enum field { MEAN, DEVIATION, MIN, MAX, COVERAGE, CHANGE, LOW, HIGH, FIELDS };

/* NAN: no value. */
static double field_of(const struct compared *of, size_t command, enum field field)
{
    const struct summary *summary = &of->summary;
    switch (field) {
    case MEAN:
        return summary->count ? summary->mean : NAN;
    case DEVIATION:
        return summary->count > 1 ? summary->deviation : NAN;
    case MIN:
        return summary->count ? summary->min : NAN;
    case MAX:
        return summary->count ? summary->max : NAN;
    case COVERAGE:
        return summary->count ? of->coverage : NAN;
    case CHANGE:
        return command ? of->change.ratio : NAN;
    case LOW:
        return command ? of->change.low : NAN;
    default:
        return command ? of->change.high : NAN;
    }
}

void compare_csv(struct str *text, const struct comparison *comparison,
                 const struct compare_input *input)
{
    str_add(text, "metric,unit,command,runs,outliers,mean,sd,min,max,coverage,change,low,high,"
                  "significant\n");
    for (size_t m = 0; m < comparison->metric_count; m++)
        for (size_t c = 0; c < comparison->count; c++) {
            const struct comparison_metric *metric = &comparison->metrics[m];
            const struct compared *of = &metric->of[c];
            csv_add_field(text, metric->name, input->csv_safe);
            csv_add_field(text, metric->unit, input->csv_safe);
            csv_add_field(text, comparison->commands[c].text, input->csv_safe);
            str_printf(text, ",%zu,%zu", comparison->commands[c].runs,
                       comparison->commands[c].outliers);
            for (enum field field = 0; field < FIELDS; field++) {
                double value = field_of(of, c, field);
                str_add_char(text, ',');
                if (!isnan(value))
                    str_printf(text, "%.15g", value);
            }
            str_printf(text, ",%s\n",
                       !c || !of->change.tested ? ""
                       : of->change.significant ? "1"
                                                : "0");
        }
}

void compare_json(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input)
{
    static const char *const names[FIELDS] = {"mean",     "sd",     "min", "max",
                                              "coverage", "change", "low", "high"};
    json_open(text, NULL, '{');
    json_text(text, "type", "compare");
    json_number(text, "runs", "%zu", comparison->commands[0].runs);
    json_number(text, "warmups", "%zu", comparison->warmups);
    json_open(text, "commands", '[');
    for (size_t c = 0; c < comparison->count; c++)
        json_text(text, NULL, comparison->commands[c].text);
    json_close(text, ']');
    json_open(text, "outliers", '[');
    for (size_t c = 0; c < comparison->count; c++)
        json_number(text, NULL, "%zu", comparison->commands[c].outliers);
    json_close(text, ']');
    json_number(text, "confidence", "%g", COMPARISON_CONFIDENCE);
    json_text(text, "test", test_text);
    json_text(text, "intervals", interval_text);
    json_text(text, "engine", input->session->engine);
    json_text(text, "notice", *input->session->notice ? input->session->notice : NULL);
    json_open(text, "events", '[');
    for (size_t e = 0; e < input->events->count; e++) {
        json_open(text, NULL, '{');
        json_text(text, "name", input->events->events[e].name);
        json_text(text, "state", event_state_name(input->events->events[e].state));
        json_text(text, "reason", input->events->events[e].reason);
        json_close(text, '}');
    }
    json_close(text, ']');
    json_open(text, "metrics", '[');
    for (size_t m = 0; m < comparison->metric_count; m++) {
        const struct comparison_metric *metric = &comparison->metrics[m];
        json_open(text, NULL, '{');
        json_text(text, "name", metric->name);
        json_text(text, "unit", metric->unit);
        for (enum field field = 0; field < FIELDS; field++) {
            json_open(text, names[field], '[');
            for (size_t c = 0; c < comparison->count; c++) {
                double value = field_of(&metric->of[c], c, field);
                if (isnan(value))
                    json_null(text, NULL);
                else
                    json_number(text, NULL, "%.15g", value);
            }
            json_close(text, ']');
        }
        json_open(text, "significant", '[');
        for (size_t c = 0; c < comparison->count; c++)
            if (c && metric->of[c].change.tested)
                json_bool(text, NULL, metric->of[c].change.significant);
            else
                json_null(text, NULL);
        json_close(text, ']');
        json_close(text, '}');
    }
    json_close(text, ']');
    json_close(text, '}');
    str_add_char(text, '\n');
}
