#include "record/db.h"
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of FILE-shm that are locked (sqlite.org/walformat.html, "WAL Locks"): nobody copies frames
 * of the log into the file, or begins the log again, while others hold these two. Who has the
 * file open holds LOCK_USED. */
enum { LOCK_CHECKPOINT = 121, LOCK_READER = 124, LOCK_USED = 128 };
/* Numbers of locks in calls of SQLite. */
enum { CALL_READER = 3 };
/* Of the index: the numbers of its header ("WAL-Index Header"), which it has twice. */
enum { IS_INIT = 3, LAST_FRAME = 4, SALT = 8, HEADER_WORDS = 12 };
enum { PARTS_MAX = 1 << 10 }; /* of the index, 32 KiB each: for a log of some 16 GiB */

/* Behind the unix VFS' own object of an open file. */
struct read_file {
    struct sqlite3_io_methods methods; /* the unix VFS' ones but for the index */
    const char *path;
    bool no_log;  /* there was none when the log was opened: an empty one is read instead */
    char **parts; /* the index */
    int count;
    int lock;                    /* descriptor of FILE-shm; -1: none */
    bool locked;                 /* LOCK_CHECKPOINT and LOCK_READER are held */
    uint32_t seen[HEADER_WORDS]; /* the header in FILE-shm when the index was made */
};

static sqlite3_vfs *vfs_below(void)
{
    return sqlite3_vfs_find("unix");
}

static struct read_file *read_file_of(sqlite3_file *file)
{
    return (struct read_file *)((char *)file + vfs_below()->szOsFile);
}

/* ---- locks ---- */

/* Whether somebody else has the recording open as SQLite does, so that FILE-shm is true. */
static bool is_used(const struct read_file *own)
{
    struct flock used = {.l_type = F_WRLCK, .l_start = LOCK_USED, .l_len = 1};
    return own->lock >= 0 && fcntl(own->lock, F_OFD_GETLK, &used) == 0 && used.l_type != F_UNLCK;
}

static bool set_locks(const struct read_file *own, short type)
{
    struct flock checkpoint = {.l_type = type, .l_start = LOCK_CHECKPOINT, .l_len = 1};
    struct flock reader = {.l_type = type, .l_start = LOCK_READER, .l_len = 1};
    return own->lock < 0 || (fcntl(own->lock, F_OFD_SETLK, &checkpoint) == 0 &&
                             fcntl(own->lock, F_OFD_SETLK, &reader) == 0);
}

static void read_vfs_unlock(struct read_file *own)
{
    set_locks(own, F_UNLCK);
    own->locked = false;
}

/* The header in FILE-shm; zeros if nobody keeps it up to date. */
static void read_header(const struct read_file *own, uint32_t header[HEADER_WORDS])
{
    enum { SIZE = HEADER_WORDS * sizeof(*header) };
    if (!is_used(own) || pread(own->lock, header, SIZE, 0) != SIZE)
        memset(header, 0, SIZE);
}

/* Opens FILE-shm, if there is one: to lock it, and for its header. False if the recording must not
 * be read: it can be written without our knowing. */
static bool open_lock(struct read_file *own)
{
    AUTO_FREE char *log = mem_printf("%s-wal", own->path), *index = mem_printf("%s-shm", own->path);
    bool good = !own->no_log || access(log, F_OK) < 0;
    if (own->lock < 0)
        own->lock = open(index, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    good = good && (own->lock >= 0 || errno == ENOENT);
    return good;
}

/* Locks, and forgets the index if the log has grown since it was made. Returns SQLite's code. */
static int read_vfs_lock(struct read_file *own)
{
    uint32_t now[HEADER_WORDS];
    if (own->locked)
        return SQLITE_OK;
    bool good = open_lock(own);
    own->locked = good && set_locks(own, F_RDLCK);
    read_header(own, now);
    if (!own->locked || memcmp(now, own->seen, sizeof(now)) != 0)
        memset(own->parts[0], 0, 2 * sizeof(now));
    memcpy(own->seen, now, sizeof(now));
    if (!own->locked)
        read_vfs_unlock(own);
    return own->locked ? SQLITE_OK : good ? SQLITE_BUSY : SQLITE_PROTOCOL;
}

/* Whether frames of the log that the index names stay as they are. The writer may have begun the
 * log again and not yet written to it, or not yet told of the last ones. */
static bool is_settled(const struct read_file *own)
{
    const uint32_t *index = (const uint32_t *)own->parts[0];
    uint32_t now[HEADER_WORDS];
    read_header(own, now);
    return index[LAST_FRAME] == 0 || now[IS_INIT] == 0 ||
           (memcmp(&index[SALT], &now[SALT], 2 * sizeof(*now)) == 0 &&
            index[LAST_FRAME] <= now[LAST_FRAME]);
}

/* ---- calls of SQLite about the index ---- */

static int read_vfs_map(sqlite3_file *file, int part, int size, int extend, void volatile **out)
{
    struct read_file *own = read_file_of(file);
    (void)extend;
    if (part >= PARTS_MAX)
        return SQLITE_FULL;
    for (; own->count <= part; own->count++) {
        if (!own->parts)
            own->parts = mem_array(PARTS_MAX, sizeof(*own->parts));
        own->parts[own->count] = mem_alloc((size_t)size);
    }
    *out = own->parts[part];
    return SQLITE_OK;
}

/* The index is of this process alone, so its locks are always free. */
static int read_vfs_set_lock(sqlite3_file *file, int number, int count, int flags)
{
    struct read_file *own = read_file_of(file);
    bool reader = number >= CALL_READER && count == 1 && (flags & SQLITE_SHM_SHARED);
    if (flags & SQLITE_SHM_UNLOCK) {
        if (reader)
            read_vfs_unlock(own);
        return SQLITE_OK;
    }
    int result = read_vfs_lock(own);
    if (result != SQLITE_OK || !reader || is_settled(own))
        return result;
    memset(own->seen, 0xff, sizeof(own->seen)); /* to be made again */
    read_vfs_unlock(own);
    return SQLITE_BUSY;
}

/* SQLite calls it between its two reads of the header of the index, which must be equal. */
static void read_vfs_barrier(sqlite3_file *file)
{
    struct read_file *own = read_file_of(file);
    if (own->count > 0)
        read_vfs_lock(own);
}

static int read_vfs_unmap(sqlite3_file *file, int remove)
{
    struct read_file *own = read_file_of(file);
    (void)remove;
    for (int part = 0; part < own->count; part++)
        free(own->parts[part]);
    free(own->parts);
    own->parts = NULL;
    own->count = 0;
    file_close(own->lock);
    own->lock = -1;
    own->locked = false;
    return SQLITE_OK;
}

/* Opens the log only for reading, and an empty file where there is none. */
static int open_log(const char *path, sqlite3_file *file, int *opened)
{
    bool none = access(path, F_OK) < 0;
    read_file_of(sqlite3_database_file_object(path))->no_log = none;
    return vfs_below()->xOpen(vfs_below(), none ? "/dev/null" : path, file,
                              SQLITE_OPEN_WAL | SQLITE_OPEN_READONLY, opened);
}

static int read_vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags,
                         int *opened)
{
    struct read_file *own = read_file_of(file);
    (void)vfs;
    if (flags & SQLITE_OPEN_WAL)
        return open_log(path, file, opened);
    int result = vfs_below()->xOpen(vfs_below(), path, file, flags, opened);
    if (result != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
        return result;
    *own = (struct read_file){.methods = *file->pMethods, .path = path, .lock = -1};
    own->methods.iVersion = 2; /* so it cannot be mapped */
    own->methods.xShmMap = read_vfs_map;
    own->methods.xShmLock = read_vfs_set_lock;
    own->methods.xShmBarrier = read_vfs_barrier;
    own->methods.xShmUnmap = read_vfs_unmap;
    file->pMethods = &own->methods;
    return result;
}

const char *read_vfs_name(void)
{
    static const char NAME[] = "countertop-read";
    if (sqlite3_initialize() != SQLITE_OK || sqlite3_vfs_find(NAME))
        return sqlite3_vfs_find(NAME) ? NAME : NULL;
    sqlite3_vfs *vfs = mem_alloc(sizeof(*vfs)); /* SQLite keeps it until the end */
    *vfs = *vfs_below();
    vfs->zName = NAME;
    vfs->szOsFile += (int)sizeof(struct read_file);
    vfs->xOpen = read_vfs_open;
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? NAME : NULL;
}
