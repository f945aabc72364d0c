/* Allocation that never returns NULL: without memory the program says so and exits with status 1,
 * at once. The terminal is restored before; files are left as by a crash. Everything is freed with
 * free(): this header includes what declares that, and the functions for bytes and texts in it, as
 * snprintf(3). */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mem_alloc(size_t size);                           /* zeroed; size 0 gives a valid pointer */
void *mem_array(size_t count, size_t size);             /* zeroed; overflow of count * size exits */
void *mem_copy(const void *bytes, size_t size);         /* they are copied; may be NULL for none */
void *mem_resize(void *old, size_t count, size_t size); /* new bytes are not zeroed */
/* Frees what a pointer points to; for a local `AUTO_FREE char *text = NULL;`, which is freed
 * wherever its block ends (gcc manual, attribute cleanup). It has to be initialized. */
void mem_free_local(void *pointer);
#define AUTO_FREE __attribute__((unused, cleanup(mem_free_local)))
/* For a parameter that functions of a kind have, and this one does not need. */
#define UNUSED __attribute__((unused))
/* pointer: the address of a pointer. Frees what that points to (NULL is fine), then sets it to
 * `next`, which may have been made from the old content. */
void mem_replace(void *pointer, void *next);
_Noreturn void mem_abort(void); /* for libraries that return NULL */
/* Sets what is called before the message, to restore the terminal; NULL: nothing. */
void mem_before_abort(void (*call)(void));
char *mem_strdup(const char *text); /* NULL stays NULL */
char *mem_strndup(const char *text, size_t length);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *format, va_list args);

/* Grows `*items`, an array with room for `*room` elements of `size` bytes, to at least `need`
 * elements by doubling. New elements are zeroed. */
void mem_grow(void *items, size_t *room, size_t need, size_t size);
/* Adds an element to such an array, whose number `count` is; its address. Each argument is
 * evaluated several times. */
#define MEM_ADD(items, count, room)                                                                \
    (mem_grow(&(items), &(room), (count) + 1, sizeof(*(items))), &(items)[(count)++])

/* Inserts a zeroed element behind those that a sorted array, which grows as above, has before the
 * key; its address. compare: as of bsearch(3). */
void *mem_insert(void *items, size_t *count, size_t *room, size_t size, const void *key,
                 int (*compare)(const void *key, const void *entry));

/* Objects that are shared, by any threads, and begin with the number of their references: an int,
 * which is 1 when they are made. mem_share() adds one and returns the object; NULL stays NULL.
 * mem_drop() takes one away, and says whether it was the last one, so that the object is to be
 * freed; false for NULL. */
void *mem_share(void *object);
bool mem_drop(void *object);

/* Arrays of elements of `size` bytes that begin with a uint64_t, by which they are in order. */
void mem_sort(void *items, size_t count, size_t size);
/* The index of the first element beyond that number in a sorted array; `count`: none is. */
size_t mem_after(const void *items, size_t count, size_t size, uint64_t number);

/* Limits the addresses of this process to that many bytes, except with sanitizers, which reserve
 * more: for a helper that reads what may need any amount. */
void mem_limit(uint64_t bytes);

/* Builds with sanitizers also check invariants that are too expensive for normal use. */

/* gcc defines __SANITIZE_ADDRESS__; clang before version 21 has only the feature. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DEBUG_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(DEBUG_SANITIZED)
enum { DEBUG_CHECKS = 1 };
#else
enum { DEBUG_CHECKS = 0 };
#endif
