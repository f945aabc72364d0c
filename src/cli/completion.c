#include "cli/manual.h"

static void bash_options(FILE *out)
{
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        if (spec->letter)
            fprintf(out, "-%c\n", spec->letter);
        fprintf(out, "--%s\n", spec->name);
    }
    fputs("--", out);
}

static void bash_answers(FILE *out)
{
    const char *between = "";
    for (const struct option_spec *spec = option_specs; spec->name; spec++)
        if (option_takes_answer(spec)) {
            fprintf(out, "%s--%s=", between, spec->name);
            between = " | ";
        }
}

/* Writes what offers the option's values: the words that can stand there, or a call of the function
 * of the script whose name begins as given. */
static void complete_values(FILE *out, const struct option_spec *spec, const char *call,
                            const char *open, const char *between, const char *close)
{
    static const char *const names[] = {
        [VALUES_SCREENS] = "screens",     [VALUES_COLUMNS] = "columns",
        [VALUES_THEMES] = "themes",       [VALUES_DEMOS] = "demos",
        [VALUES_EVENTS] = "events",       [VALUES_PIDS] = "processes",
        [VALUES_USERS] = "users",         [VALUES_FILES] = "files",
        [VALUES_DIRECTORIES] = "folders", [VALUES_FREE] = "nothing",
    };
    enum option_values values = option_values(spec);
    const char *word;
    if (values != VALUES_WORDS) {
        fprintf(out, "%s%s", call, names[values]);
        return;
    }
    for (size_t w = 0; (word = option_word(spec, w)); w++)
        fprintf(out, "%s%s", w ? between : open, word);
    fputs(close, out);
}

static void bash_cases(FILE *out)
{
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        if (!spec->argument || option_is_optional(spec))
            continue;
        fputs("        ", out);
        if (spec->letter)
            fprintf(out, "-%c | ", spec->letter);
        fprintf(out, "--%s) ", spec->name);
        complete_values(out, spec, "_countertop_", "_countertop_offer $'", "\\n", "'");
        fputs(" ;;\n", out);
    }
}

/* Writes one name of an option, which excludes what its row excludes, and its other name unless the
 * option can be repeated. `joined`: the mark for a value in the same word. */
static void zsh_spec(FILE *out, const struct option_spec *spec, const char *name,
                     const char *joined)
{
    bool takes = spec->argument && !option_is_optional(spec);
    bool repeats = option_values(spec) == VALUES_EVENTS;
    AUTO_STR struct str excluded = str_new();
    if (!repeats && spec->letter)
        str_printf(&excluded, " -%c --%s", spec->letter, spec->name);
    for (size_t i = 0; spec->excludes[i]; i++)
        if (option_find(spec->excludes[i]))
            str_printf(&excluded, " --%s", spec->excludes[i]);
    fputc('\'', out);
    if (excluded.length)
        fprintf(out, "(%s)", excluded.text + 1);
    fprintf(out, "%s%s%s[", repeats ? "*" : "", name, takes ? joined : "");
    AUTO_FREE char *help = option_help(spec);
    /* In single quotes and brackets, where a colon would end it. */
    for (const char *text = help; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (*text == '[' || *text == ']' || *text == ':')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
    fputc(']', out);
    if (takes) {
        fprintf(out, ":%s:", spec->argument);
        complete_values(out, spec, "_countertop_", "(", " ", ")");
    }
    fputc('\'', out);
}

static void zsh_specs(FILE *out)
{
    char name[64];
    bool begun = false;
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        for (int letter = spec->letter != 0; letter >= 0; letter--) {
            snprintf(name, sizeof(name), letter ? "-%.1s" : "--%s",
                     letter ? &spec->letter : spec->name);
            fputs(begun ? " \\\n        " : "        ", out);
            zsh_spec(out, spec, name, letter ? "+" : "=");
            begun = true;
        }
    }
    fputc('\n', out);
}

static void fish_specs(FILE *out)
{
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        fputs("complete -c countertop", out);
        if (spec->letter)
            fprintf(out, " -s %c", spec->letter);
        fprintf(out, " -l %s -d '", spec->name);
        AUTO_FREE char *help = option_help(spec);
        for (const char *text = help; *text; text++) {
            if (*text == '\'' || *text == '\\')
                fputc('\\', out);
            fputc(*text, out);
        }
        fputc('\'', out);
        if (spec->argument && !option_is_optional(spec)) {
            enum option_values values = option_values(spec);
            fputs(values == VALUES_FILES || values == VALUES_THEMES ? " -rF" : " -x", out);
            fputs(" -a '", out);
            complete_values(out, spec, "(__countertop_", "", " ", "");
            fputs(values == VALUES_WORDS ? "'" : ")'", out);
        }
        fputc('\n', out);
    }
}

void completion_write(FILE *out, enum shell shell)
{
    static const struct {
        const char *template;
        struct man_template_part parts[4];
    } scripts[] = {
        [SHELL_BASH] = {"countertop.bash.in",
                        {{"@OPTIONS@", bash_options},
                         {"@ANSWERS@", bash_answers},
                         {"@CASES@", bash_cases}}},
        [SHELL_FISH] = {"countertop.fish.in", {{"@SPECS@", fish_specs}}},
        [SHELL_ZSH] = {"countertop.zsh.in", {{"@SPECS@", zsh_specs}}},
    };
    man_template_write(out, scripts[shell].template, scripts[shell].parts);
}
