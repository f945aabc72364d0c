#include "code/line_child.h"
#include "base/mem.h"
#include "base/socket.h"
#include "code/line_dwarf.h"
#include "system/privilege.h"
#include "system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

/* argv[0] of the child. */
static const char LINE_CHILD[] = "countertop-lines";

enum { TEXT_MAX = 16 << 20, NICE = 10 };

/* From the parent, with the descriptors of the files if it opens some. */
struct line_request {
    uint64_t start, size; /* of a function; size 0: files are opened */
};

/* From the child, and then that many bytes of text. */
struct line_answer {
    uint32_t found; /* debug information */
    uint32_t length;
};

/* ---- both sides ---- */

/* False at the end, or after an error. */
enum { FILES = 2 };
union file_control {
    char bytes[CMSG_SPACE(FILES * sizeof(int))];
    struct cmsghdr align;
};

/* ---- the child ---- */

/* Takes a request; *files are -1, or the descriptors that came with it. */
static bool line_take_request(struct line_request *request, int files[FILES])
{
    union file_control control;
    struct iovec part = {request, sizeof(*request)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t got;
    files[0] = files[1] = -1;
    do
        got = recvmsg(STDIN_FILENO, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != sizeof(*request))
        return false;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
        memcpy(files, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    return true;
}

bool line_child_is(int argc, char **argv)
{
    return argc == 1 && strcmp(argv[0], LINE_CHILD) == 0;
}

int line_child_main(void)
{
    struct line_dwarf *dwarf = NULL;
    struct line_request request;
    int files[FILES], open_files[FILES] = {-1, -1};
    struct str text;
    bool good = true;
    str_init(&text);
    prctl(PR_SET_NAME, "countertop-line");
    while (good && line_take_request(&request, files)) {
        str_clear(&text);
        if (request.size > 0 && dwarf) {
            line_dwarf_read(dwarf, request.start, request.size, &text);
        } else if (request.size == 0) {
            line_dwarf_close(dwarf);
            for (int i = 0; i < FILES; i++) {
                if (open_files[i] >= 0)
                    close(open_files[i]);
                open_files[i] = files[i];
            }
            dwarf = line_dwarf_open(files[0], files[1]);
        }
        if (text.length > TEXT_MAX)
            str_clear(&text);
        struct line_answer answer = {dwarf != NULL, (uint32_t)text.length};
        good = socket_send(STDIN_FILENO, &answer, sizeof(answer)) &&
               socket_send(STDIN_FILENO, text.text, text.length);
    }
    line_dwarf_close(dwarf);
    str_release(&text);
    return EXIT_SUCCESS;
}

/* ---- the parent ---- */

/* Half of the machine's memory, at most 4 GiB; files that are mapped count, too. */
static rlim_t memory_limit(void)
{
    enum { PARTS = 2 };
    static const rlim_t MOST = (rlim_t)4 << 30;
    struct sysinfo info;
    rlim_t limit = sysinfo(&info) == 0 ? (rlim_t)info.totalram * info.mem_unit / PARTS : MOST;
    return limit < MOST ? limit : MOST;
}

/* The sanitizers reserve more addresses than any limit allows. */
#if defined(__SANITIZE_ADDRESS__)
static const bool limited = false;
#elif defined(__has_feature)
static const bool limited = !__has_feature(address_sanitizer);
#else
static const bool limited = true;
#endif

/* In the child, between fork(2) and execve(2): only calls that are safe there. */
static void become_line_child(int socket, rlim_t memory, char **environment)
{
    static const int restored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
    char *words[] = {(char *)LINE_CHILD, NULL};
    struct rlimit none = {0, 0}, most = {memory, memory};
    sigset_t empty;
    for (size_t i = 0; i < sizeof(restored) / sizeof(*restored); i++)
        signal(restored[i], SIG_DFL);
    setpgid(0, 0); /* keys that end the program are not for it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    privilege_drop();
    setrlimit(RLIMIT_CORE, &none);
    if (limited)
        setrlimit(RLIMIT_AS, &most);
    (void)!nice(NICE);
    int null = open("/dev/null", O_WRONLY);
    if (dup2(socket, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        _exit(EXIT_FAILURE);
    close_range(STDERR_FILENO + 1, ~0u, 0);
    sigemptyset(&empty);
    pthread_sigmask(SIG_SETMASK, &empty, NULL);
    execve("/proc/self/exe", words, environment);
    _exit(EXIT_FAILURE);
}

int line_child_start(struct line_child *child, struct err *err)
{
    int ends[2];
    size_t count = 0, kept = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return err_set(err, "cannot start a process: %s", strerror(errno));
    while (environ[count])
        count++;
    char **environment = mem_array(count + 1, sizeof(*environment));
    for (size_t i = 0; i < count; i++)
        if (!str_starts(environ[i], "DEBUGINFOD_")) /* libdw would ask servers */
            environment[kept++] = environ[i];
    rlim_t memory = memory_limit();
    pid_t pid = fork();
    if (pid == 0)
        become_line_child(ends[1], memory, environment);
    int error = errno;
    close(ends[1]);
    free(environment);
    if (pid < 0) {
        close(ends[0]);
        return err_set(err, "cannot start a process: %s", strerror(error));
    }
    *child = (struct line_child){pid, ends[0]};
    return 0;
}

int line_child_end(struct line_child *child)
{
    int status = 0;
    kill(child->pid, SIGKILL);
    close(child->socket);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    *child = (struct line_child){0, -1};
    return status;
}

/* The head of the answer to the last request. */
static int take_answer(struct line_child *child, struct line_answer *answer)
{
    return socket_receive(child->socket, answer, sizeof(*answer)) && answer->length <= TEXT_MAX
               ? 0
               : -1;
}

int line_child_open(struct line_child *child, int fd, int debug, bool *found)
{
    struct line_request request = {0, 0};
    struct line_answer answer;
    union file_control control = {{0}};
    struct iovec part = {&request, sizeof(request)};
    size_t size = (debug >= 0 ? 2 : 1) * sizeof(int);
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), (int[FILES]){fd, debug}, size);
    if (sendmsg(child->socket, &message, MSG_NOSIGNAL) != sizeof(request) ||
        take_answer(child, &answer) < 0 || answer.length > 0)
        return -1;
    *found = answer.found;
    return 0;
}

int line_child_read(struct line_child *child, uint64_t start, uint64_t size, struct str *text)
{
    struct line_request request = {start, size};
    struct line_answer answer;
    if (!socket_send(child->socket, &request, sizeof(request)) || take_answer(child, &answer) < 0)
        return -1;
    char *bytes = mem_alloc(answer.length + 1);
    bool good = socket_receive(child->socket, bytes, answer.length);
    if (good)
        str_add_n(text, bytes, strlen(bytes));
    free(bytes);
    return good ? 0 : -1;
}

uint64_t line_child_memory(pid_t pid)
{
    char text[128];
    unsigned long long all, resident;
    if (procfs_read(pid, 0, "statm", text, sizeof(text)) < 0 ||
        sscanf(text, "%llu %llu", &all, &resident) != 2)
        return 0;
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}
