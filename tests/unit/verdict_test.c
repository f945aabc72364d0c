#include "metric/metric_set.h"
#include "unit/test.h"
#include "view/detail.h"

#include "unit/handmade.h"

/* Metrics of these names, in percent of slots, or per thousand instructions. */
static const char ini[] =
    "[metric td_memory_pct]\nexpr = memory / slots * 100\nunit = %\n"
    "[metric td_frontend_pct]\nexpr = frontend / slots * 100\nunit = %\n"
    "[metric td_retiring_pct]\nexpr = retiring / slots * 100\nunit = %\n"
    "[metric fills_memory_pct]\nexpr = far / fills * 100\nunit = %\ngood = 5\nbad = 30\n"
    "[metric wait_pct]\nexpr = waited / life * 100\nunit = %\ngood = 1\nbad = 20\n"
    "[metric branch_mpki]\nexpr = misses / instructions * 1000\ndecimals = 1\ngood = 1\nbad = 10\n"
    "[metric ipc]\nexpr = instructions / cycles\ndecimals = 2\ngood = 1.5\nbad = 0.5\n";

enum { SLOTS, MEMORY, FRONTEND, RETIRING, FAR, FILLS, WAITED, LIFE, CYCLES, INSNS, MISSES, EVENTS };
static const char *const names[EVENTS] = {"slots",  "memory",       "frontend", "retiring",
                                          "far",    "fills",        "waited",   "life",
                                          "cycles", "instructions", "misses"};

struct fixture {
    struct metric_set metric_set;
    struct frame *frame;
};

static int setup(void **state)
{
    struct fixture *f = mem_alloc(sizeof(*f));
    f->metric_set = (struct metric_set){0};
    f->frame = handmade_frame(handmade_set(EVENTS, names));
    *state = f;
    return metric_set_load(&f->metric_set, ini, "ini", NULL);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    frame_free(f->frame);
    metric_set_release(&f->metric_set);
    free(f);
    return 0;
}

/* Changes the row, if that is not NULL, before it is judged. */
static void expect(const struct fixture *f, const uint64_t counts[EVENTS],
                   void (*change)(struct row *row), const char *expected)
{
    struct row row = handmade_row(f->frame, counts);
    struct view_settings settings = {.kind = VIEW_TASKS};
    struct view_context context = {.frame = f->frame, .settings = settings};
    if (change)
        change(&row);
    char *text = verdict_text(&context, &f->metric_set, &row);
    if (expected)
        assert_non_null(text);
    else
        assert_null(text);
    if (text)
        assert_string_equal(text, expected);
    free(text);
    free(row.counts);
}

static void without_slots_the_first_beyond_its_limit(void **state)
{
    const struct fixture *f = *state;
    uint64_t counts[EVENTS] = {[CYCLES] = 10000, [INSNS] = 3000, [MISSES] = 60};
    expect(f, counts, NULL, "20.0 mispredicted branches per thousand instructions");
    counts[MISSES] = 1;
    expect(f, counts, NULL,
           "0.30 instructions per cycle: it waits, for memory or for its own results");
    counts[INSNS] = 6000;
    expect(f, counts, NULL, NULL);
    counts[CYCLES] = counts[INSNS] = 0; /* undefined */
    expect(f, counts, NULL, NULL);
}

static void estimate(struct row *row)
{
    row->counts[MEMORY].coverage = 0.5;
}

static void not_count(struct row *row)
{
    row->counts[MEMORY].coverage = 0;
}

static void what_is_not_counted_is_not_judged(void **state)
{
    struct fixture *f = *state;
    uint64_t counts[EVENTS] = {[SLOTS] = 1000, [MEMORY] = 620};
    expect(f, counts, estimate, "about 62 % of its slots wait for memory");
    expect(f, counts, not_count, NULL);
    f->frame->events->events[MEMORY].state = EVENT_UNSUPPORTED;
    expect(f, counts, NULL, NULL);
    struct metric_set none = {0};
    struct row row = handmade_row(f->frame, counts);
    struct view_settings settings = {.kind = VIEW_TASKS};
    struct view_context context = {.frame = f->frame, .settings = settings};
    assert_null(verdict_text(&context, &none, &row));
    free(row.counts);
}
