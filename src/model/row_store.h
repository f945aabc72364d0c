/* Arrays of rows that frames give back, for the next ones: where all tasks are listed they are
 * large blocks, which the kernel would have to map and clear for each frame. Frames are freed in
 * the thread that makes them. */
#ifndef MODEL_ROW_STORE_H
#define MODEL_ROW_STORE_H

#include <stddef.h>

struct row_store;

enum row_array { ROWS_THREADS, ROWS_PROCESSES, ROW_ARRAYS };

struct row_store *row_store_new(void);
/* Frames share it with who made it: the last one frees it. */
struct row_store *row_store_share(struct row_store *store);
void row_store_drop(struct row_store *store); /* NULL is fine */

/* An array of at least that many rows of a size, not zeroed; *room gets their number. It is freed
 * or given back. store NULL: a new one. */
void *row_store_take(struct row_store *store, enum row_array which, size_t need, size_t size,
                     size_t *room);
/* store NULL: frees it. */
void row_store_give(struct row_store *store, enum row_array which, void *rows, size_t room);

#endif
