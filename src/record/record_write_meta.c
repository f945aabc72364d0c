#include "record/record_write_meta.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

void record_write_meta_init(struct record_write_meta *meta)
{
    *meta = (struct record_write_meta){0};
}

void record_write_meta_release(struct record_write_meta *meta)
{
    for (size_t s = 0; s < meta->set_count; s++)
        event_set_drop(meta->sets[s].events);
    event_set_drop(meta->events);
    free(meta->sets);
    free(meta->session_values);
}

static char *list_numbers(const int *numbers, size_t count)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < count; i++)
        str_printf(&text, "%s%d", i ? "," : "", numbers[i]);
    return str_detach(&text);
}

static int write_run(struct record_write_meta *meta, struct db *db, const struct session *session,
                     const struct run_facts *facts, struct err *err)
{
    char *cpus = list_numbers(session->cpus.cpus, session->cpus.count);
    int result =
        db_exec(db, err,
                "INSERT INTO runs VALUES (NULL, %Q, %!.17g, %Q, %Q, %Q, %Q, %!.17g, %Q, %Q,"
                " %Q, %Q)",
                facts->version, clock_wall(), session->host, session->kernel, session->cpu_model,
                facts->known_as, facts->ghz_nominal, cpus, session->engine, session->engine_reason,
                session->command);
    meta->run = sqlite3_last_insert_rowid(db->handle);
    meta->generation = db_number(db, "SELECT max(generation) FROM intervals", 0);
    free(cpus);
    return result;
}

/* ---- sessions ---- */

static char *list_processes(const struct watch *watch)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < watch->pid_count; i++)
        str_printf(&text, "%s%d", text.length ? "," : "", (int)watch->pids[i]);
    for (size_t i = 0; i < watch->name_count; i++)
        str_printf(&text, "%s%s", text.length ? "," : "", watch->names[i]);
    return str_detach(&text);
}

static char *list_users(const struct watch *watch)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < watch->user_count; i++)
        str_printf(&text, "%s%u", i ? "," : "", (unsigned)watch->users[i]);
    return str_detach(&text);
}

/* The values of a session's row as SQL. */
static char *session_values(int64_t run, const struct session *session)
{
    const struct watch *watch = &session->watch;
    char *processes = list_processes(watch), *users = list_users(watch);
    char *threads = list_numbers(watch->tids, watch->tid_count);
    char *text = sqlite3_mprintf("%lld, %d, %!.17g, %Q, %Q, %lld, %Q, %Q, %Q, %Q, %d",
                                 (long long)run, (int)session->mode, session->delay,
                                 session->notice, session->faults, (long long)session->counters,
                                 processes, threads, users, watch->cgroup, (int)watch->command);
    free(processes);
    free(threads);
    free(users);
    return text;
}

static int write_session(struct record_write_meta *meta, struct db *db,
                         const struct session *session, struct err *err)
{
    char *values = session_values(meta->run, session);
    int result = 0;
    if (!values)
        abort();
    if (!str_equal(meta->session_values, values)) {
        result = db_exec(db, err, "INSERT INTO sessions VALUES (NULL, %s)", values);
        meta->session = sqlite3_last_insert_rowid(db->handle);
        free(meta->session_values);
        meta->session_values = mem_strdup(values);
    }
    sqlite3_free(values);
    return result;
}

/* ---- events ---- */

static bool write_meta_same_event(const struct event_info *a, const struct event_info *b)
{
    return str_equal(a->name, b->name) && str_equal(a->pmu, b->pmu) &&
           str_equal(a->unit, b->unit) && a->scale == b->scale && a->shared == b->shared &&
           str_equal(a->encoding, b->encoding) && a->state == b->state &&
           str_equal(a->reason, b->reason) && a->group == b->group && a->hardware == b->hardware;
}

static bool same_set(const struct event_set *a, const struct event_set *b)
{
    bool same = a->count == b->count && a->groups == b->groups && str_equal(a->note, b->note);
    for (size_t e = 0; e < a->count && same; e++)
        same = write_meta_same_event(&a->events[e], &b->events[e]);
    return same;
}

static int write_set(struct record_write_meta *meta, struct db *db, const struct event_set *set,
                     struct err *err)
{
    if (db_exec(db, err, "INSERT INTO event_sets VALUES (NULL, %lld, %Q)", (long long)set->groups,
                set->note) < 0)
        return -1;
    meta->set = sqlite3_last_insert_rowid(db->handle);
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        if (db_exec(db, err,
                    "INSERT INTO events VALUES (%lld, %lld, %Q, %Q, %Q, %!.17g, %d, %Q, %d, %Q, %d,"
                    " %d)",
                    (long long)meta->set, (long long)e, event->name, event->pmu, event->unit,
                    event->scale, event->shared, event->encoding, (int)event->state, event->reason,
                    event->group, event->hardware) < 0)
            return -1;
    }
    return schema_extend(db, set->count, set->groups, err);
}

/* Keeps a reference to the last set, so that its address is not reused for another one. */
static int write_meta_use_events(struct record_write_meta *meta, struct db *db,
                                 struct event_set *events, bool *views, struct err *err)
{
    if (events == meta->events)
        return 0;
    event_set_drop(meta->events);
    meta->events = event_set_share(events);
    meta->generation++;
    for (size_t s = 0; s < meta->set_count; s++) {
        if (same_set(meta->sets[s].events, events)) {
            meta->set = meta->sets[s].id;
            return 0;
        }
    }
    if (write_set(meta, db, events, err) < 0)
        return -1;
    mem_grow(&meta->sets, &meta->set_room, meta->set_count + 1, sizeof(*meta->sets));
    meta->sets[meta->set_count++] = (struct known_set){meta->set, event_set_share(events)};
    *views = true;
    return 0;
}

int record_write_meta_write(struct record_write_meta *meta, struct db *db,
                            const struct session *session, const struct run_facts *facts,
                            struct event_set *events, bool *views, struct err *err)
{
    *views = false;
    if (!meta->run && write_run(meta, db, session, facts, err) < 0)
        return -1;
    if (write_session(meta, db, session, err) < 0)
        return -1;
    return write_meta_use_events(meta, db, events, views, err);
}
