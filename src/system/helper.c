#include "system/helper.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { REFUSED = 78 }; /* exit status of a helper */

/* ---- its file ---- */

/* Of root, whom everybody trusts, and for nobody else to write. */
static bool is_roots(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_uid == 0 && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Opens the file in a folder, for execveat(2). -1: it is not there, or not to be trusted. */
static int open_in(const char *folder, const char *name)
{
    AUTO_CLOSE int in = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int fd = in >= 0 ? openat(in, name, O_PATH | O_CLOEXEC) : -1;
    if (fd < 0 || !privilege_secure() || (is_roots(in) && is_roots(fd)))
        return fd;
    close(fd);
    return -1;
}

/* The copy in this program, as a file in memory. -1 with errno. */
static int open_copy(const char *name)
{
    enum { EXECUTABLE = 0x10 }; /* MFD_EXEC, since Linux 6.3 */
    const struct helper_copy *copy = helper_copies;
    while (copy && copy->name && strcmp(copy->name, name) != 0)
        copy++;
    errno = ENOENT;
    if (!copy || !copy->name)
        return -1;
    int fd = memfd_create(name, MFD_CLOEXEC | EXECUTABLE);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(name, MFD_CLOEXEC);
    for (const char *at = copy->begin; fd >= 0 && at < copy->end;) {
        ssize_t written = write(fd, at, (size_t)(copy->end - at));
        if (written < 0) {
            file_close(fd);
            return -1;
        }
        at += written;
    }
    return fd;
}

/* -1 with errno. */
static int open_helper(const char *name)
{
    static const char *const beside[] = {"/", "/../libexec/countertop"};
    AUTO_FREE char *program = home_program();
    int fd = -1;
    for (size_t i = 0; program && fd < 0 && i < sizeof(beside) / sizeof(*beside); i++) {
        AUTO_FREE char *folder = mem_printf("%s%s", program, beside[i]);
        fd = open_in(folder, name);
    }
    fd = fd < 0 ? open_in(LIBEXECDIR, name) : fd;
    return fd < 0 ? open_copy(name) : fd;
}

/* ---- its environment ---- */

static bool is_wanted(const char *variable, const char *const *names)
{
    while (names && *names && !str_starts(variable, *names))
        names++;
    return names && *names;
}

/* What finds its libraries, options of sanitizers, and what the command says. Its texts are those
 * of the environments. */
static char **environment_for(const struct helper_command *command)
{
    static const char *const usual[] = {
        "LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", NULL};
    bool other = command->user && geteuid() == 0;
    char **from[] = {environ, command->environment}, **made = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0; i < 2 && !other; i++)
        for (char **variable = from[i]; variable && *variable; variable++)
            if (is_wanted(*variable, i == 0 ? usual : command->variables)) {
                mem_grow(&made, &room, count + 2, sizeof(*made));
                made[count++] = *variable;
            }
    mem_grow(&made, &room, count + 1, sizeof(*made)); /* ends with NULL */
    return made;
}

/* ---- its start ---- */

struct start {
    const struct helper_command *command;
    char *const *words;
    char **environment;
    int file, socket;
    int error; /* with which it failed */
};

/* Makes descriptors 0 to HELPER_FILES and those of the command; the file comes behind them. */
static bool place_files(const struct start *start)
{
    const struct helper_command *command = start->command;
    int kept[HELPER_FILES_MAX + 2], places = HELPER_FILES + (int)command->count;
    size_t count = command->count + 2;
    kept[0] = start->socket;
    kept[1] = start->file;
    for (size_t i = 0; i < command->count; i++)
        kept[2 + i] = command->files[i];
    file_close_from(0, kept, count);
    /* First out of the way of each other. */
    for (size_t i = 0; i < count; i++)
        kept[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, places + 1);
    /* Standard input, which is closed now, comes last. */
    bool good = open("/dev/null", O_RDWR) == STDIN_FILENO &&
                dup2(STDIN_FILENO, STDOUT_FILENO) >= 0 && dup2(STDIN_FILENO, STDERR_FILENO) >= 0 &&
                dup2(kept[0], STDIN_FILENO) >= 0 && dup3(kept[1], places, O_CLOEXEC) >= 0;
    for (int i = 0; i < (int)command->count; i++)
        good = good && dup2(kept[2 + i], HELPER_FILES + i) >= 0;
    return good;
}

/* Between vfork(2) and execve(2): only calls that are safe there, and none that changes memory that
 * this program uses. */
static _Noreturn void become_helper(struct start *start)
{
    static const struct sigaction usual = {.sa_handler = SIG_DFL};
    sigset_t none;
    bool good = place_files(start);
    for (int number = 1; number < _NSIG; number++)
        sigaction(number, &usual, NULL);
    /* The other user may trace it then: it has no terminal, and shows no folder. */
    good = good && setsid() >= 0 && (!start->command->user || chdir("/") == 0);
    if (good && privilege_leave(start->command->user)) {
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        syscall(SYS_execveat, HELPER_FILES + (int)start->command->count, "", start->words,
                start->environment, AT_EMPTY_PATH);
    }
    start->error = errno ? errno : EIO;
    _exit(REFUSED);
}

/* Like fork(2). */
static pid_t start_apart(struct start *start)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler runs in memory of both */
    pid_t pid = vfork();
    if (pid == 0)
        become_helper(start);
    if (pid < 0)
        start->error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

int helper_start(struct helper *helper, const struct helper_command *command, struct err *err)
{
    char *words[] = {(char *)command->name, (char *)COUNTERTOP_VERSION, NULL};
    struct start start = {
        .command = command, .words = words, .environment = environment_for(command)};
    int ends[2] = {-1, -1};
    start.file = open_helper(command->name);
    *helper = (struct helper){0, -1};
    if (start.file < 0 || socketpair(AF_UNIX, command->type | SOCK_CLOEXEC, 0, ends) < 0) {
        start.error = errno;
    } else {
        start.socket = ends[1];
        *helper = (struct helper){start_apart(&start), ends[0]};
        close(ends[1]);
    }
    file_close(start.file);
    free(start.environment);
    if (start.error == 0)
        return 0;
    if (helper->pid > 0)
        helper_end(helper);
    else
        file_close(helper->socket);
    return err_set(err, "cannot start '%s', which is installed in %s: %s", command->name,
                   LIBEXECDIR, err_reason(start.error));
}

int helper_end(struct helper *helper)
{
    int status = 0;
    /* -1: the kernel has reaped it for a program that was started with SIGCHLD ignored. */
    if (waitpid(helper->pid, &status, WNOHANG) == 0) {
        kill(helper->pid, SIGKILL);
        while (waitpid(helper->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(helper->socket);
    *helper = (struct helper){0, -1};
    return status;
}

bool helper_refused(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == REFUSED;
}

/* ---- in the helper ---- */

void helper_begin(int argc, char **argv, int type)
{
    static const struct rlimit none = {0, 0};
    const char *name = argc > 0 ? argv[0] : "countertop", *slash = strrchr(name, '/');
    const char *why = NULL;
    int family = 0, found = 0;
    socklen_t size = sizeof(family);
    name = slash ? slash + 1 : name;
    getsockopt(STDIN_FILENO, SOL_SOCKET, SO_DOMAIN, &family, &size);
    getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &found, &size);
    if (privilege_any())
        why = "it must have no capability, and has some";
    else if (family != AF_UNIX || found != type)
        why = "its standard input is no socket to countertop";
    else if (argc != 2 || strcmp(argv[1], COUNTERTOP_VERSION) != 0)
        why = "it is part of countertop " COUNTERTOP_VERSION;
    if (why) {
        fprintf(stderr, "%s: %s: countertop starts it\n", name, why);
        exit(REFUSED);
    }
    prctl(PR_SET_NAME, name); /* of a file by its descriptor the kernel has none */
    setrlimit(RLIMIT_CORE, &none);
}

void helper_ignore_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        signal(ignored[i], SIG_IGN);
}
