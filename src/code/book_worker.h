/* The thread of a code book that reads objects: it has a queue of them, and alone waits for files.
 * Part of code/code_book, whose lock is held at each call. */
#ifndef CODE_BOOK_WORKER_H
#define CODE_BOOK_WORKER_H

#include "code/known_store.h"
#include "code/line_reader.h"
#include "code/object_table.h"

#include <pthread.h>

enum { READ_AGAIN = 1000000000 }; /* ns between two readings of something that may have changed */

struct code_book {
    int references; /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t worker;
    bool working, stop;
    struct object_table objects;
    struct known_store known;
    struct line_reader *lines;
    struct space_table spaces;
    size_t pending;
    struct object *queue, **queue_end;
};

/* Asks for the functions of an object, or at least those around an address of its places. */
void book_ask(struct code_book *book, struct object *object, uint64_t address);
/* Asks for what is wanted of an object. */
void book_enqueue(struct code_book *book, struct object *object);

#endif
