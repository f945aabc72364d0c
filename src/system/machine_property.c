#include "system/machine_property.h"
#include "base/file.h"
#include "base/str.h"
#include "system/topology.h"

#include <string.h>

static bool of_smt(double *value)
{
    char text[16];
    if (file_line("/sys/devices/system/cpu/smt/active", text, sizeof(text)) < 0)
        return false;
    *value = str_equal(text, "1");
    return true;
}

static bool of_core_wide(double *value)
{
    bool known = of_smt(value);
    *value = !*value;
    return known;
}

/* One more than the highest number of a CPU that is present, as perf has it. */
static bool of_cpus(double *value)
{
    char text[4096];
    struct cpulist cpus;
    if (file_line("/sys/devices/system/cpu/present", text, sizeof(text)) < 0 ||
        cpulist_parse(&cpus, text, NULL) < 0)
        return false;
    bool any = cpus.count > 0;
    *value = any ? cpus.cpus[cpus.count - 1] + 1 : 0;
    cpulist_release(&cpus);
    return any;
}

static bool of_online(double *value)
{
    struct cpulist cpus;
    if (topology_online(&cpus, NULL) < 0)
        return false;
    *value = (double)cpus.count;
    cpulist_release(&cpus);
    return true;
}

/* Counts the online CPUs that are the first of their core, or of their package. */
static bool count_first(bool cores, double *value)
{
    struct cpulist cpus;
    if (topology_online(&cpus, NULL) < 0)
        return false;
    bool known = true;
    *value = 0;
    for (size_t i = 0; i < cpus.count; i++) {
        struct topology_place place, other;
        known &= topology_place(cpus.cpus[i], &place) == 0 && place.socket >= 0 && place.core >= 0;
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = topology_place(cpus.cpus[k], &other) < 0 || other.socket != place.socket ||
                    (cores && other.core != place.core);
        *value += first;
    }
    cpulist_release(&cpus);
    return known;
}

static bool of_cores(double *value)
{
    return count_first(true, value);
}

static bool of_packages(double *value)
{
    return count_first(false, value);
}

static bool of_slots(double *value)
{
    *value = topology_slots();
    return *value > 0;
}

static bool of_tsc(double *value)
{
    *value = topology_nominal_ghz() * 1e9;
    return *value > 0;
}

static bool of_pmem(double *value)
{
    struct stat status;
    *value = file_stat("/sys/firmware/acpi/tables/NFIT", &status) == 0;
    return true;
}

bool machine_property(const char *name, double *value)
{
    static const struct {
        const char *name;
        bool (*value)(double *value);
    } properties[] = {
        {"smt_on", of_smt},      {"core_wide", of_core_wide},
        {"num_cpus", of_cpus},   {"num_cpus_online", of_online},
        {"num_cores", of_cores}, {"num_packages", of_packages},
        {"slots", of_slots},     {"system_tsc_freq", of_tsc},
        {"has_pmem", of_pmem},
    };
    for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++)
        if (strcasecmp(name, properties[i].name) == 0)
            return properties[i].value(value);
    return false;
}
