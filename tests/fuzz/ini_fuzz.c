/* INI files: of metrics and screens, which are loaded or refused with a message and without a
 * trace; and as such, where every entry has to come with a line of the text. */
#include "base/mem.h"
#include "base/ini.h"
#include "metric/machine.h"
#include "metric/metric_set.h"
#include "view/screen.h"
#include "fuzz/fuzz.h"

/* ctx: the number of lines there are. */
static int check_entry(void *ctx, const char *section, const char *name, const char *value,
                       int line, struct err *err)
{
    (void)err;
    const int *lines = ctx;
    if (line < 1 || line > *lines || !*name || strlen(section) > INI_SECTION_SIZE ||
        strlen(name) + strlen(value) > INI_LINE_SIZE)
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);

    int lines = 1;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    struct err err = {""};
    if (ini_read(text, "fuzz", NULL, check_entry, &lines, &err) < 0 && !*err.text)
        abort();

    struct machine machine = {0};
    err.text[0] = '\0';
    machine_add(&machine, "skx");
    if (machine_load(&machine, text, "fuzz", &err) < 0 && (!*err.text || machine.set_count))
        abort();

    struct metric_set metric_set = {0};
    err.text[0] = '\0';
    metric_set.machine = &machine;
    if (metric_set_load(&metric_set, text, "fuzz", &err) < 0 && (!*err.text || metric_set.count))
        abort();
    metric_set_release(&metric_set);

    struct screen_list screens = {0};
    err.text[0] = '\0';
    screens.machine = &machine;
    if (screen_list_load(&screens, text, "fuzz", &err) < 0 &&
        (!*err.text || screens.count || screens.other_count))
        abort();
    for (size_t i = 0; i < screens.count; i++)
        screen_counts(&screens.screens[i], "cycles");
    for (size_t i = 0; i < screens.other_count; i++)
        free(screen_elsewhere(&screens, screens.others[i].name));
    screen_list_release(&screens);
    machine_release(&machine);
    free(text);
    return 0;
}
