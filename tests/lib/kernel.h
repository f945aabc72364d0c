/* A made-up kernel below the engine of all CPUs, for the linker's --wrap (see the Makefile): it
 * hands out descriptors, fills rings as the kernel does, wakes who polls by the kernel's rule, and
 * has a clock of its own. What happens on its CPUs is up to a machine: the functions at the end. */
#pragma once

#include "engine/decode.h"
#include "engine/ring.h"

enum {
    KERNEL_FD = 1 << 20, /* the first descriptor, which is that of epoll_create1() */
    KERNEL_VALUES_MAX = 16,
    KERNEL_GROUPS_MAX = 4, /* with samples, of a CPU */
};

/* A ring, as its writer sees it. */
struct kernel_ring {
    struct perf_event_mmap_page *page;
    uint64_t size, watermark, wakeup, lost;
    bool woken; /* who polls is told once */
};

struct kernel_file {
    struct perf_event_attr attr;
    int cpu;
    size_t leader; /* itself, if it is one */
    size_t output; /* the file whose ring it writes to */
    struct kernel_ring *ring;
    char *filter;
    /* Of a leader: */
    size_t values;
    uint64_t value[KERNEL_VALUES_MAX], started;
    size_t switches, ticker; /* positions; SIZE_MAX: none */
    uint64_t period, next_tick;
    size_t writer; /* the file of `switches`, whose ring has the samples */
};

struct kernel_cpu {
    size_t groups[KERNEL_GROUPS_MAX], group_count; /* leaders that are enabled and sample */
    size_t tracker, switcher;                      /* files; 0: none */
};

struct kernel {
    struct kernel_file *files; /* [0] stands for none */
    size_t file_count, file_room;
    struct kernel_cpu *cpus;
    size_t cpu_room;
    uint64_t now;
    uint64_t made, lost; /* records */
    uint64_t ring_bytes, ring_peak;
    struct {
        uint64_t open, close, map, ioctl, read, control;
    } calls; /* system calls that would be made */
};

extern struct kernel kernel;

struct kernel_cpu *kernel_cpu(int number);

/* While one thread opens events, another one must not fill rings. */
void kernel_lock(void);
void kernel_unlock(void);

/* Writes a record to the ring of that file. What does not fit is lost, and told before the next
 * record that fits. */
void kernel_write(size_t file, const struct perf_event_header *record);

bool kernel_woken(void); /* whether a ring has something to tell */
/* Tells that of at most so many rings; returns their number. */
int kernel_take_wakings(int most);

/* The machine. Whether it can count a group as far as it is open, with its new member; else errno.
 */
bool machine_has(size_t leader, size_t member);
void machine_enabled(size_t file); /* an event, or a group by its leader, counts from now on */
/* The present counts and times of a group. */
void machine_read(struct kernel_file *leader, struct group_read *read);
size_t machine_ring_size(size_t bytes); /* of a ring for which the program asks for that much */
