#include "app/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "front/door.h"
#include "front/listen.h"
#include "system/path_rules.h"
#include "system/privilege.h"
#include "system/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a client waits for a page until it is refused, ns; and how long the process may take to
 * end until it is killed, ms. */
static const uint64_t PATIENCE = 5000000000;
enum { GRACE = 1000 };

/* Descriptors that both processes have. Each has its own end of the pair, a socket that keeps
 * messages apart. The files are in memory, with the last page of each form: one is written when the
 * page is asked for, and read before it is asked for again. */
enum { DOOR, PAIR, FILES, SHARED = FILES + METRICS_FORMS };

/* From the server: the number of the form that it wants. To the server: that form, and the length
 * of its page, 0 if there is none; or RENEW. */
enum { RENEW = METRICS_FORMS };
struct page_note {
    uint32_t what;
    uint32_t length;
};

/* The first message from the server. */
struct ready {
    struct err err; /* "": it will serve */
    bool confined;
};

struct server {
    struct door door;
    char *url;
    int fds[SHARED]; /* -1: not open */
    pid_t pid;       /* 0: it has ended */
    uint64_t time;
    bool sent[METRICS_FORMS]; /* in this interval */
};

/* ---- the process that serves ---- */

struct serving {
    const int *fds;
    struct listener *listener;
    bool asked[METRICS_FORMS]; /* the page, which has not come yet */
    bool silent;               /* the last wait had no answer: do not wait again */
};

/* Waits for a message, handles it and returns its kind. Exits if the other side has ended. */
static uint32_t serving_take(struct serving *serving)
{
    struct page_note note;
    if (recv(serving->fds[PAIR], &note, sizeof(note), 0) != sizeof(note))
        _exit(EXIT_SUCCESS);
    serving->silent = false;
    if (note.what == RENEW) {
        listener_renew(serving->listener);
        return RENEW;
    }
    serving->asked[note.what] = false;
    char *text = mem_alloc(note.length + 1);
    int file = serving->fds[FILES + note.what];
    if (note.length > 0 && pread(file, text, note.length, 0) == (ssize_t)note.length)
        listener_give(serving->listener, note.what, text, note.length);
    else
        free(text);
    return note.what;
}

static void serving_ask(void *ctx, enum metrics_form form)
{
    struct serving *serving = ctx;
    struct pollfd pair = {.fd = serving->fds[PAIR], .events = POLLIN};
    uint32_t wanted = form;
    uint64_t now = clock_monotonic(), end = now + PATIENCE;
    if (serving->silent ||
        (!serving->asked[form] && send(pair.fd, &wanted, sizeof(wanted), MSG_DONTWAIT) < 0))
        return;
    serving->asked[form] = true;
    for (; now < end; now = clock_monotonic())
        if (poll(&pair, 1, (int)((end - now) / 1000000) + 1) > 0 && serving_take(serving) == form)
            return;
    serving->silent = true;
}

/* Ignores signals of the terminal's keys and those to a whole service: the other side handles them,
 * and this process ends with it. */
static void leave_terminal(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        signal(ignored[i], SIG_IGN);
    int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
}

static void close_others(const int fds[SHARED])
{
    for (unsigned from = STDERR_FILENO + 1, next = 0; next < ~0u; from = next + 1) {
        next = ~0u;
        for (size_t i = 0; i < SHARED; i++)
            if ((unsigned)fds[i] >= from && (unsigned)fds[i] < next)
                next = (unsigned)fds[i];
        close_range(from, next - 1, 0);
    }
}

static _Noreturn void become_server(const int fds[SHARED], uint64_t delay, bool sandbox)
{
    static const struct rlimit none = {0, 0};
    struct ready ready = {.err = {""}};
    struct serving serving = {.fds = fds};
    const struct page_source source = {serving_ask, &serving};
    log_close();
    leave_terminal();
    close_others(fds);
    prctl(PR_SET_NAME, "countertop-http");
    tzset(); /* reads a file */
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    /* Before the rest, since loading the library needs more. */
    serving.listener = listener_new(fds[DOOR], &source, delay, &ready.err);
    if (serving.listener && !privilege_leave(true))
        err_set(&ready.err, "cannot listen: the server cannot give up its rights");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sandbox)
        path_rules_enter(path_rules_new()); /* also without seccomp */
    ready.confined = sandbox && sandbox_enter(SANDBOX_SERVE);
    if (send(fds[PAIR], &ready, sizeof(ready), 0) < 0 || *ready.err.text)
        _exit(EXIT_FAILURE);
    serving_take(&serving); /* the first message: from then on the other side answers */
    struct pollfd waits[] = {{.fd = listener_fd(serving.listener), .events = POLLIN},
                             {.fd = fds[PAIR], .events = POLLIN}};
    for (;;) {
        poll(waits, 2, -1);
        if (waits[0].revents)
            listener_run(serving.listener);
        if (waits[1].revents &&
            poll(&waits[1], 1, 0) > 0) /* unless a request has read the message */
            serving_take(&serving);
    }
}

/* ---- this process ---- */

/* Makes the process; 0, or -1 with a message. */
static int server_fork(struct server *server, uint64_t delay, bool sandbox, struct err *err)
{
    struct ready ready;
    int ends[2] = {-1, -1}, *fds = server->fds;
    bool made = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
    for (size_t i = FILES; i < SHARED; i++)
        made = made && (fds[i] = memfd_create("page", MFD_CLOEXEC)) >= 0;
    fds[PAIR] = ends[1];
    server->pid = made ? fork() : -1;
    if (server->pid == 0)
        become_server(fds, delay, sandbox);
    int error = errno;
    if (ends[1] >= 0)
        close(ends[1]);
    fds[PAIR] = ends[0];
    close(fds[DOOR]); /* nobody listens when the server has ended */
    server->door.fd = fds[DOOR] = -1;
    if (server->pid < 0) {
        server->pid = 0;
        return err_set(err, "cannot listen: cannot start a process: %s", strerror(error));
    }
    if (recv(fds[PAIR], &ready, sizeof(ready), 0) != sizeof(ready))
        return err_set(err, "cannot listen: the server has ended");
    if (*ready.err.text)
        return err_set(err, "%s", ready.err.text);
    log_line("server: process %d, sandbox: %s", (int)server->pid,
             ready.confined ? "entered" : "not possible");
    return 0;
}

struct server *server_start(const struct address *address, uint64_t delay, bool sandbox,
                            struct err *err)
{
    struct door door;
    if (door_open(&door, address, err) < 0)
        return NULL;
    struct server *server = mem_alloc(sizeof(*server));
    *server = (struct server){.door = door, .url = door_url(&door)};
    for (size_t i = 0; i < SHARED; i++)
        server->fds[i] = i == DOOR ? door.fd : -1;
    if (server_fork(server, delay, sandbox, err) == 0)
        return server;
    server_stop(server);
    return NULL;
}

/* Ends the process; returns its status as of waitpid(2). */
static int end_serving(struct server *server)
{
    int status = 0;
    server_time(server);
    /* -1: the kernel has reaped it for a program that was started with SIGCHLD ignored. */
    if (waitpid(server->pid, &status, WNOHANG) == 0) {
        kill(server->pid, SIGKILL);
        while (waitpid(server->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    server->pid = 0;
    return status;
}

void server_stop(struct server *server)
{
    enum { LEFT = 64 }; /* messages that it may have sent */
    if (!server)
        return;
    if (server->pid) {
        struct pollfd pair = {.fd = server->fds[PAIR], .events = POLLIN};
        uint32_t ignored;
        shutdown(pair.fd, SHUT_WR);
        for (int i = 0; i < LEFT && poll(&pair, 1, GRACE) > 0; i++)
            if (recv(pair.fd, &ignored, sizeof(ignored), 0) <= 0)
                break;
        end_serving(server);
    }
    for (size_t i = PAIR; i < SHARED; i++)
        if (server->fds[i] >= 0)
            close(server->fds[i]);
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
    const struct page_note note = {what, (uint32_t)length};
    send(server->fds[PAIR], &note, sizeof(note), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void server_renew(struct server *server)
{
    memset(server->sent, 0, sizeof(server->sent));
    server_send(server, RENEW, 0);
}

int server_fd(const struct server *server)
{
    return server->fds[PAIR];
}

static void send_page(const struct server *server, const struct exporter *exporter,
                      enum metrics_form form)
{
    struct str text;
    str_init(&text);
    metrics_write(exporter, form, &text);
    ssize_t written = pwrite(server->fds[FILES + form], text.text, text.length, 0);
    server_send(server, form, written == (ssize_t)text.length ? text.length : 0);
    str_release(&text);
}

int server_answer(struct server *server, const struct exporter *exporter, struct err *err)
{
    uint32_t form;
    ssize_t got = recv(server->fds[PAIR], &form, sizeof(form), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got == sizeof(form) && form < METRICS_FORMS) {
        if (!server->sent[form])
            send_page(server, exporter, form);
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
    uint64_t time = server->pid ? clock_cpu_of(server->pid) : 0;
    if (time > server->time)
        server->time = time;
    return server->time;
}
