#include "front/listen.h"
#include "base/clock.h"
#include "base/mem.h"
#include "front/address.h"
#include "front/crowd.h"
#include "front/http.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Bytes for a request header; connections accepted in a row before the loop does other work. */
enum { HEADER_MAX = 16384, TAKEN_MAX = 64 };
/* ns without accepting after descriptors ran out; the kernel does not report when some are free
 * again. */
static const uint64_t PAUSE = 1000000000;
/* ns by which an interval may be late, besides two whole ones, before /healthz reports it. */
static const uint64_t LATE = 10000000000;

/* The listener takes connections itself: after its maximum of connections the library does not
 * accept again by itself, and its only timeout is for silence. */
struct listener {
    struct http http;
    struct page_source source;
    struct MHD_Daemon *daemon;
    int door;        /* borrowed */
    int timer;       /* for deadlines */
    int events;      /* an epoll instance with door, timer and the library's descriptor */
    uint64_t paused; /* no connection is accepted before this time; 0: not paused */
    struct crowd crowd;
    struct guest *guest;                       /* being accepted */
    struct MHD_Response *pages[METRICS_FORMS]; /* of the last interval, NULL: not requested yet */
    struct MHD_Response *missing, *bad, *refused, *foreign, *healthy, *late, *absent;
    uint64_t due;                 /* when /healthz reports that no interval ended */
    uint64_t patience;            /* ns from the end of an interval until then */
    char name[HOST_NAME_MAX + 1]; /* of this machine */
};

/* Connections. */

static struct guest *guest_of(const struct listener *listener, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        listener->http.get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info->socket_context;
}

static void note_connection(void *ctx, struct MHD_Connection *connection, void **state,
                            enum MHD_ConnectionNotificationCode code)
{
    struct listener *listener = ctx;
    (void)connection;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *state = listener->guest;
        listener->guest = NULL;
        return;
    }
    crowd_remove(&listener->crowd, *state);
    free(*state);
}

static void note_answer(void *ctx, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    struct guest *guest = guest_of(ctx, connection);
    (void)state, (void)code;
    guest->asked = false;
    guest->since = clock_monotonic();
}

/* The library sees a connection closed by the peer. */
static void send_away(struct guest *guest)
{
    guest->leaving = true;
    shutdown(guest->fd, SHUT_RDWR);
}

/* Whether a connection came to an address that only this machine has. */
static bool is_loopback(int fd)
{
    struct address own = {.length = sizeof(own.storage)};
    return getsockname(fd, (struct sockaddr *)&own.storage, &own.length) == 0 &&
           address_is_loopback(&own);
}

static void let_in(struct listener *listener, int fd, const struct sockaddr *from, socklen_t length)
{
    struct guest *guest = mem_alloc(sizeof(*guest));
    guest->fd = fd;
    guest->since = clock_monotonic();
    guest->loopback = is_loopback(fd);
    if (!crowd_add(&listener->crowd, guest, from)) {
        free(guest);
        close(fd);
        return;
    }
    listener->guest = guest;
    listener->http.add_connection(listener->daemon, fd, from, length); /* closes a refused fd */
    if (listener->guest) /* from 1.0 on the library adds it in its next run */
        listener->http.run(listener->daemon);
    if (listener->guest) {
        crowd_remove(&listener->crowd, guest);
        free(guest);
        listener->guest = NULL;
    }
}

static void watch_door(const struct listener *listener, bool open)
{
    struct epoll_event event = {.events = open ? EPOLLIN : 0};
    epoll_ctl(listener->events, EPOLL_CTL_MOD, listener->door, &event);
}

static void take_all(struct listener *listener, uint64_t now)
{
    if (listener->paused > now)
        return;
    if (listener->paused)
        watch_door(listener, true);
    listener->paused = 0;
    for (int i = 0; i < TAKEN_MAX; i++) {
        struct sockaddr_storage from = {0};
        socklen_t length = sizeof(from);
        int fd = accept4(listener->door, (struct sockaddr *)&from, &length,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno == EAGAIN)
            return; /* nothing is pending */
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            listener->paused = clock_monotonic() + PAUSE;
            watch_door(listener, false);
            return;
        }
        struct guest *victim;
        if (fd >= 0 && listener->crowd.count == CROWD_MAX) {
            if ((victim = crowd_victim(&listener->crowd)))
                send_away(victim);
            listener->http.run(listener->daemon);
        }
        if (fd >= 0) /* else the connection is gone: accept(2) reports that */
            let_in(listener, fd, (struct sockaddr *)&from, length);
        listener->http.run(listener->daemon); /* answers complete requests */
    }
}

/* Requests. */

/* Reduces a target in absolute form, as proxies send it, to its path. Its host, which counts
 * instead of the header's (RFC 9112, 3.2.2), is a new text; NULL: the target is a path. */
static char *take_host(const char **url)
{
    static const char scheme[] = "http://";
    if (strncasecmp(*url, scheme, strlen(scheme)) != 0)
        return NULL;
    const char *host = *url + strlen(scheme), *path = strchrnul(host, '/');
    *url = *path ? path : "/";
    return mem_strndup(host, (size_t)(path - host));
}

/* Whether a text has a control character, which no part of a request may have, or one of these. */
static bool is_odd(const char *text, const char *others)
{
    while (*text && ((unsigned char)*text >= ' ' || *text == '\t') && *text != '\x7f' &&
           !strchr(others, *text))
        text++;
    return *text;
}

/* A zero byte in a target would end the text: it stays as it was sent. */
static const char ZERO_BYTE[] = "%00";

static size_t listen_unescape(void *ctx, struct MHD_Connection *connection, char *text)
{
    struct listener *listener = ctx;
    guest_of(listener, connection)->odd |= is_odd(text, "");
    return strstr(text, ZERO_BYTE) ? strlen(text) : listener->http.http_unescape(text);
}

struct header_counts {
    size_t hosts, lengths; /* lengths: whatever says how long a body is */
    bool odd;
};

static enum MHD_Result count_header(void *ctx, enum MHD_ValueKind kind, const char *key,
                                    const char *value)
{
    struct header_counts *counts = ctx;
    bool coded = strcasecmp(key, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    (void)kind;
    value = value ? value : "";
    counts->hosts += strcasecmp(key, MHD_HTTP_HEADER_HOST) == 0;
    counts->lengths += coded || strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    counts->odd |= !*key || is_odd(key, " \t") || is_odd(value, "") ||
                   (coded && strcasecmp(value, "chunked") != 0);
    return MHD_YES;
}

/* RFC 9112, 3.2: one line with the header Host, which only HTTP/1.0 may lack; and 6.1:
 * one that says how long the body is, else a proxy may see other requests in the rest. */
static bool is_bad_request(struct listener *listener, struct MHD_Connection *connection,
                           const char *url, const char *method, const char *version)
{
    bool odd = guest_of(listener, connection)->odd || is_odd(method, "");
    struct header_counts counts = {0, 0, odd};
    listener->http.get_connection_values(connection, MHD_HEADER_KIND, count_header, &counts);
    return counts.odd || counts.hosts > 1 || counts.lengths > 1 ||
           (counts.hosts == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0) ||
           strstr(url, ZERO_BYTE);
}

static enum MHD_Result listen_answer(void *ctx, struct MHD_Connection *connection, const char *url,
                                     const char *method, const char *version, const char *data,
                                     size_t *size, void **state)
{
    struct listener *listener = ctx;
    (void)data;
    if (!*state) { /* the header is complete; a body is not read */
        struct guest *guest = guest_of(listener, connection);
        guest->asked = true;
        guest->since = clock_monotonic();
        *state = listener;
        return is_bad_request(listener, connection, url, method, version)
                   ? listener->http.queue_response(connection, MHD_HTTP_BAD_REQUEST, listener->bad)
                   : MHD_YES;
    }
    if (*size) {
        *size = 0;
        return MHD_YES;
    }
    char *target = take_host(&url);
    const char *host = target ? target
                              : listener->http.lookup_connection_value(connection, MHD_HEADER_KIND,
                                                                       MHD_HTTP_HEADER_HOST);
    bool own = authority_is_own(host, listener->name);
    free(target);
    if (guest_of(listener, connection)->loopback && !own)
        return listener->http.queue_response(connection, MHD_HTTP_MISDIRECTED_REQUEST,
                                             listener->foreign);
    bool health = strcmp(url, "/healthz") == 0;
    if (!health && strcmp(url, "/metrics") != 0)
        return listener->http.queue_response(connection, MHD_HTTP_NOT_FOUND, listener->missing);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return listener->http.queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                                             listener->refused);
    if (health && clock_monotonic() < listener->due)
        return listener->http.queue_response(connection, MHD_HTTP_OK, listener->healthy);
    if (health)
        return listener->http.queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                                             listener->late);
    const char *accept =
        listener->http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    enum metrics_form form = accept_openmetrics(accept) ? METRICS_1_0 : METRICS_TEXT;
    if (!listener->pages[form])
        listener->source.ask(listener->source.ctx, form);
    if (!listener->pages[form])
        return listener->http.queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                                             listener->absent);
    return listener->http.queue_response(connection, MHD_HTTP_OK, listener->pages[form]);
}

static void drop_page(struct listener *listener, enum metrics_form form)
{
    if (listener->pages[form])
        listener->http.destroy_response(listener->pages[form]); /* freed when not in transit */
    listener->pages[form] = NULL;
}

void listener_give(struct listener *listener, enum metrics_form form, char *text, size_t length)
{
    static const char *const types[METRICS_FORMS] = {
        [METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
        [METRICS_1_0] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
    };
    drop_page(listener, form);
    struct MHD_Response *page =
        listener->http.create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
    listener->http.add_response_header(page, MHD_HTTP_HEADER_CONTENT_TYPE, types[form]);
    listener->http.add_response_header(page, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
    listener->pages[form] = page;
}

static struct MHD_Response *short_page(struct listener *listener, const char *text)
{
    struct MHD_Response *page = listener->http.create_response_from_buffer(
        strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
    listener->http.add_response_header(page, MHD_HTTP_HEADER_CONTENT_TYPE,
                                       "text/plain; charset=utf-8");
    return page;
}

struct listener *listener_new(int door, const struct page_source *source, uint64_t delay,
                              struct err *err)
{
    struct listener *listener = mem_alloc(sizeof(*listener));
    *listener = (struct listener){
        .source = *source, .door = door, .timer = -1, .events = -1, .patience = 3 * delay + LATE};
    listener->due = clock_monotonic() + listener->patience;
    gethostname(listener->name, HOST_NAME_MAX);
    if (http_load(&listener->http, err) < 0) {
        listener_free(listener);
        return NULL;
    }
    listener->missing = short_page(listener, "there are only /metrics and /healthz\n");
    listener->foreign = short_page(
        listener, "the header Host is not this machine: ask by address, by localhost or by the "
                  "machine's name; a proxy has to send one of these, or use --listen unix:PATH\n");
    listener->bad =
        short_page(listener, "expected one header Host, one length of a body, and no %00 or "
                             "control character\n");
    listener->http.add_response_header(listener->bad, MHD_HTTP_HEADER_CONNECTION, "close");
    listener->healthy = short_page(listener, "ok\n");
    listener->late = short_page(listener, "no interval has ended in time\n");
    listener->absent = short_page(listener, "the counters did not come in time\n");
    listener->refused = short_page(listener, "there is only GET\n");
    listener->http.add_response_header(listener->refused, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    listener->daemon = listener->http.start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, listen_answer, listener,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CROWD_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEADER_MAX, MHD_OPTION_NOTIFY_CONNECTION, note_connection, listener,
        MHD_OPTION_UNESCAPE_CALLBACK, listen_unescape, listener, MHD_OPTION_NOTIFY_COMPLETED,
        note_answer, listener, MHD_OPTION_END);
    bool made = listener->daemon != NULL;
    if (made) {
        listener->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        listener->events = epoll_create1(EPOLL_CLOEXEC);
        const int fds[] = {
            listener->door, listener->timer,
            listener->http.get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd};
        struct epoll_event in = {.events = EPOLLIN};
        for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
            made &= epoll_ctl(listener->events, EPOLL_CTL_ADD, fds[i], &in) == 0;
    }
    if (!made) {
        listener_free(listener);
        err_set(err, "cannot listen: no server could be made");
        return NULL;
    }
    return listener;
}

static void drop_pages(struct listener *listener)
{
    for (int form = 0; form < METRICS_FORMS; form++)
        drop_page(listener, (enum metrics_form)form);
}

void listener_renew(struct listener *listener)
{
    drop_pages(listener);
    listener->due = clock_monotonic() + listener->patience;
}

void listener_free(struct listener *listener)
{
    if (!listener)
        return;
    if (listener->daemon)
        listener->http.stop_daemon(listener->daemon);
    if (listener->events >= 0)
        close(listener->events);
    if (listener->timer >= 0)
        close(listener->timer);
    drop_pages(listener);
    struct MHD_Response *const pages[] = {listener->missing, listener->bad,     listener->refused,
                                          listener->foreign, listener->healthy, listener->late,
                                          listener->absent};
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
        if (pages[i])
            listener->http.destroy_response(pages[i]);
    free(listener);
}

int listener_fd(const struct listener *listener)
{
    return listener->events;
}

void listener_run(struct listener *listener)
{
    struct guest *late;
    uint64_t now = clock_monotonic();
    while ((late = crowd_late(&listener->crowd, now)))
        send_away(late);
    listener->http.run(listener->daemon);
    take_all(listener, now);
    /* Sets the timer for deadlines that no descriptor reports. */
    MHD_UNSIGNED_LONG_LONG wait;
    uint64_t until = crowd_deadline(&listener->crowd);
    now = clock_monotonic();
    if (listener->paused && listener->paused < until)
        until = listener->paused;
    if (listener->http.get_timeout(listener->daemon, &wait) == MHD_YES &&
        wait < (until - now) / 1000000)
        until = now + wait * 1000000;
    struct itimerspec when = {0};
    if (until != UINT64_MAX)
        when.it_value = clock_span(until > now ? until - now : 1);
    timerfd_settime(listener->timer, 0, &when, NULL);
}
