/* The ledger engine on a machine with any number of CPUs: sampler, engine, ring, decoder, ledger
 * and snapshots are the program's own; the kernel below them is written here (the linker's --wrap,
 * see the Makefile). It hands out descriptors, fills rings with the records of made-up switches as
 * the kernel does, wakes who polls by the kernel's rule, and has a clock of its own, which goes on
 * only while the engine waits: what is measured is the engine's time, not that of these functions,
 * and no record is lost because this machine is slower than the one that is not there.
 *
 * wide CPUS SWITCHES BUSY REFRESHES COUNTERS: SWITCHES a second of the machine, on the first BUSY
 * of its CPUs, each between 4 tasks of its own and idle; COUNTERS: how many hardware events fit
 * into a group. Writes "name value" lines. wide calls: what system calls take on this machine, ns.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "engine/code_profiler.h"
#include "engine/cpu_engine.h"
#include "engine/cpu_events.h"
#include "engine/group.h"
#include "engine/proc_tasks.h"
#include "engine/ring.h"
#include "engine/sys.h"
#include "event/event.h"
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    FIRST_FD = 1 << 20, /* of the made-up kernel */
    EVENTS = 8,         /* that are asked for */
    VALUES_MAX = EVENTS + 2,
    GROUPS_MAX = 4, /* with samples, of a CPU */
    TASKS = 4,      /* of a CPU */
    STEP = 20000,   /* ns: how late who polls is woken at most */
    FIRST_TID = 1 << 23,
};

/* A ring, as its writer sees it. */
struct output {
    struct perf_event_mmap_page *page;
    uint64_t size, watermark, wakeup, lost;
    bool woken; /* who polls is told once */
};

struct event_file {
    struct perf_event_attr attr;
    int cpu;
    size_t leader; /* itself, if it is one */
    size_t output; /* the file whose ring it writes to */
    struct output *ring;
    /* Of a leader: */
    size_t values;
    uint64_t value[VALUES_MAX], started;
    size_t switches, ticker; /* positions; SIZE_MAX: none */
    uint64_t period, next_tick;
    size_t writer; /* the file of `switches`, whose ring has the samples */
};

struct machine_cpu {
    size_t groups[GROUPS_MAX], group_count; /* leaders that are enabled and sample */
    size_t tracker, switcher;               /* files; 0: none */
    uint64_t next_switch, switches;
    pid_t running;
    bool named;
};

static struct event_file *files; /* [0] stands for none */
static size_t file_count = 1, file_room;
static struct machine_cpu *cpus;
static size_t cpu_count, busy_count, counters;
static double switch_every; /* ns, on a busy CPU */
static uint64_t now = 1000000000000, random_state = 88172645463325252u;
static uint64_t made, lost, ring_bytes, ring_peak;
/* System calls that would be made. */
static struct {
    uint64_t open, close, map, ioctl, read, poll, polled, slept, control, wait;
} calls, calls_at_start, calls_before;

static struct sampler *sampler;
static struct delta *delta;
static size_t refreshes, refreshes_wanted, tasks_seen;
static uint64_t own, own_since, own_frames, made_before, frame_ended, counting_since;
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

/* --- Rings --- */

/* kernel/events/ring_buffer.c, __perf_output_begin(): what does not fit is lost, and is reported
 * before the next record that fits; each `watermark` bytes wake who polls. */
static bool append(struct output *ring, const void *bytes, size_t size)
{
    uint64_t head = ring->page->data_head;
    uint64_t tail = __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);
    if (head + size - tail > ring->size - 1)
        return false;
    char *data = (char *)ring->page + ring->page->data_offset;
    size_t at = head & (ring->size - 1), first = ring->size - at < size ? ring->size - at : size;
    memcpy(data + at, bytes, first);
    memcpy(data, (const char *)bytes + first, size - first);
    __atomic_store_n(&ring->page->data_head, head + size, __ATOMIC_RELEASE);
    if (head + size - ring->wakeup > ring->watermark) {
        ring->wakeup += ring->watermark;
        ring->woken = true;
    }
    return true;
}

static void write_record(size_t file, const struct raw *raw)
{
    struct output *ring = files[files[file].output].ring;
    if (!ring)
        return;
    if (ring->lost) {
        struct raw loss;
        raw_lost(&loss, ring->lost, now);
        if (!append(ring, &loss.header, loss.header.size)) {
            ring->lost++;
            lost++;
            return;
        }
        ring->lost = 0;
    }
    made++;
    if (!append(ring, &raw->header, raw->header.size)) {
        ring->lost++;
        lost++;
    }
}

/* --- What happens on the CPUs --- */

static pid_t process_of(pid_t tid)
{
    return tid ? tid - tid % TASKS : 0;
}

static void bring_up_to_date(struct event_file *leader, uint64_t time)
{
    uint64_t span = time - leader->started - leader->value[leader->ticker];
    for (size_t v = 0; v < leader->values; v++)
        if (v != leader->switches)
            leader->value[v] += v == leader->ticker ? span : span / (v + 1);
}

static void write_sample(size_t group, pid_t tid, uint64_t time, bool tick)
{
    struct event_file *leader = &files[group];
    struct raw raw;
    bring_up_to_date(leader, time);
    uint64_t enabled = time - leader->started;
    raw_sample(&raw, process_of(tid), tid, tick ? time : 0, tick ? leader->period : 0, enabled,
               enabled, leader->values, leader->value);
    write_record(leader->writer, &raw);
}

static void write_switch(struct machine_cpu *cpu, bool out, pid_t tid, pid_t other, uint64_t time)
{
    struct raw raw;
    if (!cpu->switcher)
        return;
    raw_switch(&raw, out, process_of(tid), tid, process_of(other), other, time);
    write_record(cpu->switcher, &raw);
}

static void make_switch(struct machine_cpu *cpu, size_t number)
{
    pid_t next = cpu->running ? 0 : (pid_t)(FIRST_TID + number * TASKS + cpu->switches / 2 % TASKS);
    uint64_t time = cpu->next_switch;
    for (size_t g = 0; g < cpu->group_count; g++) {
        files[cpu->groups[g]].value[files[cpu->groups[g]].switches]++;
        write_sample(cpu->groups[g], cpu->running, time, false);
    }
    write_switch(cpu, true, cpu->running, next, time);
    write_switch(cpu, false, next, cpu->running, time);
    cpu->running = next;
    cpu->switches++;
    uint64_t mean = (uint64_t)switch_every;
    cpu->next_switch += mean / 2 + any_number() % (mean + 1);
}

static void name_tasks(struct machine_cpu *cpu, size_t number, uint64_t time)
{
    struct raw raw;
    for (size_t t = 0; t < TASKS; t++) {
        pid_t tid = (pid_t)(FIRST_TID + number * TASKS + t);
        raw_comm(&raw, process_of(tid), tid, "task", 16, false, time);
        write_record(cpu->tracker, &raw);
    }
    cpu->named = true;
}

static bool run_cpu(size_t number, uint64_t until)
{
    struct machine_cpu *cpu = &cpus[number];
    if (!cpu->group_count)
        return false;
    if (!cpu->named)
        name_tasks(cpu, number, now);
    for (;;) {
        uint64_t next = number < busy_count ? cpu->next_switch : UINT64_MAX;
        size_t ticks = GROUPS_MAX;
        for (size_t g = 0; g < cpu->group_count; g++)
            if (files[cpu->groups[g]].next_tick < next) {
                next = files[cpu->groups[g]].next_tick;
                ticks = g;
            }
        if (next > until)
            break;
        if (ticks == GROUPS_MAX) {
            make_switch(cpu, number);
            continue;
        }
        struct event_file *leader = &files[cpu->groups[ticks]];
        write_sample(cpu->groups[ticks], cpu->running, next, true);
        leader->next_tick += leader->period;
    }
    bool woken = files[cpu->tracker].ring->woken;
    for (size_t g = 1; g < cpu->group_count; g++)
        woken |= files[files[files[cpu->groups[g]].writer].output].ring->woken;
    return woken;
}

static bool is_any_woken(void)
{
    bool woken = false;
    for (size_t f = 1; f < file_count && !woken; f++)
        woken = files[f].ring && files[f].ring->woken;
    return woken;
}

/* Lets time pass, until somebody is to be woken, if `wakes`. */
static bool pass(uint64_t until, bool wakes)
{
    bool woken = wakes && is_any_woken();
    while (now < until && !woken) {
        uint64_t end = until - now > STEP ? now + STEP : until;
        for (size_t c = 0; c < cpu_count; c++)
            woken |= run_cpu(c, end) && wakes;
        now = end;
    }
    return woken;
}

/* --- The calls that the engine makes --- */

WRAP(uint64_t, clock_monotonic, void)
{
    return now;
}

WRAP(int, sys_open, struct perf_event_attr *attr, bool cgroup, pid_t pid, int cpu, int group)
{
    (void)cgroup, (void)pid;
    calls.open++;
    size_t leader = group < 0 ? file_count : (size_t)(group - FIRST_FD);
    mem_grow(&files, &file_room, file_count + 1, sizeof(*files));
    struct event_file *file = &files[file_count];
    *file = (struct event_file){.attr = *attr,
                                .cpu = cpu,
                                .leader = leader,
                                .output = file_count,
                                .switches = SIZE_MAX,
                                .ticker = SIZE_MAX};
    struct event_file *first = &files[leader];
    size_t hardware = 0;
    for (size_t f = leader; f <= file_count; f++)
        hardware += files[f].leader == leader && files[f].attr.type == PERF_TYPE_HARDWARE;
    if (hardware > counters || first->values == VALUES_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (attr->sample_type == DECODE_SWITCH_FIELDS) {
        first->switches = first->values;
        first->writer = file_count;
    } else if (attr->sample_type == DECODE_TICK_FIELDS) {
        first->ticker = first->values;
        first->period = attr->sample_period;
    }
    first->values++;
    if (attr->context_switch)
        cpus[cpu].switcher = file_count;
    else if (attr->task)
        cpus[cpu].tracker = file_count;
    return FIRST_FD + (int)file_count++;
}

/* Who polls them is told once that a ring has something: what polls an epoll instance takes that
 * from one of its files (fs/eventpoll.c), and so does epoll_wait() from those that it tells of. */
static int take_wakings(int most)
{
    int taken = 0;
    for (size_t f = 1; f < file_count && taken < most; f++)
        if (files[f].ring && files[f].ring->woken) {
            files[f].ring->woken = false;
            taken++;
        }
    return taken;
}

WRAP(int, epoll_create1, int flags)
{
    (void)flags;
    return FIRST_FD;
}

WRAP(int, epoll_ctl, int set, int operation, int fd, struct epoll_event *event)
{
    (void)set, (void)operation, (void)fd, (void)event;
    calls.control++;
    return 0;
}

WRAP(int, epoll_wait, int set, struct epoll_event *events, int most, int timeout)
{
    (void)set, (void)events, (void)timeout;
    uint64_t begin = thread_time();
    int taken = take_wakings(most);
    own_since += thread_time() - begin;
    calls.wait++;
    return taken;
}

WRAP(int, close, int fd)
{
    if (fd == FIRST_FD)
        return 0;
    if (fd < FIRST_FD)
        return __real_close(fd);
    calls.close++;
    struct event_file *file = &files[fd - FIRST_FD];
    struct machine_cpu *cpu = file->cpu >= 0 ? &cpus[file->cpu] : NULL;
    size_t kept = 0;
    for (size_t g = 0; cpu && g < cpu->group_count; g++)
        if (cpu->groups[g] != (size_t)(fd - FIRST_FD))
            cpu->groups[kept++] = cpu->groups[g];
    if (cpu)
        cpu->group_count = kept;
    if (cpu && cpu->switcher == (size_t)(fd - FIRST_FD))
        cpu->switcher = 0;
    return 0;
}

WRAP(int, sys_enable, int fd)
{
    calls.ioctl++;
    size_t number = (size_t)(fd - FIRST_FD);
    struct event_file *leader = &files[number];
    if (leader->switches == SIZE_MAX)
        return 0;
    struct machine_cpu *cpu = &cpus[leader->cpu];
    leader->started = now;
    leader->next_tick = now + leader->period;
    cpu->groups[cpu->group_count++] = number;
    if (cpu->next_switch < now)
        cpu->next_switch = now + any_number() % ((uint64_t)switch_every + 1);
    return 0;
}

WRAP(int, sys_disable, int fd)
{
    (void)fd;
    calls.ioctl++;
    return 0;
}

WRAP(int, sys_set_period, int fd, uint64_t period)
{
    calls.ioctl++;
    struct event_file *leader = &files[files[fd - FIRST_FD].leader];
    leader->period = period;
    leader->next_tick = now + period;
    return 0;
}

WRAP(int, sys_set_output, int fd, int to)
{
    calls.ioctl++;
    files[fd - FIRST_FD].output = (size_t)(to - FIRST_FD);
    return 0;
}

WRAP(int, ring_open, struct ring *ring, int fd, size_t bytes, struct err *err)
{
    (void)err;
    calls.map++;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page;
    while (size * 2 <= bytes)
        size *= 2;
    void *map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct event_file *file = &files[fd - FIRST_FD];
    file->ring = mem_alloc(sizeof(*file->ring));
    *file->ring =
        (struct output){.page = map, .size = size, .watermark = file->attr.wakeup_watermark};
    file->ring->page->data_offset = page;
    *ring = (struct ring){.page = map, .data = (const char *)map + page, .size = size};
    ring_bytes += page + size;
    ring_peak = ring_bytes > ring_peak ? ring_bytes : ring_peak;
    return 0;
}

WRAP(void, ring_close, struct ring *ring)
{
    for (size_t f = 1; ring->page && f < file_count; f++)
        if (files[f].ring && files[f].ring->page == ring->page) {
            free(files[f].ring);
            files[f].ring = NULL;
            ring_bytes -= ring->size + (size_t)sysconf(_SC_PAGESIZE);
        }
    __real_ring_close(ring);
}

/* Of a group, or of what tracks tasks: whether its CPU lives. */
WRAP(ssize_t, read, int fd, void *buffer, size_t size)
{
    if (fd < FIRST_FD)
        return __real_read(fd, buffer, size);
    calls.read++;
    struct event_file *file = &files[fd - FIRST_FD];
    struct group_read *read = buffer;
    if (file->attr.task) {
        uint64_t single[2] = {0, now};
        memcpy(buffer, single, sizeof(single));
        return sizeof(single);
    }
    *read = (struct group_read){.count = file->values, .enabled = 1, .running = 1};
    if (file->ticker != SIZE_MAX) {
        bring_up_to_date(file, now);
        read->enabled = read->running = now - file->started;
    }
    memcpy(read->value, file->value, file->values * sizeof(*read->value));
    return (ssize_t)size;
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
    pass(now + (uint64_t)wait->tv_nsec + (uint64_t)wait->tv_sec * 1000000000u, false);
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
        made_before = made;
        calls_before = calls;
        counting_since = now;
    } else {
        own_frames += thread_time() - begin;
    }
    frame_ended = now;
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
        wakes |= fds[i].fd == FIRST_FD;
    }
    struct snapshot *snapshot = known ? sampler_take(known) : NULL;
    if (snapshot)
        take_snapshot(snapshot);
    bool over = refreshes > refreshes_wanted + 1;
    struct pollfd wake = {.fd = fds[0].fd, .events = POLLIN};
    uint64_t before = now;
    if (poll(&wake, 1, over ? -1 : !known ? 1 : 0) > 0) {
        fds[0].revents = POLLIN;
    } else if (known &&
               pass(now + (uint64_t)timeout->tv_nsec + (uint64_t)timeout->tv_sec * 1000000000u,
                    wakes)) {
        take_wakings(1);
        fds[1].revents = POLLIN;
    }
    calls.slept += now > before;
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
    calls_at_start = calls;
    delta = delta_new();
    struct sampler *started =
        sampler_start(source, code_profiler_new(&caps, &all, true), 1000000000, true, &err);
    if (!started || pipe(finished) < 0)
        return 1;
    __atomic_store_n(&sampler, started, __ATOMIC_RELEASE);
    if (read(finished[0], &(char){0}, 1) != 1)
        return 1;
    double seconds = (double)(frame_ended - counting_since) / 1e9, count = (double)refreshes_wanted;
    tell("records", (double)(made - made_before) / seconds);
    tell("ns", (double)own / (double)(made - made_before));
    tell("cpu_percent", (double)own / 1e7 / seconds);
    tell("frame_ms", (double)own_frames / 1e6 / count);
    tell("tasks", (double)tasks_seen);
    tell("lost", (double)lost);
    tell("rings_mib", (double)ring_peak / (1 << 20));
    tell("memory_mib", (double)(memory_peak - memory_at_start) / (1 << 20));
    tell("polls", (double)(calls.poll - calls_before.poll) / seconds);
    tell("polled", (double)(calls.polled - calls_before.polled) / seconds);
    tell("sleeps", (double)(calls.slept - calls_before.slept) / seconds);
    tell("waits", (double)(calls.wait - calls_before.wait) / seconds);
    tell("reads", (double)(calls.read - calls_before.read) / seconds);
    tell("ioctls", (double)(calls.ioctl - calls_before.ioctl) / seconds);
    tell("opens", (double)(calls.open - calls_before.open) / seconds);
    tell("start_opens", (double)calls_at_start.open);
    tell("start_closes", (double)calls_at_start.close);
    tell("start_maps", (double)calls_at_start.map);
    tell("start_controls", (double)calls_at_start.control);
    tell("start_ioctls", (double)calls_at_start.ioctl);
    tell("descriptors", (double)(calls.open - calls.close));
    sampler_stop(started);
    delta_free(delta);
    event_list_release(&list);
    free(all.cpus);
    return 0;
}

/* --- What the kernel of this machine takes --- */

enum { CALLS = 300 };

static void tell_calls(const char *name, uint64_t spent, size_t count)
{
    tell(name, (double)spent / (double)count);
}

/* A group of eight software events on another CPU, if there is one, as the engine has them. */
static int measure_calls(void)
{
    int fds[EVENTS], other = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1, set = __real_epoll_create1(0);
    struct perf_event_attr attr = cpu_events_attr(PERF_COUNT_SW_CONTEXT_SWITCHES, 32 << 10);
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
    if (argc != 6) {
        fprintf(stderr, "usage: wide CPUS SWITCHES BUSY REFRESHES COUNTERS | wide calls\n");
        return 2;
    }
    cpu_count = strtoul(argv[1], NULL, 10);
    busy_count = strtoul(argv[3], NULL, 10);
    switch_every = 1e9 * (double)busy_count / strtod(argv[2], NULL);
    refreshes_wanted = strtoul(argv[4], NULL, 10);
    counters = strtoul(argv[5], NULL, 10);
    return measure();
}
