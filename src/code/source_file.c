#include "code/source_file.h"
#include "base/mem.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 8 << 20, LINES_MAX = 1 << 20 }; /* bytes; lines */

static void index_lines(struct source_file *file)
{
    for (size_t at = 0; at < file->size;) {
        mem_grow(&file->lines, &file->room, file->count + 1, sizeof(*file->lines));
        file->lines[file->count++] = (uint32_t)at;
        const char *end = memchr(file->text + at, '\n', file->size - at);
        at = end ? (size_t)(end - file->text) + 1 : file->size;
    }
}

static void read_source(struct source_file *file, int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || status.st_size > SOURCE_MAX) {
        file->reason = mem_printf("'%s' is too large", file->path);
        return;
    }
    size_t room = (size_t)status.st_size;
    file->text = mem_alloc(room + 1);
    ssize_t got;
    while (file->size < room && (got = read(fd, file->text + file->size, room - file->size)) > 0)
        file->size += (size_t)got;
    index_lines(file);
}

struct source_file *source_file_recorded(const char *path)
{
    struct source_file *file = mem_alloc(sizeof(*file));
    *file = (struct source_file){.references = 1, .path = mem_strdup(path)};
    return file;
}

bool source_file_tell(struct source_file *file, uint32_t line, const char *text)
{
    size_t length = strcspn(text, "\n");
    if (line <= file->count || line > LINES_MAX || file->size + length > SOURCE_MAX)
        return false;
    size_t empty = line - file->count - 1;
    file->text = mem_resize(file->text, file->size + empty + length + 1, 1);
    memset(file->text + file->size, '\n', empty);
    mem_grow(&file->lines, &file->room, line, sizeof(*file->lines));
    while (file->count < line)
        file->lines[file->count++] = (uint32_t)file->size++;
    file->size--; /* the line itself begins where the empty ones end */
    memcpy(file->text + file->size, text, length);
    file->text[file->size + length] = '\n';
    file->size += length + 1;
    return true;
}

struct source_file *source_file_read(pid_t pid, const char *path)
{
    struct source_file *file = mem_alloc(sizeof(*file));
    *file = (struct source_file){.references = 1, .path = mem_strdup(path)};
    int fd = -1, error = ENOENT;
    for (int outside = 0; outside < 2 && fd < 0 && *path == '/'; outside++) {
        fd = procfs_open_inside(outside ? 0 : pid, path, 0);
        if (fd < 0 && errno != ENOENT)
            error = errno;
    }
    if (fd < 0 && error == ENOENT)
        file->reason = mem_printf("the source '%s' was not found", path);
    else if (fd < 0)
        file->reason = mem_printf("cannot read the source '%s': %s", path, strerror(error));
    else
        read_source(file, fd);
    if (fd >= 0)
        close(fd);
    return file;
}

struct source_file *source_file_share(struct source_file *file)
{
    __atomic_add_fetch(&file->references, 1, __ATOMIC_RELAXED);
    return file;
}

void source_file_drop(struct source_file *file)
{
    if (!file || __atomic_sub_fetch(&file->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    free(file->path);
    free(file->reason);
    free(file->text);
    free(file->lines);
    free(file);
}

void source_file_line(const struct source_file *file, uint32_t line, char *text, size_t size)
{
    size_t length = 0;
    if (line >= 1 && line <= file->count) {
        const char *from = file->text + file->lines[line - 1];
        size_t most = file->size - file->lines[line - 1];
        const char *end = memchr(from, '\n', most);
        length = end ? (size_t)(end - from) : most;
        length = length < size ? length : size - 1;
        memcpy(text, from, length);
    }
    text[length] = '\0';
}
