/* The processors of this machine. */
#pragma once

#include "base/base.h"
#include "base/cpulist.h"

/* CPUs online now (/sys/devices/system/cpu/online). */
int topology_online(struct cpulist *cpus, struct err *err);
/* The same for repeated calls, from the descriptor that topology_keep_online opens (-1 with errno;
 * the caller closes it). */
int topology_keep_online(void);
int topology_online_again(int fd, struct cpulist *cpus, struct err *err);
/* The position of a CPU (Documentation/admin-guide/cputopology.rst). */
struct topology_place {
    int socket, core; /* numbers of its package, and of its core in that; -1: not known */
    char type[32];    /* of the core: its name on Arm ("Cortex-A55"), else the PMU of its type
                         if there are several ("cpu_atom"), else "cpu" */
};
/* -1 with errno if sysfs has no such CPU. */
int topology_place(int cpu, struct topology_place *place);
/* The processor's name: "model name" of /proc/cpuinfo, or on Arm the name of its MIDR
 * ("Neoverse-N1"), or the machine's architecture. */
void topology_cpu_model(char *buffer, size_t size);

/* Adds the processor's ids as in perf's lists of events (mapfile.csv): vendor, family and model in
 * hex, "GenuineIntel-6-8F", with Intel's two core types "GenuineIntel-6-97-hybrid". On Arm one for
 * each core type: its MIDR_EL1 and, if it is known, its name, "0x410fd493 Neoverse-N2"; variant and
 * revision are digits of it (Arm Architecture Reference Manual: implementer, variant, f, part,
 * revision). On POWER "POWER9". None on other machines. */
void topology_cpu_ids(struct names *ids);
/* Slots of the pipeline in a cycle as the cores' PMUs say (caps/slots: PMMIR_EL1.SLOTS, Armv8.4);
 * 0: they do not say, or core types differ. */
unsigned topology_slots(void);
/* The id by which perf's mapfile.csv chooses event files for a CPU: vendor, family, model and
 * stepping ("GenuineIntel-6-8F-8"), on Arm its MIDR_EL1 ("0x00000000410fd0c0"), on RISC-V its
 * mvendorid, marchid and mimpid; else "". */
void topology_map_id(int cpu, char *buffer, size_t size);
/* The nominal clock of the first CPU, GHz; 0 if not known. */
double topology_nominal_ghz(void);

/* The cores' PMU, which counts the generic hardware events: "cpu", "armv8_pmuv3_0"; with several
 * core types that of the fast cores ("cpu_core") or the first by name. False if there is none. */
bool topology_core_pmu(char *buffer, size_t size);
/* Whether the PMU of that name (/sys/bus/event_source/devices) belongs to cores. */
bool topology_is_core_pmu(const char *name);

/* The properties of this machine that perf's expressions of metrics call #NAME
 * (tools/perf/util/tool_pmu.c and expr.c of the kernel's sources). */

/* The value of smt_on, core_wide, num_cpus, num_cpus_online, num_cores, num_packages, slots,
 * system_tsc_freq or has_pmem, in any case; false if the name or the value is not known. core_wide:
 * whether the counts of a row are those of whole cores, which is so without hardware threads. */
bool machine_property(const char *name, double *value);
