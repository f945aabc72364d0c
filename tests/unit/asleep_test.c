#include "unit/viewed.h"

#include "engine/task_table.h"
#include "front/batch.h"
#include "model/delta.h"
#include "model/totals.h"

#include <math.h>

/* Most tasks sleep, and are not listed, evaluated, sorted and written again. What is shown must be
 * what is shown where nothing is known of that: random work of many tasks, from the table of tasks
 * to the page. */

enum { TASKS = 400, ROUNDS = 40, FIRST_TID = 1000, PER_PROCESS = 7 };

static const uint64_t MILLISECOND = 1000000;

/* What a task did in the interval. */
struct work {
    struct task *task; /* NULL: there is none of that number */
    uint64_t counts[EVENTS], oncpu;
    bool ended, listed;
};

struct crowd {
    struct fixture *fixture;
    struct event_set *set;
    struct task_table_lookup lookup;
    struct task_table table;
    struct delta *delta;
    struct batch kept;
    struct work works[TASKS];
    uint64_t time, random;
};

static unsigned crowd_random(struct crowd *crowd, unsigned below)
{
    crowd->random = crowd->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(crowd->random >> 33) % below;
}

static bool crowd_comm(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE])
{
    (void)ctx, (void)pid;
    snprintf(comm, TASK_COMM_SIZE, "task %d", (int)tid % 11);
    return true;
}

static bool crowd_process(void *ctx, pid_t pid, struct process_info *process)
{
    (void)ctx;
    process->ppid = 1;
    process->uid = pid % 3 ? 101 : 0;
    return true;
}

static bool crowd_alive(void *ctx, pid_t pid, pid_t tid)
{
    (void)ctx, (void)pid, (void)tid;
    return true;
}

static struct event_set *crowd_set(void)
{
    struct event_set *set = handmade_set(EVENTS, names);
    for (int i = CYCLES; i <= INSTRUCTIONS; i++) {
        set->events[i].hardware = true;
        set->events[i].group = 1;
    }
    set->groups = 2;
    return set;
}

static void work_begin(struct crowd *crowd, size_t i)
{
    pid_t tid = FIRST_TID + (pid_t)i, pid = tid - (pid_t)(i % PER_PROCESS);
    crowd->works[i] = (struct work){
        .task = task_table_begin(&crowd->table, pid, tid, crowd->time),
    };
    crowd->works[i].task->cgroup = 1 + i % 3;
}

static void work_run(struct crowd *crowd, struct work *work)
{
    struct task *task = work->task;
    work->oncpu = crowd_random(crowd, 3) ? crowd_random(crowd, 900) * MILLISECOND : 0;
    task->oncpu += work->oncpu;
    for (size_t e = 0; e < EVENTS; e++) {
        work->counts[e] = crowd_random(crowd, 3) ? crowd_random(crowd, 100000) : 0;
        task->counts.value[e] += work->counts[e];
    }
    for (size_t g = 0; g < crowd->set->groups; g++) {
        task->counts.times[g].enabled += work->oncpu;
        task->counts.times[g].running += work->oncpu;
    }
    task_table_touch(&crowd->table, task);
}

/* One interval of all tasks: few of them run, are born, end, or change in their sleep. */
static void crowd_pass(struct crowd *crowd)
{
    crowd->time += 1000 * MILLISECOND;
    for (size_t i = 0; i < TASKS; i++) {
        struct work *work = &crowd->works[i];
        if (work->ended) /* listed twice, then freed */
            *work = (struct work){0};
        memset(work->counts, 0, sizeof(work->counts));
        work->oncpu = 0;
        work->listed = false;
        if (!work->task && crowd_random(crowd, 4) == 0)
            work_begin(crowd, i);
        if (!work->task)
            continue;
        switch (crowd_random(crowd, 40)) {
        case 0:
        case 1:
        case 2:
            work_run(crowd, work);
            break;
        case 3:
            work_run(crowd, work);
            task_table_end(&crowd->table, work->task);
            work->ended = true;
            break;
        case 4:
            task_table_name(work->task, (char[TASK_COMM_SIZE]){"renamed"});
            task_table_touch(&crowd->table, work->task);
            break;
        case 5:
            work->task->cpu = (int)crowd_random(crowd, 4);
            task_table_touch(&crowd->table, work->task);
            break;
        case 6: /* times of an earlier run that are told late */
            work->task->counts.times[1].enabled += MILLISECOND;
            task_table_touch(&crowd->table, work->task);
            break;
        }
    }
}

static struct snapshot *crowd_snapshot(struct crowd *crowd, bool all)
{
    struct snapshot *s = snapshot_new(crowd->set);
    s->generation = 1;
    s->started = 1;
    s->time = crowd->time;
    s->wall = (double)crowd->time / 1e9;
    s->online = TASKS;
    s->cgroups = cgroup_names_new((struct cgroup_name[]){{1, "/one"}, {2, "/two"}}, 2);
    task_table_list(&crowd->table, s, all, NULL, NULL);
    return s;
}

static struct frame *crowd_frame(struct crowd *crowd)
{
    struct snapshot *s = crowd_snapshot(crowd, true);
    struct frame *frame = delta_advance(crowd->delta, s);
    snapshot_free(s);
    return frame;
}

static void page(struct batch *batch, const struct fixture *f, struct view *view)
{
    *batch = (struct batch){.in = {.view = view, .metric_set = &f->metric_set}, .kind = VIEW_TASKS};
    batch->text = str_new();
    batch->common = str_new();
}

static void drop_page(struct batch *batch)
{
    event_set_drop(batch->events);
    event_set_drop(batch->first);
    free(batch->metrics);
    str_release(&batch->text);
    map_free(&batch->lines);
    str_release(&batch->common);
}

typedef int writer(struct batch *batch, const struct session *session, struct err *err);

static const char *write_page(struct batch *batch, struct frame *frame, writer *write)
{
    static const struct session session = {.host = "h", .engine = "cpu", .notice = ""};
    batch->frame = frame;
    str_clear(&batch->text);
    assert_int_equal(write(batch, &session, NULL), 0);
    return batch->text.text;
}

static struct view *new_view(const struct fixture *f, const char *sort, bool reverse)
{
    struct view *view = view_new(&f->metric_set, &f->screens, view_lookup_of(f->view));
    settings_of(view)->idle = settings_of(view)->threads = true;
    if (sort)
        assert_int_equal(view_sort_by(view, sort, reverse, NULL), 0);
    return view;
}

static void crowd_open(struct crowd *crowd, struct fixture *f)
{
    *crowd =
        (struct crowd){.fixture = f, .set = crowd_set(), .delta = delta_new(NULL), .random = 1};
    crowd->lookup = (struct task_table_lookup){
        .comm = crowd_comm, .process = crowd_process, .alive = crowd_alive};
    task_table_init(&crowd->table, &crowd->lookup);
    task_table_count(&crowd->table, crowd->set);
    page(&crowd->kept, f, new_view(f, NULL, false));
    for (size_t i = 0; i < TASKS; i++)
        work_begin(crowd, i);
}

static void crowd_close(struct crowd *crowd)
{
    view_set_frame(crowd->kept.in.view, NULL);
    view_free(crowd->kept.in.view);
    drop_page(&crowd->kept);
    delta_free(crowd->delta);
    task_table_release(&crowd->table);
    event_set_drop(crowd->set);
}

/* Gives each row counts of its own: nothing is known of sleep. Returns them, to be freed after the
 * frame. */
static char *wake(struct row *rows, size_t count, const struct event_set *set)
{
    char *block = mem_array(count, row_sum_size(set)), *place = block;
    for (size_t i = 0; i < count; i++) {
        struct row own = rows[i];
        if (!own.asleep)
            continue;
        own = row_sum_in(place, set);
        place += row_sum_size(set);
        memcpy(own.counts, rows[i].counts, set->count * sizeof(*own.counts));
        memcpy(own.times, rows[i].times, set->groups * sizeof(*own.times));
        rows[i].counts = own.counts;
        rows[i].times = own.times;
        rows[i].asleep = false;
    }
    return block;
}

static void expect_row(const struct row *row, const uint64_t *counts, uint64_t oncpu, bool lives)
{
    bool ran = oncpu > 0;
    for (size_t e = 0; e < EVENTS; e++) {
        assert_int_equal(row->counts[e].value, counts[e]);
        ran |= counts[e] > 0;
    }
    assert_int_equal(llround(row->oncpu * 1e9), oncpu);
    assert_int_equal(row->ran, ran);
    assert_int_equal(row->asleep, !ran && lives);
    for (size_t g = 0; g < 2 && ran; g++)
        assert_int_equal(row->times[g].enabled, oncpu);
    for (size_t e = 0; e < EVENTS; e++)
        assert_true(row->counts[e].coverage == 1);
}

static struct row *process_of(struct frame *frame, const struct row *thread)
{
    for (size_t p = 0; p < frame->process_count; p++)
        if (frame->processes[p].id == thread->process)
            return &frame->processes[p];
    return NULL;
}

/* Each task has one row with what it did, and those of processes and of all are their sums. */
static void every_count_is_accounted_for(void **state)
{
    struct crowd crowd;
    crowd_open(&crowd, *state);
    uint64_t slept = 0;
    frame_free(crowd_frame(&crowd));
    for (int round = 0; round < ROUNDS; round++) {
        crowd_pass(&crowd);
        struct frame *frame = crowd_frame(&crowd);
        uint64_t total[EVENTS] = {0}, of_processes[EVENTS] = {0}, *places;
        uint64_t threads[TASKS] = {0};
        places = mem_array(frame->process_count * (EVENTS + 1), sizeof(*places));
        for (size_t t = 0; t < frame->thread_count; t++) {
            const struct row *row = &frame->threads[t];
            struct work *work = &crowd.works[row->tid - FIRST_TID];
            if (!work->task || work->task->id != row->id) /* its end is listed a second time */
                continue;
            assert_false(work->listed);
            work->listed = true;
            expect_row(row, work->counts, work->oncpu, !work->ended);
            slept += row->asleep;
            assert_string_equal(row->comm, work->task->comm);
            assert_int_equal(row->cpu, work->task->cpu);
            size_t p = (size_t)(process_of(frame, row) - frame->processes);
            threads[p]++;
            for (size_t e = 0; e < EVENTS; e++) {
                total[e] += work->counts[e];
                places[p * (EVENTS + 1) + e] += work->counts[e];
            }
            places[p * (EVENTS + 1) + EVENTS] += work->oncpu;
        }
        for (size_t i = 0; i < TASKS; i++)
            assert_int_equal(crowd.works[i].listed, crowd.works[i].task != NULL);
        for (size_t p = 0; p < frame->process_count; p++) {
            const struct row *row = &frame->processes[p];
            const uint64_t *sums = &places[p * (EVENTS + 1)];
            assert_int_equal(row->threads, threads[p]);
            bool all_asleep = true;
            for (size_t t = 0; t < frame->thread_count; t++)
                all_asleep &= frame->threads[t].process != row->id || frame->threads[t].asleep;
            expect_row(row, sums, sums[EVENTS], all_asleep);
            for (size_t e = 0; e < EVENTS; e++)
                of_processes[e] += row->counts[e].value;
        }
        for (size_t e = 0; e < EVENTS; e++) {
            assert_int_equal(frame->total.counts[e].value, total[e]);
            assert_int_equal(of_processes[e], total[e]);
        }
        free(places);
        frame_free(frame);
    }
    assert_true(slept > ROUNDS * TASKS / 2);
    crowd_close(&crowd);
}

/* The page with kept lines is the one that is written anew from rows that know no sleep. */
static void expect_pages(struct fixture *f, writer *write, bool repeats)
{
    struct crowd crowd;
    crowd_open(&crowd, f);
    for (int round = 0; round < ROUNDS; round++) {
        crowd_pass(&crowd);
        struct frame *frame = crowd_frame(&crowd);
        char *kept = mem_strdup(write_page(&crowd.kept, frame, write));
        char *threads = wake(frame->threads, frame->thread_count, crowd.set);
        char *processes = wake(frame->processes, frame->process_count, crowd.set);
        struct batch anew;
        page(&anew, f, new_view(f, NULL, false));
        const char *page = write_page(&anew, frame, write);
        if (!repeats && round > 0) /* the page begins with what is written once */
            page = strchr(page, '\n') + 1;
        assert_string_equal(kept, page);
        view_free(anew.in.view);
        drop_page(&anew);
        free(kept);
        view_set_frame(crowd.kept.in.view, NULL);
        frame_free(frame);
        free(threads);
        free(processes);
    }
    crowd_close(&crowd);
}

static void pages_are_those_without_sleep(void **state)
{
    expect_pages(*state, text_write, true);
    expect_pages(*state, json_write, false);
    expect_pages(*state, csv_write, false);
}

/* ... and so is the order by any column, in both directions, with a filter, and as a tree. */
static void orders_are_those_without_sleep(void **state)
{
    static const char *const columns[] = {"pid", "tid", "user", "cpu", "cpu_pct", "ipc", "command"};
    enum { COLUMNS = sizeof(columns) / sizeof(*columns), WAYS = 5 };
    struct crowd crowd;
    struct fixture *f = *state;
    crowd_open(&crowd, f);
    struct view *views[COLUMNS][WAYS];
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t w = 0; w < WAYS; w++) {
            views[c][w] = new_view(f, columns[c], w % 2);
            struct view_settings *settings = settings_of(views[c][w]);
            settings->terminal = w == 2;
            settings->tree = w == 3;
            settings->filter = w == 4 ? mem_strdup("ipc < 1 or task 3") : NULL;
        }
    for (int round = 0; round < ROUNDS / 4; round++) {
        crowd_pass(&crowd);
        struct frame *frame = crowd_frame(&crowd);
        uint64_t *ids[COLUMNS][WAYS];
        size_t counts[COLUMNS][WAYS];
        for (size_t c = 0; c < COLUMNS; c++)
            for (size_t w = 0; w < WAYS; w++) {
                struct view *view = views[c][w];
                view_set_frame(view, frame);
                counts[c][w] = view_rows(view);
                ids[c][w] = mem_array(counts[c][w], sizeof(**ids[c]));
                for (size_t r = 0; r < counts[c][w]; r++)
                    ids[c][w][r] = view_row(view, r)->id;
            }
        char *threads = wake(frame->threads, frame->thread_count, crowd.set);
        char *processes = wake(frame->processes, frame->process_count, crowd.set);
        for (size_t c = 0; c < COLUMNS; c++)
            for (size_t w = 0; w < WAYS; w++) {
                struct view *view = views[c][w];
                view_set_frame(view, frame);
                assert_int_equal(view_rows(view), counts[c][w]);
                for (size_t r = 0; r < counts[c][w]; r++)
                    assert_int_equal(view_row(view, r)->id, ids[c][w][r]);
                free(ids[c][w]);
                view_set_frame(view, NULL);
            }
        frame_free(frame);
        free(threads);
        free(processes);
    }
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t w = 0; w < WAYS; w++)
            view_free(views[c][w]);
    crowd_close(&crowd);
}
