/* What was read out of debug information, kept on disk: in countertop/lines below $XDG_CACHE_HOME
 * or ~/.cache a file for each build-id, to which functions are added. Bounded: when it is larger
 * than 64 MB, the files that were not changed for longest are removed. It only keeps what files of
 * root or of this user say: other files may have any build-id. */
#ifndef CODE_LINE_CACHE_H
#define CODE_LINE_CACHE_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/* A function in it; `text` is that of code/line_table.h, which may be changed. */
typedef void line_cache_take(void *ctx, uint64_t start, uint64_t size, char *text);

/* Calls back with all functions that are kept for the build-id. */
void line_cache_read(const unsigned char *build_id, size_t size, line_cache_take *take, void *ctx);

/* Adds a function. What cannot be written is not kept. */
void line_cache_add(const unsigned char *build_id, size_t size, uint64_t start,
                    uint64_t function_size, const char *text);

/* Calls back with all functions in the content of such a file, which is changed; what is damaged
 * ends it. */
void line_cache_parse(char *content, size_t length, line_cache_take *take, void *ctx);

/* Removes the oldest files if there are too many bytes. */
void line_cache_tidy(void);

#endif
