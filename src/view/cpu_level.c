#include "view/cpu_level.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/row_sum.h"

#include <stdio.h>
#include <stdlib.h>

/* CPU numbers are small, so ids of different levels differ above these bits. */
enum { LEVEL_SHIFT = 32 };

static void cpu_level_clear(struct cpu_level *levels)
{
    for (size_t i = levels->owned; i < levels->count; i++)
        free(levels->rows[i].counts);
    levels->count = levels->owned = 0;
}

void cpu_level_release(struct cpu_level *levels)
{
    cpu_level_clear(levels);
    free(levels->rows);
    free(levels->levels);
    free(levels->row_of);
}

const struct level *cpu_level_of(const struct cpu_level *levels, const struct row *row)
{
    return &levels->levels[row - levels->rows];
}

bool cpu_level_is_total(const struct cpu_level *levels, const struct row *row)
{
    return levels->count > 0 && row == levels->rows;
}

static struct row *cpu_level_add_row(struct cpu_level *levels, struct row row)
{
    size_t at = levels->count++;
    mem_grow(&levels->rows, &levels->room, levels->count, sizeof(*levels->rows));
    mem_grow(&levels->levels, &levels->level_room, levels->count, sizeof(*levels->levels));
    levels->rows[at] = row;
    levels->levels[at] = (struct level){.place = {.socket = -1, .core = -1}, .heat = -1};
    return &levels->rows[at];
}

/* The index of the CPU's row. CPUs of unknown position belong together. Linear search: machines
 * have few cores. */
static size_t row_for(struct cpu_level *levels, const struct view_context *context,
                      const struct row *cpu)
{
    enum view_level level = context->settings->level;
    struct view_place place = {.socket = -1, .core = -1};
    if (context->lookup && context->lookup->place)
        context->lookup->place(context->lookup->ctx, cpu->cpu, &place);
    if (level == LEVEL_CPU) {
        cpu_level_add_row(levels, *cpu);
        levels->levels[levels->count - 1].place = place;
        levels->owned = levels->count;
        return levels->count - 1;
    }
    for (size_t i = 1; i < levels->count; i++) {
        const struct view_place *other = &levels->levels[i].place;
        bool same = level == LEVEL_TYPE ? str_equal(other->type, place.type)
                                        : other->socket == place.socket &&
                                              (level == LEVEL_SOCKET || other->core == place.core);
        if (same)
            return i;
    }
    struct row *row = cpu_level_add_row(levels, row_sum_new(context->frame->events));
    row->cpu = cpu->cpu;
    row->id = (uint64_t)level << LEVEL_SHIFT | cpu->id;
    levels->levels[levels->count - 1].place = place;
    return levels->count - 1;
}

void cpu_level_make(struct cpu_level *levels, const struct view_context *context)
{
    const struct frame *frame = context->frame;
    cpu_level_clear(levels);
    if (!frame->has_cpus)
        return;
    cpu_level_add_row(levels, frame->total);
    levels->owned = 1;
    mem_grow(&levels->row_of, &levels->cpu_room, frame->cpu_count, sizeof(*levels->row_of));
    for (size_t c = 0; c < frame->cpu_count; c++) {
        size_t at = row_for(levels, context, &frame->cpus[c]);
        levels->row_of[c] = at;
        levels->levels[at].cpus++;
        if (at >= levels->owned)
            row_sum_add(&levels->rows[at], &frame->cpus[c], frame);
    }
    levels->levels[0].cpus = frame->cpu_count;
    if (context->settings->level == LEVEL_CPU)
        return;
    for (size_t c = 0; c < frame->cpu_count; c++) {
        size_t at = levels->row_of[c];
        levels->rows[at].kernel_times = &levels->levels[at].kernel_times;
        if (frame->cpus[c].kernel_times)
            kernel_times_add(&levels->levels[at].kernel_times, frame->cpus[c].kernel_times);
    }
    for (size_t i = 1; i < levels->count; i++)
        row_sum_complete(&levels->rows[i], frame);
    /* Drops an event that is unknown in one of the rows. */
    for (size_t e = 0; e < frame->events->count; e++) {
        const struct event_info *event = &frame->events->events[e];
        bool known = true;
        for (size_t i = 1; i < levels->count && event->group >= 0; i++)
            known &= row_sum_tells(event, levels->rows[i].times[event->group]);
        for (size_t i = 1; i < levels->count && !known; i++)
            levels->rows[i].counts[e] = (struct count){0};
    }
}

void cpu_level_list(const struct cpu_level *levels, const struct frame *frame,
                    const struct row *row, char *text, size_t size)
{
    size_t wanted = (size_t)(row - levels->rows), used = 0;
    *text = '\0';
    for (size_t c = 0; c < frame->cpu_count; c++) {
        int first = frame->cpus[c].cpu, last = first;
        if (wanted > 0 && levels->row_of[c] != wanted)
            continue;
        while (c + 1 < frame->cpu_count && frame->cpus[c + 1].cpu == last + 1 &&
               (wanted == 0 || levels->row_of[c + 1] == wanted)) {
            c++;
            last++;
        }
        char range[32];
        int length = snprintf(range, sizeof(range), last > first ? "%s%d-%d" : "%s%d",
                              used ? "," : "", first, last);
        if (used + (size_t)length + 2 > size) {
            snprintf(text + used, size - used, "+");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", range);
    }
}

const char *cpu_level_naming(enum view_level level, size_t i)
{
    static const char *const names[][4] = {
        [LEVEL_CPU] = {"cpu"},
        [LEVEL_CORE] = {"socket", "core", "cpus"},
        [LEVEL_SOCKET] = {"socket", "cpus"},
        [LEVEL_TYPE] = {"core_type", "cpus"},
    };
    return names[level][i];
}
