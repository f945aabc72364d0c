/* The built-in screens for each family of processors: that their events can be encoded there, and
 * that their formulas give known results for known counts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "cli/definitions.h"
#include "event/name.h"
#include "metric/eval.h"
#include "view/column_set.h"

#include "handmade.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct family {
    const char *pfm;     /* libpfm4's table; NULL: it has none for it here */
    const char *name;    /* what the processor calls itself, where that is all there is */
    const char *root;    /* of its sysfs, in tests/data */
    const char *screens; /* those that are for it and not for any machine */
};

static const struct family families[] = {
    {"skl", NULL, "icelake", "l2 topdown fp mix uops"},
    {"skx", NULL, "icelake", "l2 topdown fp mix uops"},
    {"clx", NULL, "icelake", "l2 topdown fp mix uops"},
    {"icl", NULL, "icelake", "l2 topdown fp mix uops"},
    {"icx", NULL, "icelake", "l2 topdown fp mix uops"},
    {"spr", NULL, "icelake", "l2 topdown fp mix uops"},
    {NULL, "GenuineIntel-6-CF", "icelake", "topdown"},
    {"amd64_fam17h_zen2", NULL, "zen5", "l2 fp mix uops"},
    {"amd64_fam19h_zen3", NULL, "zen5", "l2 fp mix uops"},
    {"amd64_fam19h_zen4", NULL, "zen5", "l2 topdown fp mix uops"},
    {NULL, "AuthenticAMD-23-31", "zen5", "l2 fp mix uops"},
    {NULL, "AuthenticAMD-25-1", "zen5", "l2 fp mix uops"},
    {NULL, "AuthenticAMD-25-11", "zen5", "l2 topdown fp mix uops"},
    {NULL, "AuthenticAMD-26-2", "zen5", "l2 topdown fp mix uops"},
    {NULL, "Cortex-A72", "neoverse", "l2 fp mix"},
    {NULL, "Cortex-A76", "neoverse", "l2 fp mix"},
    {NULL, "Neoverse-N1", "neoverse", "l2 fp mix"},
    {NULL, "Neoverse-N2", "neoverse", "l2 topdown fp mix uops"},
    {NULL, "Neoverse-V1", "neoverse", "l2 topdown fp mix uops"},
    {NULL, "Neoverse-V2", "neoverse", "l2 topdown fp mix uops"},
};

enum { FAMILIES = sizeof(families) / sizeof(*families) };

/* The library as it is loaded on that processor, without files of a user. */
static void load(struct definitions *definitions, const struct family *family)
{
    struct err err = {""};
    char root[512];
    snprintf(root, sizeof(root), "%s/tests/data/%s", getenv("TOP"), family->root);
    setenv("COUNTERTOP_ROOT", root, 1);
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    if (family->pfm)
        setenv("LIBPFM_FORCE_PMU", family->pfm, 1);
    else /* a table without events: names are found by what else is known */
        setenv("LIBPFM_FORCE_PMU", "perf", 1);
    definitions_init(definitions);
    if (family->name)
        machine_add(&definitions->machine, family->name);
    definitions_load(definitions, &err);
    assert_string_equal(err.text, "");
}

static void check_screen(const struct definitions *definitions, const struct screen *screen)
{
    struct err err = {""};
    struct event_list list = {0};
    column_check_screen(screen, &definitions->metric_set, &err);
    assert_string_equal(err.text, "");
    event_parse(&list, screen->events, MODE_ALL, &err);
    assert_string_equal(err.text, "");
    for (size_t e = 0; e < list.count; e++) {
        /* The energy of Arm's servers is not RAPL's. */
        if (list.events[e].state != EVENT_COUNTED && str_equal(screen->name, "energy"))
            continue;
        if (list.events[e].state != EVENT_COUNTED)
            fail_msg("screen %s, event %s: %s", screen->name, list.events[e].name,
                     list.events[e].reason);
        assert_non_null(list.events[e].encoding);
    }
    event_list_release(&list);
    for (size_t r = 0; r < screen->require_count; r++)
        assert_true(screen_counts(screen, screen->requires[r]));
    for (size_t c = 0; c < screen->column_count; c++) {
        const struct metric *metric = metric_set_find(&definitions->metric_set, screen->columns[c]);
        for (size_t e = 0; metric && e < expr_event_count(metric->expr); e++)
            if (!screen_counts(screen, expr_event(metric->expr, e)))
                fail_msg("screen %s, column %s needs %s", screen->name, metric->name,
                         expr_event(metric->expr, e));
    }
}

/* libpfm4 is told once in a process what machine it is on: each family has one of its own. A check
 * that fails there goes back to the list of tests, in which there is nothing left to do then. */
static void in_a_process(const struct family *family,
                         void (*check)(const struct definitions *definitions,
                                       const struct family *family))
{
    static bool inside;
    if (inside)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct definitions definitions;
        inside = true;
        dup2(STDERR_FILENO, STDOUT_FILENO);
        load(&definitions, family);
        check(&definitions, family);
        definitions_release(&definitions);
        _exit(0);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    if (status != 0)
        fail_msg("%s", family->pfm ? family->pfm : family->name);
}

static void check_screens(const struct definitions *definitions, const struct family *family)
{
    char screens[256] = "";
    static const char *const special[] = {"l2", "topdown", "fp", "mix", "uops"};
    for (size_t s = 0; s < definitions->screens.count; s++)
        check_screen(definitions, &definitions->screens.screens[s]);
    for (size_t s = 0; s < sizeof(special) / sizeof(*special); s++) {
        bool here = screen_find(&definitions->screens, special[s]);
        char *elsewhere = screen_elsewhere(&definitions->screens, special[s]);
        assert_non_null(elsewhere);
        free(elsewhere);
        if (here)
            snprintf(screens + strlen(screens), sizeof(screens) - strlen(screens), "%s%s",
                     *screens ? " " : "", special[s]);
    }
    assert_string_equal(screens, family->screens);
}

static void events_resolve(void **state)
{
    (void)state;
    for (size_t f = 0; f < FAMILIES; f++)
        in_a_process(&families[f], check_screens);
}

/* ---- formulas ---- */

struct known {
    const char *family, *metric, *counts; /* "name=count name=count" */
    double expected;
};

#define SKYLAKE                                                                                    \
    "cycles=1000 IDQ_UOPS_NOT_DELIVERED:CORE=800 UOPS_ISSUED:ANY=2400 r02c2=2000 "                 \
    "INT_MISC:RECOVERY_CYCLES=50"
#define ICELAKE                                                                                    \
    "slots=6000 topdown-retiring=3000 topdown-bad-spec=600 topdown-fe-bound=900 "                  \
    "topdown-be-bound=1500"
#define ZEN "cycles=1000 r1000001a0=1200 r100001ea0=600 r1000060a0=240 r07aa=3600 rc1=3000"
#define ARM                                                                                        \
    "cycles=1000 stall_slot=4000 stall_slot_frontend=2000 stall_slot_backend=2000 op_retired=900 " \
    "op_spec=1000 br_mis_pred=10"
#define FP "cycles=1000 r03c7=100 r04c7=50 r18c7=25 r60c7=10 r80c7=5"

static const struct known known[] = {
    {"skx", "td_frontend_pct", SKYLAKE, 20},
    {"skx", "td_bad_spec_pct", SKYLAKE, 15},
    {"skx", "td_backend_pct", SKYLAKE, 15},
    {"skx", "td_retiring_pct", SKYLAKE, 50},
    {"icx", "td_frontend_pct", ICELAKE, 15},
    {"icx", "td_bad_spec_pct", ICELAKE, 10},
    {"icx", "td_backend_pct", ICELAKE, 25},
    {"GenuineIntel-6-CF", "td_retiring_pct", ICELAKE, 50},
    {"amd64_fam19h_zen4", "td_frontend_pct", ZEN, 20},
    {"amd64_fam19h_zen4", "td_bad_spec_pct", ZEN, 10},
    {"amd64_fam19h_zen4", "td_backend_pct", ZEN, 10},
    {"amd64_fam19h_zen4", "td_smt_pct", ZEN, 4},
    {"amd64_fam19h_zen4", "td_retiring_pct", ZEN, 50},
    {"AuthenticAMD-26-2", "td_frontend_pct", ZEN, 15},
    {"AuthenticAMD-26-2", "td_retiring_pct", ZEN, 37.5},
    {"Neoverse-V2", "td_frontend_pct", ARM, 25},
    {"Neoverse-V2", "td_bad_spec_pct", ARM, 5},
    {"Neoverse-V2", "td_backend_pct", ARM, 25},
    {"Neoverse-V2", "td_retiring_pct", ARM, 45},
    {"Neoverse-V1", "td_frontend_pct", ARM, 21},
    {"Neoverse-V1", "td_bad_spec_pct", ARM, 9},
    {"Neoverse-V1", "td_retiring_pct", ARM, 45},
    {"Neoverse-N2", "td_frontend_pct", ARM, 20},
    {"Neoverse-N2", "td_bad_spec_pct", ARM, 4},
    {"Neoverse-N2", "td_backend_pct", ARM, 40},
    {"Neoverse-N2", "td_retiring_pct", ARM, 36},
    {"spr", "flops_per_cycle", FP, 0.46},
    {"spr", "fp_vector_pct", FP, 100 * 360 / 460.0},
    {"spr", "memory_read_rate", "MEM_LOAD_RETIRED:L3_MISS=100", 3200},
    {"spr", "memory_parallelism", "L1D_PEND_MISS:PENDING=600 L1D_PEND_MISS:PENDING_CYCLES=200", 3},
    {"icl", "dtlb_mpki",
     "instructions=1000 DTLB_LOAD_MISSES:WALK_COMPLETED=3 DTLB_STORE_MISSES:WALK_COMPLETED=1", 4},
    {"skl", "uops_wasted_pct", "UOPS_ISSUED:ANY=1000 r02c2=900", 10},
    {"skl", "uops_wasted_pct", "UOPS_ISSUED:ANY=1000 r02c2=1001", 0},
    {"amd64_fam17h_zen2", "llc_read_miss_pct", "r0243=300 r5843=100", 25},
    {"amd64_fam19h_zen3", "llc_read_miss_pct", "r0243=300 r5c43=100", 25},
    {"amd64_fam17h_zen2", "l1_itlb_mpki", "instructions=1000 r84=2 r0785=1", 3},
    {"amd64_fam19h_zen3", "l1_itlb_mpki", "instructions=1000 r84=2 r0f85=1", 3},
    {"amd64_fam19h_zen3", "frontend_stall_pct", "cycles=1000 ra9=100", 10},
    {"AuthenticAMD-26-2", "flops", "r0f03=1000", 500},
    {"Cortex-A72", "l1d_write_miss_pct", "r41=200 r43=10", 5},
    {"Neoverse-N1", "llc_mpki", "instructions=1000 ll_cache_miss_rd=7", 7},
    {"Neoverse-N1", "simd_pct", "inst_spec=1000 r74=250", 25},
};

static const struct known *wanted; /* what the process is to check */

/* In an interval of two seconds, one of them on a CPU. */
static void check_formula(const struct definitions *definitions, const struct family *family)
{
    (void)family;
    char text[512], *names[16], *rest = text;
    uint64_t counts[16];
    size_t count = 0;
    snprintf(text, sizeof(text), "%s", wanted->counts);
    for (char *word; (word = strsep(&rest, " ")); count++) {
        names[count] = strsep(&word, "=");
        counts[count] = strtoull(word, NULL, 10);
    }
    struct frame *frame = handmade_frame(handmade_set(count, (const char *const *)names));
    frame->interval = 2;
    struct row *row = handmade_process(frame, 1, "one", 1, counts);
    const struct metric *metric = metric_set_find(&definitions->metric_set, wanted->metric);
    assert_non_null(metric);
    struct value value = eval_row(metric->expr, frame, row);
    assert_int_equal(value.state, VALUE_COUNTED);
    assert_float_equal(value.number, wanted->expected, 1e-9 * wanted->expected);
    frame_free(frame);
}

static void formulas(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
        size_t f = 0;
        while (!str_equal(families[f].pfm, known[k].family) &&
               !str_equal(families[f].name, known[k].family))
            f++;
        wanted = &known[k];
        in_a_process(&families[f], check_formula);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_resolve),
        cmocka_unit_test(formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
