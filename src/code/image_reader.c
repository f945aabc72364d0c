#include "code/image_reader.h"
#include "base/mem.h"
#include "base/signals.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

enum image_task { TO_IDENTIFY, TO_READ, TO_NAME, TASKS };

struct image_child {
    pthread_mutex_t lock; /* held while it works */
    struct helper child;
    bool used; /* it has answered */
    pid_t pid; /* which others may signal while it is not 0: by the reader's lock */
};

struct image_reader {
    pthread_mutex_t lock;
    bool stop;
    unsigned seconds;
    unsigned endless; /* names that took too long: by the lock of the child for names */
    struct image_child children[TASKS];
};

struct image_reader *image_reader_new(unsigned seconds)
{
    struct image_reader *reader = mem_alloc(sizeof(*reader));
    reader->seconds = seconds;
    pthread_mutex_init(&reader->lock, NULL);
    for (int i = 0; i < TASKS; i++)
        pthread_mutex_init(&reader->children[i].lock, NULL);
    return reader;
}

/* Returns its status as of waitpid(2). */
static int image_child_end(struct image_reader *reader, struct image_child *child)
{
    pthread_mutex_lock(&reader->lock);
    child->pid = 0;
    pthread_mutex_unlock(&reader->lock);
    return helper_end(&child->child);
}

void image_reader_stop(struct image_reader *reader)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    reader->stop = true;
    for (int i = 0; i < TASKS; i++)
        if (reader->children[i].pid > 0)
            kill(reader->children[i].pid, SIGKILL);
}

void image_reader_free(struct image_reader *reader)
{
    if (!reader)
        return;
    for (int i = 0; i < TASKS; i++) {
        struct image_child *child = &reader->children[i];
        if (child->pid > 0)
            image_child_end(reader, child);
        pthread_mutex_destroy(&child->lock);
    }
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}

/* False with the reason: it cannot be started, or is not to be. */
static bool image_child_start(struct image_reader *reader, enum image_task task, char **reason)
{
    /* Who waits for the name of a file waits for its identity first. */
    static const unsigned usual[TASKS] = {[TO_IDENTIFY] = 20, [TO_READ] = 60, [TO_NAME] = 5};
    struct image_child *child = &reader->children[task];
    struct err err = {"the program ends"};
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    if (!reader->stop && child->pid == 0 && line_child_start(&child->child, 0, NULL, &err) == 0) {
        child->pid = child->child.pid;
        line_child_limit(&child->child, reader->seconds ? reader->seconds : usual[task]);
    }
    bool good = !reader->stop && child->pid > 0;
    if (!good)
        *reason = mem_strdup(err.text);
    return good;
}

/* One that was used before may have ended for another reason than this file: a new one is asked
 * then. */
bool image_reader_read(struct image_reader *reader, enum line_image what, int fd, int debug,
                       struct elf_image *image, char **reason)
{
    bool quick = what == LINE_IMAGE_IDENTITY || what == LINE_IMAGE_CHECK;
    enum image_task task = quick ? TO_IDENTIFY : TO_READ;
    struct image_child *child = &reader->children[task];
    uint64_t around = image->table.around;
    bool found = false, done = false, used = true;
    *reason = NULL;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&child->lock);
    while (!done && used && image_child_start(reader, task, reason)) {
        used = child->used;
        image->table.around = around;
        done = line_child_image(&child->child, what, fd, debug, image, &found) == 0;
        child->used = done;
        int status = done ? 0 : image_child_end(reader, child);
        if (!done && !used)
            *reason = line_child_reason("read it", status);
    }
    return done && found;
}

char *image_reader_name(struct image_reader *reader, const char *name)
{
    enum { ENDLESS_MAX = 16 };
    struct image_child *child = &reader->children[TO_NAME];
    AUTO_FREE char *reason = NULL;
    AUTO_STR struct str text = str_new();
    if (!function_name_mangled(name))
        return function_name_shown(name, false);
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&child->lock);
    if (reader->endless < ENDLESS_MAX && image_child_start(reader, TO_NAME, &reason) &&
        line_child_name(&child->child, name, &text) < 0) {
        image_child_end(reader, child);
        reader->endless++;
    }
    return text.length > 0 ? str_detach(&text) : function_name_shown(name, false);
}
