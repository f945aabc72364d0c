-- Makes the text of the views of a recording (schema.sql): SQL that drops and creates them. record/schema.c runs this
-- query for a recording, and then what it gives.

WITH RECURSIVE

-- Of a task r of task_rows: what the tables have of it, looked up only in queries that ask for it. %s: the column.
looked_up(task, process, text) AS (VALUES (
  '(SELECT %s FROM tasks WHERE id = r.task)',
  '(SELECT %s FROM processes WHERE id = coalesce((SELECT process FROM tasks WHERE id = r.task), r.process))',
  '(SELECT text FROM texts WHERE id = r.%s)')),

-- ---- counts by the names of events ----

-- For each name the cases of the newest sets that have it. A shared event is known only in rows in which it was
-- counted. Counts are scaled as in model/delta.c: not where CPUs counted all the time, and of tasks not if less than a
-- hundredth was covered. In a case # is the group, @ the position, and ~ 1 if the rows are not those of tasks.
cases(name, first, text) AS (
  SELECT name, min(position), group_concat(' WHEN i.event_set = ' || event_set ||
    replace(replace(CASE WHEN shared THEN ' AND r.e# > 0' ELSE '' END ||
      ' THEN CASE WHEN r.r# IS NULL OR r.r# >= r.e# THEN r.c@' ||
      ' WHEN ~ OR r.r# * 100 >= r.e# THEN CASE WHEN (SELECT count(*) > 0 AND total(w.r# < w.e#) = 0' ||
      ' FROM cpu_rows w WHERE w.id BETWEEN i.cpu_first AND i.cpu_last AND w.cpu >= 0) THEN r.c@' ||
      ' WHEN r.r# * 100 >= r.e# THEN CAST(round(r.c@ * 1.0 * r.e# / r.r#) AS INTEGER) END END',
      '#', perf_group), '@', position), '')
  FROM (SELECT * FROM events WHERE perf_group >= 0 AND typeof(name) = 'text'
        ORDER BY event_set DESC, position LIMIT 4000)
  GROUP BY name),

-- The columns of the views, in the order of positions. A task that was not counted has a state (flags) and no counts.
counts(of_tasks, of_cpus) AS (
  SELECT coalesce(group_concat(printf(', CASE WHEN r.flags < 16 THEN CASE%s END END AS "%w"',
                                      replace(text, '~', '0'), name), ''), ''),
         coalesce(group_concat(printf(', CASE%s END AS "%w"', replace(text, '~', '1'), name), ''), '')
  FROM (SELECT * FROM cases ORDER BY first, name)),

-- The columns of cpu_rows, added up; a group that was running as long as enabled has no r.
sums(columns) AS (
  SELECT coalesce(group_concat(printf(CASE substr(name, 1, 1) WHEN 'r' THEN ', sum(coalesce(r.%s, r.e%s)) AS %s'
                                      ELSE ', sum(r.%s) AS %.0s%s' END, name, substr(name, 2), name), ''), '')
  FROM pragma_table_info('cpu_rows') WHERE name GLOB '[cer][0-9]*'),

-- ---- the numbers in packs (record/schema.h) ----

-- The number of task i in the column @ of a pack. b has all bytes in order, so that instr() gives the number of one.
number(text) AS (
  SELECT '@+CASE length(@_more)/tasks' || group_concat(text, '') || ' ELSE 0 END'
  FROM (SELECT printf(' WHEN %d THEN 0', width) ||
               group_concat(printf('<<8|instr(b,substr(@_more,%d*i+%d,1))-1', width, place), '') AS text
        FROM (WITH places(place) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8))
              SELECT places.place AS width, byte.place AS place FROM places JOIN places AS byte
              ON byte.place <= places.place WHERE places.place NOT IN (5, 6, 7) ORDER BY 1, 2)
        GROUP BY width)),
bytes(byte) AS (SELECT 0 UNION ALL SELECT byte + 1 FROM bytes WHERE byte < 255),

-- The columns of task_rows: fields, counts, times of groups. Numbers are written as differences to those of another
-- column as schema.c says; its_oncpu and its_c0 are the task's numbers in these columns.
packed(kind, name, number, cid) AS (SELECT CASE WHEN name GLOB 'c[0-9]*' THEN 1 ELSE 2 * (name GLOB '[er][0-9]*') END,
  name, CAST(substr(name, 2) AS INTEGER), cid FROM pragma_table_info('task_packs')
  WHERE name NOT IN ('id', 'tasks', 'near') AND name NOT GLOB '*_more'),
numbers(kind, name, text) AS (
  SELECT kind, name, replace(text, '@', name) || CASE
    WHEN kind = 1 AND number < 62
    THEN printf('+CASE WHEN near>>%d&1 THEN %s ELSE 0 END', number, CASE number WHEN 0 THEN 'its_oncpu' ELSE 'its_c0' END)
    WHEN name GLOB 'e[0-9]*' THEN '+its_oncpu'
    WHEN kind = 2 THEN '+' || replace(text, '@', 'e' || number) || '+its_oncpu'
    WHEN name IN ('process_ident', 'process_comm') THEN '+' || replace(text, '@', substr(name, 9))
    ELSE '' END
  FROM packed, number ORDER BY kind, CASE kind WHEN 0 THEN cid ELSE number END, name),
task_rows(text) AS (
  SELECT 'SELECT id' || group_concat(CASE kind WHEN 2 THEN ', CASE WHEN e0 IS NOT NULL THEN ' || text || ' END AS '
                                     ELSE ', ' || text || ' AS ' END || name, '')
    || ' FROM (SELECT *, ' || coalesce((SELECT text FROM numbers WHERE name = 'c0'), '0')
    || ' AS its_c0 FROM (SELECT *, ' || (SELECT text FROM numbers WHERE name = 'oncpu')
    || ' AS its_oncpu FROM task_packs JOIN pack_places ON i < tasks JOIN (SELECT x'''
    || (SELECT group_concat(printf('%02x', byte), '') FROM bytes) || ''' AS b)))'
  FROM numbers),

-- ---- the views ----

shared(interval, rows) AS (VALUES ('i.id AS interval, i.time, i.length / 1e9 AS seconds',
  'FROM intervals i JOIN cpu_rows r ON r.id BETWEEN i.cpu_first AND i.cpu_last WHERE r.cpu'))

SELECT
  'DROP VIEW IF EXISTS task_rows; CREATE VIEW task_rows AS ' || task_rows.text ||
  '; DROP VIEW IF EXISTS task_counts; CREATE VIEW task_counts AS SELECT ' || interval ||
  ', coalesce(' || printf(process, 'pid') || ', r.tid) AS pid' ||
  ', coalesce(' || printf(task, 'tid') || ', r.tid) AS tid' ||
  ', coalesce(' || printf(process, 'ppid') || ', r.ppid) AS ppid' ||
  ', coalesce(' || printf(process, 'user') || ', ' || printf(looked_up.text, 'user') || ') AS user' ||
  ', coalesce(' || printf(task, 'comm') || ', ' || printf(looked_up.text, 'comm') || ') AS comm' ||
  ', coalesce(' || printf(process, 'comm') || ', ' || printf(looked_up.text, 'process_comm') || ') AS process' ||
  ', ' || printf(process, 'cmdline') || ' AS cmdline' ||
  ', coalesce(' || printf(looked_up.text, 'cgroup') || ', ' || printf(process, 'cgroup') || ') AS cgroup' ||
  ', r.cpu, r.flags & 1 AS exited, r.oncpu / 1e9 AS oncpu' || of_tasks ||
  ' FROM intervals i JOIN task_rows r ON r.id BETWEEN i.task_first AND i.task_last' ||
  ' WHERE NOT r.flags & 12;' || -- those that did nothing, and what a task did before it left a cgroup
  'DROP VIEW IF EXISTS cpu_counts; CREATE VIEW cpu_counts AS SELECT ' || interval ||
  ', r.cpu, r.busy / 1e9 AS busy' || of_cpus || ' ' || rows || ' >= 0;' ||
  'DROP VIEW IF EXISTS summary; CREATE VIEW summary AS SELECT ' || interval ||
  ', CASE r.cpu WHEN -1 THEN ''idle'' ELSE ''unattributed'' END AS kind' || of_cpus || ' ' || rows || ' < 0' ||
  ' UNION ALL SELECT ' || interval || ', ''total''' || of_cpus || ' FROM intervals i JOIN (SELECT i.id' || columns ||
  ' ' || rows || ' >= 0 GROUP BY i.id) r ON r.id = i.id;'
FROM looked_up, counts, sums, task_rows, shared
