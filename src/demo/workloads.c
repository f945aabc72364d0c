#include "demo/workload.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "demo/loops.h"
#include "demo/worker.h"
#include "event/query.h"
#include "system/procfs.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void work_must(bool succeeded)
{
    if (!succeeded)
        _exit(EXIT_FAILURE); /* the parent says that the workload has ended */
}

/* ---- loops in user mode ---- */

static void work_loop(struct work *work, uint64_t turns)
{
    work->workload->loop(turns);
}

/* Parameter 1: by instructions for several numbers. */
static void work_sum(struct work *work, uint64_t turns)
{
    static const uint32_t numbers[LOOPS_NUMBERS] __attribute__((aligned(64))) = {1};
    loops_sum(numbers, work->workload->parameter, turns);
}

/* In code of that size (value, bytes). */
static void work_code(struct work *work, uint64_t turns)
{
    loops_code(work->value, turns);
}

/* Parameter 1: with two stores for each load. */
static void work_forward(struct work *work, uint64_t turns)
{
    uint64_t place[8] __attribute__((aligned(64)));
    loops_forward(place, work->workload->parameter, turns);
}

/* The turns of loops_count() in phases of that length (value, ms; 0: none), of which each second
 * one is spent in the kernel. */
static void work_phases(struct work *work, uint64_t turns)
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

static char *work_needs_assembler(const struct workload *workload)
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

/* Maps memory of that many bytes, for which the kernel is to use huge pages, or is not to: one of
 * these would satisfy many touches with one fault. Begins at the start of a huge page then, as far
 * as the kernel has them; kernels without them refuse the advice. */
static void *new_pages(const struct work *work, size_t size, bool huge)
{
    size_t page = work->page, around = huge ? page * (page / sizeof(void *)) : page;
    size_t whole = (size + page - 1) / page * page;
    char *room =
        mmap(NULL, whole + around, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    work_must(room != MAP_FAILED);
    size_t before = (around - (uintptr_t)room % around) % around;
    if (before)
        munmap(room, before);
    munmap(room + before + whole, around - before);
    madvise(room + before, size, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return room + before;
}

/* Gives the work other memory than it had. */
static void get_memory(struct work *work, size_t size, bool huge)
{
    if (work->memory)
        munmap(work->memory, work->size);
    work->size = size;
    work->memory = new_pages(work, size, huge);
}

/* ---- branches ---- */

/* Branches on bytes, of which that part (value, %) is random, and the others are 0. */
static void work_prepare_branches(struct work *work)
{
    enum { PERCENT = 100, BYTES = 1 << 20 };
    uint64_t state = SEED;
    get_memory(work, BYTES, false);
    uint8_t *bytes = work->memory;
    for (size_t i = 0; i < work->size; i++) {
        uint64_t random = next_random(&state) >> 16;
        bytes[i] = random % PERCENT < work->value ? random >> 32 & 1 : 0;
    }
}

static void work_branches(struct work *work, uint64_t turns)
{
    loops_branch(work->memory, work->size, turns);
}

/* ---- chains of pointers ---- */

enum { LINE = 64 }; /* bytes of a cache line, nearly everywhere */
enum { CHASE_MAX = 768 << 20 };
enum { BEHIND_CACHES = 4 }; /* as a level: memory */

/* Bytes of the first CPU's data cache of that level; 0: not known. */
static size_t work_cache(size_t level)
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

/* Bytes of the chain; 0: not known. */
static size_t work_chase_size(const struct workload *workload)
{
    enum { TIMES = 2 };
    size_t level = workload->parameter;
    return level == BEHIND_CACHES ? last_cache() * TIMES : work_cache(level) / 2;
}

static char *needs_memory(size_t size)
{
    enum { MIB = 1 << 20 };
    unsigned long long free_kib = 0;
    char text[1024];
    if (file_read("/proc/meminfo", text, sizeof(text)) > 0)
        free_kib = strtoull(procfs_status_value(text, "MemAvailable:"), NULL, 10);
    if (size > CHASE_MAX || (free_kib && size / 1024 > free_kib / 2))
        return mem_printf("it needs %zu MiB of memory: more than %s", size / MIB,
                          size > CHASE_MAX ? "it may take" : "half of what is free");
    return NULL;
}

static char *work_needs_caches(const struct workload *workload)
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

/* A chain of pointers through all lines of a piece of memory (value, bytes), in random order: half
 * of a level of the caches (parameter 1 to 3), or twice the last one (BEHIND_CACHES). */
static void work_prepare_chase(struct work *work)
{
    get_memory(work, work->value / LINE * LINE, true);
    make_chain(work, LINE);
}

/* A line further in each page: at the same place in all, pages would share few sets of a cache. */
/* A chain with one pointer in each of many pages (value); huge ones with parameter 1. */
static void work_prepare_pages(struct work *work)
{
    get_memory(work, work->value * (work->page + LINE), work->workload->parameter);
    make_chain(work, work->page + LINE);
}

static void work_chase(struct work *work, uint64_t turns)
{
    work->at = loops_chase(work->at, turns);
}

/* ---- a store and a load that are taken for the same ---- */

/* Which pages are taken for the first one is the processor's: on Intel's all (12 bits of addresses
 * are compared first), on AMD's some (a hash of more bits). So the slowest one is searched for. */
/* Stores, and loads from another page, as far behind the same place in it (value, bytes, less than
 * a page). Of 64 pages it is the one where this takes longest at the same place. */
static void work_prepare_alias(struct work *work)
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

static void work_alias(struct work *work, uint64_t turns)
{
    size_t apart = (size_t)((char *)work->at - (char *)work->memory);
    loops_alias(work->memory, apart + work->value, turns);
}

/* ---- arrays ---- */

enum { ARRAYS = 3, STREAM_MAX = CHASE_MAX / ARRAYS };

/* Bytes of an array. */
static size_t work_stream_size(const struct workload *workload)
{
    enum { LEAST = 4 << 20 };
    size_t size = LEAST, cache = last_cache();
    (void)workload;
    while (size < cache && size < STREAM_MAX)
        size *= 2;
    return size;
}

static char *work_needs_stream(const struct workload *workload)
{
    char *reason = work_needs_assembler(workload);
    return reason ? reason : needs_memory(work_stream_size(workload) * ARRAYS);
}

/* Adds two arrays into a third one, each of that size (value, bytes, a power of two): together
 * three times as large as the last level of the caches, at least. */
static void work_prepare_stream(struct work *work)
{
    get_memory(work, work->value * ARRAYS, true);
    memset(work->memory, 1, work->size); /* pages that are only read would share one of zeros */
    work->at = work->memory;
}

static void work_stream(struct work *work, uint64_t turns)
{
    char *memory = work->memory;
    struct loops_arrays arrays = {.sums = work->memory,
                                  .first = (uint64_t *)(memory + work->value),
                                  .second = (uint64_t *)(memory + 2 * work->value),
                                  .size = work->value};
    work->at = memory + loops_stream(&arrays, (size_t)((char *)work->at - memory), turns);
}

/* Starts the second thread, and waits until it has sent a byte. */
static void start_partner(struct work *work, void *(*run)(void *work))
{
    char byte;
    work_must(pipe(work->pipes[0]) == 0 && pipe(work->pipes[1]) == 0 &&
              pthread_create(&work->partner, NULL, run, work) == 0 &&
              read(work->pipes[1][0], &byte, 1) == 1);
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
    work_must(write(work->pipes[1][1], "", 1) == 1);
    while (read(work->pipes[0][0], &byte, 1) == 1) {
        loops_share(shared_number(work, 1), work->turns);
        work_must(write(work->pipes[1][1], "", 1) == 1);
    }
    return NULL;
}

/* Two threads on two CPUs add to two numbers, which are that far apart (value, bytes). */
static void work_prepare_sharing(struct work *work)
{
    if (work->tids[1])
        return; /* there already */
    get_memory(work, work->page, false);
    start_partner(work, share_second);
}

static void work_share(struct work *work, uint64_t turns)
{
    char byte;
    work->turns = turns;
    work_must(write(work->pipes[0][1], "", 1) == 1);
    loops_share(shared_number(work, 0), turns);
    work_must(read(work->pipes[1][0], &byte, 1) == 1);
}

/* ---- page faults ---- */

/* Touches a new page each turn; parameter 1: huge pages are welcome. */
static void work_faults(struct work *work, uint64_t turns)
{
    void *pages = new_pages(work, turns * work->page, work->workload->parameter);
    loops_touch(pages, work->page, turns);
    munmap(pages, turns * work->page);
}

static char *work_needs_huge_pages(const struct workload *workload)
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

enum { PAGES_FIRST = 1, PAGES_SECOND = 3 }; /* that each thread touches in a turn */

static void play_turn(const struct work *work, int self)
{
    static const size_t counts[] = {PAGES_FIRST, PAGES_SECOND};
    char *pages = work->memory;
    size_t first = self ? work->turns * PAGES_FIRST : 0;
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

/* Two threads on one CPU hand a byte to and fro. In each turn the first one touches one new page,
 * and the second one three, if the parameter is 1. */
static void work_prepare_pingpong(struct work *work)
{
    start_partner(work, play_second);
}

static void work_pingpong(struct work *work, uint64_t turns)
{
    size_t size = turns * (PAGES_FIRST + PAGES_SECOND) * work->page;
    char byte = 0;
    work->memory = work->workload->parameter ? new_pages(work, size, false) : NULL;
    work->turns = turns;
    for (work->turn = 0; work->turn < turns; work->turn++) {
        play_turn(work, 0);
        work_must(write(work->pipes[0][1], &byte, 1) == 1);
        work_must(read(work->pipes[1][0], &byte, 1) == 1);
    }
    if (work->memory)
        munmap(work->memory, size);
}

/* ---- migrations, calls, time ---- */

static char *work_needs_two_cpus(const struct workload *workload)
{
    (void)workload;
    return worker_cpus() > 1 ? NULL : mem_strdup("it needs two CPUs, and may use only one");
}

/* Moves to the other CPU each turn. */
static void work_migrate(struct work *work, uint64_t turns)
{
    cpu_set_t set;
    for (uint64_t i = 0; i < turns; i++) {
        CPU_ZERO(&set);
        CPU_SET(work->cpus[(i + 1) % 2], &set);
        work_must(sched_setaffinity(0, sizeof(set), &set) == 0);
    }
}

static void work_calls(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        syscall(SYS_getppid);
}

static void work_clock(struct work *work, uint64_t turns)
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

/* 70, 20 and 10 % of the time in three functions. */
static void work_hot(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--) {
        demo_hot_70(7 * UNITS);
        demo_hot_20(2 * UNITS);
        demo_hot_10(UNITS);
    }
}

/* 60, 30 and 10 % of the time in three functions that are inlined into another one. */
static void work_inline(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        demo_inline(10 * UNITS);
}

static char *work_needs_lines(const struct workload *workload)
{
    (void)workload;
    return elf_has_section("/proc/self/exe", ".debug_info")
               ? NULL
               : mem_strdup("this program was built without debug information, or stripped of it: "
                            "only that knows which functions are inlined");
}

/* Ten functions that call each other. */
static void work_deep(struct work *work, uint64_t turns)
{
    (void)work;
    while (turns--)
        demo_frame1(10 * UNITS);
}

/* Sleeps 6, 3 and 1 ms in three functions; work->parts gets how long that was. */
static void work_sleep(struct work *work, uint64_t turns)
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

/* ---- judges ---- */

/* Bounds: expected - between[0] to expected + between[1]. */
static void expect_count(double expected, double measured, const uint64_t between[2],
                         struct demo_result *result)
{
    result->measured = measured;
    result->expected = expected;
    result->low = expected - (double)between[0];
    result->high = expected + (double)between[1];
}

static double per_turn(const struct demo_check *check, const struct demo_difference *difference)
{
    return check->expected * (double)difference->turns;
}

static const uint64_t nothing[2];

/* expected a turn, exactly. */
static void judge_exact(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    expect_count(per_turn(check, difference), difference->counts[0], nothing, result);
}

/* ... and at most as many more as the kernel's own account of the process has, too, in the second
 * run, and as many less as in the first one. */
static void judge_faults(const struct demo_check *check, const struct demo_difference *difference,
                         struct demo_result *result)
{
    uint64_t between[2] = {0};
    for (size_t second = 0; second < 2; second++) {
        uint64_t known = (second + 1) * difference->turns * check->operations;
        uint64_t account = difference->faults[second];
        between[second] = account > known ? account - known : 0;
    }
    expect_count(per_turn(check, difference), difference->counts[0], between, result);
}

/* ... and at most one more or less for each interrupt and page fault: most processors count these
 * among retired instructions (Weaver, Terpstra, Moore: Non-determinism and overcount on modern
 * hardware performance counter implementations, ISPASS 2013). */
static void judge_interrupted(const struct demo_check *check,
                              const struct demo_difference *difference, struct demo_result *result)
{
    expect_count(per_turn(check, difference), difference->counts[0], difference->disturbed, result);
}

/* ... and at most one more or less for each switch that others caused. */
static void judge_switches(const struct demo_check *check, const struct demo_difference *difference,
                           struct demo_result *result)
{
    expect_count(per_turn(check, difference), difference->counts[0], difference->involuntary,
                 result);
}

/* As many cycles for each instruction, exactly, whatever that number is. */
static void judge_fixed_clock(const struct demo_check *check,
                              const struct demo_difference *difference, struct demo_result *result)
{
    double cycles = difference->counts[0], instructions = difference->counts[1];
    (void)check;
    expect_count(instructions > 0 ? round(cycles / instructions) * instructions : NAN, cycles,
                 difference->disturbed, result);
}

/* The sum over tasks is that over CPUs. */
static void judge_books(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    (void)check;
    expect_count(difference->counts[1], difference->counts[0], nothing, result);
}

/* The CPU time, by the kernel's own account, to 1 %. */
static void judge_clock(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    static const double PART = 0.01;
    (void)check;
    result->measured = difference->counts[0];
    result->expected = (double)difference->cpu;
    result->low = result->expected * (1 - PART);
    result->high = result->expected * (1 + PART);
}

/* The first event an operation, or by the second event if the check has two, between the bounds. */
static void judge_ratio(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    double by =
        check->operations ? (double)difference->turns * check->operations : difference->counts[1];
    result->measured = by > 0 ? difference->counts[0] / by : NAN;
    result->expected = check->expected;
    result->low = check->low;
    result->high = check->high;
}

/* Half of the random branches are missed: `low` and `high` are of the part that is. */
static void judge_branches(const struct demo_check *check, const struct demo_difference *difference,
                           struct demo_result *result)
{
    static const double CHANCE = 0.5, PERCENT = 100;
    judge_ratio(check, difference, result);
    result->expected = CHANCE * (double)difference->value / PERCENT;
    result->low = result->expected - check->low;
    result->high = result->expected + check->high;
}

/* The check's share of the samples, or what the work's own clock says of it, as well as that many
 * samples can know it: to 3 sigma, and 2 %. */
static void judge_share(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    static const double SIGMAS = 3, MORE = 0.02;
    double part = isnan(difference->share) ? check->expected : difference->share;
    double sigma = check->code == DEMO_WAITS
                       ? 0 /* each wait is measured, not only sampled */
                       : sqrt(part * (1 - part) / fmax((double)difference->samples, 1));
    result->measured =
        difference->counts[1] > 0 ? difference->counts[0] / difference->counts[1] : NAN;
    result->expected = part;
    result->low = part - SIGMAS * sigma - MORE;
    result->high = part + SIGMAS * sigma + MORE;
}

/* As many frames. */
static void judge_frames(const struct demo_check *check, const struct demo_difference *difference,
                         struct demo_result *result)
{
    expect_count(check->expected, difference->counts[0], nothing, result);
}

/* One fault for each huge page; where memory is fragmented more, but less than half of the pages.
 */
static void judge_huge_faults(const struct demo_check *check,
                              const struct demo_difference *difference, struct demo_result *result)
{
    enum { POINTER = 8 }; /* bytes: a page of page tables maps page / 8 pages */
    double in_huge = (double)sysconf(_SC_PAGESIZE) / POINTER;
    (void)check;
    result->measured = difference->counts[0];
    result->expected = result->low = floor((double)difference->turns / in_huge);
    result->high = (double)difference->turns / 2;
}

/* L1 misses a load: 0 where the chain fits; else 1 - C/WS to 1 (it visits all lines in turn). */
static void judge_cache_misses(const struct demo_check *check,
                               const struct demo_difference *difference, struct demo_result *result)
{
    static const double PART = 0.05;
    double cache = (double)work_cache(1), size = (double)difference->value;
    bool fits = size <= cache;
    judge_ratio(check, difference, result);
    result->expected = fits ? 0 : NAN;
    result->low = fits ? 0 : 1 - cache / size - PART;
    result->high = fits ? PART : 1 + PART;
}

/* By the second event, a part that code has which is larger than the caches of code, to `high`;
 * where these hold it, less than `low`. */
static void judge_front_end(const struct demo_check *check,
                            const struct demo_difference *difference, struct demo_result *result)
{
    enum { DECODED = 4 << 10, CACHED = 1 << 17 }; /* bytes that some cache holds; that none does */
    judge_ratio(check, difference, result);
    result->low = difference->value < CACHED ? 0 : check->low;
    result->high = difference->value <= DECODED ? check->low : check->high;
}

/* ---- the table ---- */

/* Causes of deviations. */
static const char overcount[] = "some processors count an instruction for each interrupt";
static const char siblings[] = "a busy SMT sibling, or a hypervisor that takes the CPU away";

/* A check: its title, its events, the engines that count them, and the other members. */
#define CHECK(title, event, engine, ...)                                                           \
    {                                                                                              \
        .what = (title), .events = event, .engines = (engine), __VA_ARGS__                         \
    }

#define INSTRUCTIONS(a_turn)                                                                       \
    CHECK("instructions", "instructions:u", DEMO_TASK, .expected = (a_turn),                       \
          .judge = judge_interrupted, .causes = overcount)

#define CYCLES(of, from, to, count)                                                                \
    CHECK("cycles/" of, "cycles:u", DEMO_TASK, .judge = judge_ratio, .expected = NAN,              \
          .low = (from), .high = (to), .operations = (count), .tries = 5,                          \
          .processor = DEMO_PIPELINE, .causes = siblings)

/* What the front end did not deliver, a cycle. */
#define FRONT_END(name, event, least, most)                                                        \
    CHECK((name), event ",cycles:u", DEMO_TASK, .judge = judge_front_end, .expected = NAN,         \
          .low = (least), .high = (most), .tries = 5, .processor = DEMO_PIPELINE,                  \
          .causes = siblings)

/* More events than any processor has counters; the kernel takes turns with them. */
#define SIX(a)                                                                                     \
    a "a=instructions:u," a "b=instructions:u," a "c=instructions:u," a "d=instructions:u," a      \
      "e=instructions:u," a "f=instructions:u"
static const char too_many[] = SIX("a") "," SIX("b") "," SIX("c") "," SIX("d");

static const char prefetch[] = "PMUs differ in whether loads of prefetchers count";

/* A load from that far behind the place where it waits. */
#define ALIAS(behind)                                                                              \
    .turns = 1000000, .obstacle = work_needs_assembler, .prepare = work_prepare_alias,             \
    .run = work_alias, .threads = true,                                                            \
    .knob = {"bytes behind it", "", .start = (behind), .most = 256, .step = 64}

/* Loads that waited for a store to another address; on some processors a load that waits is tried,
 * and counted, several times. */
#define BLOCKED(name, event, least, most)                                                          \
    CHECK("blocked/turn, " name, event, DEMO_TASK, .judge = judge_ratio, .expected = NAN,          \
          .low = (least), .high = (most), .operations = 1)

/* What the memory controllers of all sockets move, lines of 64 bytes: three a turn, or four. The
 * event of AMD is umc_cas_cmd.all of perf's event files (amdzen4/memory-controller.json). */
#define LINES(name, event)                                                                         \
    CHECK((name), event, DEMO_LEDGER, .machine = true, .judge = judge_ratio, .expected = NAN,      \
          .low = 3 * 0.95, .high = 4 * 1.05, .operations = 1, .tries = 5, .excused = true,         \
          .causes = "others use the memory, too")

/* Who touches a page that the kernel moves (compaction) has a fault that is no first touch. */
#define MOVED "the kernel moved pages"

/* The second one stays 0: counts that change places are seen. */
static const char faults[] = "page-faults,major-faults";

/* A function's share of the samples of all that are called alike. */
#define SHARE(event, kind, name, part_of_it, its_part)                                             \
    CHECK(name, event, DEMO_TASK, .code = (kind), .function = name, .expected = (part_of_it),      \
          .part = (its_part), .tries = 3, .judge = judge_share)

/* In the order of --demo list: about instructions, latencies, branches and the counters themselves;
 * about caches, page tables and shared lines; of which the kernel keeps count; for the view of
 * functions. */
static const struct workload workloads[] = {
    {
        .name = "loop",
        .teaches = "retired instructions: the one count that is exact",
        .does = {"A loop of two instructions: a subtraction, and a",
                 "branch back while the result is not 0. In user mode",
                 "nothing else retires, but for a few at its ends."},
        .formula = "instructions = 2 x turns, branches = turns",
        .next = "p: where its time goes; K: in which mode it is counted",
        .turns = 5000000,
        .obstacle = work_needs_assembler,
        .loop = loops_count,
        .run = work_loop,
        .threads = true,
        .checks = {CHECK("instructions", "instructions:u", DEMO_BOTH, .expected = 2,
                         .judge = judge_interrupted, .causes = overcount),
                   CHECK("branches", "branches:u", DEMO_TASK, .expected = 1,
                         .judge = judge_interrupted, .causes = overcount),
                   CHECK("cycles", "cycles:u,instructions:u", DEMO_BOTH, .processor = DEMO_FIXED,
                         .judge = judge_fixed_clock)},
    },
    {
        .name = "ipc1",
        .teaches = "dependence: a chain of additions runs one a cycle",
        .does = {"200 additions, each of which needs the result of the",
                 "one before: however many units a processor has, it",
                 "cannot begin the next one before this one is done."},
        .formula = "cycles = additions; IPC = 1.01",
        .next = "countertop --demo ipcmax: the same without dependence",
        .turns = 50000,
        .loop = loops_add,
        .run = work_loop,
        .threads = true,
        .checks = {CHECK("cycles/addition", "cycles:u", DEMO_TASK, .judge = judge_ratio,
                         .expected = 1, .low = 0.98, .high = 1.02, .operations = LOOPS_ADDS,
                         .tries = 5, .processor = DEMO_PIPELINE, .causes = siblings)},
    },
    {
        .name = "ipcmax",
        .teaches = "width: how many instructions retire in a cycle",
        .does = {"200 instructions that do nothing and need nothing:",
                 "they go through the processor as fast as its front",
                 "end can bring them and its back end can retire them."},
        .formula = "IPC = width of the processor, 2 to 16",
        .next = "countertop --demo ipc1: a chain in which each waits",
        .turns = 100000,
        .loop = loops_nop,
        .run = work_loop,
        .threads = true,
        .checks = {CHECK("instructions/cycle", "instructions:u,cycles:u", DEMO_TASK,
                         .judge = judge_ratio, .expected = NAN, .low = 1.8, .high = 16, .tries = 5,
                         .processor = DEMO_PIPELINE, .causes = siblings)},
    },
    {
        .name = "mul",
        .teaches = "latency: a multiplication takes some cycles",
        .does = {"64 multiplications of 64-bit numbers, each of which",
                 "needs the product before. A processor could do one a",
                 "cycle, but each takes three (on some Arm cores 4 or 5)."},
        .formula = "cycles = 3 x multiplications",
        .next = "countertop --demo divider: what is not pipelined",
        .turns = 50000,
        .loop = loops_mul,
        .run = work_loop,
        .threads = true,
#if defined __x86_64__
        .checks = {CHECK("cycles/multiplication", "cycles:u", DEMO_TASK, .judge = judge_ratio,
                         .expected = 3, .low = 2.91, .high = 3.09, .operations = LOOPS_MULS,
                         .tries = 5, .processor = DEMO_PIPELINE, .causes = siblings)},
#else
        .checks = {CYCLES("multiplication", 1.9, 5.2, LOOPS_MULS)},
#endif
    },
    {
        .name = "divider",
        .teaches = "the divider: slow, and not pipelined",
        .does = {"16 divisions of 32-bit numbers, a chain again: each",
                 "takes several times as long as a multiplication, and",
                 "always the same, as the numbers are the same."},
        .formula = "cycles = a constant x divisions",
        .next = "countertop --demo mul: a chain of multiplications",
        .turns = 50000,
        .loop = loops_div,
        .run = work_loop,
        .threads = true,
        .checks = {CYCLES("division", 3.9, 45, LOOPS_DIVS)},
    },
    {
        .name = "scalar",
        .teaches = "scalar instructions: a number at a time",
        .does = {"Adds up 128 numbers of 32 bits, each with a load and",
                 "an addition of its own. Two sums take turns, so that",
                 "an addition does not wait for the one before it."},
        .formula = "instructions = 258 x turns: 2 for each number, 2 for the loop",
        .next = "countertop --demo vector: the same sum, four numbers at a time",
        .turns = 100000,
        .obstacle = work_needs_assembler,
        .parameter = 0,
        .run = work_sum,
        .threads = true,
        .checks = {INSTRUCTIONS(LOOPS_SCALAR_INSTRUCTIONS),
                   CYCLES("number", 0.2, 2, LOOPS_NUMBERS)},
    },
    {
        .name = "vector",
        .teaches = "vectors: one instruction for several numbers",
        .does = {"The sum of scalar by instructions that load and add",
                 "four numbers of 32 bits at once (SSE2; Arm: NEON): a",
                 "quarter of the instructions, for the same result."},
        .formula = "instructions = 66 x turns: 2 for four numbers, 2 for the loop",
        .next = "countertop --demo scalar: about four times the instructions and time",
        .turns = 100000,
        .obstacle = work_needs_assembler,
        .parameter = 1,
        .run = work_sum,
        .threads = true,
        .checks = {INSTRUCTIONS(LOOPS_VECTOR_INSTRUCTIONS),
                   CYCLES("number", 0.03, 1, LOOPS_NUMBERS)},
    },
    {
        .name = "branch-random",
        .teaches = "branch prediction: chance cannot be predicted",
        .does = {"Reads random bits, and branches on each. A megabyte of",
                 "them is too long to be learnt, so half of the branches",
                 "go the other way than predicted, at 10 to 20 cycles."},
        .formula = "branch-misses = turns x part that is random / 2",
        .next = "fewer random branches: misses fall, and turns get quicker",
        .turns = 1 << 20,
        .prepare = work_prepare_branches,
        .run = work_branches,
        .threads = true,
        .knob = {"random branches", "%", .start = 100, .most = 100, .step = 10},
        .checks = {CHECK("misses/turn", "branch-misses:u", DEMO_TASK, .judge = judge_branches,
                         .low = 0.0115, .high = 0.0115, .operations = 1,
                         .causes = "PMUs that count speculative mispredictions, too, show more")},
    },
    {
        .name = "branch-sorted",
        .teaches = "branch prediction: what repeats costs nothing",
        .does = {"The loop of branch-random, with the same number of",
                 "instructions for a turn, on bits that are all 0: after",
                 "a few turns the processor knows each branch before."},
        .formula = "branch-misses = about 0",
        .next = "some random branches: each turn gets slower",
        .turns = 1 << 20,
        .prepare = work_prepare_branches,
        .run = work_branches,
        .threads = true,
        .knob = {"random branches", "%", .start = 0, .most = 100, .step = 10},
        .checks = {CHECK("misses/turn", "branch-misses:u", DEMO_TASK, .judge = judge_branches,
                         .low = 0, .high = 0.001, .operations = 1)},
    },
    {
        .name = "frontend",
        .teaches = "the front end: code has to be fetched and decoded",
        .does = {"A quarter of a megabyte of instructions that do nothing,",
                 "one after the other: more than the caches of code and of",
                 "decoded instructions hold, so each comes from further away."},
        .formula = "instructions = 63 x turns, in whatever size of code",
        .next = "less code, until the caches hold it: a turn gets several times quicker",
        .turns = 100000,
        .obstacle = work_needs_assembler,
        .run = work_code,
        .threads = true,
        .knob = {"code", "B", .start = LOOPS_CODE_MAX, .least = LOOPS_CODE_MIN,
                 .most = LOOPS_CODE_MAX},
        .checks = {INSTRUCTIONS(LOOPS_CODE_INSTRUCTIONS), CYCLES("turn", 4, 1000, 1),
                   FRONT_END("empty cycles/cycle", "stalled-cycles-frontend:u", 0.1, 1),
                   FRONT_END("slots/cycle, Intel", "idq_uops_not_delivered.core:u", 0.4, 8),
                   FRONT_END("slots/cycle, AMD", "de_no_dispatch_per_slot.no_ops_from_frontend:u",
                             0.6, 8)},
    },
    {
        .name = "turns",
        .teaches = "multiplexing: more events than counters take turns",
        .does = {"The loop again, with its instructions counted by 24",
                 "events: more than there are counters. Each is counted",
                 "for a part of the time, and scaled: an estimate."},
        .formula = "each = instructions = 2 x turns, about",
        .next = "phases in the kernel: what a turn caught is not what it missed, and scaling errs",
        .milliseconds = 100,
        .obstacle = work_needs_assembler,
        .run = work_phases,
        .threads = true,
        .knob = {"phases", "ms", .most = 100, .step = 5},
        .checks = {CHECK("instructions, scaled", too_many, DEMO_TASK, .tries = 3, .scaled = true,
                         .expected = 2, .low = 1.8, .high = 2.2, .operations = 1,
                         .judge = judge_ratio,
                         .causes = "an estimate: work that changes with the turns errs more")},
    },
#define CHASE(level, text, rest, cycles_low, cycles_high)                                          \
    .teaches = "caches: " text,                                                                    \
    .does = {"Follows pointers through all lines of a piece of",                                   \
             "memory, in random order: each load needs the one", rest},                            \
    .formula = "L1 misses = loads x (1 - L1 / memory) at least",                                   \
    .next = "more memory, past each level of the caches: loads get slower", .turns = 20000,        \
    .parameter = (level), .obstacle = work_needs_caches, .prepare = work_prepare_chase,            \
    .run = work_chase,                                                                             \
    .knob = {"memory", "B", .find_start = work_chase_size, .least = 1 << 12, .most = CHASE_MAX},   \
    .checks = {CYCLES("load", cycles_low, cycles_high, LOOPS_LOADS),                               \
               CHECK("L1 misses/load", "L1-dcache-load-misses:u", DEMO_TASK,                       \
                     .judge = judge_cache_misses, .operations = LOOPS_LOADS, .causes = prefetch)}
    {
        .name = "chase-l1",
        CHASE(1, "the first level", "before. This piece is half as large as the L1.", 2.9, 6.5),
    },
    {
        .name = "chase-l2",
        CHASE(2, "the second level", "before. This piece is half as large as the L2.", 7, 45),
    },
    {
        .name = "chase-l3",
        CHASE(3, "the last level", "before. This piece is half as large as the L3.", 20, 400),
    },
    {
        .name = "chase-dram",
        CHASE(BEHIND_CACHES, "memory behind them", "before. This piece is twice the last level's.",
              60, 3000),
    },
    {
        .name = "tlb",
        .teaches = "page walks: addresses have to be translated",
        .does = {"Follows pointers through 32,768 pages, one line of",
                 "each, in random order: more pages than a TLB knows, so",
                 "nearly each load needs a walk through the page tables."},
        .formula = "dTLB-load-misses = 7/8 of the loads at least",
        .next = "fewer pages, until the TLB knows all of them",
        .turns = 20000,
        .parameter = 0,
        .prepare = work_prepare_pages,
        .run = work_chase,
        .knob = {"pages", "", .start = 1 << 15, .least = 1 << 4, .most = 1 << 17},
        .checks = {CHECK("misses/load", "dTLB-load-misses:u", DEMO_TASK, .judge = judge_ratio,
                         .expected = 1, .low = 0.875 * 0.9, .high = 1.1, .operations = LOOPS_LOADS,
                         .causes = "a TLB with more than 4,096 entries"),
                   CYCLES("load", 4, 6000, LOOPS_LOADS)},
    },
    {
        .name = "tlb-huge",
        .teaches = "huge pages: one translation for two megabytes",
        .does = {"The loads of tlb, a line in each of 8,192 pages, and",
                 "the advice to use huge pages: 17 of these hold all of",
                 "it, so the TLB knows them, and nothing is walked."},
        .formula = "dTLB-load-misses = about 0",
        .next = "countertop --demo tlb: the same with small pages",
        .turns = 20000,
        .parameter = 1,
        .obstacle = work_needs_huge_pages,
        .prepare = work_prepare_pages,
        .run = work_chase,
        .knob = {"pages", "", .start = 1 << 13, .least = 1 << 4, .most = 1 << 17},
        .checks = {CHECK("misses/load", "dTLB-load-misses:u", DEMO_TASK, .judge = judge_ratio,
                         .high = 0.1, .operations = LOOPS_LOADS, .excused = true,
                         .causes = "no huge page is free: memory is fragmented"),
                   CYCLES("load", 3, 1000, LOOPS_LOADS)},
    },
    {
        .name = "forward",
        .teaches = "store forwarding: a load gets what was just stored",
        .does = {"Stores 8 bytes and loads them again at once: the",
                 "processor hands the value from the store to the load",
                 "without waiting until it is in the cache."},
        .formula = "cycles a turn: a few",
        .next = "countertop --demo forward-fail: where it does not work",
        .turns = 1000000,
        .parameter = 0,
        .run = work_forward,
        .threads = true,
        .checks = {CYCLES("turn", 0.9, 9, 1)},
    },
    {
        .name = "forward-fail",
        .teaches = "store forwarding that fails: the load has to wait",
        .does = {"Stores 4 bytes twice and loads all 8: no single store",
                 "has what the load wants, so it waits until both are",
                 "in the cache, which takes several times as long."},
        .formula = "cycles a turn: 10 to 50",
        .next = "countertop --demo forward: where it works",
        .turns = 1000000,
        .parameter = 1,
        .run = work_forward,
        .threads = true,
        .checks = {CYCLES("turn", 8, 60, 1)},
    },
    {
        .name = "alias4k",
        .teaches = "4 KiB aliasing: addresses whose last 12 bits are the same",
        .does = {"Stores a number, and loads one from the same place in",
                 "another page. Processors compare some bits of addresses",
                 "first (Intel 12), take the two for one, and wait."},
        .formula = "instructions = 4 x turns; blocked loads = turns, on Intel",
        .next = "another place in the page: turns get quicker, by the same instructions",
        ALIAS(0),
        .checks = {INSTRUCTIONS(LOOPS_ALIAS_INSTRUCTIONS), CYCLES("turn", 0.8, 80, 1),
                   BLOCKED("until ICL", "ld_blocks_partial.address_alias:u", 0.9, 3),
                   BLOCKED("from ADL", "ld_blocks.address_alias:u", 0.9, 3)},
    },
    {
        .name = "alias4k-not",
        .teaches = "4 KiB aliasing: the same with another place in the page",
        .does = {"The loop of alias4k with a load from 64 bytes further",
                 "on: in the last 12 bits the addresses differ, so that",
                 "no load waits for the store. Compare the time of a turn."},
        .formula = "instructions = 4 x turns; blocked loads = 0",
        .next = "the same place in the page: the same instructions take longer",
        ALIAS(64),
        .checks = {INSTRUCTIONS(LOOPS_ALIAS_INSTRUCTIONS), CYCLES("turn", 0.3, 7, 1),
                   BLOCKED("until ICL", "ld_blocks_partial.address_alias:u", 0, 0.05),
                   BLOCKED("from ADL", "ld_blocks.address_alias:u", 0, 0.05)},
    },
    {
        .name = "stream",
        .teaches = "bandwidth: bytes that memory moves in a second",
        .does = {"Adds two arrays into a third one, which are together",
                 "three times as large as the last cache: each sum moves",
                 "24 bytes, or 32 if the cache fetches what is stored to."},
        .formula = "instructions = 39 x turns; bandwidth = 192 (or 256) B / a turn's time",
        .next = "smaller arrays, until caches hold them: a turn gets quicker",
        .turns = 1 << 17,
        .obstacle = work_needs_stream,
        .prepare = work_prepare_stream,
        .run = work_stream,
        .knob = {"an array", "B", .find_start = work_stream_size, .least = 1 << 12,
                 .most = STREAM_MAX},
        .checks = {INSTRUCTIONS(LOOPS_STREAM_INSTRUCTIONS), CYCLES("turn", 8, 3000, 1),
                   LINES("lines/turn, Intel",
                         "uncore_imc/cas_count_read/,uncore_imc/cas_count_write/"),
                   LINES("lines/turn, AMD", "amd_umc/event=0x0a/")},
    },
    {
        .name = "share",
        .teaches = "coherence: two CPUs that want the same line",
        .does = {"Two threads on two CPUs add to numbers of their own",
                 "that are in one line of the caches: the line travels",
                 "to and fro, and each waits for it (false sharing)."},
        .formula = "cycles a turn: many times those of share-not",
        .next = "numbers that are further apart, until each has its line",
        .turns = 200000,
        .obstacle = work_needs_two_cpus,
        .prepare = work_prepare_sharing,
        .run = work_share,
        .knob = {"bytes between the numbers", "", .start = 8, .least = 8, .most = 1024},
        .checks = {CYCLES("addition", 40, 4000, 1)},
    },
    {
        .name = "share-not",
        .teaches = "coherence: the same with a line for each",
        .does = {"The same two threads, whose numbers are in different",
                 "lines: each CPU keeps its own, and none has to wait.",
                 "Compare its time with that of share."},
        .formula = "cycles a turn: a few tens",
        .next = "numbers that are nearer, until they share a line",
        .turns = 200000,
        .obstacle = work_needs_two_cpus,
        .prepare = work_prepare_sharing,
        .run = work_share,
        .knob = {"bytes between the numbers", "", .start = 256, .least = 8, .most = 1024},
        .checks = {CYCLES("addition", 1, 40, 1)},
    },
    {
        .name = "faults",
        .teaches = "page faults: memory comes when it is touched",
        .does = {"Asks for memory, writes a byte into each page of it,",
                 "and gives it back. The kernel finds a page at the",
                 "first touch: that is a page fault, and no other is."},
        .formula = "page-faults = turns",
        .next = "e major-faults: what comes from a disk; countertop --demo faults-huge",
        .turns = 1024,
        .parameter = 0,
        .run = work_faults,
        .threads = true,
        .checks = {CHECK("page-faults", faults, DEMO_BOTH, .expected = 1, .operations = 1,
                         .tries = 3, .judge = judge_faults, .causes = MOVED),
                   CHECK("minor-faults", "minor-faults", DEMO_TASK, .expected = 1, .operations = 1,
                         .tries = 3, .judge = judge_faults,
                         .causes = MOVED ", or memory was swapped out")},
    },
    {
        .name = "faults-huge",
        .teaches = "huge pages: one fault in place of 512",
        .does = {"The same, with the advice to use huge pages: the first",
                 "touch brings 512 pages at once, and the others find",
                 "memory. Where it is fragmented there are more faults."},
        .formula = "page-faults = turns / 512, less than turns / 2",
        .next = "countertop --demo faults: a fault for each page",
        .turns = 8192,
        .together = 512,
        .parameter = 1,
        .obstacle = work_needs_huge_pages,
        .run = work_faults,
        .threads = true,
        .checks = {CHECK("page-faults", faults, DEMO_TASK, .judge = judge_huge_faults, .tries = 3,
                         .excused = true,
                         .causes = "memory is fragmented: no huge page is free, or " MOVED)},
    },
    {
        .name = "pingpong",
        .teaches = "context switches: two threads that wait for each other",
        .does = {"Two threads on one CPU hand a byte to and fro: each",
                 "waits for the other, so each turn takes two context",
                 "switches, and more only if others want the CPU, too."},
        .formula = "context-switches = 2 x turns",
        .next = "s waits: who sleeps, and how long; H: both threads",
        .turns = 500,
        .parameter = 0,
        .prepare = work_prepare_pingpong,
        .run = work_pingpong,
        .checks = {CHECK("context-switches", "context-switches", DEMO_BOTH, .expected = 2,
                         .judge = judge_switches,
                         .causes = "switches that others cause count, too")},
    },
    {
        .name = "owners",
        .teaches = "who did it: each count goes to the thread it is of",
        .does = {"The two threads of pingpong, and at each turn the",
                 "first one touches one new page, the second one three.",
                 "One record lost, and a page goes to the wrong thread."},
        .formula = "page-faults: turns, and 3 x turns",
        .next = "H: one row for both threads; E: which engine counts",
        .turns = 250,
        .parameter = 1,
        .prepare = work_prepare_pingpong,
        .run = work_pingpong,
        .checks = {CHECK("page-faults of 1st", faults, DEMO_BOTH, .thread = 1,
                         .expected = PAGES_FIRST, .operations = PAGES_FIRST + PAGES_SECOND,
                         .judge = judge_faults),
                   CHECK("page-faults of 2nd", faults, DEMO_BOTH, .thread = 2,
                         .expected = PAGES_SECOND, .operations = PAGES_FIRST + PAGES_SECOND,
                         .judge = judge_faults),
                   CHECK("tasks = CPUs", "page-faults", DEMO_LEDGER, .books = true,
                         .judge = judge_books)},
    },
    {
        .name = "migrate",
        .teaches = "migrations: a thread that moves between CPUs",
        .does = {"Asks to be moved to another CPU and back, over and",
                 "over. Each request is one migration, and caches and",
                 "predictors there know nothing of what it did here."},
        .formula = "cpu-migrations = turns",
        .next = "e page-faults: a migration costs none; v: the CPUs",
        .turns = 500,
        .together = 2,
        .obstacle = work_needs_two_cpus,
        .run = work_migrate,
        .checks = {CHECK("cpu-migrations", "cpu-migrations", DEMO_TASK, .expected = 1,
                         .judge = judge_exact)},
    },
    {
        .name = "syscalls",
        .teaches = "tracepoints: a count of any place in the kernel",
        .does = {"Asks the kernel for the pid of its parent, over and",
                 "over. A tracepoint at the entry of all system calls",
                 "counts each, and none that it does not make."},
        .formula = "raw_syscalls:sys_enter = turns",
        .next = "e syscalls:sys_enter_getppid: this one alone",
        .turns = 5000,
        .run = work_calls,
        .threads = true,
        .checks = {CHECK("raw_syscalls:sys_enter", "raw_syscalls:sys_enter", DEMO_BOTH,
                         .expected = 1, .judge = judge_exact)},
    },
    {
        .name = "clock",
        .teaches = "CPU time: what the scheduler says, and what is counted",
        .does = {"Computes until its own CPU time says that it is",
                 "enough. The clock of perf must say the same, however",
                 "many others want the CPU meanwhile."},
        .formula = "task-clock = its own CPU time",
        .next = "%CPU of its row says the same; more threads add up",
        .turns = 50000,
        .together = 1000,
        .run = work_clock,
        .threads = true,
        .checks = {CHECK("task-clock, ns", "task-clock", DEMO_TASK, .tries = 8,
                         .judge = judge_clock, .causes = siblings)},
    },
    {
        .name = "hot3",
        .teaches = "functions: where the time goes",
        .does = {"Three functions with the same loop of multiplications",
                 "do 7, 2 and 1 thousand of its turns, one after the",
                 "other: that is their share of the time, and samples."},
        .formula = "demo_hot_70: 70 %, demo_hot_20: 20 %, demo_hot_10: 10 %",
        .next = "Enter on a function: its instructions; Tab: back to tasks",
        .turns = 4000,
        .run = work_hot,
        .threads = true,
        .checks = {SHARE("cpu-clock", DEMO_SHARES, "demo_hot_70", 0.7, 0),
                   SHARE("cpu-clock", DEMO_SHARES, "demo_hot_20", 0.2, 0),
                   SHARE("cpu-clock", DEMO_SHARES, "demo_hot_10", 0.1, 0)},
    },
    {
        .name = "inline",
        .teaches = "inlined functions: code that has lost its name",
        .does = {"demo_inline has three functions that the compiler puts",
                 "into it: no symbol knows them, but debug information",
                 "says which lines, and instructions, are of which."},
        .formula = "demo_inline_60: 60 %, demo_inline_30: 30 %, demo_inline_10: 10 %",
        .next = "G on demo_inline: what is inlined into it; Enter: its lines",
        .turns = 4000,
        .obstacle = work_needs_lines,
        .run = work_inline,
        .threads = true,
        .checks = {SHARE("cpu-clock", DEMO_INLINED, "demo_inline_60", 0.6, 0),
                   SHARE("cpu-clock", DEMO_INLINED, "demo_inline_30", 0.3, 0),
                   SHARE("cpu-clock", DEMO_INLINED, "demo_inline_10", 0.1, 0)},
    },
    {
        .name = "deepstack",
        .teaches = "stacks: who called the function",
        .does = {"demo_frame1 calls demo_frame2, and so on until",
                 "demo_frame10, which computes. Each has a frame pointer,",
                 "so that the whole stack is in each sample."},
        .formula = "frames = 10",
        .next = "G on a function: who calls it, and whom it calls",
        .turns = 1000,
        .obstacle = work_needs_assembler,
        .run = work_deep,
        .threads = true,
        .checks = {CHECK("frames of the stack", "cpu-clock", DEMO_TASK, .code = DEMO_DEPTH,
                         .function = "demo_frame", .expected = DEMO_FRAMES, .judge = judge_frames)},
    },
    {
        .name = "offcpu",
        .teaches = "time off the CPU: what a thread waits in",
        .does = {"Three functions sleep for 6, 3 and 1 ms, one after the",
                 "other. They need no time of a CPU: where each switch",
                 "is sampled, with its time, they are seen all the same."},
        .formula = "demo_sleep_60: 60 %, demo_sleep_30: 30 %, demo_sleep_10: 10 %",
        .next = "s waits: the same as a part of its life",
        .turns = 20,
        .together = 1,
        .obstacle = work_needs_assembler,
        .run = work_sleep,
        .checks = {SHARE("context-switches", DEMO_WAITS, "demo_sleep_60", 0.6, 1),
                   SHARE("context-switches", DEMO_WAITS, "demo_sleep_30", 0.3, 2),
                   SHARE("context-switches", DEMO_WAITS, "demo_sleep_10", 0.1, 3)},
    },
};

size_t workload_start(const struct workload *workload)
{
    const struct workload_knob *knob = &workload->knob;
    return knob->start || !knob->find_start ? knob->start : knob->find_start(workload);
}

const struct workload *workload_nth(size_t i)
{
    return i < sizeof(workloads) / sizeof(*workloads) ? &workloads[i] : NULL;
}

const char *workload_name(void *ctx, size_t i)
{
    const struct workload *workload = workload_nth(i);
    (void)ctx;
    return workload ? workload->name : NULL;
}

const struct workload *workload_find(const char *name)
{
    const struct workload *workload;
    for (size_t i = 0; (workload = workload_nth(i)); i++)
        if (strcmp(workload->name, name) == 0)
            return workload;
    return NULL;
}
