#include "app/host.h"
#include "app/program.h"
#include "base/socket.h"
#include "system/sandbox.h"
#include "view/baseline.h"

#include <sys/wait.h>

/* The rows that have names, which mean the same at another time. */
static const struct {
    enum view_kind kind;
    enum view_level level;
} named[] = {
    {VIEW_COMMANDS, LEVEL_CPU}, {VIEW_USERS, LEVEL_CPU},     {VIEW_CGROUPS, LEVEL_CPU},
    {VIEW_CPUS, LEVEL_CPU},     {VIEW_CPUS, LEVEL_CORE},     {VIEW_CPUS, LEVEL_SOCKET},
    {VIEW_CPUS, LEVEL_TYPE},    {VIEW_FUNCTIONS, LEVEL_CPU},
};
enum { NAMED = sizeof(named) / sizeof(*named) };

struct baselines {
    enum count_mode mode; /* in which the recording was counted */
    struct baseline *of[NAMED];
};

/* ---- the process that reads the recording ---- */

static struct view *baseline_view(const struct host *host, struct reader *reader,
                                  struct proc_lookup *lookup, size_t number)
{
    struct view *view = view_new(&host->definitions->metric_set, &host->definitions->screens,
                                 proc_lookup_view(lookup));
    view_change(view, &(struct view_settings){.kind = named[number].kind,
                                              .level = named[number].level,
                                              .terminal = true, /* all columns it may have */
                                              .watch = reader_session(reader)->watch});
    /* What the recording does not have is not compared. */
    view_choose_screen(view, host->options->screen, false, NULL);
    return view;
}

/* Adds an interval to the histories of the views, whose frame it becomes. */
static int baseline_add(struct view *const views[NAMED], struct frame **frame,
                        struct reader *reader, int64_t interval, struct err *err)
{
    struct frame *next = replay_frame(reader, interval, err);
    if (!next)
        return -1;
    if (next->interval <= 0) {
        frame_free(next);
        return 0;
    }
    for (size_t n = 0; n < NAMED; n++) {
        view_set_frame(views[n], next);
        view_record(views[n], next, false);
    }
    frame_free(*frame);
    *frame = next;
    return 0;
}

/* An empty message, the mode, then the baselines. -1 with a message that is to be sent instead. */
static int baselines_send(const struct host *host, int to, struct err *err)
{
    struct view *views[NAMED];
    struct frame *frame = NULL;
    int64_t first, last;
    struct reader *reader = replay_read(host->options->baseline, NULL, err);
    if (!reader)
        return -1;
    struct proc_lookup *lookup = proc_lookup_new();
    proc_lookup_use(lookup, reader);
    for (size_t n = 0; n < NAMED; n++)
        views[n] = baseline_view(host, reader, lookup, n);
    if (reader_span(reader, &first, &last, err) < 0)
        return -1;
    if (last - first >= HISTORY_LENGTH)
        first = last - HISTORY_LENGTH + 1;
    for (int64_t interval = first; interval <= last; interval++)
        if (baseline_add(views, &frame, reader, interval, err) < 0)
            return -1;
    struct err none = {""};
    enum count_mode mode = reader_session(reader)->mode;
    socket_send(to, &none, sizeof(none));
    socket_send(to, &mode, sizeof(mode));
    for (size_t n = 0; n < NAMED; n++)
        view_send_baseline(views[n], to);
    return 0;
}

static _Noreturn void become_baselines_child(const struct host *host, int to)
{
    struct err err = {""};
    log_close();
    file_close_from(STDERR_FILENO + 1, &to, 1);
    privilege_drop();
    if (!host->options->no_sandbox) {
        sandbox_enter(SANDBOX_READ);
        confine_read(host->options->baseline);
    }
    if (baselines_send(host, to, &err) < 0)
        socket_send(to, &err, sizeof(err));
    _exit(EXIT_SUCCESS);
}

/* ---- this process ---- */

struct baselines *baselines_read(const struct host *host, struct err *err)
{
    const char *path = host->options->baseline, *slash = strrchr(path, '/');
    struct err answer;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
        return err_null(err, "cannot read '%s': %s", path, err_reason(errno));
    pid_t pid = fork();
    if (pid == 0)
        become_baselines_child(host, ends[1]);
    close(ends[1]);
    struct baselines *baselines = NULL;
    if (pid < 0 || !socket_receive(ends[0], &answer, sizeof(answer))) {
        err_set(err, "cannot read '%s': its reader has ended", path);
    } else if (*answer.text) {
        answer.text[sizeof(answer.text) - 1] = '\0';
        err_set(err, "%s", answer.text);
    } else {
        baselines = mem_alloc(sizeof(*baselines));
        socket_receive(ends[0], &baselines->mode, sizeof(baselines->mode));
        for (size_t n = 0; n < NAMED; n++)
            baselines->of[n] = baseline_receive(ends[0], slash ? slash + 1 : path);
    }
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return baselines;
}

void baselines_free(struct baselines *baselines)
{
    for (size_t n = 0; baselines && n < NAMED; n++)
        baseline_free(baselines->of[n]);
    free(baselines);
}

int host_take_baseline(struct host *host, struct err *err)
{
    if (!host->baselines)
        return view_take_baseline(host->view, err);
    if (host->baselines->mode != host->setup.session.mode)
        return err_set(err, "cannot compare with '%s': it was counted in another mode ('--mode')",
                       host->options->baseline);
    for (size_t n = 0; n < NAMED; n++)
        if (host->baselines->of[n] && view_lend_baseline(host->view, host->baselines->of[n]))
            return 0;
    if (view_settings(host->view)->kind == VIEW_TASKS)
        return err_set(err, "the tasks of a recording are others: choose a view of commands, "
                            "users, cgroups or CPUs");
    return err_set(err, "the recording has no such rows: choose another view");
}

void baselines_follow(struct host *host)
{
    if (host->baselines && view_baseline_is_elsewhere(host->view))
        host_take_baseline(host, NULL);
}
