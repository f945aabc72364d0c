#include "view/view_kind.h"

static bool user_key(const struct view_context *context UNUSED, const struct row *process,
                     char *key, size_t size)
{
    return snprintf(key, size, "%u", (unsigned)process->uid) > 0;
}

static bool command_key(const struct view_context *context UNUSED, const struct row *process,
                        char *key, size_t size)
{
    return snprintf(key, size, "%s", process->comm) >= 0;
}

static bool cgroup_key(const struct view_context *context, const struct row *process, char *key,
                       size_t size)
{
    AUTO_FREE char *path = proc_ask(context, process->pid, 0, PROC_CGROUP);
    return path && snprintf(key, size, "%s", path) >= 0;
}

const struct view_type view_types[] = {
    [VIEW_TASKS] = {"tasks", "Tasks", "processes, or their threads", "command"},
    [VIEW_CPUS] = {"cpus", "CPUs", "CPUs, cores, sockets or types of cores", .cpus = true},
    [VIEW_USERS] = {"users", "Users", "the processes of each user", "user", .key = user_key,
                    .in_row = true},
    [VIEW_COMMANDS] = {"commands", "Commands", "the processes of each name", "command",
                       .key = command_key, .in_row = true},
    [VIEW_CGROUPS] = {"cgroups", "Cgroups", "the processes of each cgroup", "cgroup",
                      .key = cgroup_key},
    [VIEW_HEAT] = {"heat", "Heat", "each CPU over time, in colours", "trend", .cpus = true},
    [VIEW_TAKERS] = {"takers", "Takers", "which command took the CPU from which", "waiter",
                     .key = command_key, .in_row = true, .takers = true},
    [VIEW_FUNCTIONS] = {"functions", "Functions", "where an event happens", "function",
                        .code = true},
    [VIEW_INSTRUCTIONS] = {"instructions", "Functions", NULL, "instruction", .code = true},
    [VIEW_CGROUP_TAKERS] = {"cgroup-takers", "Takers", "which cgroup took the CPU from which",
                            "waiter", .key = cgroup_key, .takers = true},
    [VIEW_COUNT] = {0},
};

bool view_asks_proc(enum view_kind kind)
{
    return view_adds_up(kind) && !view_types[kind].in_row;
}

bool view_lacks_cpus(enum view_kind kind, const struct frame *frame)
{
    return !frame->has_cpus && (view_types[kind].takers || view_of_cpus(kind));
}

bool view_has_rows(enum view_kind kind, const struct frame *frame)
{
    bool takers = view_types[kind].takers;
    if (!frame)
        return !takers;
    return !view_lacks_cpus(kind, frame) && (!takers || event_set_waits(frame->events));
}

void view_types_describe(struct str *text)
{
    for (const struct view_type *type = view_types; type->word; type++)
        str_printf(text, "%s%s",
                   type == view_types ? ""
                   : type[1].word     ? ", "
                                      : " or ",
                   type->word);
}

bool view_needs_idle(const struct view_settings *settings)
{
    return settings->idle || settings->tree;
}

bool view_marks_ascii(const struct view_settings *settings)
{
    return settings->ascii || settings->plain;
}

const char *view_amount_text(enum view_amount amount)
{
    static const char *const texts[] = {"a second", "in the interval", "since the start"};
    return texts[amount];
}
