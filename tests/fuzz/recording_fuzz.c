/* Recordings: the bytes are a database, which is refused with a message, or whose intervals are
 * read and made into frames as far as they are sound. */
#include "model/delta.h"
#include "record/reader.h"
#include "fuzz/fuzz.h"

static void ask(struct reader *reader, const struct snapshot *s)
{
    char text[64];
    for (size_t p = 0; p < s->process_count; p++) {
        reader_user(reader, s->processes[p].uid);
        reader_cmdline(reader, s->processes[p].pid);
        reader_cgroup(reader, s->processes[p].pid, text, sizeof(text));
    }
    const struct session *session = reader_session(reader);
    if (!session->host || !session->notice || !session->engine || !reader_run(reader)->known_as)
        abort();
    for (size_t e = 0; e < s->events->count; e++) {
        const struct event_info *event = &s->events->events[e];
        if (!*event->name || event->group >= (int)s->events->groups ||
            (event->state != EVENT_COUNTED && !event->reason))
            abort();
    }
}

static void read_interval(struct reader *reader, int64_t interval, bool idle)
{
    struct err err = {""};
    struct snapshot *s = reader_read(reader, interval, idle ? READ_ALL : READ_ACTIVE, &err);
    if (!s && !*err.text)
        abort();
    if (!s)
        return;
    for (size_t t = 0; t < s->task_count; t++)
        if (s->tasks[t].process >= s->process_count)
            abort();
    ask(reader, s);
    frame_free(frame_snapshot_frame(s, 1, NULL));
    snapshot_free(s);
}

/* A database in memory with a copy of these bytes; NULL if it cannot be one. */
static struct db *open_bytes(const uint8_t *data, size_t size)
{
    struct db *db = db_open(NULL, true, NULL);
    unsigned char *copy = db ? sqlite3_malloc64(size) : NULL;
    if (copy) {
        memcpy(copy, data, size);
        if (sqlite3_deserialize(db->handle, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) ==
            SQLITE_OK)
            return db;
    }
    db_close(db);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { INTERVALS = 8 };
    struct err err = {""};
    struct db *db = size ? open_bytes(data, size) : NULL;
    if (!db)
        return 0;
    struct reader *reader = reader_take(db, &err);
    if (!reader) {
        if (!*err.text)
            abort();
        return 0;
    }
    int64_t first, last;
    reader_span(reader, &first, &last, NULL);
    for (int64_t i = first; i <= last && i - first < INTERVALS; i++) {
        double time;
        reader_time(reader, i, &time);
        reader_begin(reader, i);
        read_interval(reader, i, i % 2);
    }
    reader_close(reader);
    return 0;
}
