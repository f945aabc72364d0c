/* The program on a made-up kernel, whose CPUs do again what a file of tests/lib/recorder.c says:
 * its records are written to the program's rings when the made-up clock gets to them, with the
 * values of those events that the program asks for. Where it opens a group that was not recorded,
 * this machine cannot count it. The clock stands still while the program's other thread has
 * anything to do, and at the end of the recording; so each run gives the same numbers, on whatever
 * machine.
 *
 * Variables: RINGS, the file; RINGS_SIZE, bytes of a ring at most; RINGS_HELD=FROM,TO: between
 * these moments (ms after the beginning) the thread that reads the rings gets no CPU. */
#include "base/clock.h"
#include "base/mem.h"
#include "engine/group.h"
#include "engine/sys.h"
#include "lib/kernel.h"
#include "sample/sampler.h"
#include "wrap.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { STREAMS_MAX = 64 };

/* What was recorded of a group on a CPU. */
struct recorded_event {
    uint32_t type;
    uint64_t config;
    unsigned exclude;
};

/* A recorded ring: that of a CPU's tracker, with the first group's samples, or of another group. */
struct stream {
    int cpu,
        ring; /* the descriptor that it was mapped on; `leader` of the group that samples to it */
    int leader;
    uint64_t enabled; /* when the group was */
    struct recorded_event events[KERNEL_VALUES_MAX];
    size_t values;
    char *data;
    size_t size, at;
    uint64_t zero, time;            /* of the group's clock; of the next record */
    size_t bound;                   /* the leader that the program opened for it; 0: none */
    size_t from[KERNEL_VALUES_MAX]; /* its values in recorded ones */
    struct group_read *last;        /* as recorded */
};

static struct {
    uint64_t begin, end, ring_size, held_from, held_to;
    struct stream streams[STREAMS_MAX];
    size_t count;
    bool waking; /* there are wake-ups in it */
} tape;

static struct sampler *sampler;
static bool resting;         /* the first thread waits for something to do */
static __thread bool counts; /* this thread is the sampler's */

static _Noreturn void fail(const char *text)
{
    fprintf(stderr, "played: %s\n", text);
    _exit(3);
}

/* --- The file --- */

static struct stream *stream_of(int cpu, int ring)
{
    for (size_t s = 0; s < tape.count; s++)
        if (tape.streams[s].cpu == cpu && tape.streams[s].ring == ring)
            return &tape.streams[s];
    if (tape.count == STREAMS_MAX)
        fail("too many rings");
    tape.streams[tape.count] = (struct stream){.cpu = cpu, .ring = ring, .leader = -1};
    return &tape.streams[tape.count++];
}

struct opened {
    int fd, cpu, leader, output;
    unsigned exclude;
    struct recorded_event event;
    uint64_t fields, enabled, ring;
};

static bool read_opened(const char *line, struct opened *f)
{
    return sscanf(line,
                  "file %d cpu %d leader %d output %d type %" SCNu32 " config %" SCNu64
                  " exclude %u fields %" SCNu64 " enabled %" SCNu64 " ring %" SCNu64,
                  &f->fd, &f->cpu, &f->leader, &f->output, &f->event.type, &f->event.config,
                  &f->event.exclude, &f->fields, &f->enabled, &f->ring) == 10;
}

/* The members of groups stand in the order in which they were opened. */
static void add_groups(const struct opened *files, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        tape.waking |= files[t].fields == DECODE_WAKE_FIELDS;
        if (files[t].fields != DECODE_TICK_FIELDS)
            continue;
        struct stream *stream = stream_of(files[t].cpu, files[t].output);
        stream->leader = files[t].leader;
        for (size_t f = 0; f < count; f++) {
            if (files[f].leader != stream->leader || files[f].cpu != stream->cpu)
                continue;
            if (files[f].fd == stream->leader)
                stream->enabled = files[f].enabled;
            if (stream->enabled < tape.begin)
                tape.begin = stream->enabled;
            stream->events[stream->values++] = files[f].event;
        }
        stream->last = group_read_new(stream->values);
    }
}

static const struct perf_event_header *next_of(const struct stream *stream)
{
    return stream->at < stream->size ? (const void *)(stream->data + stream->at) : NULL;
}

/* Samples of switches do not have the time, but how long their group has been enabled. */
static void find_zero(struct stream *stream)
{
    const struct perf_event_header *header;
    struct record r;
    for (stream->at = 0; !stream->zero && (header = next_of(stream)); stream->at += header->size)
        if (decode_record(header, stream->values, &r) && r.kind == RECORD_SAMPLE && r.tick)
            stream->zero = r.time - r.read->enabled;
    stream->at = 0;
}

static void find_time(struct stream *stream)
{
    const struct perf_event_header *header = next_of(stream);
    struct record r;
    uint64_t before = stream->time;
    stream->time = UINT64_MAX;
    if (!header)
        return;
    bool good = decode_record(header, stream->values, &r);
    uint64_t time = !good                                ? 0
                    : r.kind == RECORD_SAMPLE && !r.time ? stream->zero + r.read->enabled
                                                         : r.time;
    stream->time = time > before ? time : before;
}

__attribute__((constructor)) static void load(void)
{
    char line[512];
    struct opened *files = NULL;
    size_t count = 0, room = 0;
    tape.begin = UINT64_MAX;
    const char *path = getenv("RINGS"), *size = getenv("RINGS_SIZE"), *held = getenv("RINGS_HELD");
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file)
        fail("RINGS names no file");
    while (fgets(line, sizeof(line), file) && *line != '\n') {
        struct opened opened;
        sscanf(line, "end %" SCNu64, &tape.end);
        if (!read_opened(line, &opened))
            continue;
        mem_grow(&files, &room, count + 1, sizeof(*files));
        files[count++] = opened;
    }
    add_groups(files, count);
    for (size_t f = 0; f < count; f++) {
        if (!files[f].ring)
            continue;
        struct stream *stream = stream_of(files[f].cpu, files[f].fd);
        stream->data = mem_array(files[f].ring, 1);
        stream->size = fread(stream->data, 1, files[f].ring, file);
        find_zero(stream);
        find_time(stream);
    }
    fclose(file);
    free(files);
    kernel.now = tape.begin;
    tape.ring_size = size ? strtoull(size, NULL, 10) : SIZE_MAX;
    if (held && sscanf(held, "%" SCNu64 ",%" SCNu64, &tape.held_from, &tape.held_to) == 2) {
        tape.held_from = tape.begin + tape.held_from * 1000000;
        tape.held_to = tape.begin + tape.held_to * 1000000;
    }
}

/* --- The machine --- */

static unsigned excluded(const struct perf_event_attr *attr)
{
    return (unsigned)(attr->exclude_user | attr->exclude_kernel << 1 | attr->exclude_hv << 2 |
                      attr->exclude_idle << 3);
}

/* The position of an event in a recorded group; SIZE_MAX: it has none. */
static size_t position_in(const struct stream *stream, const struct perf_event_attr *attr)
{
    for (size_t v = 0; v < stream->values; v++)
        if (stream->events[v].type == attr->type && stream->events[v].config == attr->config &&
            stream->events[v].exclude == excluded(attr))
            return v;
    return SIZE_MAX;
}

/* Whether that recorded group has all events of one that the program opens: up to `member`. */
static bool covers(const struct stream *stream, size_t leader, size_t member)
{
    bool all = stream->cpu == kernel.files[leader].cpu;
    for (size_t f = leader; all && f <= member; f++)
        all = kernel.files[f].leader != leader ||
              position_in(stream, &kernel.files[f].attr) != SIZE_MAX;
    return all;
}

bool machine_has(size_t leader, size_t member)
{
    const struct kernel_file *file = &kernel.files[member];
    bool has = file->cpu < 0 || (file->attr.type == PERF_TYPE_TRACEPOINT && tape.waking) ||
               (file->attr.type == PERF_TYPE_SOFTWARE && file->attr.config == PERF_COUNT_SW_DUMMY);
    for (size_t s = 0; s < tape.count && !has; s++)
        has = covers(&tape.streams[s], leader, member);
    errno = leader == member ? ENOENT : EINVAL;
    return has;
}

/* A filter of who follows one process: "pid==3||pid==4". */
static bool passes(const char *filter, pid_t woken)
{
    int pid = 0;
    for (const char *at = filter; at && sscanf(at, "pid==%d", &pid) == 1 && pid != woken;)
        at = strstr(at + 1, "pid==");
    return pid == woken;
}

/* Who follows a process gets all of its wake-ups at once, those of the past too: when they come
 * does not matter to them. */
static void write_wakeups(size_t file)
{
    const struct perf_event_header *header;
    struct record r;
    for (size_t s = 0; s < tape.count; s++) {
        struct stream all = tape.streams[s];
        for (all.at = 0; (header = next_of(&all)); all.at += header->size)
            if (all.cpu == kernel.files[file].cpu && decode_record(header, all.values, &r) &&
                r.kind == RECORD_WAKE && passes(kernel.files[file].filter, r.woken))
                kernel_write(file, header);
    }
}

void machine_enabled(size_t file)
{
    if (kernel.files[file].filter)
        write_wakeups(file);
    if (kernel.files[file].switches == SIZE_MAX)
        return;
    for (size_t s = 0; s < tape.count; s++) {
        struct stream *stream = &tape.streams[s];
        if (!covers(stream, file, kernel.file_count - 1) || stream->bound)
            continue;
        size_t v = 0;
        for (size_t f = file; f < kernel.file_count; f++)
            if (kernel.files[f].leader == file)
                stream->from[v++] = position_in(stream, &kernel.files[f].attr);
        stream->bound = file;
        if (stream->enabled > kernel.now)
            kernel.now = stream->enabled;
        return;
    }
    fail("no such group was recorded");
}

void machine_read(struct kernel_file *leader, struct group_read *read)
{
    for (size_t s = 0; s < tape.count; s++) {
        const struct stream *stream = &tape.streams[s];
        if (!stream->bound || &kernel.files[stream->bound] != leader)
            continue;
        read->enabled = stream->last->enabled;
        read->running = stream->last->running;
        for (size_t v = 0; v < leader->values; v++)
            read->value[v] = stream->last->value[stream->from[v]];
    }
}

size_t machine_ring_size(size_t bytes)
{
    return bytes < tape.ring_size ? bytes : tape.ring_size;
}

/* --- What happens on the CPUs --- */

/* A sample with the values that the program asked for. */
static void write_sample(struct stream *stream, const struct perf_event_header *header,
                         const struct record *r)
{
    struct {
        struct perf_event_header header;
        uint64_t words[128];
    } raw;
    const uint64_t *body = (const void *)(header + 1), *values = r->read->value;
    struct kernel_file *leader = &kernel.files[stream->bound];
    memcpy(stream->last, r->read, sizeof(*r->read) + stream->values * sizeof(*values));
    if (!stream->bound || (!r->tick && !kernel.files[leader->writer].attr.sample_period))
        return;
    size_t before = (size_t)(values - body), words = header->size / 8 - 1, n = before;
    memcpy(raw.words, body, before * sizeof(*body));
    for (size_t v = 0; v < leader->values; v++)
        raw.words[n++] = values[stream->from[v]];
    for (size_t w = before + stream->values; w < words; w++) /* what else the kernel left there */
        raw.words[n++] = body[w];
    raw.words[before - sizeof(*r->read) / 8] = leader->values;
    raw.header = *header;
    raw.header.size = (uint16_t)((n + 1) * 8);
    kernel_write(leader->writer, &raw.header);
}

/* For the engine, whose wake-ups go to another event's ring. */
static void write_wakeup(int cpu, const struct perf_event_header *header)
{
    for (size_t f = 1; f < kernel.file_count; f++)
        if (kernel.files[f].cpu == cpu && kernel.files[f].attr.type == PERF_TYPE_TRACEPOINT &&
            kernel.files[f].output != f)
            kernel_write(f, header);
}

static void play(struct stream *stream)
{
    const struct perf_event_header *header = next_of(stream);
    const struct kernel_cpu *cpu = kernel_cpu(stream->cpu);
    struct record r;
    bool good = decode_record(header, stream->values, &r);
    if (!good)
        fail("a record that nobody can read");
    if (r.kind == RECORD_SAMPLE)
        write_sample(stream, header, &r);
    else if (r.kind == RECORD_WAKE)
        write_wakeup(stream->cpu, header);
    else if (r.kind != RECORD_SWITCH_IN && r.kind != RECORD_SWITCH_OUT)
        kernel_write(cpu->switcher ? cpu->switcher : cpu->tracker, header);
    else if (cpu->switcher)
        kernel_write(cpu->switcher, header);
    stream->at += header->size;
    find_time(stream);
}

/* The ring whose next record is the earliest of all. */
static struct stream *first_stream(void)
{
    struct stream *first = &tape.streams[0];
    for (size_t s = 1; s < tape.count; s++)
        if (tape.streams[s].time < first->time)
            first = &tape.streams[s];
    return first;
}

/* Lets time pass, until somebody is to be woken, if `wakes`. */
static bool pass(uint64_t until, bool wakes)
{
    bool woken;
    struct stream *stream;
    kernel_lock();
    while (!(woken = wakes && kernel_woken()) && (stream = first_stream())->time <= until) {
        kernel.now = stream->time > kernel.now ? stream->time : kernel.now;
        play(stream);
    }
    if (!woken && until > kernel.now)
        kernel.now = until;
    kernel_unlock();
    return woken;
}

/* --- Calls that wait --- */

WRAP(int, epoll_wait, int set, struct epoll_event *events, int most, int timeout)
{
    (void)set, (void)events, (void)timeout;
    return kernel_take_wakings(most);
}

WRAP(int, nanosleep, const struct timespec *wait, struct timespec *rest)
{
    if (!counts)
        return __real_nanosleep(wait, rest);
    pass(kernel.now + (uint64_t)wait->tv_nsec + (uint64_t)wait->tv_sec * 1000000000u, false);
    return 0;
}

WRAP(int, ring_open_within, struct ring *ring, int fd, size_t most, struct err *err)
{
    return ring_open(ring, fd, most, err);
}

WRAP(struct sampler *, sampler_start, struct source *source, struct profiler *profiler,
     uint64_t delay, struct err *err)
{
    struct sampler *started = __real_sampler_start(source, profiler, delay, err);
    __atomic_store_n(&sampler, started, __ATOMIC_RELEASE);
    return started;
}

/* While the first thread waits without a limit, it has nothing to do. */
static bool rest(int timeout)
{
    bool rests = timeout < 0 && getpid() == gettid();
    if (rests)
        __atomic_store_n(&resting, true, __ATOMIC_RELEASE);
    return rests;
}

static int resume(bool rested, int result)
{
    if (rested)
        __atomic_store_n(&resting, false, __ATOMIC_RELEASE);
    return result;
}

WRAP(int, poll, struct pollfd *fds, nfds_t count, int timeout)
{
    bool rests = rest(timeout);
    return resume(rests, __real_poll(fds, count, timeout));
}

/* The same, as _FORTIFY_SOURCE calls it. */
WRAP(int, __poll_chk, struct pollfd *fds, nfds_t count, int timeout, size_t size)
{
    bool rests = rest(timeout);
    return resume(rests, __real___poll_chk(fds, count, timeout, size));
}

/* Whether the other thread has seen all that there is to see. */
static bool is_time_to_go_on(void)
{
    struct sampler *known = __atomic_load_n(&sampler, __ATOMIC_ACQUIRE);
    struct pollfd ready = {.fd = known ? sampler_fd(known) : -1, .events = POLLIN};
    return known && __atomic_load_n(&resting, __ATOMIC_ACQUIRE) && __real_poll(&ready, 1, 0) == 0 &&
           __atomic_load_n(&resting, __ATOMIC_ACQUIRE);
}

WRAP(int, ppoll, struct pollfd *fds, nfds_t count, const struct timespec *timeout,
     const sigset_t *signals)
{
    (void)signals;
    struct pollfd *source = NULL;
    uint64_t until =
        kernel.now + (uint64_t)timeout->tv_nsec + (uint64_t)timeout->tv_sec * 1000000000u;
    counts = true;
    for (nfds_t i = 0; i < count; i++) {
        fds[i].revents = 0;
        if (fds[i].fd == KERNEL_FD)
            source = &fds[i];
    }
    struct pollfd wake = {.fd = fds[0].fd, .events = POLLIN};
    bool over = until > tape.end;
    while (__real_poll(&wake, 1, 1) == 0) {
        if (over && is_time_to_go_on() && !isatty(STDIN_FILENO))
            fail("the recording is shorter than all refreshes");
        if (!over && is_time_to_go_on()) {
            bool held = kernel.now < tape.held_to && until >= tape.held_from;
            if (held)
                until = tape.held_to;
            if (pass(until, source && !held)) {
                kernel_take_wakings(1);
                source->revents = POLLIN;
            }
            return 1;
        }
    }
    fds[0].revents = POLLIN;
    return 1;
}
