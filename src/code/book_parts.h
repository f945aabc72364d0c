/* The parts of a code book (code/code_book.h), for its files alone: its objects, the tables of
 * their functions, and the thread that reads them. An object is something with functions that is
 * mapped into processes: a file, the kernel, the vdso, code that was made at run time, or an object
 * of a recording. The book owns them all until it is freed; its lock is held at each call, but for
 * those that may take long. */
#ifndef CODE_BOOK_PARTS_H
#define CODE_BOOK_PARTS_H

#include "base/map.h"
#include "code/code_file.h"
#include "code/code_space.h"
#include "code/line_reader.h"
#include "code/line_table.h"
#include "code/listing.h"
#include "code/source_file.h"

#include <pthread.h>

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

/* Reads the functions of an object into an empty image. newer: those of its list that were added
 * since it was read before, if newer->listed is not 0; else all may be others; the caller releases
 * it. *reason: why there are none or not all, which the caller frees. False: its functions are as
 * they were when they were read before. May take long. */
bool object_read(struct object *object, struct elf_image *image, struct function_table *newer,
                 char **reason);
/* Whether a process has a list of code made at run time. May take long. */
bool object_has_list(pid_t pid);
/* The instructions of a function of an object that was read. The caller drops the listing, which
 * has a reason where there are none. May take long. */
struct code_listing *object_list(struct object *object, struct code_range range);

/* --- All objects of a book, each once, and their functions ---
 *
 * Together the tables of functions have a limit of bytes: beyond it those that were asked longest
 * ago are given up, and are read again when they are needed. What was found is kept by address, so
 * that what is shown needs no table. */

struct object_table { /* zeroed: empty */
    struct object **objects;
    size_t count, room;
    struct map keys;  /* objects, by what identifies them */
    struct map texts; /* names of functions and reasons, by their hash: all that were given out */
    size_t bytes;     /* of all tables of functions */
    size_t answers;   /* of all objects; when there are too many, all are forgotten */
    uint64_t uses;    /* of tables */
    struct object *unmapped;     /* OBJECT_UNMAPPED; NULL: not made yet */
    struct image_reader *images; /* reads files; the book's */
};

/* Takes over a text, NULL is fine, and returns the one that is kept in its place until the table is
 * released: of equal texts the same. */
const char *object_text(struct object_table *table, char *text);

/* Finds the object of that kind, name and path, or adds it: then *made is set, and the caller fills
 * in the rest. Beyond a limit of objects returns the first one. */
struct object *object_for(struct object_table *table, enum object_kind kind, const char *name,
                          const char *path, bool *made);
/* The object of a mapping, which is added if it is new. */
struct object *object_mapped(struct object_table *table, struct code_space *space,
                             const struct code_mapping *mapping);
/* The object of the code that a process makes at run time, which is added if it is new. */
struct object *object_jit(struct object_table *table, struct code_space *space);
/* The object for addresses that no mapping of the process contains: one for each reason why the
 * mappings are incomplete; OBJECT_UNMAPPED if they are complete. */
struct object *object_unmapped(struct object_table *table, const struct code_space *space);
extern const char OBJECT_UNMAPPED[];
/* The number of the first object with the same file, once that was read. */
uint32_t object_same(const struct object_table *table, const struct object *object);
/* Drops all listings of an object. */
void object_unlist(struct object *object);
void object_table_release(struct object_table *table);

/* Takes over what was read of an object (object_read()), with the reason why not all. Functions
 * that were known and have changed since are forgotten; their names stay valid. */
void object_take(struct object_table *table, struct object *object, struct elf_image *image,
                 const struct function_table *newer, char *reason);
/* The function at an address as the object counts; one of size 0 without a name if there is none.
 * NULL: its table, or that part of it, is not here and has to be read. shown: with its name as
 * shown, which a helper is asked for. */
const struct known_function *object_function(struct object_table *table, struct object *object,
                                             uint64_t address, bool shown);

/* --- The thread that reads objects, and alone waits for files --- */

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
    struct object_table objects;
    struct line_reader *lines;
    struct space_table spaces;
    size_t pending;
    struct object **queue; /* the first is the next one */
    size_t queued, queue_room;
    const struct object *reading; /* NULL: none */
    uint64_t began;               /* monotonic, ns: to read it */
};

#endif
