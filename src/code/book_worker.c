#include "code/book_worker.h"
#include "base/clock.h"
#include "base/thread.h"

enum { LISTINGS_MAX = 64 }; /* of an object; then all are forgotten */

/* Takes the first object of the queue off it; NULL: it is empty. */
static struct object *next_work(struct code_book *book)
{
    struct object *object = book->queue;
    if (object) {
        book->queue = object->next;
        if (!book->queue)
            book->queue_end = &book->queue;
    }
    return object;
}

/* Reads the functions of an object. The lock is held, but not while a file is read. */
static void work_read(struct code_book *book, struct object *object)
{
    enum { WAIT_PARTS = 20 }; /* reading takes a twentieth of a CPU at most */
    struct elf_image image = {0};
    char *reason = NULL;
    image.table.around = object->around;
    pthread_mutex_unlock(&book->lock);
    uint64_t began = clock_monotonic();
    object_read(object, &image, &reason);
    uint64_t now = clock_monotonic(), wait = (now - began) * WAIT_PARTS;
    pthread_mutex_lock(&book->lock);
    known_store_take(&book->known, &book->objects, object, &image, reason);
    if (object->kind == OBJECT_FILE && !object->read)
        object->same = object_same(&book->objects, object);
    object->read = true;
    object->unread = false;
    object->again = now + (wait > READ_AGAIN ? wait : READ_AGAIN);
}

/* Lists the functions that are wanted. As above. */
static void work_list(struct code_book *book, struct object *object)
{
    while (object->wanted_count > 0) {
        struct code_range range = object->wanted[--object->wanted_count];
        if (map_get(&object->listings, range.start + 1))
            continue;
        pthread_mutex_unlock(&book->lock);
        struct code_listing *listing = object_list(object, range);
        pthread_mutex_lock(&book->lock);
        if (object->listings.count >= LISTINGS_MAX)
            object_unlist(object);
        map_put(&object->listings, range.start + 1, listing);
    }
}

static void *book_work(void *argument)
{
    struct code_book *book = argument;
    pthread_mutex_lock(&book->lock);
    while (!book->stop) {
        struct object *object = next_work(book);
        if (!object) {
            pthread_cond_wait(&book->work, &book->lock);
            continue;
        }
        if (object->unread || (object->emptied && object->wanted_count > 0))
            work_read(book, object);
        work_list(book, object);
        object->queued = false;
        book->pending--;
        pthread_cond_broadcast(&book->done);
    }
    pthread_mutex_unlock(&book->lock);
    return NULL;
}

void book_enqueue(struct code_book *book, struct object *object)
{
    if (object->queued)
        return;
    if (!book->working)
        book->working = thread_start(&book->worker, "names", book_work, book) == 0;
    if (!book->working) { /* nothing is known of it */
        object->read = true;
        return;
    }
    object->queued = true;
    object->next = NULL;
    *book->queue_end = object;
    book->queue_end = &object->next;
    book->pending++;
    pthread_cond_signal(&book->work);
}

void book_ask(struct code_book *book, struct object *object, uint64_t address)
{
    if (!object->unread)
        object->around = address;
    object->unread = true;
    book_enqueue(book, object);
}
