/* between UID WORD COMMAND [ARGUMENT]...: executes the command as that user, and holds each child
 * of a countertop that still is a copy of it, so between fork(2) and execve(2), at each system call
 * of a list. There another process of the child's user tries to trace it (ptrace(2), PTRACE_SEIZE),
 * and to open what it has in /proc. Prints a line for each:
 *
 *   CALL user UID got WHAT counters N rings N named N
 *
 * WHAT: "-", or what could be had of "trace", "mem", "maps", "environ" and "fd"; then how many of
 * its descriptors are counters, how many of its mappings are rings, and how many of both have the
 * WORD in their name. In the end "self got WHAT" of another process of that user, so that it is
 * seen what can be had where nothing forbids it. Its status is the command's. For root; the lines
 * go to standard error. */
#include "work.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
} calls[] = {
    {SYS_close_range, "close_range"},
    {SYS_dup3, "dup3"},
    {SYS_setsid, "setsid"},
    {SYS_setgroups, "setgroups"},
    {SYS_setresgid, "setresgid"},
    {SYS_setresuid, "setresuid"},
    {SYS_capset, "capset"},
    {SYS_prctl, "prctl"},
    {SYS_read, "read"},
    {SYS_close, "close"},
    {SYS_execve, "execve"},
    {SYS_execveat, "execveat"},
    {SYS_exit_group, "exit_group"},
    {SYS_openat, "openat"},
};
enum { CALLS = sizeof(calls) / sizeof(*calls) };

static const char *const prizes[] = {"trace", "mem", "maps", "environ", "fd"};
enum { PRIZES = sizeof(prizes) / sizeof(*prizes) };

static void become(unsigned user)
{
    check(setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user),
          "setresuid");
}

/* What a process of the user can have of another one: a bit for each prize. */
static int attack(unsigned user, unsigned group, pid_t pid)
{
    int status = 0;
    pid_t attacker = fork();
    if (attacker == 0) {
        int got = 0;
        char path[64];
        check(setgroups(0, NULL) || setresgid(group, group, group) || setresuid(user, user, user),
              "setresuid");
        for (int p = 1; p < PRIZES; p++) {
            snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, prizes[p]);
            got |= open(path, O_RDONLY) >= 0 ? 1 << p : 0;
        }
        if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0)
            got |= 1;
        _exit(got); /* which detaches */
    }
    waitpid(attacker, &status, 0);
    return WEXITSTATUS(status);
}

static void print_prizes(const char *before, int got)
{
    fprintf(stderr, "%s got ", before);
    for (int p = 0, some = 0; p < PRIZES; p++)
        if (got & 1 << p)
            fprintf(stderr, "%s%s", some++ ? "," : "", prizes[p]);
    fprintf(stderr, "%s", got ? "" : "-");
}

/* How many descriptors of a process are links with that text. */
static int count_files(pid_t pid, const char *text)
{
    char path[64], link[4096];
    int count = 0;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);
        link[length > 0 ? length : 0] = '\0';
        count += strstr(link, text) != NULL;
    }
    if (folder)
        closedir(folder);
    return count;
}

static int count_maps(pid_t pid, const char *text)
{
    char path[64], line[8192];
    int count = 0;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        count += strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return count;
}

static long status_of(pid_t pid, const char *key)
{
    char path[64], line[256];
    long value = -1;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    while (file && value < 0 && fgets(line, sizeof(line), file))
        if (strncmp(line, key, strlen(key)) == 0)
            value = strtol(line + strlen(key), NULL, 10);
    if (file)
        fclose(file);
    return value;
}

static void examine(pid_t pid, const char *call, const char *word)
{
    char name[128];
    static const char counter[] = "anon_inode:[perf_event]";
    long user = status_of(pid, "Uid:"), group = status_of(pid, "Gid:");
    snprintf(name, sizeof(name), "%s user %ld", call, user);
    print_prizes(name, attack((unsigned)user, (unsigned)group, pid));
    fprintf(stderr, " counters %d rings %d named %d\n", count_files(pid, counter),
            count_maps(pid, counter), count_files(pid, word) + count_maps(pid, word));
}

/* The command; the listener of its calls goes to the socket. */
static void run_command(unsigned user, char **words, int to)
{
    struct sock_filter filter[2 * CALLS + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {.len = 1, .filter = filter};
    for (int c = 0; c < CALLS; c++) {
        filter[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                             (unsigned)calls[c].number, 0, 1);
        filter[program.len++] =
            (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    become(0);
    long listener =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    check(listener < 0, "seccomp");
    int number = (int)listener; /* which is the same there: pidfd_getfd(2) takes it */
    check(send(to, &number, sizeof(number), 0) < 0, "send");
    become(user);
    execvp(words[0], words);
    perror(words[0]);
    _exit(127);
}

static void executed_by(pid_t pid, char text[PATH_MAX])
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(path, text, PATH_MAX - 1);
    text[length > 0 ? length : 0] = '\0';
}

/* Whether a process is a copy of its parent, and that a countertop. */
static int is_copy(pid_t pid)
{
    char own[PATH_MAX], parents[PATH_MAX];
    executed_by(pid, own);
    executed_by((pid_t)status_of(pid, "PPid:"), parents);
    const char *slash = strrchr(own, '/');
    return slash && strncmp(slash + 1, "countertop", strlen("countertop")) == 0 &&
           strcmp(own, parents) == 0;
}

static void answer(int listener, const char *word)
{
    struct seccomp_notif request = {0};
    struct seccomp_notif_resp response = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
        return;
    pid_t pid = (pid_t)status_of((pid_t)request.pid, "Tgid:");
    const char *name = "";
    for (int c = 0; c < CALLS; c++)
        if (calls[c].number == request.data.nr)
            name = calls[c].name;
    if (pid > 0 && is_copy(pid))
        examine(pid, name, word);
    response.id = request.id;
    response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

int main(int argc, char **argv)
{
    static const char text[] = "between UID WORD COMMAND [ARGUMENT]...";
    int ends[2], status = 0, number_there;
    if (argc < 4)
        usage(text);
    unsigned user = (unsigned)number(argv[1], text);
    check(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0, "socketpair");
    pid_t pid = fork();
    if (pid == 0)
        run_command(user, argv + 3, ends[1]);
    close(ends[1]);
    check(recv(ends[0], &number_there, sizeof(number_there), 0) != sizeof(number_there), "recv");
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    int listener = (int)syscall(SYS_pidfd_getfd, process, number_there, 0);
    check(listener < 0, "pidfd_getfd");
    fcntl(listener, F_SETFD, FD_CLOEXEC);
    /* Ends when no process with the filter is left. */
    for (struct pollfd wait = {.fd = listener, .events = POLLIN};;) {
        if (poll(&wait, 1, -1) > 0 && wait.revents & POLLIN)
            answer(listener, argv[2]);
        else if (wait.revents & (POLLHUP | POLLERR))
            break;
    }
    waitpid(pid, &status, 0);
    pid_t other = fork();
    if (other == 0) {
        become(user);
        execlp("sleep", "sleep", "1000", NULL);
        _exit(127);
    }
    char now[PATH_MAX];
    do
        executed_by(other, now);
    while (strstr(now, "between"));
    print_prizes("self", attack(user, user, other));
    fprintf(stderr, "\n");
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
