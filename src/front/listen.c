#include "front/listen.h"
#include "base/mem.h"
#include "front/accept.h"
#include "front/http.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than any Prometheus uses; seconds without a byte; bytes for the header of a request. */
enum { CONNECTIONS_MOST = 32, IDLE_MOST = 15, HEADER_MOST = 16384, BACKLOG = 32 };

enum { FORMS = METRICS_1_0 + 1 };

struct listener {
    struct http http;
    const struct metrics *metrics;
    struct MHD_Daemon *daemon;
    char *url;
    struct MHD_Response *pages[FORMS]; /* of the last interval, NULL: not asked for yet */
    struct MHD_Response *missing, *refused;
};

static struct MHD_Response *page_of(struct listener *listener, enum metrics_form form)
{
    static const char *const types[FORMS] = {
        [METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
        [METRICS_1_0] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
    };
    struct MHD_Response **page = &listener->pages[form];
    if (*page)
        return *page;
    struct str text;
    str_init(&text);
    metrics_write(listener->metrics, form, &text);
    size_t length = text.length;
    *page = listener->http.create_response_from_buffer(length, str_detach(&text),
                                                       MHD_RESPMEM_MUST_FREE);
    listener->http.add_response_header(*page, MHD_HTTP_HEADER_CONTENT_TYPE, types[form]);
    listener->http.add_response_header(*page, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
    return *page;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state)
{
    struct listener *listener = ctx;
    (void)version, (void)data;
    if (!*state) { /* the header is there; what follows it is not read */
        *state = listener;
        return MHD_YES;
    }
    if (*size) {
        *size = 0;
        return MHD_YES;
    }
    if (strcmp(url, "/metrics") != 0)
        return listener->http.queue_response(connection, MHD_HTTP_NOT_FOUND, listener->missing);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return listener->http.queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                                             listener->refused);
    const char *accept =
        listener->http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    enum metrics_form form = accept_openmetrics(accept) ? METRICS_1_0 : METRICS_TEXT;
    return listener->http.queue_response(connection, MHD_HTTP_OK, page_of(listener, form));
}

/* The socket that listens, or -1 with errno; the address receives the port. */
static int listen_at(struct address *address)
{
    static const int on = 1;
    int family = address->storage.ss_family;
    struct sockaddr *at = (struct sockaddr *)&address->storage;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    /* [::] would take the place of 0.0.0.0 too: what is listened at is what was asked for. */
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, at, address->length) == 0 && listen(fd, BACKLOG) == 0 &&
        getsockname(fd, at, &address->length) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static struct MHD_Response *short_page(struct listener *listener, const char *text)
{
    struct MHD_Response *page = listener->http.create_response_from_buffer(
        strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
    listener->http.add_response_header(page, MHD_HTTP_HEADER_CONTENT_TYPE,
                                       "text/plain; charset=utf-8");
    return page;
}

static const char *remedy(int error)
{
    switch (error) {
    case EADDRINUSE:
        return "; give another port";
    case EACCES:
        return "; ports below 1024 are root's";
    case EADDRNOTAVAIL:
        return "; no interface here has that address";
    default:
        return "";
    }
}

struct listener *listener_new(const struct address *address, const struct metrics *metrics,
                              struct err *err)
{
    struct address own = *address;
    char text[ADDRESS_TEXT_SIZE];
    int fd = listen_at(&own);
    int error = errno;
    address_write(&own, text);
    if (fd < 0) {
        err_set(err, "cannot listen at '%s': %s%s", text, strerror(error), remedy(error));
        return NULL;
    }
    struct listener *listener = mem_alloc(sizeof(*listener));
    if (http_load(&listener->http, err) < 0) {
        close(fd);
        free(listener);
        return NULL;
    }
    listener->metrics = metrics;
    listener->url = mem_printf("http://%s/metrics", text);
    listener->missing = short_page(listener, "there is only /metrics\n");
    listener->refused = short_page(listener, "there is only GET\n");
    listener->http.add_response_header(listener->refused, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    listener->daemon = listener->http.start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer, listener, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_MOST, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_MOST,
        MHD_OPTION_END);
    if (!listener->daemon) {
        close(fd);
        listener_free(listener);
        err_set(err, "cannot listen at '%s': no server could be made", text);
        return NULL;
    }
    return listener;
}

void listener_renew(struct listener *listener)
{
    for (size_t i = 0; i < FORMS; i++) {
        if (listener->pages[i])
            listener->http.destroy_response(listener->pages[i]); /* those being sent keep it */
        listener->pages[i] = NULL;
    }
}

void listener_free(struct listener *listener)
{
    if (!listener)
        return;
    if (listener->daemon)
        listener->http.stop_daemon(listener->daemon); /* closes the socket */
    listener_renew(listener);
    listener->http.destroy_response(listener->missing);
    listener->http.destroy_response(listener->refused);
    free(listener->url);
    free(listener);
}

const char *listener_url(const struct listener *listener)
{
    return listener->url;
}

int listener_fd(const struct listener *listener)
{
    return listener->http.get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int listener_wait(const struct listener *listener)
{
    MHD_UNSIGNED_LONG_LONG wait;
    if (listener->http.get_timeout(listener->daemon, &wait) != MHD_YES)
        return -1;
    return wait < INT_MAX ? (int)wait : INT_MAX;
}

void listener_run(struct listener *listener)
{
    listener->http.run(listener->daemon);
}
