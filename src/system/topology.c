#include "system/topology.h"
#include "base/embed.h"

#include <pthread.h>
#include <sys/utsname.h>

static const char pmu_folder[] = "/sys/bus/event_source/devices";
static const char cpu_folder[] = "/sys/devices/system/cpu";
enum { CPUINFO_SIZE = 8192 };
static const char online[] = "/sys/devices/system/cpu/online";

int topology_keep_online(void)
{
    return file_keep(online);
}

/* Where sysfs is not mounted: the CPUs of /proc/stat, in the form of the other file. */
static bool list_proc_stat(char *text, size_t size)
{
    AUTO_FREE char *line = NULL;
    size_t room = 0, length = 0;
    AUTO_FILE FILE *f = file_open("/proc/stat");
    while (f && getline(&line, &room, f) >= 0 && length < size) {
        int cpu;
        if (line[strlen("cpu")] != ' ' && sscanf(line, "cpu%d", &cpu) == 1)
            length +=
                (size_t)snprintf(text + length, size - length, "%s%d", length ? "," : "", cpu);
    }
    return length > 0 && length < size;
}

int topology_online_again(int fd, struct cpulist *cpus, struct err *err)
{
    char text[1 << 15]; /* a page of sysfs; in /proc/stat each CPU has a number */
    *cpus = (struct cpulist){0};
    bool there = fd >= 0 && file_again(fd, text, sizeof(text)) >= 0;
    int error = errno;
    if (!there && !list_proc_stat(text, sizeof(text)))
        return err_set(err, "cannot read '%s': %s", online, err_reason(error));
    if (cpulist_parse(cpus, text, err) != 0)
        return -1;
    return cpus->count ? 0 : err_set(err, "cannot use '%s': it names no CPU", online);
}

int topology_online(struct cpulist *cpus, struct err *err)
{
    AUTO_CLOSE int fd = topology_keep_online();
    return topology_online_again(fd, cpus, err);
}

/* The value of the first line "key : value" of /proc/cpuinfo, without its newline. */
static bool cpuinfo_value(const char *text, const char *key, char *value, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0)
            continue;
        const char *p = line + length + strspn(line + length, " \t");
        if (*p != ':')
            continue;
        p += 1 + strspn(p + 1, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(p, "\n"), p);
        return *value != '\0';
    }
    return false;
}

/* The name of an Arm core by the numbers in its MIDR_EL1, from system/arm-cores.txt; false: it is
 * not known. */
static bool arm_name(unsigned long implementer, unsigned long part, char name[32])
{
    char key[32];
    snprintf(key, sizeof(key), "\n%02lx %03lx ", implementer, part);
    const char *found = strstr(embedded_text("arm-cores.txt"), key);
    if (found)
        sscanf(found + strlen(key), "%31s", name);
    return found != NULL;
}

static void read_cpuinfo(char text[CPUINFO_SIZE])
{
    if (file_read("/proc/cpuinfo", text, CPUINFO_SIZE) < 0)
        *text = '\0';
}

/* The number after a key of /proc/cpuinfo; 0: it has no such key. */
static unsigned long cpuinfo_number(const char *text, const char *key)
{
    char value[32];
    return cpuinfo_value(text, key, value, sizeof(value)) ? strtoul(value, NULL, 0) : 0;
}

void topology_cpu_model(char *buffer, size_t size)
{
    char text[CPUINFO_SIZE], name[32];
    struct utsname machine;
    read_cpuinfo(text);
    if (cpuinfo_value(text, "model name", buffer, size))
        return;
    if (arm_name(cpuinfo_number(text, "CPU implementer"), cpuinfo_number(text, "CPU part"), name))
        snprintf(buffer, size, "%s", name);
    else
        snprintf(buffer, size, "%s", uname(&machine) == 0 ? machine.machine : "");
}

/* MIDR_EL1 of a CPU; false: it has none. */
static bool cpu_midr(int cpu, unsigned long *midr)
{
    char text[32];
    if (file_readf(text, sizeof(text), "%s/cpu%d/regs/identification/midr_el1", cpu_folder, cpu) <
        0)
        return false;
    *midr = strtoul(text, NULL, 16);
    return true;
}

/* Adds the id of a core type that is not among them yet. */
static void add_core_id(struct names *ids, unsigned long midr)
{
    char id[64], name[32] = "";
    bool named = arm_name(midr >> 24 & 0xff, midr >> 4 & 0xfff, name);
    snprintf(id, sizeof(id), "0x%08lx%s%s", midr & 0xffffffff, named ? " " : "", name);
    if (!names_has(ids, id))
        names_add(ids, id);
}

/* Each CPU has an id of its own, since core types may differ; kernels before 4.7 show that of one.
 */
static void add_core_ids(struct names *ids, const char *cpuinfo)
{
    AUTO_CPUS struct cpulist cpus = {0};
    unsigned long midr;
    size_t before = ids->count;
    if (topology_online(&cpus, NULL) == 0)
        for (size_t i = 0; i < cpus.count; i++)
            if (cpu_midr(cpus.cpus[i], &midr))
                add_core_id(ids, midr);
    if (ids->count == before)
        add_core_id(ids, cpuinfo_number(cpuinfo, "CPU implementer") << 24 |
                             cpuinfo_number(cpuinfo, "CPU variant") << 20 | 0xf0000 |
                             cpuinfo_number(cpuinfo, "CPU part") << 4 |
                             cpuinfo_number(cpuinfo, "CPU revision"));
}

void topology_cpu_ids(struct names *ids)
{
    char text[CPUINFO_SIZE], vendor[32], family[16], model[64], first[8];
    read_cpuinfo(text);
    if (cpuinfo_value(text, "vendor_id", vendor, sizeof(vendor)) &&
        cpuinfo_value(text, "cpu family", family, sizeof(family)) &&
        cpuinfo_value(text, "model", model, sizeof(model))) {
        bool hybrid = file_readf(first, sizeof(first), "%s/cpu_atom/cpus", pmu_folder) >= 0;
        AUTO_FREE char *id = mem_printf("%s-%s-%lX%s", vendor, family, strtoul(model, NULL, 10),
                                        hybrid ? "-hybrid" : "");
        names_add(ids, id);
    } else if (cpuinfo_number(text, "CPU part")) {
        add_core_ids(ids, text);
    } else if (cpuinfo_value(text, "cpu", model, sizeof(model))) {
        model[strcspn(model, " ,")] = '\0';
        names_add(ids, model);
    }
}

unsigned topology_slots(void)
{
    AUTO_NAMES struct names pmus = {0};
    unsigned long slots = 0;
    bool differ = false;
    names_add_folder(&pmus, pmu_folder);
    for (size_t i = 0; i < pmus.count; i++) {
        char text[32] = "0";
        if (!topology_is_core_pmu(pmus.items[i]))
            continue;
        file_readf(text, sizeof(text), "%s/%s/caps/slots", pmu_folder, pmus.items[i]);
        unsigned long here = strtoul(text, NULL, 0);
        differ |= slots && here != slots;
        slots = here;
    }
    return differ || slots > 64 ? 0 : (unsigned)slots;
}

void topology_map_id(int cpu, char *buffer, size_t size)
{
    char text[CPUINFO_SIZE], vendor[32], family[32], model[32], stepping[32];
    unsigned long midr;
    *buffer = '\0';
    read_cpuinfo(text);
    if (cpu_midr(cpu, &midr)) {
        snprintf(buffer, size, "0x%016lx", midr);
    } else if (cpuinfo_value(text, "vendor_id", vendor, sizeof(vendor)) &&
               cpuinfo_value(text, "cpu family", family, sizeof(family))) {
        bool known = cpuinfo_value(text, "stepping", stepping, sizeof(stepping));
        snprintf(buffer, size, known ? "%s-%s-%lX-%lX" : "%s-%s-%lX", vendor, family,
                 cpuinfo_number(text, "model"), cpuinfo_number(text, "stepping"));
    } else if (cpuinfo_value(text, "mvendorid", vendor, sizeof(vendor)) &&
               cpuinfo_value(text, "marchid", family, sizeof(family)) &&
               cpuinfo_value(text, "mimpid", model, sizeof(model))) {
        snprintf(buffer, size, "%s-%s-%s", vendor, family, model);
    }
}

double topology_nominal_ghz(void)
{
    /* kHz from intel_pstate (Documentation/admin-guide/pm/intel_pstate.rst), MHz from the firmware
     * (Documentation/ABI/testing/sysfs-devices-system-cpu). */
    static const struct {
        const char *path;
        double per_ghz;
    } files[] = {
        {"/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", 1e6},
        {"/sys/devices/system/cpu/cpu0/acpi_cppc/nominal_freq", 1e3},
    };
    char line[32], model[128];
    unsigned long long number;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (file_line(files[i].path, line, sizeof(line)) == 0 &&
            str_to_u64(line, 1, 1000000000, &number))
            return (double)number / files[i].per_ghz;
    /* "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz" */
    double ghz;
    topology_cpu_model(model, sizeof(model));
    char *at = strstr(model, "@ "), *end = at ? strstr(at, "GHz") : NULL;
    if (!end)
        return 0;
    *end = '\0';
    return str_to_double(at + 2, &ghz) && ghz > 0 ? ghz : 0;
}

bool topology_is_core_pmu(const char *name)
{
    /* "cpu" on x86, powerpc and riscv; cpum_cf on s390. */
    if (strcmp(name, "cpu") == 0 || strcmp(name, "cpum_cf") == 0 || strstr(name, "armv8") ||
        strstr(name, "armv9"))
        return true;
    /* On a machine with several core types each type's PMU lists its CPUs in `cpus`; other devices
     * have `cpumask` (Documentation/ABI/testing/sysfs-bus-event_source-devices). */
    char cpus[8];
    return name[0] != '.' && !strchr(name, '/') &&
           file_readf(cpus, sizeof(cpus), "%s/%s/cpus", pmu_folder, name) >= 0;
}

static void find_core_pmu(char best[NAME_MAX + 1])
{
    AUTO_NAMES struct names pmus = {0};
    names_add_folder(&pmus, pmu_folder);
    *best = '\0';
    for (size_t i = 0; i < pmus.count; i++) {
        const char *name = pmus.items[i];
        /* Intel's hybrid processors have cpu_core and cpu_atom: perf's default is cpu_core. */
        if (topology_is_core_pmu(name) &&
            (!*best || strcmp(name, "cpu_core") == 0 ||
             (strcmp(best, "cpu_core") != 0 && strcmp(name, best) < 0)))
            snprintf(best, NAME_MAX + 1, "%s", name);
    }
}

/* This machine's, which does not change while the program runs. Set once: each event asks. */
static char core_pmu[NAME_MAX + 1];

static void find_core_pmu_here(void)
{
    find_core_pmu(core_pmu);
}

bool topology_core_pmu(char *buffer, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char other[NAME_MAX + 1];
    const char *found = core_pmu;
    if (file_has_root()) {
        find_core_pmu(other);
        found = other;
    } else {
        pthread_once(&once, find_core_pmu_here);
    }
    if (*found)
        snprintf(buffer, size, "%s", found);
    return *found;
}

/* --- Position of a CPU --- */

/* -1 if the file is missing or has no number; the kernel writes "-1" for not known. */
static int place_number(int cpu, const char *what)
{
    char text[32];
    unsigned long long number;
    if (file_readf(text, sizeof(text), "%s/cpu%d/topology/%s", cpu_folder, cpu, what) < 0)
        return -1;
    text[strcspn(text, "\n")] = '\0';
    return str_to_u64(text, 0, INT_MAX, &number) ? (int)number : -1;
}

/* The PMU whose file `cpus` lists this CPU; unchanged if there is none. */
static void type_of_pmu(int cpu, char *type, size_t size)
{
    AUTO_NAMES struct names pmus = {0};
    names_add_folder(&pmus, pmu_folder);
    for (size_t i = 0; i < pmus.count; i++) {
        char text[4096];
        AUTO_CPUS struct cpulist cpus = {0};
        if (file_readf(text, sizeof(text), "%s/%s/cpus", pmu_folder, pmus.items[i]) >= 0 &&
            cpulist_parse(&cpus, text, NULL) == 0 && cpulist_has(&cpus, cpu)) {
            snprintf(type, size, "%.31s", pmus.items[i]);
            return;
        }
    }
}

int topology_place(int cpu, struct topology_place *place)
{
    struct stat status;
    char path[64];
    *place = (struct topology_place){.socket = -1, .core = -1};
    snprintf(path, sizeof(path), "%s/cpu%d", cpu_folder, cpu);
    if (file_stat(path, &status) < 0)
        return -1;
    strcpy(place->type, "cpu");
    place->socket = place_number(cpu, "physical_package_id");
    place->core = place_number(cpu, "core_id");
    unsigned long midr;
    if (!cpu_midr(cpu, &midr) || !arm_name(midr >> 24 & 0xff, midr >> 4 & 0xfff, place->type))
        type_of_pmu(cpu, place->type, sizeof(place->type));
    return 0;
}

/* One more than the highest number of a CPU that is present, as perf has it; 0: not known. */
static double present_cpus(void)
{
    char text[4096];
    AUTO_CPUS struct cpulist cpus = {0};
    if (file_line("/sys/devices/system/cpu/present", text, sizeof(text)) == 0)
        cpulist_parse(&cpus, text, NULL);
    return cpus.count ? cpus.cpus[cpus.count - 1] + 1 : 0;
}

/* Counts the online CPUs, those that are the first of their core, or of their package; 0: not
 * known.
 */
static double count_cpus(bool cores, bool packages)
{
    AUTO_CPUS struct cpulist cpus = {0};
    bool known = topology_online(&cpus, NULL) == 0;
    double number = 0;
    for (size_t i = 0; i < cpus.count; i++) {
        struct topology_place place, other;
        bool placed =
            topology_place(cpus.cpus[i], &place) == 0 && place.socket >= 0 && place.core >= 0;
        bool first = true;
        for (size_t k = 0; k < i && (cores || packages) && first; k++)
            first = topology_place(cpus.cpus[k], &other) < 0 || other.socket != place.socket ||
                    (cores && other.core != place.core);
        known &= placed || !(cores || packages);
        number += first;
    }
    return known ? number : 0;
}

bool machine_property(const char *name, double *value)
{
    char text[16];
    struct stat status;
    if (strcasecmp(name, "smt_on") == 0 || strcasecmp(name, "core_wide") == 0) {
        bool known = file_line("/sys/devices/system/cpu/smt/active", text, sizeof(text)) == 0;
        *value = known && str_equal(text, "1") == (strcasecmp(name, "smt_on") == 0);
        return known;
    }
    if (strcasecmp(name, "has_pmem") == 0) {
        *value = file_stat("/sys/firmware/acpi/tables/NFIT", &status) == 0;
        return true;
    }
    *value = strcasecmp(name, "num_cpus") == 0          ? present_cpus()
             : strcasecmp(name, "num_cpus_online") == 0 ? count_cpus(false, false)
             : strcasecmp(name, "num_cores") == 0       ? count_cpus(true, false)
             : strcasecmp(name, "num_packages") == 0    ? count_cpus(false, true)
             : strcasecmp(name, "slots") == 0           ? topology_slots()
             : strcasecmp(name, "system_tsc_freq") == 0 ? topology_nominal_ghz() * 1e9
                                                        : 0;
    return *value > 0;
}
