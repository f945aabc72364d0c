/* Names static variables of processes, such as mutexes, by the symbols of the files that they have
 * mapped. What is mapped is read with the rights of this program's user alone; files are read by a
 * helper (code/line_child.h), which is waited for, a second at most. After half a second for all
 * names, further ones are without a symbol for the rest of 10 s: large tables do not stop the
 * display. */
#pragma once

#include "base/map.h"
#include "system/helper.h"

#include <sys/types.h>

struct variable_names { /* zeroed: none are known */
    struct helper child;
    struct map names; /* texts by process and address, "": none */
    uint64_t since;   /* when the first of them was found, ns of clock_monotonic() */
    uint64_t spent;   /* ns for reading symbols since then */
};

void variable_names_release(struct variable_names *names);

/* What is at an address of a process, one of whose threads is tid: "cache_lock", "table+0x28";
 * without a symbol the mapping and how far it is from its beginning: "[libdb.so+0x4028]",
 * "[heap+0x2a0]". NULL: other memory, or it may not be read. Names of files are not cleaned. Valid
 * until the next call. */
const char *variable_name(struct variable_names *names, pid_t pid, pid_t tid, uint64_t address);
