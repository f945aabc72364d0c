#include "code/code_file.h"
#include "base/signals.h"
#include "system/procfs.h"

#include <sys/mman.h>
#include <sys/sysmacros.h>

enum image_task { TO_IDENTIFY, TO_READ, TO_NAME, TASKS };

struct image_child {
    pthread_mutex_t lock; /* held while it works */
    struct helper child;
    bool used; /* it has answered */
    pid_t pid; /* which others may signal while it is not 0: by the reader's lock */
};

struct image_reader {
    pthread_mutex_t lock;
    bool stop;
    unsigned endless; /* names that took too long: by the lock of the child for names */
    struct image_child children[TASKS];
};

struct image_reader *image_reader_new(void)
{
    struct image_reader *reader = mem_alloc(sizeof(*reader));
    pthread_mutex_init(&reader->lock, NULL);
    for (int i = 0; i < TASKS; i++)
        pthread_mutex_init(&reader->children[i].lock, NULL);
    return reader;
}

/* Returns its status as of waitpid(2). */
static int image_child_end(struct image_reader *reader, struct image_child *child)
{
    pthread_mutex_lock(&reader->lock);
    child->pid = 0;
    pthread_mutex_unlock(&reader->lock);
    return helper_end(&child->child);
}

void image_reader_stop(struct image_reader *reader)
{
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    reader->stop = true;
    for (int i = 0; i < TASKS; i++)
        if (reader->children[i].pid > 0)
            kill(reader->children[i].pid, SIGKILL);
}

void image_reader_free(struct image_reader *reader)
{
    if (!reader)
        return;
    for (int i = 0; i < TASKS; i++) {
        struct image_child *child = &reader->children[i];
        if (child->pid > 0)
            image_child_end(reader, child);
        pthread_mutex_destroy(&child->lock);
    }
    pthread_mutex_destroy(&reader->lock);
    free(reader);
}

/* False with the reason: it cannot be started, or is not to be. */
static bool image_child_start(struct image_reader *reader, enum image_task task, char **reason)
{
    /* Who waits for the name of a file waits for its identity first. */
    static const unsigned most[TASKS] = {[TO_IDENTIFY] = 20, [TO_READ] = 60, [TO_NAME] = 5};
    struct image_child *child = &reader->children[task];
    struct err err = {"the program ends"};
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&reader->lock);
    if (!reader->stop && child->pid == 0 &&
        line_child_start(&child->child, 0, most[task], NULL, &err) == 0)
        child->pid = child->child.pid;
    bool good = !reader->stop && child->pid > 0;
    if (!good)
        *reason = mem_strdup(err.text);
    return good;
}

/* One that was used before may have ended for another reason than this file: a new one is asked
 * then. */
bool image_reader_read(struct image_reader *reader, enum line_image what, int fd, int debug,
                       struct elf_image *image, char **reason)
{
    bool quick = what == LINE_IMAGE_IDENTITY || what == LINE_IMAGE_CHECK;
    enum image_task task = quick ? TO_IDENTIFY : TO_READ;
    struct image_child *child = &reader->children[task];
    const struct elf_image asked = *image;
    bool found = false, done = false, used = true;
    *reason = NULL;
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&child->lock);
    while (!done && used && image_child_start(reader, task, reason)) {
        used = child->used;
        *image = asked;
        done = line_child_image(&child->child, what, fd, debug, image, &found) == 0;
        child->used = done;
        int status = done ? 0 : image_child_end(reader, child);
        if (!done && !used)
            *reason = line_child_reason("read it", status);
    }
    return done && found;
}

char *image_reader_name(struct image_reader *reader, const char *name)
{
    enum { ENDLESS_MAX = 16 };
    struct image_child *child = &reader->children[TO_NAME];
    struct line_request request = {.ask = NAME_READ, .bytes = strlen(name)};
    AUTO_FREE char *reason = NULL;
    AUTO_STR struct str shown = str_new();
    AUTO_UNLOCK pthread_mutex_t *held = lock_take(&child->lock);
    if (!function_name_mangled(name) || reader->endless >= ENDLESS_MAX ||
        !image_child_start(reader, TO_NAME, &reason))
        return function_name_shown(name, false);
    if (line_child_ask(&child->child, &request, -1, -1, name, &shown, NULL) == 0)
        return str_detach(&shown);
    image_child_end(reader, child);
    reader->endless++;
    return function_name_shown(name, false);
}

/* ---- the file behind a mapping ---- */

static bool has_build_id(const struct code_file *file, int fd, const unsigned char *build_id,
                         size_t size, char **reason)
{
    struct elf_image image = {0};
    bool same = image_reader_read(file->images, LINE_IMAGE_IDENTITY, fd, -1, &image, reason) &&
                image.identity.build_id_size == size &&
                memcmp(image.identity.build_id, build_id, size) == 0;
    elf_image_release(&image);
    return same;
}

/* Whether maps have this device and inode for the open file: seen by a mapping of our own, since
 * stat(2) has others on btrfs (the subvolume's) and, before Linux 6.8, on overlayfs (a layer's). */
static bool maps_name_it_so(const struct code_file *file, int fd)
{
    bool same = false;
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
    AUTO_FILE FILE *maps = page != MAP_FAILED ? file_open("/proc/self/maps") : NULL;
    while (maps && !same && getline(&line, &room, maps) > 0) {
        struct code_mapping own;
        bool code;
        same = code_space_line(line, &own, &code) && own.start == (uintptr_t)page &&
               own.inode == file->mapping.inode && own.major == file->mapping.major &&
               own.minor == file->mapping.minor;
    }
    if (page != MAP_FAILED)
        munmap(page, 1);
    return same;
}

/* Whether the open file is the mapped one; *reason: why that is not known. Where the kernel
 * reported a build-id, device and inode are not known. */
static bool is_mapped_file(const struct code_file *file, int fd, char **reason)
{
    struct stat status;
    if (file->mapping.build_id_size > 0)
        return has_build_id(file, fd, file->mapping.build_id, file->mapping.build_id_size, reason);
    return (fstat(fd, &status) == 0 && status.st_ino == file->mapping.inode &&
            major(status.st_dev) == file->mapping.major &&
            minor(status.st_dev) == file->mapping.minor) ||
           maps_name_it_so(file, fd);
}

size_t code_file_length(const char *path)
{
    static const char gone[] = " (deleted)";
    size_t length = strlen(path), tail = strlen(gone);
    bool deleted = length > tail && strcmp(path + length - tail, gone) == 0;
    return deleted ? length - tail : length;
}

int code_file_open(const struct code_file *file, char **reason)
{
    enum { MAPPED, INSIDE, OUTSIDE, PROGRAM, PLACES };
    const struct code_mapping *mapping = &file->mapping;
    size_t length = code_file_length(mapping->path);
    bool deleted = mapping->path[length] != '\0', replaced = false;
    AUTO_FREE char *path = mem_strndup(mapping->path, length), *why = NULL;
    int fd = -1, error = 0;
    for (int place = 0; place < PLACES && fd < 0 && !why; place++) {
        bool named = place == INSIDE || place == OUTSIDE; /* what happens there says more */
        fd = place == MAPPED
                 ? procfs_open_mapped(file->pid, mapping->start, mapping->start + mapping->size)
             : place == PROGRAM ? procfs_open_program(file->pid)
                                : procfs_open_inside(place == INSIDE ? file->pid : 0, path, 0);
        if (fd < 0) {
            error = named && (error == 0 || errno != ENOENT) ? errno : error;
        } else if (!is_mapped_file(file, fd, &why)) {
            close(fd);
            fd = -1;
            replaced |= named;
        }
    }
    if (fd < 0)
        *reason = why ? mem_printf("cannot read '%s': %s", path, why)
                  : replaced
                      ? mem_printf("'%s' is another file now than the one that is mapped", path)
                  : deleted ? mem_printf("'%s' was deleted", path)
                            : mem_printf("cannot read '%s': %s", path, err_reason(error));
    return fd;
}

/* Where the separate debug file may be (gdb's manual, "Separate Debug Files"), in order; NULL: not
 * there, or after the last. */
enum { DEBUG_PLACES = 4 };

static char *debug_path(const struct code_file *file, const struct elf_identity *identity,
                        int place)
{
    static const char DEBUG[] = "/usr/lib/debug";
    const char *name = strrchr(file->mapping.path, '/'), *link = identity->link;
    struct str path = str_new();
    if (place == 0 && identity->build_id_size > 1) {
        str_printf(&path, "%s/.build-id/%02x/", DEBUG, identity->build_id[0]);
        for (size_t i = 1; i < identity->build_id_size; i++)
            str_printf(&path, "%02x", identity->build_id[i]);
        str_add(&path, ".debug");
    } else if (place > 0 && name && *link && !strchr(link, '/')) {
        str_printf(&path, "%s%.*s/%s%s", place == 3 ? DEBUG : "", (int)(name - file->mapping.path),
                   file->mapping.path, place == 2 ? ".debug/" : "", link);
    }
    return path.length ? str_detach(&path) : NULL;
}

bool code_file_is_debug(const struct code_file *file, const struct elf_identity *identity, int fd,
                        char **reason)
{
    struct elf_image content = {0};
    struct stat status = {0};
    if (identity->build_id_size >= 2)
        return has_build_id(file, fd, identity->build_id, identity->build_id_size, reason);
    if (fstat(fd, &status) == 0 && status.st_size > ELF_CHECKED_MAX) {
        *reason = mem_strdup("it is larger than 1 GiB, and has no build-id to know it by");
        return false;
    }
    bool same = status.st_size > 0 && /* else it is one of /proc, for example, or is useless */
                image_reader_read(file->images, LINE_IMAGE_CHECK, fd, -1, &content, reason) &&
                content.identity.link_check == identity->link_check;
    elf_image_release(&content);
    return same;
}

/* Looks in the root of the process, and in ours. */
int code_file_debug(const struct code_file *file, const struct elf_identity *identity,
                    char **looked, char **refused)
{
    struct stat status, before = {0}; /* mostly both roots are the same */
    *looked = *refused = NULL;
    for (int i = 0; i < 2 * DEBUG_PLACES; i++) {
        AUTO_FREE char *path = debug_path(file, identity, i / 2), *reason = NULL;
        int fd = path ? procfs_open_inside(i % 2 ? 0 : file->pid, path, 0) : -1;
        bool again = fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == before.st_ino &&
                     status.st_dev == before.st_dev;
        if (path && !*looked)
            *looked = mem_strdup(path);
        if (fd < 0)
            continue;
        before = status;
        if (!again && code_file_is_debug(file, identity, fd, &reason))
            return fd;
        close(fd);
        if (reason && !*refused)
            *refused = mem_printf("'%s' is not read: %s", path, reason);
    }
    return -1;
}

bool code_file_read(const struct code_file *file, int fd, struct elf_image *image, char **reason)
{
    struct elf_image facts = {0};
    AUTO_FREE char *looked = NULL, *refused = NULL, *why = NULL;
    bool good = image_reader_read(file->images, LINE_IMAGE_IDENTITY, fd, -1, &facts, &why);
    AUTO_CLOSE int debug = good ? code_file_debug(file, &facts.identity, &looked, &refused) : -1;
    good = good && image_reader_read(file->images, LINE_IMAGE_ELF, fd, debug, image, &why);
    if (why)
        *reason = mem_printf("cannot read '%s': %s", file->mapping.path, why);
    else if (!good)
        *reason = mem_printf("'%s' is no program or library of this machine", file->mapping.path);
    else if (refused)
        *reason = mem_printf("its debug file %s", refused);
    else if (image->table.count == 0)
        *reason = mem_printf("'%s' has no symbols and no bounds of functions", file->mapping.path);
    elf_image_release(&facts);
    return good;
}
