#include "app/program.h"
#include "base/json.h"
#include "engine/probe_open.h"
#include "event/event_table.h"
#include "event/query.h"
#include "event/pmu.h"
#include "report/report.h"
#include "system/procfs.h"
#include "system/sandbox.h"
#include "system/topology.h"

#include <pwd.h>
#include <sys/utsname.h>

/* Abilities that are tried. */
enum check_ability {
    CHECK_HARDWARE,
    CHECK_SOFTWARE,
    CHECK_KERNEL,
    CHECK_SYSTEM_WIDE,
    CHECK_OTHERS,
    CHECK_TRACEPOINTS,
    CHECK_BREAKPOINTS,
    CHECK_ABILITIES,
};

struct check_core_pmu {
    char *name;
    struct probe_open_counters counters;
};

enum { CHECK_LIMITS = 6 };

/* Limits of the kernel. */
static const char *const limit_files[CHECK_LIMITS] = {
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/perf_event_mlock_kb",
    "/proc/sys/kernel/perf_event_max_sample_rate",
    "/proc/sys/kernel/perf_cpu_time_max_percent",
    "/proc/sys/kernel/nmi_watchdog",
    "/proc/sys/fs/file-max",
};

/* The name of sysctl(8) after "kernel." or "fs.". */
static const char *limit_name(size_t i)
{
    return strrchr(limit_files[i], '/') + 1;
}

struct check {
    struct utsname system;
    char cpu_model[128];
    size_t cpus; /* online */
    struct caps caps;
    uid_t uid;
    struct names pmus;
    struct check_core_pmu *cores; /* the core PMUs with these CPUs */
    size_t core_count;
    char libpfm[32]; /* version */
    struct names tables;
    char *reasons[CHECK_ABILITIES];    /* why not, with the remedy; NULL: it works */
    char limits[CHECK_LIMITS][32];     /* numbers; "": not known */
    struct rlimit descriptors, locked; /* bytes */
    bool confined;                     /* a running program is in the sandbox */
    bool server_confined;              /* ... and the process of --listen has no rights, either */
    int landlock; /* version of the kernel's interface; 0: none, or no sandbox at all */
};

/* Tries a process of another user, or process 1. What cannot be seen cannot be watched either. */
static char *try_others(const struct check *check)
{
    struct pid_list all = {0};
    const char *blind = caps_blind(&check->caps);
    if (blind)
        return mem_strdup(blind);
    if (check->caps.hidden)
        return mem_printf("/proc does not show them (hidepid): as root, run 'mount -o "
                          "remount,hidepid=0 /proc' or 'setcap cap_perfmon,cap_sys_ptrace+ep %s'",
                          check->caps.program);
    procfs_processes(&all);
    char *reason = NULL;
    bool tried = false;
    for (size_t i = 0; !tried && i <= all.count; i++) {
        pid_t pid = i < all.count ? all.pids[i] : 1;
        uid_t owner = procfs_uid(pid, 0);
        if (i < all.count && (owner == (uid_t)-1 || owner == geteuid()))
            continue;
        mem_replace(&reason,
                    probe_open_reason("page-faults", MODE_USER,
                                      (struct group_target){.pid = pid, .cpu = -1}, &check->caps));
        struct procfs_task task; /* else it was ending */
        tried = !reason || (procfs_task(pid, 0, &task) == 0 && !task.exiting);
    }
    free(all.pids);
    return reason;
}

static void try_abilities(struct check *check, int cpu)
{
    const struct caps *caps = &check->caps;
    struct group_target self = {.cpu = -1}, all = {.pid = -1, .cpu = cpu};
    char **reasons = check->reasons;
    reasons[CHECK_SOFTWARE] = probe_open_reason("page-faults", MODE_USER, self, caps);
    reasons[CHECK_KERNEL] = probe_open_reason("page-faults", MODE_ALL, self, caps);
    reasons[CHECK_SYSTEM_WIDE] = probe_open_reason("page-faults", MODE_ALL, all, caps);
    if (!reasons[CHECK_SYSTEM_WIDE] && caps->contained)
        reasons[CHECK_SYSTEM_WIDE] = mem_strdup(caps_contained);
    reasons[CHECK_OTHERS] = try_others(check);
    reasons[CHECK_TRACEPOINTS] = probe_open_reason("sched:sched_switch", MODE_ALL, self, caps);
    reasons[CHECK_BREAKPOINTS] = probe_open_breakpoint(MODE_USER, self, caps);
    size_t free = 0;
    for (size_t i = 0; i < check->core_count; i++)
        free += check->cores[i].counters.free;
    if (free == 0)
        reasons[CHECK_HARDWARE] = probe_open_reason("cycles", MODE_USER, self, caps);
}

/* Fills check by trials, nothing is guessed; release it in any case. -1 with a message. */
static int check_make(struct check *check, bool sandbox, struct err *err)
{
    AUTO_CPUS struct cpulist online = {0};
    *check = (struct check){.uid = geteuid()};
    if (uname(&check->system) < 0 || topology_online(&online, err) < 0)
        return -1;
    check->cpus = online.count;
    topology_cpu_model(check->cpu_model, sizeof(check->cpu_model));
    for (size_t i = 0; i < CHECK_LIMITS; i++) {
        char *limit = check->limits[i];
        if (file_line(limit_files[i], limit, sizeof(check->limits[i])) < 0 ||
            limit[strspn(limit, "-0123456789")])
            *limit = '\0';
    }
    getrlimit(RLIMIT_NOFILE, &check->descriptors);
    getrlimit(RLIMIT_MEMLOCK, &check->locked);
    caps_raise_descriptors(); /* as before counting */
    probe_open_caps(&check->caps);
    pmu_list(&check->pmus);
    libpfm_version(check->libpfm, sizeof(check->libpfm));
    libpfm_tables(&check->tables);
    AUTO_NAMES struct names types;
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
    try_abilities(check, online.cpus[0]);
    check->server_confined = sandbox && server_confined();
    check->landlock = sandbox ? path_rules_version() : 0;
    check->confined = sandbox && sandbox_enter(SANDBOX_COUNT) && sandbox_entered();
    return 0;
}

/* The exit status: 0 hardware counters work, 3 only software events do, 1 nothing does. */
static int check_status(const struct check *check)
{
    enum { HARDWARE_WORKS = 0, NOTHING_WORKS = 1, SOFTWARE_WORKS = 3 };
    if (!check->reasons[CHECK_HARDWARE])
        return HARDWARE_WORKS;
    return check->reasons[CHECK_SOFTWARE] ? NOTHING_WORKS : SOFTWARE_WORKS;
}

static const char *const abilities[CHECK_ABILITIES] = {
    [CHECK_HARDWARE] = "hardware events",   [CHECK_SOFTWARE] = "software events",
    [CHECK_KERNEL] = "kernel mode",         [CHECK_SYSTEM_WIDE] = "all tasks of a CPU",
    [CHECK_OTHERS] = "processes of others", [CHECK_TRACEPOINTS] = "tracepoints",
    [CHECK_BREAKPOINTS] = "breakpoints",
};

/* A flag of struct caps. */
struct flag {
    const char *name;
    size_t field;
};

static const struct flag capabilities[] = {
    {"cap_perfmon", offsetof(struct caps, perfmon)},
    {"cap_sys_admin", offsetof(struct caps, admin)},
    {"cap_sys_ptrace", offsetof(struct caps, ptrace)},
    {0},
};
static const struct flag restrictions[] = {
    {"seccomp filter", offsetof(struct caps, seccomp)},
    {"user namespace", offsetof(struct caps, namespaced)},
    {"pid namespace", offsetof(struct caps, contained)},
    {"no_new_privs", offsetof(struct caps, no_new_privs)},
    {"hidepid", offsetof(struct caps, hidden)},
    {"no /proc", offsetof(struct caps, no_proc)},
    {"/proc of another pid namespace", offsetof(struct caps, foreign)},
    {0},
};

enum { FLAGS_MAX = 8 };

/* Collects the names of the flags that are set. */
static size_t flags_set(const struct caps *caps, const struct flag *flags,
                        const char *names[FLAGS_MAX])
{
    size_t count = 0;
    for (; flags->name; flags++)
        if (*(const bool *)((const char *)caps + flags->field))
            names[count++] = flags->name;
    return count;
}

/* ---- text ---- */

enum { COLUMN = 14, WIDTH = 100, KIB = 1024 };

static void add_label(struct str *out, const char *label)
{
    str_printf(out, "%-*s", COLUMN, label);
}

static __attribute__((format(printf, 3, 4))) void add_fact(struct str *out, const char *label,
                                                           const char *format, ...)
{
    va_list arguments;
    add_label(out, label);
    va_start(arguments, format);
    str_vprintf(out, format, arguments);
    va_end(arguments);
    str_add_char(out, '\n');
}

/* Adds words separated by commas, wrapped to the width of the page. */
static void check_page_add_words(struct str *out, const char *const *words, size_t count)
{
    size_t width = COLUMN;
    if (count == 0)
        str_add(out, "none");
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(words[i]) + 2;
        if (i && width + length > WIDTH) {
            str_printf(out, ",\n%*s", COLUMN, "");
            width = COLUMN;
        } else if (i) {
            str_add(out, ", ");
        }
        str_add(out, words[i]);
        width += length;
    }
    str_add(out, "\n");
}

static void add_flags(struct str *out, const char *label, const struct caps *caps,
                      const struct flag *flags)
{
    const char *words[FLAGS_MAX];
    add_label(out, label);
    check_page_add_words(out, words, flags_set(caps, flags, words));
}

static void check_page_add_machine(struct str *out, const struct check *check)
{
    str_printf(out, "countertop %s\n\n", COUNTERTOP_VERSION);
    add_fact(out, "kernel", "%s %s %s", check->system.sysname, check->system.release,
             check->system.machine);
    add_fact(out, "processor", "%s, %zu CPU%s", check->cpu_model, check->cpus,
             check->cpus == 1 ? "" : "s");
    add_fact(out, "hypervisor", check->caps.hypervisor ? "yes" : "no");
    add_label(out, "PMUs");
    check_page_add_words(out, (const char *const *)check->pmus.items, check->pmus.count);
    if (check->core_count == 0)
        add_fact(out, "counters", "none");
    for (size_t i = 0; i < check->core_count; i++) {
        const struct check_core_pmu *core = &check->cores[i];
        add_label(out, i ? "" : "counters");
        str_printf(out, "%zu in PMU '%s'", core->counters.all, core->name);
        if (core->counters.free < core->counters.all)
            str_printf(out, ", %zu of them free", core->counters.free);
        str_add(out, "\n");
    }
    add_label(out, "libpfm4");
    str_printf(out, "%s, tables ", check->libpfm);
    check_page_add_words(out, (const char *const *)check->tables.items, check->tables.count);
    const struct event_table *files = event_table();
    add_label(out, "event files");
    if (files->sources.count == 0)
        str_add(out, "none (the manual, 'Event files', says where to get them)\n");
    else
        str_printf(out, "%zu for this machine, with %zu events and %zu metrics\n",
                   files->sources.count, files->events.count, files->metrics.count);
    struct passwd *user = getpwuid(check->uid);
    add_label(out, "user");
    str_printf(out, "%s (uid %u)\n", user ? user->pw_name : "?", check->uid);
    if (check->caps.no_proc)
        add_fact(out, "capabilities", "-");
    else
        add_flags(out, "capabilities", &check->caps, capabilities);
    add_flags(out, "restrictions", &check->caps, restrictions);
    add_fact(out, "sandbox",
             check->confined ? "yes: a running program can make only the system calls that it needs"
                             : "no: system calls of a running program are not restricted");
    add_fact(out, "server",
             check->server_confined
                 ? "the process of --listen has a sandbox of its own, without rights"
                 : "the process of --listen is not confined");
    if (check->landlock > 0)
        add_fact(out, "landlock",
                 "version %d: what reads a recording can open only the files that it needs; what "
                 "counts cannot be confined so",
                 check->landlock);
    else
        add_fact(out, "landlock", "no: what reads a recording can open any file of the user");
}

/* Adds a limit of the process, in units of that size. */
static void check_page_add_amount(struct str *out, rlim_t amount, unsigned unit)
{
    if (amount == RLIM_INFINITY)
        str_add(out, "unlimited");
    else
        str_printf(out, "%llu", (unsigned long long)amount / unit);
}

static void add_limit(struct str *out, const char *name, const struct rlimit *limit, unsigned unit)
{
    str_printf(out, "  %-27s ", name);
    check_page_add_amount(out, limit->rlim_cur, unit);
    str_add(out, " (hard limit ");
    check_page_add_amount(out, limit->rlim_max, unit);
    str_add(out, ")\n");
}

/* Adds how to see hardware counters where there are none: in the recording that is installed with
 * the program, or stands in the sources that it was built from. `others`: it counts tasks of
 * others, too. */
static void add_recording(struct str *out, bool others)
{
    static const char *const places[] = {"../share/countertop/demo.db",
                                         "../tests/data/recording/demo.db"};
    AUTO_FREE char *program = home_program();
    char quoted[PATH_MAX];
    bool found = false;
    for (size_t i = 0; program && !found && i < sizeof(places) / sizeof(places[0]); i++) {
        AUTO_FREE char *place = mem_printf("%s/%s", program, places[i]),
                       *path = realpath(place, NULL);
        found = path && access(path, R_OK) == 0;
        if (found) {
            caps_program(path, quoted, sizeof(quoted));
            str_printf(
                out,
                "    a recording that has them, of an emulated processor with an IPC of 0.50: "
                "countertop --replay %s\n    what there is to see without them: "
                "%s\n",
                quoted,
                others ? "countertop -s waits, countertop --view functions"
                       : "countertop -b --view functions -- COMMAND");
        }
    }
}

/* What one can count, in a sentence or two, and what makes it more. */
static void add_verdict(struct str *out, const struct check *check)
{
    char *const *reasons = check->reasons;
    static const enum check_ability kinds[] = {CHECK_HARDWARE, CHECK_SOFTWARE, CHECK_TRACEPOINTS};
    size_t works = 0, named = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        works += !reasons[kinds[i]];
    if (works == 0) {
        str_add(out, "You can count nothing: the end of this page says why.\n\n");
        return;
    }
    str_add(out, "You can count ");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (reasons[kinds[i]])
            continue;
        str_printf(out, "%s%s",
                   named == 0          ? ""
                   : named + 1 < works ? ", "
                                       : " and ",
                   abilities[kinds[i]]);
        named++;
    }
    str_printf(out, " of %s%s.",
               reasons[CHECK_OTHERS]   ? "your own processes"
               : check->caps.contained ? "the tasks of this container"
                                       : "all tasks",
               reasons[CHECK_KERNEL] ? ", in user mode" : "");
    if (reasons[CHECK_HARDWARE])
        str_printf(out, "\nHardware events: %.*s.", (int)strcspn(reasons[CHECK_HARDWARE], ";"),
                   reasons[CHECK_HARDWARE]);
    const char *others = reasons[CHECK_SYSTEM_WIDE];
    const char *remedy = others ? others + explain_cause(others) : "";
    if (*remedy)
        str_printf(out, "\nAll tasks%s.", remedy);
    str_add(out, "\n\n");
}

static void add_page(struct str *out, const struct check *check)
{
    bool any = false, listed[CHECK_ABILITIES] = {false};
    add_verdict(out, check);
    check_page_add_machine(out, check);
    str_add(out, "\nwhat may be counted\n");
    for (size_t a = 0; a < CHECK_ABILITIES; a++)
        str_printf(out, "  %-27s %s\n", abilities[a], check->reasons[a] ? "no" : "yes");
    str_add(out, "\nlimits\n");
    for (size_t i = 0; i < CHECK_LIMITS; i++)
        str_printf(out, "  %-27s %s\n", limit_name(i), *check->limits[i] ? check->limits[i] : "-");
    add_limit(out, "descriptors (ulimit -n)", &check->descriptors, 1);
    add_limit(out, "locked KiB (ulimit -l)", &check->locked, KIB);
    /* Each reason once, with everything that it prevents. */
    for (size_t a = 0; a < CHECK_ABILITIES; a++) {
        const char *reason = check->reasons[a];
        if (!reason || listed[a])
            continue;
        str_add(out, any ? "" : "\nwhat is missing, and how to change it\n");
        str_printf(out, "  %s", abilities[a]);
        for (size_t b = a + 1; b < CHECK_ABILITIES; b++)
            if (str_equal(check->reasons[b], reason)) {
                str_printf(out, ", %s", abilities[b]);
                listed[b] = true;
            }
        str_printf(out, ":\n    %s\n", reason);
        if (a == CHECK_HARDWARE && check->caps.hypervisor)
            str_add(out,
                    "    its host has to pass a PMU to it (libvirt, QEMU: CPU 'host' with pmu=on; "
                    "clouds: some large or metal machines)\n");
        if (a == CHECK_HARDWARE)
            add_recording(out, !check->reasons[CHECK_OTHERS]);
        any = true;
    }
}

/* ---- JSON ---- */

static void add_json_flags(struct str *out, const char *key, const struct caps *caps,
                           const struct flag *flags)
{
    const char *words[FLAGS_MAX];
    json_texts(out, key, words, flags_set(caps, flags, words));
}

/* Adds a limit; null: no limit. */
static void add_json_limit(struct str *out, const char *key, rlim_t amount, unsigned unit)
{
    json_known(out, key, amount != RLIM_INFINITY, "%llu", (unsigned long long)amount / unit);
}

static void add_object(struct str *out, const struct check *check)
{
    static const char *const results[] = {[0] = "hardware", [1] = "nothing", [3] = "software"};
    json_open(out, NULL, '{');
    json_text(out, "type", "check");
    json_text(out, "version", COUNTERTOP_VERSION);
    json_text(out, "result", results[check_status(check)]);
    json_text(out, "kernel", check->system.release);
    json_text(out, "machine", check->system.machine);
    json_text(out, "cpu_model", check->cpu_model);
    json_number(out, "cpus", "%zu", check->cpus);
    json_bool(out, "hypervisor", check->caps.hypervisor);
    json_texts(out, "pmus", (const char *const *)check->pmus.items, check->pmus.count);
    json_open(out, "counters", '[');
    for (size_t i = 0; i < check->core_count; i++) {
        const struct check_core_pmu *core = &check->cores[i];
        json_open(out, NULL, '{');
        json_text(out, "pmu", core->name);
        json_number(out, "all", "%zu", core->counters.all);
        json_number(out, "free", "%zu", core->counters.free);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_text(out, "libpfm4", check->libpfm);
    json_texts(out, "tables", (const char *const *)check->tables.items, check->tables.count);
    json_texts(out, "event_files", (const char *const *)event_table()->sources.items,
               event_table()->sources.count);
    json_number(out, "uid", "%u", check->uid);
    if (check->caps.no_proc)
        json_text(out, "capabilities", NULL);
    else
        add_json_flags(out, "capabilities", &check->caps, capabilities);
    add_json_flags(out, "restrictions", &check->caps, restrictions);
    json_bool(out, "sandbox", check->confined);
    json_bool(out, "server_sandbox", check->server_confined);
    json_number(out, "landlock", "%d", check->landlock);
    json_open(out, "can", '[');
    for (size_t a = 0; a < CHECK_ABILITIES; a++) {
        json_open(out, NULL, '{');
        json_text(out, "what", abilities[a]);
        json_bool(out, "works", !check->reasons[a]);
        json_text(out, "reason", check->reasons[a]);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "limits", '{');
    for (size_t i = 0; i < CHECK_LIMITS; i++)
        json_number(out, limit_name(i), "%s", *check->limits[i] ? check->limits[i] : "null");
    add_json_limit(out, "descriptors", check->descriptors.rlim_cur, 1);
    add_json_limit(out, "descriptors_hard", check->descriptors.rlim_max, 1);
    add_json_limit(out, "locked_kb", check->locked.rlim_cur, KIB);
    add_json_limit(out, "locked_kb_hard", check->locked.rlim_max, KIB);
    json_close(out, '}');
    json_close(out, '}');
    str_add(out, "\n");
}

int check_page_write(FILE *out, bool json, bool sandbox, struct err *err)
{
    struct check check;
    AUTO_STR struct str page = str_new();
    int status = 1;
    if (check_make(&check, sandbox, err) == 0) {
        status = check_status(&check);
        if (json)
            add_object(&page, &check);
        else
            add_page(&page, &check);
        fputs(page.text, out);
    }
    for (size_t i = 0; i < check.core_count; i++)
        free(check.cores[i].name);
    free(check.cores);
    for (size_t i = 0; i < CHECK_ABILITIES; i++)
        free(check.reasons[i]);
    names_release(&check.pmus);
    names_release(&check.tables);
    return status;
}
