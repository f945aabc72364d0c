#include "code/line_child.h"
#include "base/mem.h"
#include "base/socket.h"
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

/* Sends a request with up to two files (-1: none), and the request->size bytes that follow it. */
static bool ask(const struct helper *child, const struct line_request *request, int fd, int second,
                const void *bytes)
{
    const int files[SOCKET_FILES_MAX] = {fd, second};
    size_t count = (size_t)(fd >= 0) + (second >= 0);
    return socket_send_files(child->socket, request, sizeof(*request), files, count, 0) &&
           (!bytes || socket_send(child->socket, bytes, request->size));
}

/* Takes the answer to the last request, and appends its text. */
static int take_text(const struct helper *child, struct str *text, uint32_t *found)
{
    struct line_answer answer;
    if (!socket_receive(child->socket, &answer, sizeof(answer)) || answer.length > LINE_TEXT_MAX)
        return -1;
    AUTO_FREE char *bytes = mem_alloc(answer.length + 1);
    if (!socket_receive(child->socket, bytes, answer.length))
        return -1;
    str_add_n(text, bytes, answer.length);
    *found = answer.found;
    return 0;
}

int line_child_open(struct helper *child, int fd, int debug, bool *found)
{
    struct line_request request = {.ask = LINE_OPEN};
    AUTO_STR struct str none = str_new();
    uint32_t answer = 0;
    int result = ask(child, &request, fd, debug, NULL) ? take_text(child, &none, &answer) : -1;
    *found = answer;
    return result;
}

int line_child_read(struct helper *child, uint64_t start, uint64_t size, struct str *text)
{
    struct line_request request = {.ask = LINE_READ, .start = start, .size = size};
    uint32_t found;
    return ask(child, &request, -1, -1, NULL) ? take_text(child, text, &found) : -1;
}

int line_child_names(struct helper *child, const char *names, size_t bytes, struct str *text)
{
    struct line_request request = {.ask = NAMES_READ, .size = bytes};
    uint32_t found;
    return ask(child, &request, -1, -1, names) ? take_text(child, text, &found) : -1;
}

int line_child_variable(struct helper *child, int fd, uint64_t offset, uint64_t behind,
                        struct str *text)
{
    struct line_request request = {.ask = VARIABLE_READ, .start = offset, .size = behind};
    uint32_t found;
    return ask(child, &request, fd, -1, NULL) ? take_text(child, text, &found) : -1;
}

int line_child_source(struct helper *child, int root, const char *path, bool everybody,
                      struct str *text, int *error)
{
    struct line_request request = {.ask = SOURCE_READ, .space = everybody, .size = strlen(path)};
    uint32_t found = 0;
    int result = ask(child, &request, root, -1, path) ? take_text(child, text, &found) : -1;
    *error = (int)found;
    return result;
}

int line_child_image(struct helper *child, enum line_image what, int fd, int debug,
                     struct elf_image *image, bool *found)
{
    struct line_request request = {.ask = IMAGE_READ, .space = what, .start = image->table.around};
    struct line_answer answer;
    if (!ask(child, &request, fd, debug, NULL) ||
        !socket_receive(child->socket, &answer, sizeof(answer)))
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
    return ask(child, &(struct line_request){.ask = STACK_FORGET, .space = space}, -1, -1, NULL)
               ? 0
               : -1;
}

int line_child_add(struct helper *child, unsigned space, uint64_t start, uint64_t offset, int fd)
{
    struct line_request request = {
        .ask = STACK_ADD, .space = space, .start = start, .size = offset};
    return ask(child, &request, fd, -1, NULL) ? 0 : -1;
}

int line_child_unwind(struct helper *child, unsigned space, const struct stack_copy *copy,
                      const void *bytes, struct stack_frames *frames)
{
    struct line_request request = {.ask = STACK_UNWIND, .space = space, .size = sizeof(*copy)};
    bool good =
        ask(child, &request, -1, -1, copy) && socket_send(child->socket, bytes, copy->size) &&
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

/* ---- images ---- */

/* More than a table has (code/function_table.h), and than a file that can be loaded. */
enum {
    FUNCTIONS_MAX = 2 * TABLE_FUNCTIONS_MAX,
    NAMES_MAX = 2 * TABLE_NAMES_MAX,
    SEGMENTS_MAX = 1 << 16,
    LINK_MAX = 1 << 12,
};

/* Then the arrays follow: functions, names, segments, and the link. */
struct image_head {
    uint64_t functions, names, segments, link; /* elements */
    uint64_t around, reach, sum;
    uint32_t build_id_size, machine, link_check;
    unsigned char build_id[CODE_BUILD_ID_MAX];
};

bool image_send(int to, const struct elf_image *image)
{
    const struct function_table *table = &image->table;
    struct image_head head = {
        .functions = table->count,
        .names = table->count ? table->name_bytes : 0,
        .segments = image->segment_count,
        .link = image->link ? strlen(image->link) : 0,
        .around = table->around,
        .reach = table->reach,
        .sum = table->sum,
        .build_id_size = (uint32_t)image->build_id_size,
        .machine = image->machine,
        .link_check = image->link_check,
    };
    memcpy(head.build_id, image->build_id, sizeof(head.build_id));
    return socket_send(to, &head, sizeof(head)) &&
           socket_send(to, table->functions, head.functions * sizeof(*table->functions)) &&
           socket_send(to, table->names, head.names) &&
           socket_send(to, image->segments, head.segments * sizeof(*image->segments)) &&
           socket_send(to, image->link, head.link);
}

/* An array of that many elements, and a '\0' behind; NULL: the other end is gone. */
static void *receive_array(int from, uint64_t count, size_t size)
{
    char *array = mem_alloc(count * size + 1);
    if (socket_receive(from, array, count * size))
        return array;
    free(array);
    return NULL;
}

/* Functions ascend, and their names are in the table. */
static bool is_table(const struct function_table *table)
{
    bool good = table->count == 0 || (table->name_bytes > 0 && table->names[0] == '\0' &&
                                      table->names[table->name_bytes - 1] == '\0');
    for (size_t i = 0; i < table->count && good; i++) {
        const struct table_function *function = &table->functions[i];
        good =
            function->name < table->name_bytes && (i == 0 || function[-1].start < function->start);
    }
    return good;
}

bool image_receive(int from, struct elf_image *image)
{
    struct image_head head;
    if (!socket_receive(from, &head, sizeof(head)) || head.functions > FUNCTIONS_MAX ||
        head.names > NAMES_MAX || head.segments > SEGMENTS_MAX || head.link > LINK_MAX ||
        head.build_id_size > CODE_BUILD_ID_MAX)
        return false;
    struct function_table *table = &image->table;
    image->build_id_size = head.build_id_size;
    memcpy(image->build_id, head.build_id, sizeof(head.build_id));
    image->machine = head.machine;
    image->link_check = head.link_check;
    table->around = head.around;
    table->reach = head.reach;
    table->sum = head.sum;
    table->count = head.functions;
    table->name_bytes = table->name_room = head.names;
    image->segment_count = image->segment_room = head.segments;
    bool good =
        (table->functions = receive_array(from, head.functions, sizeof(*table->functions))) &&
        (table->names = receive_array(from, head.names, 1)) &&
        (image->segments = receive_array(from, head.segments, sizeof(*image->segments))) &&
        (image->link = receive_array(from, head.link, 1)) && is_table(table);
    if (!good) {
        elf_image_release(image);
    } else if (head.link == 0) {
        free(image->link);
        image->link = NULL;
    }
    return good;
}
