#include "base/embed.h"
#include "base/ini.h"
#include "demo/loops.h"
#include "demo/worker.h"
#include "event/query.h"
#include "system/procfs.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>

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

/* Makes one chain through all places, `apart` bytes between two, in random order: a shuffle into a
 * single cycle (Sattolo, 1986). */
static void make_chain(struct work *work, size_t apart)
{
    size_t count = work->size / apart;
    uint64_t state = SEED;
    char *memory = work->memory;
    AUTO_FREE uint32_t *next = mem_array(count, sizeof(*next));
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
    work->at = memory;
}

/* A chain of pointers through all lines of a piece of memory (value, bytes), in random order: half
 * of a level of the caches (parameter 1 to 3), or twice the last one (BEHIND_CACHES). */
static void work_prepare_chase(struct work *work)
{
    get_memory(work, work->value / LINE * LINE, true);
    make_chain(work, LINE);
}

/* A chain with one pointer in each of many pages (value); huge ones with parameter 1. It is a line
 * further in each page: at the same place in all, pages would share few sets of a cache. */
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

/* Stores, and loads from another page, as far behind the same place in it (value, bytes, less than
 * a page). Which pages are taken for the first one is the processor's: on Intel's all (12 bits of
 * addresses are compared first), on AMD's some (a hash of more bits). So of 64 pages it is the one
 * where this takes longest at the same place. */
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
static size_t work_stream_size(void)
{
    enum { LEAST = 4 << 20 };
    size_t size = LEAST, cache = last_cache();
    while (size < cache && size < STREAM_MAX)
        size *= 2;
    return size;
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
    worker_move(work->cpus[1]);
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

/* Moves to the other CPU each turn. */
static void work_migrate(struct work *work, uint64_t turns)
{
    for (uint64_t i = 0; i < turns; i++)
        work_must(worker_move(work->cpus[(i + 1) % 2]));
}

static void work_calls(uint64_t turns)
{
    while (turns--)
        syscall(SYS_getppid);
}

static void work_clock(uint64_t turns)
{
    enum { BETWEEN = 1000 }; /* turns of the loop between two looks at the clock */
    struct timespec now;
    uint64_t end = 0, time;
    do {
        loops_count(BETWEEN);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        time = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
        end = end ? end : time + turns;
    } while (time < end);
}

enum { UNITS = 1000 }; /* a tenth of a turn */

/* 70, 20 and 10 % of the time in three functions. */
static void work_hot(uint64_t turns)
{
    while (turns--) {
        demo_hot_70(7 * UNITS);
        demo_hot_20(2 * UNITS);
        demo_hot_10(UNITS);
    }
}

/* 60, 30 and 10 % of the time in three functions that are inlined into another one. */
static void work_inline(uint64_t turns)
{
    while (turns--)
        demo_inline(10 * UNITS);
}

/* Ten functions that call each other. */
static void work_deep(uint64_t turns)
{
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

static void expect_between(double expected, double low, double high, struct demo_result *result)
{
    result->expected = expected;
    result->low = low;
    result->high = high;
}

/* The part of the samples, or what the work's own clock says of it, as well as that many samples
 * can know it: to 3 sigma, and 2 %. */
static void judge_share(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    static const double SIGMAS = 3, MORE = 0.02;
    double part = isnan(difference->share) ? check->expected : difference->share;
    double sigma = check->code == DEMO_WAITS
                       ? 0 /* each wait is measured, not only sampled */
                       : sqrt(part * (1 - part) / fmax((double)difference->samples, 1));
    expect_between(part, part - SIGMAS * sigma - MORE, part + SIGMAS * sigma + MORE, result);
}

/* A count for each operation, or for each of the second event. */
static void judge_ratio(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    static const double CHANCE = 0.5, PERCENT = 100, PART = 0.05;
    enum { DECODED = 4 << 10, CACHED = 1 << 17 }; /* bytes that some cache holds; that none does */
    double by = check->operations ? (double)difference->turns * (double)check->operations
                                  : difference->counts[1];
    double low = check->low, high = check->high, size = (double)difference->value;
    double cache = (double)work_cache(1), random = CHANCE * size / PERCENT;
    result->measured = by > 0 ? difference->counts[0] / by : NAN;
    if (check->judge == JUDGE_BRANCHES)
        expect_between(random, random - low, random + high, result);
    else if (check->judge == JUDGE_CACHE_MISSES && size <= cache)
        expect_between(0, 0, PART, result);
    else if (check->judge == JUDGE_CACHE_MISSES) /* it visits all lines in turn */
        expect_between(NAN, 1 - cache / size - PART, 1 + PART, result);
    else if (check->judge == JUDGE_FRONT_END)
        expect_between(check->expected, size < CACHED ? 0 : low, size <= DECODED ? low : high,
                       result);
    else
        expect_between(check->expected, low, high, result);
}

/* As many as the kernel's own account of the process has more than are known, in each run. */
static void more_faults(const struct demo_check *check, const struct demo_difference *difference,
                        uint64_t between[2])
{
    for (size_t second = 0; second < 2; second++) {
        uint64_t known = (second + 1) * difference->turns * check->operations;
        uint64_t account = difference->faults[second];
        between[second] = account > known ? account - known : 0;
    }
}

void workload_judge(const struct demo_check *check, const struct demo_difference *difference,
                    struct demo_result *result)
{
    static const double CLOCK = 0.01;
    enum { POINTER = 8 }; /* bytes: a page of page tables maps page / 8 pages */
    const double *counts = difference->counts, turns = (double)difference->turns;
    const uint64_t none[2] = {0}, *between = none; /* that is not excluded: less, and more */
    uint64_t faults[2];
    double expected = check->expected * turns;
    result->measured = counts[0];
    switch (check->judge) {
    case JUDGE_RATIO:
    case JUDGE_BRANCHES:
    case JUDGE_CACHE_MISSES:
    case JUDGE_FRONT_END:
        judge_ratio(check, difference, result);
        return;
    case JUDGE_SHARE:
        result->measured = counts[1] > 0 ? counts[0] / counts[1] : NAN;
        judge_share(check, difference, result);
        return;
    case JUDGE_CLOCK:
        expected = (double)difference->cpu;
        expect_between(expected, expected * (1 - CLOCK), expected * (1 + CLOCK), result);
        return;
    case JUDGE_HUGE_FAULTS:
        expected = floor(turns / ((double)sysconf(_SC_PAGESIZE) / POINTER));
        expect_between(expected, expected, turns / 2, result);
        return;
    case JUDGE_EXACT:
        break;
    case JUDGE_FAULTS:
        more_faults(check, difference, faults);
        between = faults;
        break;
    case JUDGE_INTERRUPTED:
        between = difference->disturbed;
        break;
    case JUDGE_SWITCHES:
        between = difference->involuntary;
        break;
    case JUDGE_FIXED_CLOCK:
        expected = counts[1] > 0 ? round(counts[0] / counts[1]) * counts[1] : NAN;
        between = difference->disturbed;
        break;
    case JUDGE_BOOKS:
        expected = counts[1];
        break;
    case JUDGE_FRAMES:
        expected = check->expected;
        break;
    }
    expect_between(expected, expected - (double)between[0], expected + (double)between[1], result);
}

/* ---- the table ---- */

/* The code of workloads, in the order of --demo list: instructions, latencies, branches and the
 * counters themselves; caches, page tables and shared lines; what the kernel keeps count of;
 * functions. Their texts, numbers and checks are in workloads.conf. */
static const struct workload bodies[] = {
    {"loop", .needs = NEEDS_ASSEMBLER, .loop = loops_count},
    {"ipc1", .loop = loops_add},
    {"ipcmax", .loop = loops_nop},
    {"mul", .loop = loops_mul},
    {"divider", .loop = loops_div},
    {"scalar", .needs = NEEDS_ASSEMBLER, .run = work_sum},
    {"vector", .parameter = 1, .needs = NEEDS_ASSEMBLER, .run = work_sum},
    {"branch-random", .prepare = work_prepare_branches, .run = work_branches},
    {"branch-sorted", .prepare = work_prepare_branches, .run = work_branches},
    {"frontend", .needs = NEEDS_ASSEMBLER, .run = work_code},
    {"turns", .needs = NEEDS_ASSEMBLER, .run = work_phases},
    {"chase-l1", .parameter = 1, .needs = NEEDS_CACHES, .prepare = work_prepare_chase,
     .run = work_chase},
    {"chase-l2", .parameter = 2, .needs = NEEDS_CACHES, .prepare = work_prepare_chase,
     .run = work_chase},
    {"chase-l3", .parameter = 3, .needs = NEEDS_CACHES, .prepare = work_prepare_chase,
     .run = work_chase},
    {"chase-dram", .parameter = BEHIND_CACHES, .needs = NEEDS_CACHES, .prepare = work_prepare_chase,
     .run = work_chase},
    {"tlb", .prepare = work_prepare_pages, .run = work_chase},
    {"tlb-huge", .parameter = 1, .needs = NEEDS_HUGE_PAGES, .prepare = work_prepare_pages,
     .run = work_chase},
    {"forward", .run = work_forward},
    {"forward-fail", .parameter = 1, .run = work_forward},
    {"alias4k", .needs = NEEDS_ASSEMBLER, .prepare = work_prepare_alias, .run = work_alias},
    {"alias4k-not", .needs = NEEDS_ASSEMBLER, .prepare = work_prepare_alias, .run = work_alias},
    {"stream", .needs = NEEDS_ARRAYS, .prepare = work_prepare_stream, .run = work_stream},
    {"share", .needs = NEEDS_TWO_CPUS, .prepare = work_prepare_sharing, .run = work_share},
    {"share-not", .needs = NEEDS_TWO_CPUS, .prepare = work_prepare_sharing, .run = work_share},
    {"faults", .run = work_faults},
    {"faults-huge", .parameter = 1, .needs = NEEDS_HUGE_PAGES, .run = work_faults},
    {"pingpong", .prepare = work_prepare_pingpong, .run = work_pingpong},
    {"owners", .parameter = 1, .prepare = work_prepare_pingpong, .run = work_pingpong},
    {"migrate", .needs = NEEDS_TWO_CPUS, .run = work_migrate},
    {"syscalls", .loop = work_calls},
    {"clock", .loop = work_clock},
    {"hot3", .loop = work_hot},
    {"inline", .needs = NEEDS_LINES, .loop = work_inline},
    {"deepstack", .needs = NEEDS_ASSEMBLER, .loop = work_deep},
    {"offcpu", .needs = NEEDS_ASSEMBLER, .run = work_sleep},
};
enum { BODIES = sizeof(bodies) / sizeof(*bodies) };

/* ---- workloads.conf ---- */

#if defined __x86_64__
enum { X86_64 = true };
#else
enum { X86_64 = false };
#endif

/* A key, and the member that it sets. */
struct workload_key {
    const char *name;
    enum { KEY_TEXT, KEY_SIZE, KEY_NUMBER, KEY_FLAG, KEY_WORD } kind;
    size_t member;         /* its offset */
    const char *words[15]; /* KEY_WORD: in the order of the member's enum */
};

static const struct workload_key workload_keys[] = {
    {"teaches", KEY_TEXT, .member = offsetof(struct workload, teaches)},
    {"does", KEY_TEXT, .member = offsetof(struct workload, does)},
    {"formula", KEY_TEXT, .member = offsetof(struct workload, formula)},
    {"next", KEY_TEXT, .member = offsetof(struct workload, next)},
    {"turns", KEY_SIZE, .member = offsetof(struct workload, turns)},
    {"milliseconds", KEY_SIZE, .member = offsetof(struct workload, milliseconds)},
    {"threads", KEY_FLAG, .member = offsetof(struct workload, threads)},
    {"together", KEY_SIZE, .member = offsetof(struct workload, together)},
    {"knob", KEY_TEXT, .member = offsetof(struct workload, knob.what)},
    {"unit", KEY_TEXT, .member = offsetof(struct workload, knob.unit)},
    {"start", KEY_SIZE, .member = offsetof(struct workload, knob.start)},
    {"least", KEY_SIZE, .member = offsetof(struct workload, knob.least)},
    {"most", KEY_SIZE, .member = offsetof(struct workload, knob.most)},
    {"step", KEY_SIZE, .member = offsetof(struct workload, knob.step)},
    {0},
};
static const struct workload_key check_keys[] = {
    {"events", KEY_TEXT, .member = offsetof(struct demo_check, events)},
    {"engines", KEY_WORD, .member = offsetof(struct demo_check, engines),
     .words = {"none", "task", "cpu", "both"}},
    {"thread", KEY_SIZE, .member = offsetof(struct demo_check, thread)},
    {"code", KEY_WORD, offsetof(struct demo_check, code),
     .words = {"counts", "shares", "inlined", "waits", "depth"}},
    {"function", KEY_TEXT, .member = offsetof(struct demo_check, function)},
    {"part", KEY_SIZE, .member = offsetof(struct demo_check, part)},
    {"scaled", KEY_FLAG, .member = offsetof(struct demo_check, scaled)},
    {"books", KEY_FLAG, .member = offsetof(struct demo_check, books)},
    {"machine", KEY_FLAG, .member = offsetof(struct demo_check, machine)},
    {"expected", KEY_NUMBER, .member = offsetof(struct demo_check, expected)},
    {"low", KEY_NUMBER, .member = offsetof(struct demo_check, low)},
    {"high", KEY_NUMBER, .member = offsetof(struct demo_check, high)},
    {"operations", KEY_SIZE, .member = offsetof(struct demo_check, operations)},
    {"tries", KEY_SIZE, .member = offsetof(struct demo_check, tries)},
    {"processor", KEY_WORD, .member = offsetof(struct demo_check, processor),
     .words = {"any", "pipeline", "fixed"}},
    {"judge", KEY_WORD, .member = offsetof(struct demo_check, judge),
     .words = {"ratio", "branches", "cache misses", "front end", "share", "clock", "huge faults",
               "exact", "faults", "interrupted", "switches", "fixed clock", "books", "frames"}},
    {"causes", KEY_TEXT, .member = offsetof(struct demo_check, causes)},
    {"excused", KEY_FLAG, .member = offsetof(struct demo_check, excused)},
    {0},
};

struct workload_reading {
    struct workload_list *list;
    char section[INI_SECTION_SIZE + 1]; /* the last one */
    struct workload *workload;
    struct demo_check *check; /* NULL: in the section of the workload */
};

static const char *keep_text(struct workload_list *list, const char *text)
{
    names_add(&list->texts, text);
    return list->texts.items[list->texts.count - 1];
}

/* A check belongs to the workload above it. */
static void begin_section(struct workload_reading *reading, const char *section)
{
    const char *name = ini_section(section, "workload"), *title = ini_section(section, "check");
    strcpy(reading->section, section);
    if (name) {
        reading->workload = (struct workload *)workload_find(reading->list, name);
        reading->check = NULL;
        return;
    }
    reading->check = reading->workload->checks;
    while (reading->check->what)
        reading->check++;
    *reading->check = (struct demo_check){
        .what = keep_text(reading->list, title), .engines = DEMO_TASK, .expected = NAN};
}

/* Sets a member; false if the value is none that it can have. */
static bool set_member(struct workload_list *list, void *member, const struct workload_key *key,
                       const char *value)
{
    size_t i = 0;
    unsigned number;
    switch (key->kind) {
    case KEY_TEXT: {
        const char **text = member; /* a second line goes on with a list */
        AUTO_FREE char *longer = *text ? mem_printf("%s,%s", *text, value) : NULL;
        *text = keep_text(list, longer ? longer : value);
        return true;
    }
    case KEY_SIZE:
        *(size_t *)member = strtoul(value, NULL, 10);
        return true;
    case KEY_NUMBER:
        return str_to_double(value, member);
    case KEY_FLAG:
        *(bool *)member = strcmp(value, "yes") == 0;
        return true;
    case KEY_WORD:
        while (key->words[i] && strcmp(key->words[i], value) != 0)
            i++;
        number = (unsigned)i;
        memcpy(member, &number, sizeof(number));
        return key->words[i] != NULL;
    }
    return false;
}

static int take_entry(void *ctx, const char *section, const char *name, const char *value,
                      int line UNUSED, struct err *err)
{
    struct workload_reading *reading = ctx;
    static const char special[] = " on x86-64";
    char base[INI_LINE_SIZE + 1];
    if (strcmp(section, reading->section) != 0)
        begin_section(reading, section);
    snprintf(base, sizeof(base), "%s", name);
    char *end = strstr(base, special);
    if (end && !X86_64)
        return 0;
    if (end)
        *end = '\0';
    const struct workload_key *keys = reading->check ? check_keys : workload_keys;
    const struct workload_key *key = STR_FIND(keys, SIZE_MAX, name, base);
    char *object = reading->check ? (char *)reading->check : (char *)reading->workload;
    return key && set_member(reading->list, object + key->member, key, value)
               ? 0
               : err_set(err, "no such key or value");
}

struct workload_list *workload_list_new(void)
{
    struct workload_list *list = mem_alloc(sizeof(*list));
    struct workload_reading reading = {.list = list};
    struct err err;
    list->workloads = mem_array(BODIES + 1, sizeof(*list->workloads));
    memcpy(list->workloads, bodies, sizeof(bodies));
    if (ini_read(embedded_text("workloads.conf"), "workloads.conf", NULL, take_entry, &reading,
                 &err) < 0) {
        err_say(err.text); /* whoever has edited it sees that at the first run */
        abort();
    }
    for (struct workload *workload = list->workloads; workload->name; workload++) {
        if (!workload->knob.unit)
            workload->knob.unit = "";
        if (!workload->run)
            workload->run = work_loop;
    }
    return list;
}

void workload_list_free(struct workload_list *list)
{
    if (list) {
        names_release(&list->texts);
        free(list->workloads);
        free(list);
    }
}

size_t workload_start(const struct workload *workload)
{
    size_t level = workload->parameter;
    bool chain = workload->needs == NEEDS_CACHES;
    return chain && level == BEHIND_CACHES   ? 2 * last_cache()
           : chain                           ? work_cache(level) / 2
           : workload->needs == NEEDS_ARRAYS ? work_stream_size()
                                             : workload->knob.start;
}

char *workload_obstacle(const struct workload *workload)
{
    enum workload_needs needs = workload->needs;
    size_t size = workload_start(workload);
    char huge[128];
    if (needs == NEEDS_CACHES && !size)
        return mem_strdup("the sizes of the caches are not known (no "
                          "/sys/devices/system/cpu/cpu0/cache with that level)");
    if ((needs == NEEDS_ASSEMBLER || needs == NEEDS_ARRAYS) && !loops_exact)
        return mem_strdup("its loop is not in assembler for this processor, so the number of "
                          "instructions is not known");
    if (needs == NEEDS_CACHES || needs == NEEDS_ARRAYS)
        return needs_memory(needs == NEEDS_ARRAYS ? size * ARRAYS : size);
    if (needs == NEEDS_TWO_CPUS && worker_cpus() < 2)
        return mem_strdup("it needs two CPUs, and may use only one");
    if (needs == NEEDS_LINES && !elf_has_section("/proc/self/exe", ".debug_info"))
        return mem_strdup("this program was built without debug information, or stripped of it: "
                          "only that knows which functions are inlined");
    if (needs != NEEDS_HUGE_PAGES)
        return NULL;
    if (file_line("/sys/kernel/mm/transparent_hugepage/enabled", huge, sizeof(huge)) < 0)
        return mem_strdup("this kernel has no transparent huge pages");
    return strstr(huge, "[never]")
               ? mem_strdup("transparent huge pages are off: as root, run 'echo madvise > "
                            "/sys/kernel/mm/transparent_hugepage/enabled'")
               : NULL;
}

const char *workload_name(void *ctx, size_t i)
{
    return ((const struct workload_list *)ctx)->workloads[i].name;
}

const struct workload *workload_find(const struct workload_list *list, const char *name)
{
    return STR_FIND(list->workloads, SIZE_MAX, name, name);
}
