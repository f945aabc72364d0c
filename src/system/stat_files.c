#include "system/stat_files.h"
#include "base/file.h"
#include "system/procfs.h"

#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

/* Rows of a large terminal; and of all descriptors at most this part, since counters need them. */
enum { FILES_MAX = 128, PART = 16 };

void stat_files_release(struct stat_files *files)
{
    void *kept;
    for (size_t at = 0; (kept = map_next(&files->open, &at));)
        close((int)(uintptr_t)kept - 1);
    map_release(&files->open);
}

static size_t most_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < PART)
        return 1;
    return limit.rlim_cur / PART < FILES_MAX ? (size_t)limit.rlim_cur / PART : FILES_MAX;
}

ssize_t stat_files_read(struct stat_files *files, pid_t pid, pid_t tid, char *buffer, size_t size)
{
    uint64_t key = (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid;
    int fd = (int)(uintptr_t)map_get(&files->open, key) - 1;
    if (fd >= 0) {
        ssize_t length = file_again(fd, buffer, size);
        if (length > 0)
            return length;
        map_remove(&files->open, key); /* it has ended; another task may have its id */
        close(fd);
    }
    fd = procfs_keep(pid, tid, "stat");
    if (fd < 0)
        return -1;
    if (files->most == 0)
        files->most = most_files();
    if (files->open.count >= files->most) /* most of them are no longer shown */
        stat_files_release(files);
    ssize_t length = file_again(fd, buffer, size);
    if (file_may_stay(fd))
        map_put(&files->open, key, (void *)(uintptr_t)(fd + 1));
    else
        close(fd);
    return length;
}
