/* Functions of runs: what they are matched by, and how often a comparison is wrong. */
#include "model/comparison.h"
#include "model/functions.h"
#include "unit/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void matched_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"main", "main"},
        {"foo.constprop.0", "foo"},
        {"foo.isra.0.cold", "foo"},
        {"foo.part.12", "foo"},
        {"foo.cold", "foo"},
        {"foo.llvm.1234567", "foo"},
        {"foo.lto_priv.0", "foo"},
        {"foo.coldness", "foo.coldness"},
        {"foo.partial.isra.0", "foo.partial"},
        {".cold", ".cold"},
        {"a::b(int) [clone .isra.0] [clone .cold]", "a::b(int)"},
        {"core::fmt::write::h9fa2dc35a390ea7e", "core::fmt::write"},
        {"main[9e0a]::run", "main::run"},
        {"operator[](int)", "operator[](int)"},
        {"std::vector<int, std::allocator<int> >::push_back(int const&)",
         "std::vector<int>::push_back(int const&)"},
        {"f(std::map<a, b, std::less<a>, std::allocator<std::pair<a const, b> > >&)",
         "f(std::map<a, b>&)"},
        {"g(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)",
         "g(std::basic_string<char>)"},
        {"h[abi:cxx11](int)", "h(int)"},
        {"JS:*fib /a.js:1:13", "JS:fib /a.js:1:13"},
        {"JS:^fib /a.js:1:13", "JS:fib /a.js:1:13"},
        {"", ""},
    };
    static const char *const objects[][2] = {
        {"libc.so.6", "libc.so"},
        {"libx-2.31.so", "libx.so"},
        {"libx-2.1.so.3.4", "libx.so"},
        {"libstdc++.so.6.0.30", "libstdc++.so"},
        {"python3.11", "python3.11"},
        {"prog-2.0", "prog-2.0"},
        {"[kernel]", "[kernel]"},
        {"x.sorted", "x.sorted"},
        {"-2.so", "-2.so"},
        {"node (made at run time)", "node (made at run time)"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char *match = function_match_name(names[i][0]);
        assert_string_equal(match, names[i][1]);
        free(match);
    }
    for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
        char *match = function_match_object(objects[i][0]);
        assert_string_equal(match, objects[i][1]);
        free(match);
    }
}

/* ---- how often it is wrong ---- */

enum { RUNS = 10, SAMPLES = 1000, SMALL = 40, TIMES = 100 };
static const double PERIOD = 1003009e-9; /* s a sample */

static uint64_t random_state;

/* Uniform in [0, 1): splitmix64 (S. Vigna). */
static double uniform(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Adds a run: samples by chance in three functions with these shares of nearly all time, which
 * itself varies by this part of it, and few in others. */
static void add_run(struct comparison *comparison, size_t side, const double shares[3],
                    const size_t subjects[3 + SMALL], double noise)
{
    double counts[3 + SMALL] = {0};
    size_t samples = (size_t)(SAMPLES * (1 + noise * (uniform() - 0.5)));
    for (size_t i = 0; i < samples; i++) {
        double at = uniform();
        if (at > 0.97) /* halved from one small function to the next */
            counts[3 + (size_t)(-log2(1 - (at - 0.97) / 0.03)) % SMALL]++;
        else
            counts[at < 0.97 * shares[0] ? 0 : at < 0.97 * (shares[0] + shares[1]) ? 1 : 2]++;
    }
    comparison_set(comparison, 0, side, "elapsed", COMPARE_SECONDS, "s", 1 + uniform() / 100, 1);
    for (size_t f = 0; f < 3 + SMALL; f++) {
        if (counts[f] == 0)
            continue;
        double weight = counts[f] * PERIOD;
        comparison_add(comparison, subjects[f], side, "seconds", COMPARE_SECONDS, "s", weight);
        comparison_add(comparison, 0, side, "seconds", COMPARE_SECONDS, "s", weight);
    }
    comparison_end_run(comparison, side);
}

struct verdict {
    size_t marked;    /* rows */
    size_t right;     /* of the first two functions */
    bool contains[3]; /* the interval of a function has the true change */
};

static struct verdict compare_once(const double a[3], const double b[3], double noise)
{
    struct comparison *comparison = comparison_new((const char *const[]){"a", "b"}, 2, false);
    size_t subjects[3 + SMALL];
    struct verdict verdict = {0};
    comparison->functions = true;
    comparison->sampled = PERIOD;
    for (size_t f = 0; f < 3 + SMALL; f++) {
        char name[16];
        snprintf(name, sizeof(name), "f%zu", f);
        subjects[f] = comparison_add_subject(comparison, name);
    }
    for (size_t run = 0; run < RUNS; run++) {
        add_run(comparison, 0, a, subjects, noise);
        add_run(comparison, 1, b, subjects, noise);
    }
    for (size_t f = comparison->subject_count; f-- > 1;)
        if (comparison->subjects[f].metric_count == 0)
            mem_replace(&comparison->subjects[f].name, NULL);
    comparison_finish(comparison);
    for (size_t s = 0; s < comparison->subject_count; s++) {
        const struct comparison_subject *subject = &comparison->subjects[s];
        size_t f = subject->name ? strtoul(subject->name + 1, NULL, 10) : SMALL;
        bool significant = false, contains = true;
        for (size_t m = 0; m < subject->metric_count; m++) { /* of a function: time and share */
            const struct change *change = &subject->metrics[m].of[1].change;
            significant |= change->significant;
            contains &=
                f >= 3 || (change->low <= b[f] / a[f] - 1 && change->high >= b[f] / a[f] - 1);
        }
        verdict.marked += significant;
        verdict.right += significant && f < 2;
        if (f < 3)
            verdict.contains[f] = contains;
    }
    comparison_free(comparison);
    return verdict;
}

static const double first[3] = {0.6, 0.3, 0.1}, second[3] = {0.5, 0.4, 0.1};

/* A machine that is quiet, and one on which a run takes 0.6 to 1.4 times as long as on average. */
static void what_differs(void **state)
{
    (void)state;
    random_state = 1;
    for (int busy = 0; busy < 2; busy++) {
        size_t exactly = 0, contains[3] = {0}, wrong = 0;
        for (int i = 0; i < TIMES; i++) {
            struct verdict verdict = compare_once(first, second, busy ? 0.8 : 0.04);
            exactly += verdict.right == 2 && verdict.marked == 2;
            for (size_t f = 0; f < 3; f++)
                contains[f] += verdict.contains[f];
            wrong += compare_once(first, first, busy ? 0.8 : 0.04).marked > 0;
        }
        assert_true(exactly >= 98);
        for (size_t f = 0; f < 3; f++)
            assert_true(contains[f] >= 93);
        assert_true(wrong <= 1);
    }
}
