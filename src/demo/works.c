#include "demo/works.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "demo/loops.h"
#include "demo/worker.h"
#include "event/elf.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void work_loop(struct work *work, uint64_t turns)
{
    static const uint32_t numbers[LOOPS_NUMBERS] __attribute__((aligned(64))) = {1};
    uint64_t place[8] __attribute__((aligned(64)));
    switch (work->workload->parameter) {
    case WORK_COUNT:
        loops_count(turns);
        break;
    case WORK_ADD:
        loops_add(turns);
        break;
    case WORK_NOP:
        loops_nop(turns);
        break;
    case WORK_MUL:
        loops_mul(turns);
        break;
    case WORK_DIV:
        loops_div(turns);
        break;
    case WORK_SCALAR:
    case WORK_VECTOR:
        loops_sum(numbers, work->workload->parameter == WORK_VECTOR, turns);
        break;
    case WORK_CODE:
        loops_code(work->value, turns);
        break;
    default:
        loops_forward(place, work->workload->parameter == WORK_FORWARD_SPLIT, turns);
    }
}

void work_phases(struct work *work, uint64_t turns)
{
    enum { PIECE = 1 << 14 }; /* turns between two looks at the clock: some ten microseconds */
    uint64_t phase = work->value * UINT64_C(1000000);
    char bytes[4096];
    while (phase && turns > 0) {
        uint64_t piece = turns < PIECE ? turns : PIECE;
        if (clock_monotonic() / phase % 2) {
            if (getrandom(bytes, sizeof(bytes), GRND_NONBLOCK) < 0)
                sched_yield(); /* whatever the kernel does */
            continue;
        }
        loops_count(piece);
        turns -= piece;
    }
    if (turns > 0)
        loops_count(turns);
}

char *work_needs_assembler(const struct workload *workload)
{
    (void)workload;
    return loops_exact ? NULL
                       : mem_strdup("its loop is not in assembler for this processor, so the "
                                    "number of instructions is not known");
}

/* A pseudo-random number, the same sequence each time: xorshift64 (Marsaglia, 2003). */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static const uint64_t SEED = 88172645463325252;

/* Instead of what it had. Huge pages: from the start of one, as far as the kernel has them. */
static void get_memory(struct work *work, size_t size, bool huge)
{
    size_t page = work->page, around = huge ? page * (page / sizeof(void *)) : page;
    size_t whole = (size + page - 1) / page * page;
    if (work->memory)
        munmap(work->memory, work->size);
    char *room =
        mmap(NULL, whole + around, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        _exit(EXIT_FAILURE);
    size_t before = (around - (uintptr_t)room % around) % around;
    if (before)
        munmap(room, before);
    munmap(room + before + whole, around - before);
    work->size = size;
    work->memory = room + before;
    madvise(work->memory, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

/* ---- branches ---- */

void work_prepare_branches(struct work *work)
{
    enum { PERCENT = 100 };
    uint64_t state = SEED;
    get_memory(work, WORK_BRANCH_BYTES, false);
    uint8_t *bytes = work->memory;
    for (size_t i = 0; i < work->size; i++) {
        uint64_t random = next_random(&state) >> 16;
        bytes[i] = random % PERCENT < work->value ? random >> 32 & 1 : 0;
    }
}

void work_branches(struct work *work, uint64_t turns)
{
    loops_branch(work->memory, work->size, turns);
}

/* ---- chains of pointers ---- */

enum { LINE = 64 }; /* bytes of a cache line, nearly everywhere */

size_t work_cache(size_t level)
{
    enum { INDICES = 8 };
    char path[96], text[32];
    for (int i = 0; i < INDICES; i++) {
        static const char folder[] = "/sys/devices/system/cpu/cpu0/cache/index";
        snprintf(path, sizeof(path), "%s%d/level", folder, i);
        if (file_line(path, text, sizeof(text)) < 0 || strtoul(text, NULL, 10) != level)
            continue;
        snprintf(path, sizeof(path), "%s%d/type", folder, i);
        if (file_line(path, text, sizeof(text)) < 0 || strcmp(text, "Instruction") == 0)
            continue;
        snprintf(path, sizeof(path), "%s%d/size", folder, i);
        if (file_line(path, text, sizeof(text)) == 0)
            return strtoul(text, NULL, 10) * 1024; /* the kernel writes KiB: "48K" */
    }
    return 0;
}

/* The bytes of the last level. */
static size_t last_cache(void)
{
    size_t level = 3;
    while (level > 1 && !work_cache(level))
        level--;
    return work_cache(level);
}

size_t work_chase_size(const struct workload *workload)
{
    enum { TIMES = 2 };
    size_t level = workload->parameter;
    return level == WORK_MEMORY ? last_cache() * TIMES : work_cache(level) / 2;
}

static char *needs_memory(size_t size)
{
    enum { MIB = 1 << 20 };
    unsigned long long free_kib = 0;
    char text[1024];
    const char *found;
    if (file_read("/proc/meminfo", text, sizeof(text)) > 0 &&
        (found = strstr(text, "MemAvailable:")))
        free_kib = strtoull(found + strlen("MemAvailable:"), NULL, 10);
    if (size > WORK_CHASE_MAX || (free_kib && size / 1024 > free_kib / 2))
        return mem_printf("it needs %zu MiB of memory: more than %s", size / MIB,
                          size > WORK_CHASE_MAX ? "it may take" : "half of what is free");
    return NULL;
}

char *work_needs_caches(const struct workload *workload)
{
    size_t size = work_chase_size(workload);
    return size ? needs_memory(size)
                : mem_strdup("the sizes of the caches are not known (no "
                             "/sys/devices/system/cpu/cpu0/cache with that level)");
}

/* Makes one chain through all places, `apart` bytes between two, in random order: a shuffle into a
 * single cycle (Sattolo, 1986). */
static void make_chain(struct work *work, size_t apart)
{
    size_t count = work->size / apart;
    uint64_t state = SEED;
    char *memory = work->memory;
    uint32_t *next = mem_array(count, sizeof(*next));
    for (size_t i = 0; i < count; i++)
        next[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = next_random(&state) % i;
        uint32_t swap = next[i];
        next[i] = next[other];
        next[other] = swap;
    }
    for (size_t i = 0; i < count; i++)
        *(void **)(memory + i * apart) = memory + next[i] * apart;
    free(next);
    work->at = memory;
}

void work_prepare_chase(struct work *work)
{
    get_memory(work, work->value / LINE * LINE, true);
    make_chain(work, LINE);
}

/* A line further in each page: at the same place in all, pages would share few sets of a cache. */
void work_prepare_pages(struct work *work)
{
    get_memory(work, work->value * (work->page + LINE), work->workload->parameter);
    make_chain(work, work->page + LINE);
}

void work_chase(struct work *work, uint64_t turns)
{
    work->at = loops_chase(work->at, turns);
}

/* ---- a store and a load that are taken for the same ---- */

/* Which pages are taken for the first one is the processor's: on Intel's all (12 bits of addresses
 * are compared first), on AMD's some (a hash of more bits). So the slowest one is searched for. */
void work_prepare_alias(struct work *work)
{
    enum { PAGES = 64, REPEATS = 5, TURNS = 2000 };
    uint64_t most = 0;
    get_memory(work, (PAGES + 1) * work->page, false);
    memset(work->memory, 0, work->size); /* else pages that are only read share one of zeros */
    work->at = (char *)work->memory + work->page;
    for (size_t apart = work->page; apart < PAGES * work->page; apart += work->page) {
        uint64_t least = UINT64_MAX;
        for (int i = 0; i < REPEATS; i++) {
            uint64_t began = clock_monotonic();
            loops_alias(work->memory, apart, TURNS);
            uint64_t took = clock_monotonic() - began;
            least = took < least ? took : least;
        }
        if (least > most)
            work->at = (char *)work->memory + apart;
        most = least > most ? least : most;
    }
}

void work_alias(struct work *work, uint64_t turns)
{
    size_t apart = (size_t)((char *)work->at - (char *)work->memory);
    loops_alias(work->memory, apart + work->value, turns);
}

/* ---- arrays ---- */

size_t work_stream_size(const struct workload *workload)
{
    enum { LEAST = 4 << 20 };
    size_t size = LEAST, cache = last_cache();
    (void)workload;
    while (size < cache && size < WORK_STREAM_MAX)
        size *= 2;
    return size;
}

char *work_needs_stream(const struct workload *workload)
{
    char *reason = work_needs_assembler(workload);
    return reason ? reason : needs_memory(work_stream_size(workload) * WORK_ARRAYS);
}

void work_prepare_stream(struct work *work)
{
    get_memory(work, work->value * WORK_ARRAYS, true);
    memset(work->memory, 1, work->size); /* pages that are only read would share one of zeros */
    work->at = work->memory;
}

void work_stream(struct work *work, uint64_t turns)
{
    char *memory = work->memory;
    struct loops_arrays arrays = {.sums = work->memory,
                                  .first = (uint64_t *)(memory + work->value),
                                  .second = (uint64_t *)(memory + 2 * work->value),
                                  .size = work->value};
    work->at = memory + loops_stream(&arrays, (size_t)((char *)work->at - memory), turns);
}

/* ---- sharing ---- */

static uint64_t *shared_number(const struct work *work, int self)
{
    return (uint64_t *)((char *)work->memory + (size_t)self * work->value);
}

static void *share_second(void *argument)
{
    struct work *work = argument;
    char byte;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(work->cpus[1], &set);
    sched_setaffinity(0, sizeof(set), &set);
    work->tids[1] = gettid();
    if (write(work->pipes[1][1], "", 1) != 1)
        _exit(EXIT_FAILURE);
    while (read(work->pipes[0][0], &byte, 1) == 1) {
        loops_share(shared_number(work, 1), work->turns);
        if (write(work->pipes[1][1], "", 1) != 1)
            _exit(EXIT_FAILURE);
    }
    return NULL;
}

void work_prepare_sharing(struct work *work)
{
    char byte;
    if (work->tids[1])
        return; /* there already */
    get_memory(work, work->page, false);
    if (pipe(work->pipes[0]) < 0 || pipe(work->pipes[1]) < 0 ||
        pthread_create(&work->partner, NULL, share_second, work) != 0 ||
        read(work->pipes[1][0], &byte, 1) != 1)
        _exit(EXIT_FAILURE);
}

void work_share(struct work *work, uint64_t turns)
{
    char byte;
    work->turns = turns;
    if (write(work->pipes[0][1], "", 1) != 1)
        _exit(EXIT_FAILURE);
    loops_share(shared_number(work, 0), turns);
    if (read(work->pipes[1][0], &byte, 1) != 1)
        _exit(EXIT_FAILURE);
}

static void work_must(bool succeeded)
{
    if (!succeeded)
        _exit(EXIT_FAILURE); /* the parent says that the workload has ended */
}

/* ---- page faults ---- */

static void *new_pages(const struct work *work, uint64_t count, bool huge)
{
    void *pages =
        mmap(NULL, count * work->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    work_must(pages != MAP_FAILED);
    /* A huge page would satisfy many touches with one fault. Kernels without huge pages refuse the
     * advice. */
    madvise(pages, count * work->page, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return pages;
}

void work_faults(struct work *work, uint64_t turns)
{
    bool huge = work->workload->parameter;
    /* Pages in a huge one: as many as a page of page tables has pointers. Whole ones are touched,
     * else each end would have small pages. */
    uint64_t around = huge ? work->page / sizeof(void *) : 0;
    char *pages = new_pages(work, turns + around, huge);
    size_t size = around * work->page;
    char *first = huge ? pages + (size - (uintptr_t)pages % size) % size : pages;
    loops_touch(first, work->page, turns);
    munmap(pages, (turns + around) * work->page);
}

char *work_needs_huge_pages(const struct workload *workload)
{
    char text[128];
    (void)workload;
    const char *path = "/sys/kernel/mm/transparent_hugepage/enabled";
    if (file_line(path, text, sizeof(text)) < 0)
        return mem_strdup("this kernel has no transparent huge pages");
    return strstr(text, "[never]")
               ? mem_strdup("transparent huge pages are off: as root, run 'echo madvise > "
                            "/sys/kernel/mm/transparent_hugepage/enabled'")
               : NULL;
}

/* ---- two threads on one CPU ---- */

static void play_turn(const struct work *work, int self)
{
    static const size_t counts[] = {WORK_PAGES_FIRST, WORK_PAGES_SECOND};
    char *pages = work->memory;
    size_t first = self ? work->turns * WORK_PAGES_FIRST : 0;
    if (pages)
        loops_touch(pages + (first + work->turn * counts[self]) * work->page, work->page,
                    counts[self]);
}

/* Waits for a byte in each turn and in no other place: each wait is a context switch. */
static void *play_second(void *argument)
{
    struct work *work = argument;
    char byte = 0;
    work->tids[1] = (pid_t)syscall(SYS_gettid);
    do
        work_must(write(work->pipes[1][1], &byte, 1) == 1);
    while (read(work->pipes[0][0], &byte, 1) == 1 && (play_turn(work, 1), true));
    return NULL;
}

void work_prepare_pingpong(struct work *work)
{
    char byte;
    work_must(pipe(work->pipes[0]) == 0 && pipe(work->pipes[1]) == 0 &&
              pthread_create(&work->partner, NULL, play_second, work) == 0);
    work_must(read(work->pipes[1][0], &byte, 1) == 1);
}

void work_pingpong(struct work *work, uint64_t turns)
{
    uint64_t count = turns * (WORK_PAGES_FIRST + WORK_PAGES_SECOND);
    char byte = 0;
    work->memory = work->workload->parameter ? new_pages(work, count, false) : NULL;
    work->turns = turns;
    for (work->turn = 0; work->turn < turns; work->turn++) {
        play_turn(work, 0);
        work_must(write(work->pipes[0][1], &byte, 1) == 1);
        work_must(read(work->pipes[1][0], &byte, 1) == 1);
    }
    if (work->memory)
        munmap(work->memory, count * work->page);
}

/* ---- migrations, calls, time ---- */

char *work_needs_two_cpus(const struct workload *workload)
{
    (void)workload;
    return worker_cpus() > 1 ? NULL : mem_strdup("it needs two CPUs, and may use only one");
}

void work_migrate(struct work *work, uint64_t turns)
{
    cpu_set_t set;
    for (uint64_t i = 0; i < turns; i++) {
        CPU_ZERO(&set);
        CPU_SET(work->cpus[(i + 1) % 2], &set);
        work_must(sched_setaffinity(0, sizeof(set), &set) == 0);
    }
}

void work_calls(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        syscall(SYS_getppid);
}

void work_clock(struct work *work, uint64_t turns)
{
    enum { BETWEEN = 1000 }; /* turns of the loop between two looks at the clock */
    struct timespec now;
    uint64_t end = 0, time;
    (void)work;
    do {
        loops_count(BETWEEN);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        time = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
        end = end ? end : time + turns;
    } while (time < end);
}

enum { UNITS = 1000 }; /* a tenth of a turn */

void work_hot(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--) {
        demo_hot_70(7 * UNITS);
        demo_hot_20(2 * UNITS);
        demo_hot_10(UNITS);
    }
}

void work_inline(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        demo_inline(10 * UNITS);
}

char *work_needs_lines(const struct workload *workload)
{
    (void)workload;
    return elf_has_section("/proc/self/exe", ".debug_info")
               ? NULL
               : mem_strdup("this program was built without debug information, or stripped of it: "
                            "only that knows which functions are inlined");
}

void work_deep(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        demo_frame1(10 * UNITS);
}

void work_sleep(struct work *work, uint64_t turns)
{
    static void (*const sleeps[])(uint64_t time) = {demo_sleep_60, demo_sleep_30, demo_sleep_10};
    static const uint64_t times[] = {6000000, 3000000, 1000000};
    while (turns--)
        for (int i = 0; i < WORK_PARTS; i++) {
            uint64_t began = clock_monotonic();
            sleeps[i](times[i]);
            work->parts[i] += clock_monotonic() - began;
        }
}
