/* The source lines of a function's instructions, and the functions that the compiler has inlined
 * into it. Immutable and shared by reference once it is made.
 *
 * It is told as a text, by the child process that reads debug information (code/line_child.h), and
 * by recordings; numbers of files count from 0, addresses are as struct code_function's start
 * counts:
 *
 *   f PATH                                a source file
 *   r ADDRESS FILE LINE                   from there on; line 0 if there is none
 *   i START END DEPTH FILE LINE NAME      an inlined function, depth from 1, and its call
 *   n TEXT                                why not all is known */
#pragma once

#include "base/base.h"

struct line_row {
    uint64_t address; /* up to the next one's */
    uint32_t file, line;
};

struct line_inline {
    uint64_t start, end;
    uint32_t depth; /* 1: inlined into the function itself */
    uint32_t file, line;
    char *name; /* safe on a terminal, as all texts here */
};

struct line_table {
    int references; /* atomic */
    char *reason;   /* why nothing or not all is known, one line; NULL */
    char **files;
    size_t file_count, file_room;
    struct line_row *rows; /* ascending */
    size_t count, room;
    struct line_inline *inlines; /* ascending by depth */
    size_t inline_count, inline_room;
    size_t bytes; /* of memory, about */
};

/* A line of a file. */
struct line_place {
    const char *file; /* NULL: not known */
    uint32_t line;
};

/* One that says why nothing is known: takes over the reason. One reference. */
struct line_table *line_table_none(char *reason);
/* Reads the text, each line with its newline, and writes NUL bytes into it; the table keeps copies.
 * Returns one reference; NULL: it is not such a text. */
struct line_table *line_table_read(char *text);
void line_table_write(const struct line_table *table, struct str *text); /* such a text */
void line_table_drop(struct line_table *table);                          /* NULL is fine */

/* The line of an instruction; file NULL: none. */
struct line_place line_table_find(const struct line_table *table, uint64_t address);

/* The functions that are inlined at an address, the outermost first, as far as there is room;
 * returns how many. */
enum { LINE_INLINES_MAX = 64 };
size_t line_table_inlined(const struct line_table *table, uint64_t address,
                          const struct line_inline *found[LINE_INLINES_MAX]);
