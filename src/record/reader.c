#include "record/reader.h"

/* ---- the reader: of the interval read last, and what is remembered for the next ones ---- */

/* A process while its facts stayed the same. */
struct recorded_process {
    struct process_info info;      /* without exited */
    char *user, *cmdline, *cgroup; /* NULL: not known */
    size_t place;                  /* index in the snapshot being made, + 1; 0: not in it yet */
};

struct reader {
    struct db *db;
    bool owned;
    int64_t interval; /* read last */
    char *container;  /* the name given last */
    unsigned steps;   /* of the current query, in units of STEPS */

    /* The run, session and events of that interval. */
    int64_t session_id; /* 0: none read yet */
    int64_t run;
    struct session session;
    struct run_facts facts;
    char *version, *known_as; /* owned texts of the facts */
    int64_t set, generation;  /* of events */
    struct event_set *events; /* NULL: none read yet */
    struct event_set *known;  /* the object for known_generation, see reader_know(); NULL: none */
    int64_t known_generation;

    /* What is remembered of tasks and processes. */
    struct map tasks, processes; /* by their keys */
    struct map present;          /* processes of the snapshot by pid */
    struct map users;            /* names by uid + 1; owned by processes and texts */
    struct map texts;            /* by their keys */
    size_t remembered;           /* bytes of all these, about */
    bool idle;                   /* tasks that did nothing are wanted */
    bool tells_cgroups;          /* the snapshot being made does */
    struct map cgroups;          /* their paths by hash; owned by `texts` */
    struct pack pack;            /* read last */

    /* Of profiles. */
    struct code_book *book; /* the recording's functions; NULL: none read yet */
    struct map functions;   /* their places, by the keys of their rows */
    struct map codes;       /* not NULL: the code of that function is in the book, with lines */
    struct map sources;     /* bytes of source files in the book, by their paths' hashes */
    bool has_code;          /* the recording has some */
};

/* ---- sessions ---- */

static int fill_session(struct reader *reader, sqlite3_stmt *row)
{
    enum { DELAY_MAX = 1000000 }; /* s */
    struct session *session = &reader->session;
    struct watch *watch = &session->watch;
    AUTO_FREE char *cpus = NULL, *processes = NULL, *threads = NULL, *users = NULL;
    char *word;
    int mode, command;
    int64_t counters;
    double ghz;
    unsigned long long uid;
    db_columns(
        row, 0,
        "%d %lf %m[ ] %m[ ] %m[ ] %m[ ] %mc %d %m[ ] %m[ ] %m[ ] %m[\n] %lf %m[ ] %m[ ] %m[ ]"
        " %mc %m[ ] %jd %m[\n] %jd %mc",
        &mode, &session->delay, &session->notice, &processes, &threads, &users, &watch->cgroup,
        &command, &session->host, &session->kernel, &session->cpu_model, &reader->known_as, &ghz,
        &cpus, &session->engine, &session->engine_reason, &session->command, &reader->version,
        &reader->run, &session->faults, &counters, &session->screen);
    session->mode = (enum count_mode)mode;
    watch->command = command;
    watch_add_processes(watch, processes, NULL); /* an empty list adds nothing */
    watch_add_threads(watch, threads, NULL);
    for (char *rest = users; (word = strsep(&rest, ","));)
        if (str_to_u64(word, 0, (uid_t)-1, &uid))
            watch_add_user(watch, (uid_t)uid);
    session->counters = counters > 0 && counters < SCHEMA_EVENTS_MAX ? (size_t)counters : 0;
    reader->facts = (struct run_facts){reader->version, reader->known_as, isfinite(ghz) ? ghz : 0};
    bool good = mode >= MODE_ALL && mode <= MODE_KERNEL && session->delay >= 0 &&
                session->delay <= DELAY_MAX && cpulist_parse(&session->cpus, cpus, NULL) == 0;
    return good ? 0 : -1;
}

static void release_session(struct reader *reader)
{
    session_release(&reader->session);
    free(reader->version);
    free(reader->known_as);
    reader->version = reader->known_as = NULL;
    reader->session_id = 0;
}

/* What the recording is of, if an alarm made it. */
static void read_alarm(struct reader *reader, struct session_alarm *alarm)
{
    AUTO_RESET sqlite3_stmt *row = db_statement(
        reader->db, "SELECT condition, time, pid, tid, value FROM alarms ORDER BY id LIMIT 1");
    if (sqlite3_step(row) != SQLITE_ROW)
        return;
    db_columns(row, 0, "%mc %lf %d %d %lf", &alarm->condition, &alarm->time, &alarm->pid,
               &alarm->tid, &alarm->value);
    if (sqlite3_column_type(row, 4) != SQLITE_FLOAT)
        alarm->value = NAN;
}

/* The first sets session, run and facts, the second set and events. -1 if the recording lacks them
 * or they are invalid. */
static int read_session(struct reader *reader, int64_t session)
{
    if (reader->session_id == session && session)
        return 0;
    release_session(reader);
    AUTO_RESET sqlite3_stmt *row = db_query(
        reader->db,
        "SELECT s.mode, s.delay, s.notice, s.processes, s.threads, s.users, s.cgroup, s.child,"
        " r.host, r.kernel, r.cpu_model, r.known_as, r.ghz_nominal, r.cpus, r.engine,"
        " r.engine_reason, r.command, r.version, r.id, s.faults, s.counters,"
        /* Older files have no such column: then it is the other one. */
        " (SELECT screen FROM sessions own WHERE own.id = s.id)"
        " FROM sessions s, runs r, (SELECT NULL AS screen) WHERE s.id = ?1 AND r.id = s.run",
        session);
    if (sqlite3_step(row) != SQLITE_ROW || fill_session(reader, row) < 0)
        return -1;
    read_alarm(reader, &reader->session.alarm);
    reader->session_id = session;
    return 0;
}

/* ---- events ---- */

static int fill_event(struct reader *reader, struct event_info *event, sqlite3_stmt *row,
                      size_t groups)
{
    int shared, state, hardware; /* shared: as writer.c, set_rows() */
    int64_t group;
    db_columns(row, 1, "%mc %mc %m[ ] %lf %d %mc %d %mc %jd %d", &event->name, &event->pmu,
               &event->unit, &event->scale, &shared, &event->encoding, &state, &event->reason,
               &group, &hardware);
    event->hardware = hardware != 0;
    db_take(reader->db, DB_INTERVAL, row, sizeof(*event));
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

/* An event set with room for its events; NULL if it is missing or invalid. */
static struct event_set *read_set_head(struct reader *reader, int64_t set)
{
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db,
                 "SELECT groups, note, (SELECT count(*) FROM events WHERE event_set = ?1)"
                 " FROM event_sets WHERE id = ?1",
                 set);
    if (sqlite3_step(row) != SQLITE_ROW)
        return NULL;
    int64_t groups = sqlite3_column_int64(row, 0), count = sqlite3_column_int64(row, 2);
    if (groups < 0 || groups > SCHEMA_EVENTS_MAX || count < 0 || count > SCHEMA_EVENTS_MAX)
        return NULL;
    struct event_set *events = event_set_new((size_t)count);
    events->groups = (size_t)groups;
    events->note = db_clean(db_text(row, 1), false);
    return events;
}

static struct event_set *read_set(struct reader *reader, int64_t set)
{
    struct event_set *events = read_set_head(reader, set);
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db,
                 "SELECT position, name, pmu, unit, scale, shared, encoding, state, reason,"
                 " perf_group, hardware FROM events WHERE event_set = ?1 ORDER BY position",
                 set);
    for (size_t e = 0; events && e < events->count; e++)
        if (sqlite3_step(row) != SQLITE_ROW || sqlite3_column_int64(row, 0) != (int64_t)e ||
            fill_event(reader, &events->events[e], row, events->groups) < 0) {
            event_set_drop(events);
            return NULL;
        }
    return events;
}

static int read_events(struct reader *reader, int64_t set, int64_t generation)
{
    if (reader->events && reader->set == set && reader->generation == generation)
        return 0;
    bool known = reader->known && reader->known_generation == generation;
    struct event_set *events = known ? mem_share(reader->known) : read_set(reader, set);
    if (!events)
        return -1;
    event_set_drop(reader->events);
    reader->events = events;
    reader->set = set;
    reader->generation = generation;
    return 0;
}

/* ---- processes and tasks, and what is remembered of them ---- */

/* A task while its facts stayed the same. */
struct recorded_task {
    uint64_t id;
    pid_t tid;
    char comm[TASK_COMM_SIZE];
    struct recorded_process *process;
    bool listed; /* in the snapshot being made */
};

enum { REMEMBERED_MAX = 32 << 20 }; /* bytes */

static bool is_id(int64_t number)
{
    return number >= 0 && number <= INT_MAX;
}

static void forget_all(struct reader *reader)
{
    MAP_EACH (struct recorded_process, process, &reader->processes) {
        free(process->user);
        free(process->cmdline);
        free(process->cgroup);
    }
    map_free(&reader->texts);
    map_free(&reader->tasks);
    map_free(&reader->processes);
    map_release(&reader->present);
    map_release(&reader->cgroups);
    map_release(&reader->users);
    reader->remembered = 0;
}

/* Counts what is remembered of a row, with its place in a map. */
static void remember(struct reader *reader, sqlite3_stmt *row, size_t bytes)
{
    uint64_t *taken = &reader->db->taken[DB_INTERVAL], before = *taken;
    db_take(reader->db, DB_INTERVAL, row, bytes + 4 * sizeof(void *));
    reader->remembered += *taken - before;
}

/* Begins another snapshot. Clears the cache of tasks if it is large. */
static void begin_snapshot(struct reader *reader)
{
    reader->db->taken[DB_INTERVAL] = 0;
    if (reader->remembered > REMEMBERED_MAX)
        forget_all(reader);
    MAP_EACH (struct recorded_task, task, &reader->tasks)
        task->listed = false;
    MAP_EACH (struct recorded_process, process, &reader->processes)
        process->place = 0;
    map_clear(&reader->present);
    map_clear(&reader->cgroups);
    reader->tells_cgroups = false;
}

static void copy_comm(char comm[TASK_COMM_SIZE], sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    strncpy(comm, text ? text : "", TASK_COMM_SIZE - 1);
}

/* Ids start at 1 with each run (sample/snapshot.h), so the run is added in the high bits, which
 * keeps their order. Ids of the first run stay unchanged: when looking back while counting, rows
 * have the same ids as now. */
static uint64_t id_of(int64_t run, int64_t ident)
{
    enum { RUN_SHIFT = 44, RUNS = 1 << 18 };
    return (((uint64_t)run - 1) % RUNS) << RUN_SHIFT |
           ((uint64_t)ident & ((1ull << RUN_SHIFT) - 1));
}

static struct recorded_process *find_process(struct reader *reader, int64_t key, int64_t run)
{
    struct recorded_process *process = map_get(&reader->processes, (uint64_t)key);
    if (process)
        return process;
    AUTO_RESET sqlite3_stmt *row = db_query(reader->db,
                                            "SELECT ident, pid, ppid, uid, command, user, cmdline,"
                                            " cgroup, comm FROM processes WHERE id = ?1",
                                            key);
    if (sqlite3_step(row) != SQLITE_ROW || !is_id(sqlite3_column_int64(row, 1)) ||
        !is_id(sqlite3_column_int64(row, 2)))
        return NULL;
    bool known = sqlite3_column_type(row, 3) == SQLITE_INTEGER;
    int64_t uid, command;
    process = mem_alloc(sizeof(*process));
    struct process_info *info = &process->info;
    db_columns(row, 0, "%ju %d %d %jd %jd %mc %mc %mc", &info->id, &info->pid, &info->ppid, &uid,
               &command, &process->user, &process->cmdline, &process->cgroup);
    info->id = id_of(run, (int64_t)info->id);
    info->uid = known ? (uid_t)uid : (uid_t)-1;
    info->command = command != 0;
    copy_comm(info->comm, row, 8);
    if (known && process->user)
        map_put(&reader->users, (uint64_t)info->uid + 1, process->user);
    map_put(&reader->processes, (uint64_t)key, process);
    remember(reader, row, sizeof(*process));
    return process;
}

static struct recorded_task *find_task(struct reader *reader, int64_t key)
{
    struct recorded_task *task = map_get(&reader->tasks, (uint64_t)key);
    if (task)
        return task;
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db, "SELECT run, ident, process, tid, comm FROM tasks WHERE id = ?1", key);
    if (sqlite3_step(row) != SQLITE_ROW || !is_id(sqlite3_column_int64(row, 3)))
        return NULL;
    int64_t run = sqlite3_column_int64(row, 0);
    struct recorded_process *process = find_process(reader, sqlite3_column_int64(row, 2), run);
    if (!process)
        return NULL;
    task = mem_alloc(sizeof(*task));
    task->process = process;
    task->id = id_of(run, sqlite3_column_int64(row, 1));
    task->tid = sqlite3_column_int(row, 3);
    copy_comm(task->comm, row, 4);
    map_put(&reader->tasks, (uint64_t)key, task);
    remember(reader, row, sizeof(*task));
    return task;
}

static char *find_text(struct reader *reader, int64_t key)
{
    char *text = map_get(&reader->texts, (uint64_t)key);
    if (text)
        return text;
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db, "SELECT text FROM texts WHERE id = ?1", key);
    if (sqlite3_step(row) == SQLITE_ROW && (text = db_text(row, 0))) {
        map_put(&reader->texts, (uint64_t)key, text);
        remember(reader, row, 0);
    }
    return text;
}

/* ---- the tasks of an interval ---- */

/* A task of a process in the snapshot. */
static struct task_sample *add_task(struct reader *reader, struct snapshot *s, size_t process,
                                    uint64_t id, pid_t tid, const char *comm)
{
    db_take(reader->db, DB_INTERVAL, NULL, schema_task_bytes(s->events));
    struct task_sample *sample = snapshot_add_task(s);
    sample->id = id;
    sample->process = process;
    sample->tid = tid;
    memccpy(sample->comm, comm, 0, sizeof(sample->comm) - 1);
    sample->cpu = -1;
    return sample;
}

/* The index of a process in the snapshot. */
static size_t process_place(struct reader *reader, struct snapshot *s,
                            struct recorded_process *process)
{
    if (!process->place) {
        *snapshot_add_process(s) = process->info;
        process->place = s->process_count;
        map_put(&reader->present, (uint64_t)process->info.pid, process);
    }
    return process->place - 1;
}

/* The id of a cgroup; 0: it is not known. */
static uint64_t cgroup_of_path(struct reader *reader, const char *path)
{
    uint64_t id = path ? str_hash(path) : 0;
    if (path)
        map_put(&reader->cgroups, id, (void *)path);
    return id;
}

static struct task_sample *list_task(struct reader *reader, struct snapshot *s,
                                     struct recorded_task *task)
{
    task->listed = true;
    struct task_sample *sample = add_task(reader, s, process_place(reader, s, task->process),
                                          task->id, task->tid, task->comm);
    sample->cgroup = cgroup_of_path(reader, task->process->cgroup);
    return sample;
}

/* What a task did; false if it is impossible. */
static bool set_task_facts(struct snapshot *s, struct task_sample *sample, int64_t cpu,
                           int64_t flags, int64_t oncpu)
{
    int64_t state = flags >> ROW_STATE_SHIFT;
    if (cpu < -1 || cpu > SCHEMA_CPUS_MAX || state < EVENT_COUNTED || state > EVENT_INVALID)
        return false;
    sample->cpu = (int)cpu;
    sample->exited = sample->final = flags & ROW_EXITED;
    s->processes[sample->process].exited |= (flags & ROW_PROCESS_EXITED) != 0;
    sample->state = (enum event_state)state;
    sample->oncpu = (uint64_t)oncpu;
    sample->several = true; /* so that its time is not limited to the interval */
    return true;
}

/* The process of a task that is its only one; NULL if its fields are invalid. */
static struct process_info *add_process(struct reader *reader, struct snapshot *s,
                                        const struct pack *pack, size_t row)
{
    const char *name = find_text(reader, pack_field(pack, PACK_PROCESS_COMM, row));
    int64_t uid = pack_field(pack, PACK_UID, row), ppid = pack_field(pack, PACK_PPID, row);
    bool named = uid > 0 && uid <= UINT_MAX;
    const char *user =
        named ? db_clean(find_text(reader, pack_field(pack, PACK_USER, row)), false) : NULL;
    if (!name || !is_id(ppid))
        return NULL;
    struct process_info *process = snapshot_add_process(s);
    *process = (struct process_info){
        .id = id_of(reader->run, pack_field(pack, PACK_PROCESS_IDENT, row)),
        .pid = (pid_t)pack_field(pack, PACK_TID, row),
        .ppid = (pid_t)ppid,
        .uid = named ? (uid_t)(uid - 1) : (uid_t)-1,
        .command = pack_field(pack, PACK_COMMAND, row) != 0,
    };
    memccpy(process->comm, name, 0, sizeof(process->comm) - 1);
    if (user)
        map_put(&reader->users, (uint64_t)process->uid + 1, (void *)user);
    return process;
}

/* A task without a row in `tasks`; NULL if its fields are invalid. */
static struct task_sample *add_brief(struct reader *reader, struct snapshot *s,
                                     const struct pack *pack, size_t row)
{
    const char *comm = find_text(reader, pack_field(pack, PACK_COMM, row));
    int64_t tid = pack_field(pack, PACK_TID, row), key = pack_field(pack, PACK_PROCESS, row);
    struct recorded_process *known =
        key != PACK_ABSENT ? find_process(reader, key, reader->run) : NULL;
    if (!comm || !is_id(tid) ||
        !(key != PACK_ABSENT ? known != NULL : add_process(reader, s, pack, row) != NULL))
        return NULL;
    size_t place = known ? process_place(reader, s, known) : s->process_count - 1;
    return add_task(reader, s, place, id_of(reader->run, pack_field(pack, PACK_IDENT, row)),
                    (pid_t)tid, comm);
}

/* The id of a cgroup from its key; 0: it is not known, or invalid. */
static uint64_t cgroup_of_key(struct reader *reader, int64_t key)
{
    if (key == PACK_ABSENT)
        return 0;
    reader->tells_cgroups = true;
    const char *path = key ? find_text(reader, key) : NULL;
    return cgroup_of_path(reader, path);
}

/* Adds a row with ROW_MOVED to the task that it belongs to; false if that did not come before. */
static bool add_move(struct reader *reader, struct snapshot *s, const struct pack *pack, size_t row)
{
    enum { MOVES_MAX = 4096 };
    int64_t key = pack_field(pack, PACK_TASK, row);
    const struct recorded_task *known = key != PACK_ABSENT ? find_task(reader, key) : NULL;
    uint64_t id = known ? known->id : id_of(reader->run, pack_field(pack, PACK_IDENT, row));
    size_t t = s->task_count;
    while (t > 0 && s->tasks[t - 1].id != id)
        t--;
    if (t == 0 || s->tasks[t - 1].move_count == MOVES_MAX ||
        !db_take(reader->db, DB_INTERVAL, NULL, sizeof(struct task_move) + counts_size(s->events)))
        return false;
    struct task_sample *task = &s->tasks[t - 1];
    task->moves = mem_resize(task->moves, task->move_count + 1, sizeof(*task->moves));
    struct task_move *move = &task->moves[task->move_count++];
    *move = (struct task_move){cgroup_of_key(reader, pack_field(pack, PACK_CGROUP, row)),
                               (uint64_t)pack_field(pack, PACK_ONCPU, row), counts_new(s->events)};
    pack_counts(pack, row, s->events, &move->counts);
    return true;
}

/* Adds the tasks of a pack that a query has: its id, and pack_columns(). False if they are invalid.
 */
static bool read_pack(struct reader *reader, struct snapshot *s, sqlite3_stmt *row)
{
    struct pack *pack = &reader->pack;
    bool good = pack_read(pack, row, reader->events);
    for (size_t r = 0; r < pack->rows && good; r++) {
        int64_t task = pack_field(pack, PACK_TASK, r), flags = pack_field(pack, PACK_FLAGS, r);
        bool slept = flags & ROW_SLEPT;
        if (slept && !reader->idle)
            continue;
        if (flags & ROW_MOVED) {
            good = add_move(reader, s, pack, r);
            continue;
        }
        struct recorded_task *known = task != PACK_ABSENT ? find_task(reader, task) : NULL;
        struct task_sample *sample = task == PACK_ABSENT       ? add_brief(reader, s, pack, r)
                                     : known && !known->listed ? list_task(reader, s, known)
                                                               : NULL;
        good = sample && (slept || set_task_facts(s, sample, pack_field(pack, PACK_CPU, r), flags,
                                                  pack_field(pack, PACK_ONCPU, r)));
        if (good)
            sample->cgroup = cgroup_of_key(reader, pack_field(pack, PACK_CGROUP, r));
        if (good && !slept)
            pack_counts(pack, r, reader->events, &sample->counts);
    }
    return good;
}

/* Adds the known tasks that existed and did nothing. False if they are invalid. */
static bool read_idle(struct reader *reader, struct snapshot *s, int64_t interval)
{
    sqlite3_stmt *find = db_query(reader->db,
                                  "SELECT id FROM tasks WHERE run = ?2 AND first <= ?1 AND"
                                  " (last IS NULL OR last >= ?1)",
                                  interval);
    bool good = true;
    sqlite3_bind_int64(find, 2, reader->run);
    while (db_next(find, &good)) {
        struct recorded_task *task = find_task(reader, sqlite3_column_int64(find, 0));
        good = task != NULL && !db_excess(reader->db);
        if (task && !task->listed)
            list_task(reader, s, task);
    }
    return good;
}

/* Reads {"length":number, ...}. False if it is nothing like that. */
static bool read_spans(struct reader *reader, struct wait_facts **facts, enum span_kind kind,
                       const char *text)
{
    static const unsigned long long TIMES_MAX = 1ull << 31;
    /* Sums of tasks take time for each million of times, so these are charged as if they took
     * memory. */
    enum { SPAN_BYTES = 8, TIMES_A_BYTE = 1000 };
    bool good = *text == '{';
    while (good && *text++ != '}') {
        char *end;
        unsigned long long length = strtoull(text + (*text == '"'), &end, 10), times = 0;
        good = str_starts(end, "\":");
        if (good)
            times = strtoull(end + 2, &end, 10);
        good = good && times > 0 && times <= TIMES_MAX && (*end == ',' || *end == '}') &&
               db_take(reader->db, DB_INTERVAL, NULL, SPAN_BYTES + times / TIMES_A_BYTE);
        if (good)
            wait_facts_put(facts, kind, length, times, true);
        text = end;
    }
    return good;
}

static bool read_facts_of(struct reader *reader, sqlite3_stmt *row, struct task_sample *task)
{
    AUTO_FREE char *name = NULL, *spans = NULL;
    uint64_t total, longest;
    enum span_kind kind = 0;
    db_columns(row, 1, "%ms %ju %ju %ms", &name, &total, &longest, &spans);
    while (kind < SPAN_KINDS && !str_equal(name, span_kinds[kind].name))
        kind++;
    bool good = kind < SPAN_KINDS && spans && read_spans(reader, &task->wait_facts, kind, spans) &&
                db_take(reader->db, DB_INTERVAL, row, sizeof(struct wait_facts));
    if (good) {
        task->wait_facts->sum[kind] = total;
        task->wait_facts->most[kind] = longest;
    }
    return good;
}

static bool read_taker_of(struct reader *reader, sqlite3_stmt *row, struct task_sample *task)
{
    struct wait_takers *takers = wait_facts_takers(&task->wait_facts);
    struct wait_taker taker = {0};
    AUTO_FREE char *comm = NULL;
    db_columns(row, 1, "%d %ms %ju %ju", &taker.pid, &comm, &taker.taken, &taker.sure);
    enum no_taker none = (enum no_taker)str_index(no_taker_names, NO_TAKERS, comm);
    bool good = comm && (taker.pid > 0 || none < NO_TAKERS) && taker.sure <= taker.taken &&
                db_take(reader->db, DB_INTERVAL, row, sizeof(*takers) + sizeof(taker));
    if (good && taker.pid > 0) {
        memccpy(taker.comm, comm, 0, sizeof(taker.comm) - 1);
        taker.id = str_hash(taker.comm) ^ (uint64_t)taker.pid;
        wait_takers_add(&task->wait_facts->takers, &taker, WAIT_TAKERS);
    } else if (good) {
        takers->none[none] += taker.taken;
    }
    return good;
}

/* Reads rows that begin with the ident of a task. */
static bool read_of_tasks(struct reader *reader, struct snapshot *s, sqlite3_stmt *find,
                          bool (*read)(struct reader *reader, sqlite3_stmt *row,
                                       struct task_sample *task))
{
    AUTO_MAP struct map tasks = {0};
    bool good = true;
    for (size_t t = 0; t < s->task_count; t++)
        map_put(&tasks, s->tasks[t].id, &s->tasks[t]);
    while (db_next(find, &good)) {
        int64_t ident = sqlite3_column_int64(find, 0);
        struct task_sample *task = map_get(&tasks, id_of(reader->run, ident));
        good = (!task || read(reader, find, task)) && !db_excess(reader->db);
    }
    return good;
}

/* Adds the facts of waits and the takers of an interval to its tasks, which the snapshot has. */
static bool read_wait_facts(struct reader *reader, struct snapshot *s, int64_t interval)
{
    sqlite3_stmt *facts = db_query(reader->db,
                                   "SELECT ident, kind, total, longest, spans FROM wait_facts"
                                   " WHERE interval = ?1 ORDER BY ident, kind",
                                   interval);
    sqlite3_stmt *takers = db_query(reader->db,
                                    "SELECT ident, pid, comm, taken, sure FROM wait_takers"
                                    " WHERE interval = ?1 ORDER BY ident, taken DESC, pid",
                                    interval);
    return read_of_tasks(reader, s, facts, read_facts_of) &&
           read_of_tasks(reader, s, takers, read_taker_of);
}

/* ---- profiles ---- */

enum { DEPTH_MAX = 256 };
enum { FUNCTION_BYTES = 200 }; /* of memory, what a book of code has of each, about */

static void read_source_lines(struct reader *reader, int64_t object, uint32_t number,
                              const char *path)
{
    AUTO_RESET sqlite3_stmt *find =
        db_query(reader->db,
                 "SELECT line, text FROM source_lines WHERE object = ?1 AND"
                 " path = ?2 ORDER BY line",
                 object);
    struct source_file *file = source_file_new(path);
    db_bind_text(find, 2, path);
    while (sqlite3_step(find) == SQLITE_ROW && !db_excess(reader->db)) {
        int64_t line = sqlite3_column_int64(find, 0);
        AUTO_FREE char *text = db_text(find, 1);
        if (text && line > 0 && line <= UINT32_MAX)
            source_file_add_line(file, (uint32_t)line, text);
    }
    /* It replaces what was read for another function. */
    uint64_t key = str_hash(path) ^ number,
             bytes = sizeof(*file) + file->size + file->room * sizeof(*file->lines);
    reader->db->taken[DB_CODE] -= (uintptr_t)map_get(&reader->sources, key);
    db_take(reader->db, DB_CODE, NULL, bytes);
    map_put(&reader->sources, key, (void *)(uintptr_t)bytes);
    code_book_learn_source(reader->book, number, file);
}

/* The code that the recording has of a function, if it has; what is invalid is left out. What is
 * recorded meanwhile may get some later. */
static void read_code(struct reader *reader, int64_t id, struct code_place place)
{
    void *known = map_get(&reader->codes, (uint64_t)id);
    if (known == reader)
        return;
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db,
                 "SELECT instructions, lines, object FROM code, functions"
                 " WHERE code.function = ?1 AND functions.id = code.function",
                 id);
    if (sqlite3_step(row) != SQLITE_ROW)
        return;
    AUTO_FREE char *instructions = db_text(row, 0), *text = db_text(row, 1);
    struct code_listing *listing = instructions ? code_listing_read(instructions) : NULL;
    struct line_table *lines = listing && text ? line_table_read(text) : NULL;
    if (!known)
        db_take(reader->db, DB_CODE, row,
                listing ? listing->room * sizeof(*listing->instructions) : 0);
    if (lines)
        db_take(reader->db, DB_CODE, NULL, lines->bytes);
    for (size_t f = 0; lines && f < lines->file_count; f++)
        read_source_lines(reader, sqlite3_column_int64(row, 2), place.object, lines->files[f]);
    map_put(&reader->codes, (uint64_t)id, lines ? (void *)reader : &reader->codes);
    if (listing)
        code_book_learn_code(reader->book, place, listing, lines);
}

/* The place of a function of the recording; NULL if that is invalid. */
static const struct code_place *place_of(struct reader *reader, int64_t id)
{
    struct code_place *place = map_get(&reader->functions, (uint64_t)id);
    if (place || id < 1)
        return place;
    AUTO_RESET sqlite3_stmt *row = db_query(
        reader->db,
        "SELECT functions.state, functions.start, functions.size, functions.name, objects.name,"
        " objects.path, objects.reason FROM functions, objects WHERE functions.id = ?1 AND"
        " objects.id = functions.object",
        id);
    if (sqlite3_step(row) != SQLITE_ROW)
        return NULL;
    struct code_function function = {0};
    int64_t state;
    AUTO_FREE char *name = NULL, *object = NULL, *path = NULL, *reason = NULL;
    db_columns(row, 0, "%jd %ju %ju %ms %ms %ms %ms", &state, &function.start, &function.size,
               &name, &object, &path, &reason);
    if (state < CODE_NAMED || state > CODE_PENDING || !object || (!name && state == CODE_NAMED) ||
        strlen(object) >= DB_TEXT_MAX)
        return NULL;
    /* What was not known when it was written never will be. */
    function.state = state == CODE_PENDING ? CODE_UNKNOWN : (enum code_state)state;
    function.name = name;
    place = mem_alloc(sizeof(*place));
    *place = code_book_learn(
        reader->book,
        &(struct code_object){.name = object, .path = path ? path : "", .reason = reason},
        &function);
    map_put(&reader->functions, (uint64_t)id, place);
    db_take(reader->db, DB_CODE, row, sizeof(*place) + FUNCTION_BYTES);
    return place;
}

/* Reads the chain of callers of a stack into the profile; *chain is its index. The id of a caller's
 * caller is less, so that a damaged recording has no loops. */
static bool read_stack(struct reader *reader, struct profile *profile, struct map *known,
                       int64_t stack, uint32_t *chain)
{
    struct code_place frames[DEPTH_MAX];
    struct profile_chain made = {0};
    *chain = (uint32_t)(uintptr_t)map_get(known, (uint64_t)stack);
    if (stack == 0 || *chain)
        return true;
    for (int64_t at = stack; at != 0;) {
        AUTO_RESET sqlite3_stmt *row =
            db_query(reader->db, "SELECT caller, function FROM stacks WHERE id = ?1", at);
        bool found = sqlite3_step(row) == SQLITE_ROW;
        int64_t caller = found ? sqlite3_column_int64(row, 0) : -1;
        const struct code_place *place =
            found ? place_of(reader, sqlite3_column_int64(row, 1)) : NULL;
        if (!place || caller < 0 || caller >= at || made.depth == DEPTH_MAX)
            return false;
        frames[made.depth++] = *place;
        at = caller;
    }
    made.frames = frames;
    *chain = profile_add_chain(profile, &made);
    db_take(reader->db, DB_INTERVAL, NULL,
            2 * sizeof(made) + made.depth * sizeof(*made.frames) + 4 * sizeof(void *));
    map_put(known, (uint64_t)stack, (void *)(uintptr_t)*chain);
    return true;
}

enum { ROW_PID = 2, ROW_BESIDE = ROW_PID + 6, ROW_ADDRESS = ROW_BESIDE + SCHEMA_BESIDE_MAX };

static bool read_row(struct reader *reader, struct profile *profile, struct map *stacks,
                     sqlite3_stmt *row)
{
    struct profile_site read = {0};
    int64_t function, stack;
    db_columns(row, ROW_PID, "%d %d %jd %jd %ju %ju", &read.pid, &read.tid, &function, &stack,
               &read.samples, &read.weight);
    const struct code_place *place = place_of(reader, function);
    if (!place || stack < 0 || !read_stack(reader, profile, stacks, stack, &read.chain) ||
        !db_take(reader->db, DB_INTERVAL, NULL,
                 sizeof(struct profile_site) + profile->events * sizeof(*profile->values)) ||
        db_excess(reader->db))
        return false;
    read.place = *place;
    if (reader->has_code)
        read_code(reader, function, read.place);
    if (sqlite3_column_type(row, ROW_ADDRESS) == SQLITE_INTEGER)
        read.place = code_book_learn_address(reader->book, read.place,
                                             (uint64_t)sqlite3_column_int64(row, ROW_ADDRESS));
    *profile_add_site(profile) = read;
    size_t first = (profile->site_count - 1) * profile->events;
    for (size_t e = 0; e < profile->events; e++)
        profile->values[first + e] = (uint64_t)sqlite3_column_int64(row, ROW_BESIDE + (int)e);
    profile->samples += read.samples;
    profile->weight += read.weight;
    return true;
}

static bool read_rows_between(struct reader *reader, struct profile *profile, int64_t first,
                              int64_t last)
{
    AUTO_MAP struct map stacks = {0};
    int64_t before = first - 1;
    bool good = true;
    sqlite3_stmt *find = db_query(
        reader->db, "SELECT * FROM profile_rows WHERE id BETWEEN ?1 AND ?2 ORDER BY id", first);
    sqlite3_bind_int64(find, 2, last);
    while (db_next(find, &good)) {
        int64_t id = sqlite3_column_int64(find, 0);
        good = id > before && read_row(reader, profile, &stacks, find);
        before = id;
    }
    return good;
}

/* The profile of an interval; NULL if it has none. False if it is invalid. */
static bool read_profile(struct reader *reader, int64_t interval, struct profile **profile)
{
    AUTO_RESET sqlite3_stmt *head =
        db_query(reader->db, "SELECT * FROM profiles WHERE interval = ?1", interval);
    *profile = NULL;
    reader->has_code = db_number(reader->db, "SELECT 1 FROM code LIMIT 1", 0) != 0;
    int found = sqlite3_step(head);
    if (found != SQLITE_ROW)
        return found == SQLITE_DONE;
    if (!reader->book)
        reader->book = code_book_new();
    struct profile *made = profile_new(reader->book);
    int64_t first, last, short_stacks, callers, user_only;
    AUTO_FREE char *beside = NULL;
    db_columns(head, 1,
               "%jd %jd %ju %ju %ju %ju %jd %jd %m[ ] %m[ ] %m[\n] %mc %jd %ju %ju %ju %ju %ju %ju",
               &first, &last, &made->rate, &made->lost, &made->throttled, &made->exact,
               &short_stacks, &user_only, &made->event, &made->unit, &beside, &made->note, &callers,
               &made->unwound, &made->late, &made->copied, &made->unwinding, &made->ran,
               &made->alone);
    made->stacks = short_stacks < 0                                ? STACKS_NONE
                   : callers >= STACKS_FP && callers < STACKS_NONE ? (enum stacks)callers
                                                                   : STACKS_FP;
    made->short_stacks = short_stacks >= 0 ? (uint64_t)short_stacks : 0;
    made->wall = made->ran > 0;
    made->user_only = user_only != 0;
    /* The names of events that were read with samples, one per line. */
    made->names = mem_array(SCHEMA_BESIDE_MAX, sizeof(*made->names));
    for (char *rest = beside, *name;
         made->events < SCHEMA_BESIDE_MAX && strchr(rest, '\n') && (name = strsep(&rest, "\n"));)
        made->names[made->events++] = mem_strdup(name);
    if (first >= 1 && read_rows_between(reader, made, first, last)) {
        *profile = made;
        return true;
    }
    profile_drop(made);
    return false;
}

/* Steps of SQLite's machine, more than any interval needs: a damaged file can contain a loop. */
enum { STEPS = 100000, STEPS_MAX = 10000 };

static int count_steps(void *ctx)
{
    struct reader *reader = ctx;
    return ++reader->steps > STEPS_MAX;
}

/* ---- opening ---- */

/* An authorizer that lets statements only read tables that were checked. */
static int authorize(void *ctx UNUSED, int action, const char *first, const char *second,
                     const char *database UNUSED, const char *inner UNUSED)
{
    bool good = action == SQLITE_SELECT ||
                (action == SQLITE_FUNCTION && str_equal(second, "count")) ||
                (action == SQLITE_READ && schema_has_table(first));
    return good ? SQLITE_OK : SQLITE_DENY;
}

struct reader *reader_of(struct db *db)
{
    struct reader *reader = mem_alloc(sizeof(*reader));
    reader->db = db;
    return reader;
}

void reader_know(struct reader *reader, struct event_set *events, int64_t generation)
{
    event_set_keep(&reader->known, events);
    reader->known_generation = generation;
}

struct reader *reader_take(struct db *db, struct err *err)
{
    struct reader *reader = NULL;
    int64_t first, last;
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_drop_modules(db->handle, NULL); /* no virtual table can be used */
    if (schema_check(db, "read", err) == 0) {
        sqlite3_set_authorizer(db->handle, authorize, NULL);
        reader = reader_of(db);
    }
    if (!reader) {
        db_close(db);
        return NULL;
    }
    reader->owned = true;
    sqlite3_progress_handler(db->handle, STEPS, count_steps, reader);
    int result = reader_span(reader, &first, &last, err);
    if (first <= last)
        return reader;
    if (result == 0)
        err_set(err, "cannot read '%.200s': it is a recording without an interval", db->name);
    reader_close(reader);
    return NULL;
}

struct reader *reader_open(const char *path, struct err *err)
{
    struct db *db = db_open(path, false, err);
    return db ? reader_take(db, err) : NULL;
}

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    forget_all(reader);
    pack_release(&reader->pack);
    release_session(reader);
    event_set_drop(reader->events);
    event_set_drop(reader->known);
    map_free(&reader->functions);
    map_release(&reader->codes);
    map_release(&reader->sources);
    code_book_drop(reader->book);
    if (reader->owned)
        db_close(reader->db);
    free(reader->container);
    free(reader);
}

/* ---- finding intervals ---- */

/* Whether seconds since 1970 are a time that clocks can show: before the year 5138. */
static bool is_time(double seconds)
{
    static const double TIME_MAX = 1e11;
    return seconds >= 0 && seconds < TIME_MAX;
}

int reader_span(struct reader *reader, int64_t *first, int64_t *last, struct err *err)
{
    reader->steps = 0;
    AUTO_RESET sqlite3_stmt *row =
        db_statement(reader->db, "SELECT (SELECT id FROM intervals ORDER BY id LIMIT 1),"
                                 " (SELECT id FROM intervals ORDER BY id DESC LIMIT 1)");
    int result = sqlite3_step(row) == SQLITE_ROW ? 0 : db_fail(reader->db, "read", err);
    *first = result == 0 ? sqlite3_column_int64(row, 0) : 0; /* 0, too, if there is no interval */
    *last = result == 0 ? sqlite3_column_int64(row, 1) : 0;
    if (*first >= 1 && *last < INT64_MAX / 2)
        return result;
    *first = 1;
    *last = 0;
    return result;
}

int64_t reader_begin(struct reader *reader, int64_t interval)
{
    reader->steps = 0;
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db,
                 "SELECT id FROM intervals WHERE generation ="
                 " (SELECT generation FROM intervals WHERE id = ?1) LIMIT 1",
                 interval);
    return sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
}

bool reader_time(struct reader *reader, int64_t interval, double *time)
{
    reader->steps = 0;
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db, "SELECT time FROM intervals WHERE id = ?1", interval);
    if (sqlite3_step(row) != SQLITE_ROW)
        return false;
    *time = sqlite3_column_double(row, 0);
    return is_time(*time);
}

/* ---- rows ---- */

/* The ids of an interval's rows. */
struct row_span {
    int64_t first, last;
};

/* Reads counts from the columns behind cpu and busy. */
static void read_counts(const struct event_set *set, sqlite3_stmt *row, struct counts *counts)
{
    int column = 3;
    for (size_t e = 0; e < set->count; e++)
        counts->value[e] = (uint64_t)sqlite3_column_int64(row, column++);
    for (size_t g = 0; g < set->groups; g++, column += 2) {
        uint64_t enabled = (uint64_t)sqlite3_column_int64(row, column);
        bool whole = sqlite3_column_type(row, column + 1) == SQLITE_NULL;
        counts->times[g] = (struct group_time){
            enabled, whole ? enabled : (uint64_t)sqlite3_column_int64(row, column + 1)};
    }
}

static bool read_cpu(struct reader *reader, struct snapshot *s, sqlite3_stmt *row)
{
    const struct event_set *set = reader->events;
    int64_t cpu = sqlite3_column_int64(row, 1);
    if (cpu < ROW_UNATTRIBUTED || cpu > SCHEMA_CPUS_MAX)
        return false;
    if (cpu < 0) {
        s->has_cpus = true;
        read_counts(set, row, cpu == ROW_IDLE ? &s->idle : &s->unattributed);
        return true;
    }
    struct cpu_sample *sample = snapshot_add_cpu(s);
    sample->cpu = (int)cpu;
    sample->busy = (uint64_t)sqlite3_column_int64(row, 2);
    read_counts(set, row, &sample->counts);
    return s->cpu_count <= SCHEMA_CPUS_MAX &&
           db_take(reader->db, DB_INTERVAL, NULL, sizeof(*sample) + counts_size(set));
}

/* Reads rows of a table: these columns and counts, behind their id. Requires ascending rows: so a
 * damaged tree with a loop ends early. Frees `counts`. */
static bool read_rows(struct reader *reader, struct snapshot *s, const char *table,
                      const char *columns, char *counts, struct row_span span,
                      bool (*read)(struct reader *reader, struct snapshot *s, sqlite3_stmt *row))
{
    AUTO_FREE char *sql = mem_printf(
        "SELECT id, %s%s FROM %s WHERE id BETWEEN ?1 AND ?2 ORDER BY id", columns, counts, table);
    free(counts);
    sqlite3_stmt *find = db_made(reader->db, sql);
    int64_t before = span.first - 1;
    bool good = true;
    sqlite3_bind_int64(find, 1, span.first);
    sqlite3_bind_int64(find, 2, span.last);
    while (db_next(find, &good)) {
        int64_t id = sqlite3_column_int64(find, 0);
        good = id > before && id <= span.last && read(reader, s, find) && !db_excess(reader->db);
        before = id;
    }
    return good;
}

/* ---- intervals ---- */

/* The snapshot without rows; NULL if the interval is missing or invalid. */
static struct snapshot *read_head(struct reader *reader, int64_t interval, struct row_span *tasks,
                                  struct row_span *cpus)
{
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db,
                 "SELECT session, event_set, generation, time, length, task_first, task_last,"
                 " cpu_first, cpu_last, lost_records, throttled, denied_tasks, starved_tasks,"
                 " self_cpu, self_descriptors, self_rss FROM intervals WHERE id = ?1",
                 interval);
    if (sqlite3_step(row) != SQLITE_ROW || !is_time(sqlite3_column_double(row, 3)) ||
        sqlite3_column_int64(row, 4) < 0 ||
        read_session(reader, sqlite3_column_int64(row, 0)) < 0 ||
        read_events(reader, sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2)) < 0)
        return NULL;
    struct snapshot *s = snapshot_new(reader->events);
    db_columns(row, 2, "%ju %lf %ju %jd %jd %jd %jd %ju %ju %ju %ju %ju %zu %ju", &s->generation,
               &s->wall, &s->time, &tasks->first, &tasks->last, &cpus->first, &cpus->last,
               &s->lost_records, &s->throttled, &s->denied_tasks, &s->starved_tasks, &s->self.cpu,
               &s->self.descriptors, &s->self.rss);
    s->self.time = s->time; /* unless `loads` has it */
    s->part = reader->session.watch.cgroup != NULL;
    return s;
}

/* Reads what the kernel tells from the columns of those names; false if a number is impossible. */
static bool read_times(sqlite3_stmt *row, const struct kernel_time_name *names, size_t count,
                       struct kernel_times *times)
{
    bool good = true;
    *times = (struct kernel_times){0};
    for (int c = 0; c < sqlite3_column_count(row); c++)
        for (size_t i = 0; i < count; i++) {
            if (sqlite3_column_type(row, c) == SQLITE_NULL ||
                !str_equal(sqlite3_column_name(row, c), names[i].column))
                continue;
            int64_t time = sqlite3_column_int64(row, c);
            good &= time >= 0;
            kernel_times_set(times, i, (uint64_t)time);
        }
    return good;
}

/* Reads the machine's load and countertop's own cost. */
static bool read_loads(struct reader *reader, struct snapshot *s, int64_t interval)
{
    enum { LOAD_CPU = 1, LOAD_AGAIN };
    int64_t before = ROW_SELF - 1;
    bool good = true;
    sqlite3_stmt *find =
        db_query(reader->db, "SELECT * FROM loads WHERE interval = ?1 ORDER BY cpu", interval);
    while (db_next(find, &good)) {
        int64_t cpu = sqlite3_column_int64(find, LOAD_CPU);
        struct kernel_times times;
        good = read_times(find, kernel_times_of_cpu, CPU_TIMES, &times) && cpu > before &&
               cpu <= SCHEMA_CPUS_MAX;
        if (good && cpu == ROW_SELF)
            s->self.time = times.time[CPU_TIME];
        else if (good)
            *load_of(&s->load, (int)cpu) =
                (struct cpu_load){(int)cpu, sqlite3_column_int64(find, LOAD_AGAIN) != 0, times};
        before = cpu;
    }
    return good;
}

static bool read_pressure(struct reader *reader, struct machine_pressure *pressure,
                          int64_t interval)
{
    sqlite3_stmt *find = db_query(reader->db,
                                  "SELECT time, cpu_some, cpu_full, memory_some, memory_full,"
                                  " io_some, io_full FROM pressures WHERE interval = ?1",
                                  interval);
    struct pressure_time *of = pressure->of;
    bool good = true;
    while (db_next(find, &good)) {
        for (int i = 0; i < 1 + 2 * PRESSURES; i++)
            good &= sqlite3_column_int64(find, i) >= 0;
        db_columns(find, 0, "%ju %ju %ju %ju %ju %ju %ju", &pressure->time, &of[0].some,
                   &of[0].full, &of[1].some, &of[1].full, &of[2].some, &of[2].full);
    }
    return good;
}

static bool read_cgroups(struct reader *reader, struct machine_load *load, int64_t interval)
{
    enum { CGROUP_PATH = 1, CGROUPS_MAX = 1 << 16 };
    bool good = true;
    sqlite3_stmt *find = db_query(
        reader->db, "SELECT * FROM cgroup_loads WHERE interval = ?1 ORDER BY path", interval);
    while (db_next(find, &good)) {
        AUTO_FREE char *path = db_text(find, CGROUP_PATH);
        struct kernel_times times;
        good = path && load->cgroup_count < CGROUPS_MAX &&
               db_take(reader->db, DB_INTERVAL, find, sizeof(*load->cgroups)) &&
               read_times(find, kernel_times_of_cgroup, CGROUP_TIMES, &times);
        if (good)
            load_of_cgroup(load, path)->kernel_times = times;
    }
    return good;
}

static bool read_long_waits(struct reader *reader, struct snapshot *s, int64_t interval)
{
    enum { TASK = 7 };
    bool good = true;
    size_t number = 0;
    sqlite3_stmt *find = db_query(reader->db,
                                  "SELECT number, time, length, taken, pid, woken, interrupt,"
                                  " tid, comm, taker, taker_comm, waker, waker_comm"
                                  " FROM long_waits WHERE interval = ?1 ORDER BY number",
                                  interval);
    while (db_next(find, &good)) {
        struct long_wait *wait = long_waits_add(&s->long_waits);
        struct long_wait_task *const tasks[] = {&wait->task, &wait->taker, &wait->waker};
        int woken, interrupt;
        db_columns(find, 0, "%zu %lf %ju %ju %d %d %d", &number, &wait->time, &wait->length,
                   &wait->taken, &wait->pid, &woken, &interrupt);
        for (int i = 0; i < 3; i++) {
            AUTO_FREE char *comm = db_text(find, TASK + 2 * i + 1);
            memccpy(tasks[i]->comm, comm ? comm : "", 0, sizeof(tasks[i]->comm) - 1);
            tasks[i]->id = sqlite3_column_int(find, TASK + 2 * i);
        }
        wait->woken = woken;
        wait->interrupt = interrupt;
        good = is_time(wait->time) && s->long_waits->count <= LONG_WAITS_MAX;
    }
    if (good && s->long_waits && s->long_waits->count == LONG_WAITS_MAX)
        s->long_waits->count = number + 1; /* older ones were not listed */
    return good;
}

struct snapshot *reader_read(struct reader *reader, int64_t interval, enum reader_tasks wanted,
                             struct err *err)
{
    static const char not_recorded[] = "it is not in the recording";
    struct row_span tasks, cpus;
    reader->steps = 0;
    begin_snapshot(reader);
    reader->idle = wanted == READ_ALL;
    reader->interval = interval;
    struct snapshot *s = read_head(reader, interval, &tasks, &cpus);
    bool good =
        s && tasks.first >= 1 && cpus.first >= 1 &&
        read_rows(reader, s, "cpu_rows", "cpu, busy",
                  pack_count_columns(s->events->count, s->events->groups), cpus, read_cpu) &&
        read_loads(reader, s, interval) && read_pressure(reader, &s->load.pressure, interval) &&
        read_cgroups(reader, &s->load, interval) &&
        (wanted == READ_TOTALS || read_profile(reader, interval, &s->profile));
    if (good && (wanted != READ_TOTALS || !s->has_cpus))
        good = read_rows(reader, s, "task_packs", "",
                         pack_columns(s->events->count, s->events->groups), tasks, read_pack) &&
               (wanted != READ_ALL || read_idle(reader, s, interval));
    if (good && reader->tells_cgroups)
        s->cgroups = cgroup_names_join(NULL, &reader->cgroups);
    good = good && (wanted == READ_TOTALS ||
                    (read_wait_facts(reader, s, interval) && read_long_waits(reader, s, interval)));
    if (good && s->load.count == 0)
        s->load.reason = mem_strdup(not_recorded);
    if (good && s->load.pressure.time == 0)
        s->load.no_pressure = mem_strdup(not_recorded);
    if (good)
        return s;
    snapshot_free(s);
    const char *excess = db_excess(reader->db);
    return err_null(err, "cannot read interval %lld of '%.200s': %s", (long long)interval,
                    reader->db->name, excess ? excess : "it is damaged");
}

const struct session *reader_session(const struct reader *reader)
{
    return &reader->session;
}

const struct run_facts *reader_run(const struct reader *reader)
{
    return &reader->facts;
}

/* ---- facts about processes ---- */

const char *reader_user(struct reader *reader, uid_t uid)
{
    return map_get(&reader->users, (uint64_t)uid + 1);
}

const char *reader_cmdline(struct reader *reader, pid_t pid)
{
    const struct recorded_process *process = map_get(&reader->present, (uint64_t)pid);
    return process ? process->cmdline : NULL;
}

bool reader_cgroup(struct reader *reader, pid_t pid, char *path, size_t size)
{
    const struct recorded_process *process = map_get(&reader->present, (uint64_t)pid);
    const char *text = process ? process->cgroup : NULL;
    *path = '\0';
    strncat(path, text ? text : "", size - 1);
    return text != NULL;
}

const char *reader_container(struct reader *reader, const char *path)
{
    AUTO_RESET sqlite3_stmt *row =
        db_query(reader->db, "SELECT name FROM containers WHERE path = ?1", 0);
    db_bind_text(row, 1, path);
    mem_replace(&reader->container, sqlite3_step(row) == SQLITE_ROW ? db_text(row, 0) : NULL);
    return db_clean(reader->container, false);
}

bool reader_wait(struct reader *reader, pid_t tid, struct task_wait *wait)
{
    AUTO_RESET sqlite3_stmt *find =
        db_query(reader->db,
                 "SELECT pid, kind, text, address, path, reason, deadlock"
                 " FROM waits_for WHERE interval = ?1 AND tid = ?2",
                 reader->interval);
    const char **const texts[] = {&wait->kind, &wait->text,   &wait->address,
                                  &wait->path, &wait->reason, &wait->deadlock};
    *wait = (struct task_wait){.tid = tid, .next = ""};
    sqlite3_bind_int64(find, 2, tid);
    if (sqlite3_step(find) == SQLITE_ROW) {
        wait->pid = sqlite3_column_int(find, 0);
        for (int i = 0; i < (int)(sizeof(texts) / sizeof(*texts)); i++)
            *texts[i] = find_text(reader, sqlite3_column_int64(find, 1 + i));
    }
    return (wait->kind && wait->text) || wait->reason;
}
