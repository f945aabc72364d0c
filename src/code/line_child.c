#include "code/line_child.h"
#include "base/socket.h"
#include "system/procfs.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

static const char LINES_PROGRAM[] = "countertop-lines";

void line_child_limit(struct helper *child, unsigned seconds)
{
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(child->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(child->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

int line_child_start(struct helper *child, int lower, unsigned seconds,
                     const struct privilege_user *user, struct err *err)
{
    /* Not DEBUGINFOD_URLS: libdw would ask servers. */
    const struct helper_command command = {
        .name = LINES_PROGRAM, .type = SOCK_STREAM, .user = user};
    int result = helper_start(child, &command, err);
    if (result == 0 && lower > 0)
        setpriority(PRIO_PROCESS, (id_t)child->pid, getpriority(PRIO_PROCESS, 0) + lower);
    if (result == 0 && seconds > 0)
        line_child_limit(child, seconds);
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

/* Sends a request with up to two files (-1: none), and a part of the bytes that follow it. */
static bool send_request(const struct helper *child, const struct line_request *request, int fd,
                         int second, const void *bytes, size_t size)
{
    const int files[SOCKET_FILES_MAX] = {fd, second};
    size_t count = (size_t)(fd >= 0) + (second >= 0);
    return socket_send_files(child->socket, request, sizeof(*request), files, count, 0) &&
           socket_send(child->socket, bytes, size);
}

int line_child_ask(struct helper *child, const struct line_request *request, int fd, int second,
                   const void *bytes, struct str *text, uint32_t *found)
{
    struct line_answer answer;
    if (!send_request(child, request, fd, second, bytes, request->bytes) ||
        !socket_receive(child->socket, &answer, sizeof(answer)) || answer.length > LINE_TEXT_MAX)
        return -1;
    AUTO_FREE char *received = mem_alloc(answer.length + 1);
    if (!socket_receive(child->socket, received, answer.length))
        return -1;
    if (text)
        str_add_n(text, received, answer.length);
    if (found)
        *found = answer.found;
    return 0;
}

int line_child_image(struct helper *child, enum line_image what, int fd, int debug,
                     struct elf_image *image, bool *found)
{
    struct line_request request = {.ask = IMAGE_READ,
                                   .space = what,
                                   .start = image->table.around,
                                   .size = image->table.listed};
    uint32_t answer = 0;
    int result = line_child_ask(child, &request, fd, debug, NULL, NULL, &answer);
    *found = answer;
    return result == 0 && (!*found || image_receive(child->socket, image)) ? 0 : -1;
}

int line_child_unwind(struct helper *child, unsigned space, const struct stack_copy *copy,
                      const void *bytes, struct stack_frames *frames)
{
    struct line_request request = {
        .ask = STACK_UNWIND, .space = space, .bytes = sizeof(*copy) + copy->size};
    bool good = send_request(child, &request, -1, -1, copy, sizeof(*copy)) &&
                socket_send(child->socket, bytes, copy->size) &&
                socket_receive(child->socket, frames, sizeof(*frames)) &&
                frames->count <= STACK_FRAMES_MAX;
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
};

bool image_send(int to, const struct elf_image *image)
{
    const struct function_table *table = &image->table;
    return socket_send(to, image, sizeof(*image)) &&
           socket_send(to, table->functions, table->count * sizeof(*table->functions)) &&
           socket_send(to, table->names, table->name_bytes) &&
           socket_send(to, image->segments, image->segment_count * sizeof(*image->segments));
}

/* An array of that many elements; NULL: the other end is gone. */
static void *receive_array(int from, uint64_t count, size_t size)
{
    char *array = mem_alloc(count * size);
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
    struct elf_image head;
    struct function_table *table = &image->table;
    if (!socket_receive(from, &head, sizeof(head)) || head.table.count > FUNCTIONS_MAX ||
        head.table.name_bytes > NAMES_MAX || head.segment_count > SEGMENTS_MAX ||
        head.identity.build_id_size > CODE_BUILD_ID_MAX ||
        head.identity.link[sizeof(head.identity.link) - 1])
        return false;
    /* Its pointers are those of the other process. */
    *image = (struct elf_image){.identity = head.identity};
    *table = (struct function_table){.count = head.table.count,
                                     .name_bytes = head.table.name_bytes,
                                     .name_room = head.table.name_bytes,
                                     .around = head.table.around,
                                     .reach = head.table.reach,
                                     .listed = head.table.listed,
                                     .sum = head.table.sum};
    image->segment_count = image->segment_room = head.segment_count;
    bool good =
        (table->functions = receive_array(from, table->count, sizeof(*table->functions))) &&
        (table->names = receive_array(from, table->name_bytes, 1)) &&
        (image->segments = receive_array(from, image->segment_count, sizeof(*image->segments))) &&
        is_table(table);
    if (!good)
        elf_image_release(image);
    return good;
}
