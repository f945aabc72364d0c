#include "metric/eval.h"
#include "unit/test.h"

#include "unit/handmade.h"

#include <stdio.h>
#include <string.h>

enum { CYCLES, INSTRUCTIONS, BRANCHES, FAULTS, SWITCHES, ABSENT, EVENTS };

static const uint64_t values[EVENTS] = {1000, 2000, 300, 7, 0, 99};

/* cycles and instructions share hardware group 1, branches is in group 2, page-faults and
 * context-switches are software in group 0; the last is not counted. */
static int setup(void **state)
{
    static const char *const names[] = {"cycles",      "instructions",     "branches",
                                        "page-faults", "context-switches", "absent"};
    struct event_set *set = handmade_set(EVENTS, names);
    for (size_t i = CYCLES; i <= BRANCHES; i++) {
        set->events[i].hardware = true;
        set->events[i].group = i == BRANCHES ? 2 : 1;
    }
    set->events[ABSENT].state = EVENT_UNSUPPORTED;
    set->events[ABSENT].group = -1;
    set->groups = 3;
    struct frame *frame = handmade_frame(set);
    frame->interval = 2;
    frame->has_cpus = true;
    frame->cpu_count = 0;
    handmade_process(frame, 7, "seven", 0.5, values);
    *state = frame;
    return 0;
}

static int teardown(void **state)
{
    frame_free(*state);
    return 0;
}

static struct value eval(const struct frame *frame, const char *text)
{
    struct expr *expr = expr_parse(text, NULL);
    assert_non_null(expr);
    struct value value = eval_row(expr, frame, &frame->processes[0]);
    expr_free(expr);
    return value;
}

static void expect(const struct frame *frame, const char *text, double number,
                   enum value_state state)
{
    struct value value = eval(frame, text);
    assert_int_equal(value.state, state);
    assert_true(value.number == number);
}

static void expect_state(const struct frame *frame, const char *text, enum value_state state)
{
    assert_int_equal(eval(frame, text).state, state);
}

static void arithmetic(void **state)
{
    const struct frame *frame = *state;
    expect(frame, "1 + 2 * 3 - 4 / 8", 6.5, VALUE_COUNTED);
    expect(frame, "(1 + 2) * -3", -9, VALUE_COUNTED);
    expect(frame, "10 - 4 - 3", 3, VALUE_COUNTED);
    expect(frame, "100 / 5 / 2", 10, VALUE_COUNTED);
    expect(frame, "instructions / cycles", 2, VALUE_COUNTED);
    expect(frame, "-cycles", -1000, VALUE_COUNTED);
}

static void variables(void **state)
{
    struct frame *frame = *state;
    expect(frame, "oncpu / interval * 100", 25, VALUE_COUNTED);
    expect(frame, "cycles / oncpu / 1000", 2, VALUE_COUNTED);
    frame->cpu_count = 4;
    expect(frame, "ncpu", 4, VALUE_COUNTED);
    frame->cpu_count = 0;
    frame->has_cpus = false;
    expect_state(frame, "ncpu", VALUE_MISSING);
}

static void a_row_that_could_not_be_counted_has_no_value(void **state)
{
    struct frame *frame = *state;
    frame->processes[0].state = EVENT_DENIED;
    expect_state(frame, "cycles", VALUE_MISSING);
    expect_state(frame, "oncpu", VALUE_MISSING);
    assert_int_equal(eval_event(frame, &frame->processes[0], CYCLES).state, VALUE_MISSING);
}

static void ratios_across_groups_are_estimates(void **state)
{
    struct frame *frame = *state;
    expect(frame, "branches / cycles", 0.3, VALUE_SCALED);
    expect(frame, "100 * branches / (cycles + instructions)", 10, VALUE_SCALED);
    expect(frame, "1 + branches / instructions", 1.15, VALUE_SCALED);
    expect(frame, "(branches + cycles) / (branches + cycles)", 1, VALUE_SCALED);
    expect(frame, "(branches / interval) / (cycles / interval)", 0.3, VALUE_SCALED);
    /* Sums are of whole intervals, and time and software events belong to all groups. */
    expect(frame, "branches + cycles", 1300, VALUE_COUNTED);
    expect(frame, "(branches + cycles) / interval", 650, VALUE_COUNTED);
    expect(frame, "branches / 3 + cycles / 4", 350, VALUE_COUNTED);
    expect(frame, "cycles / page-faults * 7", 1000 / 7.0 * 7, VALUE_COUNTED);
    expect(frame, "context-switches / page-faults", 0, VALUE_COUNTED);
}

static void functions_and_comparisons(void **state)
{
    const struct frame *frame = *state;
    expect(frame, "min(cycles, instructions, 1500)", 1000, VALUE_COUNTED);
    expect(frame, "max(cycles, instructions, 1500)", 2000, VALUE_COUNTED);
    expect(frame, "abs(cycles - instructions)", 1000, VALUE_COUNTED);
    expect(frame, "delta(instructions) / delta(cycles)", 2, VALUE_COUNTED);
    static const struct {
        const char *text;
        double number;
    } cases[] = {
        {"cycles < instructions", 1}, {"cycles > instructions", 0}, {"cycles <= 1000", 1},
        {"cycles >= 1001", 0},        {"cycles == 1000", 1},        {"cycles != 1000", 0},
        {"if(cycles > 1, 5, 6)", 5},  {"if(cycles < 1, 5, 6)", 6},  {"if(0, 1, 2) + 1", 3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        expect(frame, cases[i].text, cases[i].number, VALUE_COUNTED);
}

static void functions_hide_no_lack(void **state)
{
    struct frame *frame = *state;
    expect_state(frame, "min(cycles, absent)", VALUE_MISSING);
    expect_state(frame, "max(1, 1 / 0)", VALUE_UNDEFINED);
    expect_state(frame, "abs(absent)", VALUE_MISSING);
    expect_state(frame, "absent < 1", VALUE_MISSING);
    expect_state(frame, "if(absent, 1, 2)", VALUE_MISSING);
    expect_state(frame, "if(1 / 0, 1, 2)", VALUE_UNDEFINED);
    expect_state(frame, "if(1, absent, 2)", VALUE_MISSING);
    /* What the condition does not choose does not matter: so a division is guarded. */
    expect(frame, "if(context-switches > 0, cycles / context-switches, 0)", 0, VALUE_COUNTED);
    expect(frame, "if(1, 3, absent)", 3, VALUE_COUNTED);
    /* Counts of different groups set against each other. */
    expect(frame, "branches < cycles", 1, VALUE_SCALED);
    expect(frame, "if(branches < cycles, 1, 2)", 1, VALUE_SCALED);
    expect(frame, "min(branches, cycles)", 300, VALUE_COUNTED);
    expect(frame, "if(cycles, branches, 1) / cycles", 0.3, VALUE_SCALED);
    frame->processes[0].counts[CYCLES].coverage = 0.5;
    expect(frame, "if(cycles, 1, 2)", 1, VALUE_SCALED);
    assert_true(eval(frame, "if(cycles, 1, 2)").coverage == 0.5);
    expect(frame, "if(1, instructions, cycles)", 2000, VALUE_COUNTED);
}

static void the_nominal_clock(void **state)
{
    const struct frame *frame = *state;
    expect_state(frame, "ghz_nominal", VALUE_MISSING);
    struct expr *expr = expr_parse("cycles / oncpu / 1000 / ghz_nominal", NULL);
    assert_non_null(expr);
    expr->ghz_nominal = 4;
    struct value value = eval_row(expr, frame, &frame->processes[0]);
    assert_int_equal(value.state, VALUE_COUNTED);
    assert_true(value.number == 0.5);
    expr_free(expr);
}

static void the_slots_of_a_cycle(void **state)
{
    const struct frame *frame = *state;
    expect_state(frame, "slots_per_cycle", VALUE_MISSING);
    struct expr *expr = expr_parse("instructions / (slots_per_cycle * cycles)", NULL);
    assert_non_null(expr);
    expr->slots_per_cycle = 8;
    struct value value = eval_row(expr, frame, &frame->processes[0]);
    assert_int_equal(value.state, VALUE_COUNTED);
    assert_true(value.number == 0.25);
    expr_free(expr);
}

static void aliases_find_their_events(void **state)
{
    const struct frame *frame = *state;
    expect(frame, "cpu-cycles", 1000, VALUE_COUNTED);
    expect(frame, "branch-instructions", 300, VALUE_COUNTED);
    expect(frame, "faults", 7, VALUE_COUNTED);
    expect(frame, "cs", 0, VALUE_COUNTED);
    expect_state(frame, "migrations", VALUE_MISSING);
    expect_state(frame, "cycles:u", VALUE_MISSING);
}

static void an_exact_name_goes_before_an_alias(void **state)
{
    static const char *const names[] = {"faults", "page-faults"};
    static const uint64_t counts[] = {1, 2};
    struct frame *frame = handmade_frame(handmade_set(2, names));
    handmade_process(frame, 1, "x", 0, counts);
    expect(frame, "page-faults * 10 + faults", 21, VALUE_COUNTED);
    frame_free(frame);
}

/* Memory controllers of two sockets: of each PMU the event counts for one CPU. */
static void an_event_of_several_pmus_is_their_sum(void **state)
{
    static const char *const names[] = {"imc_0/read/", "imc_1/read/",  "imc_12/read/",
                                        "imc_x/read/", "imc_0/reads/", "imc/reads/"};
    static const uint64_t counts[] = {1, 20, 300, 4000, 50000, 600000};
    struct event_set *set = handmade_set(6, names);
    set->groups = 2;
    for (size_t i = 0; i < 3; i++)
        set->events[i].shared = true;
    set->events[2].group = 1;
    struct frame *frame = handmade_frame(set);
    struct row *row = handmade_process(frame, 1, "x", 0, counts);
    row->times[0] = row->times[1] = (struct group_time){.enabled = 10, .running = 10};
    expect(frame, "'imc/read/' * 2", 642, VALUE_COUNTED);
    expect(frame, "'imc_1/read/'", 20, VALUE_COUNTED);
    expect(frame, "'imc/reads/'", 600000, VALUE_COUNTED);
    expect_state(frame, "'im/read/'", VALUE_MISSING);
    expect_state(frame, "'imc/write/'", VALUE_MISSING);
    /* Of another socket: not a part of what this CPU measures. */
    row->times[1].enabled = 0;
    row->counts[2].coverage = 0;
    expect(frame, "'imc/read/'", 21, VALUE_COUNTED);
    row->counts[1].coverage = 0.5;
    expect(frame, "'imc/read/'", 21, VALUE_SCALED);
    /* A part that should count and does not: no sum is better than one that is too small. */
    row->counts[1].coverage = 0;
    expect_state(frame, "'imc/read/'", VALUE_MISSING);
    row->counts[1].coverage = 1;
    set->events[2].state = EVENT_DENIED;
    set->events[2].group = -1;
    expect_state(frame, "'imc/read/'", VALUE_MISSING);
    set->events[2].state = EVENT_COUNTED;
    set->events[2].group = 1;
    row->times[0].enabled = 0;
    expect_state(frame, "'imc/read/'", VALUE_MISSING);
    frame_free(frame);
}

static void events_alone(void **state)
{
    struct frame *frame = *state;
    struct row *row = &frame->processes[0];
    struct value value = eval_event(frame, row, INSTRUCTIONS);
    assert_int_equal(value.state, VALUE_COUNTED);
    assert_true(value.number == 2000 && value.coverage == 1);
    row->counts[INSTRUCTIONS].coverage = 0.5;
    assert_int_equal(eval_event(frame, row, INSTRUCTIONS).state, VALUE_SCALED);
    assert_int_equal(eval_event(frame, row, ABSENT).state, VALUE_MISSING);
    assert_int_equal(eval_event(frame, row, EVENTS).state, VALUE_MISSING);
}

/* Parts that do not add up to a whole are estimates, each of them. */
static void parts(void **state)
{
    static const struct {
        const char *other;
        enum value_state state;
    } cases[] = {
        {"instructions / 2000 * 40", VALUE_COUNTED},
        {"instructions / 2000 * 42", VALUE_COUNTED},
        {"instructions / 2000 * 43", VALUE_SCALED},
        {"instructions / 2000 * 37", VALUE_SCALED},
        {"absent", VALUE_COUNTED},
        {"instructions / 0", VALUE_COUNTED},
        {"cycles / 1000 * 40", VALUE_COUNTED},
    };
    const struct frame *frame = *state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct expr *part = expr_parse("if(cycles > 5, cycles / 1000 * 50, 1)", NULL),
                    *others[] = {expr_parse(cases[i].other, NULL), expr_parse("10", NULL)};
        expr_balance(part, others, 2);
        expr_balance(others[0], &part, 1); /* the other's own text is what counts */
        struct value value = eval_row(part, frame, &frame->processes[0]);
        assert_int_equal(value.state, cases[i].state);
        assert_true(value.number == 50);
        assert_int_equal(expr_event_count(part), 1);
        expr_free(part);
        expr_free(others[0]);
        expr_free(others[1]);
    }
    /* More events than an expression can have: nothing is said. */
    char text[32 * EVENTS * 8] = "0";
    for (int i = 0; i < 32; i++)
        sprintf(text + strlen(text), " + e%d", i);
    struct expr *many = expr_parse(text, NULL), *part = expr_parse("cycles", NULL);
    expr_balance(part, &many, 1);
    struct value value = eval_row(part, frame, &frame->processes[0]);
    assert_int_equal(value.state, VALUE_COUNTED);
    assert_true(value.number == 1000);
    expr_free(many);
    expr_free(part);
}
