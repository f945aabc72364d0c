#include "demo/works.h"
#include "base/clock.h"
#include "base/mem.h"
#include "demo/loops_code.h"
#include "event/elf.h"

enum { UNITS = 1000 }; /* a tenth of a turn */

void work_hot(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--) {
        demo_hot_70(7 * UNITS);
        demo_hot_20(2 * UNITS);
        demo_hot_10(UNITS);
    }
}

void work_inline(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        demo_inline(10 * UNITS);
}

char *work_needs_lines(const struct workload *workload)
{
    (void)workload;
    return elf_has_section("/proc/self/exe", ".debug_info")
               ? NULL
               : mem_strdup("this program was built without debug information, or stripped of it: "
                            "only that knows which functions are inlined");
}

void work_deep(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        demo_frame1(10 * UNITS);
}

void work_sleep(struct work *work, uint64_t turns)
{
    static void (*const sleeps[])(uint64_t time) = {demo_sleep_60, demo_sleep_30, demo_sleep_10};
    static const uint64_t times[] = {6000000, 3000000, 1000000};
    while (turns--)
        for (int i = 0; i < WORK_PARTS; i++) {
            uint64_t began = clock_monotonic();
            sleeps[i](times[i]);
            work->parts[i] += clock_monotonic() - began;
        }
}
