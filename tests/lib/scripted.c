/* For tests: the program with counts, tasks and time out of a script. The Makefile links it with
 * the __wrap functions below in place of the two live engines, of the clocks that the program
 * decides by, and of the readers of /proc, so a task of the script needs no process, and no
 * interval passes before the script says so. Everything else is the program's own.
 *
 * SCRIPT in the environment names the script, a FIFO; without it the program is as usual. A line is
 * a word, its subject, and KEY=VALUE; %20 in a value is a blank. Seconds may have a fraction.
 *
 *   cpus N              CPUs 0 to N - 1; 2 at first
 *   load A B C          load averages
 *   refuse EVENT STATE REASON   states as JSON names them
 *   task TID KEY=...    is born, or changes: pid (TID at first) ppid uid name cpu state cmd cgroup
 *   run TID KEY=...     did this in the interval: oncpu and sys (the kernel's part), EVENT; cpu
 *   exit TID            ends
 *   idle CPU EVENT=N    what the idle task counted in this interval
 *   unattributed CPU EVENT=N    what nobody can be credited with
 *   steal CPU SECONDS   what a hypervisor took in this interval
 *   lost N, throttled N, denied N, starved N    the first two: more than before
 *   coverage SHARE      counters count in this part of the time, from now on
 *   self SECONDS        CPU time of the program in this interval
 *   next [SECONDS]      the interval ends, after 1 s if nothing else is said
 *
 * Lines about the machine and its tasks that stand before the first interval are known at the
 * start. Each interval is in a snapshot before the next one begins, so its length is at least the
 * delay of the program. */
#include "app/startup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "engine/engines.h"
#include "engine/probe_open.h"
#include "event/event.h"
#include "system/procfs.h"
#include "system/topology.h"
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { CPUS_MAX = 64, LINE = 4096 };
static const uint64_t BEGIN = 1000000000000; /* ns */
static const double WALL = 1767225600;       /* 2026-01-01, 0:00 UTC: seconds since 1970 at BEGIN */

struct actor {
    struct task_sample sample; /* its counts are those of the generation */
    struct process_info process;
    char state, *cmd, *cgroup;
    uint64_t user, kernel; /* of its whole life, ns */
    bool active;           /* since the last snapshot */
};

struct refusal {
    char *event, *reason;
    enum event_state state;
};

static struct script {
    pthread_mutex_t lock; /* of all that is below; the program's threads ask for tasks */
    int fd, done, again;  /* again: an eventfd that is always readable */
    char *text;           /* what was read and is not yet done */
    size_t length, room;
    bool held;         /* the interval is over, and in no snapshot yet */
    double span, more; /* of the interval, s; it goes on for `more`, see begin_again() */
    uint64_t time, self;
    size_t cpus;
    double load[3], coverage;
    struct kernel_times kernel[CPUS_MAX];
    struct refusal *refusals;
    size_t refusal_count, refusal_room;
    char **cgroups; /* paths, by id from 1 */
    size_t cgroup_count, cgroup_room;
    struct actor **actors;
    size_t actor_count, actor_room;
    uint64_t last_id;
    /* The source. */
    struct source source;
    struct event_set *set; /* NULL before the first events */
    bool ledger;
    uint64_t generation, started, passed;
    struct cpu_sample cpu[CPUS_MAX];
    struct counts idle, unattributed;
    uint64_t lost, throttled, denied, starved;
} script = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1, .time = BEGIN, .cpus = 2, .coverage = 1};

/* --- Lines --- */

/* The value of a key, NULL if the line has none; of a number 0. */
static const char *value_of(char **words, const char *key)
{
    size_t length = strlen(key);
    for (; *words; words++)
        if (strncmp(*words, key, length) == 0 && (*words)[length] == '=')
            return *words + length + 1;
    return NULL;
}

static double number_of(char **words, const char *key)
{
    const char *value = value_of(words, key);
    return value ? strtod(value, NULL) : 0;
}

static uint64_t time_of(char **words, const char *key)
{
    return (uint64_t)(number_of(words, key) * 1e9 + 0.5);
}

static void decode_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        char digits[3] = {from[0] == '%' ? from[1] : '\0', from[1] ? from[2] : '\0', '\0'};
        *to = digits[0] ? (char)strtoul(digits, NULL, 16) : *from;
        from += digits[0] ? 3 : 1;
    }
    *to = '\0';
}

static struct actor *find_actor(pid_t tid)
{
    for (size_t a = script.actor_count; a-- > 0;)
        if (script.actors[a]->sample.tid == tid && !script.actors[a]->sample.exited)
            return script.actors[a];
    return NULL;
}

static struct actor *new_actor(pid_t tid, pid_t pid)
{
    struct actor *actor = mem_alloc(sizeof(*actor)), *leader = find_actor(pid);
    mem_grow(&script.actors, &script.actor_room, script.actor_count + 1, sizeof(*script.actors));
    script.actors[script.actor_count++] = actor;
    if (leader)
        actor->process = leader->process;
    else
        actor->process = (struct process_info){.id = ++script.last_id, .pid = pid, .comm = "task"};
    actor->sample = (struct task_sample){.id = ++script.last_id, .tid = tid};
    memcpy(actor->sample.comm, actor->process.comm, sizeof(actor->sample.comm));
    if (script.set)
        actor->sample.counts = counts_new(script.set);
    actor->state = 'S';
    return actor;
}

/* The task is in that cgroup from now on. */
static void move(struct task_sample *sample, const char *path)
{
    uint64_t id = 1;
    while (id <= script.cgroup_count && strcmp(script.cgroups[id - 1], path) != 0)
        id++;
    if (id > script.cgroup_count) {
        mem_grow(&script.cgroups, &script.cgroup_room, id, sizeof(*script.cgroups));
        script.cgroups[script.cgroup_count++] = mem_strdup(path);
    }
    if (sample->cgroup && sample->cgroup != id && script.set) {
        struct task_move *last;
        sample->moves = mem_resize(sample->moves, ++sample->move_count, sizeof(*last));
        last = &sample->moves[sample->move_count - 1];
        *last = (struct task_move){sample->cgroup, sample->oncpu, counts_new(script.set)};
        counts_copy(&last->counts, &sample->counts, script.set);
    }
    sample->cgroup = id;
}

static void do_task(pid_t tid, char **words)
{
    struct actor *actor = find_actor(tid);
    const char *name = value_of(words, "name"), *uid = value_of(words, "uid"),
               *ppid = value_of(words, "ppid"), *cpu = value_of(words, "cpu"),
               *state = value_of(words, "state");
    if (!actor)
        actor = new_actor(tid, value_of(words, "pid") ? (pid_t)number_of(words, "pid") : tid);
    if (name)
        snprintf(actor->sample.comm, sizeof(actor->sample.comm), "%.15s", name);
    if (number_of(words, "unnamed"))
        memcpy(actor->sample.comm, task_unnamed, sizeof(task_unnamed));
    actor->sample.cpu = cpu ? atoi(cpu) : actor->sample.cpu;
    actor->state = state ? *state : actor->state;
    if (actor->process.pid == tid) /* threads that it has already know what they were born with */
        memcpy(actor->process.comm, actor->sample.comm, sizeof(actor->process.comm));
    actor->process.command |= number_of(words, "command") > 0;
    actor->process.uid = uid ? (uid_t)atoi(uid) : actor->process.uid;
    actor->process.ppid = ppid ? (pid_t)atoi(ppid) : actor->process.ppid;
    char **texts[] = {&actor->cmd, &actor->cgroup};
    static const char *const keys[] = {"cmd", "cgroup"};
    for (size_t i = 0; i < 2; i++)
        if (value_of(words, keys[i])) {
            free(*texts[i]);
            *texts[i] = mem_strdup(value_of(words, keys[i]));
        }
    if (value_of(words, "cgroup"))
        move(&actor->sample, actor->cgroup);
    actor->active = true;
}

/* Adds the events of a line to the counts of a CPU, and of what did them there. */
static void count(struct counts *counts, uint64_t span, size_t cpu, char **words)
{
    struct counts *all = &script.cpu[cpu].counts;
    for (; *words; words++) {
        char *equal = strrchr(*words, '=');
        if (!equal)
            continue;
        *equal = '\0';
        int event = event_set_find(script.set, *words);
        if (event >= 0 && script.set->events[event].state == EVENT_COUNTED) {
            counts->value[event] += strtoull(equal + 1, NULL, 10);
            all->value[event] += strtoull(equal + 1, NULL, 10);
        }
        *equal = '=';
    }
    counts->times[0].enabled += span;
    counts->times[0].running += (uint64_t)((double)span * script.coverage);
}

static void do_run(pid_t tid, char **words)
{
    struct actor *actor = find_actor(tid);
    if (!actor)
        return;
    const char *cpu = value_of(words, "cpu");
    uint64_t span = time_of(words, "oncpu"), kernel = time_of(words, "sys");
    actor->sample.cpu = cpu ? atoi(cpu) : actor->sample.cpu;
    struct cpu_sample *on = &script.cpu[actor->sample.cpu];
    struct kernel_times *times = &script.kernel[actor->sample.cpu];
    actor->sample.oncpu += span;
    actor->user += span - kernel;
    actor->kernel += kernel;
    actor->active = true;
    on->busy += span;
    times->time[CPU_BUSY] += span;
    times->time[CPU_KERNEL] += kernel;
    count(&actor->sample.counts, span, (size_t)actor->sample.cpu, words);
}

static void do_exit(pid_t tid)
{
    struct actor *actor = find_actor(tid);
    if (actor)
        actor->sample.exited = actor->process.exited = actor->active = true;
}

static void do_refuse(char **words)
{
    struct refusal refusal = {mem_strdup(words[1]), mem_strdup(words[3]), EVENT_COUNTED};
    while (strcmp(event_state_name(refusal.state), words[2]) != 0 && refusal.state < EVENT_INVALID)
        refusal.state++;
    mem_grow(&script.refusals, &script.refusal_room, script.refusal_count + 1, sizeof(refusal));
    script.refusals[script.refusal_count++] = refusal;
}

/* The CPUs' clocks and the program's go on. */
static void do_next(double seconds)
{
    uint64_t span = (uint64_t)(seconds * 1e9 + 0.5);
    for (size_t c = 0; c < script.cpus; c++) {
        struct group_time *times = script.cpu[c].counts.times;
        times->enabled += span;
        times->running += (uint64_t)((double)span * script.coverage);
        script.kernel[c].time[CPU_TIME] += span;
    }
    __atomic_add_fetch(&script.time, span, __ATOMIC_SEQ_CST);
    script.held = true;
    script.span = seconds;
}

/* The program begins to wait anew, for as long as before. Where the interval was over already and
 * in no snapshot, its end would not come: it goes on for as long again. */
static void begin_again(void)
{
    if (script.held)
        script.more = script.span;
    script.held = false;
}

static void go_on(void)
{
    if (script.more > 0)
        do_next(script.more);
    script.more = 0;
}

/* Does a line. False, and nothing is done, if it is of an interval and those have not begun. */
static bool do_line(char *line, bool begun)
{
    char *words[LINE / 2], *rest = NULL, *word = strtok_r(line, " ", &rest);
    size_t n = 0;
    for (; word; word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    for (size_t i = 1; i < n; i++)
        decode_blanks(words[i]);
    words[n] = NULL;
    if (n == 0)
        return true;
    const char *first = words[0], *second = n > 1 ? words[1] : "";
    uint64_t number = strtoull(second, NULL, 10);
    const struct {
        const char *word;
        uint64_t *sum;
        bool more;
    } numbers[] = {{"lost", &script.lost, true},
                   {"throttled", &script.throttled, true},
                   {"denied", &script.denied, false},
                   {"starved", &script.starved, false}};
    if (strcmp(first, "cpus") == 0)
        script.cpus = number;
    else if (strcmp(first, "load") == 0)
        for (size_t i = 0; i < 3 && i + 1 < n; i++)
            script.load[i] = strtod(words[i + 1], NULL);
    else if (strcmp(first, "refuse") == 0 && n == 4)
        do_refuse(words);
    else if (strcmp(first, "task") == 0)
        do_task((pid_t)number, words);
    else if (!begun)
        return false;
    else if (strcmp(first, "run") == 0)
        do_run((pid_t)number, words);
    else if (strcmp(first, "exit") == 0)
        do_exit((pid_t)number);
    else if (strcmp(first, "idle") == 0)
        count(&script.idle, 0, number, words);
    else if (strcmp(first, "unattributed") == 0)
        count(&script.unattributed, 0, number, words);
    else if (strcmp(first, "steal") == 0)
        script.kernel[number].time[CPU_STEAL] += (uint64_t)(strtod(words[2], NULL) * 1e9);
    else if (strcmp(first, "coverage") == 0)
        script.coverage = strtod(second, NULL);
    else if (strcmp(first, "self") == 0)
        script.self += (uint64_t)(strtod(second, NULL) * 1e9);
    else if (strcmp(first, "next") == 0)
        do_next(n > 1 ? strtod(second, NULL) : 1);
    else
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
            if (strcmp(first, numbers[i].word) == 0)
                *numbers[i].sum = number + (numbers[i].more ? *numbers[i].sum : 0);
    return true;
}

static void read_more(void)
{
    ssize_t got;
    do {
        mem_grow(&script.text, &script.room, script.length + LINE + 1, 1);
        got = read(script.fd, script.text + script.length, LINE);
        script.length += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    script.text[script.length] = '\0';
}

static bool has_line(void)
{
    return script.length > 0 && strchr(script.text, '\n');
}

/* Does the lines that are there, at most until an interval is over. */
static void do_lines(bool begun)
{
    while (!script.held && has_line()) {
        char line[LINE], *end = strchr(script.text, '\n');
        snprintf(line, sizeof(line), "%.*s", (int)(end - script.text), script.text);
        if (!do_line(line, begun))
            return;
        script.length -= (size_t)(end + 1 - script.text);
        memmove(script.text, end + 1, script.length + 1);
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("SCRIPT");
    if (!path)
        return;
    /* Both ends, so that a FIFO has no end of the file. */
    script.fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    char done[4096];
    snprintf(done, sizeof(done), "%s.done", path);
    script.done = open(done, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    script.again = eventfd(1, EFD_CLOEXEC);
    if (script.fd < 0 || script.done < 0) {
        fprintf(stderr, "cannot read '%s': %s\n", path, strerror(errno));
        _exit(1);
    }
    for (size_t c = 0; c < CPUS_MAX; c++) {
        script.kernel[c].known = 1 << CPU_TIME | 1 << CPU_BUSY | 1 << CPU_KERNEL | 1 << CPU_STEAL;
        script.cpu[c].cpu = (int)c;
    }
    read_more();
    do_lines(false);
}

/* --- The source --- */

static struct event_set *script_check(struct source *source, const struct event_list *list)
{
    (void)source;
    struct event_set *set = event_set_new(list->count);
    set->groups = 1;
    for (size_t e = 0; e < list->count; e++) {
        const struct event *event = &list->events[e];
        enum event_state state = event->state;
        const char *reason = event->reason;
        for (size_t r = 0; r < script.refusal_count; r++)
            if (strcmp(script.refusals[r].event, event->name) == 0) {
                state = script.refusals[r].state;
                reason = script.refusals[r].reason;
            }
        set->events[e] = (struct event_info){
            .name = mem_strdup(event->name),
            .halved = event->halved,
            .modeless = event->modeless,
            .pmu = mem_strdup(event->pmu),
            .unit = mem_strdup(event->unit ? event->unit : ""),
            .scale = event->scale > 0 ? event->scale : 1,
            .encoding = mem_strdup(event->encoding),
            .state = state,
            .reason = mem_strdup(reason),
            .group = state == EVENT_COUNTED ? 0 : -1,
            .hardware = event->hardware,
        };
    }
    return set;
}

static void zero(struct counts *counts)
{
    counts_release(counts);
    *counts = counts_new(script.set);
}

static int script_set_events(struct source *source, const struct event_list *list, struct err *err)
{
    (void)err;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    event_set_drop(script.set);
    script.set = script_check(source, list);
    for (size_t a = 0; a < script.actor_count; a++) {
        zero(&script.actors[a]->sample.counts);
        script.actors[a]->sample.oncpu = 0;
    }
    for (size_t c = 0; c < CPUS_MAX; c++) {
        zero(&script.cpu[c].counts);
        script.cpu[c].busy = 0;
    }
    zero(&script.idle);
    zero(&script.unattributed);
    script.generation++;
    script.started = script.time;
    begin_again();
    return 0;
}

static int script_set_watch(struct source *source, const struct watch *watch, struct err *err)
{
    (void)source, (void)watch, (void)err;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    begin_again();
    return 0; /* the view leaves the others out */
}

static void script_set_delay(struct source *source, uint64_t delay)
{
    (void)source, (void)delay;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    begin_again();
}

static size_t script_poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    (void)source;
    if (script.held)
        return 0;
    if (room)
        *fds = (struct pollfd){.fd = script.more > 0 || has_line() ? script.again : script.fd,
                               .events = POLLIN};
    return 1;
}

static void script_drain(struct source *source)
{
    (void)source;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    go_on();
    read_more();
    do_lines(true);
}

static void copy_counts(struct counts *to, const struct counts *from)
{
    counts_copy(to, from, script.set);
}

static void list_actor(struct snapshot *snapshot, struct actor *actor)
{
    size_t p = 0;
    while (p < snapshot->process_count && snapshot->processes[p].id != actor->process.id)
        p++;
    if (p == snapshot->process_count)
        *snapshot_add_process(snapshot) = actor->process;
    struct task_sample *task = snapshot_add_task(snapshot);
    struct counts place = task->counts;
    *task = actor->sample;
    task->process = p;
    task->final = task->exited;
    task->counts = place;
    copy_counts(&task->counts, &actor->sample.counts);
    actor->sample.moves = NULL; /* they are the snapshot's now */
    actor->sample.move_count = 0;
}

/* As the ledger tells cgroups, if it is asked to. */
static struct cgroup_names *script_cgroups(void)
{
    AUTO_FREE struct cgroup_name *names = mem_array(script.cgroup_count, sizeof(*names));
    for (size_t i = 0; i < script.cgroup_count; i++)
        names[i] = (struct cgroup_name){i + 1, script.cgroups[i]};
    return cgroup_names_new(names, script.cgroup_count);
}

static struct snapshot *script_snapshot(struct source *source)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    struct snapshot *snapshot = snapshot_new(script.set);
    go_on();
    if (!script.held)
        do_next(1e-6);
    else if (write(script.done, ".", 1) < 0)
        fprintf(stderr, "cannot say that an interval is over: %s\n", strerror(errno));
    snapshot->generation = script.generation;
    snapshot->started = script.started;
    snapshot->time = script.time;
    snapshot->wall = clock_wall();
    snapshot->online = script.cpus;
    snapshot->active = !source->all;
    snapshot->has_cpus = script.ledger;
    snapshot->lost_records = script.lost;
    snapshot->throttled = script.throttled;
    snapshot->denied_tasks = script.denied;
    snapshot->starved_tasks = script.starved;
    snapshot->self.descriptors = 3;
    for (size_t a = 0; a < script.actor_count; a++) {
        struct actor *actor = script.actors[a];
        if (actor->active || (source->all && !actor->sample.exited))
            list_actor(snapshot, actor);
        actor->active = false;
    }
    for (size_t c = 0; c < script.cpus && script.ledger; c++) {
        struct cpu_sample *cpu = snapshot_add_cpu(snapshot);
        struct counts place = cpu->counts;
        *cpu = script.cpu[c];
        cpu->counts = place;
        copy_counts(&cpu->counts, &script.cpu[c].counts);
    }
    if (source->cgroups && script.ledger)
        snapshot->cgroups = script_cgroups();
    copy_counts(&snapshot->idle, &script.idle);
    copy_counts(&snapshot->unattributed, &script.unattributed);
    script.held = false;
    return snapshot;
}

static void script_close(struct source *source)
{
    (void)source; /* the program ends */
}

static struct source *script_source(bool ledger)
{
    static const struct source_ops ops[] = {
        {"task", script_set_events, script_check, script_set_watch, NULL, script_set_delay, NULL,
         script_poll_fds, script_drain, script_snapshot, script_close},
        {"cpu", script_set_events, script_check, script_set_watch, NULL, script_set_delay, NULL,
         script_poll_fds, script_drain, script_snapshot, script_close},
    };
    script.source.ops = &ops[ledger];
    script.ledger = ledger;
    return &script.source;
}

/* --- What stands for functions of the program --- */

WRAP(uint64_t, clock_monotonic, void)
{
    return script.fd < 0 ? __real_clock_monotonic()
                         : __atomic_load_n(&script.time, __ATOMIC_SEQ_CST);
}

WRAP(double, clock_wall, void)
{
    return script.fd < 0 ? __real_clock_wall()
                         : WALL + (double)(__wrap_clock_monotonic() - BEGIN) / 1e9;
}

WRAP(uint64_t, clock_cpu, void)
{
    return script.fd < 0 ? __real_clock_cpu() : script.self;
}

WRAP(struct source *, cpu_engine_new, const struct cpulist *cpus, bool others,
     const struct caps *caps, uint64_t delay, struct err *err)
{
    (void)cpus, (void)others, (void)caps, (void)delay, (void)err;
    return script_source(true);
}

WRAP(struct source *, task_engine_new, const struct caps *caps)
{
    (void)caps;
    return script_source(false);
}

WRAP(bool, engine_choice_measure, const struct watch *watch, size_t cpus,
     struct switch_rates *rates)
{
    (void)watch, (void)cpus, (void)rates;
    return false;
}

/* All that root has, so that any user can run the tests. */
WRAP(void, probe_open_caps, struct caps *caps)
{
    *caps = (struct caps){.paranoid = -1, .perfmon = true, .admin = true, .ptrace = true};
    caps->descriptors = 1024;
}

WRAP(size_t, probe_open_core_counters, const struct caps *caps)
{
    (void)caps;
    return 0;
}

WRAP(int, topology_online, struct cpulist *cpus, struct err *err)
{
    char text[32];
    snprintf(text, sizeof(text), "0-%zu", script.cpus - 1);
    return cpulist_parse(cpus, text, err);
}

/* Two CPUs are a core, and all one socket. */
WRAP(int, topology_place, int cpu, struct topology_place *place)
{
    *place = (struct topology_place){.core = cpu / 2, .type = "cpu"};
    return 0;
}

WRAP(int, procfs_each_cpu, int *file, void (*each)(void *ctx, const struct cpu_load *cpu),
     void *ctx, struct err *err)
{
    (void)file, (void)err;
    for (size_t c = 0; c < script.cpus; c++)
        each(ctx, &(struct cpu_load){.cpu = (int)c, .kernel_times = script.kernel[c]});
    return 0;
}

WRAP(int, procfs_each_queue, int *file, void (*each)(void *ctx, const struct cpu_load *cpu),
     void *ctx, struct err *err)
{
    (void)file, (void)each, (void)ctx;
    return err_set(err, "not in the script");
}

WRAP(int, procfs_pressure, int files[PRESSURES], struct pressure_time times[PRESSURES],
     struct err *err)
{
    (void)files, (void)times;
    return err_set(err, "not in the script");
}

WRAP(bool, procfs_load_average, int *file, double average[3])
{
    (void)file;
    memcpy(average, script.load, sizeof(script.load));
    return true;
}

/* /proc. Under the lock: the actor of a thread, or of a process with tid 0; NULL with errno. */
static struct actor *look_up(pid_t pid, pid_t tid)
{
    struct actor *actor = find_actor(tid ? tid : pid);
    errno = ESRCH;
    return actor && (!pid || actor->process.pid == pid) ? actor : NULL;
}

static size_t threads_of(pid_t pid)
{
    size_t count = 0;
    for (size_t a = 0; a < script.actor_count; a++)
        count += script.actors[a]->process.pid == pid && !script.actors[a]->sample.exited;
    return count;
}

WRAP(int, procfs_task, pid_t pid, pid_t tid, struct procfs_task *task)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    struct actor *actor = look_up(pid, tid);
    if (actor) {
        *task = (struct procfs_task){.pid = pid, .tid = actor->sample.tid};
        task->ppid = actor->process.ppid;
        memcpy(task->comm, actor->sample.comm, sizeof(task->comm));
        task->state = actor->state;
        task->threads = threads_of(pid);
    }
    return actor ? 0 : __real_procfs_task(pid, tid, task);
}

/* stat, comm, and cgroup. */
WRAP(ssize_t, procfs_read, pid_t pid, pid_t tid, const char *file, char *buffer, size_t size)
{
    enum { TICK = 10000000 };
    int length = -1;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    const struct actor *actor = look_up(pid, tid);
    if (actor && strcmp(file, "comm") == 0)
        length = snprintf(buffer, size, "%s\n", actor->sample.comm);
    else if (actor && strcmp(file, "cgroup") == 0)
        length = snprintf(buffer, size, "0::%s\n", actor->cgroup ? actor->cgroup : "/");
    else if (actor && strcmp(file, "stat") == 0)
        length =
            snprintf(buffer, size,
                     "%d (%s) %c %d 0 0 0 0 0 0 0 0 0 %llu %llu 0 0 20 0 %zu 0 0 0 0 0 0 0 0 "
                     "0 0 0 0 0 0 0 0 0 0 %d 0 0 0 0 0\n",
                     (int)actor->sample.tid, actor->sample.comm, actor->state,
                     (int)actor->process.ppid, (unsigned long long)actor->user / TICK,
                     (unsigned long long)actor->kernel / TICK, threads_of(pid), actor->sample.cpu);
    return length;
}

/* The kernel tells nothing of made-up tasks. */
WRAP(int, owner_changes_open, void)
{
    return -1;
}

WRAP(uid_t, procfs_uid, pid_t pid, pid_t tid)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    const struct actor *actor = look_up(pid, tid);
    return actor ? actor->process.uid : (uid_t)-1;
}

WRAP(char *, procfs_cmdline, pid_t pid)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    const struct actor *actor = look_up(pid, 0);
    return actor && actor->cmd && *actor->cmd ? mem_strdup(actor->cmd) : NULL;
}

WRAP(bool, procfs_comm, pid_t pid, pid_t tid, char comm[16])
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    const struct actor *actor = look_up(pid, tid);
    if (actor)
        snprintf(comm, 16, "%.15s", actor->sample.comm);
    return actor;
}

WRAP(pid_t, procfs_process_of, pid_t tid)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    const struct actor *actor = look_up(0, tid);
    return actor ? actor->process.pid : -1;
}

WRAP(int, procfs_processes, struct pid_list *list)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&script.lock);
    for (size_t a = 0; a < script.actor_count; a++) {
        const struct actor *actor = script.actors[a];
        if (actor->sample.exited || actor->sample.tid != actor->process.pid)
            continue;
        mem_grow(&list->pids, &list->room, list->count + 1, sizeof(*list->pids));
        list->pids[list->count++] = actor->process.pid;
    }
    return 0;
}
