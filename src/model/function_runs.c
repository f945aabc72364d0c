#include "model/function_runs.h"

/* ---- runs ---- */

void function_runs_release(struct function_runs *runs)
{
    map_release(&runs->found);
}

/* The subject of a function. */
static size_t function_subject(struct function_runs *runs, const struct function *function)
{
    static const char none[] = "(no function known)";
    struct comparison *comparison = runs->comparison;
    bool named = function->code.state == CODE_NAMED;
    AUTO_FREE char *name = function_match_name(named ? function->code.name : none);
    AUTO_FREE char *object = function_match_object(function->object.name);
    uint64_t key = str_hash(name) * 31 + str_hash(object);
    for (void *found; (found = map_get(&runs->found, key)); key++) {
        const struct comparison_subject *subject = &comparison->subjects[(uintptr_t)found - 1];
        if (str_equal(subject->name, name) && str_equal(subject->object, object))
            return (uintptr_t)found - 1;
    }
    size_t index = comparison_add_subject(comparison, name);
    comparison->subjects[index].object = mem_strdup(object);
    map_put(&runs->found, key, (void *)(uintptr_t)(index + 1));
    return index;
}

bool function_runs_add(struct function_runs *runs, size_t side, const struct frame *frame,
                       functions_wanted *wanted, void *ctx)
{
    static const double NANO = 1e-9;
    struct functions functions = {0};
    if (!frame->profile)
        return false;
    functions_make(&functions, frame, wanted, ctx);
    bool complete = !functions.pending, clock = str_equal(frame->profile->unit, "ns");
    enum comparison_kind kind = clock ? COMPARE_SECONDS : COMPARE_COUNT;
    const char *metric = clock ? "seconds" : frame->profile->event;
    const char *unit = clock ? "s" : frame->profile->unit;
    double scale = clock ? NANO : 1;
    comparison_add(runs->comparison, 0, side, metric, kind, unit, 0);
    for (size_t i = 0; complete && i < functions.count; i++) {
        const struct function *function = &functions.functions[i];
        double weight = (double)function->weight * scale;
        comparison_add(runs->comparison, function_subject(runs, function), side, metric, kind, unit,
                       weight);
        comparison_add(runs->comparison, 0, side, metric, kind, unit, weight);
    }
    if (functions.samples > 0) /* Poisson: the variance of n samples is n */
        runs->comparison->sampled = (double)functions.weight * scale / (double)functions.samples;
    functions_release(&functions);
    return complete;
}

static void add_stacks(struct stack_tree *tree, const struct frame *frame, const char *comm,
                       functions_wanted *wanted, void *ctx)
{
    AUTO_MAP struct map comms = {0};
    for (size_t p = 0; p < frame->process_count; p++)
        map_put(&comms, (uint64_t)frame->processes[p].pid + 1, frame->processes[p].comm);
    for (size_t s = 0; s < frame->profile->site_count; s++) {
        const struct profile_site *site = &frame->profile->sites[s];
        const char *own = comm ? comm : map_get(&comms, (uint64_t)site->pid + 1);
        if (wanted(ctx, site->pid, site->tid))
            stack_tree_add(tree, frame->profile, s, own ? own : "");
    }
}

bool function_runs_stacks(struct function_runs *runs, size_t side, const struct frame *frame,
                          const char *comm, functions_wanted *wanted, void *ctx)
{
    struct stack_tree asked = {.outermost = true};
    add_stacks(&asked, frame, comm, wanted, ctx);
    bool complete = !asked.pending;
    stack_tree_release(&asked);
    runs->stacks->before = side == 0;
    if (complete)
        add_stacks(runs->stacks, frame, comm, wanted, ctx);
    return complete;
}

/* ---- what has moved ---- */

static bool has_run(const struct comparison_subject *subject, size_t side)
{
    const struct compared *of = &subject->metrics->of[side];
    for (size_t run = 0; run < of->room; run++)
        if (of->values[run] > 0)
            return true;
    return false;
}

/* Of a name one subject with samples on the first side only, and one on the second side only. */
struct moved {
    size_t of[2], count[2];
};

static void note_side(const struct comparison *comparison, struct moved *moved, size_t subject)
{
    bool first = has_run(&comparison->subjects[subject], 0);
    bool second = has_run(&comparison->subjects[subject], 1);
    for (size_t side = 0; side < 2; side++)
        if (side == 0 ? first : second) {
            moved->of[side] = subject;
            moved->count[side] += first && second ? 2 : 1;
        }
}

static void join_subjects(struct comparison *comparison, const struct moved *moved)
{
    struct comparison_subject *to = &comparison->subjects[moved->of[0]];
    struct comparison_subject *from = &comparison->subjects[moved->of[1]];
    struct compared both = to->metrics->of[1];
    char *object = mem_printf("%s -> %s", to->object, from->object);
    to->metrics->of[1] = from->metrics->of[1];
    from->metrics->of[1] = both; /* nothing but zeros */
    free(to->object);
    to->object = object;
    mem_replace(&from->name, NULL);
}

void function_runs_match(struct function_runs *runs)
{
    struct comparison *comparison = runs->comparison;
    AUTO_MAP struct map names = {0};
    struct moved *moved;
    for (size_t s = 1; s < comparison->subject_count; s++) {
        uint64_t key = str_hash(comparison->subjects[s].name);
        moved = map_get(&names, key);
        if (!moved)
            map_put(&names, key, moved = mem_alloc(sizeof(*moved)));
        note_side(comparison, moved, s);
    }
    for (size_t at = 0; (moved = map_next(&names, &at)); free(moved))
        if (moved->count[0] == 1 && moved->count[1] == 1 &&
            *comparison->subjects[moved->of[0]].name != '(')
            join_subjects(comparison, moved);
    map_release(&runs->found); /* subjects are about to change their places */
}
