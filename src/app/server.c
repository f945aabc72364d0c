#include "app/program.h"
#include "front/listen.h"

#include <sys/mman.h>
#include <sys/wait.h>

/* How long the process may take to end until it is killed, ns. */
static const uint64_t GRACE = 1000000000;
/* How often it may ask in an interval: it asks again only when a page was renewed. */
enum { ASKED_MAX = 64 };

struct server {
    struct door door;
    char *url;
    struct helper helper;     /* pid 0: it has ended; socket -1 */
    int pages[METRICS_FORMS]; /* files in memory; -1 */
    uint64_t time;
    /* In this interval: */
    bool sent[METRICS_FORMS];
    int asked;
};

/* Starts the helper and waits for its answer: whether it is in the sandbox. With a message it is
 * still to be ended, if it has a pid. */
static int start_serving(struct helper *helper, const struct serving_order *order, const int *files,
                         size_t count, uint32_t *confined, struct err *err)
{
    const struct helper_command command = {.name = "countertop-http",
                                           .type = SOCK_SEQPACKET,
                                           .files = files,
                                           .count = count,
                                           .user = &privilege_nobody};
    struct err why;
    if (helper_start(helper, &command, &why) < 0)
        return err_set(err, "cannot listen: %s", why.text);
    if (send(helper->socket, order, sizeof(*order), MSG_NOSIGNAL) < 0 ||
        recv(helper->socket, confined, sizeof(*confined), 0) != sizeof(*confined))
        return err_set(err, "cannot listen: the server has ended");
    return 0;
}

bool server_confined(void)
{
    struct helper helper = {0, -1};
    uint32_t confined;
    const struct serving_order order = {.sandbox = true}; /* without files */
    bool good = start_serving(&helper, &order, NULL, 0, &confined, NULL) == 0 && confined;
    if (helper.pid > 0)
        helper_end(&helper);
    return good;
}

struct server *server_start(const struct address *address, uint64_t delay, bool sandbox,
                            struct err *err)
{
    struct server *server =
        mem_copy(&(struct server){.helper = {0, -1}, .pages = {-1, -1}}, sizeof(*server));
    const struct serving_order order = {.delay = delay, .sandbox = sandbox};
    uint32_t confined;
    int files[SERVING_FILES];
    int result = door_open(&server->door, address, err);
    if (result == 0)
        server->url = door_url(&server->door);
    files[SERVING_DOOR] = server->door.fd;
    for (size_t i = 0; i < METRICS_FORMS && result == 0; i++) {
        files[SERVING_PAGES + i] = server->pages[i] = memfd_create("page", MFD_CLOEXEC);
        if (server->pages[i] < 0)
            result = err_set(err, "cannot listen: %s", err_reason(errno));
    }
    if (result == 0)
        result = start_serving(&server->helper, &order, files, SERVING_FILES, &confined, err);
    file_close(server->door.fd); /* nobody listens when the server has ended */
    server->door.fd = -1;
    if (result < 0) {
        server_stop(server);
        return NULL;
    }
    log_line("server: process %d, sandbox: %s", (int)server->helper.pid,
             confined ? "entered" : "not possible");
    return server;
}

/* Ends the process; returns its status as of waitpid(2). */
static int end_serving(struct server *server)
{
    server_time(server);
    return helper_end(&server->helper);
}

void server_stop(struct server *server)
{
    uint64_t end = clock_monotonic() + GRACE;
    if (!server)
        return;
    if (server->helper.pid) {
        struct pollfd pair = {.fd = server->helper.socket, .events = POLLIN};
        uint32_t ignored;
        shutdown(pair.fd, SHUT_WR);
        for (uint64_t now = end - GRACE; now < end; now = clock_monotonic())
            if (poll(&pair, 1, (int)((end - now) / 1000000) + 1) <= 0 ||
                recv(pair.fd, &ignored, sizeof(ignored), 0) <= 0)
                break;
        end_serving(server);
    }
    for (size_t i = 0; i < METRICS_FORMS; i++)
        file_close(server->pages[i]);
    door_close(&server->door);
    free(server->url);
    free(server);
}

const char *server_url(const struct server *server)
{
    return server->url;
}

static void server_send(const struct server *server, uint32_t what, size_t length)
{
    const struct serving_note note = {what, (uint32_t)length};
    send(server->helper.socket, &note, sizeof(note), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void server_renew(struct server *server)
{
    memset(server->sent, 0, sizeof(server->sent));
    server->asked = 0;
    server_send(server, SERVING_RENEW, 0);
}

int server_fd(const struct server *server)
{
    return server->helper.socket;
}

int server_answer(struct server *server, const struct exporter *exporter, struct err *err)
{
    uint32_t form;
    ssize_t got = recv(server->helper.socket, &form, sizeof(form), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got == sizeof(form) && form < METRICS_FORMS && ++server->asked <= ASKED_MAX) {
        if (server->sent[form])
            return 0;
        AUTO_STR struct str text = str_new();
        metrics_write(exporter, form, &text);
        ssize_t written = pwrite(server->pages[form], text.text, text.length, 0);
        server_send(server, form, written == (ssize_t)text.length ? text.length : 0);
        server->sent[form] = true;
        return 0;
    }
    int status = end_serving(server);
    if (WIFSIGNALED(status))
        return err_set(err, "the server at %s was ended by signal %d (%s)", server->url,
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    return err_set(err, "the server at %s ended with status %d", server->url, WEXITSTATUS(status));
}

uint64_t server_time(struct server *server)
{
    uint64_t time = server->helper.pid ? clock_cpu_of(server->helper.pid) : 0;
    if (time > server->time)
        server->time = time;
    return server->time;
}
