/* A part of a process's memory that is mapped as code. */
#ifndef CODE_CODE_MAPPING_H
#define CODE_CODE_MAPPING_H

#include <stddef.h>
#include <stdint.h>

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

#endif
