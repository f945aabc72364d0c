/* Unwinds copied stacks in a thread of its own, which asks a helper (code/line_child.h) that reads
 * the call frame information of what is mapped. Stacks go in by unwinder_put() and come out by
 * unwinder_take() in the same order. No call here waits but unwinder_wait() and unwinder_free(). */
#pragma once

#include "code/code_book.h"
#include "code/stack_dwarf.h"

/* A stack: filled in by the caller of unwinder_put(), but for its frames, which the unwinder finds.
 */
struct unwound {
    struct unwound *next;
    uint64_t number; /* the caller's */
    pid_t pid;
    uint64_t epoch; /* code_book_epoch() at the sample */
    struct stack_copy copy;
    unsigned char *bytes; /* copy.size of them; freed with the stack */
    bool good;            /* frames are known; false: the process or the helper has ended */
    struct stack_frames frames;
};

struct unwinder;

struct unwinder *unwinder_new(struct code_book *book); /* shares the book */
void unwinder_free(struct unwinder *unwinder);         /* ends what it does; NULL is fine */

/* Takes over a stack. False, and it stays the caller's: there are too many already. */
bool unwinder_put(struct unwinder *unwinder, struct unwound *stack);
/* The next one that was unwound, in the order of unwinder_put(); NULL: none yet. The caller frees
 * it (unwound_free()). */
struct unwound *unwinder_take(struct unwinder *unwinder);
void unwound_free(struct unwound *stack);
/* Waits until all stacks are unwound, at most that many ns. */
void unwinder_wait(struct unwinder *unwinder, uint64_t most);
/* Frees all stacks that the thread has not begun with. */
void unwinder_drop(struct unwinder *unwinder);

/* CPU time that it has used, ns. */
uint64_t unwinder_time(struct unwinder *unwinder);
/* Why stacks are not unwound any more, one line that the caller frees; NULL: they are. */
char *unwinder_reason(struct unwinder *unwinder);
