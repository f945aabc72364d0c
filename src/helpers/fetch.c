/* countertop-fetch: fetches debug files from servers, for code/debug_fetch.h. It starts a process
 * for each file, the only one that opens sockets to others. */
#include "code/debug_fetch.h"
#include "system/helper.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
    LOWER = 10, /* the priority of the process that fetches */
    /* ms until a process that does not end is killed: where a server does not answer, elfutils
     * 0.192 asks nobody whether to go on. */
    GRACE = 2000,
};
static const uint64_t REPORT_EVERY = 100000000; /* ns */
static const rlim_t MEMORY_MAX = (rlim_t)1 << 30, FILE_MAX = (rlim_t)4 << 30;

/* ---- the process that fetches a file ---- */

/* Of elfutils' debuginfod.h, which need not be there when this is built. */
struct library {
    void *(*begin)(void);
    int (*find)(void *client, const unsigned char *build_id, int size, char **path);
    void (*set_progress)(void *client, int (*progress)(void *client, long done, long all));
    void (*set_data)(void *client, void *data);
    void (*set_verbose)(void *client, int fd);
};

/* A process that fetches, which has this, too: as it was when it began. */
struct fetching {
    struct library library;
    struct fetch_note note;
    int report;         /* of the library: a file in memory */
    uint64_t reported;  /* monotonic, ns: of the last note of its progress */
    pid_t pid;          /* 0: none */
    int process;        /* ... readable: it has ended; -1 */
    uint32_t cancelled; /* number of a fetch */
};

/* The starter wants the fetch to end: the signal is blocked. */
static bool is_to_end(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1);
}

/* Not 0: the fetch ends. `done` is a number of bytes only when some are there; before, it counts
 * how often this was called. */
static int tell_progress(void *client, long done, long all)
{
    enum { LOOPS_MAX = 10000 };
    void *(*data)(void *) = (void *(*)(void *))dlsym(RTLD_DEFAULT, "debuginfod_get_user_data");
    struct fetching *fetching = data(client);
    uint64_t now = clock_monotonic();
    if (now - fetching->reported > REPORT_EVERY) {
        fetching->reported = now;
        fetching->note.what = FETCH_PROGRESS;
        fetching->note.done = done > LOOPS_MAX ? (uint64_t)done : 0;
        fetching->note.all = all > 0 ? (uint64_t)all : 0;
        fetch_note_send(STDIN_FILENO, &fetching->note, -1, MSG_DONTWAIT);
    }
    return is_to_end();
}

/* Why, of the library's report, if a server answered: its numbers of errors tell less. The line
 * after that of the answer is "url 0 The requested URL returned error: 404". *cache: its directory,
 * which the caller frees. Closes the report. */
static void take_report(int report, char text[FETCH_TEXT], char **cache)
{
    static const char ANSWER[] = "server response ", CACHE[] = "checking cache dir ";
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    bool answered = false;
    AUTO_FILE FILE *file = lseek(report, 0, SEEK_SET) == 0 ? fdopen(report, "r") : NULL;
    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *found = str_starts(line, ANSWER) ? line + sizeof(ANSWER) - 1 : NULL;
        if (answered && str_starts(line, "url ") && (found = strchr(line + sizeof("url"), ' ')))
            found++;
        if (found)
            snprintf(text, FETCH_TEXT, "%s", found);
        if (str_starts(line, CACHE)) {
            free(*cache);
            *cache = mem_strdup(line + sizeof(CACHE) - 1);
        }
        answered = str_starts(line, ANSWER);
    }
}

/* The library remembers each failure, that of a fetch that was ended, too, by an empty file: as if
 * no server had it. And it leaves the file that it was about to write, where nothing had come yet
 * (elfutils 0.192): "debuginfo." and six letters. */
static void forget_failure(const char *cache, const struct fetch_note *note)
{
    static const char NAME[] = "debuginfo";
    struct stat facts;
    AUTO_STR struct str path = str_new();
    str_printf(&path, "%s/", cache);
    for (size_t i = 0; i < note->size; i++)
        str_printf(&path, "%02x", note->build_id[i]);
    AUTO_FOLDER DIR *folder = opendir(path.text);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *rest = str_starts(entry->d_name, NAME) ? entry->d_name + strlen(NAME) : "-";
        if ((*rest == '\0' || *rest == '.') &&
            fstatat(dirfd(folder), entry->d_name, &facts, 0) == 0 && S_ISREG(facts.st_mode) &&
            facts.st_size == 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
}

/* A file that is larger cannot be written. */
static rlim_t largest_file(void)
{
    unsigned long long wanted;
    const char *text = getenv("DEBUGINFOD_MAXSIZE");
    return text && str_to_u64(text, 1, FILE_MAX, &wanted) ? wanted : FILE_MAX;
}

static _Noreturn void fetch_file(struct fetching *fetching)
{
    const struct library *library = &fetching->library;
    struct fetch_note *note = &fetching->note;
    struct rlimit largest = {largest_file(), largest_file()};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "countertop-get");
    mem_limit(MEMORY_MAX);
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
    note->what = fd >= 0 ? FETCH_DONE : FETCH_FAILED;
    if (fd < 0) {
        static const char NONE[] = "no server has it";
        char *cache = NULL;
        snprintf(note->text, FETCH_TEXT, "%s", fd == -ENOENT ? NONE : strerror(-fd));
        take_report(fetching->report, note->text, &cache);
        bool refused = strcmp(note->text, NONE) == 0 || strstr(note->text, "returned error");
        if (cache && (!refused || is_to_end()))
            forget_failure(cache, note);
    }
    _exit(fetch_note_send(STDIN_FILENO, note, fd, 0) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- the process that starts it ---- */

static void refuse_fetch(struct fetch_note *note, const char *text)
{
    note->what = FETCH_FAILED;
    snprintf(note->text, FETCH_TEXT, "%s", text);
    fetch_note_send(STDIN_FILENO, note, -1, 0);
}

/* Ends the process that fetches; its status as of waitpid(2). */
static int starter_end(struct fetching *starter)
{
    struct pollfd process = {.fd = starter->process, .events = POLLIN};
    char text[FETCH_TEXT];
    AUTO_FREE char *cache = NULL;
    int status = 0;
    if (starter->pid == 0)
        return 0;
    kill(starter->pid, SIGUSR1);
    if (poll(&process, 1, GRACE) <= 0)
        kill(starter->pid, SIGKILL);
    while (waitpid(starter->pid, &status, 0) < 0 && errno == EINTR)
        ;
    take_report(starter->report, text, &cache);
    if (WIFSIGNALED(status) && cache)
        forget_failure(cache, &starter->note);
    file_close(starter->process);
    starter->pid = 0;
    starter->process = -1;
    return status;
}

static void starter_begin(struct fetching *starter, const struct fetch_note *note)
{
    starter_end(starter); /* it has answered already */
    starter->note = *note;
    starter->report = memfd_create("report", MFD_CLOEXEC);
    starter->pid = fork();
    if (starter->pid == 0)
        fetch_file(starter);
    if (starter->pid > 0) {
        starter->process = (int)syscall(SYS_pidfd_open, starter->pid, 0);
        return;
    }
    refuse_fetch(&starter->note, strerror(errno));
    close(starter->report);
    starter->pid = 0;
}

static void starter_take(struct fetching *starter)
{
    struct fetch_note note;
    int fd;
    if (!fetch_note_take(STDIN_FILENO, &note, &fd)) {
        starter_end(starter);
        _exit(EXIT_SUCCESS);
    }
    bool current = starter->pid && starter->note.number == note.number;
    bool cancelled = note.what == FETCH_CANCEL;
    if (cancelled)
        starter->cancelled = note.number;
    if (!cancelled && note.number != starter->cancelled) {
        starter_begin(starter, &note);
    } else if (!cancelled || current) {
        refuse_fetch(&note, "it was given up");
        if (current)
            starter_end(starter);
    }
}

static void starter_reap(struct fetching *starter)
{
    char text[FETCH_TEXT];
    int status = starter_end(starter);
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof(text), "the process that fetched it was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
        refuse_fetch(&starter->note, text);
    } else if (status != 0) {
        refuse_fetch(&starter->note, "what was fetched could not be handed over");
    }
}

static void load_library(struct library *library, struct fetch_note *ready)
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
        snprintf(ready->text, FETCH_TEXT, "cannot fetch debug files: install libdebuginfod: %.150s",
                 dlerror());
}

int main(int argc, char **argv)
{
    struct fetching starter = {.process = -1};
    sigset_t end;
    struct fetch_note ready = {.what = FETCH_READY};
    helper_begin(argc, argv, SOCK_SEQPACKET);
    helper_ignore_signals();
    sigemptyset(&end);
    sigaddset(&end, SIGUSR1);
    sigprocmask(SIG_BLOCK, &end, NULL);
    prctl(PR_SET_NAME, "countertop-web");
    load_library(&starter.library, &ready);
    fetch_note_send(STDIN_FILENO, &ready, -1, 0);
    if (*ready.text)
        return EXIT_FAILURE;
    struct pollfd waits[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};
    for (;;) {
        waits[1].fd = starter.process;
        if (poll(waits, 2, -1) < 0)
            continue;
        if (waits[1].revents)
            starter_reap(&starter);
        if (waits[0].revents)
            starter_take(&starter);
    }
}
