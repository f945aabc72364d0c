#include "system/procfs.h"
#include "unit/test.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The state of the task, 0: it is gone. */
static char state_of(struct stat_files *files, pid_t pid, pid_t tid)
{
    char text[1024];
    ssize_t length = stat_files_read(files, pid, tid, text, sizeof(text));
    if (length < 0)
        return 0;
    assert_int_equal(strlen(text), length);
    assert_int_equal(atoi(text), tid ? tid : pid);
    return strrchr(text, ')')[2];
}

static size_t descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    size_t count = 0;
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* A file that stays open tells what is so now. */
static void each_reading_is_of_now(void **state)
{
    struct stat_files files = {0};
    size_t before = descriptors();
    pid_t pid = start();
    for (pid_t tid = 0; tid <= pid; tid += pid) {
        kill(pid, SIGSTOP);
        waitpid(pid, NULL, WUNTRACED);
        assert_int_equal(state_of(&files, pid, tid), 'T');
        size_t open = descriptors();
        assert_int_equal(state_of(&files, pid, tid), 'T');
        assert_int_equal(descriptors(), open);
        kill(pid, SIGCONT);
        waitpid(pid, NULL, WCONTINUED);
        assert_int_not_equal(state_of(&files, pid, tid), 'T');
    }
    end(pid);
    assert_int_equal(state_of(&files, pid, 0), 0);
    assert_int_equal(state_of(&files, pid, pid), 0);
    assert_int_equal(descriptors(), before);
    stat_files_release(&files);
}

/* Few of the descriptors that the program may have are used for this. */
static void few_stay_open(void **state)
{
    enum { LIMIT = 64, CHILDREN = 12 };
    struct stat_files files = {0};
    struct rlimit limit, low;
    getrlimit(RLIMIT_NOFILE, &limit);
    low = limit;
    low.rlim_cur = LIMIT;
    setrlimit(RLIMIT_NOFILE, &low);
    size_t before = descriptors();
    pid_t pids[CHILDREN];
    for (size_t i = 0; i < CHILDREN; i++)
        pids[i] = start();
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < CHILDREN; i++) {
            assert_int_not_equal(state_of(&files, pids[i], 0), 0);
            assert_in_range(descriptors(), before + 1, before + LIMIT / 16);
        }
    for (size_t i = 0; i < CHILDREN; i++)
        end(pids[i]);
    stat_files_release(&files);
    assert_int_equal(descriptors(), before);
    setrlimit(RLIMIT_NOFILE, &limit);
}
