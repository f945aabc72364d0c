/* Something with functions that is mapped into processes: a file, the kernel, the vdso, code that
 * was made at run time. Part of code/code_book. */
#ifndef CODE_CODE_OBJECT_H
#define CODE_CODE_OBJECT_H

#include "base/map.h"
#include "code/code_file.h"
#include "code/line_table.h"
#include "code/listing.h"
#include "code/source_file.h"

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

/* /tmp/perf-PID.map of a process, which stays open: it is read to its end after the process has
 * ended, too. The thread that reads objects has all of it but `left`. */
struct jit_list {
    int fd;         /* -1: not open */
    uint64_t start; /* of the process, clock ticks after boot; 0: not known yet */
    uint64_t born;  /* monotonic, ns: when it began to execute its program, if that was seen */
    struct timespec time; /* of the last change before it was read */
    off_t size;           /* ... and its size then */
    bool left;            /* atomic: the process executes another program now */
};

/* A function that was shown. */
struct known_function {
    uint64_t start, size;
    char *name; /* as shown; NULL: it has none */
};

struct object {
    uint32_t number;
    uint32_t same; /* the first one with the same file: the kernel tells a mapping by build-id, */
                   /* /proc/PID/maps by device and inode. Else its own number */
    enum object_kind kind;
    char *name, *path, *reason;
    struct code_file file; /* its path is the object's */
    bool read, queued;
    bool offsets;         /* addresses of its places are offsets in the file, until it is read */
    uint64_t again;       /* monotonic, ns: not read again before, where it may change */
    struct jit_list list; /* of code made at run time */
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
    /* Of a recording: starts of functions + 1 by addresses in them + 1, line tables by start + 1.
     */
    struct map inside, lines;
    struct source_file **sources;
    size_t source_count, source_room;
    bool unread;         /* in the queue to be read, not only to be listed */
    struct object *next; /* in the queue */
};

/* Reads its functions; *reason: why there are none or not all, which the caller frees. False: they
 * are as they were read before. May take long. */
bool object_read(struct object *object, struct elf_image *image, char **reason);
/* Whether a process has a list of code made at run time. */
bool object_has_list(pid_t pid);
/* The instructions of a function, after its object was read. May take long. */
struct code_listing *object_list(struct object *object, struct code_range range);
/* Forgets all listings. */
void object_unlist(struct object *object);
void object_free(struct object *object);

#endif
