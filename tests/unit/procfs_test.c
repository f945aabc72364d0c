#include "base/mem.h"
#include "system/kernel_times.h"
#include "system/procfs.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int setup(void **state)
{
    return setenv("COUNTERTOP_ROOT", "tests/data/tasks", 1);
}

static void expect_task(pid_t pid, pid_t tid, struct procfs_task expected)
{
    struct procfs_task task;
    memset(&task, 0xff, sizeof(task));
    assert_int_equal(procfs_task(pid, tid, &task), 0);
    assert_int_equal(task.pid, expected.pid);
    assert_int_equal(task.tid, expected.tid);
    assert_int_equal(task.ppid, expected.ppid);
    assert_string_equal(task.comm, expected.comm);
    assert_int_equal(task.state, expected.state);
    assert_int_equal(task.exiting, expected.exiting);
    assert_int_equal(task.threads, expected.threads);
    assert_int_equal(task.start, expected.start);
    assert_int_equal(task.cpu, expected.cpu);
    assert_int_equal(task.time, expected.time);
    assert_int_equal(task.waited, expected.waited);
}

static void stat_lines(void **state)
{
    expect_task(
        42, 0,
        (struct procfs_task){42, 42, 1, "a) S (x y) b", 'S', false, 3, 98765, 5, 0, 460000000, 0});
    expect_task(
        42, 42,
        (struct procfs_task){42, 42, 1, "a) S (x y) b", 'S', false, 3, 98765, 5, 0, 460000000, 0});
    expect_task(
        42, 43,
        (struct procfs_task){42, 43, 1, "worker", 'R', false, 3, 98765, 5, 0, 460000000, 0});
    /* Kernel workers have longer names there: cut to what fits. */
    expect_task(
        7, 0,
        (struct procfs_task){7, 7, 2, "kworker/0:1-mm_", 'I', false, 1, 77, 0, 0, 10000000, 0});
    struct procfs_task task;
    assert_int_equal(procfs_task(8, 0, &task), -1);
    assert_int_equal(procfs_task(9, 0, &task), -1);
    assert_int_equal(procfs_task(10, 0, &task), -1);
    assert_int_equal(procfs_task(42, 44, &task), -1);
}

static void add_cpu(void *ctx, const struct cpu_load *cpu)
{
    char *text = ctx;
    snprintf(text + strlen(text), 400 - strlen(text), "%d", cpu->cpu);
    for (size_t i = 0; i < CPU_TIMES; i++) {
        uint64_t time;
        if (kernel_times_get(&cpu->kernel_times, i, &time))
            snprintf(text + strlen(text), 400 - strlen(text), " %s=%llu",
                     kernel_times_of_cpu[i].column, (unsigned long long)time);
    }
    strcat(text, ",");
}

static void each_cpu(void **state)
{
    char text[400] = "";
    struct err err;
    int file = -1;
    assert_int_equal(procfs_each_cpu(&file, add_cpu, text, &err), 0);
    assert_string_equal(
        text,
        /* steal is busy, guests are in user */
        "0 total=113147850000000 busy=30580000000 kernel=18800000000"
        " steal=120000000 irq=1270000000 softirq=3120000000,"
        "3 total=100000000 busy=60000000 kernel=30000000,"      /* an old kernel */
        "4 total=1000000000 busy=200000000 kernel=100000000,"); /* no time is so long */
    *text = '\0';
    assert_int_equal(procfs_each_cpu(&file, add_cpu, text, &err), 0); /* again */
    assert_string_equal(strrchr(strchr(text, '3'), '4'),
                        "4 total=1000000000 busy=200000000 kernel=100000000,");
    close(file);
    file = -1;
    *text = '\0';
    assert_int_equal(procfs_each_queue(&file, add_cpu, text, &err), 0);
    assert_string_equal(text, "0 queue=7000000000,3 queue=12,"); /* the third line is cut */
    close(file);
    file = -1;
    setenv("COUNTERTOP_ROOT", "tests/data/hardened", 1);
    assert_int_equal(procfs_each_cpu(&file, add_cpu, text, &err), -1);
    assert_string_equal(err.text, "cannot read '/proc/stat': No such file or directory");
    setup(state);
}

static void what_lives(void **state)
{
    assert_true(procfs_lives(&(struct procfs_task){.state = 'S', .threads = 1}));
    assert_true(procfs_lives(&(struct procfs_task){.state = 'Z', .threads = 2}));
    assert_false(procfs_lives(&(struct procfs_task){.state = 'Z', .threads = 1}));
    assert_false(procfs_lives(&(struct procfs_task){.state = 'Z', .threads = 0}));
    assert_false(procfs_lives(&(struct procfs_task){.state = 'X', .threads = 1}));
}

static void what_ends(void **state)
{
    struct procfs_task task;
    siginfo_t info;
    unsetenv("COUNTERTOP_ROOT");
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(procfs_task(child, 0, &task), 0);
    assert_true(task.exiting);
    assert_int_equal(procfs_task(getpid(), 0, &task), 0);
    assert_false(task.exiting);
    waitpid(child, NULL, 0);
    setup(state);
}

static void cpu_times(void **state)
{
    uint64_t time = 1;
    assert_true(procfs_cpu_time(42, 42, &time));
    assert_int_equal(time, 123456789);
    assert_true(procfs_cpu_time(42, 0, &time));  /* the other is of its first thread alone */
    assert_int_equal(time, 460000000);           /* at 100 clock ticks a second */
    assert_true(procfs_cpu_time(42, 43, &time)); /* it has no schedstat */
    assert_int_equal(time, 460000000);           /* at 100 clock ticks a second */
    assert_false(procfs_cpu_time(8, 0, &time));
}

static void owners_and_processes(void **state)
{
    struct stat directory;
    assert_int_equal(stat("tests/data/tasks/proc/42", &directory), 0);
    assert_int_equal(procfs_uid(42, 0), directory.st_uid);
    assert_int_equal(procfs_uid(42, 43), directory.st_uid);
    assert_int_equal(procfs_uid(5, 0), (uid_t)-1);
    assert_int_equal(procfs_process_of(43), 42);
    assert_int_equal(procfs_process_of(42), 42);
    assert_int_equal(procfs_process_of(8), -1);
}

static void names(void **state)
{
    char comm[16];
    assert_true(procfs_comm(42, 0, comm));
    assert_string_equal(comm, "a) S (x y) b)");
    assert_true(procfs_comm(42, 43, comm));
    assert_string_equal(comm, "worker");
    assert_true(procfs_comm(7, 0, comm));
    assert_string_equal(comm, "kworker/0:1-mm_");
    assert_false(procfs_comm(8, 0, comm));
}

static void command_lines(void **state)
{
    AUTO_FREE char *line = procfs_cmdline(42);
    assert_string_equal(line, "/usr/bin/prog --name=\xc3\xa4 ?[31mred?line bad?? ?m");
    assert_null(procfs_cmdline(7));
    assert_null(procfs_cmdline(8));
}

static bool has(const struct pid_list *list, pid_t pid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->pids[i] == pid)
            return true;
    return false;
}

static void lists(void **state)
{
    struct pid_list list = {0};
    assert_int_equal(procfs_processes(&list), 0);
    assert_int_equal(list.count, 5);
    assert_true(has(&list, 7) && has(&list, 8) && has(&list, 9) && has(&list, 42) &&
                has(&list, 43));
    list.count = 0;
    assert_int_equal(procfs_threads(42, &list), 0);
    assert_int_equal(list.count, 2);
    assert_true(has(&list, 42) && has(&list, 43));
    assert_int_equal(procfs_threads(44, &list), -1);
    assert_int_equal(procfs_processes(&list), 0);
    assert_int_equal(list.count, 7); /* added to those that it has */
    free(list.pids);
}

static void families(void **state)
{
    unsetenv("COUNTERTOP_ROOT");
    int gate[2];
    char c;
    assert_int_equal(pipe(gate), 0);
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        close(gate[1]);
        while (read(gate[0], &c, 1) > 0) /* until the test is through */
            ;
        if (grandchild > 0)
            waitpid(grandchild, NULL, 0);
        _exit(0);
    }
    struct pid_list list = {0};
    do
        assert_int_equal(procfs_family(getpid(), &list), 0);
    while (list.count < 3);
    assert_int_equal(list.count, 3);
    assert_true(has(&list, child) && has(&list, getpid()));
    pid_t grandchild = 0;
    for (size_t i = 0; i < list.count; i++)
        if (list.pids[i] != child && list.pids[i] != getpid())
            grandchild = list.pids[i];
    free(list.pids);
    assert_true(procfs_descends(grandchild, getpid()));
    assert_true(procfs_descends(grandchild, child));
    assert_true(procfs_descends(child, getpid()));
    assert_false(procfs_descends(child, grandchild));
    assert_false(procfs_descends(child, child));
    assert_true(procfs_same_program(child, getpid()));
    assert_false(procfs_same_program(child, getppid()));
    struct procfs_glance first, second;
    assert_true(procfs_glance(child, &first) && procfs_glance(child, &second));
    assert_int_equal(first.owner, geteuid());
    assert_int_equal(first.inode, second.inode);
    assert_true(procfs_glance(grandchild, &second));
    assert_int_not_equal(first.inode, second.inode);
    close(gate[0]);
    close(gate[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(procfs_glance(child, &first));
    assert_false(procfs_same_program(child, getpid()));
}
