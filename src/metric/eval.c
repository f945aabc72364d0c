#include "metric/eval.h"
#include "metric/alias.h"

/* The hardware group of an operand's events: its number, or one of these. Software events are exact
 * beside every group and have none here. */
enum { GROUP_NONE = -1, GROUP_SEVERAL = -2 };

struct operand {
    struct value value;
    int group;
};

static struct operand constant(double number)
{
    return (struct operand){{.number = number, .state = VALUE_COUNTED, .coverage = 1}, GROUP_NONE};
}

struct value eval_event(const struct frame *frame, const struct row *row, size_t event)
{
    const struct value missing = {.state = VALUE_MISSING};
    if (row->state != EVENT_COUNTED || event >= frame->events->count ||
        frame->events->events[event].state != EVENT_COUNTED)
        return missing;
    const struct count *count = &row->counts[event];
    if (!(count->coverage > 0))
        return missing;
    return (struct value){
        .number = (double)count->value,
        .state = count->coverage < 1 ? VALUE_SCALED : VALUE_COUNTED,
        .coverage = count->coverage,
    };
}

static int merge_groups(int a, int b)
{
    if (a == GROUP_NONE || a == b)
        return b;
    return b == GROUP_NONE ? a : GROUP_SEVERAL;
}

static double apply(enum op_kind kind, double a, double b)
{
    return kind == OP_ADD             ? a + b
           : kind == OP_SUBTRACT      ? a - b
           : kind == OP_MULTIPLY      ? a * b
           : kind == OP_MIN           ? fmin(a, b)
           : kind == OP_MAX           ? fmax(a, b)
           : kind == OP_LESS          ? a < b
           : kind == OP_LESS_EQUAL    ? a <= b
           : kind == OP_GREATER       ? a > b
           : kind == OP_GREATER_EQUAL ? a >= b
           : kind == OP_EQUAL         ? a == b
           : kind == OP_NOT_EQUAL     ? a != b
           : b != 0                   ? a / b
           : kind == OP_D_RATIO       ? 0
                                      : NAN;
}

/* A part of a whole. Nothing is said of it where another part is not known. */
static struct operand eval_share_of_whole(const struct operand *part, const struct operand *all)
{
    static const double LEAST = 98, MOST = 102;
    struct operand result = *part;
    const struct value sum = all->value;
    if (result.value.state < VALUE_UNDEFINED && sum.state < VALUE_UNDEFINED &&
        !(sum.number >= LEAST && sum.number <= MOST))
        result.value.state = VALUE_SCALED;
    return result;
}

static struct operand eval_combine(enum op_kind kind, const struct operand *a,
                                   const struct operand *b)
{
    if (kind == OP_PART)
        return eval_share_of_whole(a, b);
    /* Division and comparison relate two counts; counts of different groups were not counted over
     * the same instructions. */
    bool relates =
        kind == OP_DIVIDE || kind == OP_D_RATIO || (kind >= OP_LESS && kind <= OP_NOT_EQUAL);
    struct operand result = {.group = merge_groups(a->group, b->group)};
    result.value.state = a->value.state > b->value.state ? a->value.state : b->value.state;
    result.value.coverage = fmin(a->value.coverage, b->value.coverage);
    result.value.apart = a->value.apart || b->value.apart;
    if (result.value.state >= VALUE_UNDEFINED)
        return result;
    result.value.number = apply(kind, a->value.number, b->value.number);
    if (!isfinite(result.value.number))
        result.value.state = VALUE_UNDEFINED;
    else if (relates && a->group != GROUP_NONE && b->group != GROUP_NONE &&
             result.group == GROUP_SEVERAL) {
        result.value.state = VALUE_SCALED;
        result.value.apart = true;
    }
    return result;
}

/* The operand that the condition chooses. The other one needs no value: a condition may exclude it
 * for that reason. */
static struct operand eval_choose(const struct operand *condition, const struct operand *otherwise)
{
    const struct value *asked = &condition->value;
    if (asked->state >= VALUE_UNDEFINED)
        return *condition;
    struct operand result = asked->number != 0 ? condition[1] : *otherwise;
    result.group = merge_groups(condition->group, result.group);
    result.value.coverage = fmin(result.value.coverage, asked->coverage);
    result.value.apart |= asked->apart;
    if (asked->state > result.value.state)
        result.value.state = asked->state;
    return result;
}

static struct operand eval_kernel_times(const struct row *row, size_t number, double unit)
{
    uint64_t amount;
    if (!row->kernel_times || !kernel_times_get(row->kernel_times, number, &amount))
        return (struct operand){{.state = VALUE_MISSING}, GROUP_NONE};
    return constant((double)amount / unit);
}

static struct operand eval_count(const struct frame *frame, const struct row *row, int event)
{
    const struct event_info *info = &frame->events->events[event];
    return (struct operand){eval_event(frame, row, (size_t)event),
                            info->hardware ? info->group : GROUP_NONE};
}

/* The sum over the PMUs that count for the row. Each of AMD's memory controllers is a PMU of one
 * socket (arch/x86/events/amd/uncore.c, amd_uncore_umc_ctx_init()), so that no CPU has all. */
static struct operand eval_parts(const char *whole, int first, const struct frame *frame,
                                 const struct row *row)
{
    const struct event_set *set = frame->events;
    struct operand sum = {{.state = VALUE_MISSING}, GROUP_NONE};
    bool any = false;
    for (size_t e = (size_t)first; e < set->count; e++) {
        const struct event_info *info = &set->events[e];
        if (!alias_instance(whole, info->name) ||
            (info->group >= 0 && !row_sum_tells(info, row->times[info->group])))
            continue;
        struct operand part = eval_count(frame, row, (int)e);
        sum = any ? eval_combine(OP_ADD, &sum, &part) : part;
        any = true;
    }
    return sum;
}

static struct operand eval_span(const struct op *op, int event, const struct frame *frame,
                                const struct row *row)
{
    const int kind = (int)op->number / SPAN_FIGURES, figure = (int)op->number % SPAN_FIGURES;
    struct operand result = {{.state = VALUE_MISSING}, GROUP_NONE};
    if (!frame->has_cpus || eval_event(frame, row, (size_t)event).state == VALUE_MISSING)
        return result;
    double ns = wait_facts_quantile(row->wait_facts, kind, span_figures[figure].part);
    if (ns >= 0)
        return constant(ns / 1e9);
    result.value.state = VALUE_UNDEFINED;
    return result;
}

static struct operand eval_load(const struct expr *expr, const struct op *op,
                                const struct binding *binding, const struct frame *frame,
                                const struct row *row)
{
    const struct operand missing = {{.state = VALUE_MISSING}, GROUP_NONE};
    int index;
    switch (op->kind) {
    case OP_EVENT:
        index = binding->index[op->event];
        if (index < 0)
            return missing;
        return binding->parts[op->event] ? eval_parts(expr->events[op->event], index, frame, row)
                                         : eval_count(frame, row, index);
    case OP_SPAN:
        index = binding->index[op->event];
        return index < 0 ? missing : eval_span(op, index, frame, row);
    case OP_INTERVAL:
        return constant(frame_seconds(frame, row));
    case OP_ONCPU:
        return row->oncpu >= 0 ? constant(row->oncpu) : missing;
    case OP_NCPU:
        return frame->has_cpus ? constant((double)frame->cpu_count) : missing;
    case OP_GHZ_NOMINAL:
        return expr->ghz_nominal > 0 ? constant(expr->ghz_nominal) : missing;
    case OP_SLOTS_PER_CYCLE:
        return expr->slots_per_cycle > 0 ? constant(expr->slots_per_cycle) : missing;
    case OP_CPU_KERNEL_TIME:
        return row->of_cgroup ? missing : eval_kernel_times(row, op->event, 1e9);
    case OP_CGROUP_KERNEL_TIME:
        return !row->of_cgroup
                   ? missing
                   : eval_kernel_times(row, op->event, op->event == CGROUP_THROTTLES ? 1 : 1e9);
    default:
        return constant(op->number);
    }
}

void eval_bind(struct binding *binding, const struct expr *expr, const struct event_set *set)
{
    for (size_t i = 0; i < expr->event_count; i++) {
        int index = set ? alias_find(set, expr->events[i]) : -1;
        binding->index[i] = index;
        binding->parts[i] = index >= 0 && alias_instance(expr->events[i], set->events[index].name);
    }
}

struct value eval_bound(const struct expr *expr, const struct binding *binding,
                        const struct frame *frame, const struct row *row)
{
    if (row->state != EVENT_COUNTED)
        return (struct value){.state = VALUE_MISSING};
    struct operand stack[EXPR_STACK], *top = stack; /* above the last operand */
    for (size_t i = 0; i < expr->count; i++) {
        const struct op *op = &expr->ops[i];
        if (op->kind < OP_NEGATE) {
            *top++ = eval_load(expr, op, binding, frame, row);
        } else if (op->kind < OP_ADD) {
            double number = top[-1].value.number;
            top[-1].value.number = op->kind == OP_ABS ? fabs(number) : -number;
        } else if (op->kind == OP_IF) {
            top -= 2;
            top[-1] = eval_choose(&top[-1], &top[1]);
        } else {
            top--;
            top[-1] = eval_combine(op->kind, &top[-1], &top[0]);
        }
    }
    return stack[0].value;
}

struct value eval_row(const struct expr *expr, const struct frame *frame, const struct row *row)
{
    struct binding binding;
    eval_bind(&binding, expr, frame->events);
    return eval_bound(expr, &binding, frame, row);
}
