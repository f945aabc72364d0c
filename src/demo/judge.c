#include "demo/works.h"

#include <math.h>
#include <unistd.h>

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

void judge_exact(const struct demo_check *check, const struct demo_difference *difference,
                 struct demo_result *result)
{
    expect_count(per_turn(check, difference), difference->counts[0], nothing, result);
}

void judge_faults(const struct demo_check *check, const struct demo_difference *difference,
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

void judge_interrupted(const struct demo_check *check, const struct demo_difference *difference,
                       struct demo_result *result)
{
    expect_count(per_turn(check, difference), difference->counts[0], difference->disturbed, result);
}

void judge_switches(const struct demo_check *check, const struct demo_difference *difference,
                    struct demo_result *result)
{
    expect_count(per_turn(check, difference), difference->counts[0], difference->involuntary,
                 result);
}

void judge_fixed_clock(const struct demo_check *check, const struct demo_difference *difference,
                       struct demo_result *result)
{
    double cycles = difference->counts[0], instructions = difference->counts[1];
    (void)check;
    expect_count(instructions > 0 ? round(cycles / instructions) * instructions : NAN, cycles,
                 difference->disturbed, result);
}

void judge_books(const struct demo_check *check, const struct demo_difference *difference,
                 struct demo_result *result)
{
    (void)check;
    expect_count(difference->counts[1], difference->counts[0], nothing, result);
}

void judge_clock(const struct demo_check *check, const struct demo_difference *difference,
                 struct demo_result *result)
{
    static const double PART = 0.01;
    (void)check;
    result->measured = difference->counts[0];
    result->expected = (double)difference->cpu;
    result->low = result->expected * (1 - PART);
    result->high = result->expected * (1 + PART);
}

void judge_ratio(const struct demo_check *check, const struct demo_difference *difference,
                 struct demo_result *result)
{
    double by =
        check->operations ? (double)difference->turns * check->operations : difference->counts[1];
    result->measured = by > 0 ? difference->counts[0] / by : NAN;
    result->expected = check->expected;
    result->low = check->low;
    result->high = check->high;
}

void judge_branches(const struct demo_check *check, const struct demo_difference *difference,
                    struct demo_result *result)
{
    static const double CHANCE = 0.5, PERCENT = 100;
    judge_ratio(check, difference, result);
    result->expected = CHANCE * (double)difference->value / PERCENT;
    result->low = result->expected - check->low;
    result->high = result->expected + check->high;
}

void judge_share(const struct demo_check *check, const struct demo_difference *difference,
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

void judge_frames(const struct demo_check *check, const struct demo_difference *difference,
                  struct demo_result *result)
{
    expect_count(check->expected, difference->counts[0], nothing, result);
}

void judge_huge_faults(const struct demo_check *check, const struct demo_difference *difference,
                       struct demo_result *result)
{
    enum { POINTER = 8 }; /* bytes: a page of page tables maps page / 8 pages */
    double in_huge = (double)sysconf(_SC_PAGESIZE) / POINTER;
    (void)check;
    result->measured = difference->counts[0];
    result->expected = result->low = floor((double)difference->turns / in_huge);
    result->high = (double)difference->turns / 2;
}

void judge_cache_misses(const struct demo_check *check, const struct demo_difference *difference,
                        struct demo_result *result)
{
    static const double PART = 0.05;
    double cache = (double)work_cache(1), size = (double)difference->value;
    bool fits = size <= cache;
    judge_ratio(check, difference, result);
    result->expected = fits ? 0 : NAN;
    result->low = fits ? 0 : 1 - cache / size - PART;
    result->high = fits ? PART : 1 + PART;
}

void judge_front_end(const struct demo_check *check, const struct demo_difference *difference,
                     struct demo_result *result)
{
    enum { DECODED = 4 << 10, CACHED = 1 << 17 }; /* bytes that some cache holds; that none does */
    judge_ratio(check, difference, result);
    result->low = difference->value < CACHED ? 0 : check->low;
    result->high = difference->value <= DECODED ? check->low : check->high;
}
