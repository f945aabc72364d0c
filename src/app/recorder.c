#include "app/recorder.h"
#include "model/delta.h"

static struct writer_options options_for(const char *path, const struct view_lookup *lookup)
{
    return (struct writer_options){.path = path,
                                   .lookup = {lookup->ctx, lookup->user, lookup->cmdline,
                                              lookup->cgroup, lookup->container,
                                              proc_lookup_next_wait}};
}

int recorder_open(struct recorder *recorder, const struct options *options,
                  const struct machine *machine, const struct view_lookup *lookup, struct err *err)
{
    struct writer_options wanted = options_for(options->record, lookup);
    AUTO_STR struct str names = str_new();
    bool looks_back = !options->batch && options->rewind;
    wanted.force = options->force;
    for (size_t i = 0; i < machine->names.count; i++)
        str_printf(&names, "%s%s", i ? "\n" : "", machine->names.items[i]);
    wanted.facts = (struct run_facts){COUNTERTOP_VERSION, names.text, machine->ghz_nominal};
    recorder->bytes = looks_back ? options->rewind << 20 : 0;
    if (options->when && recorder->bytes < ALARM_BYTES)
        recorder->bytes = ALARM_BYTES;
    if (options->record && !(recorder->file = writer_open(&wanted, err)))
        return -1;
    wanted.path = NULL;
    if (recorder->bytes && !(recorder->memory = writer_open(&wanted, err)))
        return -1;
    return 0;
}

int recorder_copy(struct recorder *to, const struct recorder *from,
                  const struct view_lookup *lookup, const char *path, double seconds,
                  struct err *err)
{
    const struct writer_options wanted = options_for(path, lookup);
    *to = (struct recorder){.file = writer_copy(from->memory, &wanted, seconds, err)};
    return to->file ? 0 : -1;
}

/* ---- intervals that wait ---- */

enum { WAITING_BYTES = 64 << 20, CLOSE_MS = 5000 };

/* About the memory that an interval takes, bytes. */
static size_t recorder_bytes(const struct snapshot *interval)
{
    const struct profile *profile = interval->profile;
    size_t counts = counts_size(interval->events);
    size_t bytes = sizeof(struct waiting_interval) + sizeof(*interval) +
                   interval->process_count * sizeof(*interval->processes) +
                   interval->task_count * (sizeof(*interval->tasks) + counts);
    if (profile)
        bytes += profile->site_count * (sizeof(*profile->sites) + profile->events * 8) +
                 profile->chain_count * sizeof(*profile->chains);
    return bytes;
}

/* Takes ownership of the interval. */
static void add_waiting(struct recorder *recorder, const struct session *session,
                        struct snapshot *interval)
{
    size_t bytes = recorder_bytes(interval);
    if (recorder->waiting_count && recorder->waiting_bytes + bytes > WAITING_BYTES) {
        recorder->lost++;
        snapshot_free(interval);
        return;
    }
    recorder->waiting_bytes += bytes;
    struct waiting_interval *waiting =
        MEM_ADD(recorder->waiting, recorder->waiting_count, recorder->waiting_room);
    waiting->interval = interval;
    session_copy(&waiting->session, session);
}

static void remove_waiting(struct recorder *recorder, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct waiting_interval *waiting = &recorder->waiting[i];
        recorder->waiting_bytes -= recorder_bytes(waiting->interval);
        snapshot_free(waiting->interval);
        session_release(&waiting->session);
    }
    recorder->waiting_count -= count;
    if (recorder->waiting_count)
        memmove(recorder->waiting, recorder->waiting + count,
                recorder->waiting_count * sizeof(*recorder->waiting));
}

/* Writes what waits in its order; returns what writer_take() did. */
static int write_waiting(struct recorder *recorder, struct err *err)
{
    size_t written = 0;
    int result = 0;
    while (result == 0 && written < recorder->waiting_count) {
        const struct waiting_interval *waiting = &recorder->waiting[written];
        result = writer_take(recorder->file, &waiting->session, waiting->interval, err);
        written += result == 0;
    }
    remove_waiting(recorder, written);
    return result;
}

static void report_lost(struct recorder *recorder, struct err *err)
{
    err_set(err, "%s; %llu interval%s missing", recorder->locked.text, recorder->lost,
            recorder->lost == 1 ? " is" : "s are");
}

/* ---- recording ---- */

static void recorder_fail(struct recorder *recorder, const struct err *why)
{
    unsigned long long kept = writer_intervals(recorder->file);
    err_set(&recorder->failure, "%s; recording ended, %llu interval%s of it %s in the file",
            why->text, kept, kept == 1 ? "" : "s", kept == 1 ? "is" : "are");
}

static void recorder_write(struct recorder *recorder, struct startup *setup)
{
    struct err err, notice = {""};
    bool reported = recorder->locked.text[0];
    int result = write_waiting(recorder, &err);
    if (result < 0) {
        recorder_fail(recorder, &err);
        startup_trouble(setup, recorder->failure.text);
        remove_waiting(recorder, recorder->waiting_count);
        writer_close(recorder->file);
        recorder->file = NULL;
        return;
    }
    /* A lock that is gone at the next interval is not worth a word. */
    if (result > 0 && (recorder->waiting_count > 1 || recorder->lost))
        recorder->locked = err;
    if (recorder->lost)
        report_lost(recorder, &notice);
    else if (recorder->waiting_count > 1)
        err_set(&notice, "%s; intervals wait in memory", err.text);
    else
        recorder->locked.text[0] = '\0';
    if (reported || *notice.text)
        startup_trouble(setup, *notice.text ? notice.text : NULL);
}

void recorder_take(struct recorder *recorder, struct startup *setup, const struct frame *interval)
{
    const struct session *session = &setup->session;
    struct snapshot *snapshot = frame_snapshot_of_frame(interval, 0);
    /* A failure in memory is not reported: the interval is just missing from the past. */
    if (recorder->memory && writer_take(recorder->memory, session, snapshot, NULL) == 0)
        writer_trim(recorder->memory, recorder->bytes, NULL);
    if (recorder->memory && recorder->seconds > 0)
        writer_keep(recorder->memory, recorder->seconds);
    if (!recorder->file) {
        snapshot_free(snapshot);
        return;
    }
    add_waiting(recorder, session, snapshot);
    recorder_write(recorder, setup);
}

int recorder_close(struct recorder *recorder, struct err *err)
{
    if (recorder->file) {
        writer_wait(recorder->file, CLOSE_MS);
        if (recorder->waiting_count && write_waiting(recorder, &recorder->locked) != 0)
            writer_wait(recorder->file, 0);
        bool left = writer_commit(recorder->file, &recorder->locked) != 0;
        recorder->lost += recorder->waiting_count + left;
        remove_waiting(recorder, recorder->waiting_count);
        struct err why;
        if (writer_check(recorder->file, &why) < 0)
            recorder_fail(recorder, &why);
    }
    if (recorder->lost && !*recorder->failure.text)
        report_lost(recorder, &recorder->failure);
    writer_close(recorder->file);
    writer_close(recorder->memory);
    free(recorder->waiting);
    return *recorder->failure.text ? err_set(err, "%s", recorder->failure.text) : 0;
}
