#include "view/fact.h"
#include "base/str.h"
#include "view/text.h"

#include <stdio.h>
#include <string.h>

enum { COMMAND_SIZE = sizeof(((struct cell *)0)->text) };

/* Ids of 0 stand for "none" or "not known", which is not shown as a number. */
static bool known_id(pid_t id, int64_t *number)
{
    *number = id;
    return id > 0;
}

static bool pid_number(const struct scene *scene, const struct row *row, int64_t *number)
{
    (void)scene;
    return known_id(row->pid, number);
}

static bool tid_number(const struct scene *scene, const struct row *row, int64_t *number)
{
    (void)scene;
    return known_id(row->tid, number);
}

static bool ppid_number(const struct scene *scene, const struct row *row, int64_t *number)
{
    (void)scene;
    return known_id(row->ppid, number);
}

static bool cpu_number(const struct scene *scene, const struct row *row, int64_t *number)
{
    (void)scene;
    *number = row->cpu;
    return row->cpu >= 0;
}

/* /proc must not be asked about a task that ended: its ids may be another's by now. */
static void ask_state(const struct scene *scene, const struct row *row, char *state,
                      size_t *threads)
{
    *state = '\0';
    *threads = 0;
    if (!row->exited && scene->lookup && scene->lookup->state)
        scene->lookup->state(scene->lookup->ctx, row->pid, row->tid, state, threads);
}

static bool threads_number(const struct scene *scene, const struct row *row, int64_t *number)
{
    char state;
    size_t threads;
    ask_state(scene, row, &state, &threads);
    *number = (int64_t)(threads ? threads : row->threads);
    return true;
}

static bool state_text(const struct scene *scene, const struct row *row, char *text, size_t size)
{
    char state;
    size_t threads;
    ask_state(scene, row, &state, &threads);
    if (row->exited)
        state = 'X'; /* as in proc_pid_stat(5) */
    if (state <= ' ' || state > '~')
        return false;
    snprintf(text, size, "%c", state);
    return true;
}

static bool user_text(const struct scene *scene, const struct row *row, char *text, size_t size)
{
    if (row->uid == (uid_t)-1)
        return false;
    const char *name = NULL;
    if (scene->lookup && scene->lookup->user)
        name = scene->lookup->user(scene->lookup->ctx, row->uid);
    if (name && *name)
        text_clean(text, size, name, scene->settings->ascii);
    else
        snprintf(text, size, "%u", (unsigned)row->uid);
    return true;
}

static bool command_text(const struct scene *scene, const struct row *row, char *text, size_t size)
{
    const struct view_settings *settings = scene->settings;
    char line[COMMAND_SIZE];
    bool has_line = settings->cmdline && !settings->threads && !row->exited && scene->lookup &&
                    scene->lookup->cmdline &&
                    scene->lookup->cmdline(scene->lookup->ctx, row->pid, line, sizeof(line)) &&
                    *line;
    text_clean(text, size, has_line ? line : row->comm, settings->ascii);
    return *text;
}

static const struct fact facts[] = {
    {.shown = {"pid", "PID", "process id", 7, false}, .number = pid_number},
    {.shown = {"tid", "TID", "thread id", 7, false}, .number = tid_number},
    {.shown = {"ppid", "PPID", "process id of the parent", 7, false}, .number = ppid_number},
    {.shown = {"user", "USER", "effective user", 8, true}, .text = user_text},
    {.shown = {"cpu", "CPU", "CPU it ran on last", 4, false},
     .of_cpus = true,
     .number = cpu_number},
    {.shown = {"state", "S", "state: R running, S sleeping, D waiting, X ended", 1, true},
     .text = state_text},
    {.shown = {"threads", "THR", "threads of the process", 5, false}, .number = threads_number},
    {.shown = {"command", "COMMAND", "name or command line", 15, true},
     .takes_rest = true,
     .text = command_text},
};

const struct fact *fact_at(size_t i)
{
    return i < sizeof(facts) / sizeof(*facts) ? &facts[i] : NULL;
}

const struct fact *fact_find(const char *name)
{
    const struct fact *fact;
    for (size_t i = 0; (fact = fact_at(i)); i++)
        if (str_equal(fact->shown.name, name))
            return fact;
    return NULL;
}
