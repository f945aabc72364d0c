/* Settings and keys of files: taken or refused with a message; what is taken sets options to values
 * that can be written again. */
#include "base/mem.h"
#include "base/str.h"
#include "cli/config.h"
#include "front/tui/state/state.h"
#include "fuzz/fuzz.h"

static void check_settings(const struct config *config)
{
    struct options options;
    AUTO_STR struct str value = str_new();
    options_init(&options);
    for (size_t i = 0; i < config->count; i++) {
        const struct setting *setting = &config->settings[i];
        struct err err = {""};
        if (!setting->spec->setting || !*setting->value ||
            setting->spec->set(&options, setting->spec, setting->value, &err) < 0 || *err.text)
            abort();
        if (option_value(setting->spec, &options, &value) &&
            setting->spec->set(&options, setting->spec, value.text, &err) < 0)
            abort();
    }
    options_release(&options);
}

/* Whatever was given, a key means a command of the pane, or none. */
static void check_keys(const struct keymap *keymap)
{
    const struct pane *pane = keymap->tables->panes[0];
    for (int key = ' '; key < 0x7f; key++) {
        const struct key_command *command = keymap_find(keymap, pane, key), *other;
        for (size_t i = 0; command && (other = keymap_command(keymap, pane, i)) != command; i++)
            if (!other)
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    struct config config;
    struct err err = {""};
    config_init(&config);
    if (config_read(&config, text, "fuzz", false, &err) < 0 && !str_starts(err.text, "fuzz"))
        abort();
    err.text[0] = '\0';
    if (keymap_check(&config.keymap, &err) < 0 && !*err.text)
        abort();
    check_settings(&config);
    if (config.keymap.count)
        check_keys(&config.keymap);
    config_release(&config);
    free(text);
    return 0;
}
