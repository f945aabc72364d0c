#include "system/caps.h"
#include "base/file.h"
#include "base/str.h"
#include "system/topology.h"

#include <linux/capability.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

static int read_paranoid(void)
{
    char line[32];
    if (file_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line)) != 0)
        return CAPS_PARANOID_UNKNOWN;
    char *end;
    long value = strtol(line, &end, 10);
    bool valid = end != line && value >= -1 && value < CAPS_PARANOID_UNKNOWN;
    return valid ? (int)value : CAPS_PARANOID_UNKNOWN;
}

/* The effective set, a mask: proc(5), /proc/pid/status. */
static uint64_t read_effective(void)
{
    char status[4096];
    if (file_read("/proc/self/status", status, sizeof(status)) < 0)
        return 0;
    const char *line = strstr(status, "\nCapEff:");
    return line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;
}

static bool has_word(const char *line, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = line; (p = strstr(p, word)); p += length)
        if (p > line && (p[-1] == ' ' || p[-1] == '\t') && strchr(" \n", p[length]))
            return true;
    return false;
}

static bool line_starts(const char *path, const char *const *prefixes)
{
    char line[128];
    if (file_line(path, line, sizeof(line)) != 0)
        return false;
    for (; *prefixes; prefixes++)
        if (str_starts(line, *prefixes))
            return true;
    return false;
}

/* Firmware of virtual machines names its maker. Some makers also build real machines: those are
 * known by the product. */
static bool dmi_is_virtual(void)
{
    static const char *const makers[] = {"QEMU",      "VMware",    "innotek", "Xen", "Bochs",
                                         "Parallels", "OpenStack", "Nutanix", NULL};
    static const char *const products[] = {
        "KVM",      "QEMU",      "Virtual Machine",       "VirtualBox",
        "HVM domU", "OpenStack", "Google Compute Engine", "Apple Virtualization",
        NULL};
    static const char *const amazon[] = {"Amazon EC2", NULL};
    if (line_starts("/sys/class/dmi/id/sys_vendor", makers) ||
        line_starts("/sys/class/dmi/id/product_name", products))
        return true;
    char product[128];
    return line_starts("/sys/class/dmi/id/sys_vendor", amazon) &&
           file_line("/sys/class/dmi/id/product_name", product, sizeof(product)) == 0 &&
           !strstr(product, ".metal");
}

static bool read_hypervisor(void)
{
    /* On x86 the processor itself says so (CPUID 1, ECX bit 31) and is believed either way. The
     * lines of the first CPU are enough. */
    char text[8192];
    if (file_read("/proc/cpuinfo", text, sizeof(text)) > 0) {
        char *flags = strstr(text, "\nflags\t");
        if (flags) {
            flags[1 + strcspn(flags + 1, "\n")] = '\0';
            return has_word(flags, "hypervisor");
        }
    }
    /* Xen, or another hypervisor that has a folder there. */
    if (file_line("/sys/hypervisor/type", text, sizeof(text)) == 0 && *text)
        return true;
    if (file_read("/proc/device-tree/hypervisor/compatible", text, sizeof(text)) > 0)
        return true;
    /* The machine that QEMU and others make up for Arm: Documentation/devicetree/bindings. */
    if (file_read("/proc/device-tree/compatible", text, sizeof(text)) > 0 &&
        str_starts(text, "linux,dummy-virt"))
        return true;
    return dmi_is_virtual();
}

void caps_read(struct caps *caps)
{
    uint64_t effective = read_effective();
    uint64_t perfmon = UINT64_C(1) << CAP_PERFMON | UINT64_C(1) << CAP_SYS_ADMIN;
    char core[64];
    struct rlimit limit;
    *caps = (struct caps){
        .paranoid = read_paranoid(),
        .perfmon = effective & perfmon,
        .ptrace = effective & UINT64_C(1) << CAP_SYS_PTRACE,
        .hypervisor = read_hypervisor(),
        .core_pmu = topology_core_pmu(core, sizeof(core)),
        .descriptors = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (size_t)limit.rlim_cur : 1024,
    };
}

/* Both limits: kernel/events/core.c, perf_allow_cpu() and perf_allow_kernel(). */
bool caps_system_wide(const struct caps *caps)
{
    return caps->perfmon || caps->paranoid < 1;
}

bool caps_kernel(const struct caps *caps)
{
    return caps->perfmon || caps->paranoid < 2;
}
