#include "code/source_file.h"
#include "code/line_child.h"
#include "system/procfs.h"

enum { SOURCE_MAX = 8 << 20, LINES_MAX = 1 << 20 }; /* bytes; lines */

static void split_lines(struct source_file *file)
{
    char *end = file->text + file->size;
    for (char *line = file->text, *next; line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        *next = '\0';
        *MEM_ADD(file->lines, file->count, file->room) = line;
    }
}

bool source_file_add_line(struct source_file *file, uint32_t line, const char *text)
{
    size_t length = strcspn(text, "\n");
    if (line <= file->count || line > LINES_MAX || file->size + length > SOURCE_MAX)
        return false;
    mem_grow(&file->lines, &file->room, line, sizeof(*file->lines));
    file->lines[line - 1] = mem_strndup(text, length);
    file->count = line;
    file->size += length;
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
    return mem_copy(&(struct source_file){.references = 1, .path = mem_strdup(path)},
                    sizeof(struct source_file));
}

bool source_file_begin(struct source_file *file, const struct source_rights *rights,
                       struct helper *helper)
{
    enum { SECONDS = 20 };
    struct err err;
    if (*file->path != '/')
        file->reason = mem_printf("the source '%s' was not found", file->path);
    else if (line_child_start(helper, 0, SECONDS, &rights->user, &err) < 0)
        file->reason = mem_strdup(err.text);
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
    return mem_printf("cannot read the source '%s': %s", file->path, err_reason(error));
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
    split_lines(file);
}

void source_file_drop(struct source_file *file)
{
    if (!mem_drop(file))
        return;
    for (size_t i = 0; i < file->count && !file->text; i++)
        free(file->lines[i]);
    free(file->path);
    free(file->reason);
    free(file->text);
    free(file->lines);
    free(file);
}

void source_file_line(const struct source_file *file, uint32_t line, char *text, size_t size)
{
    const char *found = line >= 1 && line <= file->count ? file->lines[line - 1] : NULL;
    snprintf(text, size, "%s", found ? found : "");
}
