#include "code/code_object.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/disassemble.h"
#include "code/text_table.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

void object_unlist(struct object *object)
{
    struct code_listing *listing;
    for (size_t at = 0; (listing = map_next(&object->listings, &at));)
        code_listing_drop(listing);
    map_clear(&object->listings);
}

void object_free(struct object *object)
{
    struct known_function *known;
    struct line_table *lines;
    for (size_t at = 0; (known = map_next(&object->known, &at));) {
        free(known->name);
        free(known);
    }
    for (size_t at = 0; (lines = map_next(&object->lines, &at));)
        line_table_drop(lines);
    for (size_t i = 0; i < object->source_count; i++)
        source_file_drop(object->sources[i]);
    map_release(&object->known);
    map_release(&object->answers);
    map_release(&object->inside);
    map_release(&object->lines);
    free(object->sources);
    object_unlist(object);
    map_release(&object->listings);
    free(object->wanted);
    elf_image_release(&object->image);
    free(object->name);
    free(object->path);
    free(object->reason);
    free(object);
}

static void read_jit(const struct object *object, struct elf_image *image, char **reason)
{
    char path[64], status[4096];
    long inner = object->file.pid;
    ssize_t length = procfs_read(object->file.pid, 0, "status", status, sizeof(status));
    const char *line = length > 0 ? strstr(status, "\nNSpid:") : NULL, *last = NULL;
    if (line) { /* the last one is its own view: pid_namespaces(7) */
        size_t end = 1 + strcspn(line + 1, "\n");
        for (const char *at = line; at < line + end; at++)
            if (*at == '\t')
                last = at + 1;
        inner = last ? strtol(last, NULL, 10) : inner;
    }
    snprintf(path, sizeof(path), "/tmp/perf-%ld.map", inner);
    /* Anyone may make a link in /tmp, and a mount of his own there: neither may lead root to files
     * of others. */
    int fd = procfs_open_inside(object->file.pid, path, O_NOFOLLOW);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    struct stat facts;
    if (file && fstat(fd, &facts) == 0 && facts.st_uid == procfs_uid(object->file.pid))
        image_reader_read(object->file.images, LINE_IMAGE_JIT, fd, -1, image, reason);
    else
        *reason = mem_printf("code made at run time, without /tmp/perf-%ld.map", inner);
    if (file)
        fclose(file);
}

static void read_kernel(struct elf_image *image, char **reason)
{
    FILE *file = file_open("/proc/kallsyms");
    if (!file)
        *reason = mem_printf("cannot read /proc/kallsyms: %s", strerror(errno));
    else if (!text_table_kernel(&image->table, file))
        *reason = mem_strdup("the kernel hides its addresses: as root, run 'sysctl "
                             "kernel.kptr_restrict=1', or give CAP_SYSLOG");
    if (file)
        fclose(file);
}

enum { VDSO_BYTES = 8192 };

static void read_vdso(struct elf_image *image, char **reason)
{
    const void *start = (const void *)getauxval(AT_SYSINFO_EHDR);
    if (!start || !elf_image_memory(image, start, VDSO_BYTES))
        *reason = mem_strdup("the kernel's page of functions cannot be read");
    elf_image_finish(image);
}

void object_read(const struct object *object, struct elf_image *image, char **reason)
{
    int fd;
    switch (object->kind) {
    case OBJECT_FILE:
        fd = code_file_open(&object->file, reason);
        if (fd >= 0)
            code_file_read(&object->file, fd, image, reason);
        break;
    case OBJECT_KERNEL:
        read_kernel(image, reason);
        break;
    case OBJECT_VDSO:
        read_vdso(image, reason);
        break;
    case OBJECT_JIT:
        read_jit(object, image, reason);
        break;
    case OBJECT_NOTHING:
    case OBJECT_RECORDED:
        break;
    }
}

/* ---- listings ---- */

/* From the kernel's memory as a core file (proc_kcore(5)). */
static bool kernel_bytes(uint64_t address, unsigned char *bytes, size_t size, char **reason)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    FILE *file = file_open("/proc/kcore");
    bool found = false;
    if (!file) {
        *reason = mem_printf("cannot read the kernel's code in /proc/kcore: %s", strerror(errno));
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
    fclose(file);
    if (!found)
        *reason = mem_strdup("/proc/kcore does not have the function's code");
    return found;
}

static bool file_bytes(const struct object *object, uint64_t address, unsigned char *bytes,
                       size_t size, char **reason)
{
    uint64_t offset;
    int fd = code_file_open(&object->file, reason);
    if (fd < 0)
        return false;
    bool good = elf_image_offset(&object->image, address, &offset) &&
                pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
    close(fd);
    if (!good)
        *reason = mem_printf("'%s' does not have the function's code", object->path);
    return good;
}

static bool vdso_bytes(uint64_t address, unsigned char *bytes, size_t size, char **reason)
{
    const unsigned char *start = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
    bool good = start && address < VDSO_BYTES && size <= VDSO_BYTES - address;
    if (good)
        memcpy(bytes, start + address, size);
    else
        *reason = mem_strdup("the kernel's page of functions does not have it");
    return good;
}

static bool object_bytes(const struct object *object, uint64_t address, unsigned char *bytes,
                         size_t size, char **reason)
{
    switch (object->kind) {
    case OBJECT_FILE:
        return file_bytes(object, address, bytes, size, reason);
    case OBJECT_KERNEL:
        return kernel_bytes(address, bytes, size, reason);
    case OBJECT_VDSO:
        return vdso_bytes(address, bytes, size, reason);
    case OBJECT_JIT:
        if (procfs_memory(object->file.pid, address, bytes, size))
            return true;
        *reason = mem_printf("cannot read the memory of process %d: %s", (int)object->file.pid,
                             strerror(errno));
        return false;
    case OBJECT_NOTHING:
    case OBJECT_RECORDED:
        break;
    }
    *reason = mem_strdup("its code is not known");
    return false;
}

/* "<puts@plt>", "<main+0x12>". */
static bool object_name_at(void *ctx, uint64_t address, char *text, size_t size)
{
    const struct function_table *table = ctx;
    const struct table_function *function =
        function_table_covers(table, address) ? function_table_find(table, address) : NULL;
    const char *name = function ? function_table_name(table, function) : NULL;
    if (!name)
        return false;
    char *shown = function_name_shown(name);
    if (address > function->start)
        snprintf(text, size, "<%s+0x%llx>", shown, (unsigned long long)(address - function->start));
    else
        snprintf(text, size, "<%s>", shown);
    free(shown);
    return true;
}

struct code_listing *object_list(const struct object *object, struct code_range range)
{
    struct code_listing *listing = code_listing_new(range.start, range.size);
    size_t size = range.size < DISASSEMBLE_MAX ? range.size : DISASSEMBLE_MAX;
    unsigned char *bytes = mem_alloc(size);
    bool file = object->kind == OBJECT_FILE;
    if (object_bytes(object, range.start, bytes, size, &listing->reason)) {
        disassemble(listing, file ? object->image.machine : disassemble_own, bytes, size,
                    object_name_at, (void *)&object->image.table);
        if (size < range.size && !listing->reason)
            listing->reason =
                mem_printf("the first %zu bytes of %llu", size, (unsigned long long)range.size);
    }
    free(bytes);
    return listing;
}
