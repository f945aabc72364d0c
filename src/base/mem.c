#include "base/mem.h"

#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

static void (*volatile restore)(void);

void mem_before_abort(void (*call)(void))
{
    restore = call;
}

void mem_abort(void)
{
    static const char text[] = "countertop: out of memory\n";
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ending))
        pause(); /* another thread says it, and ends them all */
    if (restore)
        restore();
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(EXIT_FAILURE);
}

static void *checked(void *p)
{
    if (!p)
        mem_abort();
    return p;
}

void mem_free_local(void *pointer)
{
    free(*(void **)pointer);
}

void mem_replace(void *pointer, void *next)
{
    mem_free_local(pointer);
    *(void **)pointer = next;
}

void *mem_alloc(size_t size)
{
    return checked(calloc(1, size ? size : 1));
}

void *mem_array(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *mem_copy(const void *bytes, size_t size)
{
    void *copy = mem_alloc(size);
    return size ? memcpy(copy, bytes, size) : copy;
}

void *mem_resize(void *old, size_t count, size_t size)
{
    if (count == 0 || size == 0)
        count = size = 1;
    return checked(reallocarray(old, count, size));
}

char *mem_strdup(const char *text)
{
    return text ? checked(strdup(text)) : NULL;
}

char *mem_strndup(const char *text, size_t length)
{
    return checked(strndup(text, length));
}

char *mem_vprintf(const char *format, va_list args)
{
    char *text;
    if (vasprintf(&text, format, args) < 0)
        mem_abort();
    return text;
}

char *mem_printf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = mem_vprintf(format, args);
    va_end(args);
    return text;
}

void mem_grow(void *items, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return;
    size_t next = *room ? *room : 8;
    while (next < need)
        next *= 2;
    void *old;
    memcpy(&old, items, sizeof(old));
    char *grown = mem_resize(old, next, size);
    memset(grown + *room * size, 0, (next - *room) * size);
    memcpy(items, &grown, sizeof(grown));
    *room = next;
}

static int number_order(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

void *mem_share(void *object)
{
    if (object)
        __atomic_add_fetch((int *)object, 1, __ATOMIC_RELAXED);
    return object;
}

bool mem_drop(void *object)
{
    return object && __atomic_sub_fetch((int *)object, 1, __ATOMIC_ACQ_REL) == 0;
}

void *mem_insert(void *items, size_t *count, size_t *room, size_t size, const void *key,
                 int (*compare)(const void *key, const void *entry))
{
    mem_grow(items, room, *count + 1, size);
    char *entry = *(char **)items + (*count)++ * size;
    for (; entry > *(char **)items && compare(key, entry - size) < 0; entry -= size)
        memcpy(entry, entry - size, size);
    memset(entry, 0, size);
    return entry;
}

void mem_sort(void *items, size_t count, size_t size)
{
    if (count > 0)
        qsort(items, count, size, number_order);
}

size_t mem_after(const void *items, size_t count, size_t size, uint64_t number)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint64_t *)((const char *)items + middle * size) <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void mem_limit(uint64_t bytes)
{
    const struct rlimit most = {bytes, bytes};
    if (!DEBUG_CHECKS)
        setrlimit(RLIMIT_AS, &most);
}
