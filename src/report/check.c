#include "report/check.h"
#include "base/file.h"
#include "base/mem.h"
#include "event/libpfm.h"
#include "event/pmu.h"
#include "system/procfs.h"
#include "system/topology.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tries a process of another user, or process 1 if there is none. Processes that cannot be seen
 * cannot be watched either. */
static char *try_others(const struct check *check)
{
    pid_t other = 0;
    struct pid_list all = {0};
    if (check->caps.no_proc)
        return mem_strdup(caps_no_proc);
    if (check->caps.hidden)
        return mem_printf("/proc does not show them (hidepid): as root, run 'mount -o "
                          "remount,hidepid=0 /proc' or 'setcap cap_perfmon,cap_sys_ptrace+ep %s'",
                          check->caps.program);
    procfs_processes(&all);
    for (size_t i = 0; !other && i < all.count; i++) {
        uid_t owner = procfs_uid(all.pids[i]);
        if (owner != (uid_t)-1 && owner != geteuid())
            other = all.pids[i];
    }
    free(all.pids);
    return probe_open_reason("page-faults", MODE_USER,
                             (struct group_target){.pid = other ? other : 1, .cpu = -1},
                             &check->caps);
}

static void try_abilities(struct check *check, int cpu)
{
    const struct caps *caps = &check->caps;
    struct group_target self = {.cpu = -1}, all = {.pid = -1, .cpu = cpu};
    char **reasons = check->reasons;
    reasons[CHECK_SOFTWARE] = probe_open_reason("page-faults", MODE_USER, self, caps);
    reasons[CHECK_KERNEL] = probe_open_reason("page-faults", MODE_ALL, self, caps);
    reasons[CHECK_SYSTEM_WIDE] = probe_open_reason("page-faults", MODE_ALL, all, caps);
    reasons[CHECK_OTHERS] = try_others(check);
    reasons[CHECK_TRACEPOINTS] = probe_open_reason("sched:sched_switch", MODE_ALL, self, caps);
    reasons[CHECK_BREAKPOINTS] = probe_open_breakpoint(MODE_USER, self, caps);
    size_t free = 0;
    for (size_t i = 0; i < check->core_count; i++)
        free += check->cores[i].counters.free;
    if (free == 0)
        reasons[CHECK_HARDWARE] = probe_open_reason("cycles", MODE_USER, self, caps);
}

int check_make(struct check *check, struct err *err)
{
    struct cpulist online;
    *check = (struct check){.uid = geteuid()};
    if (uname(&check->system) < 0 || topology_online(&online, err) < 0)
        return -1;
    int cpu = online.cpus[0];
    check->cpus = online.count;
    cpulist_release(&online);
    topology_cpu_model(check->cpu_model, sizeof(check->cpu_model));
    static const struct {
        const char *name, *path;
    } files[CHECK_LIMITS] = {
        {"perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"},
        {"perf_event_mlock_kb", "/proc/sys/kernel/perf_event_mlock_kb"},
        {"perf_event_max_sample_rate", "/proc/sys/kernel/perf_event_max_sample_rate"},
        {"perf_cpu_time_max_percent", "/proc/sys/kernel/perf_cpu_time_max_percent"},
        {"nmi_watchdog", "/proc/sys/kernel/nmi_watchdog"},
        {"file-max", "/proc/sys/fs/file-max"},
    };
    for (size_t i = 0; i < CHECK_LIMITS; i++) {
        char line[32], *end = line;
        struct check_limit *limit = &check->limits[i];
        limit->name = files[i].name;
        if (file_line(files[i].path, line, sizeof(line)) == 0)
            limit->value = strtoll(line, &end, 10);
        limit->known = end != line && !*end;
    }
    getrlimit(RLIMIT_NOFILE, &check->descriptors);
    getrlimit(RLIMIT_MEMLOCK, &check->locked);
    caps_raise_descriptors(); /* as before counting */
    probe_open_caps(&check->caps);
    pmu_list(&check->pmus);
    libpfm_version(check->libpfm, sizeof(check->libpfm));
    libpfm_tables(&check->tables);
    struct names types;
    pmu_core_types(&types);
    char only[256];
    size_t count = types.count ? types.count : topology_core_pmu(only, sizeof(only));
    check->cores = mem_array(count, sizeof(*check->cores));
    check->core_count = count;
    for (size_t i = 0; i < count; i++) {
        const char *pmu = types.count ? types.items[i] : NULL;
        check->cores[i].name = mem_strdup(pmu ? pmu : only);
        check->cores[i].counters = probe_open_counters(pmu, &check->caps);
    }
    names_release(&types);
    try_abilities(check, cpu);
    return 0;
}

void check_release(struct check *check)
{
    for (size_t i = 0; i < check->core_count; i++)
        free(check->cores[i].name);
    free(check->cores);
    for (size_t i = 0; i < CHECK_ABILITIES; i++)
        free(check->reasons[i]);
    names_release(&check->pmus);
    names_release(&check->tables);
}

int check_status(const struct check *check)
{
    enum { HARDWARE_WORKS = 0, NOTHING_WORKS = 1, SOFTWARE_WORKS = 3 };
    if (!check->reasons[CHECK_HARDWARE])
        return HARDWARE_WORKS;
    return check->reasons[CHECK_SOFTWARE] ? NOTHING_WORKS : SOFTWARE_WORKS;
}
