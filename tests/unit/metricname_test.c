/* What events are called in Prometheus. */
#include "front/exporter.h"
#include "unit/handmade.h"
#include "unit/test.h"

static void names_follow_the_conventions(void **state)
{
    static const struct {
        const char *event, *unit, *name, *base;
        double scale, factor;
    } cases[] = {
        {"cycles", "", "cycles", NULL, 1, 1},
        {"L1-dcache-load-misses", "", "l1_dcache_load_misses", NULL, 1, 1},
        {"cycles:u", "", "cycles_u", NULL, 1, 1},
        {"cycles-u", "", "cycles_u_2", NULL, 1, 1},
        {"CYCLES::U", "", "cycles_u_3", NULL, 1, 1},
        {"cpu/event=0x3c,umask=1/", "", "cpu_event_0x3c_umask_1", NULL, 1, 1},
        {"cpu-clock", "ns", "cpu_clock_seconds", "seconds", 1, 1e-9},
        {"cpu_clock", "ns", "cpu_clock_2_seconds", "seconds", 1, 1e-9},
        {"task-clock", "ns", "task_clock_seconds", "seconds", 1, 1e-9},
        {"power/energy-pkg/", "Joules", "power_energy_pkg_joules", "joules", 0.25, 0.25},
        {"imc/read/", "MiB", "imc_read_bytes", "bytes", 0.5, 524288},
        {"x/temp/", "Half C", "x_temp_half_c", NULL, 0.5, 0.5},
        {"busy", "", "event_busy", NULL, 1, 1},
        {"busy-seconds", "", "event_busy_seconds", NULL, 1, 1},
        {"pressure", "ns", "event_pressure_seconds", "seconds", 1, 1e-9},
        {"pressure-2", "", "pressure_2", NULL, 1, 1},
        {"cpu_kernel", "ns", "event_cpu_kernel_seconds", "seconds", 1, 1e-9},
        {"cpu_kernel", "", "cpu_kernel", NULL, 1, 1},
        {"cgroup-io-full", "ns", "event_cgroup_io_full_seconds", "seconds", 1, 1e-9},
        {"self:x", "", "event_self_x", NULL, 1, 1},
        {"tasks-x", "", "event_tasks_x", NULL, 1, 1},
        {"\xc3\xa9/", "", "unnamed", NULL, 1, 1},
    };
    enum { CASES = sizeof(cases) / sizeof(cases[0]) };
    const char *events[CASES];
    for (size_t i = 0; i < CASES; i++)
        events[i] = cases[i].event;
    struct event_set *set = handmade_set(CASES, events);
    for (size_t i = 0; i < CASES; i++) {
        free(set->events[i].unit);
        set->events[i].unit = mem_strdup(cases[i].unit);
        set->events[i].scale = cases[i].scale;
    }
    struct metric_name *names = metric_names_new(set);
    for (size_t i = 0; i < CASES; i++) {
        assert_string_equal(names[i].text, cases[i].name);
        assert_true(names[i].factor == cases[i].factor);
        if (cases[i].base)
            assert_string_equal(names[i].unit, cases[i].base);
        else
            assert_null(names[i].unit);
    }
    metric_names_free(names, set);
    event_set_drop(set);
}
