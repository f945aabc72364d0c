#include "code/debug_fetch.h"
#include "base/clock.h"
#include "base/limit.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/socket.h"
#include "base/str.h"
#include "system/privilege.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOWER = 10, /* the priority of the process that fetches */
    TEXT = 200, /* bytes of a reason */
    /* ms until a process that does not end is killed: where a server does not answer, elfutils
     * 0.192 asks nobody whether to go on. */
    GRACE = 2000,
};
static const uint64_t TOLD_EVERY = 100000000; /* ns */
static const rlim_t MEMORY_MAX = (rlim_t)1 << 30, FILE_MAX = (rlim_t)4 << 30;

/* To the process: FETCH or CANCEL. From it: READY at the start, PROGRESS, and once for each FETCH
 * DONE, with the descriptor, or FAILED. READY with a text: it has ended. */
enum { FETCH, CANCEL, READY, PROGRESS, DONE, FAILED };
struct note {
    uint32_t what, number; /* of the fetch */
    uint64_t done, all;    /* bytes */
    uint32_t size;         /* of the build-id */
    unsigned char build_id[CODE_BUILD_ID_MAX];
    char text[TEXT];
};

struct debug_fetch {
    pid_t pid;
    int socket; /* keeps messages apart */
    uint32_t number;
    uint64_t done, all; /* atomic */
};

/* Sends a note, with a descriptor unless it is -1. */
static void send_note(int socket, const struct note *note, int fd, int flags)
{
    socket_send_files(socket, note, sizeof(*note), &fd, fd >= 0, flags);
}

/* Takes a note; *fd: what came with it, or -1. False: the other side is gone. */
static bool take_note(int socket, struct note *note, int *fd)
{
    return socket_receive_files(socket, note, sizeof(*note), fd, 1);
}

/* ---- the process that fetches a file ---- */

/* Of elfutils' debuginfod.h, which need not be there when this is built. */
struct library {
    void *(*begin)(void);
    int (*find)(void *client, const unsigned char *build_id, int size, char **path);
    void (*set_progress)(void *client, int (*progress)(void *client, long done, long all));
    void (*set_data)(void *client, void *data);
    void (*set_verbose)(void *client, int fd);
};

struct fetching {
    int starter; /* readable: the fetch is to end */
    int report;  /* of the library: a file in memory */
    int socket;  /* of the program */
    struct note note;
    uint64_t told; /* monotonic, ns */
};

/* Not 0: the fetch ends. `done` is a number of bytes only when some are there; before, it counts
 * how often this was called. */
static int tell_progress(void *client, long done, long all)
{
    enum { LOOPS_MAX = 10000 };
    void *(*data)(void *) = (void *(*)(void *))dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");
    struct fetching *fetching = data(client);
    struct pollfd starter = {.fd = fetching->starter, .events = POLLIN};
    uint64_t now = clock_monotonic();
    if (now - fetching->told > TOLD_EVERY) {
        fetching->told = now;
        fetching->note.what = PROGRESS;
        fetching->note.done = done > LOOPS_MAX ? (uint64_t)done : 0;
        fetching->note.all = all > 0 ? (uint64_t)all : 0;
        send_note(fetching->socket, &fetching->note, -1, MSG_DONTWAIT);
    }
    return poll(&starter, 1, 0) != 0;
}

/* Why, of the library's report, if a server answered: its numbers of errors tell less. The line
 * after that of the answer is "url 0 The requested URL returned error: 404". *cache: its directory,
 * which the caller frees. Closes the report. */
static void take_report(int report, char text[TEXT], char **cache)
{
    static const char ANSWER[] = "server response ", CACHE[] = "checking cache dir ";
    char *line = NULL;
    size_t room = 0;
    bool answered = false;
    FILE *file = lseek(report, 0, SEEK_SET) == 0 ? fdopen(report, "r") : NULL;
    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *found = str_starts(line, ANSWER) ? line + sizeof(ANSWER) - 1 : NULL;
        if (answered && str_starts(line, "url ") && (found = strchr(line + sizeof("url"), ' ')))
            found++;
        if (found)
            snprintf(text, TEXT, "%s", found);
        if (str_starts(line, CACHE)) {
            free(*cache);
            *cache = mem_strdup(line + sizeof(CACHE) - 1);
        }
        answered = str_starts(line, ANSWER);
    }
    free(line);
    if (file)
        fclose(file);
}

/* The library remembers each failure, that of a fetch that was ended, too, by an empty file: as if
 * no server had it. And it leaves the file that it was about to write, where nothing had come yet
 * (elfutils 0.192): "debuginfo." and six letters. */
static void forget_failure(const char *cache, const struct note *note)
{
    static const char NAME[] = "debuginfo";
    struct stat facts;
    struct str path;
    str_init(&path);
    str_printf(&path, "%s/", cache);
    for (size_t i = 0; i < note->size; i++)
        str_printf(&path, "%02x", note->build_id[i]);
    DIR *folder = opendir(path.text);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *rest = str_starts(entry->d_name, NAME) ? entry->d_name + strlen(NAME) : "-";
        if ((*rest == '\0' || *rest == '.') &&
            fstatat(dirfd(folder), entry->d_name, &facts, 0) == 0 && S_ISREG(facts.st_mode) &&
            facts.st_size == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
    str_release(&path);
}

/* A file that is larger cannot be written. */
static rlim_t largest_file(void)
{
    unsigned long long wanted;
    const char *text = getenv("DEBUGINFOD_MAXSIZE");
    return text && str_to_u64(text, 1, FILE_MAX, &wanted) ? wanted : FILE_MAX;
}

static _Noreturn void fetch_file(const struct library *library, struct fetching *fetching)
{
    struct note *note = &fetching->note;
    struct rlimit largest = {largest_file(), largest_file()};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "countertop-get");
    limit_addresses(MEMORY_MAX);
    setrlimit(RLIMIT_FSIZE, &largest);
    signal(SIGXFSZ, SIG_IGN); /* so that the library removes what it has written */
    (void)!nice(LOWER);
    void *client = library->begin();
    int fd = -ENOMEM;
    if (client) {
        library->set_data(client, fetching);
        library->set_progress(client, tell_progress);
        library->set_verbose(client, fetching->report);
        fd = library->find(client, note->build_id, (int)note->size, NULL);
    }
    note->what = fd >= 0 ? DONE : FAILED;
    if (fd < 0) {
        static const char NONE[] = "no server has it";
        char *cache = NULL;
        struct pollfd starter = {.fd = fetching->starter, .events = POLLIN};
        snprintf(note->text, TEXT, "%s", fd == -ENOENT ? NONE : strerror(-fd));
        take_report(fetching->report, note->text, &cache);
        bool refused = strcmp(note->text, NONE) == 0 || strstr(note->text, "returned error");
        if (cache && (!refused || poll(&starter, 1, 0) != 0))
            forget_failure(cache, note);
    }
    send_note(fetching->socket, note, fd, 0);
    _exit(EXIT_SUCCESS);
}

/* ---- the process that starts it ---- */

struct starter {
    struct library library;
    int socket;
    pid_t pid;  /* of the process that fetches; 0: none */
    int pair;   /* ... readable: it has ended; -1 */
    int report; /* ... of its library */
    struct note note;
    uint32_t cancelled; /* number of a fetch */
};

static void starter_refuse(const struct starter *starter, struct note *note, const char *text)
{
    note->what = FAILED;
    snprintf(note->text, TEXT, "%s", text);
    send_note(starter->socket, note, -1, 0);
}

/* Ends the process that fetches; its status as of waitpid(2). */
static int starter_end(struct starter *starter)
{
    struct pollfd pair = {.fd = starter->pair, .events = POLLIN};
    char text[TEXT], *cache = NULL;
    int status = 0;
    if (starter->pid == 0)
        return 0;
    shutdown(pair.fd, SHUT_WR);
    if (poll(&pair, 1, GRACE) <= 0)
        kill(starter->pid, SIGKILL);
    while (waitpid(starter->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) {
        take_report(starter->report, text, &cache);
        if (cache)
            forget_failure(cache, &starter->note);
        free(cache);
    } else {
        close(starter->report);
    }
    close(starter->pair);
    starter->pid = 0;
    starter->pair = -1;
    return status;
}

static void starter_begin(struct starter *starter, const struct note *note)
{
    int ends[2];
    starter_end(starter); /* it has answered already */
    starter->note = *note;
    bool paired = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    starter->report = memfd_create("report", MFD_CLOEXEC);
    pid_t pid = paired ? fork() : -1;
    if (pid == 0) {
        struct fetching fetching = {.starter = ends[1],
                                    .report = starter->report,
                                    .socket = starter->socket,
                                    .note = *note};
        close(ends[0]);
        fetch_file(&starter->library, &fetching);
    }
    if (pid < 0)
        starter_refuse(starter, &starter->note, strerror(errno));
    if (paired)
        close(ends[1]);
    if (paired && pid < 0)
        close(ends[0]);
    if (pid < 0)
        close(starter->report);
    starter->pid = pid > 0 ? pid : 0;
    starter->pair = pid > 0 ? ends[0] : -1;
}

static void starter_take(struct starter *starter)
{
    struct note note;
    int fd;
    if (!take_note(starter->socket, &note, &fd)) {
        starter_end(starter);
        _exit(EXIT_SUCCESS);
    }
    bool current = starter->pid && starter->note.number == note.number;
    bool cancelled = note.what == CANCEL;
    if (cancelled)
        starter->cancelled = note.number;
    if (!cancelled && note.number != starter->cancelled) {
        starter_begin(starter, &note);
    } else if (!cancelled || current) {
        starter_refuse(starter, &note, "it was given up");
        if (current)
            starter_end(starter);
    }
}

static void starter_reap(struct starter *starter)
{
    char text[TEXT];
    int status = starter_end(starter);
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof(text), "the process that fetched it was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
        starter_refuse(starter, &starter->note, text);
    }
}

static void load_library(struct library *library, struct note *ready)
{
    void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_GLOBAL);
    const struct {
        void *function;
        const char *name;
    } functions[] = {{&library->begin, "debuginfod_begin"},
                     {&library->find, "debuginfod_find_debuginfo"},
                     {&library->set_progress, "debuginfod_set_progressfn"},
                     {&library->set_data, "debuginfod_set_user_data"},
                     {&library->set_verbose, "debuginfod_set_verbose_fd"}};
    bool good = handle;
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions) && good; i++) {
        void *found = dlsym(handle, functions[i].name);
        memcpy(functions[i].function, &found, sizeof(found));
        good = found;
    }
    if (!good)
        snprintf(ready->text, TEXT, "cannot fetch debug files: install libdebuginfod: %.150s",
                 dlerror());
}

static _Noreturn void become_starter(int socket, char **environment)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE};
    static const struct rlimit none = {0, 0};
    struct starter starter = {.socket = socket, .pair = -1};
    struct note ready = {.what = READY};
    log_close();
    for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
        signal(ignored[i], SIG_IGN); /* it ends with the program */
    signal(SIGCHLD, SIG_DFL);
    int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    close_range(STDERR_FILENO + 1, (unsigned)socket - 1, 0);
    close_range((unsigned)socket + 1, ~0u, 0);
    prctl(PR_SET_NAME, "countertop-web");
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
    privilege_drop();
    environ = environment;
    load_library(&starter.library, &ready);
    send_note(socket, &ready, -1, 0);
    if (*ready.text)
        _exit(EXIT_FAILURE);
    struct pollfd waits[2] = {{.fd = socket, .events = POLLIN}, {.events = POLLIN}};
    for (;;) {
        waits[1].fd = starter.pair;
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[1].revents)
            starter_reap(&starter);
        if (waits[0].revents)
            starter_take(&starter);
    }
}

/* ---- the program ---- */

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
    int ends[2], fd;
    struct note ready;
    if (!servers || !servers[strspn(servers, " ")]) {
        err_set(err, "--debuginfod: no server is named: set DEBUGINFOD_URLS, for example to "
                     "'https://debuginfod.elfutils.org/'");
        return NULL;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        err_set(err, "cannot start a process: %s", strerror(errno));
        return NULL;
    }
    pid_t pid = fork();
    if (pid == 0)
        become_starter(ends[1], environment);
    int error = errno;
    close(ends[1]);
    bool good = pid > 0 && take_note(ends[0], &ready, &fd) && !*ready.text;
    if (!good) {
        err_set(err, "%s", pid < 0 ? strerror(error) : ready.text);
        close(ends[0]);
        if (pid > 0)
            waitpid(pid, NULL, 0);
        return NULL;
    }
    log_line("debuginfod: process %d, servers %s", (int)pid, servers);
    struct debug_fetch *fetch = mem_alloc(sizeof(*fetch));
    *fetch = (struct debug_fetch){.pid = pid, .socket = ends[0]};
    return fetch;
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

int debug_fetch_file(struct debug_fetch *fetch, uint32_t number, const unsigned char *build_id,
                     size_t size, char **reason)
{
    struct note note = {.what = FETCH, .number = number, .size = (uint32_t)size};
    int fd;
    memcpy(note.build_id, build_id, size);
    send_note(fetch->socket, &note, -1, 0);
    while (take_note(fetch->socket, &note, &fd)) {
        if (note.number == number && note.what == DONE && fd >= 0)
            return fd;
        if (fd >= 0) /* of a fetch that was cancelled too late */
            close(fd);
        if (note.number != number)
            continue;
        __atomic_store_n(&fetch->done, note.done, __ATOMIC_RELAXED);
        __atomic_store_n(&fetch->all, note.all, __ATOMIC_RELAXED);
        if (note.what != PROGRESS) {
            note.text[TEXT - 1] = '\0';
            *reason = mem_strdup(note.text);
            return -1;
        }
    }
    *reason = mem_strdup("the process that fetches has ended");
    return -1;
}

void debug_fetch_cancel(struct debug_fetch *fetch, uint32_t number)
{
    send_note(fetch->socket, &(struct note){.what = CANCEL, .number = number}, -1, MSG_DONTWAIT);
}

void debug_fetch_progress(const struct debug_fetch *fetch, uint64_t *done, uint64_t *all)
{
    *done = __atomic_load_n(&fetch->done, __ATOMIC_RELAXED);
    *all = __atomic_load_n(&fetch->all, __ATOMIC_RELAXED);
}
