/* The functions of a frame: samples added up, counts read with them, callers and callees. */
#include <unistd.h>

#include "base/names.h"
#include "base/str.h"
#include "model/functions.h"
#include "model/stack_tree.h"
#include "unit/handmade.h"
#include "unit/test.h"

static const char *const EVENTS[] = {"instructions", "cycles", "faults"};

static struct code_place learn(struct code_book *book, const char *object, const char *name,
                               uint64_t start)
{
    return code_book_learn(book, &(struct code_object){.name = object, .path = ""},
                           &(struct code_function){CODE_NAMED, start, 16, name, 0, 0, false});
}

static void add(struct profile *profile, pid_t pid, struct code_place place, uint32_t chain,
                uint64_t weight, uint64_t instructions)
{
    *profile_add_site(profile) = (struct profile_site){
        .pid = pid, .tid = pid, .place = place, .chain = chain, .samples = 1, .weight = weight};
    profile->values[profile->site_count - 1] = instructions;
    profile->samples++;
    profile->weight += weight;
}

/* main calls f and g, f calls g and itself; h is of a process that is not wanted. */
static struct frame *sampled_frame(struct code_book *book)
{
    struct frame *frame = handmade_frame(handmade_set(3, EVENTS));
    struct profile *profile = frame->profile = profile_new(book);
    struct code_place main = learn(book, "a", "main", 0x10), f = learn(book, "a", "f", 0x20);
    struct code_place g = learn(book, "b", "g", 0x20), h = learn(book, "a", "h", 0x40);
    profile->event = mem_strdup("cycles");
    profile->unit = mem_strdup("");
    profile->names = mem_array(1, sizeof(*profile->names));
    profile->names[0] = mem_strdup("instructions");
    profile->events = 1;
    uint32_t in_main = profile_add_chain(profile, &(struct profile_chain){1, &main});
    struct code_place deep[] = {f, main}, recursive[] = {f, f, main};
    uint32_t in_f = profile_add_chain(profile, &(struct profile_chain){2, deep});
    uint32_t in_ff = profile_add_chain(profile, &(struct profile_chain){3, recursive});
    add(profile, 1, f, in_main, 50, 100);
    add(profile, 1, g, in_f, 20, 10);
    add(profile, 2, g, in_main, 10, 5);
    add(profile, 1, f, in_ff, 15, 30);
    add(profile, 1, main, 0, 5, 1);
    add(profile, 9, h, in_main, 1000, 1);
    handmade_process(frame, 1, "one", 1, (const uint64_t[]){150, 95, 7});
    handmade_process(frame, 2, "two", 1, (const uint64_t[]){5, 10, 0});
    handmade_process(frame, 9, "nine", 1, (const uint64_t[]){5, 1000, 0});
    return frame;
}

static bool not_nine(void *ctx, pid_t pid, pid_t tid)
{
    (void)ctx, (void)tid;
    return pid != 9;
}

static size_t named(const struct functions *functions, const char *name)
{
    size_t i = 0;
    while (i < functions->count && strcmp(functions->functions[i].code.name, name) != 0)
        i++;
    return i;
}

static void expect(const struct functions *functions, const char *name, uint64_t weight)
{
    size_t i = named(functions, name);
    if (i == functions->count)
        fail_msg("no '%s'", name);
    assert_int_equal(functions->functions[i].weight, weight);
}

/* A function without a name yet has the most samples: it is listed as soon as it has one. */
static void named_late(void **state)
{
    struct code_book *book = code_book_new();
    struct frame *frame = sampled_frame(book);
    struct functions functions = {0};
    struct annotated annotated = {0};
    uint64_t address = (uint64_t)(uintptr_t)not_nine;
    add(frame->profile, 1, code_book_place(book, getpid(), address, false), 0, 5000, 1);
    functions_list(&functions, &annotated, frame, SOURCE_NONE, not_nine, NULL);
    assert_string_equal(annotated.function.code.name, "f");
    while (functions.pending && code_book_settle(book, 60, true))
        functions_list(&functions, &annotated, frame, SOURCE_NONE, not_nine, NULL);
    assert_string_equal(annotated.function.code.name, "not_nine");
    functions_release(&functions);
    annotated_release(&annotated);
    frame_free(frame);
    code_book_drop(book);
}

static void relations(void **state)
{
    struct code_book *book = code_book_new();
    struct frame *frame = sampled_frame(book);
    struct functions functions = {0}, related[RELATED_KINDS] = {{0}};
    functions_make(&functions, frame, not_nine, NULL);
    const struct function *f = &functions.functions[named(&functions, "f")];
    const struct function *g = &functions.functions[named(&functions, "g")];
    const struct function *outer = &functions.functions[named(&functions, "main")];
    const struct functions *callers = &related[RELATED_CALLERS];
    const struct functions *callees = &related[RELATED_CALLEES];
    /* f: 50 and 15 itself, 20 below it; each stack counts once. */
    assert_int_equal(functions_related(related, frame, f, not_nine, NULL), 85);
    assert_int_equal(callers->count, 2);
    expect(callers, "main", 70);
    expect(callers, "f", 15);
    assert_int_equal(callees->count, 1);
    expect(callees, "g", 20);
    assert_int_equal(related[RELATED_INLINED].count, 0); /* a recording has no lines */
    assert_int_equal(functions_related(related, frame, g, not_nine, NULL), 30);
    expect(callers, "f", 20);
    expect(callers, "main", 10);
    assert_int_equal(functions_related(related, frame, outer, not_nine, NULL), 100);
    assert_int_equal(callers->count, 0);
    expect(callees, "f", 85);
    expect(callees, "g", 10);
    for (size_t i = 0; i < RELATED_KINDS; i++)
        functions_release(&related[i]);
    functions_release(&functions);
    frame_free(frame);
    code_book_drop(book);
}

/* What a tree weighs, and the instructions and cycles of its nodes. */
static void measures(void **state)
{
    static const struct {
        enum stack_measure measure;
        uint64_t all, deep;
    } expected[] = {{STACK_EVENT, 5, 3},
                    {STACK_OFF_CPU, 78, 75},
                    {STACK_BLOCKED, 71, 70},
                    {STACK_PREEMPTED, 7, 5}};
    struct code_book *book = code_book_new();
    struct profile *profile = profile_new(book);
    struct code_place main = learn(book, "a", "main", 0x10), f = learn(book, "a", "f", 0x20);
    uint32_t in_main = profile_add_chain(profile, &(struct profile_chain){1, &main});
    profile->events = 3;
    profile->names = mem_array(3, sizeof(*profile->names));
    profile->names[0] = mem_strdup("instructions");
    for (int w = 0; w < PROFILE_WAITS; w++)
        profile->names[1 + w] = mem_strdup(profile_wait_names[w]);
    add(profile, 1, f, in_main, 3, 600);
    add(profile, 1, main, 0, 2, 40);
    memcpy(&profile->values[1], (const uint64_t[]){70, 5}, 2 * sizeof(uint64_t));
    memcpy(&profile->values[4], (const uint64_t[]){1, 2}, 2 * sizeof(uint64_t));
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        struct stack_tree tree = {
            .measure = expected[i].measure, .outermost = true, .instructions = 2, .cycles = 1};
        stack_tree_add(&tree, profile, 0, "one");
        stack_tree_add(&tree, profile, 1, "one");
        assert_int_equal(tree.count, 4);
        assert_int_equal(tree.nodes[0].weight, expected[i].all);
        assert_int_equal(tree.nodes[3].weight, expected[i].deep);
        assert_string_equal(tree.nodes[3].name, "f");
        assert_int_equal(tree.nodes[3].parent, 2);
        assert_int_equal(tree.nodes[3].instructions, 600);
        assert_int_equal(tree.nodes[3].cycles, 3);
        assert_int_equal(tree.nodes[2].samples, 2);
        assert_int_equal(tree.nodes[2].cycles, 5);
        stack_tree_release(&tree);
    }
    /* The stack of a wait: by why the thread left the CPU, or by samples. */
    for (int woken = 0; woken < 2; woken++) {
        AUTO_NAMES struct names stack = {0};
        const struct long_wait wait = {.pid = 1, .task.id = 1, .woken = woken};
        memcpy(&profile->values[4], (const uint64_t[]){1, 9}, 2 * sizeof(uint64_t));
        functions_of_wait(profile, &wait, &stack);
        assert_int_equal(stack.count, woken ? 2 : 1);
        assert_string_equal(stack.items[0], woken ? "f" : "main");
        functions_of_wait(profile, &(struct long_wait){.pid = 1, .task.id = 2}, &stack);
        assert_int_equal(stack.count, woken ? 2 : 1); /* no samples of that thread */
    }
    profile_drop(profile);
    code_book_drop(book);
    book = code_book_new();
    struct frame *frame = sampled_frame(book);
    AUTO_NAMES struct names stack = {0};
    functions_of_wait(frame->profile, &(struct long_wait){.pid = 1, .task.id = 1}, &stack);
    assert_int_equal(stack.count, 2); /* f in main */
    assert_string_equal(stack.items[1], "main");
    functions_of_wait(NULL, &(struct long_wait){.pid = 1, .task.id = 1}, &stack);
    assert_int_equal(stack.count, 2);
    frame_free(frame);
    code_book_drop(book);
}
