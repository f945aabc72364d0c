#include "engine/engines.h"
#include "code/function_table.h"
#include "engine/code_samples.h"
#include "engine/proc_tasks.h"
#include "engine/sys.h"
#include "system/procfs.h"
#include "system/topology.h"

/* The rings of events that sample code, one a CPU, and their records in the order of time: so the
 * mapping of a library is known before a sample in it, whichever CPU wrote it. */

enum {
    DECODE_CODE_READ =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
};

struct code_ring {
    int cpu;
    int fd; /* of the event that owns the ring; others write to it (sys_set_output()) */
    struct ring ring;
    struct code_record record; /* the next one */
    const struct perf_event_header *raw;
};

enum {
    CODE_RING_BYTES = 512 << 10, /* what perf_event_mlock_kb grants each CPU, with a page */
    /* Some tenths of a second at the usual rate: what a process has mapped is read while it lives.
     */
    CODE_WAKEUP_BYTES = 16 << 10,
};

/* For single tasks, where whole CPUs may be sampled instead. */
enum { DESCRIPTORS_MAX = 1024 };

/* The events of a process, or those of whole CPUs. */
struct code_target {
    pid_t pid; /* -1: all tasks */
    int *fds;
    size_t count, room;
};

struct code_profiler {
    struct profiler profiler;
    struct caps caps;
    struct cpulist cpus; /* that may be sampled */
    bool permitted;      /* whole CPUs */
    bool active;
    struct sampling sampling; /* while active */
    bool whole;               /* samples all tasks of the CPUs */
    bool user_only;
    int directory;  /* of the cgroup; -1: none */
    bool limited;   /* the kernel allows fewer samples than were asked for */
    bool thinned;   /* each was asked for, with copies of stacks */
    int precise;    /* precise_ip that the kernel accepts */
    bool reads;     /* samples have the group's values */
    bool build_ids; /* the kernel reports them */
    struct code_ring *rings;
    size_t ring_count;
    uint64_t fields;    /* the sample_type of the events */
    struct merge merge; /* of the rings: scratch */
    struct map targets; /* by pid + 1 */
    size_t descriptors;
    struct code_samples samples;
    uint64_t starts; /* number of times that sampling began */
    uint64_t since;  /* monotonic, ns: when the profile begins */
    int shortage;    /* errno of an open that failed, but of tasks that ended */
    size_t refused;  /* processes that could not be opened */
};

/* Makes samples have what DECODE_CODE_FIELDS says, a group's values, and callers. */
static void code_rings_sample(struct perf_event_attr *attr, bool reads,
                              const struct sampling *sampling)
{
    enum stacks stacks = sampling->style.stacks;
    attr->sample_type = DECODE_CODE_FIELDS | (reads ? PERF_SAMPLE_READ : 0u) |
                        (stacks != STACKS_NONE ? PERF_SAMPLE_CALLCHAIN : 0u);
    if (stacks == STACKS_DWARF) {
        attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr->sample_regs_user = stack_registers.mask;
        attr->sample_stack_user = sampling->copy;
    } else if (stacks == STACKS_LBR) {
        attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
                                   PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
    }
}

/* Makes an event report what its tasks map and execute, and the kernel's own new code. */
static void code_rings_follow(const struct code_profiler *profiler, struct perf_event_attr *attr)
{
    attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
    attr->build_id = profiler->build_ids;
}

/* The owner of a ring: counts nothing, of all tasks or of this program. */
static int open_owner(const struct code_profiler *profiler, int cpu)
{
    struct perf_event_attr attr = sys_record_attr(PERF_COUNT_SW_DUMMY, CODE_WAKEUP_BYTES);
    attr.sample_type = DECODE_CODE_FIELDS;
    attr.exclude_kernel = attr.exclude_hv = profiler->user_only;
    if (profiler->whole) {
        code_rings_follow(profiler, &attr);
        attr.ksymbol = 1;
    }
    return sys_open(&attr, false, profiler->whole ? -1 : 0, cpu, -1);
}

static void code_rings_close(struct code_profiler *profiler)
{
    for (size_t r = 0; r < profiler->ring_count; r++) {
        ring_close(&profiler->rings[r].ring);
        close(profiler->rings[r].fd);
    }
    free(profiler->rings);
    merge_release(&profiler->merge);
    profiler->rings = NULL;
    profiler->ring_count = 0;
}

/* Whether an event could not be opened, by errno, since its CPU went offline. Keeps errno. */
static bool went_offline(int cpu)
{
    AUTO_CPUS struct cpulist online = {0};
    int error = errno;
    bool gone =
        error == ENODEV && topology_online(&online, NULL) == 0 && !cpulist_has(&online, cpu);
    errno = error;
    return gone;
}

/* Opens a ring on each CPU that is online. Where the profiler samples whole CPUs, it also gets what
 * all tasks map and execute. Finds out whether the kernel reports build-ids (Linux 5.12). -1 with a
 * message. */
static int code_rings_open(struct code_profiler *profiler, const struct cpulist *cpus,
                           struct err *err)
{
    profiler->rings = mem_array(cpus->count, sizeof(*profiler->rings));
    profiler->build_ids = true;
    for (size_t c = 0; c < cpus->count; c++) {
        struct code_ring *ring = &profiler->rings[profiler->ring_count];
        struct err why = {""};
        *ring = (struct code_ring){.cpu = cpus->cpus[c], .fd = open_owner(profiler, cpus->cpus[c])};
        if (ring->fd < 0 && (errno == EINVAL || errno == E2BIG) && profiler->build_ids) {
            profiler->build_ids = false;
            ring->fd = open_owner(profiler, ring->cpu);
        }
        if (ring->fd < 0 && went_offline(ring->cpu))
            continue;
        profiler->ring_count += ring->fd >= 0;
        if (ring->fd < 0 || ring_open_within(&ring->ring, ring->fd, CODE_RING_BYTES, &why) < 0)
            return err_set(err, "cannot sample on cpu %d: %s", ring->cpu,
                           *why.text ? why.text : err_reason(errno));
    }
    return 0;
}

/* Reads the ring's next record; false if it has none. */
static bool next_code_record(const struct code_profiler *profiler, struct code_ring *ring)
{
    while ((ring->raw = ring_peek(&ring->ring))) {
        if (decode_code_record(ring->raw, profiler->fields, &ring->record))
            return true;
        ring_pop(&ring->ring, ring->raw);
    }
    return false;
}

/* Takes all records written up to that time (monotonic, ns). */
static void drain_until(struct code_profiler *profiler, uint64_t until)
{
    struct code_ring *ring;
    if (!profiler->active)
        return;
    for (size_t r = 0; r < profiler->ring_count; r++) {
        ring = &profiler->rings[r];
        ring_update(&ring->ring);
        if (next_code_record(profiler, ring))
            merge_add(&profiler->merge, ring, ring->record.common.time);
    }
    while ((ring = merge_first(&profiler->merge)) && ring->record.common.time <= until) {
        code_samples_take(&profiler->samples, &ring->record);
        ring_pop(&ring->ring, ring->raw);
        bool more = next_code_record(profiler, ring);
        merge_advance(&profiler->merge, more, ring->record.common.time);
    }
    profiler->merge.count = 0; /* the others stay in their rings */
    for (size_t r = 0; r < profiler->ring_count; r++)
        ring_release(&profiler->rings[r].ring);
    code_samples_settle(&profiler->samples);
}

/* --- Opening --- */

static struct perf_event_attr code_attr(const struct code_profiler *profiler,
                                        const struct event *event, int cpu)
{
    struct perf_event_attr attr = event_attr_on(event, cpu);
    attr.read_format = DECODE_CODE_READ;
    code_rings_sample(&attr, profiler->reads, &profiler->sampling);
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.exclude_idle = event_is_clock(event);
    attr.exclude_guest = event->hardware;
    if (profiler->user_only)
        attr.exclude_kernel = attr.exclude_hv = attr.exclude_callchain_kernel = 1;
    attr.pinned = 0;
    return attr;
}

/* Whether that process, the command, has not executed its program yet. */
static bool is_waiting(pid_t command)
{
    return procfs_same_program(command, getpid());
}

/* How it samples, on top of how it counts. */
static void add_sampling(const struct code_profiler *profiler, bool command,
                         struct perf_event_attr *attr)
{
    const struct sampling *sampling = &profiler->sampling;
    attr->freq = sampling->rate > 0;
    attr->sample_freq = sampling->rate > 0 ? sampling->rate : 1;
    attr->precise_ip = (unsigned)profiler->precise & 3;
    attr->context_switch = profiler->samples.switches; /* when each is back, and why it left */
    attr->disabled = 1;
    if (profiler->whole)
        return;
    code_rings_follow(profiler, attr);
    attr->inherit = 1;
    attr->inherit_thread = !command;
    /* Not the work of the child before it executes the command. */
    attr->enable_on_exec = command && is_waiting(profiler->sampling.watch.command);
}

/* Closes what was opened for a target from that descriptor on. Keeps errno. */
static void close_from(struct code_profiler *profiler, struct code_target *target, size_t from)
{
    while (target->count > from) {
        file_close(target->fds[--target->count]);
        profiler->descriptors--;
    }
}

static void add_descriptor(struct code_profiler *profiler, struct code_target *target, int fd)
{
    *MEM_ADD(target->fds, target->count, target->room) = fd;
    profiler->descriptors++;
}

/* Opens the group of a task (-1: of all tasks, or of the cgroup) on the ring's CPU. -1 with errno.
 */
static int open_group_on(struct code_profiler *profiler, struct code_target *target, pid_t tid,
                         const struct code_ring *ring, bool command)
{
    const struct sampling *sampling = &profiler->sampling;
    struct perf_event_attr attr = code_attr(profiler, &sampling->event, ring->cpu);
    bool cgroup = profiler->whole && profiler->directory >= 0;
    pid_t pid = cgroup ? profiler->directory : profiler->whole ? -1 : tid;
    size_t from = target->count;
    add_sampling(profiler, command, &attr);
    int leader = sys_open(&attr, cgroup, pid, ring->cpu, -1);
    if (leader < 0)
        return -1;
    add_descriptor(profiler, target, leader);
    bool good = !sampling->event.filter || sys_set_filter(leader, sampling->event.filter) == 0;
    for (size_t e = 0; e < sampling->beside.count && good; e++) {
        struct perf_event_attr other = code_attr(profiler, &sampling->beside.events[e], ring->cpu);
        other.inherit = attr.inherit;
        other.inherit_thread = attr.inherit_thread;
        int fd = sys_open(&other, cgroup, pid, ring->cpu, leader);
        good = fd >= 0;
        if (good)
            add_descriptor(profiler, target, fd);
    }
    good = good && sys_set_output(leader, ring->fd) == 0 &&
           (attr.enable_on_exec || sys_enable(leader) == 0);
    if (!good)
        close_from(profiler, target, from);
    return good ? 0 : -1;
}

/* The same on all CPUs. */
static int open_everywhere(struct code_profiler *profiler, struct code_target *target, pid_t tid,
                           bool command)
{
    size_t from = target->count;
    for (size_t r = 0; r < profiler->ring_count; r++)
        if (open_group_on(profiler, target, tid, &profiler->rings[r], command) < 0 &&
            !went_offline(profiler->rings[r].cpu)) {
            close_from(profiler, target, from);
            return -1;
        }
    return 0;
}

static struct code_target *target_for(struct code_profiler *profiler, pid_t pid)
{
    struct code_target *target = mem_alloc(sizeof(*target));
    target->pid = pid;
    map_put(&profiler->targets, (uint64_t)(pid + 1), target);
    return target;
}

static void drop_target(struct code_profiler *profiler, struct code_target *target)
{
    close_from(profiler, target, 0);
    map_remove(&profiler->targets, (uint64_t)(target->pid + 1));
    free(target->fds);
    free(target);
}

static void forget_targets(struct code_profiler *profiler)
{
    struct code_target *target;
    for (size_t at = 0; (target = map_next(&profiler->targets, &at)); at = 0)
        drop_target(profiler, target);
}

/* Opens all threads of a process that are watched. -1 with errno if one could not be opened. */
static int open_process(struct code_profiler *profiler, pid_t pid, struct watched *watched)
{
    const struct watch *watch = &profiler->sampling.watch;
    AUTO_PIDS struct pid_list threads = {0};
    struct code_target *target = target_for(profiler, pid);
    int error = procfs_threads(pid, &threads) == 0 ? 0 : errno == ENOENT ? ESRCH : errno;
    for (size_t t = 0; t < threads.count && !error; t++) {
        struct procfs_task facts;
        watched->tid = threads.pids[t];
        if (!watch_has(watch, watched))
            continue;
        if (open_everywhere(profiler, target, watched->tid, watched->command) < 0 && errno != ESRCH)
            error = errno;
        bool waits = profiler->samples.switches && !watched->command;
        if (waits && procfs_task(pid, watched->tid, &facts) == 0 && facts.state != 'R')
            code_samples_asleep(&profiler->samples, pid, watched->tid);
    }
    if (!error && target->count == 0)
        error = ESRCH;
    code_book_know(profiler->samples.book, pid);
    if (!error)
        return 0;
    close_from(profiler, target, 0); /* stays in the map: is not tried again */
    errno = error;
    return -1;
}

/* Finds watched processes that are not sampled yet, and closes those that have ended. -1 with errno
 * if none could be opened. */
static int follow_processes(struct code_profiler *profiler)
{
    const struct watch *watch = &profiler->sampling.watch;
    AUTO_PIDS struct pid_list running = {0};
    struct code_target *target;
    size_t opened = 0;
    if (procfs_processes(&running) < 0) {
        profiler->shortage = errno;
        profiler->refused++;
    }
    for (size_t i = 0; i < running.count; i++) {
        pid_t pid = running.pids[i];
        char comm[TASK_COMM_SIZE];
        if (map_get(&profiler->targets, (uint64_t)(pid + 1)) || pid == getpid())
            continue;
        struct watched watched = proc_tasks_watched(watch, pid, pid, comm);
        if (watch_all(watch) && !profiler->caps.perfmon && procfs_uid(pid, 0) != getuid())
            continue;
        if (!watch_may_have(watch, &watched))
            continue;
        if (open_process(profiler, pid, &watched) == 0) {
            opened++;
        } else if (errno != ESRCH || (watched.command && is_waiting(pid))) {
            profiler->shortage = errno;
            profiler->refused++;
        }
    }
    for (size_t at = 0; (target = map_next(&profiler->targets, &at));) {
        if (target->pid < 0 || kill(target->pid, 0) == 0 || errno != ESRCH)
            continue;
        /* Its descendants go on counting through the inherited events of the command. */
        if (target->pid == watch->command)
            continue;
        drop_target(profiler, target);
        at = 0; /* the map has changed */
    }
    errno = profiler->shortage;
    return opened == 0 && profiler->shortage ? -1 : 0;
}

/* --- Starting and stopping --- */

static void code_profiler_stop(struct profiler *self)
{
    struct code_profiler *profiler = (struct code_profiler *)self;
    forget_targets(profiler);
    map_release(&profiler->targets);
    code_rings_close(profiler);
    file_close(profiler->directory);
    profiler->directory = -1;
    code_samples_end(&profiler->samples);
    if (profiler->active)
        sampling_release(&profiler->sampling);
    profiler->active = false;
}

/* Whether samples of inherited events can have the values of their group (since Linux 6.12). */
static bool reads_inherited(const struct code_profiler *profiler)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
        .read_format = DECODE_CODE_READ,
        .inherit = 1,
        .disabled = 1,
        .exclude_kernel = profiler->user_only,
        .exclude_hv = profiler->user_only,
    };
    return sys_try(&attr, false, 0, -1) == 0;
}

/* Whether processes that begin later may be wanted: what is watched by number is opened at the
 * start, and its events are inherited. */
static bool awaits_processes(const struct watch *watch)
{
    return watch->names.count || watch->user_count || watch->cgroup || watch_all(watch);
}

/* Whether to open the events of single tasks, so that no others pay for the samples. */
static bool prefers_tasks(const struct code_profiler *profiler)
{
    const struct watch *watch = &profiler->sampling.watch;
    if (profiler->sampling.style.stacks == STACKS_DWARF)
        return true;
    if (awaits_processes(watch))
        return false;
    size_t threads = watch->tid_count + (watch->command != 0);
    for (size_t i = 0; i < watch->pid_count; i++) {
        struct procfs_task task;
        threads += procfs_task(watch->pids[i], 0, &task) == 0 ? task.threads : 0;
    }
    return threads * profiler->cpus.count <= DESCRIPTORS_MAX;
}

/* Opens all with the present settings. */
static int try_open(struct code_profiler *profiler)
{
    profiler->shortage = 0;
    profiler->refused = 0;
    if (!profiler->whole && follow_processes(profiler) == 0)
        return 0;
    /* Some may not be sampled by this user, which note_of() says: others may come. */
    if (!profiler->whole)
        return awaits_processes(&profiler->sampling.watch) && (errno == EACCES || errno == EPERM)
                   ? 0
                   : -1;
    struct code_target *all = map_get(&profiler->targets, 0);
    return open_everywhere(profiler, all ? all : target_for(profiler, -1), -1, false);
}

/* Opens with as much as the kernel accepts: first it gives up precise addresses, then the events
 * beside from the last one on, then the values of the group. -1 with errno. */
static int open_best(struct code_profiler *profiler)
{
    struct sampling *sampling = &profiler->sampling;
    bool hardware = sampling->event.hardware;
    profiler->precise = hardware ? 3 : 0;
    while (try_open(profiler) < 0) {
        bool refused = errno == EINVAL || errno == EOPNOTSUPP || errno == ENOENT || errno == E2BIG;
        int error = errno;
        forget_targets(profiler);
        if (refused && profiler->precise > (int)sampling->event.attr.precise_ip) {
            profiler->precise--;
        } else if (refused && sampling->beside.count > 0) {
            event_release(&sampling->beside.events[--sampling->beside.count]);
            profiler->precise = hardware ? 3 : 0;
        } else if (refused && profiler->reads) {
            profiler->reads = false;
            profiler->precise = hardware ? 3 : 0;
        } else {
            errno = error;
            return -1;
        }
    }
    return 0;
}

/* An empty profile of what is sampled from then on. */
static void begin_profile(struct code_profiler *profiler, uint64_t since)
{
    const struct sampling *sampling = &profiler->sampling;
    struct profile *profile = profile_new(profiler->samples.book);
    profile->event = mem_strdup(sampling->event.name);
    profile->unit = mem_strdup(sampling->event.unit ? sampling->event.unit : "");
    profile->start = profiler->starts;
    profile->whole = profiler->whole;
    profile->wall = sampling->style.wall;
    profile->rate = sampling->rate;
    profile->stacks = sampling->style.stacks;
    profile->user_only = profiler->user_only || sampling->event.attr.exclude_kernel;
    watch_copy(&profile->watch, &sampling->watch);
    cpulist_copy(&profile->cpus, &sampling->cpus);
    size_t events = profiler->reads ? sampling->beside.count : 0;
    profile->names = mem_array(events + PROFILE_WAITS, sizeof(*profile->names));
    for (size_t e = 0; e < events; e++)
        profile->names[e] = mem_strdup(sampling->beside.events[e].name);
    for (size_t w = 0; profiler->samples.switches && w < PROFILE_WAITS; w++)
        profile->names[events++] = mem_strdup(profile_wait_names[w]);
    profile->events = events;
    code_samples_into(&profiler->samples, profile);
    profiler->since = since;
}

/* Keeps the events beside that can be counted, once each. */
static void settle_beside(struct sampling *sampling, bool inherited)
{
    struct event_list *list = &sampling->beside;
    size_t kept = 0;
    for (size_t e = 0; e < list->count; e++) {
        if (list->events[e].state != EVENT_COUNTED || list->events[e].shared ||
            (inherited && event_is_probe(&list->events[e])) ||
            str_equal(list->events[e].name, sampling->event.name))
            event_release(&list->events[e]);
        else
            list->events[kept++] = list->events[e];
    }
    list->count = kept;
}

static int explain_start(struct code_profiler *profiler, int error, struct err *err)
{
    struct event *event = &profiler->sampling.event;
    explain_refusal(event, error, profiler->whole, &profiler->caps);
    bool clock = event_is_clock(event);
    return err_set(err, "cannot sample '%s': %s%s", event->name, event->reason,
                   clock || error == EMFILE ? "" : "; cpu-clock can be sampled anywhere");
}

/* Keeps to the rate that the kernel allows; it lowers that where its interrupts take long
 * (proc_sys_kernel(5), perf_event_max_sample_rate). Copies of stacks are large; but without each
 * switch nothing is known of the time between them. */
static void limit_rate(struct code_profiler *profiler)
{
    static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
    struct sampling *sampling = &profiler->sampling;
    char text[32];
    uint64_t most;
    const char *number = text;
    profiler->limited = false;
    bool copies = sampling->style.stacks == STACKS_DWARF;
    profiler->thinned = copies && sampling->rate == 0 && !event_is_switch(&sampling->event);
    if (profiler->thinned || (copies && sampling->rate > CODE_STACKS_RATE))
        sampling->rate = CODE_STACKS_RATE;
    if (file_read(path, text, sizeof(text)) <= 0 || !str_take_number(&number, &most) || most == 0 ||
        sampling->rate <= most)
        return;
    sampling->rate = most;
    profiler->limited = true;
}

static void find_scheduler(uint64_t bounds[2])
{
    AUTO_FILE FILE *file = file_open("/proc/kallsyms");
    if (file)
        text_table_scheduler(file, bounds);
}

static int explain_branches(const struct sampling *sampling, int error, struct err *err)
{
    const char *why = error == EACCES || error == EPERM ? "that is not permitted"
                      : sampling->event.hardware
                          ? "this processor has no record of calls that the kernel can read"
                          : "the kernel has it only for events that the processor counts";
    return err_set(err,
                   "cannot sample '%s' with the processor's record of calls: %s (%s); use "
                   "--call-graph dwarf or fp",
                   sampling->event.name, why, err_reason(error));
}

/* Whether the kernel and the processor can give callers as they are asked for. -1 with a message.
 */
static int code_stacks_check(const struct sampling *sampling, bool user_only, struct err *err)
{
    const struct watch *watch = &sampling->watch;
    size_t named = watch->pid_count + watch->names.count + watch->tid_count + (watch->command != 0);
    if (sampling->style.stacks == STACKS_DWARF && stack_registers.mask == 0)
        return err_set(err, "cannot copy stacks: on this processor they are not unwound; use "
                            "--call-graph fp");
    if (sampling->style.stacks == STACKS_DWARF && named != 1)
        return err_set(err, "cannot copy the stacks of all tasks: choose a process with -p, -t or "
                            "-- COMMAND, in the terminal with p on its row");
    if (sampling->style.stacks != STACKS_LBR)
        return 0;
    struct perf_event_attr attr = sampling->event.attr;
    code_rings_sample(&attr, false, sampling);
    attr.sample_period = 1000003;
    attr.exclude_kernel = attr.exclude_hv = user_only;
    attr.disabled = 1;
    int error = sys_try(&attr, false, 0, -1);
    return error ? explain_branches(sampling, error, err) : 0;
}

/* On failure something may be open. */
static int start_sampling(struct code_profiler *profiler, const struct sampling *asked,
                          struct err *err)
{
    struct sampling *sampling = &profiler->sampling;
    struct code_samples *samples = &profiler->samples;
    const struct event *event = &sampling->event;
    sampling_copy(sampling, asked);
    code_book_fetch(samples->book, sampling->fetch);
    profiler->active = true;
    limit_rate(profiler);
    samples->switches = event_is_switch(event) && sampling->rate == 0;
    if (samples->switches) /* what other events count between two switches says little */
        event_list_release(&sampling->beside);
    profiler->user_only = !caps_kernel(&profiler->caps);
    /* Without the values of the group functions have no ratios. */
    profiler->reads = reads_inherited(profiler);
    bool copies = sampling->style.stacks == STACKS_DWARF;
    bool tasks = prefers_tasks(profiler) && (profiler->reads || copies || !event->hardware);
    profiler->whole = profiler->permitted && (!tasks || event_is_probe(event));
    profiler->reads |= profiler->whole;
    settle_beside(sampling, !profiler->whole);
    if (event->shared)
        return err_set(err, "cannot sample '%s': it counts a whole socket, not code", event->name);
    if ((profiler->user_only && event_of_kernel(event)) ||
        (event_is_probe(event) && !profiler->whole))
        return explain_start(profiler, EACCES, err);
    if (code_stacks_check(sampling, profiler->user_only, err) < 0)
        return -1;
    if (profiler->whole && sampling->watch.cgroup) {
        profiler->directory = open(sampling->watch.cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (profiler->directory < 0)
            return err_set(err, "cannot sample cgroup '%.200s': %s", sampling->watch.cgroup,
                           err_reason(errno));
    }
    const struct cpulist *cpus = sampling->cpus.count ? &sampling->cpus : &profiler->cpus;
    if (code_rings_open(profiler, cpus, err) < 0)
        return -1;
    /* The first samples may come before the last event is open. */
    uint64_t since = clock_monotonic();
    if (open_best(profiler) < 0) {
        int error = errno;
        sampling->event.attr.exclude_kernel |= profiler->user_only; /* as it was tried */
        return explain_start(profiler, error, err);
    }
    if (samples->switches && samples->scheduler[1] == 0)
        find_scheduler(samples->scheduler);
    struct perf_event_attr attr = {0};
    code_rings_sample(&attr, profiler->reads, sampling);
    profiler->fields = attr.sample_type;
    samples->whole = profiler->whole;
    samples->clock = event_is_clock(event);
    samples->reads = profiler->reads;
    samples->events = sampling->beside.count;
    /* A thread that runs is sampled once in each period; half of one more is for jitter. */
    samples->together = sampling->style.wall ? 1500000000 / sampling->rate : 0;
    samples->stacks = sampling->style.stacks;
    code_samples_begin(samples);
    profiler->starts++;
    begin_profile(profiler, since);
    return 0;
}

static int code_profiler_start(struct profiler *self, const struct sampling *sampling,
                               struct err *err)
{
    code_profiler_stop(self);
    int result = start_sampling((struct code_profiler *)self, sampling, err);
    if (result < 0)
        code_profiler_stop(self);
    return result;
}

/* --- The other methods of struct profiler --- */

static void code_profiler_drain(struct profiler *self)
{
    drain_until((struct code_profiler *)self, UINT64_MAX);
}

/* What is not sampled, which the caller frees; NULL: nothing. */
static char *note_of(const struct code_profiler *profiler)
{
    static const char in_none[] = "since sampling began: that time is in no function";
    size_t asleep = code_samples_unknown(&profiler->samples);
    char *reason;
    if (!profiler->whole && profiler->refused > 0)
        return mem_printf("%zu process%s not sampled: %s", profiler->refused,
                          profiler->refused == 1 ? "" : "es", err_reason(profiler->shortage));
    if (profiler->limited)
        return mem_printf("the kernel allows %llu samples a second "
                          "(kernel.perf_event_max_sample_rate)",
                          (unsigned long long)profiler->sampling.rate);
    if (profiler->samples.held.unwinder &&
        (reason = unwinder_reason(profiler->samples.held.unwinder)))
        return reason;
    if (profiler->thinned)
        return mem_printf("not each is sampled: stacks are copied %d times a second",
                          CODE_STACKS_RATE);
    if (asleep > 0)
        return mem_printf("%zu thread%s slept %s", asleep, asleep == 1 ? " has" : "s have",
                          in_none);
    if (profiler->samples.switches && profiler->whole)
        return mem_printf("threads may have slept %s", in_none);
    return NULL;
}

static struct profile *code_profiler_take(struct profiler *self, uint64_t until)
{
    struct code_profiler *profiler = (struct code_profiler *)self;
    if (!profiler->active)
        return NULL;
    drain_until(profiler, until);
    struct profile *profile = profiler->samples.sum.profile;
    code_samples_cut(&profiler->samples, until);
    profile->duration = until > profiler->since ? until - profiler->since : 0;
    if (!profiler->whole && awaits_processes(&profiler->sampling.watch))
        follow_processes(profiler);
    profile->note = note_of(profiler);
    begin_profile(profiler, until);
    return profile;
}

static size_t code_profiler_poll_fds(struct profiler *self, struct pollfd *fds, size_t room)
{
    const struct code_profiler *profiler = (const struct code_profiler *)self;
    for (size_t r = 0; r < profiler->ring_count && r < room; r++)
        fds[r] = (struct pollfd){.fd = profiler->rings[r].fd, .events = POLLIN};
    return profiler->ring_count;
}

static size_t code_profiler_descriptors(const struct profiler *self)
{
    const struct code_profiler *profiler = (const struct code_profiler *)self;
    return profiler->descriptors + profiler->ring_count;
}

static void code_profiler_close(struct profiler *self)
{
    struct code_profiler *profiler = (struct code_profiler *)self;
    code_profiler_stop(self);
    code_book_drop(profiler->samples.book);
    cpulist_release(&profiler->cpus);
    free(profiler);
}

struct profiler *code_profiler_new(const struct caps *caps, const struct cpulist *cpus, bool whole)
{
    static const struct profiler_ops ops = {
        .start = code_profiler_start,
        .stop = code_profiler_stop,
        .poll_fds = code_profiler_poll_fds,
        .drain = code_profiler_drain,
        .take = code_profiler_take,
        .descriptors = code_profiler_descriptors,
        .close = code_profiler_close,
    };
    struct code_profiler *profiler = mem_alloc(sizeof(*profiler));
    profiler->profiler.ops = &ops;
    profiler->caps = *caps;
    profiler->permitted = whole;
    profiler->directory = -1;
    profiler->samples.book = code_book_new();
    cpulist_copy(&profiler->cpus, cpus);
    return &profiler->profiler;
}
