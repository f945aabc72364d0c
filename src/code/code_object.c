#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/book_parts.h"
#include "code/code_space.h"
#include "code/listing.h"
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

static void object_free(struct object *object)
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

/* ---- all objects ---- */

enum {
    OBJECTS_MAX = 1 << 16,
    TABLES_MAX = 24 << 20, /* bytes: two of the largest */
    ANSWERS_MAX = 1 << 17,
};

const char *object_text(struct object_table *table, char *text)
{
    const char *kept;
    if (!text)
        return NULL;
    uint64_t key = str_hash(text);
    for (; (kept = map_get(&table->texts, key)); key++)
        if (strcmp(kept, text) == 0) {
            free(text);
            return kept;
        }
    map_put(&table->texts, key, text);
    return text;
}

static uint64_t object_key(enum object_kind kind, const char *path)
{
    return str_hash(path) * 31 + kind;
}

/* Adds one with that key, or one of the next. */
static struct object *object_add(struct object_table *table, uint64_t key, enum object_kind kind,
                                 const char *name, const char *path, bool *made)
{
    *made = table->count < OBJECTS_MAX;
    if (!*made)
        return table->objects[0];
    struct object *object = mem_alloc(sizeof(*object));
    *object = (struct object){.number = (uint32_t)table->count,
                              .same = (uint32_t)table->count,
                              .kind = kind,
                              .name = mem_strdup(name),
                              .path = mem_strdup(path),
                              .list.fd = -1};
    mem_grow(&table->objects, &table->room, table->count + 1, sizeof(*table->objects));
    table->objects[table->count++] = object;
    while (map_get(&table->keys, key))
        key++;
    map_put(&table->keys, key, object);
    return object;
}

struct object *object_for(struct object_table *table, enum object_kind kind, const char *name,
                          const char *path, bool *made)
{
    uint64_t first = object_key(kind, path);
    struct object *object;
    *made = false;
    for (uint64_t key = first; (object = map_get(&table->keys, key)); key++)
        if (object->kind == kind && strcmp(object->name, name) == 0 &&
            strcmp(object->path, path) == 0)
            return object;
    return object_add(table, first, kind, name, path, made);
}

/* What has no code to be read, with the reason, which is its path: one object for each. */
static struct object *object_nothing(struct object_table *table, const char *name,
                                     const char *reason)
{
    bool made;
    struct object *object = object_for(table, OBJECT_NOTHING, name, reason, &made);
    if (made) {
        object->read = true;
        object->reason = *reason ? object->path : NULL;
    }
    return object;
}

const char OBJECT_UNMAPPED[] = "[unmapped]";

struct object *object_unmapped(struct object_table *table, const struct code_space *space)
{
    if (!space->unreadable && !table->unmapped) /* asked for each address that is none */
        table->unmapped =
            object_nothing(table, OBJECT_UNMAPPED, "no mapping of the process has the address");
    if (!space->unreadable)
        return table->unmapped;
    if (space->unreadable == ENOENT || space->unreadable == ESRCH)
        return object_nothing(table, "[ended process]",
                              "the process ended before its maps were read");
    AUTO_FREE char *reason = mem_printf("cannot read the maps of process %d: %s", (int)space->pid,
                                        strerror(space->unreadable));
    return object_nothing(table, "[maps unreadable]", reason);
}

uint32_t object_same(const struct object_table *table, const struct object *object)
{
    const struct elf_image *image = &object->image;
    for (size_t i = 0; image->build_id_size > 0 && i < table->count; i++) {
        const struct object *other = table->objects[i];
        if (other->kind == OBJECT_FILE && other->read && other->same == other->number &&
            str_equal(other->path, object->path) &&
            other->image.build_id_size == image->build_id_size &&
            memcmp(other->image.build_id, image->build_id, image->build_id_size) == 0)
            return other->number;
    }
    return object->number;
}

static bool is_file(const char *path)
{
    return *path == '/' && !str_starts(path, "//") && !str_starts(path, "/dev/zero") &&
           !str_starts(path, "/SYSV");
}

struct object *object_jit(struct object_table *table, struct code_space *space)
{
    bool made;
    char comm[16] = "";
    if (space->jit)
        return table->objects[space->jit];
    procfs_comm(space->pid, space->pid, comm);
    AUTO_FREE char *name = mem_printf("%s (made at run time)", *comm ? comm : "code");
    AUTO_FREE char *path =
        mem_printf("pid:%d:%zu", (int)space->pid, table->count); /* the only one */
    struct object *object = object_for(table, OBJECT_JIT, name, path, &made);
    if (made) {
        object->file.pid = space->pid;
        object->file.images = table->images;
        object->list.born = space->born;
        object_find_list(object);
        space->jit = object->number;
    }
    return object;
}

/* A file that was replaced has the same path: told apart by what identifies it. */
static struct object *object_file(struct object_table *table, pid_t pid,
                                  const struct code_mapping *mapping)
{
    bool made;
    uint64_t first = object_key(OBJECT_FILE, mapping->path);
    struct object *object;
    for (uint64_t key = first; (object = map_get(&table->keys, key)); key++) {
        const struct code_mapping *known = &object->file.mapping;
        if (object->kind == OBJECT_FILE && strcmp(object->path, mapping->path) == 0 &&
            known->build_id_size == mapping->build_id_size && known->inode == mapping->inode &&
            known->major == mapping->major && known->minor == mapping->minor &&
            memcmp(known->build_id, mapping->build_id, CODE_BUILD_ID_MAX) == 0)
            return object;
    }
    object = object_add(table, first, OBJECT_FILE, strrchr(mapping->path, '/') + 1, mapping->path,
                        &made);
    if (!made)
        return object;
    object->name[code_file_length(object->name)] = '\0';
    object->offsets = true;
    object->file = (struct code_file){pid, *mapping, table->images};
    object->file.mapping.path = object->path;
    return object;
}

struct object *object_mapped(struct object_table *table, struct code_space *space,
                             const struct code_mapping *mapping)
{
    bool made;
    if (strcmp(mapping->path, "[vdso]") == 0)
        return object_for(table, OBJECT_VDSO, "[vdso]", "", &made);
    if (str_starts(mapping->path, "[vsyscall]") || str_starts(mapping->path, "[uprobes]"))
        return object_nothing(table, mapping->path, "");
    if (!is_file(mapping->path)) /* of this process only */
        return object_jit(table, space);
    struct object *object = object_file(table, space->pid, mapping);
    if (object->kind == OBJECT_FILE && jit_dump_named(object->path))
        __atomic_store_n(&object_jit(table, space)->dump, object, __ATOMIC_RELEASE);
    return object;
}

void object_table_release(struct object_table *table)
{
    for (size_t o = 0; o < table->count; o++)
        object_free(table->objects[o]);
    free(table->objects);
    map_release(&table->keys);
    map_free(&table->texts);
}

/* ---- their functions ---- */

/* newer: only those whose functions it replaces; NULL: all. */
static void forget_answers(struct object_table *table, struct object *object,
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
    table->answers -= object->answers.count - kept.count;
    map_release(&object->answers);
    object->answers = kept;
}

/* Gives up tables until there is room for that of an object. */
static void keep_limit(struct object_table *table, const struct object *but)
{
    while (table->bytes > TABLES_MAX) {
        struct object *oldest = NULL;
        for (size_t i = 0; i < table->count; i++) {
            struct object *object = table->objects[i];
            if (object != but && object->image.table.count > 0 &&
                (!oldest || object->used < oldest->used))
                oldest = object;
        }
        if (!oldest)
            return;
        table->bytes -= function_table_bytes(&oldest->image.table);
        function_table_empty(&oldest->image.table);
        oldest->emptied = true;
    }
}

void object_take(struct object_table *table, struct object *object, struct elf_image *image,
                 const struct function_table *newer, char *why)
{
    const char *reason = object_text(table, why);
    bool grown = newer->listed > 0;
    bool same =
        object->reason == reason && newer->count == 0 &&
        (grown || object->kind == OBJECT_FILE || object->image.table.sum == image->table.sum);
    /* It cannot be read any more: names are those of before. */
    bool lost = reason && !object->reason && image->table.count == 0;
    bool whole = !object->emptied && object->image.table.reach == 0;
    object->emptied = false;
    object->used = ++table->uses;
    if (object->read && (lost || (same && whole))) {
        elf_image_release(image);
        object->image.table.reach = 0; /* what is not known is not asked for again */
        return;
    }
    if (!same) {
        forget_answers(table, object, grown ? newer : NULL);
        if (object->kind != OBJECT_JIT) /* most functions stay: keep_known() compares them */
            map_free(&object->known);
        object_unlist(object);
        object->reason = reason;
    }
    table->bytes -= function_table_bytes(&object->image.table);
    elf_image_release(&object->image);
    object->image = *image;
    table->bytes += function_table_bytes(&object->image.table);
    keep_limit(table, object);
}

/* A function in the object's table, with its name, which is kept. */
static struct known_function *keep_known(struct object_table *table, struct object *object,
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
    *known = (struct known_function){found->start, found->size, object_text(table, text), mangled};
    return known;
}

static void show_name(struct object_table *table, struct known_function *known)
{
    known->name = object_text(table, image_reader_name(table->images, known->name));
    known->mangled = false;
}

const struct known_function *object_function(struct object_table *table, struct object *object,
                                             uint64_t address, bool shown)
{
    static const struct known_function none;
    const struct function_table *functions = &object->image.table;
    struct known_function *known = map_get(&object->answers, address + 1);
    if (known && shown && known->mangled)
        show_name(table, known);
    if (known)
        return known;
    if (object->emptied || !function_table_covers(functions, address))
        return NULL;
    const struct table_function *found = function_table_find(functions, address);
    if (!found && functions->reach > 0 && address != functions->around) /* it may begin far away */
        return NULL;
    object->used = ++table->uses;
    known = found ? keep_known(table, object, found) : (struct known_function *)&none;
    for (size_t i = 0; table->answers >= ANSWERS_MAX && i < table->count; i++)
        forget_answers(table, table->objects[i], NULL);
    map_put(&object->answers, address + 1, known);
    table->answers++;
    if (shown && known->mangled)
        show_name(table, known);
    return known;
}
