#include "record/read.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *read_meta_clean(char *text, bool lines)
{
    if (text && strlen(text) > SCHEMA_TEXT_MAX)
        text[SCHEMA_TEXT_MAX] = '\0';
    if (text)
        str_clean(text, lines);
    return text;
}

/* ---- sessions ---- */

static int fill_session(struct read_meta *meta, sqlite3_stmt *row)
{
    enum { DELAY_MAX = 1000000 }; /* s */
    struct session *session = &meta->session;
    struct watch *watch = &session->watch;
    AUTO_FREE char *cpus = NULL, *processes = NULL, *threads = NULL, *users = NULL;
    char *word;
    int mode, command;
    int64_t counters;
    double ghz;
    unsigned long long uid;
    db_columns(row, 0,
               "%d %lf %ms %ms %ms %ms %ms %d %ms %ms %ms %ms %lf %ms %ms %ms %ms %ms %jd %ms %jd",
               &mode, &session->delay, &session->notice, &processes, &threads, &users,
               &watch->cgroup, &command, &session->host, &session->kernel, &session->cpu_model,
               &meta->known_as, &ghz, &cpus, &session->engine, &session->engine_reason,
               &session->command, &meta->version, &meta->run, &session->faults, &counters);
    char **const texts[] = {&session->notice,
                            &processes,
                            &threads,
                            &users,
                            &session->host,
                            &session->kernel,
                            &session->cpu_model,
                            &meta->known_as,
                            &cpus,
                            &session->engine,
                            &session->faults,
                            &session->engine_reason,
                            &meta->version}; /* never NULL */
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        bool lines = texts[i] == &meta->known_as || texts[i] == &session->faults;
        *texts[i] = read_meta_clean(*texts[i] ? *texts[i] : mem_strdup(""), lines);
    }
    read_meta_clean(watch->cgroup, false);
    read_meta_clean(session->command, false);
    session->mode = (enum count_mode)mode;
    watch->command = command;
    watch_add_processes(watch, processes, NULL); /* an empty list adds nothing */
    watch_add_threads(watch, threads, NULL);
    for (char *rest = users; (word = strsep(&rest, ","));)
        if (str_to_u64(word, 0, (uid_t)-1, &uid))
            watch_add_user(watch, (uid_t)uid);
    session->counters = counters > 0 && counters < SCHEMA_EVENTS_MAX ? (size_t)counters : 0;
    meta->facts = (struct run_facts){meta->version, meta->known_as, isfinite(ghz) ? ghz : 0};
    bool good = mode >= MODE_ALL && mode <= MODE_KERNEL && session->delay >= 0 &&
                session->delay <= DELAY_MAX && cpulist_parse(&session->cpus, cpus, NULL) == 0;
    return good ? 0 : -1;
}

static void release_session(struct read_meta *meta)
{
    session_release(&meta->session);
    free(meta->version);
    free(meta->known_as);
    meta->version = meta->known_as = NULL;
    meta->session_id = 0;
}

/* A recording without that table is of no alarm. */
static void read_alarm(struct read_meta *meta, struct session_alarm *alarm)
{
    sqlite3_stmt *query = db_statement(
        meta->db, "SELECT condition, time, pid, tid, value FROM alarms ORDER BY id LIMIT 1");
    if (sqlite3_step(query) == SQLITE_ROW) {
        db_columns(query, 0, "%ms %lf %d %d %lf", &alarm->condition, &alarm->time, &alarm->pid,
                   &alarm->tid, &alarm->value);
        read_meta_clean(alarm->condition, false);
        if (sqlite3_column_type(query, 4) != SQLITE_FLOAT)
            alarm->value = NAN;
    }
    sqlite3_reset(query);
}

int read_meta_session(struct read_meta *meta, int64_t session)
{
    if (meta->session_id == session && session)
        return 0;
    release_session(meta);
    sqlite3_stmt *query = db_query(
        meta->db,
        "SELECT s.mode, s.delay, s.notice, s.processes, s.threads, s.users, s.cgroup, s.child,"
        " r.host, r.kernel, r.cpu_model, r.known_as, r.ghz_nominal, r.cpus, r.engine,"
        " r.engine_reason, r.command, r.version, r.id, s.faults, s.counters"
        " FROM sessions s, runs r WHERE s.id = ?1 AND r.id = s.run",
        session);
    int result = sqlite3_step(query) == SQLITE_ROW ? fill_session(meta, query) : -1;
    sqlite3_reset(query);
    if (result == 0) {
        read_alarm(meta, &meta->session.alarm);
        meta->session_id = session;
    }
    return result;
}

/* ---- events ---- */

static int fill_event(struct read_meta *meta, struct event_info *event, sqlite3_stmt *row,
                      size_t groups)
{
    int shared, state, hardware; /* shared: as write_meta.c, write_set() */
    int64_t group;
    db_columns(row, 1, "%ms %ms %ms %lf %d %ms %d %ms %jd %d", &event->name, &event->pmu,
               &event->unit, &event->scale, &shared, &event->encoding, &state, &event->reason,
               &group, &hardware);
    char *const texts[] = {event->name, event->pmu, event->unit, event->encoding, event->reason};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        read_meta_clean(texts[i], false);
    if (!event->unit)
        event->unit = mem_strdup("");
    event->hardware = hardware != 0;
    db_take(meta->db, DB_INTERVAL, row, sizeof(*event));
    event->aside = shared > 0 && shared & EVENT_ASIDE;
    shared -= event->aside ? EVENT_ASIDE : 0;
    if (!event->name || !*event->name || !isfinite(event->scale) || state < EVENT_COUNTED ||
        state > EVENT_INVALID || shared < 0 || shared >> 1 >= SCHEDULER_EVENTS || group < -1 ||
        group >= (int64_t)groups)
        return -1;
    event->shared = shared != 0;
    event->kept = (enum scheduler_event)(shared >> 1);
    event->state = (enum event_state)state;
    event->group = (int)group;
    if (event->state != EVENT_COUNTED && !event->reason)
        event->reason = mem_strdup("");
    return 0;
}

/* NULL if it is missing or invalid. */
static struct event_set *read_set(struct read_meta *meta, int64_t set)
{
    int64_t groups = -1, count = -1;
    struct event_set *events = NULL;
    sqlite3_stmt *query =
        db_query(meta->db,
                 "SELECT groups, note, (SELECT count(*) FROM events WHERE event_set = ?1)"
                 " FROM event_sets WHERE id = ?1",
                 set);
    if (sqlite3_step(query) == SQLITE_ROW) {
        groups = sqlite3_column_int64(query, 0);
        count = sqlite3_column_int64(query, 2);
    }
    if (groups >= 0 && groups <= SCHEMA_EVENTS_MAX && count >= 0 && count <= SCHEMA_EVENTS_MAX) {
        events = event_set_new((size_t)count);
        events->groups = (size_t)groups;
        events->note = read_meta_clean(db_text(query, 1), false);
    }
    sqlite3_reset(query);
    if (!events)
        return NULL;
    query = db_query(meta->db,
                     "SELECT position, name, pmu, unit, scale, shared, encoding, state, reason,"
                     " perf_group, hardware FROM events WHERE event_set = ?1 ORDER BY position",
                     set);
    bool good = true;
    for (size_t e = 0; e < events->count && good; e++)
        good = sqlite3_step(query) == SQLITE_ROW && sqlite3_column_int64(query, 0) == (int64_t)e &&
               fill_event(meta, &events->events[e], query, events->groups) == 0;
    sqlite3_reset(query);
    if (good)
        return events;
    event_set_drop(events);
    return NULL;
}

int read_meta_events(struct read_meta *meta, int64_t set, int64_t generation)
{
    if (meta->events && meta->set == set && meta->generation == generation)
        return 0;
    bool known = meta->known && meta->known_generation == generation;
    struct event_set *events = known ? event_set_share(meta->known) : read_set(meta, set);
    if (!events)
        return -1;
    event_set_drop(meta->events);
    meta->events = events;
    meta->set = set;
    meta->generation = generation;
    return 0;
}

void read_meta_release(struct read_meta *meta)
{
    release_session(meta);
    event_set_drop(meta->events);
    event_set_drop(meta->known);
}
