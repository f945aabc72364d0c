/* The columns of functions and instructions: numbers, texts and cells for rows of the table in
 * view/builtin_column.c, where their meaning stands. Only for views of code. */
#ifndef VIEW_CODE_COLUMN_H
#define VIEW_CODE_COLUMN_H

#include "view/cell.h"
#include "view/view_context.h"

/* Decimals of the number, and widths of the cells. */
enum {
    CODE_SHARE_DECIMALS = 2,
    CODE_WAIT_WIDTH = 9,
    CODE_ADDRESS_WIDTH = 16,
    CODE_LINE_WIDTH = 6,
};

/* False if the value is not known. */
bool code_share_number(const struct view_context *context, const struct row *row, int64_t *number);
bool code_blocked_number(const struct view_context *context, const struct row *row,
                         int64_t *number);
bool code_preempted_number(const struct view_context *context, const struct row *row,
                           int64_t *number);
void code_wait_cell(const struct view_context *context, const struct row *row, int64_t number,
                    struct cell *cell);
bool code_samples_number(const struct view_context *context, const struct row *row,
                         int64_t *number);
bool code_object_text(const struct view_context *context, const struct row *row, char *text,
                      size_t size);
bool code_function_text(const struct view_context *context, const struct row *row, char *text,
                        size_t size);
bool code_address_number(const struct view_context *context, const struct row *row,
                         int64_t *number);
void code_address_cell(const struct view_context *context, const struct row *row, int64_t number,
                       struct cell *cell);
bool code_line_number(const struct view_context *context, const struct row *row, int64_t *number);
void code_line_cell(const struct view_context *context, const struct row *row, int64_t number,
                    struct cell *cell);
bool code_instruction_text(const struct view_context *context, const struct row *row, char *text,
                           size_t size);

#endif
