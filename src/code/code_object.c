#include "code/code_object.h"
#include "base/file.h"
#include "base/mem.h"
#include "code/text_table.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

void object_free(struct object *object)
{
    void *name;
    for (size_t at = 0; (name = map_next(&object->names, &at));)
        free(name);
    map_release(&object->names);
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
    int fd = procfs_open_inside(object->file.pid, path);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    struct stat facts;
    if (file && fstat(fd, &facts) == 0 &&
        (facts.st_uid == 0 || facts.st_uid == procfs_uid(object->file.pid)))
        text_table_jit(&image->table, file);
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

static void read_vdso(struct elf_image *image, char **reason)
{
    enum { VDSO_BYTES = 8192 };
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
    case OBJECT_TOLD:
        break;
    }
}
