/* What is mapped as code in a process. */
#pragma once

#include "base/base.h"

enum { CODE_BUILD_ID_MAX = 20 };

/* PERF_RECORD_MMAP2 of perf_event_open(2), executable mappings only. */
struct code_mapping {
    uint64_t start, size;
    uint64_t offset;       /* in the file */
    unsigned major, minor; /* device and inode, unless there is a build-id */
    uint64_t inode;
    size_t build_id_size; /* 0: not reported */
    unsigned char build_id[CODE_BUILD_ID_MAX];
    const char *path; /* "/lib/libc.so.6", "[vdso]", "//anon" ... */
};

struct space_mapping {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    uint32_t object;
};

struct code_space { /* zeroed: nothing is mapped */
    pid_t pid;
    struct space_mapping *mappings; /* ascending, apart */
    size_t count;
    uint64_t read;    /* monotonic, ns: when /proc was read last; 0: never */
    uint64_t used;    /* number of its last use, to find the one used least recently */
    int unreadable;   /* errno with which /proc could not be read; 0 */
    uint64_t version; /* number of its last change */
    uint64_t epoch;   /* number of the last change that took something away */
    uint64_t born;    /* monotonic, ns: when it began to execute its program; 0: not seen */
    uint32_t jit;     /* the object of the code that its program makes; 0: none yet */
    uint64_t looked;  /* monotonic, ns: when a list of that code was looked for last */
};

enum { SPACE_MAPPINGS_MAX = 1 << 16 };

void code_space_clear(struct code_space *space);
void code_space_copy(struct code_space *to, const struct code_space *from); /* keeps to's pid */
/* Replaces what it overlaps. */
void code_space_map(struct code_space *space, const struct space_mapping *mapping);
const struct space_mapping *code_space_find(const struct code_space *space, uint64_t address);

struct space_table { /* zeroed: empty */
    struct map spaces;
    uint64_t uses;
};
/* That of a process; beyond a limit, the one that was used least recently is dropped. */
struct code_space *space_table_get(struct space_table *table, pid_t pid);
void space_table_release(struct space_table *table);

/* Reads a line of /proc/PID/maps (proc_pid_maps(5)) without its newline; false: it is none. The
 * path points into the line, in which its newlines are restored, and is "" where nothing has a
 * name. *code: it may be executed. */
bool code_space_line(char *line, struct code_mapping *mapping, bool *code);
/* The text of /proc/PID/maps, which the caller frees; *length as procfs_read() has it. */
char *code_space_maps(pid_t pid, ssize_t *length);
/* Reads /proc/PID/maps, and calls back as below. */
void code_space_read(struct code_space *space,
                     void (*take)(void *ctx, const struct code_mapping *mapping), void *ctx);

/* Calls back with each executable mapping in the text of /proc/PID/maps (proc_pid_maps(5)). */
void code_space_parse(char *text, void (*take)(void *ctx, const struct code_mapping *mapping),
                      void *ctx);
