#include "host.h"
#include "base/clock.h"
#include "base/mem.h"
#include "mode.h"
#include "screensave.h"
#include "target.h"

#include <stdlib.h>

/* Changes what is watched, and shown; `change` works on a copy. */
static int change_watch(struct program *program, const char *text, struct err *err,
                        int (*change)(struct watch *watch, const char *text, struct err *err))
{
    struct watch *shown = &view_settings(program->view)->watch, next;
    if (selection_check(&program->selection, err) < 0)
        return -1;
    watch_copy(&next, &program->setup.session.watch);
    int result = change(&next, text, err);
    if (result == 0)
        result = counter_set_watch(program->counter, &next, err);
    if (result == 0) {
        watch_release(&program->setup.session.watch);
        watch_copy(&program->setup.session.watch, &next);
        watch_release(shown);
        watch_copy(shown, &next);
    }
    watch_release(&next);
    return result;
}

static int attach(void *ctx, const char *list, struct err *err)
{
    return change_watch(ctx, list, err, target_add);
}

static int let_go(void *ctx, const char *list, struct err *err)
{
    return change_watch(ctx, list, err, watch_remove);
}

static int set_user(void *ctx, const char *user, struct err *err)
{
    return change_watch(ctx, user, err, target_user);
}

static int set_delay(void *ctx, double seconds, struct err *err)
{
    struct program *program = ctx;
    if (!(seconds >= DELAY_LEAST && seconds <= DELAY_MOST))
        return err_set(err, "no delay: expected seconds from %g to %g", DELAY_LEAST,
                       (double)DELAY_MOST);
    if (selection_check(&program->selection, err) < 0)
        return -1;
    program->setup.session.delay = seconds;
    counter_set_delay(program->counter, (uint64_t)(seconds * 1e9));
    return 0;
}

static void set_idle(void *ctx, bool idle)
{
    struct program *program = ctx;
    if (program->counter)
        counter_set_idle(program->counter, idle);
}

static void set_threads(void *ctx, bool threads)
{
    struct program *program = ctx;
    if (program->counter)
        counter_set_threads(program->counter, threads);
}

static int set_mode(void *ctx, enum count_mode mode, struct err *err)
{
    struct program *program = ctx;
    if (selection_check(&program->selection, err) < 0 ||
        mode_set(&program->setup, program->counter, mode, err) < 0)
        return -1;
    program->selection.mode = mode;
    return 0;
}

static struct frame *total(void *ctx)
{
    struct program *program = ctx;
    return program->whole ? whole_frame(program->whole) : NULL;
}

static int save(void *ctx, const char *name, char **path, struct err *err)
{
    struct program *program = ctx;
    char *directory = library_directory(program->options.directory);
    *path = screensave_write(directory, name, program->view, &program->setup.events, err);
    free(directory);
    return *path ? 0 : -1;
}

static void refresh(void *ctx)
{
    struct program *program = ctx;
    if (program->counter)
        counter_refresh(program->counter);
}

void host_fill(struct program *program)
{
    program->host = (struct front_host){
        .ctx = program,
        .events = selection_calls(&program->selection),
        .attach = attach,
        .let_go = let_go,
        .set_user = set_user,
        .set_delay = set_delay,
        .set_idle = set_idle,
        .set_threads = set_threads,
        .set_mode = set_mode,
        .total = total,
        .save = save,
        .refresh = refresh,
    };
}
