#include "code/book_parts.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_space.h"
#include "code/disassemble.h"
#include "code/function_table.h"
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
    struct line_table *lines;
    struct source_file *source;
    for (size_t at = 0; (lines = map_next(&object->lines, &at));)
        line_table_drop(lines);
    for (size_t at = 0; (source = map_next(&object->sources, &at));)
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

void object_find_list(struct object *object)
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

bool object_has_list(pid_t pid)
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

static void read_kernel(struct elf_image *image, char **reason)
{
    AUTO_FILE FILE *file = file_open("/proc/kallsyms");
    if (!file)
        *reason = mem_printf("cannot read /proc/kallsyms: %s", strerror(errno));
    else if (!text_table_kernel(&image->table, file))
        *reason = mem_strdup("the kernel hides its addresses: as root, run 'sysctl "
                             "kernel.kptr_restrict=1', or give CAP_SYSLOG");
}

enum { VDSO_BYTES = 8192 };

static void read_vdso(struct elf_image *image, char **reason)
{
    const void *start = (const void *)getauxval(AT_SYSINFO_EHDR);
    if (!start || !elf_image_memory(image, start, VDSO_BYTES))
        *reason = mem_strdup("the kernel's page of functions cannot be read");
    elf_image_finish(image);
}

/* Whether it has the interpreter, whose functions stand for those that it executes. */
static bool is_python(const char *name)
{
    return str_starts(name, "python3") || str_starts(name, "libpython3");
}

bool object_read(struct object *object, struct elf_image *image, struct function_table *newer,
                 char **reason)
{
    AUTO_CLOSE int fd = -1;
    switch (object->kind) {
    case OBJECT_FILE:
        fd = code_file_open(&object->file, reason);
        if (fd >= 0)
            code_file_read(&object->file, fd, image, reason);
        if (!*reason && is_python(object->name) && !object_has_list(object->file.pid))
            *reason = mem_strdup("functions written in Python have names with 'python3 -X perf' or "
                                 "PYTHONPERFSUPPORT=1 (from Python 3.12 on)");
        break;
    case OBJECT_KERNEL:
        read_kernel(image, reason);
        break;
    case OBJECT_VDSO:
        read_vdso(image, reason);
        break;
    case OBJECT_JIT:
        return read_jit(object, image, newer, reason);
    case OBJECT_NOTHING:
    case OBJECT_RECORDED:
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
    const unsigned char *start = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
    bool good = start && address < VDSO_BYTES && size <= VDSO_BYTES - address;
    if (good)
        memcpy(bytes, start + address, size);
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

struct code_listing *object_list(struct object *object, struct code_range range)
{
    struct code_listing *listing = code_listing_new(range.start, range.size);
    size_t size = range.size < DISASSEMBLE_MAX ? range.size : DISASSEMBLE_MAX;
    AUTO_FREE unsigned char *bytes = mem_alloc(size);
    bool file = object->kind == OBJECT_FILE;
    if (object_bytes(object, range.start, bytes, size, &listing->reason)) {
        disassemble(listing, file ? object->image.machine : disassemble_own, bytes, size,
                    object_name_at, object);
        if (size < range.size && !listing->reason)
            listing->reason =
                mem_printf("the first %zu bytes of %llu", size, (unsigned long long)range.size);
    }
    return listing;
}
