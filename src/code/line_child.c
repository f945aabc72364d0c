#include "code/line_child.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/socket.h"
#include "code/image_transfer.h"
#include "code/line_dwarf.h"
#include "code/text_table.h"
#include "system/path_rules.h"
#include "system/privilege.h"
#include "system/procfs.h"
#include "system/sandbox.h"

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
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* argv[0] of the child. */
static const char LINE_CHILD[] = "countertop-lines";

enum { TEXT_MAX = 16 << 20 };

enum line_ask { LINE_OPEN, LINE_READ, STACK_FORGET, STACK_ADD, STACK_UNWIND, IMAGE_READ };

/* From the parent, with the descriptors of the files if it opens some; STACK_UNWIND: then a struct
 * stack_copy and that many bytes. */
struct line_request {
    uint32_t ask;   /* enum line_ask */
    uint32_t space; /* of stacks; enum line_image */
    uint64_t start; /* of a function or file; offset that is wanted of an image */
    uint64_t size;  /* of a function; offset of a file */
};

/* From the child, and then that many bytes of text, or an image (code/image_transfer.h) if one was
 * found; to STACK_UNWIND only a struct stack_frames. */
struct line_answer {
    uint32_t found; /* debug information, or an image */
    uint32_t length;
};

/* ---- the child ---- */

/* The program's main() asks line_child_is() first, so that executing it again ends there. */
static bool executable;

bool line_child_is(int argc, char **argv)
{
    executable = true;
    return argc == 1 && strcmp(argv[0], LINE_CHILD) == 0;
}

/* What the child has opened. */
struct line_work {
    struct line_dwarf *dwarf;
    int files[SOCKET_FILES_MAX]; /* of it */
    struct stack_dwarf *spaces[LINE_CHILD_SPACES];
    unsigned char stack[UINT16_MAX];
};

static void open_files(struct line_work *work, const int files[SOCKET_FILES_MAX])
{
    line_dwarf_close(work->dwarf);
    for (int i = 0; i < SOCKET_FILES_MAX; i++) {
        if (work->files[i] >= 0)
            close(work->files[i]);
        work->files[i] = files[i];
    }
    work->dwarf = line_dwarf_open(files[0], files[1]);
}

static bool answer_lines(struct line_work *work, const struct line_request *request,
                         struct str *text)
{
    str_clear(text);
    if (request->ask == LINE_READ && work->dwarf)
        line_dwarf_read(work->dwarf, request->start, request->size, text);
    if (text->length > TEXT_MAX)
        str_clear(text);
    struct line_answer answer = {work->dwarf != NULL, (uint32_t)text->length};
    return socket_send(STDIN_FILENO, &answer, sizeof(answer)) &&
           socket_send(STDIN_FILENO, text->text, text->length);
}

static bool answer_stack(struct line_work *work, struct stack_dwarf *space)
{
    struct stack_copy copy;
    struct stack_frames frames;
    if (!socket_receive(STDIN_FILENO, &copy, sizeof(copy)) || copy.size > sizeof(work->stack) ||
        !socket_receive(STDIN_FILENO, work->stack, copy.size))
        return false;
    stack_dwarf_unwind(space, &copy, work->stack, &frames);
    return socket_send(STDIN_FILENO, &frames, sizeof(frames));
}

static bool read_list(struct elf_image *image, int fd)
{
    FILE *file = fdopen(dup(fd), "r");
    if (file) {
        rewind(file); /* the parent's descriptor is where it was read to */
        text_table_jit(&image->table, file);
        fclose(file);
    }
    return file;
}

static bool read_image(struct elf_image *image, enum line_image what, const int *files)
{
    switch (what) {
    case LINE_IMAGE_IDENTITY:
        return elf_image_identify(image, files[0]);
    case LINE_IMAGE_CHECK:
        return elf_image_check(image, files[0]);
    case LINE_IMAGE_JIT:
        return read_list(image, files[0]);
    case LINE_IMAGE_ELF:
    case LINE_IMAGES:
        break;
    }
    bool found = elf_image_read(image, files[0], false);
    if (found && files[1] >= 0)
        elf_image_read(image, files[1], true);
    elf_image_finish(image);
    return found;
}

static bool answer_image(const struct line_request *request, const int files[SOCKET_FILES_MAX])
{
    struct elf_image image = {0};
    image.table.around = request->start;
    struct line_answer answer = {.found =
                                     read_image(&image, (enum line_image)request->space, files)};
    for (int i = 0; i < SOCKET_FILES_MAX; i++)
        if (files[i] >= 0)
            close(files[i]);
    bool good = socket_send(STDIN_FILENO, &answer, sizeof(answer)) &&
                (!answer.found || image_send(STDIN_FILENO, &image));
    elf_image_release(&image);
    return good;
}

/* False: the parent does not keep to the protocol, or is gone. */
static bool answer_request(struct line_work *work, const struct line_request *request,
                           const int files[SOCKET_FILES_MAX], struct str *text)
{
    _Static_assert((int)LINE_IMAGES <= (int)LINE_CHILD_SPACES, "both are numbers in a request");
    if (request->space >= LINE_CHILD_SPACES)
        return false;
    struct stack_dwarf **space = &work->spaces[request->space];
    if (!*space && (request->ask == STACK_ADD || request->ask == STACK_UNWIND))
        *space = stack_dwarf_new();
    switch ((enum line_ask)request->ask) {
    case LINE_OPEN:
        open_files(work, files);
        return answer_lines(work, request, text);
    case LINE_READ:
        return answer_lines(work, request, text);
    case STACK_FORGET:
        stack_dwarf_free(*space);
        *space = NULL;
        return true;
    case STACK_ADD:
        stack_dwarf_add(*space, request->start, request->size, files[0]);
        if (files[0] >= 0)
            close(files[0]);
        return true;
    case STACK_UNWIND:
        return answer_stack(work, *space);
    case IMAGE_READ:
        prctl(PR_SET_NAME, "countertop-elf");
        return answer_image(request, files);
    }
    return false;
}

/* Unless the program itself is in no sandbox (--no-sandbox), which the child would have inherited.
 * It writes no file; which ones it reads is not known: debug information names others (DWARF 5,
 * split units, supplementary files), which may be anywhere. */
static void confine_line_child(void)
{
    if (!sandbox_entered())
        return;
    int rules = path_rules_new();
    path_rules_add(rules, "/", PATH_READ);
    path_rules_enter(rules);
}

int line_child_main(void)
{
    struct line_work *work = mem_alloc(sizeof(*work));
    struct line_request request;
    int files[SOCKET_FILES_MAX];
    struct str text;
    str_init(&text);
    work->files[0] = work->files[1] = -1;
    prctl(PR_SET_NAME, "countertop-line");
    confine_line_child();
    while (socket_receive_files(STDIN_FILENO, &request, sizeof(request), files, SOCKET_FILES_MAX) &&
           answer_request(work, &request, files, &text))
        ;
    line_dwarf_close(work->dwarf);
    for (size_t s = 0; s < LINE_CHILD_SPACES; s++)
        stack_dwarf_free(work->spaces[s]);
    free(work);
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

/* In the child, between fork(2) and execve(2): only calls that are safe there. */
static void become_line_child(int socket, rlim_t memory, int lower, char **environment)
{
    static const int restored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
    char *words[] = {(char *)LINE_CHILD, NULL};
    struct rlimit none = {0, 0};
    sigset_t empty;
    for (size_t i = 0; i < sizeof(restored) / sizeof(*restored); i++)
        signal(restored[i], SIG_DFL);
    setpgid(0, 0); /* keys that end the program are not for it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    privilege_drop();
    setrlimit(RLIMIT_CORE, &none);
    limit_addresses(memory);
    (void)!nice(lower);
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

int line_child_start(struct line_child *child, int lower, struct err *err)
{
    int ends[2];
    size_t count = 0, kept = 0;
    if (!executable)
        return err_set(err, "cannot start a process: this program is not made for it");
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
        become_line_child(ends[1], memory, lower, environment);
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

char *line_child_reason(const char *worked, int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        return mem_printf("the process that %s was ended by signal %d (%s)", worked,
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
    return mem_printf("the process that %s had no answer in time, or no memory", worked);
}

/* The head of the answer to the last request. */
static int take_answer(struct line_child *child, struct line_answer *answer)
{
    return socket_receive(child->socket, answer, sizeof(*answer)) && answer->length <= TEXT_MAX
               ? 0
               : -1;
}

/* Sends a request with as many files. */
static bool send_request(const struct line_child *child, const struct line_request *request,
                         const int *files, size_t count)
{
    return socket_send_files(child->socket, request, sizeof(*request), files, count, 0);
}

int line_child_open(struct line_child *child, int fd, int debug, bool *found)
{
    struct line_request request = {.ask = LINE_OPEN};
    struct line_answer answer;
    if (!send_request(child, &request, (int[SOCKET_FILES_MAX]){fd, debug}, debug >= 0 ? 2 : 1) ||
        take_answer(child, &answer) < 0 || answer.length > 0)
        return -1;
    *found = answer.found;
    return 0;
}

int line_child_read(struct line_child *child, uint64_t start, uint64_t size, struct str *text)
{
    struct line_request request = {.ask = LINE_READ, .start = start, .size = size};
    struct line_answer answer;
    if (!send_request(child, &request, NULL, 0) || take_answer(child, &answer) < 0)
        return -1;
    char *bytes = mem_alloc(answer.length + 1);
    bool good = socket_receive(child->socket, bytes, answer.length);
    if (good)
        str_add_n(text, bytes, strlen(bytes));
    free(bytes);
    return good ? 0 : -1;
}

int line_child_image(struct line_child *child, enum line_image what, int fd, int debug,
                     struct elf_image *image, bool *found)
{
    struct line_request request = {.ask = IMAGE_READ, .space = what, .start = image->table.around};
    struct line_answer answer;
    if (!send_request(child, &request, (int[]){fd, debug}, debug >= 0 ? 2 : 1) ||
        take_answer(child, &answer) < 0)
        return -1;
    *found = answer.found;
    return !*found || image_receive(child->socket, image) ? 0 : -1;
}

void line_child_limit(struct line_child *child, unsigned seconds)
{
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(child->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(child->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

int line_child_forget(struct line_child *child, unsigned space)
{
    struct line_request request = {.ask = STACK_FORGET, .space = space};
    return send_request(child, &request, NULL, 0) ? 0 : -1;
}

int line_child_add(struct line_child *child, unsigned space, uint64_t start, uint64_t offset,
                   int fd)
{
    struct line_request request = {
        .ask = STACK_ADD, .space = space, .start = start, .size = offset};
    return send_request(child, &request, &fd, fd >= 0) ? 0 : -1;
}

int line_child_unwind(struct line_child *child, unsigned space, const struct stack_copy *copy,
                      const void *bytes, struct stack_frames *frames)
{
    struct line_request request = {.ask = STACK_UNWIND, .space = space};
    bool good =
        send_request(child, &request, NULL, 0) && socket_send(child->socket, copy, sizeof(*copy)) &&
        socket_send(child->socket, bytes, copy->size) &&
        socket_receive(child->socket, frames, sizeof(*frames)) && frames->count <= STACK_FRAMES_MAX;
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
