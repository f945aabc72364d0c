#include "app/host.h"
#include "app/app_metrics.h"
#include "app/app_screens.h"
#include "app/app_watch.h"
#include "app/mode.h"
#include "app/save_screen.h"
#include "base/clock.h"
#include "base/mem.h"
#include "system/process.h"

#include <stdlib.h>
#include <unistd.h>

/* Changes what is watched, and shown; `change` works on a copy. */
static int change_watch(struct program *program, const char *text, struct err *err,
                        int (*change)(struct watch *watch, const char *text, struct err *err))
{
    struct watch *shown = &view_settings(program->view)->watch, next;
    bool replay = program->playback.replay;
    if (!replay && app_events_check(&program->selection, err) < 0)
        return -1;
    watch_copy(&next, &program->setup.session.watch);
    int result = change(&next, text, err);
    program->playback.watched |= result == 0;
    if (result == 0 && !replay)
        result = sampler_set_watch(program->sampler, &next, err);
    if (result == 0) {
        watch_release(&program->setup.session.watch);
        watch_copy(&program->setup.session.watch, &next);
        watch_release(shown);
        watch_copy(shown, &next);
    }
    watch_release(&next);
    return result;
}

static int host_attach(void *ctx, const char *list, struct err *err)
{
    bool replay = ((struct program *)ctx)->playback.replay; /* nobody in it has to be there now */
    return change_watch(ctx, list, err, replay ? watch_add_processes : app_watch_add);
}

static int host_let_go(void *ctx, const char *list, struct err *err)
{
    return change_watch(ctx, list, err, watch_remove);
}

static int host_set_user(void *ctx, const char *user, struct err *err)
{
    return change_watch(ctx, user, err, app_watch_user);
}

static int host_set_delay(void *ctx, double seconds, struct err *err)
{
    struct program *program = ctx;
    if (!(seconds >= DELAY_LEAST && seconds <= DELAY_MOST))
        return err_set(err, "no delay: expected seconds from %g to %g", DELAY_LEAST,
                       (double)DELAY_MOST);
    if (app_events_check(&program->selection, err) < 0)
        return -1;
    program->setup.session.delay = seconds;
    sampler_set_delay(program->sampler, (uint64_t)(seconds * 1e9));
    return 0;
}

static void host_set_idle(void *ctx, bool idle)
{
    struct program *program = ctx;
    if (program->sampler)
        sampler_set_idle(program->sampler, idle);
}

static void host_set_threads(void *ctx, bool threads)
{
    struct program *program = ctx;
    if (program->sampler)
        sampler_set_threads(program->sampler, threads);
}

static int set_mode(void *ctx, enum count_mode mode, struct err *err)
{
    struct program *program = ctx;
    if (app_events_check(&program->selection, err) < 0 ||
        mode_set(&program->setup, program->sampler, mode, err) < 0)
        return -1;
    program->selection.mode = mode;
    return 0;
}

static struct frame *total(void *ctx)
{
    struct program *program = ctx;
    if (program->playback.at)
        return playback_total(program);
    return program->totals ? totals_frame(program->totals) : NULL;
}

static int host_save(void *ctx, const char *name, char **path, struct err *err)
{
    struct program *program = ctx;
    char *directory = definitions_directory(program->options.directory);
    *path = save_screen_write(directory, name, program->view, &program->definitions.metric_set,
                              &program->setup.events, err);
    free(directory);
    return *path ? 0 : -1;
}

/* The options that would begin with what is shown now. */
static struct options options_now(const struct program *program, const struct front_look *look)
{
    struct options now = program->options;
    now.view = *view_settings(program->view);
    if (!program->playback.replay) { /* else these are the recording's */
        now.mode = program->selection.mode;
        now.delay = program->setup.session.delay;
    }
    now.bars = look->bars;
    now.view.amount = look->amount;
    now.theme = look->theme;
    now.view.ascii = look->ascii;
    return now;
}

static int host_save_settings(void *ctx, const struct front_look *look, char **path,
                              struct err *err)
{
    struct program *program = ctx;
    struct options now = options_now(program, look);
    char *directory = definitions_directory(program->options.directory);
    *path = config_save(&program->config, directory, &now, err);
    free(directory);
    return *path ? 0 : -1;
}

static void refresh(void *ctx)
{
    struct program *program = ctx;
    if (program->sampler)
        sampler_refresh(program->sampler);
    if (program->playback.replay)
        playback_refresh(&program->playback);
}

static int host_hold(void *ctx, pid_t pid, uint64_t seen, struct err *err)
{
    const struct program *program = ctx;
    if (program->playback.replay)
        return err_set(err, "a recording is on show: nobody in it is there to be sent a signal");
    if (program->playback.at)
        return err_set(err, "what is on show is over: go back to now to send signals");
    return process_hold(pid, seen, err);
}

static int send_signal(void *ctx, int held, pid_t pid, int signal, struct err *err)
{
    (void)ctx;
    return process_signal(held, pid, signal, err);
}

static void host_drop(void *ctx, int held)
{
    (void)ctx;
    close(held);
}

void host_fill(struct program *program)
{
    program->host = (struct front_host){
        .ctx = program,
        .events = app_events_calls(&program->selection),
        .processes = {.ctx = program, .hold = host_hold, .signal = send_signal, .drop = host_drop},
        .screens = app_screens_calls(program),
        .metrics = app_metrics_calls(program),
        .time = playback_calls(program),
        .attach = host_attach,
        .let_go = host_let_go,
        .set_user = host_set_user,
        .set_delay = host_set_delay,
        .set_idle = host_set_idle,
        .set_threads = host_set_threads,
        .set_mode = set_mode,
        .total = total,
        .save = host_save,
        .save_settings = host_save_settings,
        .refresh = refresh,
    };
}
