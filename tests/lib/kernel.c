#include "lib/kernel.h"
#include "base/mem.h"
#include "engine/sys.h"
#include "unit/rawrecord.h"
#include "wrap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

struct kernel kernel = {.file_count = 1, .now = 1000000000000};

struct kernel_cpu *kernel_cpu(int number)
{
    mem_grow(&kernel.cpus, &kernel.cpu_room, (size_t)number + 1, sizeof(*kernel.cpus));
    return &kernel.cpus[number];
}

void kernel_lock(void)
{
    pthread_mutex_lock(&lock);
}

void kernel_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

/* kernel/events/ring_buffer.c, __perf_output_begin(): what does not fit is lost, and is reported
 * before the next record that fits; each `watermark` bytes wake who polls. */
static bool append(struct kernel_ring *ring, const struct perf_event_header *record)
{
    size_t size = record->size;
    uint64_t head = ring->page->data_head;
    uint64_t tail = __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);
    if (head + size - tail > ring->size - 1)
        return false;
    char *data = (char *)ring->page + ring->page->data_offset;
    size_t at = head & (ring->size - 1), first = ring->size - at < size ? ring->size - at : size;
    memcpy(data + at, record, first);
    memcpy(data, (const char *)record + first, size - first);
    __atomic_store_n(&ring->page->data_head, head + size, __ATOMIC_RELEASE);
    if (head + size - ring->wakeup > ring->watermark) {
        ring->wakeup += ring->watermark;
        ring->woken = true;
    }
    return true;
}

void kernel_write(size_t file, const struct perf_event_header *record)
{
    struct kernel_ring *ring = kernel.files[kernel.files[file].output].ring;
    struct raw loss;
    if (!ring)
        return;
    if (ring->lost) {
        raw_lost(&loss, ring->lost, kernel.now);
        if (append(ring, &loss.header))
            ring->lost = 0;
    }
    kernel.made++;
    if (ring->lost || !append(ring, record)) {
        ring->lost++;
        kernel.lost++;
    }
}

bool kernel_woken(void)
{
    bool woken = false;
    for (size_t f = 1; f < kernel.file_count && !woken; f++)
        woken = kernel.files[f].ring && kernel.files[f].ring->woken;
    return woken;
}

/* Who polls them is told once that a ring has something: what polls an epoll instance takes that
 * from one of its files (fs/eventpoll.c), and so does epoll_wait() from those that it tells of. */
int kernel_take_wakings(int most)
{
    int taken = 0;
    for (size_t f = 1; f < kernel.file_count && taken < most; f++)
        if (kernel.files[f].ring && kernel.files[f].ring->woken) {
            kernel.files[f].ring->woken = false;
            taken++;
        }
    return taken;
}

/* --- The calls that the engine makes --- */

WRAP(uint64_t, clock_monotonic, void)
{
    return __atomic_load_n(&kernel.now, __ATOMIC_ACQUIRE);
}

static int open_file(const struct perf_event_attr *attr, int cpu, int group)
{
    if (attr->cgroup) { /* it is older than Linux 5.7 */
        errno = EINVAL;
        return -1;
    }
    kernel.calls.open++;
    size_t number = kernel.file_count, leader = group < 0 ? number : (size_t)(group - KERNEL_FD);
    mem_grow(&kernel.files, &kernel.file_room, number + 1, sizeof(*kernel.files));
    kernel.files[number] = (struct kernel_file){.attr = *attr,
                                                .cpu = cpu,
                                                .leader = leader,
                                                .output = number,
                                                .switches = SIZE_MAX,
                                                .ticker = SIZE_MAX};
    struct kernel_file *first = &kernel.files[leader];
    if (first->values == KERNEL_VALUES_MAX) {
        errno = EINVAL;
        return -1;
    }
    if (!machine_has(leader, number))
        return -1;
    if (attr->sample_type == DECODE_SWITCH_FIELDS) {
        first->switches = first->values;
        first->writer = number;
    } else if (attr->sample_type == DECODE_TICK_FIELDS) {
        first->ticker = first->values;
        first->period = attr->sample_period;
    }
    first->values++;
    if (attr->context_switch)
        kernel_cpu(cpu)->switcher = number;
    else if (attr->task)
        kernel_cpu(cpu)->tracker = number;
    return KERNEL_FD + (int)kernel.file_count++;
}

WRAP(int, sys_open, struct perf_event_attr *attr, bool cgroup, pid_t pid, int cpu, int group)
{
    (void)cgroup, (void)pid;
    kernel_lock();
    int fd = open_file(attr, cpu, group);
    kernel_unlock();
    return fd;
}

WRAP(int, epoll_create1, int flags)
{
    (void)flags;
    return KERNEL_FD;
}

WRAP(int, epoll_ctl, int set, int operation, int fd, struct epoll_event *event)
{
    (void)set, (void)operation, (void)fd, (void)event;
    kernel.calls.control++;
    return 0;
}

WRAP(int, close, int fd)
{
    if (fd == KERNEL_FD)
        return 0;
    if (fd < KERNEL_FD)
        return __real_close(fd);
    kernel.calls.close++;
    size_t number = (size_t)(fd - KERNEL_FD), kept = 0;
    struct kernel_file *file = &kernel.files[number];
    struct kernel_cpu *cpu = file->cpu >= 0 ? kernel_cpu(file->cpu) : NULL;
    for (size_t g = 0; cpu && g < cpu->group_count; g++)
        if (cpu->groups[g] != number)
            cpu->groups[kept++] = cpu->groups[g];
    if (cpu)
        cpu->group_count = kept;
    if (cpu && cpu->switcher == number)
        cpu->switcher = 0;
    return 0;
}

WRAP(int, sys_enable, int fd)
{
    kernel.calls.ioctl++;
    size_t number = (size_t)(fd - KERNEL_FD);
    kernel_lock();
    const struct kernel_file *file = &kernel.files[number];
    if (file->switches != SIZE_MAX) {
        struct kernel_cpu *cpu = kernel_cpu(file->cpu);
        cpu->groups[cpu->group_count++] = number;
    }
    machine_enabled(number);
    kernel_unlock();
    return 0;
}

WRAP(int, sys_set_filter, int fd, const char *filter)
{
    kernel_lock();
    free(kernel.files[fd - KERNEL_FD].filter);
    kernel.files[fd - KERNEL_FD].filter = mem_strdup(filter);
    kernel_unlock();
    return 0;
}

WRAP(int, sys_disable, int fd)
{
    (void)fd;
    kernel.calls.ioctl++;
    return 0;
}

WRAP(int, sys_set_period, int fd, uint64_t period)
{
    kernel.calls.ioctl++;
    struct kernel_file *leader = &kernel.files[kernel.files[fd - KERNEL_FD].leader];
    leader->period = period;
    leader->next_tick = kernel.now + period;
    return 0;
}

WRAP(int, sys_set_output, int fd, int to)
{
    kernel.calls.ioctl++;
    kernel.files[fd - KERNEL_FD].output = (size_t)(to - KERNEL_FD);
    return 0;
}

WRAP(int, ring_open, struct ring *ring, int fd, size_t bytes, struct err *err)
{
    (void)err;
    kernel.calls.map++;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page;
    while (size * 2 <= machine_ring_size(bytes))
        size *= 2;
    void *map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct kernel_file *file = &kernel.files[fd - KERNEL_FD];
    file->ring = mem_alloc(sizeof(*file->ring));
    *file->ring =
        (struct kernel_ring){.page = map, .size = size, .watermark = file->attr.wakeup_watermark};
    file->ring->page->data_offset = page;
    *ring = (struct ring){.page = map, .data = (const char *)map + page, .size = size};
    kernel.ring_bytes += page + size;
    if (kernel.ring_bytes > kernel.ring_peak)
        kernel.ring_peak = kernel.ring_bytes;
    return 0;
}

WRAP(void, ring_close, struct ring *ring)
{
    for (size_t f = 1; ring->page && f < kernel.file_count; f++)
        if (kernel.files[f].ring && kernel.files[f].ring->page == ring->page) {
            free(kernel.files[f].ring);
            kernel.files[f].ring = NULL;
            kernel.ring_bytes -= ring->size + (size_t)sysconf(_SC_PAGESIZE);
        }
    __real_ring_close(ring);
}

/* Of a group, or of what tracks tasks: whether its CPU lives. */
WRAP(ssize_t, read, int fd, void *buffer, size_t size)
{
    if (fd < KERNEL_FD)
        return __real_read(fd, buffer, size);
    kernel.calls.read++;
    struct kernel_file *file = &kernel.files[fd - KERNEL_FD];
    struct group_read *read = buffer;
    if (file->attr.task) {
        uint64_t single[2] = {0, kernel.now};
        memcpy(buffer, single, sizeof(single));
        return sizeof(single);
    }
    *read = (struct group_read){.count = file->values, .enabled = 1, .running = 1};
    memset(read->value, 0, file->values * sizeof(*read->value));
    machine_read(file, read);
    return (ssize_t)size;
}
