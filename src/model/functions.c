#include "model/functions.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/row_sum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void functions_clear(struct functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free(functions->rows[i].counts);
    functions->count = 0;
    functions->samples = functions->weight = 0;
    memset(functions->waits, 0, sizeof(functions->waits));
    functions->pending = false;
    map_clear(&functions->found);
}

void functions_release(struct functions *functions)
{
    functions_clear(functions);
    map_release(&functions->found);
    free(functions->rows);
    free(functions->functions);
    *functions = (struct functions){0};
}

/* Whether both are in one row. */
static bool same_function(const struct code_function *a, const struct code_function *b)
{
    bool bounds = a->state == CODE_NAMED || a->state == CODE_BOUNDED;
    return a->state == b->state && a->object == b->object && (!bounds || a->start == b->start);
}

/* The index of the function's row; adds a new one if necessary. */
static size_t functions_find(struct functions *functions, const struct frame *frame,
                             struct code_place place)
{
    struct code_book *book = frame->profile->book;
    struct code_function code;
    code_book_function(book, place, &code);
    bool bounds = code.state == CODE_NAMED || code.state == CODE_BOUNDED;
    functions->pending |= code.state == CODE_PENDING;
    /* The same in every frame, so that the cursor finds its row. */
    uint64_t id = ((uint64_t)code.object + 1) << 40 ^ (bounds ? code.start : code.state);
    for (void *found; (found = map_get(&functions->found, id)); id++) {
        const struct function *known = &functions->functions[(uintptr_t)found - 1];
        if (same_function(&known->code, &code))
            return (uintptr_t)found - 1;
    }
    size_t at = functions->count++;
    mem_grow(&functions->rows, &functions->room, functions->count, sizeof(*functions->rows));
    mem_grow(&functions->functions, &functions->function_room, functions->count,
             sizeof(*functions->functions));
    struct row *row = &functions->rows[at];
    *row = row_sum_new(frame->events);
    row->id = id;
    row->ran = true;
    functions->functions[at] = (struct function){.code = code};
    code_book_object(book, code.object, &functions->functions[at].object);
    map_put(&functions->found, id, (void *)(uintptr_t)(at + 1));
    return at;
}

/* For each event of the frame's set its position among a site's values; -1: the sampled event, -2:
 * not read with the samples. */
enum { FROM_WEIGHT = -1, FROM_NOTHING = -2 };

static int *functions_origins(const struct frame *frame)
{
    const struct profile *profile = frame->profile;
    int *origins = mem_array(frame->events->count + 1, sizeof(*origins));
    for (size_t e = 0; e < frame->events->count; e++) {
        const char *name = frame->events->events[e].name;
        origins[e] = str_equal(name, profile->event) ? FROM_WEIGHT : FROM_NOTHING;
        int value = profile_value(profile, name);
        if (origins[e] == FROM_NOTHING && value >= 0)
            origins[e] = value;
    }
    return origins;
}

void functions_make(struct functions *functions, const struct frame *frame,
                    functions_wanted *wanted, void *ctx)
{
    const struct profile *profile = frame->profile;
    functions_clear(functions);
    if (!profile)
        return;
    int *origins = functions_origins(frame), waits = profile_waits(profile);
    for (size_t s = 0; s < profile->site_count; s++) {
        const struct profile_site *site = &profile->sites[s];
        if (!wanted(ctx, site->pid, site->tid))
            continue;
        size_t at = functions_find(functions, frame, site->place);
        struct row *row = &functions->rows[at];
        functions->functions[at].samples += site->samples;
        functions->functions[at].weight += site->weight;
        functions->samples += site->samples;
        functions->weight += site->weight;
        for (size_t w = 0; waits >= 0 && w < PROFILE_WAITS; w++) {
            uint64_t passed = profile->values[s * profile->events + (size_t)waits + w];
            functions->functions[at].waits[w] += passed;
            functions->waits[w] += passed;
        }
        for (size_t e = 0; e < frame->events->count; e++)
            if (origins[e] != FROM_NOTHING)
                row->counts[e].value +=
                    origins[e] == FROM_WEIGHT
                        ? site->weight
                        : profile->values[s * profile->events + (size_t)origins[e]];
    }
    bool clock = str_equal(profile->unit, "ns");
    for (size_t i = 0; i < functions->count; i++) {
        struct row *row = &functions->rows[i];
        row->oncpu = clock ? (double)functions->functions[i].weight / 1e9 : -1;
        for (size_t e = 0; e < frame->events->count; e++)
            row->counts[e].coverage = origins[e] != FROM_NOTHING;
    }
    free(origins);
}

/* Whether the place is in the function. */
static bool is_in(const struct frame *frame, struct code_place place,
                  const struct function *function)
{
    struct code_function code;
    code_book_function(frame->profile->book, place, &code);
    return same_function(&code, &function->code);
}

uint64_t functions_related(struct functions *related, const struct frame *frame,
                           const struct function *function, bool callers, functions_wanted *wanted,
                           void *ctx)
{
    const struct profile *profile = frame->profile;
    uint64_t inclusive = 0;
    functions_clear(related);
    for (size_t s = 0; profile && s < profile->site_count; s++) {
        const struct profile_site *site = &profile->sites[s];
        const struct profile_chain *chain = &profile->chains[site->chain];
        size_t at = 0; /* in the stack: 0 is the site itself */
        if (!wanted(ctx, site->pid, site->tid))
            continue;
        while (at <= chain->depth &&
               !is_in(frame, at == 0 ? site->place : chain->frames[at - 1], function))
            at++;
        if (at > chain->depth)
            continue;
        inclusive += site->weight;
        if (callers ? at == chain->depth : at == 0)
            continue;
        struct code_place other = callers  ? chain->frames[at]
                                  : at > 1 ? chain->frames[at - 2]
                                           : site->place;
        size_t row = functions_find(related, frame, other);
        related->functions[row].samples += site->samples;
        related->functions[row].weight += site->weight;
        related->weight += site->weight;
    }
    return inclusive;
}

void function_text(const struct function *function, char *text, size_t size)
{
    const struct code_function *code = &function->code;
    if (code->state == CODE_NAMED)
        snprintf(text, size, "%s", code->name);
    else if (code->state == CODE_BOUNDED)
        snprintf(text, size, "%s+0x%llx", function->object.name, (unsigned long long)code->start);
    else
        snprintf(text, size, "%s",
                 code->state == CODE_PENDING ? "(reading names)" : "(no function known)");
}

double functions_counted(const struct frame *frame, functions_wanted *wanted, void *ctx)
{
    if (!frame->profile || frame->profile->cpus.count)
        return -1;
    int event = event_set_find(frame->events, frame->profile->event);
    bool clock = str_equal(frame->profile->unit, "ns");
    if (!clock && (event < 0 || frame->events->events[event].state != EVENT_COUNTED))
        return -1;
    double counted = 0;
    for (size_t i = 0; i < frame->thread_count; i++) {
        const struct row *row = &frame->threads[i];
        if (wanted(ctx, row->pid, row->tid))
            counted += clock ? row->oncpu * 1e9 : (double)row->counts[event].value;
    }
    return counted;
}
