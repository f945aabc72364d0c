#include "record/write.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void write_meta_init(struct write_meta *meta, struct db *db, const struct writer_options *options)
{
    *meta = (struct write_meta){.db = db, .lookup = options->lookup, .facts = options->facts};
    meta->facts.known_as = meta->known_as = mem_strdup(options->facts.known_as);
}

void write_meta_release(struct write_meta *meta)
{
    for (size_t s = 0; s < meta->set_count; s++)
        free(meta->sets[s].rows);
    event_set_drop(meta->events);
    free(meta->sets);
    free(meta->session_row);
    free(meta->known_as);
}

/* ---- sessions ---- */

static char *list_numbers(const int *numbers, size_t count)
{
    struct str text = str_new();
    for (size_t i = 0; i < count; i++)
        str_printf(&text, "%s%d", i ? "," : "", numbers[i]);
    return str_detach(&text);
}

static int write_run(struct write_meta *meta, const struct session *session, struct err *err)
{
    const struct run_facts *facts = &meta->facts;
    AUTO_FREE char *cpus = list_numbers(session->cpus.cpus, session->cpus.count);
    int result =
        db_exec(meta->db, err,
                "INSERT INTO runs VALUES (NULL, %Q, %!.17g, %Q, %Q, %Q, %Q, %!.17g, %Q, %Q,"
                " %Q, %Q)",
                facts->version, clock_wall(), session->host, session->kernel, session->cpu_model,
                facts->known_as, facts->ghz_nominal, cpus, session->engine, session->engine_reason,
                session->command);
    meta->run = sqlite3_last_insert_rowid(meta->db->handle);
    meta->generation = db_number(meta->db, "SELECT max(generation) FROM intervals", 0);
    return result;
}

/* Adds SQL, formatted as by db_exec(). */
static void add_sql(struct str *sql, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = sqlite3_vmprintf(format, args);
    va_end(args);
    if (!text)
        mem_abort();
    str_add(sql, text);
    sqlite3_free(text);
}

static int write_session(struct write_meta *meta, const struct session *session, struct err *err)
{
    const struct watch *watch = &session->watch;
    AUTO_FREE char *threads = list_numbers(watch->tids, watch->tid_count);
    AUTO_STR struct str processes = str_new(), users = str_new();
    for (size_t i = 0; i < watch->pid_count; i++)
        str_printf(&processes, "%s%d", processes.length ? "," : "", (int)watch->pids[i]);
    for (size_t i = 0; i < watch->names.count; i++)
        str_printf(&processes, "%s%s", processes.length ? "," : "", watch->names.items[i]);
    for (size_t i = 0; i < watch->user_count; i++)
        str_printf(&users, "%s%u", i ? "," : "", (unsigned)watch->users[i]);
    AUTO_STR struct str row = str_new();
    add_sql(
        &row,
        "INSERT INTO sessions VALUES (NULL, %lld, %d, %!.17g, %Q, %Q, %lld, %Q, %Q, %Q, %Q, %d)",
        (long long)meta->run, (int)session->mode, session->delay, session->notice, session->faults,
        (long long)session->counters, processes.text, threads, users.text, watch->cgroup,
        (int)watch->command);
    if (str_equal(meta->session_row, row.text))
        return 0;
    free(meta->session_row);
    meta->session_row = mem_strdup(row.text);
    int result = db_exec(meta->db, err, "%s", row.text);
    meta->session = sqlite3_last_insert_rowid(meta->db->handle);
    return result;
}

/* ---- events ---- */

/* The INSERTs of a set and its events, by which equal sets are known. */
static char *set_rows(const struct event_set *set)
{
    struct str sql = str_new();
    add_sql(&sql, "INSERT INTO event_sets VALUES (NULL, %lld, %Q);", (long long)set->groups,
            set->note);
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        add_sql(&sql,
                "INSERT INTO events VALUES ((SELECT max(id) FROM event_sets), %lld, %Q, %Q, %Q,"
                " %!.17g, %d, %Q, %d, %Q, %d, %d);",
                (long long)e, event->name, event->pmu, event->unit, event->scale,
                event->shared | (int)event->kept << 1, event->encoding, (int)event->state,
                event->reason, event->group, event->hardware);
    }
    return str_detach(&sql);
}

int write_meta_begin(struct write_meta *meta, const struct session *session,
                     struct event_set *events, bool *views, struct err *err)
{
    *views = false;
    if ((!meta->run && write_run(meta, session, err) < 0) || write_session(meta, session, err) < 0)
        return -1;
    if (events == meta->events)
        return 0;
    /* The reference keeps the address of the last set from being used again for another one. */
    event_set_drop(meta->events);
    meta->events = event_set_share(events);
    meta->generation++;
    AUTO_FREE char *rows = set_rows(events);
    for (size_t s = 0; s < meta->set_count; s++)
        if (str_equal(meta->sets[s].rows, rows)) {
            meta->set = meta->sets[s].id;
            return 0;
        }
    if (db_exec(meta->db, err, "%s", rows) < 0 ||
        schema_extend(meta->db, events->count, events->groups, err) < 0)
        return -1;
    meta->set = db_number(meta->db, "SELECT max(id) FROM event_sets", 0);
    mem_grow(&meta->sets, &meta->set_room, meta->set_count + 1, sizeof(*meta->sets));
    meta->sets[meta->set_count++] = (struct known_set){meta->set, mem_strdup(rows)};
    *views = true;
    return 0;
}

void write_meta_continue(struct write_meta *meta, const struct write_meta *from)
{
    meta->run = from->run;
    meta->session = from->session;
    meta->session_row = mem_strdup(from->session_row);
    meta->set = from->set;
    meta->generation = from->generation;
    meta->events = event_set_share(from->events);
    meta->sets = mem_array(from->set_count, sizeof(*meta->sets));
    meta->set_count = meta->set_room = from->set_count;
    for (size_t s = 0; s < from->set_count; s++)
        meta->sets[s] = (struct known_set){from->sets[s].id, mem_strdup(from->sets[s].rows)};
}
