#include "system/child.h"
#include "base/socket.h"
#include "system/procfs.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { OUTPUT_KEPT = 1 << 20, OUTPUT_PART = 1 << 16 }; /* bytes */

/* Exit statuses: POSIX, Shell Command Language, 2.8.2. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

static const uint64_t GRACE = 1000000000; /* ns in which a signalled child may still write */

/* --- In the child --- */

static void take_signals_back(const struct child_heritage *heritage)
{
    if (!heritage->pipe_ignored)
        signal(SIGPIPE, SIG_DFL);
    if (!heritage->size_ignored)
        signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &heritage->blocked, NULL);
}

/* Closes what is closed when the command is executed: until then nobody has this program's counters
 * through its child. */
static void close_own(const struct child_heritage *heritage, int gate)
{
    for (int fd = STDERR_FILENO + 1; fd <= heritage->highest; fd++)
        if (fd != gate && fcntl(fd, F_GETFD) & FD_CLOEXEC)
            close(fd);
    file_close_from(heritage->highest + 1, &gate, 1);
}

/* Becomes the command, in the child. */
static _Noreturn void child_become(const struct child_command *command, int gate, int output)
{
    int null = open("/dev/null", O_RDWR);
    char go = 0;
    struct rusage before;
    if (command->apart)
        setpgid(0, 0);
    if (command->no_input || (command->apart && isatty(STDIN_FILENO)))
        dup2(null, STDIN_FILENO);
    if (command->input)
        dup2(command->input, STDIN_FILENO);
    if (command->no_output)
        dup2(null, STDOUT_FILENO);
    for (int fd = STDOUT_FILENO; command->apart && fd <= STDERR_FILENO; fd++)
        if (isatty(fd))
            dup2(output, fd);
    close_own(command->heritage, gate);
    take_signals_back(command->heritage);
    privilege_drop();
    /* It exits if the parent closes the gate without writing, or dies. */
    if (!socket_send(gate, &go, 1) || !socket_receive(gate, &go, 1))
        _exit(EXIT_FAILURE);
    environ = command->heritage->environment;
    getrusage(RUSAGE_SELF, &before);
    (void)!socket_send(gate, &before, sizeof(before));
    execvp(command->words[0], command->words);
    int error = errno;
    (void)!write(gate, &error, sizeof(error));
    _exit(EXIT_FAILURE);
}

/* --- In the parent --- */

/* The highest number of a descriptor that is open, or a higher one. */
static int highest_descriptor(void)
{
    enum { USUAL = 1023 };
    AUTO_FOLDER DIR *folder = opendir("/proc/self/fd");
    int highest = folder ? 0 : USUAL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (atoi(entry->d_name) > highest)
            highest = atoi(entry->d_name);
    return highest;
}

static bool is_ignored(int signal)
{
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void child_heritage_keep(struct child_heritage *heritage)
{
    sigprocmask(SIG_SETMASK, NULL, &heritage->blocked);
    heritage->pipe_ignored = is_ignored(SIGPIPE);
    heritage->size_ignored = is_ignored(SIGXFSZ);
    heritage->highest = highest_descriptor();
}

struct child *child_start(const struct child_command *command, struct err *err)
{
    enum { TRIES = 1000 };
    static const struct timespec pause = {0, 100000};
    bool apart = command->apart;
    int gate[2] = {-1, -1}, output[2] = {-1, -1};
    struct procfs_task task;
    char ready;
    pid_t pid = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) == 0 &&
        (!apart || pipe2(output, O_CLOEXEC) == 0))
        pid = fork();
    if (pid == 0) {
        close(gate[0]);
        child_become(command, gate[1], output[1]);
    }
    file_close(gate[1]);
    file_close(output[1]);
    if (pid < 0) {
        err_set(err, "cannot start '%.100s': %s", command->words[0], err_reason(errno));
        file_close(gate[0]);
        file_close(output[0]);
        return NULL;
    }
    if (apart)
        setpgid(pid, pid); /* the child does it too: whichever runs first */
    if (output[0] >= 0)
        fcntl(output[0], F_SETFL, O_NONBLOCK);
    /* Waits until the child sleeps at the gate, so that none of its own work is counted. */
    bool lives = recv(gate[0], &ready, 1, 0) == 1;
    for (int i = 0; lives && i < TRIES && procfs_task(pid, 0, &task) == 0 && task.state != 'S'; i++)
        nanosleep(&pause, NULL);
    /* A parent may have left SIGCHLD ignored; then there would be no exit status. */
    signal(SIGCHLD, SIG_DFL);
    struct child *child = mem_alloc(sizeof(*child));
    *child = (struct child){.name = command->words[0],
                            .pid = pid,
                            .apart = apart,
                            .gate = gate[0],
                            .output = output[0],
                            .kept = str_new()};
    return child;
}

static void show_output(struct child *child)
{
    const char *text = child->kept.text;
    size_t length = child->kept.length;
    if (child->cut) {
        printf("countertop: the end of the output of '%.100s':\n", child->name);
        size_t skipped = length > OUTPUT_KEPT ? length - OUTPUT_KEPT : 0;
        const char *line = memchr(text + skipped, '\n', length - skipped);
        skipped = line ? (size_t)(line + 1 - text) : skipped;
        text += skipped;
        length -= skipped;
    }
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

void child_free(struct child *child)
{
    enum { STEP = 20 }; /* ms */
    if (!child)
        return;
    struct pollfd output = {.fd = child->output, .events = POLLIN};
    uint64_t end = clock_monotonic() + GRACE;
    if (child->gate >= 0) {
        kill(child->pid, SIGKILL); /* it may have been stopped */
        close(child->gate);
    } else if (child->apart)
        /* Reads the output of a signalled child for a while: its cleanup must not fail at a full or
         * closed pipe. */
        while (!child_ended(child) && clock_monotonic() < end)
            if (poll(&output, 1, STEP) > 0 && !child_take_output(child))
                output.fd = -1;
    if (child->gate >= 0 || child->ended)
        waitpid(child->pid, NULL, 0);
    while (child_take_output(child))
        if (errno == EAGAIN)
            break;
    show_output(child);
    file_close(child->output);
    str_release(&child->kept);
    free(child);
}

int child_go(struct child *child, struct err *err)
{
    struct {
        struct rusage before;
        int error;
    } told = {0};
    ssize_t got;
    child->began = clock_monotonic();
    /* The child may have been killed. Who was not told waits at the gate, and ends when that is
     * closed. */
    got = socket_send(child->gate, "", 1) ? 0 : -1;
    if (got == 0)
        do
            got = recv(child->gate, &told, sizeof(told), MSG_WAITALL);
        while (got < 0 && errno == EINTR);
    child->before = told.before;
    int error = got < 0 ? errno : told.error;
    close(child->gate);
    child->gate = -1;
    if (!error)
        return 0;
    kill(child->pid, SIGKILL); /* it is no command */
    child->ended = true;
    child->end.si_code = CLD_EXITED;
    child->end.si_status = got <= 0 ? EXIT_FAILURE : error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
    return err_set(err, "cannot start '%.100s': %s", child->name, err_reason(error));
}

bool child_ended(struct child *child)
{
    if (child->ended || child->gate >= 0)
        return child->ended;
    /* Not reaped before child_free: until then /proc has its name. The system call, not waitid(3),
     * tells its resources, too. */
    child->end.si_pid = 0;
    long flags = WEXITED | WNOHANG | WNOWAIT;
    if (syscall(SYS_waitid, P_PID, child->pid, &child->end, flags, &child->usage) == 0 &&
        child->end.si_pid) {
        child->ended = true;
        child->finish = clock_monotonic();
    }
    return child->ended;
}

int child_status(const struct child *child)
{
    return child->end.si_code == CLD_EXITED ? child->end.si_status : 128 + child->end.si_status;
}

double child_seconds(const struct child *child)
{
    return (double)(child->finish - child->began) / 1e9;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

void child_cpu_times(const struct child *child, double *user, double *kernel)
{
    *user = seconds_of(child->usage.ru_utime) - seconds_of(child->before.ru_utime);
    *kernel = seconds_of(child->usage.ru_stime) - seconds_of(child->before.ru_stime);
}

char *child_report(const struct child *child)
{
    double seconds = child_seconds(child);
    int status = child->end.si_status;
    if (child->end.si_code != CLD_EXITED)
        return mem_printf("'%.100s' was ended by signal %d (%s) after %.3g s", child->name, status,
                          strsignal(status), seconds);
    return mem_printf("'%.100s' ended with status %d after %.3g s", child->name, status, seconds);
}

void child_signal(const struct child *child, int number)
{
    if (!child->ended && child->gate < 0)
        kill(child->apart ? -child->pid : child->pid, number);
}

bool child_take_output(struct child *child)
{
    if (child->output < 0)
        return false;
    char part[OUTPUT_PART];
    errno = 0;
    ssize_t got = read(child->output, part, sizeof(part));
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    struct str *kept = &child->kept;
    str_add_n(kept, part, (size_t)got);
    if (kept->length > 2 * OUTPUT_KEPT) {
        memmove(kept->text, kept->text + kept->length - OUTPUT_KEPT, OUTPUT_KEPT);
        kept->length = OUTPUT_KEPT;
        kept->text[kept->length] = '\0';
        child->cut = true;
    }
    return true;
}

static bool is_program(const char *path)
{
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0;
}

static bool is_found(const char *name, char *const *environment)
{
    static const char variable[] = "PATH=";
    const char *path = "";
    if (strchr(name, '/'))
        return is_program(name);
    for (; *environment; environment++)
        if (str_starts(*environment, variable))
            path = *environment + strlen(variable);
    AUTO_FREE char *directories = mem_strdup(path);
    char *rest = directories, *directory;
    while ((directory = strsep(&rest, ":"))) {
        AUTO_FREE char *file = mem_printf("%s/%s", *directory ? directory : ".", name);
        if (is_program(file))
            return true;
    }
    return false;
}

char **words_of(const char *text, char *const *environment)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-+=./:,@%^_ \t";
    size_t count = 0;
    char **words = mem_array(strlen(text) / 2 + 4, sizeof(*words));
    AUTO_FREE char *copy = mem_strdup(text);
    char *rest = copy, *word;
    while ((word = strsep(&rest, " \t")))
        if (*word)
            words[count++] = mem_strdup(word);
    if (count && !text[strspn(text, plain)] && !strchr(words[0], '=') &&
        is_found(words[0], environment))
        return words;
    words_free(words);
    words = mem_array(4, sizeof(*words));
    words[0] = mem_strdup("/bin/sh");
    words[1] = mem_strdup("-c");
    words[2] = mem_strdup(text);
    return words;
}

void words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
