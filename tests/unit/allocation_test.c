/* What a refresh of many rows costs. This program has a base/mem of its own, which counts. */
#include "viewed.h"

#include "view/marks.h"

#include <time.h>

static size_t allocations;

void *mem_array(size_t count, size_t size)
{
    allocations++;
    return calloc(count ? count : 1, size ? size : 1);
}

void *mem_alloc(size_t size)
{
    return mem_array(1, size);
}

void *mem_resize(void *old, size_t count, size_t size)
{
    allocations++;
    return reallocarray(old, count ? count : 1, size ? size : 1);
}

char *mem_strndup(const char *text, size_t length)
{
    allocations++;
    return strndup(text, length);
}

char *mem_strdup(const char *text)
{
    return text ? mem_strndup(text, strlen(text)) : NULL;
}

char *mem_printf(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    allocations++;
    assert_true(vasprintf(&text, format, args) >= 0);
    va_end(args);
    return text;
}

void mem_free_local(void *pointer)
{
    free(*(void **)pointer);
}

void mem_grow(void *items, size_t *room, size_t need, size_t size)
{
    void **pointer = items;
    size_t before = *room;
    if (need <= before)
        return;
    *room = before * 2 > need ? before * 2 : need;
    *pointer = mem_resize(*pointer, *room, size);
    memset((char *)*pointer + before * size, 0, (*room - before) * size);
}

char *mem_vprintf(const char *format, va_list args)
{
    char *text = NULL;
    assert_true(vasprintf(&text, format, args) >= 0);
    return text;
}

/* Nothing here has a listing or symbols. */
void mem_sort(void *items, size_t count, size_t size)
{
    fail_msg("%zu of %zu bytes at %p are sorted", count, size, items);
}

size_t mem_after(const void *items, size_t count, size_t size, uint64_t number)
{
    fail_msg("%d is looked for in %zu of %zu bytes at %p", (int)number, count, size, items);
    return count;
}

enum { MANY = 30000 };

static void add(struct row **rows, size_t *count, struct frame *frame, pid_t pid, pid_t tid)
{
    struct row *row = &(*rows)[(*count)++];
    *row =
        handmade_task(frame, handmade_row(frame, (uint64_t[]){(uint64_t)tid * 7919 % 1000, 7, 0}));
    row->id = (uint64_t)tid + (pid == tid && rows == &frame->processes ? MANY * 10 : 0);
    row->pid = pid;
    row->tid = tid;
    row->ppid = pid / 30;
    row->oncpu = tid % 100 == 0 ? (double)(tid * 7919 % 1000) / 1000 : 0;
    row->ran = row->oncpu > 0;
    row->threads = 10;
    snprintf(row->comm, sizeof(row->comm), "worker-%d", tid * 7919 % 100);
}

/* 3,000 processes of ten threads, of which one in 100 runs. */
static struct frame *many(struct event_set *set)
{
    struct frame *frame = handmade_frame(event_set_share(set));
    frame->threads = mem_array(MANY, sizeof(*frame->threads));
    frame->processes = mem_array(MANY, sizeof(*frame->processes));
    for (pid_t tid = 1; tid <= MANY; tid++) {
        pid_t pid = (tid - 1) / 10 * 10 + 1;
        add(&frame->threads, &frame->thread_count, frame, pid, tid);
        if (pid == tid)
            add(&frame->processes, &frame->process_count, frame, pid, pid);
    }
    return frame;
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The best of some refreshes, ms. It is told, so that one sees what changes; the bound is for
 * what is not linear, also with sanitizers and beside other work. */
static void refresh(struct fixture *f, struct frame *frame, const char *what)
{
    enum { TIMES = 5 };
    double best = 1e9;
    view_apply(f->view); /* now there is room */
    view_set_frame(f->view, frame);
    for (int i = 0; i < TIMES; i++) {
        double before = cpu_seconds();
        size_t allocated = allocations;
        frame->seq++;
        view_set_frame(f->view, frame);
        assert_int_equal(allocations, allocated);
        double took = (cpu_seconds() - before) * 1e3;
        if (took < best)
            best = took;
    }
    print_message("%zu rows, %s: %.1f ms\n", view_rows(f->view), what, best);
    assert_true(best < 500);
}

static void a_refresh_allocates_nothing(void **state)
{
    struct fixture *f = *state;
    struct frame *frame = many(f->frame->events);
    struct view_settings *settings = settings_of(f->view);
    settings->threads = settings->idle = true;
    view_set_frame(f->view, frame);
    assert_int_equal(view_rows(f->view), MANY);
    refresh(f, frame, "by %CPU");
    assert_int_equal(view_sort_by(f->view, "ipc", false, NULL), 0);
    refresh(f, frame, "by IPC");
    assert_int_equal(view_sort_by(f->view, "command", false, NULL), 0);
    refresh(f, frame, "by name");
    watch_add_processes(&settings->highlight, "worker-1", NULL);
    watch_add_user(&settings->watch, (uid_t)-1);
    refresh(f, frame, "of a user, by name");
    settings_of(f->view)->sticky = true;
    refresh(f, frame, "with those that ended");
    settings->tree = true;
    refresh(f, frame, "as a tree");
    view_fold_all(f->view, true);
    refresh(f, frame, "as a folded tree");
    assert_true(f->asked == 0); /* what /proc knows is for cells */
    view_set_frame(f->view, NULL);
    frame_free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_refresh_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
