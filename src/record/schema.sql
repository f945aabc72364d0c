-- The format of a recording, and the only one that is read: an SQLite database whose application_id is "ctop" and whose
-- user_version is SCHEMA_VERSION (record/schema.h). It has exact counts that are not scaled, and no ratios: these are
-- computed from counts, so a new ratio works on an old recording. All times are in ns. Only tables that are created here
-- are read; each of these lines begins with its CREATE.

-- A row for each start of the program: the machine, the user, the CPUs.
CREATE TABLE runs (id INTEGER PRIMARY KEY, version TEXT, time REAL, host TEXT, kernel TEXT,
  cpu_model TEXT, known_as TEXT, ghz_nominal REAL, cpus TEXT, engine TEXT, engine_reason TEXT, command TEXT);

-- How it counted, what it watched and which `screen` was shown (a column that older files lack); another row when that
-- changes.
CREATE TABLE sessions (id INTEGER PRIMARY KEY, run INTEGER, mode INTEGER, delay REAL, notice TEXT,
  faults TEXT, counters INTEGER, processes TEXT, threads TEXT, users TEXT, cgroup TEXT, child INTEGER);

-- The events that were counted together; `events` has a row for each of them.
CREATE TABLE event_sets (id INTEGER PRIMARY KEY, groups INTEGER, note TEXT);
CREATE TABLE events (event_set INTEGER, position INTEGER, name TEXT, pmu TEXT, unit TEXT, scale REAL,
  shared INTEGER, encoding TEXT, state INTEGER, reason TEXT, perf_group INTEGER, hardware INTEGER,
  PRIMARY KEY (event_set, position)) WITHOUT ROWID;

-- A row for each refresh, numbered from 1, with its `length`.
CREATE TABLE intervals (id INTEGER PRIMARY KEY, session INTEGER, event_set INTEGER, generation INTEGER,
  time REAL, length INTEGER, task_first INTEGER, task_last INTEGER, cpu_first INTEGER, cpu_last INTEGER,
  lost_records INTEGER, throttled INTEGER, denied_tasks INTEGER, starved_tasks INTEGER, self_cpu INTEGER,
  self_descriptors INTEGER, self_rss INTEGER);

-- processes: a row for a process as long as none of its facts changes, with its last interval (NULL: it is not known to
-- have ended). tasks: the same for threads, with their first interval. Tasks that live for a few intervals have no row in
-- `tasks`, and processes that began and ended in one interval have none in `processes`: their packs have the names.
CREATE TABLE processes (id INTEGER PRIMARY KEY, ident INTEGER, pid INTEGER, ppid INTEGER, uid INTEGER,
  user TEXT, comm TEXT, command INTEGER, cmdline TEXT, cgroup TEXT, last INTEGER);
CREATE TABLE tasks (id INTEGER PRIMARY KEY, run INTEGER, ident INTEGER, process INTEGER, tid INTEGER,
  comm TEXT, first INTEGER, last INTEGER);

-- What tasks did in an interval: the packs from task_first to task_last of its row. A pack has the numbers of up to
-- PACK_ROWS tasks (record/schema.h), and two columns for a number of each, NAME and NAME_more. NAME is the least number
-- of all tasks in the pack. NAME_more is NULL if they all have that one; else it has what each task has more, one task
-- after the other, in 1, 2, 3, 4 or 8 bytes each, the highest byte first. Three tasks with 70000, 70300 and 71296 ns on
-- CPU 2, of which the second has ended:
--
--     tasks  oncpu  oncpu_more            cpu  cpu_more  flags  flags_more
--     3      70000  00 00  01 2c  05 10   2    NULL      0      00  01  00
--
-- So a pack of one task is a plain row. Some numbers are written as their difference to another number of the same task,
-- which may be negative: reference_of() in schema.c says which.
--
-- texts: names that packs refer to by key, with the first interval that needed them. pack_places: 0 to PACK_ROWS - 1, for
-- the view task_rows.
CREATE TABLE task_packs (id INTEGER PRIMARY KEY, tasks INTEGER, near INTEGER);
CREATE TABLE texts (id INTEGER PRIMARY KEY, interval INTEGER, text TEXT);
CREATE TABLE pack_places (i INTEGER PRIMARY KEY);
WITH RECURSIVE places(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM places WHERE i < 31)
  INSERT INTO pack_places SELECT i FROM places;

-- What CPUs counted in an interval: the rows from cpu_first to cpu_last of its row. CPU -1: the idle tasks of all CPUs;
-- -2: counts of no known task.
--
-- In task_rows and cpu_rows c0, c1 ... are the counts of the events 0, 1 ... of the interval's event set; e0, r0, e1 ...
-- are the times in which its groups 0, 1 ... were enabled and running (perf_event_open(2)). r is NULL if the group was
-- running as long as it was enabled, and e and r of tasks are NULL if that holds for all tasks of an interval, and they
-- were so as long as they were on a CPU. The tables get more columns when an event set needs more.
CREATE TABLE cpu_rows (id INTEGER PRIMARY KEY, cpu INTEGER, busy INTEGER);

-- The times of each of the machine's CPUs in an interval (system/kernel_times.h, which names the other columns). NULL:
-- the kernel did not tell. They are parts of a total, which may differ from `length`. `again` is not 0 in a row that
-- repeats an earlier interval's: leave it out of sums. In the row of CPU -1: the CPU time of countertop itself, and over
-- which time it was measured.
CREATE TABLE loads (interval INTEGER, cpu INTEGER, again INTEGER, PRIMARY KEY (interval, cpu))
  WITHOUT ROWID;

-- The times of cgroups, by path, in intervals in which the view cgroups was shown.
CREATE TABLE cgroup_loads (interval INTEGER, path TEXT, PRIMARY KEY (interval, path)) WITHOUT ROWID;

-- The machine's pressure; columns are named as in /proc/pressure.
CREATE TABLE pressures (interval INTEGER PRIMARY KEY, time INTEGER, cpu_some INTEGER, cpu_full INTEGER,
  memory_some INTEGER, memory_full INTEGER, io_some INTEGER, io_full INTEGER);

-- How an interval was sampled (sample/profile.h). `beside`: the names of the events b0, b1 ... that were read with the
-- samples, one per line. profile_rows: the samples of a thread in a function, from `first` to `last` of the profile's
-- row; `weight` is the estimated count.
CREATE TABLE profiles (interval INTEGER PRIMARY KEY, first INTEGER, last INTEGER, rate INTEGER,
  lost INTEGER, throttled INTEGER, exact INTEGER, short_stacks INTEGER, user_only INTEGER, event TEXT, unit TEXT,
  beside TEXT, note TEXT, callers INTEGER, unwound INTEGER, late INTEGER, copied INTEGER, unwinding INTEGER,
  ran INTEGER, alone INTEGER);
CREATE TABLE profile_rows (id INTEGER PRIMARY KEY, interval INTEGER, pid INTEGER, tid INTEGER,
  function INTEGER, stack INTEGER, samples INTEGER, weight INTEGER, b0 INTEGER, b1 INTEGER, b2 INTEGER, b3 INTEGER,
  b4 INTEGER, b5 INTEGER, b6 INTEGER, address INTEGER);

-- functions, objects: their names; state as enum code_state. code, source_lines: the instructions and source lines of
-- functions. stacks: a function that called, and the id of its own caller, which is less; 0: none.
CREATE TABLE objects (id INTEGER PRIMARY KEY, name TEXT, path TEXT, reason TEXT);
CREATE TABLE functions (id INTEGER PRIMARY KEY, object INTEGER, state INTEGER, start INTEGER,
  size INTEGER, name TEXT);
CREATE TABLE code (function INTEGER PRIMARY KEY, instructions TEXT, lines TEXT);
CREATE TABLE source_lines (object INTEGER, path TEXT, line INTEGER, text TEXT,
  PRIMARY KEY (object, path, line)) WITHOUT ROWID;
CREATE TABLE stacks (id INTEGER PRIMARY KEY, caller INTEGER, function INTEGER);

-- How long tasks waited, ns; spans: {"least length of a bucket": number}.
CREATE TABLE wait_facts (interval INTEGER, ident INTEGER, kind TEXT, total INTEGER, longest INTEGER,
  spans TEXT, PRIMARY KEY (interval, ident, kind)) WITHOUT ROWID;

-- Who had the CPU meanwhile, ns; pid 0: no process, and comm is one of no_taker_names.
CREATE TABLE wait_takers (interval INTEGER, ident INTEGER, pid INTEGER, comm TEXT, taken INTEGER,
  sure INTEGER, PRIMARY KEY (interval, ident, pid, comm)) WITHOUT ROWID;

-- Why the recording was made (sample/source.h); no row: the user asked for it.
CREATE TABLE alarms (id INTEGER PRIMARY KEY, condition TEXT, time REAL, pid INTEGER, tid INTEGER,
  value REAL);

-- Names of containers, by the paths of their cgroups, which had them in an interval of the 64 from this one on.
CREATE TABLE containers (path TEXT PRIMARY KEY, interval INTEGER, name TEXT) WITHOUT ROWID;

-- What tasks waited for at the end of an interval, of the rows that were shown (struct task_wait): ids of `texts`.
CREATE TABLE waits_for (interval INTEGER, tid INTEGER, pid INTEGER, kind INTEGER, text INTEGER,
  address INTEGER, path INTEGER, reason INTEGER, deadlock INTEGER, PRIMARY KEY (interval, tid)) WITHOUT ROWID;

-- Waits for a CPU that were listed one by one (struct long_wait), by the number of each in its interval; times in ns, but
-- `time` in seconds. The newest of an interval are there.
CREATE TABLE long_waits (interval INTEGER, number INTEGER, time REAL, length INTEGER, taken INTEGER,
  woken INTEGER, interrupt INTEGER, pid INTEGER, tid INTEGER, comm TEXT, taker INTEGER, taker_comm TEXT, waker INTEGER,
  waker_comm TEXT, PRIMARY KEY (interval, number)) WITHOUT ROWID;
