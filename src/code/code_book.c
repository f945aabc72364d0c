#include "code/code_book.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/str.h"
#include "code/book_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An object of a recording: its functions as they were called then, and what was kept of their
 * code. Part of code/code_book. */

/* The function at the address of a place; false: none is known. */
struct recorded_function {
    uint64_t start, address; /* `whole`: both are the start */
    const char *name;        /* NULL: it has none */
    bool whole;              /* the instruction is not known */
};

/* Places of whole functions have the start with this bit changed, which no address of code has. */
static const uint64_t WHOLE = 1ull << 62;

/* Adds a function, name NULL: it has none; the address of its place, which is that of the whole
 * function. */
static uint64_t recorded_learn(struct object *object, uint64_t start, const char *name)
{
    if (!map_get(&object->known, start + 1)) {
        struct known_function *known = mem_alloc(sizeof(*known));
        *known = (struct known_function){.start = start,
                                         .name = name && *name ? mem_strdup(name) : NULL};
        map_put(&object->known, start + 1, known);
    }
    return start ^ WHOLE;
}

/* The address of the place of an instruction of the function with such a place. */
static uint64_t recorded_address(struct object *object, uint64_t function, uint64_t address)
{
    if (function == UINT64_MAX || address == UINT64_MAX)
        return function;
    map_put(&object->inside, address + 1, (void *)(uintptr_t)((function ^ WHOLE) + 1));
    return address;
}

static bool recorded_find(const struct object *object, uint64_t address,
                          struct recorded_function *found)
{
    void *start = map_get(&object->inside, address + 1);
    found->start = start ? (uintptr_t)start - 1 : address ^ WHOLE;
    found->address = start ? address : found->start;
    found->whole = !start;
    const struct known_function *known = map_get(&object->known, found->start + 1);
    found->name = known ? known->name : NULL;
    return known && address != UINT64_MAX;
}

/* Adds the code of the function with such a place, and a source file; both are taken over. lines
 * NULL: not known. */
static void recorded_code(struct object *object, uint64_t function, struct code_listing *listing,
                          struct line_table *lines)
{
    uint64_t start = function ^ WHOLE;
    code_listing_drop(map_get(&object->listings, start + 1));
    map_put(&object->listings, start + 1, listing);
    line_table_drop(map_get(&object->lines, start + 1));
    if (lines)
        map_put(&object->lines, start + 1, lines);
    else
        map_remove(&object->lines, start + 1);
}

static size_t source_index(const struct object *object, const char *path)
{
    size_t i = 0;
    while (i < object->source_count && strcmp(object->sources[i]->path, path) != 0)
        i++;
    return i;
}

static void recorded_source(struct object *object, struct source_file *file)
{
    size_t index = source_index(object, file->path);
    mem_grow(&object->sources, &object->source_room, index + 1, sizeof(*object->sources));
    if (index < object->source_count)
        source_file_drop(object->sources[index]);
    else
        object->source_count++;
    object->sources[index] = file;
}

/* What was added, or one that says why there is nothing. The caller drops it. */
static struct code_listing *recorded_listing(const struct object *object, uint64_t start)
{
    struct code_listing *listing = map_get(&object->listings, start + 1);
    if (listing)
        return code_listing_share(listing);
    listing = code_listing_new(start, 0);
    listing->reason =
        mem_strdup("a recording has the instructions of functions that were looked at meanwhile");
    return listing;
}

static struct line_table *recorded_lines(const struct object *object, uint64_t start)
{
    struct line_table *lines = map_get(&object->lines, start + 1);
    return lines ? line_table_share(lines)
                 : line_table_none(mem_strdup("the recording has no lines of this function"));
}

static struct source_file *recorded_file(const struct object *object, const char *path)
{
    size_t index = source_index(object, path);
    if (index < object->source_count)
        return source_file_share(object->sources[index]);
    return source_file_new(path);
}

/* ---- the book ---- */

struct code_book *code_book_new(void)
{
    struct code_book *book = mem_alloc(sizeof(*book));
    bool made;
    book->references = 1;
    book->queue_end = &book->queue;
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
    space_table_release(&book->spaces);
    object_table_release(&book->objects);
    known_store_release(&book->known);
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

static struct code_space *space_for(struct code_book *book, pid_t pid)
{
    return space_table_get(&book->spaces, pid);
}

static void map_locked(struct code_book *book, struct code_space *space,
                       const struct code_mapping *mapping)
{
    struct object *object = object_mapped(&book->objects, space, mapping);
    code_space_map(space, &(struct space_mapping){mapping->start, mapping->start + mapping->size,
                                                  mapping->offset, object->number});
}

void code_book_map(struct code_book *book, pid_t pid, const struct code_mapping *mapping)
{
    pthread_mutex_lock(&book->lock);
    map_locked(book, space_for(book, pid), mapping);
    pthread_mutex_unlock(&book->lock);
}

void code_book_exec(struct code_book *book, pid_t pid, uint64_t time)
{
    pthread_mutex_lock(&book->lock);
    struct code_space *space = space_for(book, pid);
    if (space->jit)
        __atomic_store_n(&book->objects.objects[space->jit]->list.left, true, __ATOMIC_RELAXED);
    code_space_clear(space);
    space->read = clock_monotonic(); /* its records follow */
    space->born = time;
    pthread_mutex_unlock(&book->lock);
}

void code_book_kernel_changed(struct code_book *book)
{
    pthread_mutex_lock(&book->lock);
    struct object *kernel = book->objects.objects[KERNEL_NUMBER];
    if (kernel->read && clock_monotonic() > kernel->again)
        book_ask(book, kernel, kernel->around);
    pthread_mutex_unlock(&book->lock);
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
        map_locked(taker->book, taker->space, mapping);
}

static void read_maps(struct code_book *book, struct code_space *space)
{
    code_space_read(space, take_mapping, &(struct maps_taker){book, space});
}

void code_book_fork(struct code_book *book, pid_t parent, pid_t child)
{
    pthread_mutex_lock(&book->lock);
    struct code_space *from = space_for(book, parent);
    if (!from->read && from->count == 0) /* before both end */
        read_maps(book, from);
    code_space_copy(space_for(book, child), from);
    pthread_mutex_unlock(&book->lock);
}

void code_book_know(struct code_book *book, pid_t pid)
{
    pthread_mutex_lock(&book->lock);
    struct code_space *space = space_for(book, pid);
    if (!space->read)
        read_maps(book, space);
    pthread_mutex_unlock(&book->lock);
}

/* The function that is known at an address as an object's places count: as known_store_find(). */
static const struct known_function *known_at(struct code_book *book, struct object *object,
                                             uint64_t address)
{
    static const struct known_function none;
    if (object->offsets && !elf_image_address(&object->image, address, &address))
        return &none;
    return known_store_find(&book->known, &book->objects, object, address);
}

/* The name that a process gives to code in a file that has no name for it, in the list of its JIT
 * compiler: NULL while that is read. */
static const struct known_function *known_in_list(struct code_book *book, struct object *list,
                                                  uint64_t address)
{
    if (!list->read || clock_monotonic() > list->again)
        book_ask(book, list, address);
    const struct known_function *known =
        list->read ? known_store_find(&book->known, &book->objects, list, address) : NULL;
    if (list->read && !known)
        book_ask(book, list, address);
    return known && (known->name || !book->final || !list->unread) ? known : NULL;
}

static struct code_place place_locked(struct code_book *book, pid_t pid, uint64_t address,
                                      bool kernel)
{
    if (kernel) {
        if (!book->objects.objects[KERNEL_NUMBER]->read)
            book_ask(book, book->objects.objects[KERNEL_NUMBER], address);
        return (struct code_place){KERNEL_NUMBER, address};
    }
    struct code_space *space = space_for(book, pid);
    const struct space_mapping *mapping = code_space_find(space, address);
    if (!mapping && (!space->read || clock_monotonic() - space->read > READ_AGAIN)) {
        read_maps(book, space);
        mapping = code_space_find(space, address);
    }
    if (!mapping)
        return (struct code_place){object_unmapped(&book->objects, space)->number, address};
    struct object *object = book->objects.objects[mapping->object];
    const struct known_function *known;
    uint64_t place = address;
    if (object->kind == OBJECT_FILE)
        place = address - mapping->start + mapping->offset;
    else if (object->kind == OBJECT_VDSO)
        place = address - mapping->start;
    bool again = object->kind == OBJECT_JIT && clock_monotonic() > object->again;
    if (!object->read || again) /* while the process lives */
        book_ask(book, object, place);
    if (object->kind == OBJECT_FILE && object->read && (known = known_at(book, object, place)) &&
        !known->name) {
        struct object *list = space->jit ? book->objects.objects[space->jit] : NULL;
        if (!object->sampled || list)
            object->sampled = pid;
        if (!list)
            book_look(book, space, address);
        else if ((known = known_in_list(book, list, address)) && known->name)
            return (struct code_place){list->number, address};
    }
    return (struct code_place){object->number, place};
}

struct code_place code_book_place(struct code_book *book, pid_t pid, uint64_t address, bool kernel)
{
    pthread_mutex_lock(&book->lock);
    struct code_place place = place_locked(book, pid, address, kernel);
    pthread_mutex_unlock(&book->lock);
    return place;
}

bool code_book_is_mapped(struct code_book *book, struct code_place place)
{
    pthread_mutex_lock(&book->lock);
    const struct object *object = book->objects.objects[place.object];
    bool mapped = object->kind != OBJECT_NOTHING || strcmp(object->name, OBJECT_UNMAPPED) != 0;
    pthread_mutex_unlock(&book->lock);
    return mapped;
}

uint64_t code_book_epoch(struct code_book *book, pid_t pid)
{
    pthread_mutex_lock(&book->lock);
    uint64_t epoch = space_for(book, pid)->epoch;
    pthread_mutex_unlock(&book->lock);
    return epoch;
}

bool code_book_mapped(struct code_book *book, pid_t pid, struct code_mapped *mapped)
{
    pthread_mutex_lock(&book->lock);
    const struct code_space *space = space_for(book, pid);
    bool changed = space->version != mapped->version || space->epoch != mapped->epoch;
    if (changed) {
        mem_grow(&mapped->mappings, &mapped->room, space->count + 1, sizeof(*mapped->mappings));
        mapped->count = 0;
        for (size_t i = 0; i < space->count; i++) {
            enum object_kind kind = book->objects.objects[space->mappings[i].object]->kind;
            if (kind == OBJECT_FILE || kind == OBJECT_VDSO)
                mapped->mappings[mapped->count++] = space->mappings[i];
        }
        mapped->version = space->version;
        mapped->epoch = space->epoch;
    }
    pthread_mutex_unlock(&book->lock);
    return changed;
}

int code_book_open(struct code_book *book, uint32_t number, bool *vdso)
{
    char *reason = NULL;
    pthread_mutex_lock(&book->lock);
    const struct object *object = book->objects.objects[number]; /* which stays as it is */
    bool file = object->kind == OBJECT_FILE;
    *vdso = object->kind == OBJECT_VDSO;
    pthread_mutex_unlock(&book->lock);
    int fd = file ? code_file_open(&object->file, &reason) : -1;
    free(reason);
    return fd;
}

/* ---- names ---- */

struct code_place code_book_learn(struct code_book *book, const struct code_object *of,
                                  const struct code_function *function)
{
    bool made;
    pthread_mutex_lock(&book->lock);
    struct object *object = object_for(&book->objects, OBJECT_RECORDED, of->name, of->path, &made);
    if (made) {
        object->read = true;
        object->reason = mem_strdup(of->reason);
    }
    struct code_place place = {object->number, UINT64_MAX};
    if (function->state == CODE_NAMED || function->state == CODE_BOUNDED)
        place.address = recorded_learn(object, function->start, function->name);
    pthread_mutex_unlock(&book->lock);
    return place;
}

struct code_place code_book_learn_address(struct code_book *book, struct code_place function,
                                          uint64_t address)
{
    pthread_mutex_lock(&book->lock);
    struct object *object = book->objects.objects[function.object];
    function.address = recorded_address(object, function.address, address);
    pthread_mutex_unlock(&book->lock);
    return function;
}

void code_book_learn_code(struct code_book *book, struct code_place function,
                          struct code_listing *listing, struct line_table *lines)
{
    pthread_mutex_lock(&book->lock);
    recorded_code(book->objects.objects[function.object], function.address, listing, lines);
    pthread_mutex_unlock(&book->lock);
}

void code_book_learn_source(struct code_book *book, uint32_t object, struct source_file *file)
{
    pthread_mutex_lock(&book->lock);
    recorded_source(book->objects.objects[object], file);
    pthread_mutex_unlock(&book->lock);
}

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
    const struct known_function *known =
        known_store_find(&book->known, &book->objects, object, address);
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

static void function_locked(struct code_book *book, struct code_place place,
                            struct code_function *function)
{
    struct object *object = book->objects.objects[place.object];
    uint64_t address = place.address;
    *function = (struct code_function){
        .state = CODE_UNKNOWN, .start = address, .address = address, .object = object->same};
    struct recorded_function recorded;
    if (object->kind == OBJECT_RECORDED) {
        if (recorded_find(object, address, &recorded))
            *function = (struct code_function){recorded.name ? CODE_NAMED : CODE_BOUNDED,
                                               recorded.start,
                                               0,
                                               recorded.name,
                                               object->same,
                                               recorded.address,
                                               recorded.whole};
        return;
    }
    if (!object->read || (object->kind == OBJECT_JIT && clock_monotonic() > object->again))
        book_ask(book, object, address);
    if (!object->read)
        function->state = CODE_PENDING;
    else if (!object->offsets || elf_image_address(&object->image, address, &address))
        known_function(book, object, address, place.address, function);
    if (object->read && object->kind == OBJECT_FILE && !function->name &&
        function->state != CODE_PENDING)
        function_in_list(book, object, place.address, function);
}

void code_book_function(struct code_book *book, struct code_place place,
                        struct code_function *function)
{
    pthread_mutex_lock(&book->lock);
    function_locked(book, place, function);
    pthread_mutex_unlock(&book->lock);
}

void code_book_function_at(struct code_book *book, uint32_t number, uint64_t address,
                           struct code_function *function)
{
    pthread_mutex_lock(&book->lock);
    struct object *object = book->objects.objects[number];
    uint64_t place = address;
    *function = (struct code_function){.state = CODE_UNKNOWN, .start = address, .object = number};
    if (!object->offsets || elf_image_offset(&object->image, address, &place))
        known_function(book, object, address, place, function);
    pthread_mutex_unlock(&book->lock);
}

struct code_listing *code_book_listing(struct code_book *book, const struct code_function *function)
{
    bool bounds = function->state == CODE_NAMED || function->state == CODE_BOUNDED;
    pthread_mutex_lock(&book->lock);
    struct object *object = book->objects.objects[function->object];
    struct code_listing *listing = NULL;
    if (bounds && object->kind == OBJECT_RECORDED) {
        listing = recorded_listing(object, function->start);
    } else if (!bounds || !book->working) {
        listing = code_listing_new(function->start, 0);
        listing->reason =
            mem_strdup(bounds ? "no thread can read it" : "no function is known there");
    } else if ((listing = map_get(&object->listings, function->start + 1))) {
        code_listing_share(listing);
    } else {
        mem_grow(&object->wanted, &object->wanted_room, object->wanted_count + 1,
                 sizeof(*object->wanted));
        object->wanted[object->wanted_count++] =
            (struct code_range){function->start, function->size};
        book_enqueue(book, object);
    }
    pthread_mutex_unlock(&book->lock);
    return listing;
}

size_t code_book_listed(struct code_book *book, struct code_listed **listed)
{
    size_t count = 0, room = 0;
    struct code_listing *listing;
    *listed = NULL;
    pthread_mutex_lock(&book->lock);
    for (uint32_t i = 0; i < book->objects.count; i++)
        for (size_t at = 0; (listing = map_next(&book->objects.objects[i]->listings, &at));) {
            mem_grow(listed, &room, count + 1, sizeof(**listed));
            (*listed)[count++] = (struct code_listed){i, code_listing_share(listing)};
        }
    pthread_mutex_unlock(&book->lock);
    return count;
}

struct line_table *code_book_lines(struct code_book *book, const struct code_function *function)
{
    bool bounds = function->state == CODE_NAMED || function->state == CODE_BOUNDED;
    pthread_mutex_lock(&book->lock);
    const struct object *object = book->objects.objects[function->object];
    struct line_table *table;
    if (bounds && object->kind == OBJECT_RECORDED)
        table = recorded_lines(object, function->start);
    else if (!bounds || (object->kind != OBJECT_FILE && !object->dump))
        table = line_table_none(mem_strdup(bounds ? "only programs and libraries have source lines"
                                                  : "no function is known there"));
    else
        table = line_reader_lines(book->lines, object->number,
                                  object->dump ? &object->dump->file : &object->file,
                                  &object->image, function->start, function->size);
    pthread_mutex_unlock(&book->lock);
    return table;
}

struct source_file *code_book_source(struct code_book *book, uint32_t number, const char *path)
{
    pthread_mutex_lock(&book->lock);
    const struct object *object = book->objects.objects[number];
    struct source_file *recorded =
        object->kind == OBJECT_RECORDED ? recorded_file(object, path) : NULL;
    pthread_mutex_unlock(&book->lock);
    return recorded ? recorded : line_reader_source(book->lines, number, path);
}

enum code_given code_book_give_up(struct code_book *book)
{
    return line_reader_give_up(book->lines)  ? CODE_GIVEN_UP
           : line_reader_resume(book->lines) ? CODE_RESUMED
                                             : CODE_NOT_READING;
}

void code_book_object(struct code_book *book, uint32_t number, struct code_object *info)
{
    pthread_mutex_lock(&book->lock);
    const struct object *object = book->objects.objects[number];
    bool file = object->kind == OBJECT_FILE || object->kind == OBJECT_RECORDED;
    *info = (struct code_object){
        .name = object->name, .path = file ? object->path : "", .reason = object->reason};
    bool read = object->image.build_id_size > 0;
    info->build_id_size = read ? object->image.build_id_size : object->file.build_id_size;
    memcpy(info->build_id, read ? object->image.build_id : object->file.build_id,
           sizeof(info->build_id));
    pthread_mutex_unlock(&book->lock);
}

/* ---- waiting ---- */

void code_book_finish(struct code_book *book)
{
    pthread_mutex_lock(&book->lock);
    for (size_t i = 0; i < book->objects.count; i++) {
        struct object *object = book->objects.objects[i];
        if (object->kind == OBJECT_JIT && !object->last)
            object->again = 0;
        object->last = true;
    }
    book->final = true;
    pthread_mutex_unlock(&book->lock);
}

bool code_book_reading(struct code_book *book, struct str *text)
{
    if (line_reader_state(book->lines, text))
        return true;
    pthread_mutex_lock(&book->lock);
    const struct object *object = book->reading;
    if (object)
        str_printf(text, "reading names of %s (%.0f s)", object->name,
                   (double)(clock_monotonic() - book->began) / 1e9);
    pthread_mutex_unlock(&book->lock);
    return object;
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
    struct str text;
    str_init(&text);
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
    str_release(&text);
    return settled && waited;
}
