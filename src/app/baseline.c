#include "app/baseline.h"
#include "app/replay.h"
#include "model/frame_snapshot.h"
#include "view/baseline.h"

#include <string.h>

/* A view of the recording with the columns and kind of rows of the view shown. */
static struct view *baseline_view(const struct host *host, struct reader *reader,
                                  struct proc_lookup *lookup)
{
    const struct view_settings *shown = view_settings(host->view);
    const struct screen *screen = view_screen(host->view);
    struct view *view = view_new(&host->definitions->metric_set, &host->definitions->screens,
                                 proc_lookup_view(lookup));
    struct view_settings *settings = view_settings(view);
    struct err ignored; /* what the recording does not have is not compared */
    settings->kind = shown->kind;
    settings->level = shown->level;
    settings->threads = shown->threads;
    settings->terminal = true; /* all columns that it may have */
    watch_copy(&settings->watch, &reader_session(reader)->watch);
    if (screen)
        view_choose_screen(view, screen->name, &ignored);
    return view;
}

/* Adds an interval to the history of the view, whose frame it becomes. */
static int baseline_add(struct view *view, struct frame **frame, struct reader *reader,
                        int64_t interval, struct err *err)
{
    struct snapshot *snapshot = reader_read(reader, interval, false, err);
    if (!snapshot)
        return -1;
    struct frame *next = frame_snapshot_frame(snapshot, (uint64_t)interval);
    snapshot_free(snapshot);
    if (next->interval <= 0) {
        frame_free(next);
        return 0;
    }
    view_set_frame(view, next);
    view_record(view, next, false);
    frame_free(*frame);
    *frame = next;
    return 0;
}

int host_take_baseline(struct host *host, struct err *err)
{
    const char *path = host->options->baseline;
    const char *slash = path ? strrchr(path, '/') : NULL;
    int64_t first, last;
    if (!path)
        return view_take_baseline(host->view, err);
    if (view_settings(host->view)->kind == VIEW_TASKS)
        return err_set(err, "the tasks of a recording are others: choose a view of commands, "
                            "users, cgroups or CPUs");
    struct reader *reader = replay_read(path, err);
    if (!reader)
        return -1;
    struct proc_lookup *lookup = proc_lookup_new();
    proc_lookup_use(lookup, reader);
    struct view *view = baseline_view(host, reader, lookup);
    struct frame *frame = NULL;
    int result = 0;
    reader_span(reader, &first, &last);
    if (last - first >= HISTORY_LENGTH)
        first = last - HISTORY_LENGTH + 1;
    for (int64_t interval = first; interval <= last && result == 0; interval++)
        result = baseline_add(view, &frame, reader, interval, err);
    if (result == 0)
        result = view_borrow_baseline(host->view, view, slash ? slash + 1 : path, err);
    view_free(view);
    frame_free(frame);
    proc_lookup_free(lookup);
    reader_close(reader);
    return result;
}

void baseline_follow(struct host *host)
{
    struct baseline_facts facts;
    struct err ignored;
    if (host->options->baseline && view_baseline(host->view, &facts) && facts.elsewhere)
        host_take_baseline(host, &ignored);
}
