#include "code/line_child.h"
#include "base/mem.h"
#include "base/socket.h"
#include "code/line_message.h"
#include "system/procfs.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const char LINES_PROGRAM[] = "countertop-lines";

int line_child_start(struct helper *child, int lower, const struct privilege_user *user,
                     struct err *err)
{
    /* Not DEBUGINFOD_URLS: libdw would ask servers. */
    const struct helper_command command = {
        .name = LINES_PROGRAM, .type = SOCK_STREAM, .user = user};
    int result = helper_start(child, &command, err);
    if (result == 0 && lower > 0)
        setpriority(PRIO_PROCESS, (id_t)child->pid, getpriority(PRIO_PROCESS, 0) + lower);
    return result;
}

char *line_child_reason(const char *worked, int status)
{
    if (helper_refused(status))
        return mem_printf("'%s' refused to start: it is not of this version, or has rights",
                          LINES_PROGRAM);
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        return mem_printf("the process that %s was ended by signal %d (%s)", worked,
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
    return mem_printf("the process that %s had no answer in time, or no memory", worked);
}

/* The head of the answer to the last request. */
static int take_answer(struct helper *child, struct line_answer *answer)
{
    return socket_receive(child->socket, answer, sizeof(*answer)) && answer->length <= LINE_TEXT_MAX
               ? 0
               : -1;
}

/* Sends a request with as many files. */
static bool send_request(const struct helper *child, const struct line_request *request,
                         const int *files, size_t count)
{
    return socket_send_files(child->socket, request, sizeof(*request), files, count, 0);
}

int line_child_open(struct helper *child, int fd, int debug, bool *found)
{
    struct line_request request = {.ask = LINE_OPEN};
    struct line_answer answer;
    if (!send_request(child, &request, (int[SOCKET_FILES_MAX]){fd, debug}, debug >= 0 ? 2 : 1) ||
        take_answer(child, &answer) < 0 || answer.length > 0)
        return -1;
    *found = answer.found;
    return 0;
}

/* The answer, and its text. */
static int take_text(struct helper *child, struct line_answer *answer, struct str *text)
{
    if (take_answer(child, answer) < 0)
        return -1;
    char *bytes = mem_alloc(answer->length + 1);
    bool good = socket_receive(child->socket, bytes, answer->length);
    if (good)
        str_add_n(text, bytes, answer->length);
    free(bytes);
    return good ? 0 : -1;
}

int line_child_read(struct helper *child, uint64_t start, uint64_t size, struct str *text)
{
    struct line_request request = {.ask = LINE_READ, .start = start, .size = size};
    struct line_answer answer;
    return send_request(child, &request, NULL, 0) ? take_text(child, &answer, text) : -1;
}

int line_child_name(struct helper *child, const char *name, struct str *text)
{
    struct line_request request = {.ask = NAME_READ, .size = strlen(name)};
    struct line_answer answer;
    return send_request(child, &request, NULL, 0) && socket_send(child->socket, name, strlen(name))
               ? take_text(child, &answer, text)
               : -1;
}

int line_child_source(struct helper *child, int root, const char *path, bool everybody,
                      struct str *text, int *error)
{
    struct line_request request = {.ask = SOURCE_READ, .space = everybody, .size = strlen(path)};
    struct line_answer answer;
    if (!send_request(child, &request, &root, root >= 0) ||
        !socket_send(child->socket, path, strlen(path)) || take_text(child, &answer, text) < 0)
        return -1;
    *error = (int)answer.found;
    return 0;
}

int line_child_image(struct helper *child, enum line_image what, int fd, int debug,
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

void line_child_limit(struct helper *child, unsigned seconds)
{
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(child->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(child->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

int line_child_forget(struct helper *child, unsigned space)
{
    struct line_request request = {.ask = STACK_FORGET, .space = space};
    return send_request(child, &request, NULL, 0) ? 0 : -1;
}

int line_child_add(struct helper *child, unsigned space, uint64_t start, uint64_t offset, int fd)
{
    struct line_request request = {
        .ask = STACK_ADD, .space = space, .start = start, .size = offset};
    return send_request(child, &request, &fd, fd >= 0) ? 0 : -1;
}

int line_child_unwind(struct helper *child, unsigned space, const struct stack_copy *copy,
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
