#include "record/record_read_meta.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void record_read_meta_init(struct record_read_meta *meta, struct db *db)
{
    *meta = (struct record_read_meta){.db = db};
}

static void release_session(struct record_read_meta *meta)
{
    session_release(&meta->session);
    free(meta->version);
    free(meta->known_as);
    meta->version = meta->known_as = NULL;
    meta->session_id = 0;
}

void record_read_meta_release(struct record_read_meta *meta)
{
    release_session(meta);
    event_set_drop(meta->events);
    event_set_drop(meta->known);
}

/* Replaces what is harmful on a terminal: control characters, except newlines if `lines`. */
static char *clean(char *text, bool lines)
{
    if (text && strlen(text) > SCHEMA_TEXT_MAX)
        text[SCHEMA_TEXT_MAX] = '\0';
    for (char *at = text; at && *at;) {
        unsigned code = 0;
        size_t length = str_utf8(at, &code);
        bool bad = length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0);
        if (bad && !(lines && *at == '\n'))
            memset(at, '?', length ? length : 1);
        at += length ? length : 1;
    }
    return text;
}

char *record_read_meta_text(sqlite3_stmt *statement, int column)
{
    return clean(db_text(statement, column), false);
}

/* Never NULL. */
static char *read_meta_text_of(sqlite3_stmt *statement, int column)
{
    char *text = record_read_meta_text(statement, column);
    return text ? text : mem_strdup("");
}

static char *read_meta_lines_of(sqlite3_stmt *statement, int column)
{
    char *text = db_text(statement, column);
    return clean(text ? text : mem_strdup(""), true);
}

/* ---- sessions ---- */

static void fill_watch(struct watch *watch, sqlite3_stmt *row)
{
    char *processes = read_meta_text_of(row, 3), *threads = read_meta_text_of(row, 4),
         *users = read_meta_text_of(row, 5);
    watch_init(watch);
    watch_add_processes(watch, processes, NULL); /* an empty list adds nothing */
    watch_add_threads(watch, threads, NULL);
    char *rest = users, *word;
    unsigned long long uid;
    while ((word = strsep(&rest, ",")))
        if (str_to_u64(word, 0, (uid_t)-1, &uid))
            watch_add_user(watch, (uid_t)uid);
    watch->cgroup = record_read_meta_text(row, 6);
    watch->command = sqlite3_column_int(row, 7);
    free(processes);
    free(threads);
    free(users);
}

static int fill_session(struct record_read_meta *meta, sqlite3_stmt *row)
{
    enum { DELAY_MAX = 1000000 }; /* s */
    struct session *session = &meta->session;
    int mode = sqlite3_column_int(row, 0);
    double ghz = sqlite3_column_double(row, 12);
    char *cpus = read_meta_text_of(row, 13);
    session->mode = (enum count_mode)mode;
    session->delay = sqlite3_column_double(row, 1);
    session->notice = read_meta_text_of(row, 2);
    fill_watch(&session->watch, row);
    session->host = read_meta_text_of(row, 8);
    session->kernel = read_meta_text_of(row, 9);
    session->cpu_model = read_meta_text_of(row, 10);
    meta->known_as = read_meta_lines_of(row, 11);
    session->engine = read_meta_text_of(row, 14);
    session->engine_reason = read_meta_text_of(row, 15);
    session->command = record_read_meta_text(row, 16);
    meta->version = read_meta_text_of(row, 17);
    meta->run = sqlite3_column_int64(row, 18);
    session->faults = read_meta_lines_of(row, 19);
    int64_t counters = sqlite3_column_int64(row, 20);
    session->counters = counters > 0 && counters < SCHEMA_EVENTS_MAX ? (size_t)counters : 0;
    meta->facts = (struct run_facts){meta->version, meta->known_as, isfinite(ghz) ? ghz : 0};
    bool good = mode >= MODE_ALL && mode <= MODE_KERNEL && session->delay >= 0 &&
                session->delay <= DELAY_MAX && cpulist_parse(&session->cpus, cpus, NULL) == 0;
    free(cpus);
    return good ? 0 : -1;
}

int record_read_meta_session(struct record_read_meta *meta, int64_t session)
{
    if (meta->session_id == session && session)
        return 0;
    release_session(meta);
    sqlite3_stmt *query = db_prepare(
        meta->db,
        "SELECT s.mode, s.delay, s.notice, s.processes, s.threads, s.users, s.cgroup, s.child,"
        " r.host, r.kernel, r.cpu_model, r.known_as, r.ghz_nominal, r.cpus, r.engine,"
        " r.engine_reason, r.command, r.version, r.id, s.faults, s.counters"
        " FROM sessions s, runs r WHERE s.id = ?1 AND r.id = s.run",
        NULL);
    if (!query)
        return -1;
    sqlite3_bind_int64(query, 1, session);
    int result = sqlite3_step(query) == SQLITE_ROW ? fill_session(meta, query) : -1;
    sqlite3_finalize(query);
    if (result == 0)
        meta->session_id = session;
    return result;
}

/* ---- events ---- */

static int fill_event(struct event_info *event, sqlite3_stmt *row, size_t groups)
{
    event->name = record_read_meta_text(row, 1);
    event->pmu = record_read_meta_text(row, 2);
    event->unit = read_meta_text_of(row, 3);
    event->scale = sqlite3_column_double(row, 4);
    event->shared = sqlite3_column_int(row, 5) != 0;
    event->encoding = record_read_meta_text(row, 6);
    int state = sqlite3_column_int(row, 7);
    event->reason = record_read_meta_text(row, 8);
    int64_t group = sqlite3_column_int64(row, 9);
    event->hardware = sqlite3_column_int(row, 10) != 0;
    if (!event->name || !*event->name || !isfinite(event->scale) || state < EVENT_COUNTED ||
        state > EVENT_INVALID || group < -1 || group >= (int64_t)groups)
        return -1;
    event->state = (enum event_state)state;
    event->group = (int)group;
    if (event->state != EVENT_COUNTED && !event->reason)
        event->reason = mem_strdup("");
    return 0;
}

static struct event_set *new_set(struct db *db, int64_t set)
{
    char *sql = mem_printf("SELECT groups, note, (SELECT count(*) FROM events WHERE event_set ="
                           " %lld) FROM event_sets WHERE id = %lld",
                           (long long)set, (long long)set);
    sqlite3_stmt *query = db_prepare(db, sql, NULL);
    struct event_set *events = NULL;
    free(sql);
    if (query && sqlite3_step(query) == SQLITE_ROW) {
        int64_t groups = sqlite3_column_int64(query, 0), count = sqlite3_column_int64(query, 2);
        if (groups >= 0 && groups <= SCHEMA_EVENTS_MAX && count >= 0 &&
            count <= SCHEMA_EVENTS_MAX) {
            events = event_set_new((size_t)count);
            events->groups = (size_t)groups;
            events->note = record_read_meta_text(query, 1);
        }
    }
    sqlite3_finalize(query);
    return events;
}

static int read_meta_fill_events(struct db *db, struct event_set *events, int64_t set)
{
    sqlite3_stmt *query = db_prepare(
        db,
        "SELECT position, name, pmu, unit, scale, shared, encoding, state, reason, perf_group,"
        " hardware FROM events WHERE event_set = ?1 ORDER BY position",
        NULL);
    if (!query)
        return -1;
    sqlite3_bind_int64(query, 1, set);
    int result = 0;
    for (size_t e = 0; e < events->count && result == 0; e++)
        result = sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int64(query, 0) == (int64_t)e
                     ? fill_event(&events->events[e], query, events->groups)
                     : -1;
    sqlite3_finalize(query);
    return result;
}

int record_read_meta_events(struct record_read_meta *meta, int64_t set, int64_t generation)
{
    if (meta->events && meta->set == set && meta->generation == generation)
        return 0;
    bool known = meta->known && meta->known_generation == generation;
    struct event_set *events = known ? event_set_share(meta->known) : new_set(meta->db, set);
    if (!events || (!known && read_meta_fill_events(meta->db, events, set) < 0)) {
        event_set_drop(events);
        return -1;
    }
    event_set_drop(meta->events);
    meta->events = events;
    meta->set = set;
    meta->generation = generation;
    return 0;
}

void record_read_meta_know(struct record_read_meta *meta, struct event_set *events,
                           int64_t generation)
{
    if (meta->known == events)
        return;
    event_set_drop(meta->known);
    meta->known = events ? event_set_share(events) : NULL;
    meta->known_generation = generation;
}
