/* The stages of the start: each fails in turn, before and after it has opened what it opens. Then
 * nothing stays open, no process and no thread is left, and the terminal is as it was. */
#include "app/program.h"
#include "base/mem.h"
#include "base/str.h"
#include "in_child.h"
#include "unit/test.h"
#include "wrap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <string.h>
#include <termios.h>

/* TABLE: stages of the program; SCREEN takes the screen. */
enum { FAILED = 7, SCREEN = 5, TABLE = 8, ALL = TABLE, WORDS = 16 };

/* ---- the order ---- */

static char order[16];

static int note(char letter, int code)
{
    order[strlen(order)] = letter;
    return code;
}

static int open_a(struct program *program, struct err *err)
{
    (void)program, (void)err;
    return note('a', 0);
}

static int open_b(struct program *program, struct err *err)
{
    return note('b', program ? err_set(err, "no") + 1 + FAILED : 0);
}

static void close_a(struct program *program)
{
    (void)program;
    note('A', 0);
}

static void close_b(struct program *program)
{
    (void)program;
    note('B', 0);
}

static int run_ab(struct program *program, struct err *err)
{
    (void)program, (void)err;
    return note('r', 3);
}

static const struct stage first_two[] = {{"a", open_a, close_a}, {"b", open_b, close_b}, {0}};

int __real_stages_run(const struct stage *stages,
                      int (*run)(struct program *program, struct err *err), struct program *program,
                      struct err *err);

static void they_close_in_reverse(void **state)
{
    struct err err = {""};
    assert_int_equal(__real_stages_run(first_two, run_ab, NULL, &err), 3);
    assert_string_equal(order, "abrBA");
    memset(order, 0, sizeof(order));
    assert_int_equal(__real_stages_run(first_two, run_ab, (struct program *)order, &err), FAILED);
    assert_string_equal(order, "abBA");
    assert_string_equal(err.text, "no");
}

/* ---- the program ---- */

/* What fails, of the table that the program gives. */
static struct {
    const struct stage *real;
    size_t failing; /* the stage; ALL: none */
    bool after;     /* it opens before it fails */
    bool runs;      /* the program runs, if none fails */
    size_t opened;
} trial;

static int try_open(struct program *program, struct err *err)
{
    size_t stage = trial.opened++;
    bool fails = stage == trial.failing;
    int code = fails && !trial.after ? 0 : trial.real[stage].open(program, err);
    return code ? code : fails ? err_set(err, "it fails") + 1 + FAILED : 0;
}

static void try_close(struct program *program)
{
    trial.real[--trial.opened].close(program);
}

static int run_nothing(struct program *program, struct err *err)
{
    (void)program;
    return err_set(err, "it fails") + 1 + FAILED;
}

WRAP(int, stages_run, const struct stage *stages,
     int (*run)(struct program *program, struct err *err), struct program *program, struct err *err)
{
    struct stage tried[TABLE + 1] = {{0}};
    trial.real = stages;
    for (size_t i = 0; i < TABLE; i++)
        tried[i] = (struct stage){stages[i].name, try_open, try_close};
    assert_null(stages[TABLE].name);
    return __real_stages_run(tried, trial.runs ? run : run_nothing, program, err);
}

static int run_program(const char *const *given, struct err *err)
{
    /* In the sandbox nobody can look for leaks. */
    char *words[WORDS + 3] = {"countertop", "--no-config", "--no-sandbox"};
    int count = 3;
    while (*given)
        words[count++] = (char *)*given++;
    struct options options;
    struct config config;
    struct definitions definitions;
    struct child_heritage heritage = {.environment = environ};
    child_heritage_keep(&heritage);
    definitions_init(&definitions);
    config_init(&config);
    int code = EXIT_FAILURE;
    struct reader *reader = NULL;
    if (cmdline_parse(&options, count, words, err) == 0 && definitions_load(&definitions, err) == 0)
        code = !options.replay || (reader = reader_open(options.replay, err))
                   ? program_run(&options, &config, &definitions, reader, &heritage, err)
                   : EXIT_FAILURE;
    definitions_release(&definitions);
    config_release(&config);
    options_release(&options);
    return code;
}

/* The open descriptors, or with "task" the threads. */
static void list_own(const char *what, struct str *list)
{
    char path[32];
    snprintf(path, sizeof(path), "/proc/self/%s", what);
    DIR *folder = opendir(path);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (*entry->d_name != '.' && atoi(entry->d_name) != dirfd(folder))
            str_printf(list, " %s", entry->d_name);
    closedir(folder);
}

static struct {
    char recording[64], socket[64], kept[64]; /* files */
    const char *words[WORDS];
} given;

/* Whether nothing is left of a start that fails. */
static bool fails_cleanly(void)
{
    struct err err = {""};
    static struct termios before, after; /* with padding of 0 */
    struct str had = str_new(), has = str_new();
    tcgetattr(STDIN_FILENO, &before);
    list_own("fd", &had);
    list_own("task", &had);
    int code = run_program(given.words, &err);
    tcgetattr(STDIN_FILENO, &after);
    list_own("fd", &has);
    list_own("task", &has);
    bool same = str_equal(had.text, has.text), modes = !memcmp(&before, &after, sizeof(before));
    bool alone = waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
    bool clean = same && modes && alone && code == FAILED && str_equal(err.text, "it fails") &&
                 trial.opened == 0 && access(given.socket, F_OK) < 0;
    if (!clean)
        fprintf(stderr, "stage %zu: %d '%s', descriptors and threads%s before,%s now%s%s\n",
                trial.failing, code, err.text, had.text, has.text, modes ? "" : ", other modes",
                alone ? "" : ", a process is left");
    str_release(&had);
    str_release(&has);
    return clean;
}

/* Has a terminal of its own; returns how often its screen was taken, and given back. */
static void count_screens(size_t *taken, size_t *back)
{
    struct winsize size = {.ws_col = 100, .ws_row = 30};
    struct str shown = str_new();
    int terminal, status, errors = fcntl(STDERR_FILENO, F_DUPFD, 100);
    pid_t pid = forkpty(&terminal, NULL, NULL, &size);
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(errors, STDERR_FILENO);
        close(errors);
        setenv("TERM", "xterm", 1);
        exit(fails_cleanly() ? PASSED : EXIT_FAILURE);
    }
    close(errors);
    char bytes[4096];
    for (ssize_t got; (got = read(terminal, bytes, sizeof(bytes))) > 0;)
        str_add_n(&shown, bytes, (size_t)got);
    close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), PASSED);
    *taken = *back = 0;
    for (const char *at = shown.text; (at = strstr(at, "\033[?1049")); at++) {
        *taken += at[7] == 'h';
        *back += at[7] == 'l';
    }
    str_release(&shown);
}

static bool records(void)
{
    struct err err = {""};
    const char *const words[] = {"-b", "-n", "2", "-d", "0.05", "--record", given.recording, NULL};
    trial.runs = true;
    trial.failing = ALL;
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    if (run_program(words, &err) == 0)
        return true;
    fprintf(stderr, "%s\n", err.text);
    _exit(strstr(err.text, "cannot count") ? IMPOSSIBLE : EXIT_FAILURE);
}

static int begin(void **state)
{
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(given.recording, sizeof(given.recording), "%s/%d.db", folder, (int)getpid());
    snprintf(given.kept, sizeof(given.kept), "%s/%d.kept.db", folder, (int)getpid());
    snprintf(given.socket, sizeof(given.socket), "%s/%d.socket", folder, (int)getpid());
    return 0;
}

static int end(void **state)
{
    char *command = mem_printf("rm -f %s* %s*", given.recording, given.kept);
    int status = system(command);
    free(command);
    return status;
}

static void a_recording_is_made(void **state)
{
    in_child(records);
}

/* The words are those of the command line. */
static void each_fails(const char *const *words)
{
    size_t taken, back;
    if (access(given.recording, F_OK) < 0)
        skip();
    memcpy(given.words, words, WORDS * sizeof(*words));
    for (size_t stage = 0; stage < TABLE; stage++)
        for (int after = 0; after < 2; after++) {
            trial.failing = stage;
            trial.after = after;
            count_screens(&taken, &back);
            assert_int_equal(taken, stage > SCREEN || (stage == SCREEN && after));
            assert_int_equal(back, taken);
        }
    trial.failing = ALL;
    count_screens(&taken, &back);
    assert_int_equal(taken, 1);
    assert_int_equal(back, 1);
}

static void of_a_command(void **state)
{
    char *address = mem_printf("unix:%s", given.socket);
    const char *const words[WORDS] = {"--record",   given.kept,      "--listen", address,
                                      "--baseline", given.recording, "--sample", "cpu-clock",
                                      "--",         "sleep",         "600"};
    each_fails(words);
    free(address);
}

static void of_a_workload(void **state)
{
    const char *const words[WORDS] = {"--demo", "branch-random", "--threads"};
    each_fails(words);
}

static void of_a_replay(void **state)
{
    const char *const words[WORDS] = {"--replay", given.recording};
    each_fails(words);
}
