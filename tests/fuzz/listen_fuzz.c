/* The server of --listen, with bytes of a client: whatever it sends in pieces, the server answers
 * the next one. The first byte says how long a piece is. */
#include "base/mem.h"
#include "front/address.h"
#include "front/listen.h"
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/un.h>
#include <unistd.h>

static struct listener *listener;
static struct door door;
static struct sockaddr_un path = {.sun_family = AF_UNIX};

static void end_server(void)
{
    listener_free(listener);
    door_close(&door);
}

/* Every other time there is none. */
static void give_page(void *ctx, enum metrics_form form)
{
    static const char page[] = "# EOF\n";
    static bool there;
    (void)ctx;
    if ((there = !there))
        listener_give(listener, form, mem_strdup(page), sizeof(page) - 1);
}

static void start_server(void)
{
    static const struct page_source source = {.ask = give_page};
    struct address address;
    struct err err;
    char text[ADDRESS_TEXT_SIZE];
    if (listener)
        return;
    snprintf(path.sun_path, sizeof(path.sun_path), "/tmp/listen_fuzz.%d", (int)getpid());
    snprintf(text, sizeof(text), "unix:%s", path.sun_path);
    check(address_parse(&address, text, &err) == 0);
    check(door_open(&door, &address, &err) == 0);
    listener = listener_new(door.fd, &source, UINT64_C(1000000000));
    atexit(end_server);
}

static int connection(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    check(connect(fd, (struct sockaddr *)&path, sizeof(path)) == 0);
    listener_run(listener, -1);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char good[] = "GET /metrics HTTP/1.0\r\n\r\n";
    char answer[4096] = "", junk[4096];
    size_t piece = size ? data[0] + 1U : 1;
    start_server();
    int fd = connection();
    for (size_t at = 1; at < size; at += piece) {
        size_t left = size - at;
        /* Errors are the server's right: it may have closed the connection. */
        if (send(fd, data + at, left < piece ? left : piece, MSG_NOSIGNAL) < 0)
            break;
        listener_run(listener, -1);
        while (read(fd, junk, sizeof(junk)) > 0)
            ;
    }
    close(fd);
    fd = connection();
    check(write(fd, good, sizeof(good) - 1) == (ssize_t)(sizeof(good) - 1));
    for (int i = 0; i < 10 && !*answer; i++) {
        listener_run(listener, -1);
        if (read(fd, answer, sizeof(answer) - 1) < 0)
            *answer = '\0';
    }
    const char *status = strncmp(answer, "HTTP/1.", 7) == 0 ? answer + 8 : "";
    check(strncmp(status, " 200 ", 5) == 0 || strncmp(status, " 503 ", 5) == 0);
    close(fd);
    listener_run(listener, -1);
    listener_renew(listener);
    return 0;
}
