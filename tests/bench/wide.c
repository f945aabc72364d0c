/* The ledger engine on a machine with any number of CPUs: sampler, engine, ring, decoder, ledger
 * and snapshots are the program's own, the kernel below them is that of lib/kernel.c. Its clock
 * goes on only while the engine waits: what is measured is the engine's time, not that of these
 * functions, and no record is lost because this machine is slower than the one that is not there.
 *
 * wide CPUS SWITCHES BUSY REFRESHES COUNTERS [TASKS]: SWITCHES a second of the machine, on the
 * first BUSY of its CPUs, each between TASKS (4) of its own and idle; COUNTERS: how many hardware
 * events fit into a group. Writes "name value" lines. wide calls: what system calls take on this
 * machine, ns.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engines.h"
#include "engine/cpu_events.h"
#include "engine/group.h"
#include "engine/proc_tasks.h"
#include "engine/sys.h"
#include "event/event.h"
#include "lib/kernel.h"
#include "model/delta.h"
#include "sample/sampler.h"
#include "system/topology.h"
#include "unit/rawrecord.h"
#include "wrap.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENTS = 8,   /* that are asked for */
    STEP = 20000, /* ns: how late who polls is woken at most */
    FIRST_TID = 1 << 23,
};

struct machine_cpu {
    uint64_t next_switch, switches;
    pid_t running;
    bool named;
};

static struct machine_cpu *cpus;
static size_t cpu_count, busy_count, counters;
static pid_t tasks = 4;     /* of a CPU */
static double switch_every; /* ns, on a busy CPU */
static uint64_t random_state = 88172645463325252u;
/* System calls that would be made, beside those of the kernel. */
static struct {
    uint64_t poll, polled, slept, wait;
} calls, calls_before;
static struct kernel kernel_at_start, kernel_before;

static struct sampler *sampler;
static struct delta *delta;
static size_t refreshes, refreshes_wanted, tasks_seen;
static uint64_t own, own_since, own_frames, frame_ended, counting_since;
static int finished[2];

static uint64_t thread_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t any_number(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* --- What happens on the CPUs --- */

static pid_t process_of(pid_t tid)
{
    return tid ? tid - tid % tasks : 0;
}

static void bring_up_to_date(struct kernel_file *leader, uint64_t time)
{
    uint64_t span = time - leader->started - leader->value[leader->ticker];
    for (size_t v = 0; v < leader->values; v++)
        if (v != leader->switches)
            leader->value[v] += v == leader->ticker ? span : span / (v + 1);
}

static void write_sample(size_t group, pid_t tid, uint64_t time, bool tick)
{
    struct kernel_file *leader = &kernel.files[group];
    struct raw raw;
    bring_up_to_date(leader, time);
    uint64_t enabled = time - leader->started;
    raw_sample(&raw, process_of(tid), tid, tick ? time : 0, tick ? leader->period : 0, enabled,
               enabled, leader->values, leader->value);
    kernel_write(leader->writer, &raw.header);
}

static void write_switch(size_t switcher, bool out, pid_t tid, pid_t other, uint64_t time)
{
    struct raw raw;
    if (!switcher)
        return;
    raw_switch(&raw, out, process_of(tid), tid, process_of(other), other, time);
    kernel_write(switcher, &raw.header);
}

static void make_switch(struct machine_cpu *cpu, size_t number)
{
    pid_t next =
        cpu->running ? 0 : FIRST_TID + (pid_t)number * tasks + (pid_t)(cpu->switches / 2) % tasks;
    uint64_t time = cpu->next_switch;
    const struct kernel_cpu *counting = kernel_cpu((int)number);
    for (size_t g = 0; g < counting->group_count; g++) {
        struct kernel_file *leader = &kernel.files[counting->groups[g]];
        leader->value[leader->switches]++;
        write_sample(counting->groups[g], cpu->running, time, false);
    }
    write_switch(counting->switcher, true, cpu->running, next, time);
    write_switch(counting->switcher, false, next, cpu->running, time);
    cpu->running = next;
    cpu->switches++;
    uint64_t mean = (uint64_t)switch_every;
    cpu->next_switch += mean / 2 + any_number() % (mean + 1);
}

static void name_tasks(struct machine_cpu *cpu, size_t number, uint64_t time)
{
    struct raw raw;
    for (pid_t t = 0; t < tasks; t++) {
        pid_t tid = FIRST_TID + (pid_t)number * tasks + t;
        raw_comm(&raw, process_of(tid), tid, "task", 16, false, time);
        kernel_write(kernel_cpu((int)number)->tracker, &raw.header);
    }
    cpu->named = true;
}

static bool run_cpu(size_t number, uint64_t until)
{
    struct machine_cpu *cpu = &cpus[number];
    const struct kernel_cpu *counting = kernel_cpu((int)number);
    if (!counting->group_count)
        return false;
    if (!cpu->named)
        name_tasks(cpu, number, kernel.now);
    for (;;) {
        uint64_t next = number < busy_count ? cpu->next_switch : UINT64_MAX;
        size_t ticks = KERNEL_GROUPS_MAX;
        for (size_t g = 0; g < counting->group_count; g++)
            if (kernel.files[counting->groups[g]].next_tick < next) {
                next = kernel.files[counting->groups[g]].next_tick;
                ticks = g;
            }
        if (next > until)
            break;
        if (ticks == KERNEL_GROUPS_MAX) {
            make_switch(cpu, number);
            continue;
        }
        struct kernel_file *leader = &kernel.files[counting->groups[ticks]];
        write_sample(counting->groups[ticks], cpu->running, next, true);
        leader->next_tick += leader->period;
    }
    bool woken = kernel.files[counting->tracker].ring->woken;
    for (size_t g = 1; g < counting->group_count; g++)
        woken |=
            kernel.files[kernel.files[kernel.files[counting->groups[g]].writer].output].ring->woken;
    return woken;
}

/* Lets time pass, until somebody is to be woken, if `wakes`. */
static bool pass(uint64_t until, bool wakes)
{
    bool woken = wakes && kernel_woken();
    while (kernel.now < until && !woken) {
        uint64_t end = until - kernel.now > STEP ? kernel.now + STEP : until;
        for (size_t c = 0; c < cpu_count; c++)
            woken |= run_cpu(c, end) && wakes;
        kernel.now = end;
    }
    return woken;
}

/* --- What the kernel asks --- */

bool machine_has(size_t leader, size_t member)
{
    size_t hardware = 0;
    for (size_t f = leader; f <= member; f++)
        hardware +=
            kernel.files[f].leader == leader && kernel.files[f].attr.type == PERF_TYPE_HARDWARE;
    errno = EINVAL;
    return hardware <= counters;
}

void machine_enabled(size_t number)
{
    struct kernel_file *leader = &kernel.files[number];
    if (leader->switches == SIZE_MAX)
        return;
    struct machine_cpu *cpu = &cpus[leader->cpu];
    leader->started = kernel.now;
    leader->next_tick = kernel.now + leader->period;
    if (cpu->next_switch < kernel.now)
        cpu->next_switch = kernel.now + any_number() % ((uint64_t)switch_every + 1);
}

void machine_read(struct kernel_file *leader, struct group_read *read)
{
    if (leader->ticker != SIZE_MAX) {
        bring_up_to_date(leader, kernel.now);
        read->enabled = read->running = kernel.now - leader->started;
    }
    memcpy(read->value, leader->value, leader->values * sizeof(*read->value));
}

size_t machine_ring_size(size_t bytes)
{
    return bytes;
}

/* --- The calls that the engine makes --- */

WRAP(int, epoll_wait, int set, struct epoll_event *events, int most, int timeout)
{
    (void)set, (void)events, (void)timeout;
    uint64_t begin = thread_time();
    int taken = kernel_take_wakings(most);
    own_since += thread_time() - begin;
    calls.wait++;
    return taken;
}

WRAP(int, topology_online_again, int fd, struct cpulist *online, struct err *err)
{
    (void)fd, (void)err;
    *online = (struct cpulist){.cpus = mem_array(cpu_count, sizeof(int)), .count = cpu_count};
    for (size_t c = 0; c < cpu_count; c++)
        online->cpus[c] = (int)c;
    return 0;
}

/* What is made up is not in /proc, and the cost of reading that is not a matter of CPUs. */
WRAP(void, proc_tasks_meet, struct ledger *ledger)
{
    (void)ledger;
}

WRAP(void, proc_tasks_keep, struct proc_scan_state *scan, struct ledger *ledger,
     uint64_t generation)
{
    (void)scan, (void)ledger, (void)generation;
}

WRAP(int, nanosleep, const struct timespec *wait, struct timespec *rest)
{
    (void)rest;
    uint64_t begin = thread_time();
    pass(kernel.now + (uint64_t)wait->tv_nsec + (uint64_t)wait->tv_sec * 1000000000u, false);
    own_since += thread_time() - begin;
    return 0;
}

/* --- Measuring --- */

static uint64_t own_memory(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof(line), file) && sscanf(line, "RssAnon: %llu kB", &kib) != 1)
        ;
    if (file)
        fclose(file);
    return kib << 10;
}

static uint64_t memory_peak, memory_at_start;

/* What the other thread does with a snapshot before it is shown. */
static void take_snapshot(struct snapshot *snapshot)
{
    uint64_t begin = thread_time();
    struct frame *frame = delta_advance(delta, snapshot);
    tasks_seen = snapshot->task_count;
    snapshot_free(snapshot);
    frame_free(frame);
    uint64_t memory = own_memory();
    memory_peak = memory > memory_peak ? memory : memory_peak;
    if (refreshes == 1) { /* what is done once is over */
        own = own_frames = 0;
        kernel_before = kernel;
        calls_before = calls;
        counting_since = kernel.now;
    } else {
        own_frames += thread_time() - begin;
    }
    frame_ended = kernel.now;
    if (refreshes++ == refreshes_wanted + 1 && write(finished[1], "", 1) != 1)
        abort();
}

WRAP(int, ppoll, struct pollfd *fds, nfds_t count, const struct timespec *timeout,
     const sigset_t *signals)
{
    (void)signals;
    uint64_t ended = thread_time();
    struct sampler *known = __atomic_load_n(&sampler, __ATOMIC_ACQUIRE);
    own += own_since ? ended - own_since : 0;
    calls.poll++;
    bool wakes = false;
    for (nfds_t i = 0; i < count; i++) {
        fds[i].revents = 0;
        calls.polled += fds[i].fd >= 0;
        wakes |= fds[i].fd == KERNEL_FD;
    }
    struct snapshot *snapshot = known ? sampler_take(known) : NULL;
    if (snapshot)
        take_snapshot(snapshot);
    bool over = refreshes > refreshes_wanted + 1;
    struct pollfd wake = {.fd = fds[0].fd, .events = POLLIN};
    uint64_t before = kernel.now;
    if (poll(&wake, 1, over ? -1 : !known ? 1 : 0) > 0) {
        fds[0].revents = POLLIN;
    } else if (known && pass(kernel.now + (uint64_t)timeout->tv_nsec +
                                 (uint64_t)timeout->tv_sec * 1000000000u,
                             wakes)) {
        kernel_take_wakings(1);
        fds[1].revents = POLLIN;
    }
    calls.slept += kernel.now > before;
    own_since = thread_time();
    return 1;
}

static void tell(const char *name, double value)
{
    printf("%s %.9g\n", name, value);
}

static void ask_for(struct event_list *list, uint32_t type, uint64_t config, const char *name)
{
    mem_grow(&list->events, &list->room, list->count + 1, sizeof(*list->events));
    struct event *event = &list->events[list->count++];
    *event = (struct event){.text = mem_strdup(name),
                            .name = mem_strdup(name),
                            .group = -1,
                            .attr = {.type = type, .config = config}};
    event_settle(event);
}

static void ask_for_events(struct event_list *list)
{
    ask_for(list, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles");
    ask_for(list, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions");
    ask_for(list, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches");
    ask_for(list, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch-misses");
    ask_for(list, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "cache-references");
    ask_for(list, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache-misses");
    ask_for(list, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults");
    ask_for(list, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations");
}

static int measure(void)
{
    struct err err = {""};
    struct caps caps = {.paranoid = -1, .perfmon = true, .admin = true, .descriptors = 1 << 20};
    struct cpulist all = {.cpus = mem_array(cpu_count, sizeof(int)), .count = cpu_count};
    for (size_t c = 0; c < cpu_count; c++)
        all.cpus[c] = (int)c;
    cpus = mem_array(cpu_count, sizeof(*cpus));
    struct event_list list = {0};
    ask_for_events(&list);
    memory_at_start = own_memory();
    uint64_t begin = thread_time();
    struct source *source = cpu_engine_new(&all, true, &caps, 1000000000, &err);
    if (!source || source->ops->set_events(source, &list, &err) < 0) {
        fprintf(stderr, "wide: %s\n", err.text);
        return 1;
    }
    tell("start_ms", (double)(thread_time() - begin) / 1e6);
    kernel_at_start = kernel;
    delta = delta_new(NULL);
    struct sampler *started =
        sampler_start(source, code_profiler_new(&caps, &all, true), 1000000000, true, &err);
    if (!started || pipe(finished) < 0)
        return 1;
    __atomic_store_n(&sampler, started, __ATOMIC_RELEASE);
    if (read(finished[0], &(char){0}, 1) != 1)
        return 1;
    double seconds = (double)(frame_ended - counting_since) / 1e9, count = (double)refreshes_wanted;
    tell("records", (double)(kernel.made - kernel_before.made) / seconds);
    tell("ns", (double)own / (double)(kernel.made - kernel_before.made));
    tell("cpu_percent", (double)own / 1e7 / seconds);
    tell("frame_ms", (double)own_frames / 1e6 / count);
    tell("tasks", (double)tasks_seen);
    tell("lost", (double)kernel.lost);
    tell("rings_mib", (double)kernel.ring_peak / (1 << 20));
    tell("memory_mib", (double)(memory_peak - memory_at_start) / (1 << 20));
    tell("polls", (double)(calls.poll - calls_before.poll) / seconds);
    tell("polled", (double)(calls.polled - calls_before.polled) / seconds);
    tell("sleeps", (double)(calls.slept - calls_before.slept) / seconds);
    tell("waits", (double)(calls.wait - calls_before.wait) / seconds);
    tell("reads", (double)(kernel.calls.read - kernel_before.calls.read) / seconds);
    tell("ioctls", (double)(kernel.calls.ioctl - kernel_before.calls.ioctl) / seconds);
    tell("opens", (double)(kernel.calls.open - kernel_before.calls.open) / seconds);
    tell("start_opens", (double)kernel_at_start.calls.open);
    tell("start_closes", (double)kernel_at_start.calls.close);
    tell("start_maps", (double)kernel_at_start.calls.map);
    tell("start_controls", (double)kernel_at_start.calls.control);
    tell("start_ioctls", (double)kernel_at_start.calls.ioctl);
    tell("descriptors", (double)(kernel.calls.open - kernel.calls.close));
    sampler_stop(started);
    delta_free(delta);
    event_list_release(&list);
    free(all.cpus);
    return 0;
}

/* --- What the kernel of this machine takes --- */

enum { CALLS = 300 };

extern __typeof__(sys_open) __real_sys_open;
extern __typeof__(sys_enable) __real_sys_enable;
extern __typeof__(sys_set_period) __real_sys_set_period;
extern __typeof__(ring_open) __real_ring_open;
extern __typeof__(ring_close) __real_ring_close;
extern __typeof__(epoll_create1) __real_epoll_create1;
extern __typeof__(epoll_ctl) __real_epoll_ctl;

static void tell_calls(const char *name, uint64_t spent, size_t count)
{
    tell(name, (double)spent / (double)count);
}

/* A group of eight software events on another CPU, if there is one, as the engine has them. */
static int measure_calls(void)
{
    int fds[EVENTS], other = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, set = __real_epoll_create1(0);
    struct perf_event_attr attr = sys_record_attr(PERF_COUNT_SW_CONTEXT_SWITCHES, 32 << 10);
    struct perf_event_attr member = {.type = PERF_TYPE_SOFTWARE,
                                     .config = PERF_COUNT_SW_PAGE_FAULTS,
                                     .use_clockid = 1,
                                     .clockid = CLOCK_MONOTONIC};
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    struct ring ring;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(0, &here);
    sched_setaffinity(0, sizeof(here), &here);
    attr.sample_period = 1000000000;
    attr.sample_type = DECODE_SWITCH_FIELDS;
    attr.read_format = DECODE_READ_FORMAT;
    attr.disabled = 1;
    uint64_t opening = 0, mapping = 0, adding = 0, reading = 0, setting = 0, sleeping = 0;
    uint64_t looking = 0;
    for (int i = 0; i < CALLS; i++) {
        uint64_t begin = thread_time();
        for (int e = 0; e < EVENTS; e++)
            if ((fds[e] = __real_sys_open(e ? &member : &attr, false, -1, other, e ? fds[0] : -1)) <
                0)
                return 0;
        uint64_t opened = thread_time();
        if (__real_ring_open(&ring, fds[0], 128 << 10, NULL) < 0)
            return 0;
        uint64_t mapped = thread_time();
        __real_epoll_ctl(set, EPOLL_CTL_ADD, fds[0], &event);
        opening += opened - begin;
        mapping += mapped - opened;
        adding += thread_time() - mapped;
        if (i + 1 == CALLS)
            break; /* what follows is about this one */
        __real_ring_close(&ring);
        group_close(fds, EVENTS);
    }
    struct group_read *read = group_read_new(EVENTS);
    __real_sys_enable(fds[0]);
    for (int i = 0; i < CALLS; i++) {
        uint64_t begin = thread_time();
        group_counts(fds[0], EVENTS, read);
        uint64_t done = thread_time();
        __real_sys_set_period(fds[0], 1000000000 + (uint64_t)i);
        uint64_t set_to = thread_time();
        struct pollfd poll = {.fd = set, .events = POLLIN};
        __real_ppoll(&poll, 1, &(struct timespec){.tv_nsec = 100000}, NULL); /* and wakes up */
        uint64_t woken = thread_time();
        __real_ppoll(&poll, 1, &(struct timespec){0}, NULL);
        reading += done - begin;
        setting += set_to - done;
        sleeping += woken - set_to;
        looking += thread_time() - woken;
    }
    free(read);
    tell_calls("open", opening, (size_t)CALLS * EVENTS);
    tell_calls("map", mapping, CALLS);
    tell_calls("control", adding, CALLS);
    tell_calls("read", reading, CALLS);
    tell_calls("ioctl", setting, CALLS);
    tell_calls("sleep", sleeping, CALLS);
    tell_calls("look", looking, CALLS);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "calls") == 0)
        return measure_calls();
    if (argc != 6 && argc != 7) {
        fprintf(stderr, "usage: wide CPUS SWITCHES BUSY REFRESHES COUNTERS [TASKS] | wide calls\n");
        return 2;
    }
    cpu_count = strtoul(argv[1], NULL, 10);
    busy_count = strtoul(argv[3], NULL, 10);
    switch_every = 1e9 * (double)busy_count / strtod(argv[2], NULL);
    refreshes_wanted = strtoul(argv[4], NULL, 10);
    counters = strtoul(argv[5], NULL, 10);
    if (argc == 7)
        tasks = (pid_t)strtol(argv[6], NULL, 10);
    return measure();
}
