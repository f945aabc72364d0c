#include "front/listen.h"
#include "front/address.h"

#include <netinet/in.h>

/* Bytes for a request header; connections accepted in a row before the loop does other work. */
enum { HEADER_MAX = 16384, TAKEN_MAX = 64 };
/* ns without accepting after descriptors ran out; the kernel does not report free ones. */
static const uint64_t PAUSE = 1000000000;
/* ns by which an interval may be late, besides two whole ones, before /healthz reports it. */
static const uint64_t LATE = 10000000000;

/* A connection: its request is read, then the answer is written, and so on. */
struct client {
    struct guest guest; /* first, since the crowd has it */
    char request[HEADER_MAX];
    size_t length;     /* of what is read of it, and of what follows */
    struct str answer; /* "": none is being sent */
    size_t sent;
    bool last;  /* no request is read after this answer */
    bool ended; /* that was sent: what comes is dropped until the client closes the connection */
};

struct listener {
    struct page_source source;
    int door;        /* borrowed */
    uint64_t paused; /* no connection is accepted before this time; 0: not paused */
    struct crowd crowd;
    struct metrics_page {
        char *text; /* NULL: not requested yet in this interval */
        size_t length;
    } pages[METRICS_FORMS];
    uint64_t due;                 /* when /healthz reports that no interval ended */
    uint64_t patience;            /* ns from the end of an interval until then */
    char name[HOST_NAME_MAX + 1]; /* of this machine */
};

/* ---- the connections that there may be ---- */

bool crowd_add(struct crowd *crowd, struct guest *guest, const struct sockaddr *from)
{
    enum { PREFIX = 8 };
    if (crowd->count == CROWD_MAX)
        return false;
    memset(guest->address, 0, sizeof(guest->address));
    if (from->sa_family == AF_INET6)
        memcpy(guest->address, &((const struct sockaddr_in6 *)from)->sin6_addr, PREFIX);
    else if (from->sa_family == AF_INET)
        memcpy(guest->address + PREFIX, &((const struct sockaddr_in *)from)->sin_addr,
               sizeof(struct in_addr));
    crowd->guests[crowd->count++] = guest;
    return true;
}

void crowd_remove(struct crowd *crowd, const struct guest *guest)
{
    for (size_t i = 0; i < crowd->count; i++)
        if (crowd->guests[i] == guest)
            crowd->guests[i--] = crowd->guests[--crowd->count];
}

struct guest *crowd_victim(const struct crowd *crowd)
{
    struct guest *victim = NULL;
    size_t most = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        struct guest *guest = crowd->guests[i];
        size_t count = 0;
        for (size_t j = 0; j < crowd->count; j++)
            count += memcmp(crowd->guests[j]->address, guest->address, sizeof(guest->address)) == 0;
        bool longer = victim && (guest->asked != victim->asked ? victim->asked
                                                               : guest->since < victim->since);
        if (!victim || count > most || (count == most && longer)) {
            victim = guest;
            most = count;
        }
    }
    return victim;
}

static uint64_t deadline_of(const struct guest *guest)
{
    uint64_t seconds = guest->asked ? CROWD_ANSWER_SECONDS : CROWD_ASK_SECONDS;
    return guest->since + seconds * 1000000000;
}

struct guest *crowd_first(const struct crowd *crowd, uint64_t *deadline)
{
    struct guest *first = NULL;
    *deadline = UINT64_MAX;
    for (size_t i = 0; i < crowd->count; i++)
        if (deadline_of(crowd->guests[i]) < *deadline) {
            first = crowd->guests[i];
            *deadline = deadline_of(first);
        }
    return first;
}

/* ---- answers ---- */

struct reply {
    const char *status, *headers, *text;
    size_t length; /* of the text */
};

static const char plain[] = "Content-Type: text/plain; charset=utf-8\r\n";

static struct reply short_reply(const char *status, const char *text)
{
    return (struct reply){status, plain, text, strlen(text)};
}

/* request NULL: it cannot be understood. */
static struct reply choose_reply(struct listener *listener, const struct client *client,
                                 const struct http_request *request)
{
    static const char *const headers[METRICS_FORMS] = {
        [METRICS_TEXT] = "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
                         "Vary: Accept\r\n",
        [METRICS_1_0] = "Content-Type: application/openmetrics-text; version=1.0.0; "
                        "charset=utf-8\r\nVary: Accept\r\n",
    };
    if (!request)
        return short_reply("400 Bad Request",
                           "expected one header Host, one length of a body, and no %00 or control "
                           "character\n");
    if (client->guest.loopback && !authority_is_own(request->host, listener->name))
        return short_reply("421 Misdirected Request",
                           "the header Host is not this machine: ask by address, by localhost or "
                           "by the machine's name; a proxy has to send one of these, or use "
                           "--listen unix:PATH\n");
    bool health = strcmp(request->path, "/healthz") == 0;
    if (!health && strcmp(request->path, "/metrics") != 0)
        return short_reply("404 Not Found", "there are only /metrics and /healthz\n");
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "HEAD") != 0) {
        struct reply refusal = short_reply("405 Method Not Allowed", "there is only GET\n");
        refusal.headers = "Allow: GET, HEAD\r\nContent-Type: text/plain; charset=utf-8\r\n";
        return refusal;
    }
    if (health && clock_monotonic() < listener->due)
        return short_reply("200 OK", "ok\n");
    if (health)
        return short_reply("503 Service Unavailable", "no interval has ended in time\n");
    enum metrics_form form = accept_openmetrics(request->accept) ? METRICS_1_0 : METRICS_TEXT;
    const struct metrics_page *page = &listener->pages[form];
    if (!page->text)
        listener->source.ask(listener->source.ctx, form);
    if (!page->text)
        return short_reply("503 Service Unavailable", "the counters did not come in time\n");
    return (struct reply){"200 OK", headers[form], page->text, page->length};
}

/* Answers the request that has been read. False: it is not whole. */
static bool client_answer(struct listener *listener, struct client *client)
{
    struct http_request request;
    static const char empty[] = "\r\n";
    while (client->length >= 2 && memcmp(client->request, empty, 2) == 0) /* RFC 9112, 2.2 */
        memmove(client->request, client->request + 2, client->length -= 2);
    const char *end = memmem(client->request, client->length, "\r\n\r\n", 4);
    size_t used = end ? (size_t)(end + 4 - client->request) : client->length;
    if (client->ended || (!end && used < sizeof(client->request)))
        return false;
    client->guest.asked = true;
    client->guest.since = clock_monotonic();
    bool good = end && http_request_read(&request, client->request, used);
    client->last = !good || request.last;
    struct reply reply = choose_reply(listener, client, good ? &request : NULL);
    bool head = good && strcmp(request.method, "HEAD") == 0;
    time_t now = time(NULL);
    struct tm tm;
    char date[64];
    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &tm));
    str_printf(&client->answer, "HTTP/1.1 %s\r\nDate: %s\r\n%s%sContent-Length: %zu\r\n\r\n",
               reply.status, date, reply.headers, client->last ? "Connection: close\r\n" : "",
               reply.length);
    str_add_n(&client->answer, reply.text, head ? 0 : reply.length);
    memmove(client->request, client->request + used, client->length -= used);
    return true;
}

/* ---- connections ---- */

static void client_close(struct listener *listener, struct guest *guest)
{
    struct client *client = (struct client *)guest;
    crowd_remove(&listener->crowd, guest);
    close(guest->fd);
    str_release(&client->answer);
    free(client);
}

/* Reads and writes what is possible without waiting. False: the client is gone. */
static bool client_serve(struct listener *listener, struct client *client)
{
    struct guest *guest = &client->guest;
    struct str *answer = &client->answer;
    if (!answer->length) {
        ssize_t got = recv(guest->fd, client->request + client->length,
                           sizeof(client->request) - client->length, 0);
        if (got <= 0)
            return got < 0 && (errno == EAGAIN || errno == EINTR);
        client->length += client->ended ? 0 : (size_t)got;
    }
    while (answer->length || client_answer(listener, client)) {
        ssize_t sent = send(guest->fd, answer->text + client->sent, answer->length - client->sent,
                            MSG_NOSIGNAL);
        if (sent < 0)
            return errno == EAGAIN || errno == EINTR;
        client->sent += (size_t)sent;
        if (client->sent < answer->length)
            continue;
        str_clear(answer);
        client->sent = 0;
        guest->asked = false;
        guest->since = clock_monotonic();
        if (client->last) { /* what was not read would take the answer away: tcp(7), RFC 1122 */
            if (shutdown(guest->fd, SHUT_WR) < 0)
                return false;
            client->ended = true;
            client->length = 0;
        }
    }
    return true;
}

/* Whether a connection came to an address that only this machine has. */
static bool is_loopback(int fd)
{
    struct address own = {.length = sizeof(own.storage)};
    return getsockname(fd, (struct sockaddr *)&own.storage, &own.length) == 0 &&
           address_is_loopback(&own);
}

static void take_all(struct listener *listener)
{
    for (int i = 0; i < TAKEN_MAX; i++) {
        struct sockaddr_storage from = {0};
        socklen_t length = sizeof(from);
        int fd = accept4(listener->door, (struct sockaddr *)&from, &length,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0 && errno == EAGAIN)
            return; /* nothing is pending */
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
            listener->paused = clock_monotonic() + PAUSE;
            return;
        }
        if (fd < 0) /* the connection is gone: accept(2) reports that */
            continue;
        if (listener->crowd.count == CROWD_MAX)
            client_close(listener, crowd_victim(&listener->crowd));
        struct client *client = mem_alloc(sizeof(*client));
        client->guest =
            (struct guest){.fd = fd, .since = clock_monotonic(), .loopback = is_loopback(fd)};
        client->answer = str_new();
        crowd_add(&listener->crowd, &client->guest, (struct sockaddr *)&from);
        if (!client_serve(listener, client)) /* before it may give way to others */
            client_close(listener, &client->guest);
    }
}

bool listener_run(struct listener *listener, int other)
{
    enum { OTHER, DOOR, CLIENTS };
    struct pollfd fds[CLIENTS + CROWD_MAX] = {
        {.fd = other, .events = POLLIN},
        {.fd = listener->paused ? -1 : listener->door, .events = POLLIN}};
    struct crowd before = listener->crowd;
    uint64_t now = clock_monotonic(), until;
    struct guest *first;
    crowd_first(&before, &until);
    for (size_t i = 0; i < before.count; i++) {
        const struct client *client = (const struct client *)before.guests[i];
        fds[CLIENTS + i].fd = client->guest.fd;
        fds[CLIENTS + i].events = client->answer.length ? POLLOUT : POLLIN;
    }
    if (listener->paused && listener->paused < until)
        until = listener->paused;
    int wait = until == UINT64_MAX ? -1 : until > now ? (int)((until - now) / 1000000) + 1 : 0;
    if (poll(fds, CLIENTS + before.count, other < 0 ? 0 : wait) < 0)
        return false; /* EINTR */
    for (size_t i = 0; i < before.count; i++)
        if (fds[CLIENTS + i].revents && !client_serve(listener, (struct client *)before.guests[i]))
            client_close(listener, before.guests[i]);
    now = clock_monotonic();
    while ((first = crowd_first(&listener->crowd, &until)) && until <= now)
        client_close(listener, first);
    listener->paused = listener->paused > now ? listener->paused : 0;
    if (fds[DOOR].revents)
        take_all(listener);
    return fds[OTHER].revents != 0;
}

/* ---- pages ---- */

static void drop_page(struct listener *listener, enum metrics_form form)
{
    mem_replace(&listener->pages[form].text, NULL);
}

void listener_give(struct listener *listener, enum metrics_form form, char *text, size_t length)
{
    drop_page(listener, form);
    listener->pages[form] = (struct metrics_page){text, length};
}

void listener_renew(struct listener *listener)
{
    for (int form = 0; form < METRICS_FORMS; form++)
        drop_page(listener, (enum metrics_form)form);
    listener->due = clock_monotonic() + listener->patience;
}

struct listener *listener_new(int door, const struct page_source *source, uint64_t delay)
{
    struct listener *listener = mem_alloc(sizeof(*listener));
    *listener = (struct listener){.source = *source, .door = door, .patience = 3 * delay + LATE};
    gethostname(listener->name, sizeof(listener->name) - 1);
    listener_renew(listener);
    return listener;
}

void listener_free(struct listener *listener)
{
    listener_renew(listener);
    while (listener->crowd.count)
        client_close(listener, listener->crowd.guests[0]);
    free(listener);
}
