/* Reads the source lines and inlined functions of functions: a thread that asks a child process
 * (code/line_child.h), so no call here waits for a file. All functions may be called by any thread.
 * Part of code/code_book. */
#pragma once

#include "code/code_file.h"
#include "code/debug_fetch.h"
#include "code/line_table.h"
#include "code/source_file.h"

struct line_reader;

struct line_reader *line_reader_new(void);
/* As code_book_fetch(). */
void line_reader_fetch(struct line_reader *reader, struct debug_fetch *fetch);
/* Ends what it does; NULL is fine. False if its thread does not end (thread_join()): then what the
 * thread uses has to stay, too. */
bool line_reader_free(struct line_reader *reader);

/* The lines of a function of a file; NULL while they are read: ask again. Where there are none the
 * table is empty and has the reason. `object` is the file's number, `image` what was read of it;
 * the file lives as long as the reader. The caller drops it. */
struct line_table *line_reader_lines(struct line_reader *reader, uint32_t object,
                                     const struct code_file *file, const struct elf_image *image,
                                     uint64_t start, uint64_t size);
/* Code of the object has changed: its functions are read again. */
void line_reader_forget(struct line_reader *reader, uint32_t object);
/* The text of a source file, which lines of the object name; NULL while it is read. The caller
 * drops it. */
struct source_file *line_reader_source(struct line_reader *reader, uint32_t object,
                                       const char *path);

/* "reading librbd.so.1 (3 s, 350 MB)", "fetching debug information of librbd.so.1 (3 s, 12 of 80
 * MB)"; false: nothing is being read. */
bool line_reader_state(struct line_reader *reader, struct str *text);
/* Whether a debug file is being fetched; nothing else is read meanwhile. */
bool line_reader_fetches(struct line_reader *reader);
/* Ends the reading or fetching of what is read now: that file has no lines until
 * line_reader_resume(). False: nothing is being read. */
bool line_reader_give_up(struct line_reader *reader);
/* Reads files again that were given up, or whose reading ended the child. False: none was. */
bool line_reader_resume(struct line_reader *reader);

/* Waits until nothing is to be read, until a time of CLOCK_REALTIME at most; false: something still
 * is. */
bool line_reader_settle(struct line_reader *reader, const struct timespec *until);
