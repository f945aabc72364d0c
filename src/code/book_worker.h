/* The thread of a code book that reads objects: it has a queue of them, and alone waits for files.
 * Part of code/code_book, whose lock is held at each call. */
#ifndef CODE_BOOK_WORKER_H
#define CODE_BOOK_WORKER_H

#include "code/known_store.h"
#include "code/line_reader.h"
#include "code/object_table.h"

#include <pthread.h>

enum {
    LOOKS_MAX = 64,          /* for lists of JIT compilers at a time */
    READ_AGAIN = 1000000000, /* ns between two readings of something that may have changed */
};

struct code_book {
    int references; /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t worker;
    bool working, stop, final;
    size_t lists; /* that are open */
    struct list_look {
        pid_t pid;
        uint64_t address; /* of code without a name */
    } looks[LOOKS_MAX];   /* for lists of processes of which no mapping says that they have one */
    size_t look_count;
    struct object_table objects;
    struct known_store known;
    struct line_reader *lines;
    struct space_table spaces;
    size_t pending;
    struct object *queue, **queue_end;
    const struct object *reading; /* NULL: none */
    uint64_t began;               /* monotonic, ns: to read it */
};

/* Asks for the functions of an object, or at least those around an address of its places. */
void book_ask(struct code_book *book, struct object *object, uint64_t address);
/* Asks for what is wanted of an object. */
void book_enqueue(struct code_book *book, struct object *object);
/* Asks whether a process, of which no mapping says so, has a list of a JIT compiler: now and then,
 * since files may have their names there. */
void book_look(struct code_book *book, struct code_space *space, uint64_t address);

#endif
