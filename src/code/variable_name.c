#include "code/variable_name.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "code/code_space.h"
#include "code/line_child.h"
#include "system/procfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

/* A part of a file as it is mapped; what follows its data has no name, and is the rest of it
 * (.bss). */
struct variable_mapping {
    uint64_t base, start, end; /* base: of the first part of the file */
    uint64_t offset;           /* of `start`, in the file */
    uint64_t inode;            /* 0: no file */
    bool data;                 /* it may be written, and was read from a file */
    char *path;                /* NULL: none is known */
};

/* Finds what is mapped at an address; the caller frees the path. False: nothing that has a name. */
static bool find_mapping(pid_t pid, pid_t tid, uint64_t address, struct variable_mapping *found)
{
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    bool inside = false;
    AUTO_FILE FILE *maps = procfs_open_own(pid, tid, "maps"); /* proc_pid_maps(5) */
    *found = (struct variable_mapping){0};
    while (maps && !inside && getline(&line, &room, maps) > 0) {
        struct code_mapping mapping;
        bool code;
        char writable = '-';
        sscanf(line, "%*s %*c%c", &writable);
        line[strcspn(line, "\n")] = '\0';
        if (!code_space_line(line, &mapping, &code))
            break;
        const char *path = mapping.path;
        uint64_t end = mapping.start + mapping.size;
        if (!*path && found->data && mapping.start == found->end) {
            found->end = end;
            found->data = false;
        } else {
            struct variable_mapping next = {
                .base = str_equal(found->path, path) ? found->base : mapping.start,
                .start = mapping.start,
                .end = end,
                .offset = mapping.offset,
                .inode = mapping.inode,
                .data = mapping.inode && writable == 'w',
                .path = *path == '/' || str_equal(path, "[heap]") ? mem_strdup(path) : NULL};
            free(found->path);
            *found = next;
        }
        inside = address >= found->start && address < found->end;
    }
    return inside && found->path;
}

/* Asks the helper for the symbol; empty: there is none. */
static void find_symbol(struct variable_names *names, const struct variable_mapping *mapping,
                        pid_t pid, uint64_t address, struct str *text)
{
    enum { SECONDS = 1 };
    static const uint64_t SPENT_MAX = 500000000; /* ns for all names of the table */
    struct stat status;
    uint64_t begin = clock_monotonic();
    struct line_request request = {
        .ask = VARIABLE_READ, .start = mapping->offset, .size = address - mapping->start};
    AUTO_CLOSE int fd = names->spent < SPENT_MAX ? procfs_open_inside(pid, mapping->path, 0) : -1;
    if (fd < 0 || fstat(fd, &status) < 0 || status.st_ino != mapping->inode)
        return;
    if (names->child.pid == 0 && line_child_start(&names->child, 0, NULL, NULL) == 0)
        line_child_limit(&names->child, SECONDS);
    if (names->child.pid > 0 &&
        line_child_ask(&names->child, &request, fd, -1, NULL, text, NULL) < 0) {
        helper_end(&names->child);
        str_clear(text);
    }
    names->spent += clock_monotonic() - begin;
}

void variable_names_release(struct variable_names *names)
{
    if (names->child.pid > 0)
        helper_end(&names->child);
    map_free(&names->names);
    *names = (struct variable_names){0};
}

const char *variable_name(struct variable_names *names, pid_t pid, pid_t tid, uint64_t address)
{
    /* ns: then another program, or another library may be there. */
    static const uint64_t STILL_TRUE = 10000000000;
    const uint64_t place[] = {(uint64_t)pid, address};
    uint64_t key = str_hash_bytes(place, sizeof(place)), now = clock_monotonic();
    struct variable_mapping mapped;
    if (now - names->since > STILL_TRUE) {
        map_free(&names->names);
        names->since = now;
        names->spent = 0;
    }
    const char *known = map_get(&names->names, key);
    if (!known) {
        AUTO_STR struct str text = str_new();
        if (find_mapping(pid, tid, address, &mapped)) {
            if (mapped.inode)
                find_symbol(names, &mapped, pid, address, &text);
            const char *slash = strrchr(mapped.path, '/'),
                       *name = slash ? slash + 1 : mapped.path + 1;
            if (!text.length)
                str_printf(&text, "[%.*s+0x%" PRIx64 "]", (int)strcspn(name, "]"), name,
                           address - mapped.base);
        }
        free(mapped.path);
        known = mem_strdup(text.text);
        free(map_put(&names->names, key, (char *)known));
    }
    return *known ? known : NULL;
}
