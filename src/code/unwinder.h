/* Unwinds copied stacks: a thread that asks a child process (code/line_child.h), which knows the
 * call frame information of what is mapped. So no call here but unwinder_wait() waits. */
#ifndef CODE_UNWINDER_H
#define CODE_UNWINDER_H

#include "code/code_book.h"
#include "code/stack_dwarf.h"

/* A stack, and then its frames. */
struct unwound {
    struct unwound *next;
    uint64_t number; /* the caller's */
    pid_t pid;
    uint64_t epoch; /* code_book_epoch() at the sample */
    struct stack_copy copy;
    unsigned char *bytes; /* copy.size of them; freed with the stack */
    bool good;            /* frames are known; false: the process or the child has ended */
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
/* Waits until all are unwound, that many ns at most. */
void unwinder_wait(struct unwinder *unwinder, uint64_t most);
/* Forgets all that are not being unwound yet. */
void unwinder_drop(struct unwinder *unwinder);

/* CPU time that it has used, ns. */
uint64_t unwinder_time(struct unwinder *unwinder);
/* Why nothing is unwound any more, which the caller frees; NULL: it is. */
char *unwinder_reason(struct unwinder *unwinder);

#endif
