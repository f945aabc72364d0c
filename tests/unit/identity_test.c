#include "base/str.h"
#include "fuzz/tree.h"
#include "unit/test.h"
#include "view/detail.h"

/* A thread in state D that has waited for 150 ticks. */
static bool told_word(void *ctx, pid_t pid, pid_t tid, const char *file, const char *after, int n,
                      char *word, size_t size)
{
    const char *wchan = ctx;
    (void)pid, (void)tid, (void)after;
    if (str_equal(file, "wchan"))
        return snprintf(word, size, "%s", wchan) > 0;
    if (!str_equal(file, "stat") || (n != STAT_STATE && n != STAT_THREADS && n != STAT_BLOCK_DELAY))
        return false;
    return snprintf(word, size, "%s", n == STAT_STATE ? "D" : n == STAT_THREADS ? "2" : "150") > 0;
}

/* For root. */
static bool told_delays(void *ctx, pid_t pid, pid_t tid, double *block, double *swapin)
{
    (void)ctx, (void)pid;
    *block = tid ? 1.5 : 4;
    *swapin = 0.25;
    return true;
}

static void expect_state(const char *wchan, bool thread, bool root, const char *expected)
{
    struct view_lookup lookup = {
        .ctx = (void *)wchan, .word = told_word, .delays = root ? told_delays : NULL};
    struct view_settings settings = {0};
    struct frame frame = {0};
    struct view_context context = {.frame = &frame, .lookup = &lookup, .settings = settings};
    struct row row = {.pid = 7, .tid = 8, .process = thread};
    struct detail *detail = detail_new(false);
    identity_read(detail, &context, &row, true);
    assert_string_equal(detail->texts[TEXT_STATE], expected);
    detail_free(detail);
}

static void what_a_thread_waits_for(void **state)
{
    tree_write("/proc/sys/kernel/task_delayacct", "1\n", 2);
    expect_state(
        "folio_wait", true, false,
        "D in folio_wait, waited 1.50 s for block I/O (for swap-in: ask as root), 2 threads");
    expect_state("0", true, false, /* where it waits is not for us to know */
                 "D, waited 1.50 s for block I/O (for swap-in: ask as root), 2 threads");
    expect_state("folio_wait", false, false, "D in folio_wait, 2 threads"); /* of several threads */
    expect_state("0", true, true, "D, waited 1.50 s for block I/O, 0.25 s for swap-in, 2 threads");
    expect_state("0", false, true, "D, waited 4.00 s for block I/O, 0.25 s for swap-in, 2 threads");
    tree_write("/proc/sys/kernel/task_delayacct", "0\n", 2);
    expect_state("0", true, true,
                 "D, 2 threads, waits for block I/O and swap-in not kept"
                 " (sysctl kernel.task_delayacct=1)");
}
