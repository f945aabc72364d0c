/* Event files that anyone may have written: mapfile.csv, a file of standard events and one for the
 * processor, with a zero byte between them. The first byte chooses the machine. */
#include "event/event_table.h"
#include "base/mem.h"
#include "event/name.h"
#include "fuzz/tree.h"
#include "fuzz/fuzz.h"

#define PMU "/sys/bus/event_source/devices/cpu"

/* Where tree_write() put the file. */
static char *written(const char *path)
{
    return mem_printf("%s%s", tree_root, path);
}

static void check_names(void)
{
    const struct event_table *table = event_table();
    for (size_t i = 0; i < table->events.count; i++) {
        const struct table_event *event = &table->events.items[i];
        struct event_list list = {0};
        struct err err = {""};
        char *text = event_table_spelling(event);
        if (event->pmus >= table->pmus_count || event->source >= table->sources.count ||
            !(event->scale > 0) || !*event->text || event_table_spelled(text) == NULL)
            abort();
        /* It may need terms that the PMU has not, but then there is a reason. */
        if (event_parse(&list, text, MODE_ALL, &err) != 0 && !*err.text)
            abort();
        event_list_release(&list);
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"/events/mapfile.csv", "/events/std.json",
                                        "/events/core/core.json"};
    static const char intel[] = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\n"
                                "stepping : 4\n";
    if (size == 0)
        return 0;
    bool arm = *data++ % 2;
    size--;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        const uint8_t *end = size ? memchr(data, 0, size) : NULL;
        size_t length = end ? (size_t)(end - data) : size;
        tree_write(files[i], data, length);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    tree_write("/proc/cpuinfo", intel, sizeof(intel) - 1);
    tree_write("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
               arm ? "0x00000000413fd4f1\n" : "", arm ? 19 : 0);
    tree_write(PMU "/type", "4\n", 2);
    tree_write(PMU "/format/event", "config:0-7,32-35\n", 17);
    tree_write(PMU "/format/umask", "config:8-15\n", 12);
    char *directory = written("/events"), *map = written(files[0]);
    struct event_table *table = mem_alloc(sizeof(*table));
    if (size % 2) /* without a map all files beside it are read */
        unlink(map);
    event_files_add(table, directory);
    event_table_sort(table);
    event_table_use(table);
    check_names();
    event_table_use(NULL);
    free(map);
    free(directory);
    return 0;
}
