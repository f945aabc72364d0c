#include "view/builtin_column.h"
#include "view/format.h"
#include "view/view_kind.h"

/* ---- /proc ---- */

/* The place of a word in /proc, see view_lookup.word(). */
static const struct {
    const char *file, *after;
    int n;
} places[] = {
    [PROC_STATE] = {"stat", ")", STAT_STATE},
    [PROC_PARENT] = {"stat", ")", STAT_PARENT},
    [PROC_USER_TIME] = {"stat", ")", STAT_USER_TIME},
    [PROC_KERNEL_TIME] = {"stat", ")", STAT_KERNEL_TIME},
    [PROC_NICE] = {"stat", ")", STAT_NICE},
    [PROC_THREADS] = {"stat", ")", STAT_THREADS},
    [PROC_START] = {"stat", ")", STAT_START},
    [PROC_BLOCK_DELAY] = {"stat", ")", STAT_BLOCK_DELAY},
    [PROC_NAME] = {"comm", NULL, 0},
    [PROC_ALLOWED] = {"status", "Cpus_allowed_list:", 0},
    [PROC_WCHAN] = {"wchan", NULL, 0},
    [PROC_PAGES] = {"statm", NULL, 1},
    [PROC_OOM] = {"oom_score", NULL, 0},
};

static char *ask_now(const struct view_lookup *lookup, pid_t pid, pid_t tid, enum proc_fact fact)
{
    char text[4096];
    bool known = false;
    if (fact == PROC_CMDLINE)
        return lookup->cmdline ? lookup->cmdline(lookup->ctx, pid) : NULL;
    if (fact == PROC_CGROUP)
        known = lookup->cgroup && lookup->cgroup(lookup->ctx, pid, text, sizeof(text));
    else if (lookup->word)
        known = lookup->word(lookup->ctx, pid, tid, places[fact].file, places[fact].after,
                             places[fact].n, text, sizeof(text));
    return known ? mem_strdup(text) : NULL;
}

char *proc_ask(const struct view_context *context, pid_t pid, pid_t tid, enum proc_fact fact)
{
    if (!context->lookup)
        return NULL;
    if (!context->held)
        return ask_now(context->lookup, pid, tid, fact);
    uint64_t task = tid ? (uint32_t)tid | 1u << 31 : (uint32_t)pid;
    uint64_t question = (uint64_t)fact << 32 | task;
    const char *held = map_get(context->held, question); /* "+" and the answer; "": there is none */
    if (held)
        return *held ? mem_strdup(held + 1) : NULL;
    char *answer = ask_now(context->lookup, pid, tid, fact);
    map_put(context->held, question, answer ? mem_printf("+%s", answer) : mem_strdup(""));
    return answer;
}

/* A fact that is a number of a row: its value, and whether that is known. */
#define NUMBER(name, value, known)                                                                 \
    static bool name##_number(struct fact_of of, int64_t *number)                                  \
    {                                                                                              \
        *number = (int64_t)(value);                                                                \
        return known;                                                                              \
    }

/* A fact that is a text, valid as long as the row; NULL: not known. */
#define TEXT(name, value)                                                                          \
    static const char *name##_text(struct fact_of of, char buffer[FACT_TEXT])                      \
    {                                                                                              \
        (void)of, (void)buffer;                                                                    \
        return value;                                                                              \
    }

/* ---- functions and instructions ---- */

enum { DURATION_WIDTH = 9, ADDRESS_WIDTH = 16, LINE_WIDTH = 6 };

static const struct function *code_function_of(struct fact_of of)
{
    static const struct function none = {{0}, .object = {.name = "", .path = ""}};
    bool idle = of.row->id == 0; /* stands for any function without samples */
    const struct functions *functions = of.context->functions;
    return idle ? &none : &functions->functions[of.row - functions->rows];
}

/* Most instructions have no samples: there, no number says so. */
static bool shows_samples(struct fact_of of, bool some)
{
    return some || !of.context->functions->listing;
}

static bool share_number(struct fact_of of, int64_t *number)
{
    uint64_t all = of.context->functions->weight;
    double part = (double)code_function_of(of)->weight;
    *number = all ? llround(part / (double)all * 100 * 100) : 0;
    return all > 0 && shows_samples(of, part > 0);
}

NUMBER(blocked, code_function_of(of)->waits[PROFILE_BLOCKED], true)
NUMBER(preempted, code_function_of(of)->waits[PROFILE_PREEMPTED], true)
NUMBER(samples, code_function_of(of)->samples, shows_samples(of, *number > 0))

static const char *object_name(struct fact_of of)
{
    const struct code_object *object = &code_function_of(of)->object;
    return of.context->settings.cmdline && *object->path ? object->path : object->name;
}

TEXT(object, object_name(of))

static const char *function_name_text(struct fact_of of, char buffer[FACT_TEXT])
{
    function_text(code_function_of(of), buffer, FACT_TEXT);
    return buffer;
}

static const struct code_line *code_of(struct fact_of of)
{
    const struct functions *functions = of.context->functions;
    bool known = of.row->id != 0 && functions->listing;
    return known ? &functions->source.rows[of.row - functions->rows] : NULL;
}

NUMBER(address, code_of(of) ? code_of(of)->address : 0, code_of(of))

/* The place of a row among all, so that lines are in the order of their files. */
NUMBER(line, of.row->id != 0 ? of.row - of.context->functions->rows : 0, of.row->id != 0)

/* Where it leads: up, down, to another function, back; two cells. */
static const char *instruction_arrow(const struct code_instruction *instruction,
                                     const struct code_listing *listing, bool ascii)
{
    enum code_flow flow = (enum code_flow)instruction->flow;
    bool inside = code_listing_find(listing, instruction->target) < listing->count;
    if (flow == FLOW_ON)
        return "  ";
    if (flow == FLOW_RETURN)
        return ascii ? "< " : "← ";
    if (flow == FLOW_CALL || !inside)
        return ascii ? "> " : "→ ";
    return instruction->target > instruction->address ? (ascii ? "v " : "↓ ")
                                                      : (ascii ? "^ " : "↑ ");
}

static const char *instruction_text(struct fact_of of, char buffer[FACT_TEXT])
{
    const struct code_line *code = code_of(of);
    const struct code_listing *listing = of.context->functions->listing;
    if (!code)
        return NULL;
    if (code->instruction)
        snprintf(
            buffer, FACT_TEXT, "%s%s",
            instruction_arrow(code->instruction, listing, view_marks_ascii(&of.context->settings)),
            code_listing_text(listing, code->instruction));
    else
        source_lines_text(&of.context->functions->source, code, buffer, FACT_TEXT);
    return buffer;
}

/* ---- CPUs ---- */

static bool cpu_number(struct fact_of of, int64_t *number)
{
    const struct view_settings *settings = &of.context->settings;
    *number = of.row->cpu;
    return of.row->cpu >= 0 && (!view_of_cpus(settings->kind) || settings->level == LEVEL_CPU);
}

static const struct group *group_asked(struct fact_of of)
{
    return group_of(of.context->groups, of.row);
}

/* An aggregate row has a socket or core only if all its CPUs share it. */
NUMBER(socket, group_asked(of)->place.socket,
       *number >= 0 && of.context->settings.level != LEVEL_TYPE)
NUMBER(core, group_asked(of)->place.core, *number >= 0 && of.context->settings.level <= LEVEL_CORE)
NUMBER(heat, group_asked(of)->heat, *number >= 0)

/* A socket can have several types. */
TEXT(core_type, of.context->settings.level != LEVEL_SOCKET ? group_asked(of)->place.type : NULL)

static const char *cpus_text(struct fact_of of, char buffer[FACT_TEXT])
{
    group_cpus(of.context->groups, of.context->frame, of.row, buffer,
               sizeof(((struct cell *)0)->text));
    return buffer;
}

enum { HEAT_WIDTH = 8 };

/* A bar in eighths of a cell, or in whole ones of ASCII; the least is a mark, too. */
static void heat_cell(struct fact_of of, int64_t number, struct cell *cell)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    bool ascii = view_marks_ascii(&of.context->settings);
    double part = (double)number / HEAT_MAX;
    long steps = lround(part * HEAT_WIDTH * (ascii ? 1 : 8));
    AUTO_STR struct str text = str_new();
    steps = steps > 0 ? steps : 1;
    for (long i = 0; i < (ascii ? steps : steps / 8); i++)
        str_add(&text, ascii ? "#" : "█");
    str_add(&text, ascii ? "" : eighths[steps % 8]);
    const char *none = ascii ? "." : "·";
    snprintf(cell->text, sizeof(cell->text), "%s", number == 0 ? none : text.text);
    cell->role = amount_role(part);
}

/* ---- tasks and groups ---- */

/* Shown if the key of processes is not known: they ended before it was read. */
static const char ENDED[] = "(ended)";

/* Ids of 0 mean "none" or "not known", and are not shown. */
NUMBER(pid, of.row->pid, *number > 0)
NUMBER(tid, of.row->tid, *number > 0)
NUMBER(ppid, of.row->ppid, *number > 0)
NUMBER(processes, group_asked(of)->processes, true)
NUMBER(taken, group_asked(of)->taken, true)
NUMBER(time, llround(of.row->oncpu * 1e9), true)

/* What /proc says, but of no ended task: another may have the ids now. The caller frees it. */
static char *task_ask(struct fact_of of, enum proc_fact fact)
{
    pid_t tid = of.row->process ? of.row->tid : 0;
    return of.row->exited ? NULL : proc_ask(of.context, of.row->pid, tid, fact);
}

static bool task_number(struct fact_of of, enum proc_fact fact, int64_t *number)
{
    AUTO_FREE char *word = task_ask(of, fact);
    *number = word ? strtoll(word, NULL, 10) : 0;
    return word;
}

static bool threads_number(struct fact_of of, int64_t *number)
{
    if (!task_number(of, PROC_THREADS, number))
        *number = (int64_t)of.row->threads;
    return true;
}

/* The time of ended tasks and of kernel threads that never ran is not known. */
static bool kernel_number(struct fact_of of, int64_t *number)
{
    int64_t user, kernel;
    if (!task_number(of, PROC_USER_TIME, &user) || !task_number(of, PROC_KERNEL_TIME, &kernel) ||
        user + kernel == 0)
        return false;
    *number = (100 * kernel + (user + kernel) / 2) / (user + kernel);
    return true;
}

enum { BYTES_WIDTH = 6 };

/* Memory that is present; 0 of kernel threads. */
static bool res_number(struct fact_of of, int64_t *number)
{
    bool known = task_number(of, PROC_PAGES, number);
    *number *= sysconf(_SC_PAGESIZE);
    return known;
}

static bool io_number(struct fact_of of, int64_t *number)
{
    const struct view_lookup *lookup = of.context->lookup;
    double rate;
    if (of.row->exited || !lookup || !lookup->io ||
        !lookup->io(lookup->ctx, of.row, of.context->frame->seq, &rate))
        return false;
    *number = (int64_t)llround(rate);
    return true;
}

static bool oom_number(struct fact_of of, int64_t *number)
{
    return task_number(of, PROC_OOM, number);
}

TEXT(no, NULL)

/* The text that task_ask() returned, in the buffer. */
static const char *take_text(char *text, char buffer[FACT_TEXT])
{
    snprintf(buffer, FACT_TEXT, "%s", text ? text : "");
    free(text);
    return buffer;
}

static const char *state_text(struct fact_of of, char buffer[FACT_TEXT])
{
    return of.row->exited ? "X" /* as in proc_pid_stat(5) */
                          : take_text(task_ask(of, PROC_STATE), buffer);
}

/* Other states have no place where they wait, or one that is left at once. */
static const char *wchan_text(struct fact_of of, char buffer[FACT_TEXT])
{
    bool waits = strcmp(take_text(task_ask(of, PROC_STATE), buffer), "D") == 0;
    return waits && strcmp(take_text(task_ask(of, PROC_WCHAN), buffer), "0") != 0 ? buffer : NULL;
}

bool builtin_waits(const struct view_context *context, const struct row *row, bool follow,
                   struct task_wait *wait)
{
    const struct view_lookup *lookup = context->lookup;
    const struct wait_takers *takers = row->wait_facts ? row->wait_facts->takers : NULL;
    *wait = (struct task_wait){0};
    if (!lookup || !lookup->waits || row->exited)
        return false;
    if (lookup->waits(lookup->ctx, row, context->frame->seq, follow, wait))
        return true;
    if (!takers || takers->none[TAKEN_THROTTLED] * 2 <= wait_takers_sum(takers))
        return false;
    *wait = (struct task_wait){.kind = "throttled", .text = "throttled by cpu.max", .next = ""};
    return true;
}

static const char *waits_text(struct fact_of of, char buffer[FACT_TEXT])
{
    struct task_wait wait;
    if (!builtin_waits(of.context, of.row, false, &wait))
        return NULL;
    snprintf(buffer, FACT_TEXT, wait.reason ? "(%s)%s" : "%s%s",
             wait.reason ? wait.reason : wait.text, wait.deadlock ? ", deadlock" : "");
    return buffer;
}

static const char *taken_text(struct fact_of of, char buffer[FACT_TEXT])
{
    struct str line = str_new();
    bool known = builtin_taken(of.context, of.row, 1, &line);
    take_text(str_detach(&line), buffer);
    return known ? buffer : NULL;
}

const char *view_user(const struct view_lookup *lookup, uid_t uid, char number[USER_NUMBER])
{
    const char *name = lookup && lookup->user ? lookup->user(lookup->ctx, uid) : NULL;
    snprintf(number, USER_NUMBER, "%u", (unsigned)uid);
    return uid == (uid_t)-1 ? NULL : name && *name ? name : number;
}

TEXT(user, view_user(of.context->lookup, of.row->uid, buffer))

const char *builtin_cgroup(const struct view_context *context, const struct row *row, char *path,
                           size_t size)
{
    const char *known = frame_cgroup(context->frame, row);
    AUTO_FREE char *asked =
        known || row->exited ? NULL : proc_ask(context, row->pid, 0, PROC_CGROUP);
    snprintf(path, size, "%s", asked ? asked : "");
    return asked ? path : known;
}

static const char *cgroup_text(struct fact_of of, char buffer[FACT_TEXT])
{
    const struct view_settings *settings = &of.context->settings;
    const struct view_lookup *lookup = of.context->lookup;
    bool group = settings->kind == VIEW_CGROUPS;
    char asked[FACT_TEXT];
    const char *path =
        group ? group_asked(of)->key : builtin_cgroup(of.context, of.row, asked, sizeof(asked));
    if (!path)
        return group ? ENDED : NULL;
    if (!settings->cmdline && lookup && lookup->cgroup_name)
        lookup->cgroup_name(lookup->ctx, path, buffer, sizeof(((struct cell *)0)->text));
    else
        snprintf(buffer, FACT_TEXT, "%s", path);
    return buffer;
}

bool builtin_command_line(const struct view_context *context, const struct row *row, char *text,
                          size_t size)
{
    const struct view_settings *settings = &context->settings;
    bool has = settings->kind == VIEW_TASKS && !settings->threads && !row->exited;
    AUTO_FREE char *line = has ? proc_ask(context, row->pid, 0, PROC_CMDLINE) : NULL;
    if (!has && group_folded(context->ended, row))
        line = mem_strdup("+ opens them");
    text_clean(text, size, line ? line : "", settings->ascii);
    return *text;
}

static const char *command_text(struct fact_of of, char buffer[FACT_TEXT])
{
    bool line =
        of.context->settings.cmdline && builtin_command_line(of.context, of.row, buffer, FACT_TEXT);
    return line ? buffer : of.row->comm;
}

/* The lowest coverage of the events counted for the row, truncated: 99.6 is not 100. */
static bool coverage_number(struct fact_of of, int64_t *number)
{
    const struct event_set *set = of.context->frame->events;
    const struct row *row = of.row;
    double least = 2;
    for (size_t e = 0; e < set->count && row->state == EVENT_COUNTED; e++) {
        const struct event_info *event = &set->events[e];
        bool known = event->state == EVENT_COUNTED && event->group >= 0 &&
                     row_sum_tells(event, row->times[event->group]);
        if (known && row->counts[e].coverage < least)
            least = row->counts[e].coverage;
    }
    *number = (int64_t)(least * 100);
    return least <= 1;
}

NUMBER(taken_share,
       llround((double)group_asked(of)->taken / (double)group_asked(of)->waited * 10000),
       group_asked(of)->waited > 0)

NUMBER(certain,
       llround(floor((double)group_asked(of)->sure / (double)group_asked(of)->taken * 100)),
       group_asked(of)->taken > 0)

TEXT(taker, group_asked(of)->taker)

static const struct builtin_column facts[] = {
    {"pid", "PID", "process id", 7, OF_TASKS | FACT_LASTING, pid_number, NULL},
    {"tid", "TID", "thread id", 7, OF_TASKS | FACT_LASTING, tid_number, NULL},
    {"ppid", "PPID", "process id of the parent", 7, OF_TASKS | FACT_LASTING, ppid_number, NULL},
    {"processes", "PROCS", "processes that are added up", 6, OF_GROUPS, processes_number, NULL},
    {"time", "TIME", "time on a CPU", 7, OF_GROUPS | FACT_ADDS_UP | FACT_TOTALS | FACT_TIME,
     time_number, NULL},
    {"user", "USER", "effective user", 8, OF_TASKS | FACT_KEYED | FACT_LASTING, NULL, user_text},
    {"cpu", "CPU", "CPU it ran on last", 4, OF_TASKS | OF_CPUS | FACT_LASTING, cpu_number, NULL},
    {"state", "S", "state: R running, S sleeping, D waiting, X ended", 1, OF_TASKS, NULL,
     state_text},
    {"wchan", "WCHAN", "in state D: the function of the kernel that it waits in", 16, OF_TASKS,
     NULL, wchan_text},
    {WAITS_FOR, "WAITS FOR", "what it sleeps for: a file, a lock, a thread; why it is not known",
     24, OF_TASKS, NULL, waits_text},
    {"taken_by", "TAKEN BY", "who had the CPU that it waited for: the largest, and its share", 20,
     OF_TASKS | OF_GROUPS, NULL, taken_text},
    {"taken", "TAKEN", "how long it had the CPU that the other waited for", DURATION_WIDTH,
     OF_TAKERS | FACT_TIME, taken_number, NULL},
    {"taken_share", "%WAITED", "part of all that the other waited for a CPU", 7,
     OF_TAKERS | FACT_HUNDREDTHS, taken_share_number, NULL},
    {"certain_pct", "%SURE", "part in which the other was certainly in the queue of that CPU", 5,
     OF_TAKERS, certain_number, NULL},
    {"taker", "TAKEN BY", "who had the CPU; others: processes that took less", 15, OF_TAKERS, NULL,
     taker_text},
    {"waiter", "WAITED", "who could have run, and waited for a CPU", 15, OF_TAKERS, NULL,
     taker_text},
    {"threads", "THR", "threads of the process", 5, OF_TASKS, threads_number, NULL},
    {"sys_pct", "%SYS", "part of its CPU time since its start that was in the kernel", 5, OF_TASKS,
     kernel_number, NULL},
    {"res", "RES", "bytes of memory that are present; read for rows in sight", BYTES_WIDTH,
     OF_TASKS | FACT_BYTES, res_number, NULL},
    {"io", "IO/s", "bytes a second that it reads from and writes to disks; read for rows in sight",
     BYTES_WIDTH, OF_TASKS | FACT_BYTES, io_number, NULL},
    {"oom", "OOM", "the kernel ends the task with the highest score when memory is short", 5,
     OF_TASKS, oom_number, NULL},
    {"trend", "TREND", "the last values of the column that sorts, the newest at the right", 8,
     OF_ALL | FACT_TREND, NULL, no_text},
    {"topdown", "TOPDOWN",
     "parts of the slots: █ retiring, ▓ bad speculation, ▒ front end, ░ back end "
     "(ASCII: R S F B)",
     20, OF_ALL | FACT_STACK, NULL, no_text},
    {"socket", "SOCKET", "processor package", 7, OF_CPUS, socket_number, NULL},
    {"core", "CORE", "core in its package; its hardware threads are CPUs", 4, OF_CPUS, core_number,
     NULL},
    {"core_type", "TYPE", "kind of core, where there are several", 10, OF_CPUS, NULL,
     core_type_text},
    {"cpus", "CPUS", "the CPUs that are added up", 8, OF_CPUS, NULL, cpus_text},
    {"heat", "HEAT", "the column that sorts as a bar: part of 100 %, else of the largest",
     HEAT_WIDTH, OF_CPUS | FACT_DRAWN | FACT_LEFT, heat_number, NULL},
    {"coverage_pct", "%COV", "least part of the time that one of its events was on a counter", 4,
     OF_TASKS | OF_CPUS | OF_GROUPS | FACT_LASTING | FACT_PARTIAL, coverage_number, NULL},
    {"cgroup", "CGROUP", "control group, a container by its short id; (ended): not known", 15,
     OF_TASKS | FACT_KEYED, NULL, cgroup_text},
    {"share", "SHARE", "part of all samples, by the number of events that each stands for", 6,
     OF_CODE | FACT_MEASURED | FACT_HUNDREDTHS, share_number, NULL},
    {"samples", "SAMPLES", "samples in the interval: by chance it may be off by its square root", 7,
     OF_CODE | FACT_MEASURED, samples_number, NULL},
    {"blocked", "BLOCKED", "time off the CPU that threads left here to wait", DURATION_WIDTH,
     OF_CODE | FACT_MEASURED | FACT_SWITCHES | FACT_TIME, blocked_number, NULL},
    {"preempted", "PREEMPTED", "time off the CPU that others took from threads here",
     DURATION_WIDTH, OF_CODE | FACT_MEASURED | FACT_SWITCHES | FACT_TIME, preempted_number, NULL},
    {"object", "OBJECT", "program, library or kernel that has the function", 15, OF_FUNCTIONS, NULL,
     object_text},
    {"address", "ADDRESS", "of the instruction, as in the program or library", ADDRESS_WIDTH,
     OF_INSTRUCTIONS | FACT_DRAWN, address_number, NULL},
    {"line", "LINE", "of the source, where rows are lines", LINE_WIDTH,
     OF_INSTRUCTIONS | FACT_DRAWN, line_number, NULL},
    {"function", "FUNCTION", "in which the event happened; object+0x... has no name", 15,
     OF_FUNCTIONS, NULL, function_name_text},
    {"instruction", "INSTRUCTION",
     "machine code as text, with the names of what is called, and its source lines", 15,
     OF_INSTRUCTIONS, NULL, instruction_text},
    {"command", "COMMAND", "name or command line", 15, OF_TASKS | FACT_LASTING, NULL, command_text},
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
    return STR_FIND_IN(facts, name, name);
}

void builtin_column_draw(const struct builtin_column *builtin, struct fact_of of, int64_t number,
                         struct cell *cell)
{
    if (builtin->number == heat_number) {
        heat_cell(of, number, cell);
        return;
    }
    const struct code_line *code = code_of(of);
    strcpy(cell->text, "-");
    if (builtin->number == line_number && code && code->place.file)
        format_id(cell->text, code->place.line, LINE_WIDTH);
    else if (builtin->number == address_number && code && code->instruction)
        snprintf(cell->text, sizeof(cell->text), "%*llx", ADDRESS_WIDTH,
                 (unsigned long long)number);
}

bool builtin_column_fits(const struct builtin_column *builtin, enum view_kind kind)
{
    enum fact_flags rows = kind == VIEW_TASKS          ? OF_TASKS
                           : view_of_cpus(kind)        ? OF_CPUS
                           : kind == VIEW_FUNCTIONS    ? OF_FUNCTIONS
                           : kind == VIEW_INSTRUCTIONS ? OF_INSTRUCTIONS
                           : view_types[kind].takers   ? OF_TAKERS
                                                       : OF_GROUPS;
    return builtin->flags & rows || str_equal(builtin->name, view_types[kind].naming);
}

bool builtin_column_text(const struct builtin_column *builtin, const struct view_context *context,
                         const struct row *row, char *text, size_t size)
{
    struct fact_of of = {context, row};
    enum view_kind kind = context->settings.kind;
    char buffer[FACT_TEXT];
    bool key = view_adds_up(kind) && !(builtin->flags & FACT_KEYED) &&
               str_equal(builtin->name, view_types[kind].naming);
    const char *raw = key ? group_asked(of)->key : builtin->text(of, buffer);
    text_clean(text, size, raw ? raw : key ? ENDED : "", context->settings.ascii);
    return *text;
}
