#include "code/code_book.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/str.h"
#include "code/book_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the thread that reads objects ---- */

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

static void book_ask(struct code_book *book, struct object *object, uint64_t address);

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

/* Queues an object for what is wanted of it (object.unread, object.wanted), unless it is queued. */
static void book_enqueue(struct code_book *book, struct object *object)
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

/* Queues an object so that its functions are read, or of a large table at least those around an
 * address. */
static void book_ask(struct code_book *book, struct object *object, uint64_t address)
{
    /* What only is read again may be read elsewhere. */
    if (!object->unread || object->around == object->image.table.around)
        object->around = address;
    object->unread = true;
    book_enqueue(book, object);
}

/* Queues the question whether a process has a list of a JIT compiler that no mapping mentions: at
 * most once a second for each process. address: of the code without a name. */
static void book_look(struct code_book *book, struct code_space *space, uint64_t address)
{
    uint64_t now = clock_monotonic();
    if (now - space->looked > READ_AGAIN && book->look_count < LOOKS_MAX && wake_worker(book)) {
        space->looked = now;
        book->looks[book->look_count++] = (struct list_look){space->pid, address};
    }
}

/* ---- the book ---- */

struct code_book *code_book_new(void)
{
    struct code_book *book = mem_alloc(sizeof(*book));
    bool made;
    book->references = 1;
    pthread_mutex_init(&book->lock, NULL);
    pthread_cond_init(&book->work, NULL);
    pthread_cond_init(&book->done, NULL);
    book->lines = line_reader_new();
    book->objects.images = image_reader_new(0);
    object_for(&book->objects, OBJECT_NOTHING, "[too many objects]", "", &made)->read = true;
    object_for(&book->objects, OBJECT_KERNEL, "[kernel]", "", &made);
    return book;
}

enum { KERNEL_NUMBER = 1 };

struct code_book *code_book_share(struct code_book *book)
{
    __atomic_add_fetch(&book->references, 1, __ATOMIC_RELAXED);
    return book;
}

void code_book_drop(struct code_book *book)
{
    if (!book || __atomic_sub_fetch(&book->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct image_reader *images = book->objects.images;
    image_reader_stop(images);
    if (book->working) {
        pthread_mutex_lock(&book->lock);
        book->stop = true;
        pthread_cond_signal(&book->work);
        pthread_mutex_unlock(&book->lock);
        if (!thread_join(book->worker))
            return;
    }
    if (!line_reader_free(book->lines)) /* which uses the reader of images, too */
        return;
    free(book->queue);
    space_table_release(&book->spaces);
    object_table_release(&book->objects);
    image_reader_free(images);
    pthread_mutex_destroy(&book->lock);
    pthread_cond_destroy(&book->work);
    pthread_cond_destroy(&book->done);
    free(book);
}

void code_book_fetch(struct code_book *book, struct debug_fetch *fetch)
{
    line_reader_fetch(book->lines, fetch);
}

/* ---- what is mapped ---- */

static void map_object(struct code_book *book, struct code_space *space,
                       const struct code_mapping *mapping)
{
    struct object *object = object_mapped(&book->objects, space, mapping);
    code_space_map(space, &(struct space_mapping){mapping->start, mapping->start + mapping->size,
                                                  mapping->offset, object->number});
}

void code_book_map(struct code_book *book, pid_t pid, const struct code_mapping *mapping)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    map_object(book, space_table_get(&book->spaces, pid), mapping);
}

void code_book_exec(struct code_book *book, pid_t pid, uint64_t time)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct code_space *space = space_table_get(&book->spaces, pid);
    if (space->jit)
        __atomic_store_n(&book->objects.objects[space->jit]->list.left, true, __ATOMIC_RELAXED);
    code_space_clear(space);
    space->read = clock_monotonic(); /* its records follow */
    space->born = time;
}

void code_book_kernel_changed(struct code_book *book)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object *kernel = book->objects.objects[KERNEL_NUMBER];
    if (kernel->read && clock_monotonic() > kernel->again)
        book_ask(book, kernel, kernel->around);
}

struct maps_taker {
    struct code_book *book;
    struct code_space *space;
};

/* The kernel's records name the same file by its build-id: they stay. */
static void take_mapping(void *ctx, const struct code_mapping *mapping)
{
    struct maps_taker *taker = ctx;
    struct object_table *objects = &taker->book->objects;
    const struct space_mapping *known = code_space_find(taker->space, mapping->start);
    if (!known || known->start != mapping->start || known->offset != mapping->offset ||
        known->end != mapping->start + mapping->size ||
        !str_equal(objects->objects[known->object]->path,
                   object_mapped(objects, taker->space, mapping)->path))
        map_object(taker->book, taker->space, mapping);
}

static void read_maps(struct code_book *book, struct code_space *space)
{
    code_space_read(space, take_mapping, &(struct maps_taker){book, space});
}

void code_book_fork(struct code_book *book, pid_t parent, pid_t child)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct code_space *from = space_table_get(&book->spaces, parent);
    if (!from->read && from->count == 0) /* before both end */
        read_maps(book, from);
    code_space_copy(space_table_get(&book->spaces, child), from);
}

void code_book_know(struct code_book *book, pid_t pid)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct code_space *space = space_table_get(&book->spaces, pid);
    if (!space->read)
        read_maps(book, space);
}

/* Asks for an object that was not read yet, around an address, and again for what JIT compilers may
 * have added, where it was read. */
static void ask_for(struct code_book *book, struct object *object, uint64_t address)
{
    if (!object->read)
        book_ask(book, object, address);
    else if (object->kind == OBJECT_JIT && clock_monotonic() > object->again)
        book_ask(book, object, object->image.table.around);
}

/* The name that a process gives to code in a file that has no name for it, in the list of its JIT
 * compiler: NULL while that is read. */
static const struct known_function *known_in_list(struct code_book *book, struct object *list,
                                                  uint64_t address)
{
    ask_for(book, list, address);
    const struct known_function *known =
        list->read ? object_function(&book->objects, list, address, true) : NULL;
    if (list->read && !known)
        book_ask(book, list, address);
    return known && (known->name || !book->final || !list->unread) ? known : NULL;
}

/* Whether an object that was read has no name for the function at an address as its places count.
 * False where that is not known. */
static bool is_nameless(struct code_book *book, struct object *object, uint64_t address)
{
    if (object->offsets && !elf_image_address(&object->image, address, &address))
        return true;
    const struct known_function *known = object_function(&book->objects, object, address, false);
    return known && !known->name;
}

struct code_place code_book_place(struct code_book *book, pid_t pid, uint64_t address, bool kernel)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object **objects = book->objects.objects;
    if (kernel) {
        if (!objects[KERNEL_NUMBER]->read)
            book_ask(book, objects[KERNEL_NUMBER], address);
        return (struct code_place){KERNEL_NUMBER, address};
    }
    struct code_space *space = space_table_get(&book->spaces, pid);
    const struct space_mapping *mapping = code_space_find(space, address);
    if (!mapping && (!space->read || clock_monotonic() - space->read > READ_AGAIN)) {
        read_maps(book, space);
        mapping = code_space_find(space, address);
        objects = book->objects.objects;
    }
    if (!mapping)
        return (struct code_place){object_unmapped(&book->objects, space)->number, address};
    struct object *object = objects[objects[mapping->object]->same];
    uint64_t place = address;
    if (object->kind == OBJECT_FILE)
        place = address - mapping->start + mapping->offset;
    else if (object->kind == OBJECT_VDSO)
        place = address - mapping->start;
    ask_for(book, object, place);
    if (object->kind == OBJECT_FILE && object->read && is_nameless(book, object, place)) {
        struct object *list = space->jit ? objects[space->jit] : NULL;
        const struct known_function *known;
        if (!object->sampled || list)
            object->sampled = pid;
        if (!list)
            book_look(book, space, address);
        else if ((known = known_in_list(book, list, address)) && known->name)
            return (struct code_place){list->number, address};
    }
    return (struct code_place){object->number, place};
}

bool code_book_is_mapped(struct code_book *book, struct code_place place)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    const struct object *object = book->objects.objects[place.object];
    return object->kind != OBJECT_NOTHING || strcmp(object->name, OBJECT_UNMAPPED) != 0;
}

uint64_t code_book_epoch(struct code_book *book, pid_t pid)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    return space_table_get(&book->spaces, pid)->epoch;
}

bool code_book_mapped(struct code_book *book, pid_t pid, struct code_mapped *mapped)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    const struct code_space *space = space_table_get(&book->spaces, pid);
    if (space->version == mapped->version && space->epoch == mapped->epoch)
        return false;
    mem_grow(&mapped->mappings, &mapped->room, space->count + 1, sizeof(*mapped->mappings));
    mapped->count = 0;
    for (size_t i = 0; i < space->count; i++) {
        enum object_kind kind = book->objects.objects[space->mappings[i].object]->kind;
        if (kind == OBJECT_FILE || kind == OBJECT_VDSO)
            mapped->mappings[mapped->count++] = space->mappings[i];
    }
    mapped->version = space->version;
    mapped->epoch = space->epoch;
    return true;
}

static struct object *book_object(struct code_book *book, uint32_t number)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    return book->objects.objects[number];
}

int code_book_open(struct code_book *book, uint32_t number, bool *vdso)
{
    AUTO_FREE char *reason = NULL;
    const struct object *object = book_object(book, number); /* kind and file stay as they are */
    *vdso = object->kind == OBJECT_VDSO;
    return object->kind == OBJECT_FILE ? code_file_open(&object->file, &reason) : -1;
}

/* ---- recordings ---- */

/* Places of whole functions have the start with this bit changed, which no address of code has. */
static const uint64_t WHOLE = 1ull << 62;

struct code_place code_book_learn(struct code_book *book, const struct code_object *of,
                                  const struct code_function *function)
{
    bool made;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object_table *objects = &book->objects;
    struct object *object = object_for(objects, OBJECT_RECORDED, of->name, of->path, &made);
    if (made) {
        object->read = true;
        object->reason = object_text(objects, mem_strdup(of->reason));
    }
    if (!code_function_known(function))
        return (struct code_place){object->number, UINT64_MAX};
    if (!map_get(&object->known, function->start + 1)) {
        const char *name = function->name && *function->name ? function->name : NULL;
        struct known_function *known = mem_alloc(sizeof(*known));
        *known = (struct known_function){.start = function->start,
                                         .name = object_text(objects, mem_strdup(name))};
        map_put(&object->known, function->start + 1, known);
    }
    return (struct code_place){object->number, function->start ^ WHOLE};
}

struct code_place code_book_learn_address(struct code_book *book, struct code_place function,
                                          uint64_t address)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    if (function.address == UINT64_MAX || address == UINT64_MAX)
        return function;
    map_put(&book->objects.objects[function.object]->inside, address + 1,
            (void *)(uintptr_t)((function.address ^ WHOLE) + 1));
    return (struct code_place){function.object, address};
}

static void recorded_function(const struct object *object, uint64_t address,
                              struct code_function *function)
{
    void *inside = map_get(&object->inside, address + 1);
    uint64_t start = inside ? (uintptr_t)inside - 1 : address ^ WHOLE;
    const struct known_function *known = map_get(&object->known, start + 1);
    if (known && address != UINT64_MAX)
        *function = (struct code_function){.state = known->name ? CODE_NAMED : CODE_BOUNDED,
                                           .start = start,
                                           .name = known->name,
                                           .object = object->same,
                                           .address = inside ? address : start,
                                           .whole = !inside};
}

void code_book_learn_code(struct code_book *book, struct code_place function,
                          struct code_listing *listing, struct line_table *lines)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object *object = book->objects.objects[function.object];
    uint64_t key = (function.address ^ WHOLE) + 1;
    code_listing_drop(map_put(&object->listings, key, listing));
    line_table_drop(lines ? map_put(&object->lines, key, lines) : map_remove(&object->lines, key));
}

void code_book_learn_source(struct code_book *book, uint32_t object, struct source_file *file)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    source_file_drop(map_put(&book->objects.objects[object]->sources, str_hash(file->path), file));
}

/* ---- names ---- */

static void take_known(struct code_function *function, const struct known_function *known)
{
    if (known->size > 0 || known->name) {
        function->start = known->start;
        function->size = known->size;
        function->name = known->name;
        function->state = known->name ? CODE_NAMED : CODE_BOUNDED;
    }
}

/* The function of an object that was read, at an address as it counts, if one is known. `place`:
 * the same address as places count. */
static void known_function(struct code_book *book, struct object *object, uint64_t address,
                           uint64_t place, struct code_function *function)
{
    const struct known_function *known = object_function(&book->objects, object, address, true);
    function->address = address;
    if (known)
        take_known(function, known);
    else if (object->emptied || book->final || clock_monotonic() > object->again)
        book_ask(book, object, place);
    if (!known || (!known->name && book->final && object->kind == OBJECT_JIT && object->unread))
        function->state = CODE_PENDING;
}

/* The same of code in a file without a name for it, in the list of a process that has it mapped. */
static void function_in_list(struct code_book *book, const struct object *object, uint64_t offset,
                             struct code_function *function)
{
    const struct code_space *space =
        object->sampled ? map_get(&book->spaces.spaces, (uint64_t)object->sampled) : NULL;
    for (size_t i = 0; space && space->jit && i < space->count; i++) {
        const struct space_mapping *mapping = &space->mappings[i];
        if (mapping->object != object->number || offset < mapping->offset ||
            offset - mapping->offset >= mapping->end - mapping->start)
            continue;
        uint64_t address = mapping->start + (offset - mapping->offset);
        const struct known_function *known =
            known_in_list(book, book->objects.objects[space->jit], address);
        if (!known) {
            function->state = CODE_PENDING;
        } else if (known->name) {
            take_known(function, known);
            function->object = space->jit;
            function->address = address;
        }
        return;
    }
}

void code_book_function(struct code_book *book, struct code_place place,
                        struct code_function *function)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object **objects = book->objects.objects, *object = objects[objects[place.object]->same];
    uint64_t address = place.address;
    *function = (struct code_function){
        .state = CODE_UNKNOWN, .start = address, .address = address, .object = object->same};
    if (object->kind == OBJECT_RECORDED) {
        recorded_function(object, address, function);
        return;
    }
    ask_for(book, object, address);
    if (!object->read)
        function->state = CODE_PENDING;
    else if (!object->offsets || elf_image_address(&object->image, address, &address))
        known_function(book, object, address, place.address, function);
    if (object->read && object->kind == OBJECT_FILE && !function->name &&
        function->state != CODE_PENDING)
        function_in_list(book, object, place.address, function);
}

void code_book_function_at(struct code_book *book, uint32_t number, uint64_t address,
                           struct code_function *function)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object *object = book->objects.objects[number];
    uint64_t place = address;
    *function = (struct code_function){.state = CODE_UNKNOWN, .start = address, .object = number};
    if (!object->offsets || elf_image_offset(&object->image, address, &place))
        known_function(book, object, address, place, function);
}

struct code_listing *code_book_listing(struct code_book *book, const struct code_function *function)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object *object = book->objects.objects[function->object];
    bool known = code_function_known(function), recorded = object->kind == OBJECT_RECORDED;
    struct code_listing *listing = known ? map_get(&object->listings, function->start + 1) : NULL;
    if (listing)
        return code_listing_share(listing);
    if (known && !recorded && book->working) {
        mem_grow(&object->wanted, &object->wanted_room, object->wanted_count + 1,
                 sizeof(*object->wanted));
        object->wanted[object->wanted_count++] =
            (struct code_range){function->start, function->size};
        book_enqueue(book, object);
        return NULL;
    }
    listing = code_listing_new(function->start, 0);
    listing->reason = mem_strdup(
        !known     ? "no function is known there"
        : recorded ? "a recording has the instructions of functions that were looked at meanwhile"
                   : "no thread can read it");
    return listing;
}

size_t code_book_listed(struct code_book *book, struct code_listed **listed)
{
    size_t count = 0, room = 0;
    struct code_listing *listing;
    *listed = NULL;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    for (uint32_t i = 0; i < book->objects.count; i++)
        for (size_t at = 0; (listing = map_next(&book->objects.objects[i]->listings, &at));) {
            mem_grow(listed, &room, count + 1, sizeof(**listed));
            (*listed)[count++] = (struct code_listed){i, code_listing_share(listing)};
        }
    return count;
}

struct line_table *code_book_lines(struct code_book *book, const struct code_function *function)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    const struct object *object = book->objects.objects[function->object];
    bool known = code_function_known(function), recorded = object->kind == OBJECT_RECORDED;
    if (known && (object->kind == OBJECT_FILE || object->dump))
        return line_reader_lines(book->lines, object->number,
                                 object->dump ? &object->dump->file : &object->file, &object->image,
                                 function->start, function->size);
    struct line_table *lines =
        known && recorded ? map_get(&object->lines, function->start + 1) : NULL;
    if (lines)
        return line_table_share(lines);
    return line_table_none(mem_strdup(!known ? "no function is known there"
                                      : recorded
                                          ? "the recording has no lines of this function"
                                          : "only programs and libraries have source lines"));
}

struct source_file *code_book_source(struct code_book *book, uint32_t number, const char *path)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    const struct object *object = book->objects.objects[number];
    if (object->kind != OBJECT_RECORDED)
        return line_reader_source(book->lines, number, path);
    struct source_file *file = map_get(&object->sources, str_hash(path));
    return file ? source_file_share(file) : source_file_new(path);
}

enum code_given code_book_give_up(struct code_book *book)
{
    return line_reader_give_up(book->lines)  ? CODE_GIVEN_UP
           : line_reader_resume(book->lines) ? CODE_RESUMED
                                             : CODE_NOT_READING;
}

void code_book_object(struct code_book *book, uint32_t number, struct code_object *info)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    const struct object *object = book->objects.objects[number];
    bool file = object->kind == OBJECT_FILE || object->kind == OBJECT_RECORDED;
    *info = (struct code_object){
        .name = object->name, .path = file ? object->path : "", .reason = object->reason};
    bool read = object->image.build_id_size > 0;
    info->build_id_size = read ? object->image.build_id_size : object->file.mapping.build_id_size;
    memcpy(info->build_id, read ? object->image.build_id : object->file.mapping.build_id,
           sizeof(info->build_id));
}

/* ---- waiting ---- */

void code_book_finish(struct code_book *book)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    for (size_t i = 0; i < book->objects.count; i++) {
        struct object *object = book->objects.objects[i];
        if (object->kind == OBJECT_JIT && !object->last)
            object->again = 0;
        object->last = true;
    }
    book->final = true;
}

bool code_book_reading(struct code_book *book, struct str *text)
{
    if (line_reader_state(book->lines, text))
        return true;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    if (book->reading)
        str_printf(text, "reading names of %s (%.0f s)", book->reading->name,
                   (double)(clock_monotonic() - book->began) / 1e9);
    return book->reading;
}

/* Waits until nothing of what a book asked for is pending, nor of its lines if `lines`, for a
 * while. */
static bool wait_slice(struct code_book *book, uint64_t most, bool lines)
{
    static const uint64_t SLICE = 100000000; /* ns: so long nobody looks for signals */
    struct timespec until = clock_after(most < SLICE ? most : SLICE);
    pthread_mutex_lock(&book->lock);
    while (book->pending > 0 && pthread_cond_timedwait(&book->done, &book->lock, &until) == 0)
        ;
    bool settled = book->pending == 0;
    pthread_mutex_unlock(&book->lock);
    return (!lines || line_reader_settle(book->lines, &until)) && settled;
}

bool code_book_settle(struct code_book *book, double seconds, bool fetched)
{
    uint64_t now = clock_monotonic(), end = now + (uint64_t)(seconds * 1e9);
    bool settled, lines;
    do {
        lines = fetched || !line_reader_fetches(book->lines);
        settled = wait_slice(book, end - now, lines);
    } while (!settled && !signals_end() && (now = clock_monotonic()) < end);
    return settled && lines;
}

bool code_book_await(struct code_book *book)
{
    enum { FIRST = 1, MOST = 600 }; /* seconds: until it says so, and until it gives up */
    uint64_t began = clock_monotonic();
    bool settled = wait_slice(book, 0, false), waited = !settled, said = false;
    AUTO_STR struct str text = str_new();
    while (!settled && !signals_end()) {
        uint64_t seconds = (clock_monotonic() - began) / 1000000000;
        if (seconds >= MOST)
            break;
        str_clear(&text);
        if (seconds >= FIRST && isatty(STDERR_FILENO) && code_book_reading(book, &text)) {
            str_clean(text.text, false);
            fprintf(stderr, "\r\33[Kcountertop: %s; ^C goes on without", text.text);
            said = true;
        }
        settled = wait_slice(book, UINT64_MAX, false);
    }
    if (said)
        fputs("\r\33[K", stderr);
    return settled && waited;
}
