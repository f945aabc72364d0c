/* Configuration: permanent settings in the files *.ini of the user's directory (definitions.h).
 *
 *     [settings]
 *     theme = nord         ; an option that is a setting (options.h), without its dashes
 *     idle = yes           ; a flag: yes or no
 *     [keys]
 *     quit = ^Q q          ; all keys of a command (--list-keys); empty: it has no key
 *
 * The files are read in the order of their names, settings.ini, which the program writes on
 * request, last: later values override earlier ones, and the command line overrides all files.
 * Settings apply to the terminal only: batch output depends on the command line alone. */
#pragma once

#include "cli/definitions.h"
#include "cli/options.h"
#include "front/tui/state/keymap.h"

#define CONFIG_OWN_FILE "settings.ini"

struct setting {
    const struct option_spec *spec;
    char *value;
    char *origin; /* "file:line" */
    bool own;     /* from settings.ini */
};

struct config {
    struct setting *settings; /* in ascending precedence */
    size_t count, room;
    struct keymap keymap;
    char *keys_origin; /* "file:line" of the last line of keys; NULL: none */
};

void config_init(struct config *config);
void config_release(struct config *config);

/* Adds the settings and keys of a text. -1 with a message that begins `origin:line: ` for an
 * unknown setting, value, command or key, and for a key bound to two commands of a pane. */
int config_read(struct config *config, const char *text, const char *origin, bool own,
                struct err *err);

/* Reads the files of the user's directory, if there are any; given is as for
 * definitions_directory. */
int config_load(struct config *config, const char *given, struct err *err);

/* -1 with a message that has file and line if a screen, theme or column in settings does not exist;
 * screens for other CPUs do. */
int config_check(const struct config *config, const struct definitions *definitions,
                 struct err *err);

/* Sets the options that the command line does not set. Texts belong to the config, which outlives
 * the options. A screen for other CPUs is not chosen. */
void config_apply(const struct config *config, const struct definitions *definitions,
                  struct options *options);

/* Writes the settings that differ from the defaults and the user's other files to settings.ini of
 * the directory (NULL: not known). The file is replaced by rename(2), and only if the program wrote
 * it. Returns its path, which the caller frees, or NULL with a message. */
char *config_save(const struct config *config, const char *directory, const struct options *options,
                  struct err *err);
/* The same of one setting alone: the others in settings.ini stay as they are there. */
char *config_keep(const struct config *config, const char *directory, const char *setting,
                  const char *value, struct err *err);
