#include "cli/completion.h"
#include "cli/man_template.h"

#include <stdlib.h>

static void bash_options(FILE *out, const char *indentation)
{
    const struct option_spec *spec;
    (void)indentation;
    for (size_t s = 0; (spec = option_at(s)); s++) {
        if (!spec->help)
            continue;
        if (spec->letter)
            fprintf(out, "-%c\n", spec->letter);
        fprintf(out, "--%s\n", spec->name);
    }
    fputs("--", out);
}

static void bash_answers(FILE *out, const char *indentation)
{
    const struct option_spec *spec;
    const char *between = "";
    (void)indentation;
    for (size_t s = 0; (spec = option_at(s)); s++)
        if (option_takes_answer(spec)) {
            fprintf(out, "%s--%s=", between, spec->name);
            between = " | ";
        }
}

static void bash_cases(FILE *out, const char *indentation)
{
    static const char *const calls[] = {
        [VALUES_SCREENS] = "_countertop_offer \"$(_countertop_list --list-screens)\"",
        [VALUES_COLUMNS] = "_countertop_offer_column",
        [VALUES_THEMES] = "_countertop_offer_theme",
        [VALUES_EVENTS] = "_countertop_offer_more _countertop_events",
        [VALUES_PIDS] = "_countertop_offer_more _countertop_processes",
        [VALUES_USERS] = "_countertop_offer \"$(compgen -u)\"",
        [VALUES_FILES] = "_countertop_offer_files -f",
        [VALUES_DIRECTORIES] = "_countertop_offer_files -d",
        [VALUES_FREE] = "",
    };
    const struct option_spec *spec;
    const char *word;
    for (size_t s = 0; (spec = option_at(s)); s++) {
        if (!spec->help || !spec->argument || option_is_optional(spec))
            continue;
        fputs(indentation, out);
        if (spec->letter)
            fprintf(out, "-%c | ", spec->letter);
        enum option_values values = option_values(spec);
        bool words = values == VALUES_WORDS;
        fprintf(out, "--%s) %s", spec->name, words ? "_countertop_offer $'" : calls[values]);
        for (size_t w = 0; words && (word = option_word(spec, w)); w++)
            fprintf(out, "%s%s", w ? "\\n" : "", word);
        fputs(words ? "' ;;\n" : " ;;\n", out);
    }
}

/* Writes one name of an option, which excludes its other name unless the option can be repeated.
 * `joined`: the mark for a value in the same word. */
static void zsh_spec(FILE *out, const struct option_spec *spec, const char *name,
                     const char *joined)
{
    static const char *const calls[] = {
        [VALUES_SCREENS] = " _countertop_list --list-screens",
        [VALUES_COLUMNS] = "_countertop_columns",
        [VALUES_THEMES] = "_countertop_themes",
        [VALUES_EVENTS] = "_countertop_events",
        [VALUES_PIDS] = "_countertop_processes",
        [VALUES_USERS] = "_users",
        [VALUES_FILES] = "_files",
        [VALUES_DIRECTORIES] = "_files -/",
        [VALUES_FREE] = " ",
    };
    bool takes = spec->argument && !option_is_optional(spec);
    fputc('\'', out);
    if (option_values(spec) == VALUES_EVENTS)
        fputc('*', out);
    else if (spec->letter)
        fprintf(out, "(-%c --%s)", spec->letter, spec->name);
    fprintf(out, "%s%s[", name, takes ? joined : "");
    char *help = option_help(spec);
    /* In single quotes and brackets, where a colon would end it. */
    for (const char *text = help; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (*text == '[' || *text == ']' || *text == ':')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
    }
    free(help);
    fputc(']', out);
    if (takes) {
        enum option_values values = option_values(spec);
        bool words = values == VALUES_WORDS;
        const char *word;
        fprintf(out, ":%s:%s", spec->argument, words ? "" : calls[values]);
        for (size_t w = 0; words && (word = option_word(spec, w)); w++)
            fprintf(out, "%c%s", w ? ' ' : '(', word);
        fputs(words ? ")" : "", out);
    }
    fputc('\'', out);
}

static void zsh_specs(FILE *out, const char *indentation)
{
    const struct option_spec *spec;
    char name[64];
    bool begun = false;
    for (size_t s = 0; (spec = option_at(s)); s++) {
        if (!spec->help)
            continue;
        for (int letter = spec->letter != 0; letter >= 0; letter--) {
            snprintf(name, sizeof(name), letter ? "-%.1s" : "--%s",
                     letter ? &spec->letter : spec->name);
            fprintf(out, "%s%s", begun ? " \\\n" : "", indentation);
            zsh_spec(out, spec, name, letter ? "+" : "=");
            begun = true;
        }
    }
    fputc('\n', out);
}

void completion_write(FILE *out, enum shell shell)
{
    static const struct man_template_part bash[] = {
        {"@OPTIONS@", bash_options}, {"@ANSWERS@", bash_answers}, {"@CASES@", bash_cases}, {0}};
    static const struct man_template_part zsh[] = {{"@SPECS@", zsh_specs}, {0}};
    if (shell == SHELL_ZSH)
        man_template_write(out, "countertop.zsh.in", zsh);
    else
        man_template_write(out, "countertop.bash.in", bash);
}
