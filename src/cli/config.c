#include "cli/config.h"
#include "base/ini.h"
#include "event/name.h"
#include "front/tui/tui.h"
#include "view/column.h"

static const char first_line[] = "; Written by countertop when it is told to keep the settings; "
                                 "others go into another file here.\n";

void config_init(struct config *config)
{
    *config = (struct config){0};
    keymap_init(&config->keymap, &commands_keys);
}

void config_release(struct config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        free(config->settings[i].value);
        free(config->settings[i].origin);
    }
    free(config->settings);
    free(config->keys_origin);
    keymap_release(&config->keymap);
    *config = (struct config){0};
}

/* ---- reading ---- */

struct config_reading {
    struct config *config;
    const char *origin;
    bool own;
};

static const char *nth_setting(void *ctx UNUSED, size_t i)
{
    for (const struct option_spec *spec = option_specs; spec->name; spec++)
        if (spec->setting && i-- == 0)
            return spec->name;
    return NULL;
}

static int config_take_entry(void *ctx, const char *section, const char *name, const char *value,
                             int line, struct err *err)
{
    const struct config_reading *reading = ctx;
    struct config *config = reading->config;
    if (strcmp(section, "keys") == 0) {
        mem_replace(&config->keys_origin, mem_printf("%s:%d", reading->origin, line));
        return keymap_bind(&config->keymap, name, value, err);
    }
    if (strcmp(section, "settings") != 0)
        return 0;
    const struct option_spec *spec = option_find(name);
    if (spec && !spec->setting)
        return err_set(err, "'%s' is no setting: it goes on the command line only", name);
    if (!spec)
        return err_unknown(err, "unknown setting", name, str_nearest(name, nth_setting, NULL),
                           "see --manual");
    if (!*value)
        return err_set(err, "no value for the setting '%s'", name);
    struct options scratch; /* only to validate */
    options_init(&scratch);
    int result = spec->set(&scratch, spec, value, err);
    options_release(&scratch);
    if (result < 0)
        return -1;
    *MEM_ADD(config->settings, config->count, config->room) = (struct setting){
        spec, mem_strdup(value), mem_printf("%s:%d", reading->origin, line), reading->own};
    return 0;
}

int config_read(struct config *config, const char *text, const char *origin, bool own,
                struct err *err)
{
    struct config_reading reading = {config, origin, own};
    return ini_read(text, origin, NULL, config_take_entry, &reading, err);
}

/* Whether the file can be read is said when its definitions are; with `must` it is an error. */
static int config_read_file(struct config *config, const char *directory, const char *name,
                            bool must, struct err *err)
{
    AUTO_FREE char *path = mem_printf("%s/%s", directory, name);
    AUTO_FREE char *text = file_load(path, DEFINITIONS_FILE_SIZE, must ? err : NULL);
    return text   ? config_read(config, text, path, strcmp(name, CONFIG_OWN_FILE) == 0, err)
           : must ? -1
                  : 0;
}

int config_load(struct config *config, const char *given, struct err *err)
{
    AUTO_NAMES struct names names;
    struct err why;
    AUTO_FREE char *directory = definitions_directory(given);
    bool own = false, must = given != NULL;
    int result = definitions_files(directory, must, &names, err);
    for (size_t i = 0; i < names.count && result == 0; i++) {
        if (strcmp(names.items[i], CONFIG_OWN_FILE) == 0)
            own = true;
        else
            result = config_read_file(config, directory, names.items[i], must, err);
    }
    if (own && result == 0)
        result = config_read_file(config, directory, CONFIG_OWN_FILE, must, err);
    if (result == 0 && config->keymap.count && keymap_check(&config->keymap, &why) < 0)
        result = err_set(err, "%s: %s", config->keys_origin, why.text);
    return result;
}

/* ---- applying ---- */

int config_check(const struct config *config, const struct definitions *definitions,
                 struct err *err)
{
    struct err why;
    for (size_t i = 0; i < config->count; i++) {
        const struct setting *setting = &config->settings[i];
        enum option_values values = option_values(setting->spec);
        const char *name = setting->value, *column = name + (*name == '-');
        int result = 0;
        if (values == VALUES_THEMES) {
            result = theme_check(name, &why);
        } else if (values == VALUES_SCREENS && !screen_find(&definitions->screens, name)) {
            AUTO_FREE char *elsewhere = screen_elsewhere(&definitions->screens, name);
            const char *near =
                STR_NEAREST(definitions->screens.screens, definitions->screens.count, name, name);
            result =
                elsewhere ? 0 : err_unknown(&why, "no screen", name, near, "see --list-screens");
        } else if (values == VALUES_COLUMNS && !column_is_fact(column) &&
                   !metric_set_find(&definitions->metric_set, column)) {
            struct column_name_scope scope = {.metric_set = &definitions->metric_set};
            AUTO_EVENTS struct event_list list = {0}; /* a column of any screen may show an event */
            bool known = false;
            for (size_t s = 0; s < definitions->screens.count && !known; s++)
                known = screen_counts(&definitions->screens.screens[s], column);
            if (!known && event_parse(&list, column, MODE_ALL, NULL) < 0)
                result =
                    err_unknown(&why, "no column", column,
                                str_nearest(column, column_name_at, &scope), "see --list-columns");
        }
        if (result < 0)
            return err_set(err, "%s: %s", setting->origin, why.text);
    }
    return 0;
}

void config_apply(const struct config *config, const struct definitions *definitions,
                  struct options *options)
{
    for (size_t i = 0; i < config->count; i++) {
        const struct setting *setting = &config->settings[i];
        bool absent = option_values(setting->spec) == VALUES_SCREENS &&
                      !screen_find(&definitions->screens, setting->value);
        if (!absent && !options_given(options, setting->spec->name))
            setting->spec->set(options, setting->spec, setting->value, NULL);
    }
}

/* ---- writing ---- */

/* Reads the text back: an INI file cannot hold every value. */
static int config_check_text(const char *text, const char *path, const struct options *options,
                             struct err *err)
{
    struct config config;
    AUTO_STR struct str value = str_new();
    config_init(&config);
    int result = config_read(&config, text, path, true, err);
    for (size_t i = 0; i < config.count && result == 0; i++) {
        const struct setting *setting = &config.settings[i];
        if (!option_value(setting->spec, options, &value) || !str_equal(value.text, setting->value))
            result = err_set(err, "cannot keep '%s': an INI file cannot hold the value '%.100s'",
                             setting->spec->name, value.text);
    }
    config_release(&config);
    return result;
}

/* Sets what the user's files say: settings.ini, or all others. */
static void set_options(const struct config *config, bool own, struct options *options)
{
    for (size_t i = 0; i < config->count; i++) {
        const struct setting *setting = &config->settings[i];
        if (setting->own == own)
            setting->spec->set(options, setting->spec, setting->value, NULL);
    }
}

/* Refuses to replace a file that does not begin with first_line. */
static int check_owner(const char *path, struct err *err)
{
    struct stat status;
    if (stat(path, &status) < 0 && errno == ENOENT)
        return 0;
    AUTO_FREE char *old = file_load(path, DEFINITIONS_FILE_SIZE, err);
    bool own = old && str_starts(old, first_line);
    if (old && !own)
        err_set(err, "cannot write '%.200s': it was not written by countertop; rename it", path);
    return own ? 0 : -1;
}

char *config_save(const struct config *config, const char *directory, const struct options *options,
                  struct err *err)
{
    struct options others;
    struct out out;
    AUTO_STR struct str text = str_new();
    if (!directory)
        return err_null(err,
                        "cannot keep the settings: HOME names no directory; start with -W DIR");
    char *path = mem_printf("%s/" CONFIG_OWN_FILE, directory);
    /* What is so without settings.ini need not be saved. */
    options_init(&others);
    set_options(config, false, &others);
    str_printf(&text, "%s[settings]\n", first_line);
    AUTO_STR struct str value = str_new(), other = str_new();
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        if (!spec->setting || !option_value(spec, options, &value))
            continue;
        option_value(spec, &others, &other);
        if (!str_equal(value.text, other.text))
            str_printf(&text, "%s = %s\n", spec->name, value.text);
    }
    if (config_check_text(text.text, path, options, err) < 0 ||
        file_make_directory(directory, err) < 0 || check_owner(path, err) < 0 ||
        out_open(&out, path, true, err) < 0 || out_write(&out, &text, err) < 0)
        mem_replace(&path, NULL);
    else
        out_close(&out);
    options_release(&others);
    return path;
}

char *config_keep(const struct config *config, const char *directory, const char *setting,
                  const char *value, struct err *err)
{
    struct config own;
    struct options options;
    config_init(&own);
    options_init(&options);
    AUTO_FREE char *path = mem_printf("%s/" CONFIG_OWN_FILE, directory ? directory : "");
    AUTO_FREE char *text = file_load(path, DEFINITIONS_FILE_SIZE, NULL);
    int result = text ? config_read(&own, text, path, true, err) : 0;
    set_options(config, false, &options);
    set_options(&own, true, &options);
    const struct option_spec *spec = option_find(setting);
    if (result == 0)
        result = spec->set(&options, spec, value, err);
    char *written = result == 0 ? config_save(config, directory, &options, err) : NULL;
    options_release(&options);
    config_release(&own);
    return written;
}
