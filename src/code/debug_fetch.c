#include "code/debug_fetch.h"
#include "system/helper.h"

#include <poll.h>
#include <sys/socket.h>

struct debug_fetch {
    int socket; /* keeps messages apart */
    uint32_t number;
    uint64_t done, all; /* atomic */
    uint32_t cancelled; /* number of a fetch; atomic */
};

/* What is set in an environment; NULL: nothing. */
static const char *environment_value(char **environment, const char *name)
{
    for (size_t length = strlen(name); *environment; environment++)
        if (strncmp(*environment, name, length) == 0)
            return *environment + length;
    return NULL;
}

struct debug_fetch *debug_fetch_start(char **environment, struct err *err)
{
    const char *servers = environment_value(environment, "DEBUGINFOD_URLS=");
    struct helper helper;
    int fd;
    struct fetch_note ready = {0};
    if (!servers || !servers[strspn(servers, " ")])
        return err_null(err,
                        "--debuginfod: no server is named: set DEBUGINFOD_URLS, for example to "
                        "'https://debuginfod.elfutils.org/'");
    /* What libdebuginfod, libcurl and the TLS libraries read. */
    static const char *const variables[] = {
        "DEBUGINFOD_",  "XDG_CACHE_HOME=", "HOME=",         "http_proxy=",   "https_proxy=",
        "HTTPS_PROXY=", "all_proxy=",      "ALL_PROXY=",    "no_proxy=",     "NO_PROXY=",
        "TMPDIR=",      "SSL_CERT_FILE=",  "SSL_CERT_DIR=", "OPENSSL_CONF=", NULL};
    const struct helper_command command = {.name = "countertop-fetch",
                                           .type = SOCK_SEQPACKET,
                                           .variables = variables,
                                           .environment = environment};
    if (helper_start(&helper, &command, err) < 0)
        return NULL;
    if (!fetch_note_take(helper.socket, &ready, &fd) || *ready.text) {
        err_set(err, "%s",
                *ready.text ? ready.text
                            : "cannot fetch debug files: 'countertop-fetch' has ended");
        helper_end(&helper);
        return NULL;
    }
    log_line("debuginfod: process %d, servers %s", (int)helper.pid, servers);
    return mem_copy(&(struct debug_fetch){.socket = helper.socket}, sizeof(struct debug_fetch));
}

/* The process sees that the socket is closed, ends what it has started, and itself. Nobody waits
 * for it. */
void debug_fetch_stop(struct debug_fetch *fetch)
{
    if (!fetch)
        return;
    close(fetch->socket);
    free(fetch);
}

uint32_t debug_fetch_number(struct debug_fetch *fetch)
{
    __atomic_store_n(&fetch->done, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&fetch->all, 0, __ATOMIC_RELAXED);
    return ++fetch->number;
}

/* Takes the next note. False: the process is gone, or has not answered in time since the fetch was
 * cancelled; *left: steps until then. */
static bool take_note(struct debug_fetch *fetch, uint32_t number, struct fetch_note *note, int *fd,
                      int *left)
{
    enum { STEP = 200 }; /* ms */
    struct pollfd pair = {.fd = fetch->socket, .events = POLLIN};
    while (*left > 0) {
        bool cancelled = __atomic_load_n(&fetch->cancelled, __ATOMIC_RELAXED) == number;
        if (poll(&pair, 1, STEP) > 0) {
            *left -= cancelled;
            return fetch_note_take(fetch->socket, note, fd);
        }
        *left -= cancelled;
    }
    return false;
}

int debug_fetch_file(struct debug_fetch *fetch, uint32_t number, const unsigned char *build_id,
                     size_t size, char **reason)
{
    enum { STEPS = 20 }; /* more than countertop-fetch needs to end what it has started */
    struct fetch_note note = {.what = FETCH_FILE, .number = number, .size = (uint32_t)size};
    int fd, left = STEPS;
    memcpy(note.build_id, build_id, size);
    bool sent = fetch_note_send(fetch->socket, &note, -1, 0);
    while (sent && take_note(fetch, number, &note, &fd, &left)) {
        if (note.number == number && note.what == FETCH_DONE && fd >= 0)
            return fd;
        if (fd >= 0) /* of a fetch that was cancelled too late */
            close(fd);
        if (note.number != number)
            continue;
        __atomic_store_n(&fetch->done, note.done, __ATOMIC_RELAXED);
        __atomic_store_n(&fetch->all, note.all, __ATOMIC_RELAXED);
        if (note.what != FETCH_PROGRESS) {
            *reason = mem_strdup(note.text);
            return -1;
        }
    }
    *reason = mem_strdup("the process that fetches does not answer");
    return -1;
}

void debug_fetch_cancel(struct debug_fetch *fetch, uint32_t number)
{
    __atomic_store_n(&fetch->cancelled, number, __ATOMIC_RELAXED);
    fetch_note_send(fetch->socket, &(struct fetch_note){.what = FETCH_CANCEL, .number = number}, -1,
                    MSG_DONTWAIT);
}

void debug_fetch_progress(const struct debug_fetch *fetch, uint64_t *done, uint64_t *all)
{
    *done = __atomic_load_n(&fetch->done, __ATOMIC_RELAXED);
    *all = __atomic_load_n(&fetch->all, __ATOMIC_RELAXED);
}
