#include "app/host.h"
#include "view/column.h"

/* Adds a word to a list, quoted if it has blanks. False: it cannot be written, which is harmless:
 * each event has a column anyway. */
static bool add_word(struct str *line, const char *word)
{
    bool quoted = word[strcspn(word, " \t")] || *word == '\'' || *word == '"';
    const char *quote = !quoted ? "" : strchr(word, '\'') ? "\"" : "'";
    if (quoted && strchr(word, *quote))
        return false;
    str_printf(line, "%s%s%s%s", line->length ? " " : "", quote, word, quote);
    return true;
}

/* Ends the line if it is long enough, or the last: further lines with the key add to the list. */
static void save_screen_end_line(struct str *text, const char *key, struct str *line, bool last)
{
    enum { ENOUGH = 80 };
    if (line->length <= ENOUGH && !(last && line->length))
        return;
    str_printf(text, "%s = %s\n", key, line->text);
    str_clear(line);
}

/* Whether what a column needs is counted: just after a change of screen, the frame still has
 * columns of events that are counted no more; and those of an event that was removed show nothing.
 */
static bool save_screen_has(const char *column, const struct definitions *definitions,
                            const struct event_list *events)
{
    const struct metric *metric = metric_set_find(&definitions->metric_set, column);
    if (!metric)
        return column_is_fact(column) || event_list_find(events, column);
    for (size_t i = 0; i < expr_event_count(metric->expr); i++)
        if (!host_lists(events, expr_event(metric->expr, i)))
            return false;
    return true;
}

static void save_screen_add_columns(struct str *text, const struct column_list *list,
                                    const struct definitions *definitions,
                                    const struct event_list *events)
{
    AUTO_STR struct str line = str_new();
    for (size_t c = 0; c < list->count; c++) {
        if (save_screen_has(list->columns[c].shown.name, definitions, events))
            add_word(&line, list->columns[c].shown.name);
        save_screen_end_line(text, "columns", &line, c + 1 == list->count);
    }
    for (size_t c = 0; c < list->count; c++) {
        const struct column *column = &list->columns[c];
        if (column->sized && save_screen_has(column->shown.name, definitions, events) &&
            add_word(&line, column->shown.name))
            str_printf(&line, ":%d", column->shown.width);
        save_screen_end_line(text, "widths", &line, c + 1 == list->count);
    }
}

static void add_metric(struct str *text, const struct metric *metric)
{
    enum { EXACT = 17 }; /* digits for any double */
    const char *unit = metric->unit.kind == UNIT_RATIO ? "ratio" : metric->unit.text;
    str_printf(text, "[metric %s]\n", metric->name);
    if (!str_equal(metric->title, metric->name))
        str_printf(text, "title = %s\n", metric->title);
    if (*unit)
        str_printf(text, "unit = %s\n", unit);
    if (*metric->help)
        str_printf(text, "help = %s\n", metric->help);
    str_printf(text, "expr = %s\nwidth = %d\n", metric->text, metric->width);
    if (metric->decimals >= 0)
        str_printf(text, "decimals = %d\n", metric->decimals);
    if (metric->has_good && metric->has_bad)
        str_printf(text, "good = %.*g\nbad = %.*g\n", EXACT, metric->good, EXACT, metric->bad);
    str_add(text, "\n");
}

/* The text must be readable again, by what reads it: otherwise the next start would leave it out.
 */
static int save_screen_check_text(const struct definitions *definitions, const char *text,
                                  const char *path, struct err *err)
{
    struct screen_list list = {0};
    struct metric_set metric_set = {0};
    int result =
        metric_set_load(&metric_set, text, path, err) ?: screen_list_load(&list, text, path, err);
    for (size_t s = 0; s < list.count && result == 0; s++)
        result = definitions_check_screen(definitions, &list.screens[s], err);
    screen_list_release(&list);
    metric_set_release(&metric_set);
    return result;
}

static int write_new(const char *path, const struct str *text, struct err *err)
{
    FILE *file = fopen(path, "wxe");
    if (!file && errno == EEXIST)
        return err_set(err, "cannot write '%.200s': there is one already; choose another name",
                       path);
    bool done = file && fwrite(text->text, 1, text->length, file) == text->length;
    if (file && fclose(file) == 0 && done)
        return 0;
    err_set(err, "cannot write '%.200s': %s", path, err_reason(errno));
    if (file)
        unlink(path); /* removes the incomplete file */
    return -1;
}

/* Writes NAME.ini, a new file, in `directory` (see definitions_directory), which is created if
 * necessary: the columns of the terminal with their widths, the order, the events, and metrics
 * among the columns that were set at run time, as screen `name`. It is one of the definitions then,
 * while there is room without moving others. NULL with a message and nothing written. */
static char *save_screen_write(const char *directory, const char *name, const struct view *view,
                               struct definitions *definitions, const struct event_list *events,
                               struct err *err)
{
    struct screen_list *screens = &definitions->screens;
    const struct metric_set *metric_set = &definitions->metric_set;
    enum { LONGEST = 32 };
    bool good = isalnum((unsigned char)*name) && strlen(name) <= LONGEST;
    for (const char *c = name; *c && good; c++)
        good = isalnum((unsigned char)*c) || strchr("_-.", *c);
    if (!good)
        return err_null(
            err,
            "no name for a screen '%.100s': expected at most %d letters, digits, '_', '-' and "
            "'.', a letter or digit first",
            name, LONGEST);
    if (!directory)
        return err_null(err, "cannot write a screen: HOME names no directory; start with -W DIR");
    AUTO_STR struct str text = str_new();
    struct column_list list = {0};
    bool of_cpus = view_choose_saved(view, &list) == VIEW_CPUS;
    for (size_t m = 0; m < metric_set->count; m++)
        if (metric_set->metrics[m].own && column_list_find(&list, metric_set->metrics[m].name))
            add_metric(&text, &metric_set->metrics[m]);
    str_printf(&text, "[screen %s]\n%s", name, of_cpus ? "view = cpus\n" : "");
    if (view_screen(view))
        str_printf(&text, "description = made from '%s'\n", view_screen(view)->name);
    for (size_t e = 0; e < events->count; e++) {
        AUTO_FREE char *item = event_list_item(events, e);
        if (item)
            str_printf(&text, "events = %s\n", item);
    }
    save_screen_add_columns(&text, &list, definitions, events);
    const char *sort = view_column(view, view_sort_column(view))->name;
    if (column_list_find(&list, sort) && save_screen_has(sort, definitions, events))
        str_printf(&text, "sort = %s\n", sort);
    column_list_release(&list);
    char *path = mem_printf("%s/%s.ini", directory, name);
    if (save_screen_check_text(definitions, text.text, path, err) < 0 ||
        file_make_directory(directory, err) < 0 || write_new(path, &text, err) < 0)
        mem_replace(&path, NULL);
    if (path && screens->count < screens->room) /* no screen moves */
        screen_list_load(screens, text.text, path, NULL);
    return path;
}

int host_save_screen(struct host *host, const char *name, char **path, struct err *err)
{
    AUTO_FREE char *directory = definitions_directory(host->options->directory);
    *path =
        save_screen_write(directory, name, host->view, host->definitions, &host->setup.events, err);
    if (*path)
        host_show_screen(host, name, NULL);
    return *path ? 0 : -1;
}
