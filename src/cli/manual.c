#include "cli/manual.h"
#include "base/embed.h"
#include "base/ini.h"
#include "front/tui/tui.h"
#include "view/builtin_column.h"

static void manual_add_text(struct str *line, const char *text)
{
    /* Characters that roff would replace; it makes a '-' a hyphen. */
    static const char *const escapes[UCHAR_MAX + 1] = {
        ['\\'] = "\\e",  ['-'] = "\\-",   ['\''] = "\\(aq", ['`'] = "\\(ga",
        ['^'] = "\\(ha", ['~'] = "\\(ti", ['"'] = "\\(dq",
    };
    unsigned code;
    for (size_t length; *text; text += length) {
        const char *escape = escapes[(unsigned char)*text];
        length = str_utf8(text, &code);
        if (escape)
            str_add(line, escape);
        else if (length > 1)
            str_printf(line, "\\[u%04X]", code);
        else
            str_add_char(line, *text == '\n' ? ' ' : *text);
    }
}

/* Adds text in bold or italic, B or I. */
static void add_font(struct str *line, char font, const char *text)
{
    str_printf(line, "\\f%c", font);
    manual_add_text(line, text);
    str_add(line, "\\fR");
}

/* Writes an escaped paragraph in lines of at most 80 columns. */
static void write_filled(FILE *out, const char *text)
{
    enum { WIDEST = 78 };
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > WIDEST) {
            fputc('\n', out);
            column = 0;
        }
        /* A line that begins with these is a request. */
        const char *guard = column == 0 && (*text == '.' || *text == '\'') ? "\\&" : "";
        fprintf(out, "%s%s%.*s", column > 0 ? " " : "", guard, (int)length, text);
        column += length + (column > 0);
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* Writes a tag with its text, and clears the tag. */
static void write_tagged(FILE *out, struct str *tag, const char *text)
{
    fprintf(out, ".TP\n%s\n", tag->text);
    AUTO_STR struct str escaped = str_new();
    manual_add_text(&escaped, text);
    write_filled(out, escaped.text);
    str_clear(tag);
}

/* ---- parts ---- */

static void write_options(FILE *out)
{
    AUTO_STR struct str tag = str_new();
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        if (spec->heading)
            fprintf(out, ".SS %s\n", spec->heading);
        if (spec->letter) {
            add_font(&tag, 'B', (char[]){'-', spec->letter, '\0'});
            str_add(&tag, ", ");
        }
        str_printf(&tag, "\\fB\\-\\-");
        manual_add_text(&tag, spec->name);
        str_add(&tag, "\\fR");
        if (spec->argument) {
            char name[32];
            bool optional = option_is_optional(spec);
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(spec->argument + optional, "]"),
                     spec->argument + optional);
            str_add(&tag, optional ? " [" : " ");
            add_font(&tag, 'I', name);
            str_add(&tag, optional ? "]" : "");
        }
        AUTO_STR struct str text = str_new();
        AUTO_FREE char *help = option_help(spec);
        str_add(&text, help);
        for (size_t i = 0; spec->excludes[i]; i++) {
            str_add(&text, i ? ", " : "; not with ");
            option_add_use(&text, spec->excludes[i]);
        }
        write_tagged(out, &tag, text.text);
    }
}

static void write_settings(FILE *out)
{
    AUTO_STR struct str line = str_new();
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        if (!spec->setting)
            continue;
        add_font(&line, 'B', spec->name);
        str_add(&line, " = ");
        const char *word;
        for (size_t w = 0; spec->words && (word = option_word(spec, w)); w++) {
            str_add(&line, w ? " | " : "");
            manual_add_text(&line, word);
        }
        if (option_takes_answer(spec))
            str_add(&line, "yes | no");
        else if (!spec->words)
            add_font(&line, 'I', spec->argument);
        fprintf(out, "%s\n.br\n", line.text);
        str_clear(&line);
    }
}

/* Commands that share their help are collected and written before the next one. */
struct key_part {
    FILE *out;
    const char *pane; /* the pane being written; NULL: none */
    const char *help; /* of the collected commands */
    struct str tag;
};

static void take_keys(void *ctx, const struct key_line *line)
{
    struct key_part *part = ctx;
    if (!line->joined && part->tag.length)
        write_tagged(part->out, &part->tag, part->help);
    if (part->pane != line->pane)
        fprintf(part->out, ".SS %s (pane \\fI%s\\fR)\n", line->title, line->pane);
    part->pane = line->pane;
    part->help = line->help;
    str_add(&part->tag, part->tag.length ? ", " : "");
    add_font(&part->tag, 'B', line->keys);
    str_add(&part->tag, " (");
    add_font(&part->tag, 'I', line->command);
    str_add(&part->tag, ")");
}

static void manual_write_keys(FILE *out)
{
    struct keymap keymap;
    struct key_part part = {.out = out};
    keymap_init(&keymap, &commands_keys);
    part.tag = str_new();
    keylist_each(&keymap, take_keys, &part);
    if (part.tag.length)
        write_tagged(out, &part.tag, part.help);
    str_release(&part.tag);
    keymap_release(&keymap);
}

/* Writes a column's title and name, and what it means. */
static void write_column(FILE *out, const char *title, const char *name, const char *help)
{
    AUTO_STR struct str tag = str_new();
    add_font(&tag, 'B', *title ? title : name);
    str_add(&tag, " (");
    add_font(&tag, 'I', name);
    str_add(&tag, ")");
    write_tagged(out, &tag, help);
}

static void manual_write_columns(FILE *out)
{
    const struct builtin_column *column;
    for (size_t i = 0; (column = builtin_column_at(i)); i++)
        write_column(out, column->title, column->name, column->help);
}

/* Metrics of the built-in screens, each once, whatever this machine is. */
struct metric_part {
    FILE *out;
    struct names written;
    char title[INI_LINE_SIZE]; /* of the section, or the one before */
};

static int take_metric(void *ctx, const char *metric, const char *name, const char *value,
                       int line UNUSED, struct err *err UNUSED)
{
    struct metric_part *part = ctx;
    if (str_equal(name, "title"))
        snprintf(part->title, sizeof(part->title), "%s", value);
    if (!str_equal(name, "help"))
        return 0;
    AUTO_FREE char *plain = mem_strndup(metric, strcspn(metric, "@"));
    if (!names_has(&part->written, plain)) {
        names_add(&part->written, plain);
        write_column(part->out, part->title, plain, value);
    }
    return 0;
}

static void manual_write_metrics(FILE *out)
{
    struct metric_part part = {.out = out};
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (strstr(file->name, ".ini"))
            ini_read(file->text, file->name, "metric", take_metric, &part, NULL);
    AUTO_FREE char *spans = metric_spans_text();
    ini_read(spans, "spans", "metric", take_metric, &part, NULL);
    names_release(&part.written);
}

static void write_roles(FILE *out)
{
    AUTO_STR struct str text = str_new();
    for (int role = 0; role < ROLE_COUNT; role++) {
        str_add(&text, role ? ", " : "");
        add_font(&text, 'B', role_name((enum role)role));
    }
    str_add_char(&text, '.');
    write_filled(out, text.text);
}

static void write_key_names(FILE *out)
{
    const char *name;
    AUTO_STR struct str text = str_new();
    for (size_t i = 0; (name = key_word(i)); i++) {
        str_add(&text, i ? ", " : "");
        add_font(&text, 'B', name);
    }
    str_add_char(&text, '.');
    write_filled(out, text.text);
}

static void write_version(FILE *out)
{
    fputs(COUNTERTOP_VERSION, out);
}

void manual_write(FILE *out)
{
    static const struct man_template_part parts[] = {
        {"@OPTIONS@", write_options},
        {"@SETTINGS@", write_settings},
        {"@KEYS@", manual_write_keys},
        {"@COLUMNS@", manual_write_columns},
        {"@METRICS@", manual_write_metrics},
        {"@ROLES@", write_roles},
        {"@KEY-NAMES@", write_key_names},
        {"@VERSION@", write_version},
        {0},
    };
    man_template_write(out, "countertop.1.in", parts);
}

/* ---- keys ---- */

void keylist_each(const struct keymap *keymap, void (*take)(void *ctx, const struct key_line *line),
                  void *ctx)
{
    static const struct key_command none[] = {{0}};
    static const struct pane any = {.name = "any", .title = "Everywhere", .commands = none};
    const struct pane *pane;
    for (size_t i = 0, last = 0; !last; i++) {
        pane = keymap->tables->panes[i] ? keymap->tables->panes[i] : &any;
        last = pane == &any;
        struct key_line line = {.pane = pane->name, .title = pane->title};
        const struct key_command *command = last ? keymap->tables->common : pane->commands;
        for (; command->name; command++) {
            char keys[128];
            keymap_keys(keymap, pane, command, false, keys, sizeof(keys));
            line.command = command->name;
            line.keys = keys;
            const char *help = keymap_text(keymap, pane, "help", command->name);
            line.joined = !help;
            line.help = help ? help : line.help;
            take(ctx, &line);
        }
    }
}

/* ---- templates ---- */

void man_template_write(FILE *out, const char *name, const struct man_template_part *parts)
{
    const char *text = embedded_text(name);
    while (*text) {
        size_t length = strcspn(text, "\n");
        AUTO_FREE char *line = mem_strndup(text, length);
        const struct man_template_part *part = parts;
        const char *found = NULL;
        while (part->mark && !(found = strstr(line, part->mark)))
            part++;
        int before = found ? (int)(found - line) : (int)length, blanks = (int)strspn(line, " ");
        const char *rest = found ? found + strlen(part->mark) : "";
        bool alone = found && before == blanks && !*rest;
        fprintf(out, "%.*s", alone ? 0 : before, line);
        if (found)
            part->write(out);
        fprintf(out, "%s%s", rest, alone ? "" : "\n");
        text += length + (text[length] == '\n');
    }
}
