#include "code/line_cache.h"
#include "base/file.h"
#include "base/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes: of all files, and of one. */
enum { CACHE_MAX = 64 << 20, FILE_MAX = 8 << 20 };

/* The path of a build-id's file, of the directory if it has none; NULL: no place is known. */
static char *cache_path(const unsigned char *build_id, size_t size)
{
    char *home = home_cache();
    struct str path;
    if (!home)
        return NULL;
    str_init(&path);
    str_printf(&path, "%s/lines", home);
    for (size_t i = 0; i < size; i++)
        str_printf(&path, "%s%02x", i == 0 ? "/" : "", build_id[i]);
    free(home);
    return str_detach(&path);
}

void line_cache_parse(char *content, size_t length, line_cache_take *take, void *ctx)
{
    char *end = content + length;
    while (content < end) {
        uint64_t start, size;
        size_t bytes;
        int used = 0;
        char *line = memchr(content, '\n', (size_t)(end - content));
        if (!line)
            return;
        *line = '\0';
        if (sscanf(content, "function 2 %" SCNx64 " %" SCNx64 " %zu%n", &start, &size, &bytes,
                   &used) != 3 ||
            content + used != line || bytes >= (size_t)(end - line))
            return;
        content = line + 1;
        char next = content[bytes];
        content[bytes] = '\0';
        if (strlen(content) != bytes || (bytes > 0 && content[bytes - 1] != '\n'))
            return; /* a part is missing */
        take(ctx, start, size, content);
        content += bytes;
        *content = next;
    }
}

void line_cache_read(const unsigned char *build_id, size_t size, line_cache_take *take, void *ctx)
{
    char *path = cache_path(build_id, size);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    struct stat status;
    free(path);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_MAX) {
        char *content = mem_alloc((size_t)status.st_size + 1);
        ssize_t length = read(fd, content, (size_t)status.st_size);
        if (length > 0)
            line_cache_parse(content, (size_t)length, take, ctx);
        free(content);
    }
    close(fd);
}

void line_cache_add(const unsigned char *build_id, size_t size, uint64_t start,
                    uint64_t function_size, const char *text)
{
    char *directory = cache_path(NULL, 0), *path = cache_path(build_id, size);
    struct stat status;
    bool made = directory && file_make_directory(directory, NULL) == 0;
    int fd =
        made ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0600)
             : -1;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        size_t length = strlen(text);
        char *record = mem_printf("function 2 %" PRIx64 " %" PRIx64 " %zu\n%s", start,
                                  function_size, length, text);
        length = strlen(record);
        if ((size_t)status.st_size + length <= FILE_MAX && /* by one call: others may add, too */
            write(fd, record, length) != (ssize_t)length)
            (void)!ftruncate(fd, status.st_size);
        free(record);
    }
    if (fd >= 0)
        close(fd);
    free(directory);
    free(path);
}

/* ---- tidying ---- */

struct cached {
    char name[NAME_MAX + 1];
    off_t size;
    time_t changed;
};

static int oldest_first(const void *pa, const void *pb)
{
    const struct cached *a = pa, *b = pb;
    return (a->changed > b->changed) - (a->changed < b->changed);
}

void line_cache_tidy(void)
{
    char *directory = cache_path(NULL, 0);
    DIR *dir = directory ? opendir(directory) : NULL;
    struct cached *files = NULL;
    size_t count = 0, room = 0;
    off_t all = 0;
    struct stat status;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(status.st_mode))
            continue;
        mem_grow(&files, &room, count + 1, sizeof(*files));
        struct cached *file = &files[count++];
        snprintf(file->name, sizeof(file->name), "%s", entry->d_name);
        file->size = status.st_size;
        file->changed = status.st_mtime;
        all += status.st_size;
    }
    if (count > 0)
        qsort(files, count, sizeof(*files), oldest_first);
    for (size_t i = 0; i < count && all > CACHE_MAX; i++)
        if (unlinkat(dirfd(dir), files[i].name, 0) == 0)
            all -= files[i].size;
    if (dir)
        closedir(dir);
    free(files);
    free(directory);
}
