#include "code/line_reader.h"
#include "base/signals.h"

enum {
    KEPT_MAX = 32 << 20, /* bytes of tables and sources; then all are forgotten */
    CRASHES_MAX = 3,     /* of the child over one file; then it is not read any more */
    LOWER = 10,          /* the priority of the child */
    IDLE_SECONDS = 10,   /* without a question the child is ended: it may be large */
};

/* A file whose lines are asked for. */
struct line_object {
    const struct code_file *file; /* the book's */
    struct elf_identity identity;
    struct map tables;       /* by start of the function + 1 */
    struct map sources;      /* struct source_file by hash of the path */
    struct line_table *none; /* why there are none; NULL: they are read */
    bool given_up;
    struct source_rights rights; /* of its sources: nobody's until its debug information is read */
    int crashes;
};

/* What is to be read of an object: the lines of a function, or a source. */
struct line_job {
    struct line_object *object;
    uint64_t start, size;
    char *path; /* NULL: it is a function */
};

struct line_reader {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t thread;
    struct debug_fetch *fetch; /* NULL: nobody is asked */
    uint32_t fetching;         /* its number, 0: no debug file is being fetched */
    bool working, stop;
    struct map objects;          /* struct line_object by number + 1 */
    size_t bytes;                /* of all tables and sources */
    struct line_job *jobs;       /* each one until it is done, or its object is given up */
    size_t count, room;          /* of jobs */
    struct line_object *reading; /* by the child; NULL: none */
    uint64_t began;              /* monotonic, ns: when it was asked last */
    pid_t pid;                   /* of the child, which others may signal while it is not 0 */
    bool killed;                 /* they did */
    /* Of the thread alone: */
    struct helper child;
    struct line_object *opened; /* by the child */
};

/* ---- what is kept ---- */

static void forget_lines(struct line_reader *reader, struct line_object *object)
{
    MAP_EACH (struct line_table, table, &object->tables) {
        reader->bytes -= table->bytes;
        line_table_drop(table);
    }
    map_clear(&object->tables);
}

static void forget_all(struct line_reader *reader)
{
    struct line_object *object;
    for (size_t at = 0; (object = map_next(&reader->objects, &at)); map_clear(&object->sources)) {
        forget_lines(reader, object);
        MAP_EACH (struct source_file, file, &object->sources)
            source_file_drop(file);
    }
    reader->bytes = 0;
}

/* Makes room for something of that size that is to be kept. */
static void keep_bytes(struct line_reader *reader, size_t bytes)
{
    if (reader->bytes + bytes > KEPT_MAX)
        forget_all(reader);
    reader->bytes += bytes;
}

/* From now on its functions have no lines; `given_up`: until line_reader_resume(). */
static void refuse_object(struct line_object *object, char *reason, bool given_up)
{
    line_table_drop(object->none);
    object->none = line_table_none(reason);
    object->given_up = given_up;
}

/* ---- the child ---- */

/* Ends the child, and returns its status. The lock is held, but not while it ends. */
static int end_child(struct line_reader *reader)
{
    int status = 0;
    reader->pid = 0;
    reader->killed = false;
    reader->opened = NULL;
    if (reader->child.pid > 0) {
        pthread_mutex_unlock(&reader->lock);
        status = helper_end(&reader->child);
        pthread_mutex_lock(&reader->lock);
    }
    return status;
}

/* Asks servers for the object's debug file. -1: without a reason if nobody is to be asked. */
static int fetch_debug(struct line_reader *reader, const struct line_object *object, char **reason)
{
    AUTO_FREE char *why = NULL;
    pthread_mutex_lock(&reader->lock);
    bool wanted = reader->fetch && !reader->stop && !object->given_up;
    reader->fetching = wanted ? debug_fetch_number(reader->fetch) : 0;
    uint32_t number = reader->fetching;
    pthread_mutex_unlock(&reader->lock);
    int debug = wanted ? debug_fetch_file(reader->fetch, number, object->identity.build_id,
                                          object->identity.build_id_size, &why)
                       : -1;
    pthread_mutex_lock(&reader->lock);
    reader->fetching = 0;
    pthread_mutex_unlock(&reader->lock);
    if (debug >= 0 && !code_file_is_debug(object->file, &object->identity, debug, &why)) {
        close(debug);
        debug = -1;
        why = why ? why : mem_strdup("what the server sent is not its debug file");
    }
    if (debug < 0 && why)
        *reason = mem_printf("no debug information in '%s', and none was fetched: %s",
                             object->file->mapping.path, why);
    return debug;
}

/* Gives the child the object's files, and finds the rights of its sources; what a server sent is
 * nobody's. False: it has no lines, for that reason; or where *lost is set, the child has ended.
 * Without the lock. */
static bool give_files(struct line_reader *reader, struct line_object *object, char **reason,
                       bool *lost)
{
    const struct line_request request = {.ask = LINE_OPEN};
    struct helper *child = &reader->child;
    uint32_t found = 0;
    bool fetched = false;
    AUTO_FREE char *looked = NULL, *refused = NULL;
    AUTO_CLOSE int fd = code_file_open(object->file, reason);
    if (fd < 0)
        return false;
    AUTO_CLOSE int debug = code_file_debug(object->file, &object->identity, &looked, &refused);
    *lost = line_child_ask(child, &request, fd, debug, NULL, NULL, &found) < 0;
    if (!*lost && !found && debug < 0 && object->identity.build_id_size > 0) {
        debug = fetch_debug(reader, object, reason);
        fetched = debug >= 0;
        if (fetched)
            *lost = line_child_ask(child, &request, fd, debug, NULL, NULL, &found) < 0;
    }
    if (!*lost && !found && !*reason)
        *reason = mem_printf(refused  ? "no debug information in '%s', and %s"
                             : looked ? "no debug information in '%s' and no '%s'"
                                      : "no debug information in '%s'%s",
                             object->file->mapping.path,
                             refused  ? refused
                             : looked ? looked
                                      : "");
    source_rights_find(&object->rights, object->file->pid, (int[]){fd, debug},
                       debug >= 0 && !fetched ? 2 : 1);
    if (fetched)
        object->rights = (struct source_rights){privilege_nobody, geteuid() != 0};
    return found;
}

/* ---- the thread ---- */

/* Reads a function. The lock is held, but not while files are read. */
static void read_function(struct line_reader *reader, const struct line_job *job)
{
    struct line_object *object = job->object;
    struct line_table *table = NULL;
    struct err err;
    char *reason = NULL;
    bool lost = false;
    AUTO_STR struct str text = str_new();
    struct line_request request = {.ask = LINE_READ, .start = job->start, .size = job->size};
    if (reader->killed)
        end_child(reader);
    if (reader->child.pid == 0 && line_child_start(&reader->child, LOWER, 0, NULL, &err) < 0) {
        refuse_object(object, mem_strdup(err.text), true);
        return;
    }
    reader->pid = reader->child.pid;
    pthread_mutex_unlock(&reader->lock);
    bool opened = reader->opened == object || give_files(reader, object, &reason, &lost);
    reader->opened = opened ? object : NULL;
    if (opened && line_child_ask(&reader->child, &request, -1, -1, NULL, &text, NULL) == 0)
        table = line_table_read(text.text);
    lost |= opened && !table; /* the child has ended, or says something else */
    pthread_mutex_lock(&reader->lock);
    if (lost) {
        AUTO_FREE char *worked =
            mem_printf("read the debug information of '%s'", object->file->mapping.path);
        reason = line_child_reason(worked, end_child(reader));
        object->crashes += opened ? 1 : CRASHES_MAX;
    }
    if (object->given_up) { /* meanwhile */
        line_table_drop(table);
        free(reason);
    } else if (!opened || object->crashes >= CRASHES_MAX) {
        refuse_object(object, reason, lost);
    } else {
        table = table ? table : line_table_none(reason);
        keep_bytes(reader, table->bytes);
        line_table_drop(map_put(&object->tables, job->start + 1, table));
    }
}

/* Reads a source, by a helper of its own, since that has the rights of a user. As above. */
static void read_source(struct line_reader *reader, struct line_object *object, const char *path)
{
    struct source_file *file = source_file_new(path);
    struct helper helper;
    if (source_file_begin(file, &object->rights, &helper)) {
        reader->pid = helper.pid;
        pthread_mutex_unlock(&reader->lock);
        source_file_read(file, &object->rights, object->file->pid, &helper);
        pthread_mutex_lock(&reader->lock);
        reader->pid = reader->child.pid;
        helper_end(&helper);
    }
    keep_bytes(reader, file->size);
    source_file_drop(map_put(&object->sources, str_hash(path), file));
}

static struct line_job *find_job(struct line_reader *reader, const struct line_object *object,
                                 uint64_t start, const char *path)
{
    for (size_t i = 0; i < reader->count; i++) {
        struct line_job *job = &reader->jobs[i];
        if (job->object == object &&
            (path ? str_equal(job->path, path) : !job->path && job->start == start))
            return job;
    }
    return NULL;
}

/* Sources come first, then the last functions, those of the object that is open before others. */
static struct line_job *next_job(struct line_reader *reader)
{
    struct line_job *next = NULL;
    for (size_t i = reader->count; i-- > 0;) {
        struct line_job *job = &reader->jobs[i];
        if (job->path)
            return job;
        if (!next || (next->object != reader->opened && job->object == reader->opened))
            next = job;
    }
    return next;
}

/* Does a job. The lock is held, but not while files are read. */
static void do_job(struct line_reader *reader, struct line_job job)
{
    struct line_object *object = job.object;
    if (job.path) {
        read_source(reader, object, job.path);
    } else {
        reader->reading = object;
        reader->began = clock_monotonic();
        if (!object->none && !map_get(&object->tables, job.start + 1))
            read_function(reader, &job);
        reader->reading = NULL;
    }
    struct line_job *done = find_job(reader, object, job.start, job.path);
    if (done) /* its object was not given up */
        *done = reader->jobs[--reader->count];
    free(job.path);
}

static void *reader_work(void *argument)
{
    struct line_reader *reader = argument;
    struct timespec until;
    pthread_mutex_lock(&reader->lock);
    while (!reader->stop) {
        const struct line_job *job = next_job(reader);
        if (job) {
            do_job(reader, *job);
        } else if (reader->child.pid > 0) {
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += IDLE_SECONDS;
            if (pthread_cond_timedwait(&reader->work, &reader->lock, &until) == ETIMEDOUT)
                end_child(reader);
        } else {
            pthread_cond_wait(&reader->work, &reader->lock);
        }
        pthread_cond_broadcast(&reader->done);
    }
    end_child(reader);
    pthread_mutex_unlock(&reader->lock);
    return NULL;
}

/* Unless it is asked for already. */
static void ask_for(struct line_reader *reader, const struct line_job *job)
{
    if (find_job(reader, job->object, job->start, job->path))
        return;
    *MEM_ADD(reader->jobs, reader->count, reader->room) =
        (struct line_job){job->object, job->start, job->size, mem_strdup(job->path)};
    if (!reader->working)
        reader->working = thread_start(&reader->thread, "lines", reader_work, reader) == 0;
    pthread_cond_signal(&reader->work);
}

/* ---- the door ---- */

struct line_reader *line_reader_new(void)
{
    struct line_reader *reader = mem_alloc(sizeof(*reader));
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->work, NULL);
    pthread_cond_init(&reader->done, NULL);
    reader->child.socket = -1;
    return reader;
}

void line_reader_fetch(struct line_reader *reader, struct debug_fetch *fetch)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    reader->fetch = fetch;
}

bool line_reader_free(struct line_reader *reader)
{
    struct line_object *object;
    if (!reader)
        return true;
    if (reader->working) {
        pthread_mutex_lock(&reader->lock);
        reader->stop = true;
        if (reader->fetching)
            debug_fetch_cancel(reader->fetch, reader->fetching);
        if (reader->pid > 0)
            kill(reader->pid, SIGKILL);
        pthread_cond_signal(&reader->work);
        pthread_mutex_unlock(&reader->lock);
        if (!thread_join(reader->thread))
            return false;
    }
    forget_all(reader);
    for (size_t at = 0; (object = map_next(&reader->objects, &at));) {
        map_release(&object->tables);
        map_release(&object->sources);
        line_table_drop(object->none);
        free(object);
    }
    map_release(&reader->objects);
    for (size_t i = 0; i < reader->count; i++)
        free(reader->jobs[i].path);
    free(reader->jobs);
    pthread_mutex_destroy(&reader->lock);
    pthread_cond_destroy(&reader->work);
    pthread_cond_destroy(&reader->done);
    free(reader);
    return true;
}

static struct line_object *object_of(struct line_reader *reader, uint32_t number,
                                     const struct code_file *file, const struct elf_image *image)
{
    struct line_object *object = map_get(&reader->objects, (uint64_t)number + 1);
    if (object)
        return object;
    object = mem_alloc(sizeof(*object));
    object->rights = (struct source_rights){privilege_nobody, true};
    object->file = file;
    object->identity = image->identity;
    map_put(&reader->objects, (uint64_t)number + 1, object);
    return object;
}

void line_reader_forget(struct line_reader *reader, uint32_t number)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    struct line_object *object = map_get(&reader->objects, (uint64_t)number + 1);
    if (object)
        forget_lines(reader, object);
}

struct line_table *line_reader_lines(struct line_reader *reader, uint32_t number,
                                     const struct code_file *file, const struct elf_image *image,
                                     uint64_t start, uint64_t size)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    struct line_object *object = object_of(reader, number, file, image);
    struct line_table *table = map_get(&object->tables, start + 1) ?: object->none;
    if (table)
        return mem_share(table);
    ask_for(reader, &(struct line_job){object, start, size, NULL});
    return NULL;
}

struct source_file *line_reader_source(struct line_reader *reader, uint32_t number,
                                       const char *path)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    struct line_object *object = map_get(&reader->objects, (uint64_t)number + 1);
    struct source_file *file = object ? map_get(&object->sources, str_hash(path)) : NULL;
    if (file)
        return mem_share(file);
    if (!object) /* whose lines nobody asked for */
        return source_file_new(path);
    ask_for(reader, &(struct line_job){.object = object, .path = (char *)path});
    return NULL;
}

bool line_reader_state(struct line_reader *reader, struct str *text)
{
    enum { MEGA = 1000000 };
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    const struct line_object *object = reader->reading;
    if (!object)
        return false;
    const char *name = strrchr(object->file->mapping.path, '/');
    uint64_t bytes = 0, all = 0;
    if (reader->fetching)
        debug_fetch_progress(reader->fetch, &bytes, &all);
    else
        bytes = reader->pid > 0 ? line_child_memory(reader->pid) : 0;
    str_printf(text, "%s %s (%.0f s",
               reader->fetching ? "fetching debug information of" : "reading",
               name ? name + 1 : object->file->mapping.path,
               (double)(clock_monotonic() - reader->began) / 1e9);
    if (all > 0)
        str_printf(text, ", %.1f of %.1f MB", (double)bytes / MEGA, (double)all / MEGA);
    else if (bytes > 0)
        str_printf(text, ", %.0f MB", (double)bytes / MEGA);
    str_add_char(text, ')');
    return true;
}

bool line_reader_fetches(struct line_reader *reader)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    return reader->fetching;
}

bool line_reader_give_up(struct line_reader *reader)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    struct line_object *object = reader->reading;
    if (!object)
        return false;
    refuse_object(object,
                  mem_printf("the debug information of '%s' is not read: it was given up",
                             object->file->mapping.path),
                  true);
    for (size_t i = reader->count; i-- > 0;)
        if (reader->jobs[i].object == object && !reader->jobs[i].path)
            reader->jobs[i] = reader->jobs[--reader->count];
    if (reader->fetching)
        debug_fetch_cancel(reader->fetch, reader->fetching);
    else
        reader->killed = reader->pid > 0 && kill(reader->pid, SIGKILL) == 0;
    return true;
}

bool line_reader_resume(struct line_reader *reader)
{
    bool some = false;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    MAP_EACH (struct line_object, object, &reader->objects)
        if (object->given_up && object != reader->reading) {
            object->given_up = false;
            object->crashes = 0;
            line_table_drop(object->none);
            object->none = NULL;
            some = true;
        }
    return some;
}

bool line_reader_settle(struct line_reader *reader, const struct timespec *until)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    while (reader->working && reader->count > 0 &&
           pthread_cond_timedwait(&reader->done, &reader->lock, until) == 0)
        ;
    return reader->count == 0;
}
