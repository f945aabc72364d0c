#include "code/source_file.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/line_child.h"
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

bool source_file_add_line(struct source_file *file, uint32_t line, const char *text)
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

void source_rights_find(struct source_rights *rights, pid_t pid, const int *files, size_t count)
{
    struct privilege_user owner;
    struct stat status;
    uid_t author = 0;
    bool several = false, known = procfs_owner(pid, &owner) == 0;
    for (size_t i = 0; i < count; i++) {
        uid_t uid = fstat(files[i], &status) == 0 ? status.st_uid : privilege_nobody.uid;
        several |= uid != 0 && author != 0 && uid != author;
        author = uid != 0 ? uid : author;
    }
    rights->user = privilege_nobody;
    if (known && !several && (author == 0 || author == owner.uid))
        rights->user = owner;
    else if (!several)
        rights->user.uid = author;
    rights->everybody = geteuid() != 0 && rights->user.uid != geteuid();
}

struct source_file *source_file_new(const char *path)
{
    struct source_file *file = mem_alloc(sizeof(*file));
    *file = (struct source_file){.references = 1, .path = mem_strdup(path)};
    return file;
}

bool source_file_begin(struct source_file *file, const struct source_rights *rights,
                       struct helper *helper)
{
    enum { SECONDS = 20 };
    struct err err;
    if (*file->path != '/')
        file->reason = mem_printf("the source '%s' was not found", file->path);
    else if (line_child_start(helper, 0, &rights->user, &err) < 0)
        file->reason = mem_strdup(err.text);
    else
        line_child_limit(helper, SECONDS);
    return !file->reason;
}

/* Who may not read it. */
static char *refusal(const struct source_file *file, const struct source_rights *rights, int error)
{
    if (error == ENOENT)
        return mem_printf("the source '%s' was not found", file->path);
    if (error == EFBIG)
        return mem_printf("'%s' is too large", file->path);
    if (rights->user.uid != geteuid() && error == EACCES)
        return mem_printf("cannot read the source '%s': user %u, whose program names it, may not",
                          file->path, (unsigned)rights->user.uid);
    return mem_printf("cannot read the source '%s': %s", file->path, strerror(error));
}

void source_file_read(struct source_file *file, const struct source_rights *rights, pid_t pid,
                      struct helper *helper)
{
    AUTO_CLOSE int root = procfs_open_root(pid);
    AUTO_STR struct str text = str_new();
    struct line_request request = {
        .ask = SOURCE_READ, .space = rights->everybody, .bytes = strlen(file->path)};
    uint32_t error = 0;
    if (line_child_ask(helper, &request, root, -1, file->path, &text, &error) < 0)
        file->reason = mem_printf("the process that read '%s' had no answer in time", file->path);
    else if (error)
        file->reason = refusal(file, rights, (int)error);
    if (file->reason)
        return;
    file->size = text.length;
    file->text = str_detach(&text);
    index_lines(file);
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
