#include "code/code_book.h"
#include "base/signals.h"
#include "code/line_reader.h"
#include "system/procfs.h"

#include <link.h>
#include <sys/auxv.h>

/* The parts of a book: its objects, the tables of their functions, and the thread that reads them.
 * An object is something with functions that is mapped into processes: a file, the kernel, the
 * vdso, code that was made at run time, or an object of a recording. The book owns them all until
 * it is freed; its lock is held at each call, but for those that may take long. */

enum object_kind {
    OBJECT_FILE,
    OBJECT_KERNEL,
    OBJECT_VDSO,
    OBJECT_JIT,
    OBJECT_NOTHING,
    OBJECT_RECORDED
};

struct code_range {
    uint64_t start, size;
};

/* Where a process tells the code that it makes: a jitdump that it has mapped, else
 * /tmp/perf-PID.map. It stays open, and is read to its end after the process has ended, too. When
 * the object is made its process and path are found out; from then on the thread that reads objects
 * has all of it but `left`. */
struct jit_list {
    int fd;             /* -1: not open */
    bool dump;          /* it is a jitdump */
    char path[64];      /* of the map, as the process names it; "": it had ended before */
    bool here;          /* ... which is the same for us */
    uid_t uid;          /* of the process */
    const char *remedy; /* what makes its program write one; NULL: not known */
    uint64_t start;     /* of the process, clock ticks after boot */
    uint64_t born;      /* monotonic, ns: when it began to execute its program, if that was seen */
    struct timespec time; /* of the last change before it was read */
    off_t size;           /* ... and its size then */
    uint64_t listed;      /* of a map: up to there it was read; 0: nothing */
    char tail[64];        /* ... and what stands before: a file that was written anew has others */
    bool left;            /* atomic: the process executes another program now */
};

/* A function that was shown. */
struct known_function {
    uint64_t start, size;
    const char *name; /* as shown, one of the table's texts; NULL: it has none */
    bool mangled;     /* not as shown yet, but as in the file */
};

struct object {
    uint32_t number;
    uint32_t same; /* the first one with the same file: the kernel tells a mapping by build-id, */
                   /* /proc/PID/maps by device and inode. Else its own number */
    enum object_kind kind;
    char *name, *path;
    const char *reason;    /* why not all functions have names; as struct code_object has it */
    struct code_file file; /* its path is the object's */
    bool read, queued;
    bool offsets;         /* addresses of its places are offsets in the file, until it is read */
    bool last;            /* what JIT compilers have listed is read once more, or was */
    uint64_t again;       /* monotonic, ns: not read again before, where it may change */
    struct jit_list list; /* of code made at run time */
    struct object *dump;  /* atomic: of such code, the object of its jitdump; NULL: none */
    pid_t sampled;        /* of a file: a process with a sample in code of it without a name; 0 */
    struct elf_image image;
    uint64_t around; /* a place that is wanted: where a table that is too large has its functions */
    uint64_t used;   /* when its table was asked last, as the book counts */
    bool emptied;    /* its table was given up for others, and is read again when it is needed */
    struct map known;   /* struct known_function, by start + 1 */
    struct map answers; /* what was found, by address + 1: struct known_function, some of `known` */
    struct map listings;       /* by start of the function + 1 */
    struct code_range *wanted; /* functions to be listed */
    size_t wanted_count, wanted_room;
    /* Of a recording: starts of functions + 1 by addresses in them + 1, line tables by start + 1,
     * source files by the hash of their paths. */
    struct map inside, lines, sources;
    bool unread; /* in the queue to be read, not only to be listed */
};

/* --- Reading an object: for the thread that reads, without the lock --- */

/* Drops all listings of an object. */
static void object_unlist(struct object *object)
{
    MAP_EACH (struct code_listing, listing, &object->listings)
        code_listing_drop(listing);
    map_clear(&object->listings);
}

static void object_free(struct object *object)
{
    MAP_EACH (struct line_table, lines, &object->lines)
        line_table_drop(lines);
    MAP_EACH (struct source_file, source, &object->sources)
        source_file_drop(source);
    map_free(&object->known);
    map_release(&object->answers);
    map_release(&object->inside);
    map_release(&object->lines);
    map_release(&object->sources);
    object_unlist(object);
    map_release(&object->listings);
    free(object->wanted);
    file_close(object->list.fd);
    elf_image_release(&object->image);
    free(object->name);
    free(object->path);
    free(object);
}

/* Whether the process of code made at run time still has it. */
enum jit_life {
    JIT_LIVES,
    JIT_ENDED,
    JIT_LEFT /* it executed another program, or another process has its number */
};

static enum jit_life jit_life(struct object *object)
{
    struct procfs_task task;
    if (__atomic_load_n(&object->list.left, __ATOMIC_RELAXED))
        return JIT_LEFT;
    if (procfs_task(object->file.pid, 0, &task) < 0)
        return JIT_ENDED;
    return object->list.start == task.start ? JIT_LIVES : JIT_LEFT;
}

/* Whether a file was written after the process began to execute its program: files of others with
 * the same number, and of its program before, stay where they are. Times of files are some ms old.
 */
static bool is_of_program(const struct jit_list *list, const struct timespec *written)
{
    enum { NANO = 1000000000, SLACK = 20000000 };
    uint64_t tick = NANO / (uint64_t)sysconf(_SC_CLK_TCK), age = clock_boot() - list->start * tick;
    uint64_t since = clock_monotonic() - list->born;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    age = list->born && since < age ? since : age;
    int64_t idle = (now.tv_sec - written->tv_sec) * (int64_t)NANO + now.tv_nsec - written->tv_nsec;
    return idle <= (int64_t)age + SLACK;
}

/* Opens /tmp/perf-PID.map. Anyone may make a link in /tmp, and a mount of his own there: neither
 * may lead root to files of others. */
static int open_map(struct jit_list *list, pid_t pid)
{
    int fd = procfs_open_inside(pid, list->path, O_NOFOLLOW);
    /* Some write it when they end (java -XX:+DumpPerfMapAtExit). */
    return fd < 0 && list->here ? procfs_open_inside(0, list->path, O_NOFOLLOW) : fd;
}

/* Whether the process has the same /tmp. Of one that has just ended that is not known any more:
 * then yes, if it had the same number inside. */
static bool has_our_tmp(pid_t pid)
{
    struct stat its, ours;
    AUTO_CLOSE int root = procfs_open_root(pid);
    if (root < 0)
        return (procfs_inner(pid, 0) ?: pid) == pid;
    return fstatat(root, "tmp", &its, 0) == 0 && stat("/tmp", &ours) == 0 &&
           its.st_dev == ours.st_dev && its.st_ino == ours.st_ino;
}

static void list_name(struct jit_list *list, pid_t pid)
{
    snprintf(list->path, sizeof(list->path), "/tmp/perf-%d.map",
             (int)(procfs_inner(pid, 0) ?: pid));
}

/* Finds out where the process of code that is made at run time may list it, while it lives: a list
 * that it leaves when it ends is read only then. For the lock's holder: it asks /proc alone. */
static void object_find_list(struct object *object)
{
    struct jit_list *list = &object->list;
    struct procfs_task task;
    if (procfs_task(object->file.pid, 0, &task) < 0)
        return;
    list->start = task.start;
    list->uid = procfs_uid(object->file.pid, 0);
    list->here = has_our_tmp(object->file.pid);
    list_name(list, object->file.pid);
}

/* Whether a process has a list of code made at run time. May take long. */
static bool object_has_list(pid_t pid)
{
    struct jit_list list = {0};
    list_name(&list, pid);
    AUTO_CLOSE int fd = open_map(&list, pid);
    return fd >= 0;
}

/* What makes a program list the code that it makes, by a file that it has mapped; NULL: not known.
 * Java: jcmd(1) of JDK 17. Node.js: `node --v8-options`. .NET: learn.microsoft.com, "Runtime
 * configuration options for debugging and profiling". Python: "Python support for the Linux perf
 * profiler" in its documentation. */
static const char *list_switch(pid_t pid)
{
    static const struct {
        const char *mapped, *remedy;
    } runtimes[] = {
        {"/libjvm.so\n", "'jcmd PID Compiler.perfmap' writes it (from JDK 17 on), or java "
                         "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit at its end; "
                         "-XX:+PreserveFramePointer gives callers"},
        {"/node\n", "start node with --perf-basic-prof"},
        {"/libcoreclr.so\n", "start it with DOTNET_PerfMapEnabled=1"},
        {"/python3",
         "start it with 'python3 -X perf' or PYTHONPERFSUPPORT=1 (from Python 3.12 on)"},
    };
    ssize_t length;
    AUTO_FREE char *maps = code_space_maps(pid, &length);
    for (size_t i = 0; length > 0 && i < sizeof(runtimes) / sizeof(*runtimes); i++)
        if (strstr(maps, runtimes[i].mapped))
            return runtimes[i].remedy;
    return NULL;
}

/* Replaces the file that is open; nothing of it was read. */
static void take_list(struct jit_list *list, int fd)
{
    file_close(list->fd);
    list->fd = fd;
    list->size = -1;
    list->listed = 0;
}

/* Opens the jitdump, unless it is open. */
static char *open_dump(struct jit_list *list, const struct code_file *file)
{
    char *reason = NULL;
    int fd = list->dump ? -1 : code_file_open(file, &reason);
    if (fd < 0)
        return reason;
    take_list(list, fd);
    list->dump = true;
    return NULL;
}

/* Opens the map, unless it is open, or another one if that is there now; the reason why not. */
static char *open_list(struct object *object)
{
    struct jit_list *list = &object->list;
    struct stat old = {0}, new;
    char *reason = NULL;
    enum jit_life life = jit_life(object);
    if (life != JIT_LIVES && list->fd >= 0)
        return NULL;
    if (life == JIT_LEFT || (life == JIT_ENDED && !list->here))
        return mem_strdup("the process ended before a list of its code was read");
    int fd = open_map(list, object->file.pid);
    if (fd < 0 && !list->remedy)
        list->remedy = list_switch(object->file.pid);
    if (fd < 0 || fstat(fd, &new) < 0)
        reason = mem_printf("code made at run time, without %s%s%s", list->path,
                            list->remedy ? ": " : "", list->remedy ? list->remedy : "");
    else if (new.st_uid != list->uid)
        reason = mem_printf("'%s' is not of the user of the process", list->path);
    else if (!is_of_program(list, &new.st_mtim))
        reason = mem_printf("'%s' is older than the program that runs", list->path);
    bool same = list->fd >= 0 && fstat(list->fd, &old) == 0 && !reason &&
                old.st_dev == new.st_dev &&old.st_ino == new.st_ino;
    if (reason || same)
        file_close(fd);
    else
        take_list(list, fd);
    if (list->fd < 0)
        return reason;
    free(reason); /* it was removed */
    return NULL;
}

/* Reads what stands in a map before the place up to which it was read. */
static bool read_tail(const struct jit_list *list, char tail[sizeof(list->tail)])
{
    size_t size = list->listed < sizeof(list->tail) ? list->listed : sizeof(list->tail);
    memset(tail, 0, sizeof(list->tail));
    return pread(list->fd, tail, size, (off_t)(list->listed - size)) == (ssize_t)size;
}

/* Reads what a map has more than before. False: it has others, or too many more to know which. */
static bool read_newer(struct object *object, struct function_table *newer)
{
    struct jit_list *list = &object->list;
    struct elf_image added = {.table.listed = list->listed};
    char tail[sizeof(list->tail)];
    AUTO_FREE char *why = NULL;
    bool good = list->listed > 0 && read_tail(list, tail) &&
                memcmp(tail, list->tail, sizeof(tail)) == 0 &&
                image_reader_read(object->file.images, LINE_IMAGE_JIT, list->fd, -1, &added, &why);
    if (!good || added.table.reach > 0) {
        elf_image_release(&added);
        return false;
    }
    *newer = added.table;
    added.table = (struct function_table){0};
    elf_image_release(&added);
    list->listed = newer->listed;
    read_tail(list, list->tail);
    return true;
}

static bool read_jit(struct object *object, struct elf_image *image, struct function_table *newer,
                     char **reason)
{
    struct jit_list *list = &object->list;
    const struct function_table *known = &object->image.table;
    const struct object *dump = __atomic_load_n(&object->dump, __ATOMIC_ACQUIRE);
    struct stat status;
    AUTO_FREE char *why = NULL;
    if ((*reason = dump ? open_dump(list, &dump->file) : open_list(object)))
        return true;
    if (fstat(list->fd, &status) < 0)
        return false;
    bool same = status.st_size == list->size && status.st_mtim.tv_sec == list->time.tv_sec &&
                status.st_mtim.tv_nsec == list->time.tv_nsec;
    bool whole = object->emptied || !function_table_covers(known, image->table.around);
    list->size = status.st_size;
    list->time = status.st_mtim;
    if (same)
        newer->listed = 1;
    else if (read_newer(object, newer))
        same = newer->count == 0;
    if (same && !whole)
        return false;
    if (newer->count > 0 && !whole && function_table_join(&image->table, known, newer))
        return true;
    image_reader_read(object->file.images, LINE_IMAGE_JIT, list->fd, -1, image, &why);
    if (newer->listed == 0) {
        list->listed = image->table.listed;
        list->listed = read_tail(list, list->tail) ? list->listed : 0;
    }
    if (why)
        *reason = mem_printf("the list of its code is not read: %s", why);
    else if (status.st_size == 0)
        *reason = mem_strdup("its compiler has not written the list of its code yet");
    else if (image->table.count == 0 && !list->dump)
        *reason = mem_strdup("the list of its code has no lines \"start size name\"");
    else if (status.st_size > TEXT_TABLE_JIT_MAX && !list->dump)
        *reason = mem_strdup("of the list of its code only the last 256 MiB are read");
    return true;
}

enum { VDSO_BYTES = 8192 };

static const unsigned char *vdso_start(void)
{
    return (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
}

/* Reads the functions of an object into an empty image. newer: those of its list that were added
 * since it was read before, if newer->listed is not 0; else all may be others; the caller releases
 * it. *reason: why there are none or not all, which the caller frees. False: its functions are as
 * they were when they were read before. May take long. */
static bool object_read(struct object *object, struct elf_image *image,
                        struct function_table *newer, char **reason)
{
    AUTO_CLOSE int fd = -1;
    AUTO_FILE FILE *symbols = NULL;
    bool python;
    switch (object->kind) {
    case OBJECT_FILE:
        fd = code_file_open(&object->file, reason);
        if (fd >= 0)
            code_file_read(&object->file, fd, image, reason);
        /* The interpreter's functions stand for those that it executes. */
        python = str_starts(object->name, "python3") || str_starts(object->name, "libpython3");
        if (!*reason && python && !object_has_list(object->file.pid))
            *reason = mem_strdup("functions written in Python have names with 'python3 -X perf' or "
                                 "PYTHONPERFSUPPORT=1 (from Python 3.12 on)");
        break;
    case OBJECT_KERNEL:
        if (!(symbols = file_open("/proc/kallsyms")))
            *reason = mem_printf("cannot read /proc/kallsyms: %s", err_reason(errno));
        else if (!text_table_kernel(&image->table, symbols))
            *reason = mem_strdup("the kernel hides its addresses: as root, run 'sysctl "
                                 "kernel.kptr_restrict=1', or give CAP_SYSLOG");
        break;
    case OBJECT_VDSO:
        if (!vdso_start() || !elf_image_memory(image, vdso_start(), VDSO_BYTES))
            *reason = mem_strdup("the kernel's page of functions cannot be read");
        elf_image_finish(image);
        break;
    case OBJECT_JIT:
        return read_jit(object, image, newer, reason);
    default:
        break;
    }
    return true;
}

/* ---- listings ---- */

/* From the kernel's memory as a core file (proc_kcore(5)). */
static bool kernel_bytes(uint64_t address, unsigned char *bytes, size_t size, char **reason)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    AUTO_FILE FILE *file = file_open("/proc/kcore");
    bool found = false;
    if (!file) {
        *reason = mem_printf("cannot read the kernel's code in /proc/kcore: %s", err_reason(errno));
        return false;
    }
    setbuf(file, NULL); /* the kernel copies what is asked for */
    bool good = fread(&head, sizeof(head), 1, file) == 1;
    for (size_t i = 0; good && !found && i < head.e_phnum; i++) {
        good = fseek(file, (long)(head.e_phoff + i * head.e_phentsize), SEEK_SET) == 0 &&
               fread(&part, sizeof(part), 1, file) == 1;
        found = good && part.p_type == PT_LOAD && address >= part.p_vaddr &&
                address - part.p_vaddr + size <= part.p_memsz;
    }
    found = found && fseek(file, (long)(part.p_offset + (address - part.p_vaddr)), SEEK_SET) == 0 &&
            fread(bytes, size, 1, file) == 1;
    if (!found)
        *reason = mem_strdup("/proc/kcore does not have the function's code");
    return found;
}

static bool file_bytes(const struct object *object, uint64_t address, unsigned char *bytes,
                       size_t size, char **reason)
{
    uint64_t offset;
    AUTO_CLOSE int fd = code_file_open(&object->file, reason);
    if (fd < 0)
        return false;
    bool good = elf_image_offset(&object->image, address, &offset) &&
                pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
    if (!good)
        *reason = mem_printf("'%s' does not have the function's code", object->path);
    return good;
}

static bool vdso_bytes(uint64_t address, unsigned char *bytes, size_t size, char **reason)
{
    bool good = vdso_start() && address < VDSO_BYTES && size <= VDSO_BYTES - address;
    if (good)
        memcpy(bytes, vdso_start() + address, size);
    else
        *reason = mem_strdup("the kernel's page of functions does not have it");
    return good;
}

static bool object_bytes(struct object *object, uint64_t address, unsigned char *bytes, size_t size,
                         char **reason)
{
    switch (object->kind) {
    case OBJECT_FILE:
        return file_bytes(object, address, bytes, size, reason);
    case OBJECT_KERNEL:
        return kernel_bytes(address, bytes, size, reason);
    case OBJECT_VDSO:
        return vdso_bytes(address, bytes, size, reason);
    case OBJECT_JIT:
        errno = ESRCH;
        if (jit_life(object) == JIT_LIVES && procfs_memory(object->file.pid, address, bytes, size))
            return true;
        *reason = mem_printf("cannot read the memory of process %d: %s", (int)object->file.pid,
                             err_reason(errno));
        return false;
    default:
        break;
    }
    *reason = mem_strdup("its code is not known");
    return false;
}

/* "<puts@plt>", "<main+0x12>". */
static bool object_name_at(void *ctx, uint64_t address, char *text, size_t size)
{
    const struct object *object = ctx;
    const struct function_table *table = &object->image.table;
    const struct table_function *function =
        function_table_covers(table, address) ? function_table_find(table, address) : NULL;
    const char *name = function ? function_table_name(table, function) : NULL;
    if (!name)
        return false;
    AUTO_FREE char *shown = image_reader_name(object->file.images, name);
    if (address > function->start)
        snprintf(text, size, "<%s+0x%llx>", shown, (unsigned long long)(address - function->start));
    else
        snprintf(text, size, "<%s>", shown);
    return true;
}

/* The instructions of a function of an object that was read. The caller drops the listing, which
 * has a reason where there are none. May take long. */
static struct code_listing *object_list(struct object *object, struct code_range range)
{
    struct code_listing *listing = code_listing_new(range.start, range.size);
    size_t size = range.size < DISASSEMBLE_MAX ? range.size : DISASSEMBLE_MAX;
    AUTO_FREE unsigned char *bytes = mem_alloc(size);
    bool file = object->kind == OBJECT_FILE;
    if (object_bytes(object, range.start, bytes, size, &listing->reason)) {
        disassemble(listing, file ? object->image.identity.machine : disassemble_own(), bytes, size,
                    object_name_at, object);
        if (size < range.size && !listing->reason)
            listing->reason =
                mem_printf("the first %zu bytes of %llu", size, (unsigned long long)range.size);
    }
    return listing;
}

/* --- All objects of a book, each once, and their functions ---
 *
 * Together the tables of functions have a limit of bytes: beyond it those that were asked longest
 * ago are given up, and are read again when they are needed. What was found is kept by address, so
 * that what is shown needs no table. */

enum {
    LOOKS_MAX = 64,          /* for lists of JIT compilers at a time */
    READ_AGAIN = 1000000000, /* ns between two readings of something that may have changed */
};

struct code_book {
    int references; /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t worker;
    bool working, stop, final;
    size_t lists; /* that are open */
    struct list_look {
        pid_t pid;
        uint64_t address; /* of code without a name */
    } looks[LOOKS_MAX];   /* for lists of processes of which no mapping says that they have one */
    size_t look_count;
    struct line_reader *lines;
    struct space_table spaces;
    size_t pending;
    struct object **queue; /* the first is the next one */
    size_t queued, queue_room;
    const struct object *reading; /* NULL: none */
    uint64_t began;               /* monotonic, ns: to read it */

    /* All objects, each once, and their functions. */
    struct object **objects;
    size_t object_count, object_room;
    struct map keys;  /* objects, by what identifies them */
    struct map texts; /* names of functions and reasons, by their hash: all that were given out */
    size_t bytes;     /* of all tables of functions */
    size_t answers;   /* of all objects; when there are too many, all are forgotten */
    uint64_t uses;    /* of tables */
    struct image_reader *images; /* reads files; the book's */
};

enum {
    OBJECTS_MAX = 1 << 16,
    TABLES_MAX = 24 << 20, /* bytes: two of the largest */
    ANSWERS_MAX = 1 << 17,
};

/* Takes over a text, NULL is fine, and returns the one that is kept in its place until the table is
 * released: of equal texts the same. */
static const char *object_text(struct code_book *book, char *text)
{
    const char *kept;
    if (!text)
        return NULL;
    uint64_t key = str_hash(text);
    for (; (kept = map_get(&book->texts, key)); key++)
        if (strcmp(kept, text) == 0) {
            free(text);
            return kept;
        }
    map_put(&book->texts, key, text);
    return text;
}

static uint64_t object_key(enum object_kind kind, const char *path)
{
    return str_hash(path) * 31 + kind;
}

/* Adds one with that key, or one of the next. */
static struct object *object_add(struct code_book *book, uint64_t key, enum object_kind kind,
                                 const char *name, const char *path)
{
    if (book->object_count >= OBJECTS_MAX)
        return book->objects[0];
    struct object *object = mem_copy(&(struct object){.number = (uint32_t)book->object_count,
                                                      .same = (uint32_t)book->object_count,
                                                      .kind = kind,
                                                      .name = mem_strdup(name),
                                                      .path = mem_strdup(path),
                                                      .list.fd = -1},
                                     sizeof(*object));
    *MEM_ADD(book->objects, book->object_count, book->object_room) = object;
    while (map_get(&book->keys, key))
        key++;
    map_put(&book->keys, key, object);
    return object;
}

/* Finds the object of that kind, name and path, or adds it: the caller fills in the rest of one
 * that is not read. Beyond a limit of objects returns the first one, which counts as read. */
static struct object *object_for(struct code_book *book, enum object_kind kind, const char *name,
                                 const char *path)
{
    uint64_t first = object_key(kind, path);
    struct object *object;
    for (uint64_t key = first; (object = map_get(&book->keys, key)); key++)
        if (object->kind == kind && strcmp(object->name, name) == 0 &&
            strcmp(object->path, path) == 0)
            return object;
    return object_add(book, first, kind, name, path);
}

/* What has no code to be read, with the reason, which is its path: one object for each. */
static struct object *object_nothing(struct code_book *book, const char *name, const char *reason)
{
    struct object *object = object_for(book, OBJECT_NOTHING, name, reason);
    if (!object->read) {
        object->read = true;
        object->reason = *reason ? object->path : NULL;
    }
    return object;
}

static const char OBJECT_UNMAPPED[] = "[unmapped]";

/* The object for addresses that no mapping of the process contains: one for each reason why the
 * mappings are incomplete; OBJECT_UNMAPPED if they are complete. */
static struct object *object_unmapped(struct code_book *book, const struct code_space *space)
{
    if (!space->unreadable)
        return object_nothing(book, OBJECT_UNMAPPED, "no mapping of the process has the address");
    if (space->unreadable == ENOENT || space->unreadable == ESRCH)
        return object_nothing(book, "[ended process]",
                              "the process ended before its maps were read");
    AUTO_FREE char *reason = mem_printf("cannot read the maps of process %d: %s", (int)space->pid,
                                        err_reason(space->unreadable));
    return object_nothing(book, "[maps unreadable]", reason);
}

/* The number of the first object with the same file, once that was read. */
static uint32_t object_same(const struct code_book *book, const struct object *object)
{
    const struct elf_identity *identity = &object->image.identity;
    for (size_t i = 0; identity->build_id_size > 0 && i < book->object_count; i++) {
        const struct object *other = book->objects[i];
        if (other->kind == OBJECT_FILE && other->read && other->same == other->number &&
            str_equal(other->path, object->path) &&
            other->image.identity.build_id_size == identity->build_id_size &&
            memcmp(other->image.identity.build_id, identity->build_id, identity->build_id_size) ==
                0)
            return other->number;
    }
    return object->number;
}

/* The object of the code that a process makes at run time, which is added if it is new. */
static struct object *object_jit(struct code_book *book, struct code_space *space)
{
    char comm[16] = "";
    if (space->jit)
        return book->objects[space->jit];
    procfs_comm(space->pid, space->pid, comm);
    AUTO_FREE char *name = mem_printf("%s (made at run time)", *comm ? comm : "code");
    AUTO_FREE char *path =
        mem_printf("pid:%d:%zu", (int)space->pid, book->object_count); /* the only one */
    struct object *object = object_for(book, OBJECT_JIT, name, path);
    if (!object->read) {
        object->file.pid = space->pid;
        object->file.images = book->images;
        object->list.born = space->born;
        object_find_list(object);
        space->jit = object->number;
    }
    return object;
}

/* A file that was replaced has the same path: told apart by what identifies it. */
static struct object *object_file(struct code_book *book, pid_t pid,
                                  const struct code_mapping *mapping)
{
    uint64_t first = object_key(OBJECT_FILE, mapping->path);
    struct object *object;
    for (uint64_t key = first; (object = map_get(&book->keys, key)); key++) {
        const struct code_mapping *known = &object->file.mapping;
        if (object->kind == OBJECT_FILE && strcmp(object->path, mapping->path) == 0 &&
            known->build_id_size == mapping->build_id_size && known->inode == mapping->inode &&
            known->major == mapping->major && known->minor == mapping->minor &&
            memcmp(known->build_id, mapping->build_id, CODE_BUILD_ID_MAX) == 0)
            return object;
    }
    object = object_add(book, first, OBJECT_FILE, strrchr(mapping->path, '/') + 1, mapping->path);
    if (object->read)
        return object;
    object->name[code_file_length(object->name)] = '\0';
    object->offsets = true;
    object->file = (struct code_file){pid, *mapping, book->images};
    object->file.mapping.path = object->path;
    return object;
}

/* The object of a mapping, which is added if it is new. */
static struct object *object_mapped(struct code_book *book, struct code_space *space,
                                    const struct code_mapping *mapping)
{
    if (strcmp(mapping->path, "[vdso]") == 0)
        return object_for(book, OBJECT_VDSO, "[vdso]", "");
    if (str_starts(mapping->path, "[vsyscall]") || str_starts(mapping->path, "[uprobes]"))
        return object_nothing(book, mapping->path, "");
    if (*mapping->path != '/' || str_starts(mapping->path, "//") ||
        str_starts(mapping->path, "/dev/zero") ||
        str_starts(mapping->path, "/SYSV")) /* no file: of this process only */
        return object_jit(book, space);
    struct object *object = object_file(book, space->pid, mapping);
    if (object->kind == OBJECT_FILE && jit_dump_named(object->path))
        __atomic_store_n(&object_jit(book, space)->dump, object, __ATOMIC_RELEASE);
    return object;
}

/* ---- their functions ---- */

/* newer: only those whose functions it replaces; NULL: all. */
static void forget_answers(struct code_book *book, struct object *object,
                           const struct function_table *newer)
{
    struct map kept = {0};
    for (size_t i = 0; newer && i < object->answers.room; i++) {
        const struct map_slot *slot = &object->answers.slots[i];
        const struct known_function *known = slot->value;
        if (known && !function_table_overlaps(newer, known->size ? known->start : slot->key - 1,
                                              known->size ? known->size : 1))
            map_put(&kept, slot->key, slot->value);
    }
    book->answers -= object->answers.count - kept.count;
    map_release(&object->answers);
    object->answers = kept;
}

/* Gives up tables until there is room for that of an object. */
static void keep_limit(struct code_book *book, const struct object *but)
{
    while (book->bytes > TABLES_MAX) {
        struct object *oldest = NULL;
        for (size_t i = 0; i < book->object_count; i++) {
            struct object *object = book->objects[i];
            if (object != but && object->image.table.count > 0 &&
                (!oldest || object->used < oldest->used))
                oldest = object;
        }
        if (!oldest)
            return;
        book->bytes -= function_table_bytes(&oldest->image.table);
        function_table_empty(&oldest->image.table);
        oldest->emptied = true;
    }
}

/* Takes over what was read of an object (object_read()), with the reason why not all. Functions
 * that were known and have changed since are forgotten; their names stay valid. */
static void object_take(struct code_book *book, struct object *object, struct elf_image *image,
                        const struct function_table *newer, char *why)
{
    const char *reason = object_text(book, why);
    bool grown = newer->listed > 0;
    bool same =
        object->reason == reason && newer->count == 0 &&
        (grown || object->kind == OBJECT_FILE || object->image.table.sum == image->table.sum);
    /* It cannot be read any more: names are those of before. */
    bool lost = reason && !object->reason && image->table.count == 0;
    bool whole = !object->emptied && object->image.table.reach == 0;
    object->emptied = false;
    object->used = ++book->uses;
    if (object->read && (lost || (same && whole))) {
        elf_image_release(image);
        object->image.table.reach = 0; /* what is not known is not asked for again */
        return;
    }
    if (!same) {
        forget_answers(book, object, grown ? newer : NULL);
        if (object->kind != OBJECT_JIT) /* most functions stay: keep_known() compares them */
            map_free(&object->known);
        object_unlist(object);
        object->reason = reason;
    }
    book->bytes -= function_table_bytes(&object->image.table);
    elf_image_release(&object->image);
    object->image = *image;
    book->bytes += function_table_bytes(&object->image.table);
    keep_limit(book, object);
}

/* A function in the object's table, with its name, which is kept. */
static struct known_function *keep_known(struct code_book *book, struct object *object,
                                         const struct table_function *found)
{
    struct known_function *known = map_get(&object->known, found->start + 1);
    if (known && object->kind != OBJECT_JIT)
        return known;
    const char *name = function_table_name(&object->image.table, found);
    bool mangled = name && function_name_mangled(name);
    if (!known)
        map_put(&object->known, found->start + 1, known = mem_alloc(sizeof(*known)));
    char *text = name && !mangled ? function_name_shown(name, false) : mem_strdup(name);
    *known = (struct known_function){found->start, found->size, object_text(book, text), mangled};
    return known;
}

static void show_name(struct code_book *book, struct known_function *known)
{
    known->name = object_text(book, image_reader_name(book->images, known->name));
    known->mangled = false;
}

/* The function at an address as the object counts; one of size 0 without a name if there is none.
 * NULL: its table, or that part of it, is not here and has to be read. shown: with its name as
 * shown, which a helper is asked for. */
static const struct known_function *object_function(struct code_book *book, struct object *object,
                                                    uint64_t address, bool shown)
{
    static const struct known_function none;
    const struct function_table *functions = &object->image.table;
    struct known_function *known = map_get(&object->answers, address + 1);
    if (known && shown && known->mangled)
        show_name(book, known);
    if (known)
        return known;
    if (object->emptied || !function_table_covers(functions, address))
        return NULL;
    const struct table_function *found = function_table_find(functions, address);
    if (!found && functions->reach > 0 && address != functions->around) /* it may begin far away */
        return NULL;
    object->used = ++book->uses;
    known = found ? keep_known(book, object, found) : (struct known_function *)&none;
    for (size_t i = 0; book->answers >= ANSWERS_MAX && i < book->object_count; i++)
        forget_answers(book, book->objects[i], NULL);
    map_put(&object->answers, address + 1, known);
    book->answers++;
    if (shown && known->mangled)
        show_name(book, known);
    return known;
}

/* --- The thread that reads objects, and alone waits for files --- */

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
    for (size_t i = 0; i < book->object_count && !object->read && !twin; i++) {
        const struct object *other = book->objects[i];
        twin = other->kind == object->kind && other->read && str_equal(other->path, object->path);
    }
    if (!twin || object->kind != OBJECT_FILE)
        return false;
    pthread_mutex_unlock(&book->lock);
    AUTO_CLOSE int fd = code_file_open(&object->file, &reason);
    if (fd >= 0)
        image_reader_read(book->images, LINE_IMAGE_IDENTITY, fd, -1, &facts, &why);
    pthread_mutex_lock(&book->lock);
    object->image.identity = facts.identity;
    elf_image_release(&facts);
    object->same = object_same(book, object);
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
        object_take(book, object, &image, &newer, reason);
    function_table_release(&newer);
    if (!open && object->list.fd >= 0 && book->lists >= LISTS_MAX) {
        close(object->list.fd);
        object->list.fd = -1;
    }
    book->lists += (size_t)(object->list.fd >= 0) - open;
    if (object->kind == OBJECT_FILE && !object->read)
        object->same = object_same(book, object);
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
        book_ask(book, object_jit(book, space), look.address);
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
    *MEM_ADD(book->queue, book->queued, book->queue_room) = object;
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
    book->references = 1;
    pthread_mutex_init(&book->lock, NULL);
    pthread_cond_init(&book->work, NULL);
    pthread_cond_init(&book->done, NULL);
    book->lines = line_reader_new();
    book->images = image_reader_new();
    object_for(book, OBJECT_NOTHING, "[too many objects]", "")->read = true;
    object_for(book, OBJECT_KERNEL, "[kernel]", "");
    return book;
}

enum { KERNEL_NUMBER = 1 };

void code_book_drop(struct code_book *book)
{
    if (!mem_drop(book))
        return;
    struct image_reader *images = book->images;
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
    for (size_t o = 0; o < book->object_count; o++)
        object_free(book->objects[o]);
    free(book->objects);
    map_release(&book->keys);
    map_free(&book->texts);
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
    struct object *object = object_mapped(book, space, mapping);
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
        __atomic_store_n(&book->objects[space->jit]->list.left, true, __ATOMIC_RELAXED);
    code_space_clear(space);
    space->read = clock_monotonic(); /* its records follow */
    space->born = time;
}

void code_book_kernel_changed(struct code_book *book)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object *kernel = book->objects[KERNEL_NUMBER];
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
    struct code_book *book = taker->book;
    const struct space_mapping *known = code_space_find(taker->space, mapping->start);
    if (!known || known->start != mapping->start || known->offset != mapping->offset ||
        known->end != mapping->start + mapping->size ||
        !str_equal(book->objects[known->object]->path,
                   object_mapped(book, taker->space, mapping)->path))
        map_object(book, taker->space, mapping);
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
        list->read ? object_function(book, list, address, true) : NULL;
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
    const struct known_function *known = object_function(book, object, address, false);
    return known && !known->name;
}

struct code_place code_book_place(struct code_book *book, pid_t pid, uint64_t address, bool kernel)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object **objects = book->objects;
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
        objects = book->objects;
    }
    if (!mapping)
        return (struct code_place){object_unmapped(book, space)->number, address};
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
    const struct object *object = book->objects[place.object];
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
        enum object_kind kind = book->objects[space->mappings[i].object]->kind;
        if (kind == OBJECT_FILE || kind == OBJECT_VDSO)
            mapped->mappings[mapped->count++] = space->mappings[i];
    }
    mapped->version = space->version;
    mapped->epoch = space->epoch;
    return true;
}

int code_book_open(struct code_book *book, uint32_t number, bool *vdso)
{
    AUTO_FREE char *reason = NULL;
    pthread_mutex_lock(&book->lock);
    const struct object *object = book->objects[number]; /* kind and file stay as they are */
    pthread_mutex_unlock(&book->lock);
    *vdso = object->kind == OBJECT_VDSO;
    return object->kind == OBJECT_FILE ? code_file_open(&object->file, &reason) : -1;
}

/* ---- recordings ---- */

/* Places of whole functions have the start with this bit changed, which no address of code has. */
static const uint64_t WHOLE = 1ull << 62;

struct code_place code_book_learn(struct code_book *book, const struct code_object *of,
                                  const struct code_function *function)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object *object = object_for(book, OBJECT_RECORDED, of->name, of->path);
    if (!object->read) {
        object->read = true;
        object->reason = object_text(book, mem_strdup(of->reason));
    }
    if (!code_function_known(function))
        return (struct code_place){object->number, UINT64_MAX};
    if (!map_get(&object->known, function->start + 1)) {
        const char *name = function->name && *function->name ? function->name : NULL;
        struct known_function *known =
            mem_copy(&(struct known_function){.start = function->start,
                                              .name = object_text(book, mem_strdup(name))},
                     sizeof(*known));
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
    map_put(&book->objects[function.object]->inside, address + 1,
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
    struct object *object = book->objects[function.object];
    uint64_t key = (function.address ^ WHOLE) + 1;
    code_listing_drop(map_put(&object->listings, key, listing));
    line_table_drop(lines ? map_put(&object->lines, key, lines) : map_remove(&object->lines, key));
}

void code_book_learn_source(struct code_book *book, uint32_t object, struct source_file *file)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    source_file_drop(map_put(&book->objects[object]->sources, str_hash(file->path), file));
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
    const struct known_function *known = object_function(book, object, address, true);
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
            known_in_list(book, book->objects[space->jit], address);
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
    struct object **objects = book->objects, *object = objects[objects[place.object]->same];
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
    struct object *object = book->objects[number];
    uint64_t place = address;
    *function = (struct code_function){.state = CODE_UNKNOWN, .start = address, .object = number};
    if (!object->offsets || elf_image_offset(&object->image, address, &place))
        known_function(book, object, address, place, function);
}

struct code_listing *code_book_listing(struct code_book *book, const struct code_function *function)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    struct object *object = book->objects[function->object];
    bool known = code_function_known(function), recorded = object->kind == OBJECT_RECORDED;
    struct code_listing *listing = known ? map_get(&object->listings, function->start + 1) : NULL;
    if (listing)
        return mem_share(listing);
    if (known && !recorded && book->working) {
        *MEM_ADD(object->wanted, object->wanted_count, object->wanted_room) =
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
    *listed = NULL;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    for (uint32_t i = 0; i < book->object_count; i++)
        MAP_EACH (struct code_listing, listing, &book->objects[i]->listings) {
            *MEM_ADD(*listed, count, room) = (struct code_listed){i, mem_share(listing)};
        }
    return count;
}

struct line_table *code_book_lines(struct code_book *book, const struct code_function *function)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    const struct object *object = book->objects[function->object];
    bool known = code_function_known(function), recorded = object->kind == OBJECT_RECORDED;
    if (known && (object->kind == OBJECT_FILE || object->dump))
        return line_reader_lines(book->lines, object->number,
                                 object->dump ? &object->dump->file : &object->file, &object->image,
                                 function->start, function->size);
    struct line_table *lines =
        known && recorded ? map_get(&object->lines, function->start + 1) : NULL;
    if (lines)
        return mem_share(lines);
    return line_table_none(mem_strdup(!known ? "no function is known there"
                                      : recorded
                                          ? "the recording has no lines of this function"
                                          : "only programs and libraries have source lines"));
}

struct source_file *code_book_source(struct code_book *book, uint32_t number, const char *path)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    const struct object *object = book->objects[number];
    if (object->kind != OBJECT_RECORDED)
        return line_reader_source(book->lines, number, path);
    struct source_file *file = map_get(&object->sources, str_hash(path));
    return file ? mem_share(file) : source_file_new(path);
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
    const struct object *object = book->objects[number];
    bool file = object->kind == OBJECT_FILE || object->kind == OBJECT_RECORDED;
    *info = (struct code_object){
        .name = object->name, .path = file ? object->path : "", .reason = object->reason};
    bool read = object->image.identity.build_id_size > 0;
    info->build_id_size =
        read ? object->image.identity.build_id_size : object->file.mapping.build_id_size;
    memcpy(info->build_id, read ? object->image.identity.build_id : object->file.mapping.build_id,
           sizeof(info->build_id));
}

/* ---- waiting ---- */

void code_book_finish(struct code_book *book)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);
    for (size_t i = 0; i < book->object_count; i++) {
        struct object *object = book->objects[i];
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
