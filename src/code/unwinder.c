#include "code/unwinder.h"
#include "base/signals.h"
#include "code/line_child.h"

enum {
    WAITING_MAX = 256,  /* stacks of up to 64 KiB */
    CRASHES_MAX = 3,    /* of the child; then nothing is unwound any more */
    STEP_SECONDS = 2,   /* that the child may need for a stack */
    FIRST_SECONDS = 10, /* ... with new files */
};

/* What the child knows of a process. */
struct unwound_space {
    pid_t pid; /* 0: nothing */
    struct code_mapped mapped;
    uint64_t used;
};

struct unwinder {
    struct code_book *book;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t thread;
    bool working, stop;
    struct unwound *first, **end; /* all, in the order in which they came */
    struct unwound *busy;         /* is being unwound; those before it are ready; NULL: none is */
    struct unwound *next;         /* the first one that waits; NULL: none does */
    size_t waiting;
    pid_t pid;     /* of the child; 0: none */
    uint64_t time; /* that its predecessors used */
    char *reason;  /* NULL: it unwinds */
    /* Of the thread alone: */
    struct helper child;
    int crashes;
    uint64_t uses;
    struct unwound_space spaces[LINE_CHILD_SPACES];
};

void unwound_free(struct unwound *stack)
{
    free(stack->bytes);
    free(stack);
}

/* Frees the stacks that wait. */
static void drop_waiting(struct unwinder *unwinder)
{
    struct unwound **last = &unwinder->first, *stack;
    while (*last != unwinder->next)
        last = &(*last)->next;
    while ((stack = unwinder->next)) {
        unwinder->next = stack->next;
        unwound_free(stack);
    }
    *last = NULL;
    unwinder->end = last;
    unwinder->waiting = 0;
}

/* ---- the child; of the thread, without the lock ---- */

static void forget_space(struct unwound_space *space)
{
    free(space->mapped.mappings);
    *space = (struct unwound_space){0};
}

static void end_unwinding(struct unwinder *unwinder)
{
    if (unwinder->child.pid == 0)
        return;
    pthread_mutex_lock(&unwinder->lock);
    unwinder->time += clock_cpu_of(unwinder->pid);
    unwinder->pid = 0;
    pthread_mutex_unlock(&unwinder->lock);
    int status = helper_end(&unwinder->child);
    for (size_t s = 0; s < LINE_CHILD_SPACES; s++)
        forget_space(&unwinder->spaces[s]);
    pthread_mutex_lock(&unwinder->lock);
    if (!unwinder->stop && ++unwinder->crashes >= CRASHES_MAX)
        unwinder->reason = line_child_reason("unwinds them", status);
    pthread_mutex_unlock(&unwinder->lock);
}

static bool start_unwinding(struct unwinder *unwinder)
{
    struct err err;
    if (unwinder->child.pid > 0)
        return true;
    int result = line_child_start(&unwinder->child, 0, 0, NULL, &err);
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&unwinder->lock);
    if (result < 0)
        unwinder->reason = mem_strdup(err.text);
    else
        unwinder->pid = unwinder->child.pid;
    return result == 0;
}

static struct unwound_space *space_of(struct unwinder *unwinder, pid_t pid)
{
    struct unwound_space *oldest = unwinder->spaces;
    for (size_t s = 0; s < LINE_CHILD_SPACES; s++) {
        struct unwound_space *space = &unwinder->spaces[s];
        if (space->pid == pid)
            return space;
        if (space->used < oldest->used)
            oldest = space;
    }
    forget_space(oldest);
    return oldest;
}

static bool knows(const struct unwound_space *space, const struct space_mapping *mapping)
{
    for (size_t i = 0; i < space->mapped.count; i++)
        if (space->mapped.mappings[i].start == mapping->start &&
            space->mapped.mappings[i].object == mapping->object)
            return true;
    return false;
}

/* Tells the child what the process has mapped since; -1: it has ended. */
static int tell_mappings(struct unwinder *unwinder, struct unwound_space *space, pid_t pid)
{
    unsigned number = (unsigned)(space - unwinder->spaces);
    struct code_mapped now = {.version = space->mapped.version, .epoch = space->mapped.epoch};
    bool fresh = space->pid == 0;
    if (!code_book_mapped(unwinder->book, pid, &now) && !fresh)
        return 0;
    line_child_limit(&unwinder->child, FIRST_SECONDS);
    if (fresh || now.epoch != space->mapped.epoch) {
        forget_space(space);
        struct line_request forget = {.ask = STACK_FORGET, .space = number};
        if (line_child_ask(&unwinder->child, &forget, -1, -1, NULL, NULL, NULL) < 0) {
            free(now.mappings);
            return -1;
        }
    }
    int result = 0;
    for (size_t i = 0; i < now.count && result == 0; i++) {
        const struct space_mapping *mapping = &now.mappings[i];
        if (knows(space, mapping))
            continue;
        bool vdso;
        int fd = code_book_open(unwinder->book, mapping->object, &vdso);
        struct line_request add = {STACK_ADD, number, mapping->start, mapping->offset, 0};
        if (fd >= 0 || vdso)
            result = line_child_ask(&unwinder->child, &add, fd, -1, NULL, NULL, NULL);
        file_close(fd);
    }
    free(space->mapped.mappings);
    space->mapped = now;
    space->pid = pid;
    return result;
}

static void unwind(struct unwinder *unwinder, struct unwound *stack)
{
    if (unwinder->reason || !start_unwinding(unwinder))
        return;
    struct unwound_space *space = space_of(unwinder, stack->pid);
    int result = tell_mappings(unwinder, space, stack->pid);
    space->used = ++unwinder->uses;
    if (result == 0 && space->mapped.epoch == stack->epoch) {
        result = line_child_unwind(&unwinder->child, (unsigned)(space - unwinder->spaces),
                                   &stack->copy, stack->bytes, &stack->frames);
        stack->good = result == 0;
        line_child_limit(&unwinder->child, STEP_SECONDS);
    }
    if (result < 0)
        end_unwinding(unwinder);
}

/* ---- the thread ---- */

static void *unwinder_work(void *argument)
{
    struct unwinder *unwinder = argument;
    start_unwinding(unwinder); /* before there is something to do */
    pthread_mutex_lock(&unwinder->lock);
    while (!unwinder->stop) {
        struct unwound *stack = unwinder->next;
        if (!stack) {
            pthread_cond_wait(&unwinder->work, &unwinder->lock);
            continue;
        }
        unwinder->busy = stack;
        unwinder->next = stack->next;
        unwinder->waiting--;
        pthread_mutex_unlock(&unwinder->lock);
        unwind(unwinder, stack);
        pthread_mutex_lock(&unwinder->lock);
        unwinder->busy = NULL;
        pthread_cond_broadcast(&unwinder->done);
    }
    pthread_mutex_unlock(&unwinder->lock);
    end_unwinding(unwinder);
    return NULL;
}

/* ---- the door ---- */

struct unwinder *unwinder_new(struct code_book *book)
{
    struct unwinder *unwinder = mem_alloc(sizeof(*unwinder));
    unwinder->book = mem_share(book);
    unwinder->end = &unwinder->first;
    pthread_mutex_init(&unwinder->lock, NULL);
    pthread_cond_init(&unwinder->work, NULL);
    pthread_cond_init(&unwinder->done, NULL);
    unwinder->working = thread_start(&unwinder->thread, "stacks", unwinder_work, unwinder) == 0;
    if (!unwinder->working)
        unwinder->reason = mem_strdup("no thread could be started for them");
    return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
    if (!unwinder)
        return;
    if (unwinder->working) {
        pthread_mutex_lock(&unwinder->lock);
        unwinder->stop = true;
        if (unwinder->pid > 0)
            kill(unwinder->pid, SIGKILL);
        pthread_cond_signal(&unwinder->work);
        pthread_mutex_unlock(&unwinder->lock);
        if (!thread_join(unwinder->thread))
            return;
    }
    unwinder->next = unwinder->first;
    drop_waiting(unwinder);
    free(unwinder->reason);
    pthread_mutex_destroy(&unwinder->lock);
    pthread_cond_destroy(&unwinder->work);
    pthread_cond_destroy(&unwinder->done);
    code_book_drop(unwinder->book);
    free(unwinder);
}

bool unwinder_put(struct unwinder *unwinder, struct unwound *stack)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&unwinder->lock);
    if (unwinder->reason || unwinder->waiting >= WAITING_MAX)
        return false;
    stack->next = NULL;
    *unwinder->end = stack;
    unwinder->end = &stack->next;
    if (unwinder->waiting++ == 0)
        unwinder->next = stack;
    pthread_cond_signal(&unwinder->work);
    return true;
}

struct unwound *unwinder_take(struct unwinder *unwinder)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&unwinder->lock);
    struct unwound *stack = unwinder->first;
    if (!stack || stack == unwinder->busy || stack == unwinder->next)
        return NULL;
    unwinder->first = stack->next;
    if (!unwinder->first)
        unwinder->end = &unwinder->first;
    return stack;
}

void unwinder_wait(struct unwinder *unwinder, uint64_t most)
{
    struct timespec until = clock_after(most);
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&unwinder->lock);
    while ((unwinder->waiting > 0 || unwinder->busy) && !unwinder->reason &&
           pthread_cond_timedwait(&unwinder->done, &unwinder->lock, &until) == 0)
        ;
}

void unwinder_drop(struct unwinder *unwinder)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&unwinder->lock);
    drop_waiting(unwinder);
}

uint64_t unwinder_time(struct unwinder *unwinder)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&unwinder->lock);
    return unwinder->time + (unwinder->pid > 0 ? clock_cpu_of(unwinder->pid) : 0);
}

char *unwinder_reason(struct unwinder *unwinder)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&unwinder->lock);
    return mem_strdup(unwinder->reason);
}
