/* The table of options: what the command line, the help, the settings of configuration files, the
 * manual page and the completion of shells are made of. Each row is an option, or a heading. */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include "base/str.h"
#include "cli/options.h"

/* What a value is taken from, for completion; where a row does not say it, its argument does
 * (option_values). */
enum option_values {
    VALUES_ARGUMENT,
    VALUES_WORDS,
    VALUES_SCREENS,
    VALUES_COLUMNS,
    VALUES_THEMES,
    VALUES_EVENTS, /* separated by commas */
    VALUES_PIDS,   /* separated by commas, or names */
    VALUES_USERS,
    VALUES_FILES,
    VALUES_DIRECTORIES,
    VALUES_FREE, /* nothing to offer */
};

struct option_spec {
    char letter; /* '\0': only the long name */
    const char *name;
    const char *argument; /* NULL: takes none; "[WORD]": may be left out */
    const char *help;     /* NULL: a heading, which is the name */
    /* Takes the value, NULL where none is given; texts are not copied. */
    int (*set)(struct options *options, const struct option_spec *spec, const char *given,
               struct err *err);
    size_t field;              /* set_flag, set_text, set_word: which member of the options */
    const char *const *words;  /* set_word: the values, in the order of the enum; NULL at the end */
    enum action action;        /* set_action */
    enum option_values values; /* what completion offers */
    bool setting;              /* a lasting choice: files may make it too (config.h) */
};

const struct option_spec *option_at(size_t i);            /* NULL behind the last */
const struct option_spec *option_find(const char *name);  /* without dashes; NULL: there is none */
bool option_is_optional(const struct option_spec *spec);  /* its value may be left out */
bool option_takes_answer(const struct option_spec *spec); /* a flag that takes '=yes' and '=no' */
enum option_values option_values(const struct option_spec *spec); /* never VALUES_ARGUMENT */

/* Its value as text that sets it to that; false where it has none, or none that can be written. */
bool option_value(const struct option_spec *spec, const struct options *options, struct str *value);

#endif
