#include "system/output_of.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The environment with the locale C; the caller frees it, but not its texts. */
static char **plain_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **plain = mem_array(count + 2, sizeof(*plain));
    for (size_t i = 0; i < count; i++)
        if (!str_starts(environ[i], "LC_ALL="))
            plain[kept++] = environ[i];
    plain[kept] = (char *)"LC_ALL=C";
    return plain;
}

/* Starts it with no signal blocked or ignored. An error number; 0: it runs. */
static int start_program(pid_t *pid, char *const *words, int input, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char **environment = plain_environment();
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(pid, words[0], &actions, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return error;
}

int output_of(char *const *words, int input, size_t limit, struct str *output, struct err *err)
{
    enum { CHUNK = 1 << 14 };
    int ends[2], status = 0, error;
    char chunk[CHUNK];
    pid_t pid;
    ssize_t got;
    size_t added = 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, "cannot run '%s': %s", words[0], strerror(errno));
    error = start_program(&pid, words, input, ends[1]);
    close(ends[1]);
    while (error == 0 && added < limit &&
           ((got = read(ends[0], chunk, sizeof(chunk))) > 0 || (got < 0 && errno == EINTR))) {
        str_add_n(output, chunk, got > 0 ? (size_t)got : 0);
        added += got > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    if (error != 0)
        return err_set(err, "cannot run '%s': %s", words[0], strerror(error));
    if (added >= limit)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (added < limit && status != 0)
        return err_set(err, "'%s' failed", words[0]);
    return 0;
}
