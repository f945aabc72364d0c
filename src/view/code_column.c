#include "view/code_column.h"
#include "model/functions.h"
#include "view/format.h"
#include "view/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct function *code_function_of(const struct view_context *context,
                                               const struct row *row)
{
    static const struct function none = {{0}, .object = {.name = "", .path = ""}};
    bool idle = row->id == 0; /* stands for any function without samples */
    return idle ? &none : &context->functions->functions[row - context->functions->rows];
}

/* Most instructions have no samples: there, no number says so. */
static bool is_told(const struct view_context *context, bool some)
{
    return some || !context->functions->listing;
}

bool code_share_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    uint64_t all = context->functions->weight;
    double part = (double)code_function_of(context, row)->weight;
    *number = all ? llround(part / (double)all * 100 * pow(10, CODE_SHARE_DECIMALS)) : 0;
    return all > 0 && is_told(context, part > 0);
}

/* In ns. */
bool code_blocked_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    *number = (int64_t)code_function_of(context, row)->waits[PROFILE_BLOCKED];
    return true;
}

bool code_preempted_number(const struct view_context *context, const struct row *row,
                           int64_t *number)
{
    *number = (int64_t)code_function_of(context, row)->waits[PROFILE_PREEMPTED];
    return true;
}

void code_wait_cell(const struct view_context *context, const struct row *row, int64_t number,
                    struct cell *cell)
{
    (void)context, (void)row;
    format_duration(cell->text, (double)number / 1e9, CODE_WAIT_WIDTH);
}

bool code_samples_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    *number = (int64_t)code_function_of(context, row)->samples;
    return is_told(context, *number > 0);
}

bool code_object_text(const struct view_context *context, const struct row *row, char *text,
                      size_t size)
{
    const struct code_object *object = &code_function_of(context, row)->object;
    bool path = context->settings->cmdline && *object->path;
    text_clean(text, size, path ? object->path : object->name, context->settings->ascii);
    return *text;
}

bool code_function_text(const struct view_context *context, const struct row *row, char *text,
                        size_t size)
{
    char name[1024];
    function_text(code_function_of(context, row), name, sizeof(name));
    text_clean(text, size, name, context->settings->ascii);
    return *text;
}

static const struct code_line *code_of(const struct view_context *context, const struct row *row)
{
    const struct functions *functions = context->functions;
    bool known = row->id != 0 && functions->listing;
    return known ? &functions->source.rows[row - functions->rows] : NULL;
}

bool code_address_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    const struct code_line *code = code_of(context, row);
    *number = code ? (int64_t)code->address : 0;
    return code;
}

void code_address_cell(const struct view_context *context, const struct row *row, int64_t number,
                       struct cell *cell)
{
    const struct code_line *code = code_of(context, row);
    if (code && code->instruction)
        snprintf(cell->text, sizeof(cell->text), "%*llx", CODE_ADDRESS_WIDTH,
                 (unsigned long long)number);
    else
        strcpy(cell->text, "-");
}

/* The place of a row among all, so that lines are in the order of their files. */
bool code_line_number(const struct view_context *context, const struct row *row, int64_t *number)
{
    *number = row->id != 0 ? row - context->functions->rows : 0;
    return row->id != 0;
}

void code_line_cell(const struct view_context *context, const struct row *row, int64_t number,
                    struct cell *cell)
{
    const struct code_line *code = code_of(context, row);
    (void)number;
    if (code && code->place.file)
        format_id(cell->text, code->place.line, CODE_LINE_WIDTH);
    else
        strcpy(cell->text, "-");
}

/* Where it leads: up, down, to another function, back; two cells. */
static const char *instruction_arrow(const struct code_instruction *instruction,
                                     const struct code_listing *listing, bool ascii)
{
    bool inside = code_listing_find(listing, instruction->target) < listing->count;
    switch ((enum code_flow)instruction->flow) {
    case FLOW_ON:
        break;
    case FLOW_CALL:
        return ascii ? "> " : "→ ";
    case FLOW_RETURN:
        return ascii ? "< " : "← ";
    case FLOW_JUMP:
    case FLOW_BRANCH:
        if (!inside)
            return ascii ? "> " : "→ ";
        return instruction->target > instruction->address ? (ascii ? "v " : "↓ ")
                                                          : (ascii ? "^ " : "↑ ");
    }
    return "  ";
}

bool code_instruction_text(const struct view_context *context, const struct row *row, char *text,
                           size_t size)
{
    const struct code_line *code = code_of(context, row);
    const struct code_listing *listing = context->functions->listing;
    bool ascii = view_marks_ascii(context->settings);
    char line[2048] = "";
    if (code && code->instruction)
        snprintf(line, sizeof(line), "%s%s", instruction_arrow(code->instruction, listing, ascii),
                 code_listing_text(listing, code->instruction));
    else if (code)
        source_lines_text(&context->functions->source, code, line, sizeof(line));
    text_clean(text, size, line, context->settings->ascii);
    return *text;
}
