#include "record/writer.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "record/write.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct writer {
    struct db *db;
    int lock;  /* descriptor of the file, which holds the lock; -1: in memory */
    bool made; /* the file was not there before */
    struct write_meta meta;
    struct write_tasks tasks;
    struct write_profile profiles;
    bool uncommitted;          /* its last one waits for readers; never in WAL mode */
    bool failed;               /* nothing more is recorded */
    bool part;                 /* of what is counted, which goes on when it ends */
    int64_t interval, cpu_row; /* ids of the rows written last */
    uint64_t intervals;
    uint64_t waits_seq; /* of the last waits that were written */
};

/* ---- the file ---- */

static void remove_beside(const char *path)
{
    char *name;
    for (size_t i = 0; (name = db_beside(path, i)); i++) {
        unlink(name);
        free(name);
    }
}

/* Whether the path still leads to the file of that descriptor. */
static bool leads_to(const char *path, int fd)
{
    struct stat status, now;
    return fstat(fd, &status) == 0 && stat(path, &now) == 0 && status.st_dev == now.st_dev &&
           status.st_ino == now.st_ino;
}

/* Whether the open file, and what is beside it, are of no other user, who could end this program:
 * SQLite maps FILE-shm, and reading what was truncated meanwhile is SIGBUS. */
static bool writer_owns(const char *path, int fd)
{
    struct stat status;
    bool own = fstat(fd, &status) == 0 && status.st_uid == geteuid();
    char *name;
    for (size_t i = 0; (name = db_beside(path, i)); i++) {
        own = own && (lstat(name, &status) < 0 || status.st_uid == geteuid());
        free(name);
    }
    return own;
}

/* Locks the file for its only writer, by flock(2), which is independent of SQLite's fcntl(2) locks.
 * Those are lost when any descriptor of the file is closed, so this one is closed last. */
static int lock_file(const char *path, struct err *err)
{
    struct stat status;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (fd < 0 || fstat(fd, &status) < 0) {
        err_set(err, "cannot record to '%.200s': %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        err_set(err, "cannot record to '%.200s': it is no regular file", path);
    } else if (flock(fd, LOCK_EX | LOCK_NB) < 0 ||
               !leads_to(path, fd)) { /* another program replaced it meanwhile */
        err_set(err, "cannot record to '%.200s': another countertop does already", path);
    } else {
        return fd;
    }
    file_close(fd);
    return -1;
}

/* Makes an empty recording in a new file; its locked descriptor, or -1 with a message. */
static int make_new(char *name, struct err *err)
{
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return err_set(err, "%s", strerror(errno));
    struct db *db = NULL;
    bool good = flock(fd, LOCK_EX | LOCK_NB) == 0 && (db = db_open(name, true, err)) &&
                schema_create(db, err) == 0;
    db_close(db);
    if (good)
        return fd;
    remove_beside(name);
    unlink(name);
    close(fd);
    return -1;
}

/* Replaces the file by a new recording, and its lock by the new one's. The new file is complete
 * before that, so nothing is lost on failure. */
static int replace_file(const char *path, int old, struct err *err)
{
    struct err why;
    AUTO_FREE char *target = file_target(path), *name = NULL;
    int fd = -1;
    if (!target) {
        err_set(&why, "%s", strerror(errno));
    } else if (!leads_to(target, old)) {
        err_set(&why, "it has been replaced meanwhile");
    } else {
        name = mem_printf("%s.XXXXXX", target);
        fd = make_new(name, &why);
    }
    if (fd >= 0) {
        remove_beside(target); /* first, else SQLite would use them for the new file */
        if (rename(name, target) < 0) {
            err_set(&why, "%s", strerror(errno));
            unlink(name);
            close(fd);
            fd = -1;
        }
    }
    if (fd < 0)
        err_set(err, "cannot replace '%.200s': %s", path, why.text);
    close(old);
    return fd;
}

/* The highest id of any row, from which ids continue. */
static const char HIGHEST[] =
    "SELECT coalesce(max(id), 0) FROM (SELECT max(id) AS id FROM intervals"
    " UNION ALL SELECT max(generation) FROM intervals"
    " UNION ALL SELECT max(id) FROM task_packs UNION ALL SELECT max(id) FROM texts"
    " UNION ALL SELECT max(id) FROM cpu_rows UNION ALL SELECT max(id) FROM processes"
    " UNION ALL SELECT max(id) FROM tasks)";

/* Whether a number could not be read for lack of memory or by the system: not because of the file.
 */
static bool unreadable(const struct db *db)
{
    int code = sqlite3_errcode(db->handle);
    return code == SQLITE_NOMEM || code == SQLITE_IOERR;
}

/* Continues the recording in the database; refuses another kind of database. */
static int writer_adopt(struct writer *writer, struct err *err)
{
    int64_t tables = db_number(writer->db, "SELECT count(*) FROM sqlite_master", -1);
    if (tables < 0 && unreadable(writer->db))
        return db_fail(writer->db, "record to", err);
    if (tables == 0 && db_number(writer->db, "PRAGMA application_id", 0) == 0)
        return schema_create(writer->db, err);
    struct err why;
    if (schema_check(writer->db, "record to", &why) < 0)
        return err_set(err, "%s; choose another name, or --force replaces it", why.text);
    if (schema_complete(writer->db, err) < 0)
        return -1;
    int64_t highest = db_number(writer->db, HIGHEST, -1);
    if (highest < 0 && unreadable(writer->db))
        return db_fail(writer->db, "record to", err);
    if (highest < 0 || highest > INT64_MAX / 2)
        return err_set(err,
                       "cannot record to '%.200s': it is damaged; choose another name, or "
                       "--force replaces it",
                       writer->db->name);
    writer->interval = db_number(writer->db, "SELECT max(id) FROM intervals", 0);
    writer->cpu_row = db_number(writer->db, "SELECT max(id) FROM cpu_rows", 0);
    return 0;
}

struct writer *writer_open(const struct writer_options *options, struct err *err)
{
    const char *path = options->path;
    struct writer *writer = mem_alloc(sizeof(*writer));
    writer->made = path && access(path, F_OK) < 0;
    writer->lock = path ? lock_file(path, err) : -1;
    if (writer->lock >= 0 && writer->made)
        remove_beside(path); /* of a file that was moved away */
    if (writer->lock >= 0 && options->force)
        writer->lock = replace_file(path, writer->lock, err);
    bool good = !path || writer->lock >= 0;
    bool own = good && path && writer_owns(path, writer->lock);
    good = good && (writer->db = db_open(path, true, err));
    if (good && path && !own) /* so that no FILE-shm is needed */
        db_number(writer->db, "PRAGMA locking_mode = EXCLUSIVE", 0);
    good = good && writer_adopt(writer, err) == 0;
    /* A database in memory needs no WAL; on a file system without it the mode stays as it is. */
    if (good && path)
        db_exec(writer->db, NULL, "%s",
                own ? "PRAGMA journal_mode = WAL"
                    : "PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL");
    good = good && db_exec(writer->db, err,
                           path ? "PRAGMA synchronous = NORMAL; PRAGMA cache_spill = OFF"
                                : "PRAGMA journal_mode = MEMORY") == 0;
    if (!good) {
        writer_close(writer);
        return NULL;
    }
    write_meta_init(&writer->meta, writer->db, options);
    write_profile_init(&writer->profiles, writer->db);
    write_tasks_init(&writer->tasks, &writer->meta);
    writer_wait(writer, 0);
    return writer;
}

/* Begins or commits a transaction: 1 if the file is locked. */
static int run_unlocked(struct writer *writer, const char *sql, struct err *err)
{
    if (db_run(db_statement(writer->db, sql), NULL, 0))
        return 0;
    bool locked = sqlite3_errcode(writer->db->handle) == SQLITE_BUSY;
    db_fail(writer->db, "record to", err);
    return locked ? 1 : -1;
}

int writer_commit(struct writer *writer, struct err *err)
{
    int result = writer->uncommitted ? run_unlocked(writer, "COMMIT", err) : 0;
    writer->uncommitted = result > 0;
    return result;
}

/* Where the file is now, as the end of a message; its log stays behind, so all that is in it is
 * moved into the file, which SQLite has open. The old name may be another file's now. */
static void follow_moved(struct writer *writer, char *text, size_t size)
{
    static const char DELETED[] = " (deleted)"; /* proc(5): the name is gone, others are not */
    AUTO_FREE char *link = mem_printf("/proc/self/fd/%d", writer->lock);
    char name[4096];
    int frames = 0, copied = 0;
    ssize_t length = readlink(link, name, sizeof(name) - 1);
    name[length > 0 ? length : 0] = '\0';
    bool known = length > 0 && !strstr(name, DELETED);
    db_exec(writer->db, NULL, "ROLLBACK"); /* if one has begun */
    sqlite3_wal_checkpoint_v2(writer->db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, &frames,
                              &copied);
    if (access(writer->db->name, F_OK) < 0)
        remove_beside(writer->db->name);
    snprintf(text, size, "%s%.200s%s%s", known ? " to '" : "", known ? name : "", known ? "'" : "",
             frames > copied ? ", where it lacks the last ones, which another program is reading"
                             : "");
}

int writer_check(struct writer *writer, struct err *err)
{
    struct stat status;
    const char *path = writer->db->name;
    char text[400];
    if (writer->lock < 0 || leads_to(path, writer->lock))
        return 0;
    writer->failed = true;
    if (fstat(writer->lock, &status) == 0 && status.st_nlink > 0) {
        follow_moved(writer, text, sizeof(text));
        return err_set(err, "cannot record to '%.200s': the file was moved%s", path, text);
    }
    writer->intervals = 0;
    return err_set(err, "cannot record to '%.200s': the file was removed or replaced", path);
}

/* Adds what tasks waited for at the end of the interval written last. */
static bool add_waits(struct writer *writer)
{
    const struct writer_lookup *lookup = &writer->meta.lookup;
    struct task_wait wait;
    uint64_t seq = writer->waits_seq;
    bool good = true;
    for (size_t at = 0; good && lookup->wait && lookup->wait(lookup->ctx, &at, &wait);)
        if (writer->interval > 0 && wait.seq > writer->waits_seq) {
            good = write_tasks_wait(&writer->tasks, &wait, writer->interval);
            seq = wait.seq;
        }
    writer->waits_seq = seq;
    return good;
}

void writer_close(struct writer *writer)
{
    if (!writer)
        return;
    writer_commit(writer, NULL);
    if (writer->intervals && !writer->failed && !writer->uncommitted &&
        db_exec(writer->db, NULL, "BEGIN") == 0) {
        add_waits(writer);
        db_exec(writer->db, NULL, "COMMIT");
    }
    /* After a failure the program goes on: names are not waited for as long as at its end. */
    if (writer->lock >= 0)
        write_profile_finish(&writer->profiles, !writer->failed && !writer->part);
    write_tasks_release(&writer->tasks);
    write_meta_release(&writer->meta);
    write_profile_release(&writer->profiles);
    /* Leaves one complete file, which needs no other files to be read. If the file was removed or
     * replaced, those beside the name may be another recorder's: SQLite would remove them. */
    bool there = writer->db && writer->lock >= 0 && leads_to(writer->db->name, writer->lock);
    if (there && writer->made && writer->intervals == 0) {
        remove_beside(writer->db->name);
        unlink(writer->db->name);
        there = false;
    }
    if (there)
        db_number(writer->db, "PRAGMA journal_mode = DELETE", 0);
    else if (writer->db)
        sqlite3_db_config(writer->db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    db_close(writer->db);
    file_close(writer->lock);
    free(writer);
}

void writer_wait(struct writer *writer, int ms)
{
    sqlite3_busy_timeout(writer->db->handle, ms);
}

uint64_t writer_intervals(const struct writer *writer)
{
    return writer->intervals;
}

struct db *writer_db(struct writer *writer)
{
    return writer->db;
}

struct event_set *writer_events(const struct writer *writer, int64_t *generation)
{
    *generation = writer->meta.generation;
    return writer->meta.events;
}

/* ---- rows ---- */

static bool add_cpu(struct writer *writer, sqlite3_stmt *add, const struct event_set *set, int cpu,
                    uint64_t busy, const struct counts *counts)
{
    int place = 4;
    for (size_t e = 0; e < set->count; e++)
        sqlite3_bind_int64(add, place++, (int64_t)counts->value[e]);
    for (size_t g = 0; g < set->groups; g++) {
        struct group_time time = counts->times[g];
        sqlite3_bind_int64(add, place++, (int64_t)time.enabled);
        db_bind(add, place++, time.running == time.enabled ? DB_NULL : (int64_t)time.running);
    }
    return db_run(add, (int64_t[]){++writer->cpu_row, cpu, (int64_t)busy}, 3);
}

static bool add_cpus(struct writer *writer, const struct snapshot *interval)
{
    const struct event_set *set = interval->events;
    AUTO_FREE char *counts = pack_count_columns(set->count, set->groups);
    sqlite3_stmt *add = db_insert(writer->db, "cpu_rows", "id, cpu, busy", counts);
    bool good = add != NULL;
    for (size_t c = 0; c < interval->cpu_count && good; c++)
        good = add_cpu(writer, add, set, interval->cpus[c].cpu, interval->cpus[c].busy,
                       &interval->cpus[c].counts);
    if (good && interval->has_cpus)
        good = add_cpu(writer, add, set, ROW_IDLE, 0, &interval->idle) &&
               add_cpu(writer, add, set, ROW_UNATTRIBUTED, 0, &interval->unattributed);
    return good;
}

/* Binds what the kernel tells to the parameters behind the keys of a row. */
static void bind_times(sqlite3_stmt *add, int keys, const struct kernel_times *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t time;
        bool known = kernel_times_get(times, i, &time);
        db_bind(add, keys + (int)i + 1, known ? (int64_t)time : DB_NULL);
    }
}

static bool add_loads(struct writer *writer, const struct snapshot *interval)
{
    AUTO_FREE char *times = schema_times(kernel_times_of_cpu, CPU_TIMES);
    sqlite3_stmt *add = db_insert(writer->db, "loads", "interval, cpu, again", times);
    struct cpu_load self = {.cpu = ROW_SELF};
    bool good = add != NULL;
    kernel_times_set(&self.kernel_times, CPU_BUSY, interval->self.cpu);
    kernel_times_set(&self.kernel_times, CPU_TIME, interval->self.time);
    for (size_t c = 0; c <= interval->load.count && good; c++) {
        const struct cpu_load *load = c ? &interval->load.cpus[c - 1] : &self;
        if (c && !(load->kernel_times.time[CPU_TIME] > 0))
            continue;
        bind_times(add, 3, &load->kernel_times, CPU_TIMES);
        good = db_run(add, (int64_t[]){writer->interval, load->cpu, load->again}, 3);
    }
    return good;
}

static bool add_cgroups(struct writer *writer, const struct machine_load *load)
{
    AUTO_FREE char *times = schema_times(kernel_times_of_cgroup, CGROUP_TIMES);
    sqlite3_stmt *add = db_insert(writer->db, "cgroup_loads", "interval, path", times);
    bool good = add != NULL;
    for (size_t i = 0; i < load->cgroup_count && good; i++) {
        bind_times(add, 2, &load->cgroups[i].kernel_times, CGROUP_TIMES);
        db_bind_text(add, 2, load->cgroups[i].path);
        good = db_run(add, (int64_t[]){writer->interval}, 1);
    }
    return good;
}

static bool add_long_waits(struct writer *writer, const struct long_waits *waits)
{
    const struct long_wait *wait;
    size_t left_out = waits && waits->count > LONG_WAITS_MAX ? waits->count - LONG_WAITS_MAX : 0;
    bool good = true;
    for (size_t i = 0; good && (wait = long_waits_get(waits, i)); i++)
        good = db_put(writer->db, "INSERT INTO long_waits",
                      "%jd %ju %f %ju %ju %d %d %d %d %s %d %s %d %s", writer->interval,
                      (uint64_t)(left_out + i), wait->time, wait->length, wait->taken, wait->woken,
                      wait->interrupt, (int)wait->pid, (int)wait->task.id, wait->task.comm,
                      (int)wait->taker.id, wait->taker.comm, (int)wait->waker.id, wait->waker.comm);
    return good;
}

static bool add_pressure(struct writer *writer, const struct machine_pressure *pressure)
{
    const struct pressure_time *of = pressure->of;
    return db_put(writer->db,
                  "INSERT INTO pressures (interval, time, cpu_some, cpu_full, memory_some,"
                  " memory_full, io_some, io_full)",
                  "%jd %ju %ju %ju %ju %ju %ju %ju", writer->interval, pressure->time, of[0].some,
                  of[0].full, of[1].some, of[1].full, of[2].some, of[2].full);
}

static bool add_interval(struct writer *writer, const struct snapshot *interval, int64_t task_first,
                         int64_t cpu_first)
{
    const struct write_meta *meta = &writer->meta;
    return db_put(writer->db, "INSERT INTO intervals",
                  "%jd %jd %jd %jd %f %ju %jd %jd %jd %jd %ju %ju %ju %ju %ju %ju %ju",
                  writer->interval, meta->session, meta->set, meta->generation, interval->wall,
                  interval->time - interval->started, task_first, writer->tasks.pack, cpu_first,
                  writer->cpu_row, interval->lost_records, interval->throttled,
                  interval->denied_tasks, interval->starved_tasks, interval->self.cpu,
                  (uint64_t)interval->self.descriptors, interval->self.rss);
}

static int write_interval(struct writer *writer, const struct session *session,
                          const struct snapshot *interval, struct err *err)
{
    const struct machine_load *load = &interval->load;
    bool views;
    if (!add_waits(writer))
        return db_fail(writer->db, "record to", err);
    writer->interval++;
    int64_t task_first = writer->tasks.pack + 1, cpu_first = writer->cpu_row + 1;
    if (write_meta_begin(&writer->meta, session, interval->events, &views, err) < 0 ||
        (views && writer->lock >= 0 && schema_views(writer->db, err) < 0))
        return -1;
    bool good = write_tasks_take(&writer->tasks, interval, &session->watch, writer->interval) &&
                add_cpus(writer, interval) && add_loads(writer, interval) &&
                add_cgroups(writer, load) && add_long_waits(writer, interval->long_waits);
    if (good && load->pressure.time > 0)
        good = add_pressure(writer, &load->pressure);
    if (good && interval->profile)
        good = write_profile_take(&writer->profiles, writer->interval, interval->profile);
    if (!good || !add_interval(writer, interval, task_first, cpu_first))
        return db_fail(writer->db, "record to", err);
    writer->uncommitted = true;
    return 0;
}

int writer_take(struct writer *writer, const struct session *session,
                const struct snapshot *interval, struct err *err)
{
    if (interval->events->count > SCHEMA_EVENTS_MAX)
        return err_set(err, "cannot record to '%.200s': more than %d events", writer->db->name,
                       SCHEMA_EVENTS_MAX);
    if (interval->task_count > DB_MEMORY_MAX / 2 / schema_task_bytes(interval->events))
        return err_set(err,
                       "cannot record to '%.200s': an interval of %zu tasks takes too much "
                       "memory to be read: choose a shorter one with -d",
                       writer->db->name, interval->task_count);
    if (writer_check(writer, err) < 0)
        return -1;
    int result = writer_commit(writer, err);
    if (result == 0)
        result = run_unlocked(writer, "BEGIN IMMEDIATE", err);
    if (result == 0)
        result = write_interval(writer, session, interval, err);
    if (result == 0 && writer_commit(writer, err) < 0)
        result = -1;
    writer->failed = result < 0;
    if (writer->failed)
        db_exec(writer->db, NULL, "ROLLBACK");
    writer->intervals += result == 0;
    return result;
}

/* ---- memory ---- */

uint64_t writer_bytes(const struct writer *writer)
{
    return (uint64_t)db_number(writer->db,
                               "SELECT (page_count - freelist_count) * page_size FROM"
                               " pragma_page_count, pragma_freelist_count, pragma_page_size",
                               0);
}

/* Deletes what was counted before an interval. */
static int delete_before(struct db *db, int64_t keep, struct err *err)
{
    static const char *const tables[] = {"loads",      "pressures",   "cgroup_loads", "profiles",
                                         "wait_facts", "wait_takers", "waits_for",    "long_waits"};
    long long id = keep;
    int result = db_exec(
        db, err,
        "DELETE FROM task_packs WHERE id < (SELECT task_first FROM intervals WHERE id = %lld);"
        "DELETE FROM cpu_rows WHERE id < (SELECT cpu_first FROM intervals WHERE id = %lld);"
        "DELETE FROM profile_rows WHERE id <"
        " (SELECT min(first) FROM profiles WHERE interval >= %lld);"
        "DELETE FROM intervals WHERE id < %lld",
        id, id, id, id);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && result == 0; i++)
        result = db_exec(db, err, "DELETE FROM %s WHERE interval < %lld", tables[i], id);
    return result;
}

/* Deletes the intervals before `keep`; SQLite reuses the free pages. sleepers: also the tasks that
 * did nothing in the kept intervals. */
static int forget_before(struct writer *writer, int64_t keep, bool sleepers, struct err *err)
{
    int result = db_exec(writer->db, err, "BEGIN");
    if (result == 0)
        result = delete_before(writer->db, keep, err);
    if (result == 0)
        result = write_tasks_forget(&writer->tasks, keep, sleepers, err);
    if (result == 0 && sleepers) { /* names of functions are only ever added */
        write_profile_forget(&writer->profiles);
        result = db_exec(writer->db, err,
                         "DELETE FROM profile_rows; DELETE FROM profiles; DELETE FROM stacks;"
                         "DELETE FROM functions; DELETE FROM objects; DELETE FROM code;"
                         "DELETE FROM source_lines;");
    }
    return result < 0 ? -1 : db_exec(writer->db, err, "COMMIT");
}

/* The oldest sixteenth, so that this is done rarely. 1 if only the newest interval is left. */
static int forget_oldest(struct writer *writer, bool sleepers, struct err *err)
{
    int64_t first = db_number(writer->db, "SELECT min(id) FROM intervals", writer->interval);
    int64_t keep = first + (writer->interval - first) / 16 + 1;
    return keep > writer->interval ? 1 : forget_before(writer, keep, sleepers, err);
}

int writer_trim(struct writer *writer, uint64_t bytes, struct err *err)
{
    int result = 0;
    /* If deleting intervals is not enough, sleeping tasks take the space. */
    for (bool sleepers = false; result == 0 && writer_bytes(writer) > bytes; sleepers = true)
        result = forget_oldest(writer, sleepers, err);
    if (result < 0)
        db_exec(writer->db, NULL, "ROLLBACK");
    return result < 0 ? -1 : 0;
}

/* ---- the last seconds as a file ---- */

/* The first interval that is in part of the last seconds. */
static int64_t first_within(struct writer *writer, double seconds)
{
    AUTO_FREE char *sql =
        mem_printf("SELECT min(id) FROM (SELECT id, sum(length) OVER (ORDER BY id DESC)"
                   " - length AS later FROM intervals) WHERE later < %lld",
                   (long long)(seconds * 1e9));
    return db_number(writer->db, sql, writer->interval);
}

void writer_keep(struct writer *writer, double seconds)
{
    enum { RARELY = 16 };
    if (writer->interval % RARELY == 0 &&
        forget_before(writer, first_within(writer, seconds), false, NULL) < 0)
        db_exec(writer->db, NULL, "ROLLBACK");
}

/* Copies the database into a new file, without the intervals before `first`. Tasks that live are
 * written again when they appear again. path: what messages call it. */
static int copy_into(struct writer *from, const char *name, const char *path, int64_t first,
                     struct err *err)
{
    struct db *db = db_open(name, true, err);
    if (!db)
        return -1;
    free(db->name);
    db->name = mem_strdup(path);
    sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 1); /* VACUUM needs it */
    sqlite3_backup *backup = sqlite3_backup_init(db->handle, "main", from->db->handle, "main");
    if (backup)
        sqlite3_backup_step(backup, -1);
    int result = sqlite3_backup_finish(backup) == SQLITE_OK ? 0 : db_fail(db, "record to", err);
    if (result == 0)
        result = delete_before(db, first, err);
    if (result == 0)
        result = db_exec(db, err,
                         "UPDATE processes SET last = %lld WHERE last IS NULL;"
                         "UPDATE tasks SET last = %lld WHERE last IS NULL;"
                         "PRAGMA temp_store = MEMORY; VACUUM",
                         (long long)from->interval, (long long)from->interval);
    if (result == 0)
        result = schema_views(db, err);
    db_close(db);
    return result;
}

struct writer *writer_copy(struct writer *from, const struct writer_options *options,
                           double seconds, struct err *err)
{
    AUTO_FREE char *name = mem_printf("%s.XXXXXX", options->path);
    int fd = mkostemp(name, O_CLOEXEC);
    int result = fd < 0
                     ? err_set(err, "cannot record to '%.200s': %s", options->path, strerror(errno))
                     : copy_into(from, name, options->path, first_within(from, seconds), err);
    if (result == 0 && rename(name, options->path) < 0)
        result = err_set(err, "cannot record to '%.200s': %s", options->path, strerror(errno));
    if (result < 0 && fd >= 0) {
        remove_beside(name);
        unlink(name);
    }
    if (fd >= 0)
        close(fd);
    struct writer *writer = result < 0 ? NULL : writer_open(options, err);
    if (writer) {
        write_meta_continue(&writer->meta, &from->meta);
        write_profile_continue(&writer->profiles, &from->profiles);
        writer->part = true;
    }
    return writer;
}

void writer_alarm(struct writer *writer, const struct session_alarm *alarm)
{
    AUTO_FREE char *value =
        isnan(alarm->value) ? mem_strdup("NULL") : mem_printf("%.17g", alarm->value);
    db_exec(writer->db, NULL, "INSERT INTO alarms VALUES (NULL, %Q, %!.17g, %d, %d, %s)",
            alarm->condition, alarm->time, (int)alarm->pid, (int)alarm->tid, value);
}

double writer_seconds(struct writer *writer)
{
    return (double)db_number(writer->db, "SELECT sum(length) FROM intervals", 0) / 1e9;
}

bool writer_trimmed(struct writer *writer)
{
    return db_number(writer->db, "SELECT min(id) FROM intervals", 1) > 1;
}
