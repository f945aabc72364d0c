/* The rows of a listing: its instructions, and the source lines that they were made from. */
#ifndef MODEL_SOURCE_LINES_H
#define MODEL_SOURCE_LINES_H

#include "code/code_book.h"

/* Which rows there are, in the order of the words of --source. */
enum source_rows { SOURCE_BOTH, SOURCE_LINES, SOURCE_NONE };

/* What a row is. */
struct code_line {
    const struct code_instruction *instruction; /* NULL: a source line */
    uint64_t address;                           /* its first one */
    struct line_place place;
    const char *inlined; /* the function that has the line, if it is inlined; NULL */
};

/* Zeroed: empty. Memory is kept from one call of source_lines_make() to the next. */
struct source_lines {
    struct line_table *table;     /* NULL: it is being read */
    struct source_file **sources; /* by file of the table; NULL: not wanted, or being read */
    bool pending;                 /* something is being read */
    struct code_line *rows;
    size_t count, room;
    size_t *row_of; /* by instruction */
    size_t row_of_room;
};

/* Replaces the rows by those of a function's listing. Lines come before their instructions, or
 * alone in the order of files and numbers. Where no lines are known the rows are instructions. */
void source_lines_make(struct source_lines *lines, const struct code_listing *listing,
                       struct code_book *book, const struct code_function *function,
                       enum source_rows rows);
void source_lines_clear(struct source_lines *lines);
void source_lines_release(struct source_lines *lines);

/* The text of a source line: "chain.c:23  for (;;) {", "vector.h:7 in push_back  ..." where it is
 * inlined. Not yet safe for a terminal. */
void source_lines_text(const struct source_lines *lines, const struct code_line *row, char *text,
                       size_t size);
/* What is inlined at a row, the outermost first: its names in `found`, which has room for
 * LINE_INLINES_MAX, and how many. */
size_t source_lines_inlined(const struct source_lines *lines, const struct code_line *row,
                            const struct line_inline **found);
/* Why there are no lines, or not all of their texts, one line; NULL: they are there. */
const char *source_lines_reason(const struct source_lines *lines);

#endif
