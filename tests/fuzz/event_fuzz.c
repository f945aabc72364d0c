/* Event lists of any spelling against a machine of tests/data. The first byte chooses it. */
#include "event/name.h"
#include "base/mem.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const roots[] = {"tests/data/intel", "tests/data/arm", "tests/data/hybrid",
                                        "tests/data/hostile", "tests/data/novpmu"};
    if (size == 0)
        return 0;
    setenv("COUNTERTOP_ROOT", roots[data[0] % 5], 1);
    enum count_mode mode = (enum count_mode)(data[0] / 5 % 3);
    char *text = mem_strndup((const char *)data + 1, size - 1);
    struct event_list list = {0};
    struct err err = {""};
    check(event_parse(&list, "cycles,{page-faults,instructions:u}", mode, &err) == 0);
    if (event_parse(&list, text, mode, &err) != 0) {
        check(err.text[0] != '\0');
        check(list.count == 3 && list.groups == 1);
    } else {
        check(list.count >= 3);
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct event *event = &list.events[i];
        check(event->name && event->unit);
        check((event->state == EVENT_COUNTED) == !event->reason);
        check(event->group >= -1 && event->group < list.groups);
        check(event_list_find(&list, event->name) == event);
        /* What an event is called gives that event again, unless the user gave it the name. */
        if (strcmp(event->name, event->text) != 0)
            continue;
        struct event_list again = {0};
        check(event_parse(&again, event->name, mode, &err) == 0 && again.count == 1);
        check(strcmp(again.events[0].name, event->name) == 0);
        check(memcmp(&again.events[0].attr, &event->attr, sizeof(event->attr)) == 0);
        event_list_release(&again);
    }
    event_list_release(&list);
    free(text);
    return 0;
}
