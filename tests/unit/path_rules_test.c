/* What path rules permit and what they do not. Each test has a process of its own, since there is
 * no way back. */
#include "system/sandbox.h"
#include "unit/in_child.h"
#include "unit/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/path_rules.XXXXXX";

static int begin(void **state)
{
    static const char *const names[] = {"read", "written", "other"};
    if (!mkdtemp(folder) || chdir(folder) < 0 || mkdir("below", 0700) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        int fd = open(names[i], O_WRONLY | O_CREAT, 0600);
        if (fd < 0 || close(fd) < 0)
            return -1;
    }
    return symlink("read", "link");
}

static int end(void **state)
{
    static const char *const names[] = {"read", "written", "other", "link", "below/new"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        unlink(names[i]);
    rmdir("below");
    return rmdir(folder);
}

static bool opens(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd >= 0 && close(fd) == 0;
}

static bool refused(const char *path, int flags)
{
    return !opens(path, flags) && errno == EACCES;
}

static bool of_files(void)
{
    int rules = path_rules_new(false);
    path_rules_add(rules, "link", PATH_READ);
    path_rules_add(rules, "written", PATH_WRITE);
    path_rules_add(rules, "below", PATH_WRITE);
    path_rules_add(rules, "no such file", PATH_WRITE);
    return path_rules_enter(rules) && opens("read", O_RDONLY) && opens("link", O_RDONLY) &&
           refused("read", O_WRONLY) && opens("written", O_RDWR) && refused("other", O_RDONLY) &&
           refused("other", O_WRONLY) && refused("new", O_WRONLY | O_CREAT) &&
           refused("/etc/passwd", O_RDONLY) && refused("/tmp", O_RDONLY) && unlink("other") < 0 &&
           opens("below/new", O_WRONLY | O_CREAT | O_TRUNC) &&
           rename("below/new", "below/newer") == 0 && rename("below/newer", "newer") < 0 &&
           unlink("below/newer") == 0 && mkdir("below/deeper", 0700) < 0;
}

/* What was opened before stays open; programs that are started have the same rules. */
static bool of_programs(void)
{
    char byte;
    int status, before = open("/dev/zero", O_RDONLY | O_CLOEXEC), rules = path_rules_new(false);
    static const char *const paths[] = {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        path_rules_add(rules, paths[i], PATH_EXECUTE);
    if (!path_rules_enter(rules) || read(before, &byte, 1) != 1)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "exec 2>&-; ! cat other && ! touch new", (char *)NULL);
        _exit(EXIT_FAILURE);
    }
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool executes_nothing(void)
{
    int rules = path_rules_new(false);
    path_rules_add(rules, "/", PATH_READ);
    if (!path_rules_enter(rules))
        return false;
    execl("/bin/true", "true", (char *)NULL);
    return errno == EACCES && opens("other", O_RDONLY) && refused("other", O_WRONLY);
}

/* The parent is outside. */
static bool of_others(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int version = path_rules_version(), fd = socket(AF_INET, SOCK_STREAM, 0);
    if (!path_rules_enter(path_rules_new(false)))
        return false;
    bool alone = ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) < 0 && errno == EPERM;
    if (version >= 4)
        alone = alone && bind(fd, (struct sockaddr *)&any, sizeof(any)) < 0 && errno == EACCES;
    if (version >= 6)
        alone = alone && kill(getppid(), 0) < 0 && errno == EPERM;
    return alone && kill(getpid(), 0) == 0;
}

static void with_rules(bool (*test)(void))
{
    if (path_rules_version() == 0) {
        assert_int_equal(path_rules_new(false), -1);
        assert_false(path_rules_enter(-1));
        skip(); /* a kernel without Landlock */
    }
    in_child(test);
}

static void files(void **state)
{
    with_rules(of_files);
}

static void programs(void **state)
{
    with_rules(of_programs);
}

static void no_programs(void **state)
{
    with_rules(executes_nothing);
}

static void others(void **state)
{
    with_rules(of_others);
}
