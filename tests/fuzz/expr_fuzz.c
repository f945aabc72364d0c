/* Expressions: parsed or refused with a message, and what is parsed can be evaluated. */
#include "base/mem.h"
#include "metric/eval.h"
#include "fuzz/fuzz.h"

#include <math.h>

static void evaluate(const struct expr *expr)
{
    char cycles[] = "cycles", faults[] = "page-faults", none[] = "";
    struct event_info events[] = {
        {.name = cycles, .unit = none, .state = EVENT_COUNTED, .group = 1, .hardware = true},
        {.name = faults, .unit = none, .state = EVENT_COUNTED},
    };
    struct event_set set = {.references = 1, .count = 2, .events = events, .groups = 2};
    struct frame frame = {.events = &set, .interval = 1, .has_cpus = true, .cpu_count = 4};
    struct count counts[] = {{1000000, 1}, {3, 0.5}};
    struct row row = {.state = EVENT_COUNTED, .oncpu = 0.5, .counts = counts};
    struct value value = eval_row(expr, &frame, &row);
    if (value.state < VALUE_UNDEFINED && !isfinite(value.number))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    struct err err = {""};
    struct expr *expr = expr_parse(text, &err);
    if (!expr && !*err.text)
        abort();
    if (expr && !expr->any_time)
        expr->ghz_nominal = expr->slots_per_cycle = expr->time;
    if (expr)
        evaluate(expr);
    expr_free(expr);
    free(text);
    return 0;
}
