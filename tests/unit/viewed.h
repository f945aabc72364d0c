/* A view over a frame of hand-made tasks, for the tests of what it shows and in which order. */
#pragma once

#include "base/str.h"
#include "unit/test.h"
#include "view/view.h"

#include "unit/handmade.h"

#include <stdio.h>
#include <unistd.h>

/* The settings of the view, to be changed where they are: then view_apply(). */
static inline struct view_settings *settings_of(struct view *view)
{
    return (struct view_settings *)view_settings(view);
}

static const char ini[] =
    "[metric cpu_pct]\nunit = %\nexpr = oncpu / interval * 100\ntitle = %CPU\ndecimals = 1\n"
    "width = 6\n"
    "[metric ipc]\nexpr = instructions / cycles\ntitle = IPC\ndecimals = 2\nwidth = 5\n"
    "good = 1.5\nbad = 0.5\n"
    "[metric rate]\nexpr = cycles / interval\ntitle = CYC\nwidth = 5\n"
    "[screen hw]\nevents = {cycles,instructions},page-faults\nrequires = cycles instructions\n"
    "columns = pid user cpu cpu_pct ipc command\nsort = cpu_pct\n"
    "[screen sw]\ncolumns = pid state threads cpu_pct command\nsort = cpu_pct\n"
    "[screen typo]\ncolumns = pid ipcc\n"
    "[screen rates]\nevents = cycles\ncolumns = ppid rate cycles command\nsort = rate\n";

enum { CYCLES, INSTRUCTIONS, FAULTS, EVENTS };
static const char *const names[EVENTS] = {"cycles", "instructions", "page-faults"};

struct fixture {
    struct metric_set metric_set;
    struct screen_list screens;
    struct view *view;
    struct frame *frame;
    int asked; /* calls of the lookup */
};

static inline const char *user_name(void *ctx, uid_t uid)
{
    ((struct fixture *)ctx)->asked++;
    return uid == 0 ? "root" : uid == 101 ? "systemd-timesync" : NULL;
}

static inline char *cmdline(void *ctx, pid_t pid)
{
    ((struct fixture *)ctx)->asked++;
    return pid == 2 ? NULL : mem_printf("/usr/bin/prog --pid=%d", (int)pid);
}

/* Only of /proc/PID/stat; how many threads 3 has is not known. */
static inline bool task_word(void *ctx, pid_t pid, pid_t tid, const char *file, const char *after,
                             int n, char *word, size_t size)
{
    ((struct fixture *)ctx)->asked++;
    (void)tid;
    if (!str_equal(file, "stat"))
        return false;
    assert_string_equal(after, ")");
    snprintf(word, size, "%s", n == STAT_THREADS ? "40" : pid == 1 ? "R" : "S");
    return n != STAT_THREADS || pid != 3;
}

/* Even pids are in a cgroup, odd ones in the root; nobody knows of 4. */
static inline bool task_cgroup(void *ctx, pid_t pid, char *path, size_t size)
{
    ((struct fixture *)ctx)->asked++;
    snprintf(path, size, "%s", pid % 2 ? "/" : "/system.slice/web.service");
    return pid != 4;
}

/* Two sockets of two cores of two CPUs, the second socket of a smaller type; nobody knows of 8. */
static inline void cpu_place(void *ctx, int cpu, struct view_place *place)
{
    (void)ctx;
    if (cpu == 8)
        return;
    place->socket = cpu / 4;
    place->core = cpu / 2 % 2;
    snprintf(place->type, sizeof(place->type), "%s", cpu < 4 ? "big" : "little");
}

static inline void shown_cgroup_name(void *ctx, const char *path, char *name, size_t size)
{
    (void)ctx;
    snprintf(name, size, "%s", path[1] ? strrchr(path, '/') + 1 : path);
}

/* 1 alpha: 50 %, IPC 2; 2 Beta: 90 %, IPC 0.25; 3 gamma: 10 %, no cycles; 4 idle: did not run. */
static inline struct frame *tasks(void)
{
    static const uint64_t counts[][EVENTS] = {
        {100, 200, 5}, {400, 100, 1234}, {0, 10, 0}, {0, 0, 0}};
    struct event_set *set = handmade_set(EVENTS, names);
    for (int i = CYCLES; i <= INSTRUCTIONS; i++) {
        set->events[i].hardware = true;
        set->events[i].group = 1;
    }
    set->groups = 2;
    struct frame *frame = handmade_frame(set);
    static const char *const comms[] = {"alpha", "Beta", "gamma", "idle"};
    static const double oncpu[] = {0.5, 0.9, 0.1, 0};
    static const uid_t uids[] = {0, 101, 4242, 0};
    for (int i = 0; i < 4; i++) {
        struct row *row = handmade_process(frame, i + 1, comms[i], oncpu[i], counts[i]);
        struct row *thread = &frame->threads[i];
        row->uid = thread->uid = uids[i];
        row->cpu = thread->cpu = i;
        row->ran = thread->ran = i < 3;
    }
    return frame;
}

static inline int setup(void **state)
{
    struct fixture *f = mem_alloc(sizeof(*f));
    static struct view_lookup lookup = {.user = user_name,
                                        .cmdline = cmdline,
                                        .word = task_word,
                                        .cgroup = task_cgroup,
                                        .cgroup_name = shown_cgroup_name,
                                        .place = cpu_place};
    lookup.ctx = f;
    f->metric_set = (struct metric_set){0};
    if (metric_set_load(&f->metric_set, ini, "ini", NULL) < 0 ||
        screen_list_load(&f->screens, ini, "ini", NULL) < 0)
        return -1;
    f->view = view_new(&f->metric_set, &f->screens, &lookup);
    f->frame = tasks();
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *f = *state;
    view_free(f->view);
    frame_free(f->frame);
    screen_list_release(&f->screens);
    metric_set_release(&f->metric_set);
    free(f);
    return 0;
}

static inline void expect_columns(const struct fixture *f, const char *expected)
{
    AUTO_STR struct str seen = str_new();
    for (size_t i = 0; i < view_columns(f->view); i++)
        str_printf(&seen, "%s%s", i ? " " : "", view_column(f->view, i)->name);
    assert_string_equal(seen.text, expected);
}

static inline size_t column(const struct fixture *f, const char *name)
{
    for (size_t i = 0; i < view_columns(f->view); i++)
        if (str_equal(view_column(f->view, i)->name, name))
            return i;
    fail_msg("no column %s", name);
    return 0;
}

static inline void add_cpu(struct frame *frame, int cpu, double busy, uint64_t cycles)
{
    const uint64_t counts[EVENTS] = {cycles, 2 * cycles, 0};
    struct row one = handmade_row(frame, counts);
    one.cpu = cpu;
    one.id = (uint64_t)cpu + 1;
    one.oncpu = busy;
    frame->has_cpus = true;
    row_sum_add(&frame->total, &one, frame);
    row_sum_complete(&frame->total, frame);
    handmade_add(&frame->cpus, &frame->cpu_count, one);
}

/* The cells of a column in the order of the rows, separated by '|'. */
static inline void expect_cells(const struct fixture *f, const char *name, const char *expected)
{
    size_t shown = column(f, name);
    AUTO_STR struct str seen = str_new();
    for (size_t i = 0; i < view_rows(f->view); i++) {
        struct cell cell;
        view_cell(f->view, i, shown, &cell);
        str_printf(&seen, "%s%s", i ? "|" : "", cell.text);
    }
    assert_string_equal(seen.text, expected);
}

/* The tids of the rows in order. */
static inline void expect_rows(const struct fixture *f, const char *expected)
{
    AUTO_STR struct str seen = str_new();
    for (size_t i = 0; i < view_rows(f->view); i++)
        str_printf(&seen, "%s%d", i ? " " : "", (int)view_row(f->view, i)->tid);
    assert_string_equal(seen.text, expected);
}

static inline size_t row(const struct fixture *f, pid_t tid)
{
    for (size_t i = 0; i < view_rows(f->view); i++)
        if (view_row(f->view, i)->tid == tid)
            return i;
    fail_msg("no row %d", (int)tid);
    return 0;
}

static inline void expect_cell(const struct fixture *f, pid_t tid, const char *name,
                               const char *text, enum role role)
{
    struct cell cell;
    memset(&cell, 'x', sizeof(cell));
    view_cell(f->view, row(f, tid), column(f, name), &cell);
    assert_string_equal(cell.text, text);
    assert_string_equal(role_name(cell.role), role_name(role));
    size_t length = strlen(text);
    assert_int_equal(cell.marked, length && text[length - 1] == '~');
}
