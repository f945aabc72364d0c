/* chaser PROGRAM: tries to trace each new process (ptrace(2), PTRACE_SEIZE), and to open its memory
 * (/proc/PID/mem), from before it exists until it is gone or could be traced. Ends at the end of
 * standard input, and prints "tried N held N lost N later N": processes of the name of PROGRAM's
 * file that were met as copies of it, before they executed something else; those of them that could
 * not be traced or opened then; those that could; and other programs that could. */
#include "work.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AHEAD = 4, SEEN_MAX = 1 << 22, TRIES = 20000 };

static const char *name;
static char program[4096];
static unsigned long tried, lost, later;
static unsigned char seen[SEEN_MAX]; /* by pid: TRIED, DONE */
enum { TRIED = 1, DONE = 2 };

static pid_t last_pid(void)
{
    static int file = -1;
    char text[128];
    if (file < 0)
        file = open("/proc/loadavg", O_RDONLY);
    ssize_t got = pread(file, text, sizeof(text) - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    const char *blank = strrchr(text, ' ');
    return blank ? atoi(blank) : 0;
}

static int read_file(pid_t pid, const char *which, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, which);
    int file = open(path, O_RDONLY);
    ssize_t got = file >= 0 ? read(file, text, size - 1) : -1;
    text[got > 0 ? got : 0] = '\0';
    if (file >= 0)
        close(file);
    return got > 0;
}

/* Whether a process is a copy of the program: it has its name, and so has its parent. What is to
 * become the program is not: traced, it gets no capabilities. */
static int is_copy(pid_t pid)
{
    char text[512], wanted[32];
    snprintf(wanted, sizeof(wanted), "(%.15s) ", name);
    for (int i = 0; i < 2; i++) {
        if (!read_file(pid, "stat", text, sizeof(text)) || !strstr(text, wanted))
            return 0;
        pid = atoi(strstr(text, wanted) + strlen(wanted) + 1);
    }
    return 1;
}

static int is_program(pid_t pid)
{
    char path[64], link[4096];
    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(path, link, sizeof(link) - 1);
    link[length > 0 ? length : 0] = '\0';
    return strcmp(link, program) == 0;
}

/* It could be had; what is it? */
static void taken(pid_t pid, int traced)
{
    int status;
    if (traced && ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0)
        waitpid(pid, &status, __WALL);
    if (is_program(pid))
        lost++;
    else
        later++;
    if (traced)
        ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void chase(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
    for (int i = 0; i < TRIES && !(seen[pid] & DONE); i++) {
        if (!(seen[pid] & TRIED)) {
            if (is_copy(pid)) {
                seen[pid] |= TRIED;
                tried++;
            } else if (kill(pid, 0) == 0 || errno == EPERM) {
                seen[pid] |= DONE; /* another one */
                break;
            } else {
                break; /* not yet there */
            }
        }
        int traced = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
        int error = traced ? 0 : errno, memory = traced ? -1 : open(path, O_RDWR);
        if (traced || memory >= 0)
            taken(pid, traced);
        if (traced || memory >= 0 || error == ESRCH)
            seen[pid] |= DONE;
        if (memory >= 0)
            close(memory);
        if (last_pid() > pid + AHEAD) /* others are more worth it */
            break;
    }
}

int main(int argc, char **argv)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (argc != 2 || !realpath(argv[1], program))
        usage("chaser PROGRAM");
    name = strrchr(program, '/') + 1;
    pid_t before = 0;
    for (unsigned turn = 1; turn % 1024 || poll(&input, 1, 0) == 0; turn++) {
        pid_t last = last_pid();
        if (last < before)
            memset(seen, 0, sizeof(seen)); /* numbers begin again */
        before = last;
        for (pid_t pid = last > 1 ? last - 1 : 1; pid <= last + AHEAD && pid < SEEN_MAX; pid++)
            if (!(seen[pid] & DONE) && pid != getpid())
                chase(pid);
    }
    printf("tried %lu held %lu lost %lu later %lu\n", tried, tried - lost, lost, later);
    return 0;
}
