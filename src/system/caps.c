#include "system/caps.h"
#include "system/procfs.h"
#include "system/sandbox.h"
#include "system/topology.h"

#include <sys/resource.h>

/* The number at the beginning of a file of /proc; `otherwise` if it cannot be read. */
static long read_number(const char *path, long otherwise)
{
    char line[32];
    long value;
    return file_line(path, line, sizeof(line)) == 0 && sscanf(line, "%ld", &value) == 1 ? value
                                                                                        : otherwise;
}

/* Whether a file of the firmware begins with one of the texts, of which NULL ends the list. */
static bool dmi_begins(const char *file, const char *const *texts)
{
    char line[128];
    bool read = file_readf(line, sizeof(line), "/sys/class/dmi/id/%s", file) > 0;
    while (read && *texts && !str_starts(line, *texts))
        texts++;
    return read && *texts;
}

/* The firmware of a virtual machine names its maker. Makers that also build real machines are told
 * apart by the product. */
static bool dmi_is_virtual(void)
{
    static const char *const vendors[] = {"QEMU",      "VMware",    "innotek", "Xen", "Bochs",
                                          "Parallels", "OpenStack", "Nutanix", NULL};
    static const char *const products[] = {"KVM",
                                           "QEMU",
                                           "VirtualBox",
                                           "Virtual Machine",
                                           "HVM domU",
                                           "OpenStack",
                                           "Google Compute Engine",
                                           "Apple Virtualization",
                                           NULL};
    static const char *const amazon[] = {"Amazon EC2", NULL};
    char line[128];
    return dmi_begins("sys_vendor", vendors) || dmi_begins("product_name", products) ||
           (dmi_begins("sys_vendor", amazon) &&
            file_line("/sys/class/dmi/id/product_name", line, sizeof(line)) == 0 &&
            !strstr(line, ".metal"));
}

static bool read_hypervisor(void)
{
    /* On x86 the processor's answer (CPUID 1, ECX bit 31) is final, yes or no. The lines of the
     * first CPU are enough. */
    char text[8192], *flags, *word;
    if (file_read("/proc/cpuinfo", text, sizeof(text)) > 0 && (flags = strstr(text, "\nflags\t"))) {
        flags[1 + strcspn(flags + 1, "\n")] = '\0';
        while ((word = strsep(&flags, " \t")))
            if (str_equal(word, "hypervisor"))
                return true;
        return false;
    }
    /* Xen, or another hypervisor with this folder; the generic virtual machine of QEMU and others
     * on Arm: Documentation/devicetree/bindings. */
    return (file_line("/sys/hypervisor/type", text, sizeof(text)) == 0 && *text) ||
           file_read("/proc/device-tree/hypervisor/compatible", text, sizeof(text)) > 0 ||
           (file_read("/proc/device-tree/compatible", text, sizeof(text)) > 0 &&
            str_starts(text, "linux,dummy-virt")) ||
           dmi_is_virtual();
}

const char caps_contained[] =
    "tasks outside of this pid namespace look like idle ones: start it in the machine's "
    "('docker run --pid=host --cap-add PERFMON')";

const char *caps_blind(const struct caps *caps)
{
    return caps->no_proc
               ? "/proc is not mounted, and shows no tasks: as root, run 'mount -t proc proc "
                 "/proc'"
               : procfs_foreign();
}

void caps_program(const char *path, char *buffer, size_t size)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "/._-+,:=@%";
    size_t length = 0;
    bool fits = *path != '\0';
    for (const char *p = path; fits && *p; p++) {
        unsigned char c = (unsigned char)*p;
        fits = c >= ' ' && c != 0x7f && length + 3 <= size;
        if (fits && c < 0x80 && !strchr(plain, *p))
            buffer[length++] = '\\';
        if (fits)
            buffer[length++] = *p;
    }
    buffer[length] = '\0';
    if (!fits)
        snprintf(buffer, size, "countertop");
}

/* The first namespace has a fixed number (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
static bool is_contained(void)
{
    char name[64] = "";
    ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name) - 1);
    return length > 0 && !str_equal(name, "pid:[4026531836]");
}

void caps_read(struct caps *caps)
{
    static const uint64_t perfmon = UINT64_C(1) << CAP_PERFMON,
                          admin = UINT64_C(1) << CAP_SYS_ADMIN,
                          ptrace = UINT64_C(1) << CAP_SYS_PTRACE;
    static const char gone[] = " (deleted)"; /* proc(5): removed or replaced since it was started */
    char core[64], status[4096], stat[8], path[PATH_MAX], ids[256];
    unsigned long first, mapped, count;
    struct rlimit limit;
    long paranoid = read_number("/proc/sys/kernel/perf_event_paranoid", CAPS_PARANOID_UNKNOWN);
    if (file_read("/proc/self/status", status, sizeof(status)) < 0)
        *status = '\0';
    uint64_t usable =
        procfs_status_number(status, privilege_secure() ? "\nCapPrm:" : "\nCapEff:", 16);
    /* user_namespaces(7): the first namespace maps all ids to themselves. */
    bool namespaced = file_line("/proc/self/uid_map", ids, sizeof(ids)) == 0 && *ids &&
                      (sscanf(ids, "%lu %lu %lu", &first, &mapped, &count) != 3 || first != 0 ||
                       mapped != 0 || count != UINT32_MAX);
    /* Of filters only those of others are an obstacle; before Linux 5.9 they were not numbered. */
    bool own = sandbox_entered();
    bool filtered = procfs_status_number(status, "\nSeccomp:", 10) == 2; /* proc(5): a filter */
    *caps = (struct caps){
        .paranoid = paranoid < -1 || paranoid > CAPS_PARANOID_UNKNOWN ? CAPS_PARANOID_UNKNOWN
                                                                      : (int)paranoid,
        .perfmon = !namespaced && usable & (perfmon | admin),
        .admin = !namespaced && usable & admin,
        .ptrace = usable & ptrace,
        .namespaced = namespaced,
        .contained = is_contained(),
        .seccomp = filtered && (!own || procfs_status_number(status, "\nSeccomp_filters:", 10) > 1),
        .no_new_privs = !own && procfs_status_number(status, "\nNoNewPrivs:", 10),
        .no_setcap = access("/sbin/setcap", X_OK) < 0,
        .old_kernel = read_number("/proc/sys/kernel/cap_last_cap", CAP_PERFMON) < CAP_PERFMON,
        /* With hidepid, members of the group in the option gid still see all processes. */
        .hidden = privilege_hidepid() && procfs_read(1, 0, "stat", stat, sizeof(stat)) <= 0,
        .no_proc = !*status,
        .foreign = *status && procfs_foreign(),
        .hypervisor = read_hypervisor(),
        .core_pmu = topology_core_pmu(core, sizeof(core)),
        .descriptors = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (size_t)limit.rlim_cur : 1024,
    };
    /* The real /proc, not that of COUNTERTOP_ROOT. */
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = '\0';
    char *end = strstr(path, gone);
    if (end && !end[strlen(gone)] && access(path, F_OK) < 0)
        *end = '\0';
    caps_program(path, caps->program, sizeof(caps->program));
}

/* Limits are from kernel/events/core.c, perf_allow_cpu() and perf_allow_kernel(). */
bool caps_system_wide(const struct caps *caps)
{
    return !caps->contained && (caps->perfmon || caps->paranoid < 1);
}

bool caps_kernel(const struct caps *caps)
{
    return caps->perfmon || caps->paranoid < 2;
}

void caps_obstacle(const struct caps *caps, char *buffer, size_t size)
{
    char value[40] = "not readable";
    if (caps->paranoid != CAPS_PARANOID_UNKNOWN)
        snprintf(value, sizeof(value), "%d", caps->paranoid);
    snprintf(buffer, size, "perf_event_paranoid is %s%s", value,
             caps->namespaced ? ", and capabilities of a user namespace do not count" : "");
}

void caps_raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int caps_refuse_setuid(struct err *err)
{
    if (geteuid() == getuid() && getegid() == getgid())
        return 0;
    return err_set(err, "cannot run with the set-user-ID or set-group-ID bit: run 'chmod ug-s' on "
                        "countertop, and give it capabilities instead ('make install-caps')");
}
