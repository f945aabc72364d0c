#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/str.h"
#include "code/book_parts.h"

#include <string.h>
#include <unistd.h>

enum {
    LISTINGS_MAX = 64, /* of an object; then all are forgotten */
    LISTS_MAX = 256,   /* of JIT compilers that are kept open */
};

/* Whether the file was read for another object with its path: that one has its functions then, and
 * is object->same. The lock is held, but not while the file is looked at. */
static bool is_read_already(struct code_book *book, struct object *object)
{
    struct elf_image facts = {0};
    AUTO_FREE char *reason = NULL, *why = NULL;
    bool twin = false;
    for (size_t i = 0; i < book->objects.count && !object->read && !twin; i++) {
        const struct object *other = book->objects.objects[i];
        twin = other->kind == object->kind && other->read && str_equal(other->path, object->path);
    }
    if (!twin || object->kind != OBJECT_FILE)
        return false;
    pthread_mutex_unlock(&book->lock);
    AUTO_CLOSE int fd = code_file_open(&object->file, &reason);
    if (fd >= 0)
        image_reader_read(book->objects.images, LINE_IMAGE_IDENTITY, fd, -1, &facts, &why);
    pthread_mutex_lock(&book->lock);
    object->image = elf_image_facts(&facts);
    elf_image_release(&facts);
    object->same = object_same(&book->objects, object);
    object->read = object->same != object->number;
    return object->read;
}

/* Reads the functions of an object. The lock is held, but not while a file is read. */
static void work_read(struct code_book *book, struct object *object)
{
    enum { WAIT_PARTS = 20 }; /* reading takes a twentieth of a CPU at most */
    struct elf_image image = {0};
    struct function_table newer = {0};
    char *reason = NULL;
    bool open = object->list.fd >= 0;
    image.table.around = object->around;
    book->reading = object;
    book->began = clock_monotonic();
    pthread_mutex_unlock(&book->lock);
    bool changed = object_read(object, &image, &newer, &reason);
    pthread_mutex_lock(&book->lock);
    uint64_t now = clock_monotonic(), wait = (now - book->began) * WAIT_PARTS;
    book->reading = NULL;
    if (changed && object->kind == OBJECT_JIT)
        line_reader_forget(book->lines, object->number);
    if (changed)
        object_take(&book->objects, object, &image, &newer, reason);
    function_table_release(&newer);
    if (!open && object->list.fd >= 0 && book->lists >= LISTS_MAX) {
        close(object->list.fd);
        object->list.fd = -1;
    }
    book->lists += (size_t)(object->list.fd >= 0) - open;
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

/* Looks for the list of a process. As above. */
static void work_look(struct code_book *book)
{
    const struct list_look look = book->looks[--book->look_count];
    pthread_mutex_unlock(&book->lock);
    bool found = object_has_list(look.pid);
    pthread_mutex_lock(&book->lock);
    struct code_space *space = map_get(&book->spaces.spaces, (uint64_t)look.pid);
    if (found && space)
        book_ask(book, object_jit(&book->objects, space), look.address);
    book->pending--;
    pthread_cond_broadcast(&book->done);
}

static void *book_work(void *argument)
{
    struct code_book *book = argument;
    pthread_mutex_lock(&book->lock);
    while (!book->stop) {
        if (book->look_count > 0) {
            work_look(book);
            continue;
        }
        if (book->queued == 0) {
            pthread_cond_wait(&book->work, &book->lock);
            continue;
        }
        struct object *object = book->queue[0];
        memmove(book->queue, book->queue + 1, --book->queued * sizeof(*book->queue));
        if (is_read_already(book, object))
            object->unread = false;
        else if (object->unread || (object->emptied && object->wanted_count > 0))
            work_read(book, object);
        work_list(book, object);
        object->queued = false;
        book->pending--;
        pthread_cond_broadcast(&book->done);
    }
    pthread_mutex_unlock(&book->lock);
    return NULL;
}

/* The worker has something to do: it is started if necessary. False: that is not possible. */
static bool wake_worker(struct code_book *book)
{
    if (!book->working)
        book->working = thread_start(&book->worker, "names", book_work, book) == 0;
    book->pending += book->working;
    pthread_cond_signal(&book->work);
    return book->working;
}

void book_enqueue(struct code_book *book, struct object *object)
{
    if (object->queued)
        return;
    if (!wake_worker(book)) { /* nothing is known of it */
        object->read = true;
        return;
    }
    object->queued = true;
    mem_grow(&book->queue, &book->queue_room, book->queued + 1, sizeof(*book->queue));
    book->queue[book->queued++] = object;
}

void book_ask(struct code_book *book, struct object *object, uint64_t address)
{
    /* What only is read again may be read elsewhere. */
    if (!object->unread || object->around == object->image.table.around)
        object->around = address;
    object->unread = true;
    book_enqueue(book, object);
}

void book_look(struct code_book *book, struct code_space *space, uint64_t address)
{
    uint64_t now = clock_monotonic();
    if (now - space->looked > READ_AGAIN && book->look_count < LOOKS_MAX && wake_worker(book)) {
        space->looked = now;
        book->looks[book->look_count++] = (struct list_look){space->pid, address};
    }
}
