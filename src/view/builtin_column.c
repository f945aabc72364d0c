#include "view/builtin_column.h"
#include "base/str.h"
#include "model/functions.h"
#include "model/row_sum.h"
#include "view/cell.h"
#include "view/cpu_level.h"
#include "view/format.h"
#include "view/role.h"
#include "view/view_context.h"
#include "view/view_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The columns of functions and instructions: numbers, texts and cells for rows of the table in
 * view/builtin_column.c, where their meaning stands. Only for views of code. */

/* Decimals of the number, and widths of the cells. */
enum {
    CODE_SHARE_DECIMALS = 2,
    CODE_WAIT_WIDTH = 9,
    CODE_ADDRESS_WIDTH = 16,
    CODE_LINE_WIDTH = 6,
};

static const struct function *code_function_of(const struct view_context *context,
                                               const struct row *row)
{
    static const struct function none = {{0}, .object = {.name = "", .path = ""}};
    bool idle = row->id == 0; /* stands for any function without samples */
    return idle ? &none : &context->functions->functions[row - context->functions->rows];
}

/* Most instructions have no samples: there, no number says so. */
static bool is_told(const struct view_context *context, bool some)
{
    return some || !context->functions->listing;
}

/* False if the value is not known. */
static bool code_share_number(const struct view_context *context, const struct row *row,
                              int64_t *number)
{
    uint64_t all = context->functions->weight;
    double part = (double)code_function_of(context, row)->weight;
    *number = all ? llround(part / (double)all * 100 * pow(10, CODE_SHARE_DECIMALS)) : 0;
    return all > 0 && is_told(context, part > 0);
}

/* In ns. */
static bool code_blocked_number(const struct view_context *context, const struct row *row,
                                int64_t *number)
{
    *number = (int64_t)code_function_of(context, row)->waits[PROFILE_BLOCKED];
    return true;
}

static bool code_preempted_number(const struct view_context *context, const struct row *row,
                                  int64_t *number)
{
    *number = (int64_t)code_function_of(context, row)->waits[PROFILE_PREEMPTED];
    return true;
}

static void code_wait_cell(const struct view_context *context, const struct row *row,
                           int64_t number, struct cell *cell)
{
    (void)context, (void)row;
    format_duration(cell->text, (double)number / 1e9, CODE_WAIT_WIDTH);
}

static bool code_samples_number(const struct view_context *context, const struct row *row,
                                int64_t *number)
{
    *number = (int64_t)code_function_of(context, row)->samples;
    return is_told(context, *number > 0);
}

static bool code_object_text(const struct view_context *context, const struct row *row, char *text,
                             size_t size)
{
    const struct code_object *object = &code_function_of(context, row)->object;
    bool path = context->settings->cmdline && *object->path;
    text_clean(text, size, path ? object->path : object->name, context->settings->ascii);
    return *text;
}

static bool code_function_text(const struct view_context *context, const struct row *row,
                               char *text, size_t size)
{
    char name[1024];
    function_text(code_function_of(context, row), name, sizeof(name));
    text_clean(text, size, name, context->settings->ascii);
    return *text;
}

static const struct code_line *code_of(const struct view_context *context, const struct row *row)
{
    const struct functions *functions = context->functions;
    bool known = row->id != 0 && functions->listing;
    return known ? &functions->source.rows[row - functions->rows] : NULL;
}

static bool code_address_number(const struct view_context *context, const struct row *row,
                                int64_t *number)
{
    const struct code_line *code = code_of(context, row);
    *number = code ? (int64_t)code->address : 0;
    return code;
}

static void code_address_cell(const struct view_context *context, const struct row *row,
                              int64_t number, struct cell *cell)
{
    const struct code_line *code = code_of(context, row);
    if (code && code->instruction)
        snprintf(cell->text, sizeof(cell->text), "%*llx", CODE_ADDRESS_WIDTH,
                 (unsigned long long)number);
    else
        strcpy(cell->text, "-");
}

/* The place of a row among all, so that lines are in the order of their files. */
static bool code_line_number(const struct view_context *context, const struct row *row,
                             int64_t *number)
{
    *number = row->id != 0 ? row - context->functions->rows : 0;
    return row->id != 0;
}

static void code_line_cell(const struct view_context *context, const struct row *row,
                           int64_t number, struct cell *cell)
{
    const struct code_line *code = code_of(context, row);
    (void)number;
    if (code && code->place.file)
        format_id(cell->text, code->place.line, CODE_LINE_WIDTH);
    else
        strcpy(cell->text, "-");
}

/* Where it leads: up, down, to another function, back; two cells. */
static const char *instruction_arrow(const struct code_instruction *instruction,
                                     const struct code_listing *listing, bool ascii)
{
    bool inside = code_listing_find(listing, instruction->target) < listing->count;
    switch ((enum code_flow)instruction->flow) {
    case FLOW_ON:
        break;
    case FLOW_CALL:
        return ascii ? "> " : "→ ";
    case FLOW_RETURN:
        return ascii ? "< " : "← ";
    case FLOW_JUMP:
    case FLOW_BRANCH:
        if (!inside)
            return ascii ? "> " : "→ ";
        return instruction->target > instruction->address ? (ascii ? "v " : "↓ ")
                                                          : (ascii ? "^ " : "↑ ");
    }
    return "  ";
}

static bool code_instruction_text(const struct view_context *context, const struct row *row,
                                  char *text, size_t size)
{
    const struct code_line *code = code_of(context, row);
    const struct code_listing *listing = context->functions->listing;
    bool ascii = view_marks_ascii(context->settings);
    char line[2048] = "";
    if (code && code->instruction)
        snprintf(line, sizeof(line), "%s%s", instruction_arrow(code->instruction, listing, ascii),
                 code_listing_text(listing, code->instruction));
    else if (code)
        source_lines_text(&context->functions->source, code, line, sizeof(line));
    text_clean(text, size, line, context->settings->ascii);
    return *text;
}

/* ---- tasks, CPUs and groups ---- */

enum { COMMAND_SIZE = sizeof(((struct cell *)0)->text) };

/* Shown if the key of processes is not known: they ended before it was read. */
static const char ENDED[] = "(ended)";

/* Ids of 0 mean "none" or "not known", and are not shown. */
static bool pid_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    (void)context;
    return (*number = row->pid) > 0;
}

static bool tid_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    (void)context;
    return (*number = row->tid) > 0;
}

static bool ppid_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    (void)context;
    return (*number = row->ppid) > 0;
}

static bool cpu_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    const struct view_settings *settings = context->settings;
    *number = row->cpu;
    return row->cpu >= 0 && (!view_of_cpus(settings->kind) || settings->level == LEVEL_CPU);
}

/* An aggregate row has a socket or core only if all its CPUs share it. */
static bool socket_number(const struct view_context *context, const struct row *row,
                          int64_t *number)
{
    *number = cpu_level_of(context->levels, row)->place.socket;
    return *number >= 0 && context->settings->level != LEVEL_TYPE;
}

static bool core_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    *number = cpu_level_of(context->levels, row)->place.core;
    return *number >= 0 && context->settings->level <= LEVEL_CORE;
}

static bool core_type_text(const struct view_context *context, const struct row *row, char *text,
                           size_t size)
{
    bool single = context->settings->level != LEVEL_SOCKET; /* a socket can have several types */
    text_clean(text, size, single ? cpu_level_of(context->levels, row)->place.type : "",
               context->settings->ascii);
    return *text;
}

static bool cpus_text(const struct view_context *context, const struct row *row, char *text,
                      size_t size)
{
    cpu_level_list(context->levels, context->frame, row, text, size);
    return *text;
}

static bool heat_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    *number = cpu_level_of(context->levels, row)->heat;
    return *number >= 0;
}

enum { HEAT_WIDTH = 8 };

/* A bar in eighths of a cell, or in whole ones of ASCII; the least is a mark, too. */
static void heat_cell(const struct view_context *context, const struct row *row, int64_t number,
                      struct cell *cell)
{
    (void)row;
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    bool ascii = view_marks_ascii(context->settings);
    double part = (double)number / HEAT_MAX;
    long steps = lround(part * HEAT_WIDTH * (ascii ? 1 : 8));
    steps = steps > 0 ? steps : 1;
    struct str text = str_new();
    for (long i = 0; i < (ascii ? steps : steps / 8); i++)
        str_add(&text, ascii ? "#" : "█");
    str_add(&text, ascii ? "" : eighths[steps % 8]);
    const char *none = ascii ? "." : "·";
    snprintf(cell->text, sizeof(cell->text), "%s", number == 0 ? none : text.text);
    str_release(&text);
    cell->role = amount_role(part);
}

/* A word of /proc, see struct view_lookup. /proc is not read for ended tasks: another task may have
 * the ids now. */
static bool proc_word(const struct view_context *context, const struct row *row, const char *file,
                      const char *after, int n, char *word, size_t size)
{
    const struct view_lookup *lookup = context->lookup;
    return !row->exited && lookup && lookup->word &&
           lookup->word(lookup->ctx, row->pid, row->process ? row->tid : 0, file, after, n, word,
                        size);
}

static bool proc_number(const struct view_context *context, const struct row *row, const char *file,
                        const char *after, int n, int64_t *number)
{
    char word[32];
    if (!proc_word(context, row, file, after, n, word, sizeof(word)))
        return false;
    *number = strtoll(word, NULL, 10);
    return true;
}

static bool threads_number(const struct view_context *context, const struct row *row,
                           int64_t *number)
{
    if (!proc_number(context, row, "stat", ")", STAT_THREADS, number))
        *number = (int64_t)row->threads;
    return true;
}

/* The time of ended tasks and of kernel threads that never ran is not known. */
static bool kernel_number(const struct view_context *context, const struct row *row,
                          int64_t *number)
{
    int64_t user, kernel;
    if (!proc_number(context, row, "stat", ")", STAT_USER_TIME, &user) ||
        !proc_number(context, row, "stat", ")", STAT_KERNEL_TIME, &kernel) || user + kernel == 0)
        return false;
    *number = (100 * kernel + (user + kernel) / 2) / (user + kernel);
    return true;
}

enum { BYTES_WIDTH = 6 };

/* Memory that is present; 0 of kernel threads. */
static bool res_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    bool known = proc_number(context, row, "statm", NULL, 1, number);
    *number *= sysconf(_SC_PAGESIZE);
    return known;
}

static bool io_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    const struct view_lookup *lookup = context->lookup;
    double rate;
    bool known = !row->exited && lookup && lookup->io &&
                 lookup->io(lookup->ctx, row, context->frame->seq, &rate);
    *number = known ? (int64_t)llround(rate) : 0;
    return known;
}

static bool oom_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    return proc_number(context, row, "oom_score", NULL, 0, number);
}

static void bytes_cell(const struct view_context *context, const struct row *row, int64_t number,
                       struct cell *cell)
{
    (void)context, (void)row;
    format_count(cell->text, (double)number, BYTES_WIDTH);
}

static bool no_text(const struct view_context *context, const struct row *row, char *text,
                    size_t size)
{
    (void)context, (void)row, (void)text, (void)size;
    return false;
}

static bool state_text(const struct view_context *context, const struct row *row, char *text,
                       size_t size)
{
    snprintf(text, size, "X"); /* as in proc_pid_stat(5) */
    return row->exited || proc_word(context, row, "stat", ")", STAT_STATE, text, size);
}

/* Other states have no place where they wait, or one that is left at once. The kernel says "0" to
 * those who may not know (proc_pid_wchan(5)). */
static bool wchan_text(const struct view_context *context, const struct row *row, char *text,
                       size_t size)
{
    char state[4], word[64];
    if (!proc_word(context, row, "stat", ")", STAT_STATE, state, sizeof(state)) ||
        strcmp(state, "D") != 0 || !proc_word(context, row, "wchan", NULL, 0, word, sizeof(word)) ||
        strcmp(word, "0") == 0)
        return false;
    text_clean(text, size, word, context->settings->ascii);
    return *text;
}

bool builtin_waits(const struct view_context *context, const struct row *row, bool follow,
                   struct view_wait *wait)
{
    const struct view_lookup *lookup = context->lookup;
    *wait = (struct view_wait){0};
    return lookup && lookup->waits && !row->exited &&
           lookup->waits(lookup->ctx, row, context->frame->seq, follow, wait);
}

static bool waits_text(const struct view_context *context, const struct row *row, char *text,
                       size_t size)
{
    struct view_wait wait;
    struct str line = str_new();
    bool known = builtin_waits(context, row, false, &wait);
    if (known)
        str_printf(&line, wait.reason ? "(%s)" : "%s", wait.reason ? wait.reason : wait.text);
    str_add(&line, wait.deadlock ? ", deadlock" : "");
    text_clean(text, size, line.text, context->settings->ascii);
    str_release(&line);
    return known;
}

static bool taken_text(const struct view_context *context, const struct row *row, char *text,
                       size_t size)
{
    struct str line = str_new();
    bool known = builtin_taken(context, row, 1, &line);
    text_clean(text, size, line.text, context->settings->ascii);
    str_release(&line);
    return known;
}

static bool user_text(const struct view_context *context, const struct row *row, char *text,
                      size_t size)
{
    if (row->uid == (uid_t)-1)
        return false;
    const char *name = NULL;
    if (context->lookup && context->lookup->user)
        name = context->lookup->user(context->lookup->ctx, row->uid);
    if (name && *name)
        text_clean(text, size, name, context->settings->ascii);
    else
        snprintf(text, size, "%u", (unsigned)row->uid);
    return true;
}

static const struct group *group_of(const struct view_context *context, const struct row *row)
{
    return &context->groups->groups[row - context->groups->rows];
}

static bool processes_number(const struct view_context *context, const struct row *row,
                             int64_t *number)
{
    *number = (int64_t)group_of(context, row)->processes;
    return true;
}

static bool time_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    (void)context;
    *number = (int64_t)llround(row->oncpu * 1e9);
    return true;
}

static void time_cell(const struct view_context *context, const struct row *row, int64_t number,
                      struct cell *cell)
{
    enum { TIME_WIDTH = 7 };
    (void)context, (void)number;
    format_duration(cell->text, row->oncpu, TIME_WIDTH);
}

const char *builtin_cgroup(const struct view_context *context, const struct row *row, char *path,
                           size_t size)
{
    const struct view_lookup *lookup = context->lookup;
    const char *known = frame_cgroup(context->frame, row);
    if (!known && !row->exited && lookup && lookup->cgroup &&
        lookup->cgroup(lookup->ctx, row->pid, path, size))
        known = path;
    return known;
}

static bool cgroup_text(const struct view_context *context, const struct row *row, char *text,
                        size_t size)
{
    const struct view_settings *settings = context->settings;
    const struct view_lookup *lookup = context->lookup;
    char asked[4096], name[COMMAND_SIZE];
    bool group = settings->kind == VIEW_CGROUPS;
    const char *path =
        group ? group_of(context, row)->key : builtin_cgroup(context, row, asked, sizeof(asked));
    if (!path && !group)
        return false;
    if (!path)
        path = ENDED;
    else if (!settings->cmdline && lookup && lookup->cgroup_name) {
        lookup->cgroup_name(lookup->ctx, path, name, sizeof(name));
        path = name;
    }
    text_clean(text, size, path, settings->ascii);
    return *text;
}

bool builtin_command_line(const struct view_context *context, const struct row *row, char *text,
                          size_t size)
{
    const struct view_settings *settings = context->settings;
    const struct view_lookup *lookup = context->lookup;
    char *line = settings->kind != VIEW_TASKS || settings->threads || row->exited || !lookup ||
                         !lookup->cmdline
                     ? NULL
                     : lookup->cmdline(lookup->ctx, row->pid);
    text_clean(text, size, line ? line : "", settings->ascii);
    free(line);
    return *text;
}

static bool command_text(const struct view_context *context, const struct row *row, char *text,
                         size_t size)
{
    const struct view_settings *settings = context->settings;
    if (!settings->cmdline || !builtin_command_line(context, row, text, size))
        text_clean(text, size, row->comm, settings->ascii);
    return *text;
}

/* The lowest coverage of the events counted for the row, truncated: 99.6 is not 100. */
static bool run_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    const struct event_set *set = context->frame->events;
    double least = 2;
    for (size_t e = 0; e < set->count && row->state == EVENT_COUNTED; e++) {
        const struct event_info *event = &set->events[e];
        bool told = event->state == EVENT_COUNTED && event->group >= 0 &&
                    row_sum_tells(event, row->times[event->group]);
        if (told && row->counts[e].coverage < least)
            least = row->counts[e].coverage;
    }
    *number = (int64_t)(least * 100);
    return least <= 1;
}

static const struct builtin_column facts[] = {
    {{"pid", "PID", "process id", 7, false}, OF_TASKS, .number = pid_number, .lasting = true},
    {{"tid", "TID", "thread id", 7, false}, OF_TASKS, .number = tid_number, .lasting = true},
    {{"ppid", "PPID", "process id of the parent", 7, false},
     OF_TASKS,
     .number = ppid_number,
     .lasting = true},
    {{"processes", "PROCS", "processes that are added up", 6, false},
     OF_GROUPS,
     .number = processes_number},
    {{"time", "TIME", "time on a CPU", 7, false},
     OF_GROUPS,
     .number = time_number,
     .draw = time_cell,
     .adds_up = true,
     .totals = true},
    {{"user", "USER", "effective user", 8, true},
     OF_TASKS,
     .text = user_text,
     .keyed = true,
     .lasting = true},
    {{"cpu", "CPU", "CPU it ran on last", 4, false},
     OF_TASKS | OF_CPUS,
     .number = cpu_number,
     .of_task = "P",
     .lasting = true},
    {{"state", "S", "state: R running, S sleeping, D waiting, X ended", 1, true},
     OF_TASKS,
     .text = state_text},
    {{"wchan", "WCHAN", "in state D: the function of the kernel that it waits in", 16, true},
     OF_TASKS,
     .text = wchan_text},
    {{WAITS_FOR, "WAITS FOR", "what it sleeps for: a file, a lock, a thread; why it is not known",
      24, true},
     OF_TASKS,
     .text = waits_text},
    {{"taken_by", "TAKEN BY", "who had the CPU that it waited for: the largest, and its share", 20,
      true},
     OF_TASKS | OF_GROUPS,
     .text = taken_text},
    {{"threads", "THR", "threads of the process", 5, false}, OF_TASKS, .number = threads_number},
    {{"sys_pct", "%SYS", "part of its CPU time since its start that was in the kernel", 5, false},
     OF_TASKS,
     .number = kernel_number},
    {{"res", "RES", "bytes of memory that are present; read for rows in sight", BYTES_WIDTH, false},
     OF_TASKS,
     .number = res_number,
     .draw = bytes_cell},
    {{"io", "IO/s", "bytes a second that it reads from and writes to disks; read for rows in sight",
      BYTES_WIDTH, false},
     OF_TASKS,
     .number = io_number,
     .draw = bytes_cell},
    {{"oom", "OOM", "the kernel ends the task with the highest score when memory is short", 5,
      false},
     OF_TASKS,
     .number = oom_number},
    {{"trend", "TREND", "the last values of the column that sorts, the newest at the right", 8,
      true},
     OF_TASKS | OF_CPUS | OF_GROUPS | OF_CODE,
     .text = no_text,
     .strip = STRIP_TREND},
    {{"topdown", "TOPDOWN",
      "parts of the slots: █ retiring, ▓ bad speculation, ▒ front end, ░ back end "
      "(ASCII: R S F B)",
      20, true},
     OF_TASKS | OF_CPUS | OF_GROUPS | OF_CODE,
     .text = no_text,
     .strip = STRIP_STACK},
    {{"socket", "SOCKET", "processor package", 7, false}, OF_CPUS, .number = socket_number},
    {{"core", "CORE", "core in its package; its hardware threads are CPUs", 4, false},
     OF_CPUS,
     .number = core_number},
    {{"core_type", "TYPE", "kind of core, where there are several", 10, true},
     OF_CPUS,
     .text = core_type_text},
    {{"cpus", "CPUS", "the CPUs that are added up", 8, true}, OF_CPUS, .text = cpus_text},
    {{"heat", "HEAT", "the column that sorts as a bar: part of 100 %, else of the largest",
      HEAT_WIDTH, true},
     OF_CPUS,
     .number = heat_number,
     .draw = heat_cell},
    {{"coverage_pct", "%COV", "least part of the time that one of its events was on a counter", 4,
      false},
     OF_TASKS | OF_CPUS | OF_GROUPS,
     .number = run_number,
     .lasting = true,
     .partial = true},
    {{"cgroup", "CGROUP", "control group, a container by its short id; (ended): not known", 15,
      true},
     OF_TASKS,
     .text = cgroup_text,
     .keyed = true},
    {{"share", "SHARE", "part of all samples, by the number of events that each stands for", 6,
      false},
     OF_CODE,
     .number = code_share_number,
     .measured = true,
     .decimals = CODE_SHARE_DECIMALS},
    {{"samples", "SAMPLES", "samples in the interval: by chance it may be off by its square root",
      7, false},
     OF_CODE,
     .number = code_samples_number,
     .measured = true},
    {{"blocked", "BLOCKED", "time off the CPU that threads left here to wait", CODE_WAIT_WIDTH,
      false},
     OF_CODE,
     .number = code_blocked_number,
     .draw = code_wait_cell,
     .measured = true,
     .of_switches = true},
    {{"preempted", "PREEMPTED", "time off the CPU that others took from threads here",
      CODE_WAIT_WIDTH, false},
     OF_CODE,
     .number = code_preempted_number,
     .draw = code_wait_cell,
     .measured = true,
     .of_switches = true},
    {{"object", "OBJECT", "program, library or kernel that has the function", 15, true},
     OF_FUNCTIONS,
     .text = code_object_text},
    {{"address", "ADDRESS", "of the instruction, as in the program or library", CODE_ADDRESS_WIDTH,
      false},
     OF_INSTRUCTIONS,
     .number = code_address_number,
     .draw = code_address_cell},
    {{"line", "LINE", "of the source, where rows are lines", CODE_LINE_WIDTH, false},
     OF_INSTRUCTIONS,
     .number = code_line_number,
     .draw = code_line_cell},
    {{"function", "FUNCTION", "in which the event happened; object+0x... has no name", 15, true},
     OF_FUNCTIONS,
     .text = code_function_text},
    {{"instruction", "INSTRUCTION",
      "machine code as text, with the names of what is called, and its source lines", 15, true},
     OF_INSTRUCTIONS,
     .text = code_instruction_text},
    {{"command", "COMMAND", "name or command line", 15, true},
     OF_TASKS,
     .text = command_text,
     .lasting = true},
};

size_t builtin_column_count(void)
{
    return sizeof(facts) / sizeof(*facts);
}

const struct builtin_column *builtin_column_at(size_t i)
{
    return i < builtin_column_count() ? &facts[i] : NULL;
}

const struct builtin_column *builtin_column_find(const char *name)
{
    const struct builtin_column *builtin;
    for (size_t i = 0; (builtin = builtin_column_at(i)); i++)
        if (str_equal(builtin->shown.name, name))
            return builtin;
    return NULL;
}

bool builtin_column_fits(const struct builtin_column *builtin, enum view_kind kind)
{
    unsigned rows = kind == VIEW_TASKS          ? OF_TASKS
                    : view_of_cpus(kind)        ? OF_CPUS
                    : kind == VIEW_FUNCTIONS    ? OF_FUNCTIONS
                    : kind == VIEW_INSTRUCTIONS ? OF_INSTRUCTIONS
                                                : OF_GROUPS;
    return builtin->rows & rows || str_equal(builtin->shown.name, view_types[kind].naming);
}

bool builtin_column_text(const struct builtin_column *builtin, const struct view_context *context,
                         const struct row *row, char *text, size_t size)
{
    enum view_kind kind = context->settings->kind;
    if (builtin->keyed || !view_adds_up(kind) ||
        !str_equal(builtin->shown.name, view_types[kind].naming))
        return builtin->text(context, row, text, size);
    const char *key = group_of(context, row)->key;
    text_clean(text, size, key ? key : ENDED, context->settings->ascii);
    return *text;
}
