/* A helper that was taken over (src/system/helper.h), by the name with which it is started; how it
 * behaves is in the file `mode` beside it. It keeps to the messages of src/front/listen.h,
 * src/code/debug_fetch.h and src/code/line_child.h until then. */
#include "code/debug_fetch.h"
#include "code/line_child.h"
#include "front/listen.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "work/work.h"

static char mode[64], path[PATH_MAX];

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void read_mode(void)
{
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 8);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    check(!slash, "/proc/self/exe");
    strcpy(slash + 1, "mode");
    FILE *file = fopen(path, "r");
    check(!file || !fgets(mode, sizeof(mode), file), path);
    mode[strcspn(mode, "\n")] = '\0';
    fclose(file);
}

/* Until the program is gone. */
static void wait_for_ever(void)
{
    struct pollfd pair = {.fd = STDIN_FILENO};
    while (poll(&pair, 1, -1) <= 0)
        ;
    exit(0);
}

/* The same bytes again and again, as fast as they are taken. */
static void repeat(const void *bytes, size_t size)
{
    while (send(STDIN_FILENO, bytes, size, MSG_NOSIGNAL) >= 0)
        ;
    wait_for_ever();
}

/* A message each half second; the file `sent` beside it has a byte for each. */
static void linger(void)
{
    enum { HALF = 500000 };
    uint32_t form = METRICS_TEXT;
    strcpy(strrchr(path, '/') + 1, "sent");
    for (;;) {
        int file = open(path, O_WRONLY | O_APPEND);
        check(write(file, "+", 1) < 1, path);
        close(file);
        send(STDIN_FILENO, &form, sizeof(form), MSG_NOSIGNAL);
        usleep(HALF);
    }
}

static void serve(void)
{
    struct serving_order order;
    uint32_t confined = 2;
    uint32_t form = METRICS_TEXT;
    char byte;
    check(recv(STDIN_FILENO, &order, sizeof(order), 0) != sizeof(order), "order");
    if (is("ends"))
        exit(1);
    send(STDIN_FILENO, &confined, sizeof(confined), 0);
    if (is("flood"))
        repeat(&form, sizeof(form));
    if (is("short"))
        repeat(&form, 1);
    while (recv(STDIN_FILENO, &byte, 1, 0) > 0)
        ;
    if (is("lingers"))
        linger();
    wait_for_ever();
}

static void fetch(void)
{
    struct fetch_note note = {.what = FETCH_READY};
    int fd = -1;
    if (is("text"))
        memset(note.text, 'x', sizeof(note.text));
    fetch_note_send(STDIN_FILENO, &note, -1, 0);
    if (!fetch_note_take(STDIN_FILENO, &note, &fd) || is("silent"))
        wait_for_ever();
    note.done = note.all = UINT64_MAX;
    note.what = FETCH_PROGRESS;
    fetch_note_send(STDIN_FILENO, &note, -1, 0);
    if (is("flood")) {
        note.number += 7;
        repeat(&note, sizeof(note));
    }
    note.what = is("escape") ? FETCH_FAILED : FETCH_DONE;
    memcpy(note.text, "\033[2Jone\nline", sizeof("\033[2Jone\nline"));
    if (is("pipe")) {
        int ends[2];
        check(pipe(ends) < 0, "pipe");
        fd = ends[0];
    } else if (is("folder")) {
        fd = open("/", O_RDONLY | O_DIRECTORY);
    } else if (is("endless")) {
        fd = open("/dev/zero", O_RDONLY);
    } else if (is("sparse")) {
        fd = memfd_create("sparse", 0);
        check(ftruncate(fd, (off_t)1 << 42) < 0, "ftruncate");
    } else if (is("path")) {
        fd = open("/etc/passwd", O_PATH);
    }
    fetch_note_send(STDIN_FILENO, &note, fd, 0);
    wait_for_ever();
}

static void answer_lines(void)
{
    static struct {
        struct line_answer answer;
        uint64_t head[7];
        char rest[1 << 12];
    } all;
    struct line_request request;
    int files[SOCKET_FILES_MAX];
    all.answer = (struct line_answer){1, 0};
    memset(all.head, 0xff, sizeof(all.head));
    while (socket_receive_files(STDIN_FILENO, &request, sizeof(request), files, SOCKET_FILES_MAX)) {
        if (is("silent"))
            wait_for_ever();
        if (is("length"))
            all.answer.length = UINT32_MAX;
        if (is("random")) {
            int from = open("/dev/urandom", O_RDONLY);
            check(read(from, all.rest, sizeof(all.rest)) < 0, "/dev/urandom");
            memcpy(&all.answer, all.rest, sizeof(all.answer) / 2);
            send(STDIN_FILENO, all.rest, sizeof(all.rest), MSG_NOSIGNAL);
        } else {
            send(STDIN_FILENO, &all, sizeof(all), MSG_NOSIGNAL);
        }
    }
}

int main(int argc, char **argv)
{
    check(argc < 1, "arguments");
    read_mode();
    signal(SIGTERM, SIG_IGN);
    if (strcmp(argv[0], "countertop-http") == 0)
        serve();
    else if (strcmp(argv[0], "countertop-fetch") == 0)
        fetch();
    else
        answer_lines();
    return 0;
}
