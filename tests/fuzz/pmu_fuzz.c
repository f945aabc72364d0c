/* A PMU whose files anyone may have written: terms, a format file and an event file, with a zero
 * byte between them. */
#include "event/pmu.h"
#include "base/mem.h"
#include "fuzz/tree.h"
#include "fuzz/fuzz.h"

#include <linux/perf_event.h>

#define PMU "/sys/bus/event_source/devices/cpu"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *parts[3];
    size_t lengths[3];
    for (int i = 0; i < 3; i++) {
        const uint8_t *end = i < 2 ? memchr(data, 0, size) : NULL;
        parts[i] = data;
        lengths[i] = end ? (size_t)(end - data) : size;
        data += lengths[i] + (end != NULL);
        size -= lengths[i] + (end != NULL);
    }
    tree_write(PMU "/type", "4\n", 2);
    tree_write(PMU "/format/a", "config:0-7\n", 11);
    tree_write(PMU "/format/f", parts[1], lengths[1]);
    tree_write(PMU "/events/e", parts[2], lengths[2]);
    char *terms = mem_strndup((const char *)parts[0], lengths[0]);
    struct perf_event_attr attr = {.type = 77};
    struct err err = {""};
    int result = pmu_encode("cpu", terms, &attr, &err);
    if ((result == 0) != (err.text[0] == '\0') || attr.type != (result == 0 ? 4u : 77u))
        abort();
    free(terms);
    return 0;
}
