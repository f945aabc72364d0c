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
            result = err_set(err, "cannot make the directory '%.200s': %s", copy, strerror(errno));
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

/* The target of a link, relative to the link's folder; NULL with errno. */
static char *follow(int fd, const struct stat *link, const char *name)
{
    char to[PATH_MAX];
    struct stat folder;
    const char *slash = strrchr(name, '/');
    int length = slash ? (int)(slash - name) + 1 : 0;
    AUTO_FREE char *above = length ? mem_strndup(name, (size_t)length) : mem_strdup(".");
    int found = stat(above, &folder);
    if (found < 0)
        return NULL;
    bool shared = (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH);
    if (shared && link->st_uid != geteuid() && link->st_uid != folder.st_uid) {
        errno = EACCES;
        return NULL;
    }
    ssize_t size = readlinkat(fd, "", to, sizeof(to) - 1);
    if (size < 0)
        return NULL;
    to[size] = '\0';
    return mem_printf("%.*s%s", *to == '/' ? 0 : length, name, to);
}

char *file_target(const char *path)
{
    enum { LINKS_MAX = 40 }; /* as in path_resolution(7) */
    char *name = mem_strdup(path);
    for (int i = 0; i <= LINKS_MAX && name; i++) {
        struct stat status;
        int fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if ((fd < 0 && errno == ENOENT) ||
            (fd >= 0 && fstat(fd, &status) == 0 && !S_ISLNK(status.st_mode))) {
            file_close(fd);
            return name;
        }
        char *next = fd >= 0 ? follow(fd, &status, name) : NULL;
        int error = errno;
        file_close(fd);
        free(name);
        name = next;
        errno = error;
    }
    if (name)
        errno = ELOOP;
    free(name);
    return NULL;
}

char *file_load(const char *path, size_t limit, struct err *err)
{
    struct stat status;
    struct statfs system;
    FILE *f = NULL;
    /* Opening never blocks, reading may. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &system) < 0) {
        err_set(err, "cannot read '%s': %s", path, strerror(errno));
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
