#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char *rooted(char *buffer, size_t size, const char *path)
{
    if (!file_has_root())
        return path;
    snprintf(buffer, size, "%s%s", secure_getenv("COUNTERTOP_ROOT"), path);
    return buffer;
}

bool file_has_root(void)
{
    const char *root = secure_getenv("COUNTERTOP_ROOT");
    return root && *root;
}

int file_keep(const char *path)
{
    char full[PATH_MAX];
    return open(rooted(full, sizeof(full), path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* The kernel gives the lowest free number, which shows how many are in use. */
bool file_may_stay(int fd)
{
    enum { SPARE = 16 };
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) < 0 || (rlim_t)fd + SPARE < limit.rlim_cur;
}

void file_close(int fd)
{
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
}

void file_close_local(int *fd)
{
    file_close(*fd);
}

void file_end_local(FILE **file)
{
    if (*file)
        fclose(*file);
}

void file_end_folder(DIR **folder)
{
    int error = errno;
    if (*folder)
        closedir(*folder);
    errno = error;
}

ssize_t file_read(const char *path, char *buffer, size_t size)
{
    int fd = file_keep(path);
    size_t length = 0;
    ssize_t n = fd < 0 ? -1 : 1;
    while (n != 0 && fd >= 0 && length < size - 1) {
        n = read(fd, buffer + length, size - 1 - length);
        if (n < 0 && errno != EINTR)
            break;
        length += n > 0 ? (size_t)n : 0;
    }
    file_close(fd);
    if (n < 0)
        return -1;
    buffer[length] = '\0';
    return (ssize_t)length;
}

ssize_t file_again(int fd, char *buffer, size_t size)
{
    return file_again_from(fd, 0, buffer, size);
}

ssize_t file_again_from(int fd, size_t from, char *buffer, size_t size)
{
    ssize_t length;
    do
        length = pread(fd, buffer, size - 1, (off_t)from);
    while (length < 0 && errno == EINTR);
    buffer[length > 0 ? length : 0] = '\0';
    return length;
}

ssize_t file_readf(char *buffer, size_t size, const char *format, ...)
{
    char path[PATH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    return file_read(path, buffer, size);
}

int file_make_directory(const char *path, struct err *err)
{
    AUTO_FREE char *copy = mem_strdup(path);
    int result = 0;
    for (char *slash = copy; slash && result == 0;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            result =
                err_set(err, "cannot make the directory '%.200s': %s", copy, err_reason(errno));
        if (slash)
            *slash = '/';
    }
    return result;
}

int file_line(const char *path, char *buffer, size_t size)
{
    if (file_read(path, buffer, size) < 0)
        return -1;
    buffer[strcspn(buffer, "\n")] = '\0';
    return 0;
}

/* Why a file is not written, or a link not followed; NULL if it is. Who puts something in a folder
 * of all may wait for others to write there. */
static const char *distrust(const char *name, const struct stat *status, bool own)
{
    struct stat folder;
    const char *slash = strrchr(name, '/');
    AUTO_FREE char *above = slash ? mem_strndup(name, (size_t)(slash - name) + 1) : mem_strdup(".");
    bool shared = stat(above, &folder) < 0 || (folder.st_mode & S_IWOTH);
    bool foreign = status->st_uid != 0 && status->st_uid != geteuid();
    if (S_ISLNK(status->st_mode))
        return foreign && shared ? "it is a link of another user, in a folder that others may write"
                                 : NULL;
    if (!S_ISREG(status->st_mode) && !S_ISFIFO(status->st_mode))
        return NULL;
    if (foreign && (own || shared))
        return "it is another user's: choose another name";
    return S_ISREG(status->st_mode) && status->st_nlink > 1 && shared
               ? "it has several names, one in a folder that others may write"
               : NULL;
}

/* Resolves the links at the end of a path. Where `follow` is given it ends at a link of /proc,
 * which leads to an open file (proc_pid_fd(5)): 0 then, else O_NOFOLLOW. */
static char *resolve(const char *path, int *follow, struct err *why)
{
    enum { LINKS_MAX = 40 }; /* as in path_resolution(7) */
    char *name = mem_strdup(path);
    for (int i = 0; i <= LINKS_MAX; i++) {
        char to[PATH_MAX];
        struct stat status;
        struct statfs system;
        AUTO_CLOSE int fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        bool known = fd >= 0 && fstat(fd, &status) == 0 && fstatfs(fd, &system) == 0;
        bool link = known && S_ISLNK(status.st_mode);
        bool leads = link && follow && system.f_type == PROC_SUPER_MAGIC;
        if (follow)
            *follow = leads ? 0 : O_NOFOLLOW;
        if (leads || (known && !link) || (!known && errno == ENOENT))
            return name;
        const char *reason = link ? distrust(name, &status, false) : NULL, *slash;
        ssize_t size = link && !reason ? readlinkat(fd, "", to, sizeof(to) - 1) : -1;
        if (size < 0) {
            err_set(why, "%s", reason ? reason : err_reason(errno));
            free(name);
            return NULL;
        }
        to[size] = '\0';
        slash = *to == '/' ? NULL : strrchr(name, '/');
        mem_replace(&name, mem_printf("%.*s%s", slash ? (int)(slash - name) + 1 : 0, name, to));
    }
    free(name);
    return err_null(why, "%s", err_reason(ELOOP));
}

char *file_target(const char *path, struct err *why)
{
    return resolve(path, NULL, why);
}

int file_create(const char *path, int flags, bool own, struct err *why)
{
    int follow;
    const char *reason = NULL;
    struct stat status;
    AUTO_FREE char *name = resolve(path, &follow, why);
    if (!name)
        return -1;
    bool judged = follow && (flags & O_CREAT);
    /* Opening a named pipe may wait, so it is judged before; and after, if it is another one. */
    if (judged && lstat(name, &status) == 0 && (reason = distrust(name, &status, own)))
        return err_set(why, "%s", reason);
    int fd = open(name, (flags & ~O_TRUNC) | follow | O_NOCTTY | O_CLOEXEC, own ? 0600 : 0666);
    if (fd >= 0 && fstat(fd, &status) == 0 &&
        !(judged && (reason = distrust(name, &status, own))) &&
        (!(flags & O_TRUNC) || !S_ISREG(status.st_mode) || ftruncate(fd, 0) == 0))
        return fd;
    err_set(why, "%s", reason ? reason : err_reason(errno));
    file_close(fd);
    return -1;
}

char *file_load(const char *path, size_t limit, struct err *err)
{
    struct stat status;
    struct statfs system;
    FILE *f = NULL;
    /* Opening never blocks, reading may. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &system) < 0) {
        err_set(err, "cannot read '%s': %s", path, err_reason(errno));
    } else if (system.f_type == PROC_SUPER_MAGIC) {
        err_set(err, "cannot read '%s': it is a file of /proc", path);
    } else if (S_ISFIFO(status.st_mode) && system.f_type != PIPEFS_MAGIC &&
               strncmp(path, "/dev/", strlen("/dev/")) != 0) {
        err_set(err, "cannot read '%s': it is a named pipe", path);
    } else {
        fcntl(fd, F_SETFL, 0);
        f = fdopen(fd, "r");
    }
    if (!f) {
        file_close(fd);
        return NULL;
    }
    log_line("read %s", path);
    char *text = NULL;
    size_t length = 0, room = 0, n;
    do {
        mem_grow(&text, &room, length + 4097, 1);
        n = fread(text + length, 1, room - length - 1, f);
        length += n;
    } while (n > 0 && length <= limit);
    int failed = ferror(f);
    fclose(f);
    text[length] = '\0';
    static const char mark[] = "\xef\xbb\xbf"; /* U+FEFF */
    if (strncmp(text, mark, strlen(mark)) == 0)
        memmove(text, text + strlen(mark), length + 1 - strlen(mark));
    if (!failed && length <= limit)
        return text;
    if (failed)
        err_set(err, "cannot read '%s': it is no readable file", path);
    else
        err_set(err, "cannot read '%s': it is larger than %zu bytes", path, limit);
    free(text);
    return NULL;
}

int file_stat(const char *path, struct stat *status)
{
    char full[PATH_MAX];
    return stat(rooted(full, sizeof(full), path), status);
}

ssize_t file_link(const char *path, char *target, size_t size)
{
    char full[PATH_MAX];
    ssize_t length = readlink(rooted(full, sizeof(full), path), target, size - 1);
    target[length > 0 ? length : 0] = '\0';
    return length;
}

FILE *file_open(const char *path)
{
    char full[PATH_MAX];
    return fopen(rooted(full, sizeof(full), path), "re");
}

DIR *file_opendir(const char *path)
{
    char full[PATH_MAX];
    return opendir(rooted(full, sizeof(full), path));
}

void file_close_from(int first, const int *kept, size_t count)
{
    for (unsigned from = (unsigned)first, next = 0; next < ~0u; from = next + 1) {
        next = ~0u;
        for (size_t i = 0; i < count; i++)
            if ((unsigned)kept[i] >= from && (unsigned)kept[i] < next)
                next = (unsigned)kept[i];
        if (next > from)
            close_range(from, next - 1, 0);
    }
}

/* ---- directories ---- */

char *home_directory(void)
{
    const char *named = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (named && *named == '/')
        return mem_printf("%s/countertop", named);
    return home && *home == '/' ? mem_printf("%s/.config/countertop", home) : NULL;
}

char *home_program(void)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    const char *slash = strrchr(program, '/');
    return slash ? mem_strndup(program, (size_t)(slash - program)) : NULL;
}

char *home_share(void)
{
    AUTO_FREE char *program = home_program();
    const char *slash = program ? strrchr(program, '/') : NULL;
    return slash ? mem_printf("%.*s/share/countertop", (int)(slash - program), program) : NULL;
}
