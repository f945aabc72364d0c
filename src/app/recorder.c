#include "app/recorder.h"
#include "base/str.h"
#include "model/frame_snapshot.h"

#include <stdlib.h>

int recorder_open(struct recorder *recorder, const struct options *options,
                  const struct machine *machine, const struct view_lookup *lookup, struct err *err)
{
    struct writer_options wanted = {
        .path = options->record,
        .force = options->force,
        .lookup = {lookup->ctx, lookup->user, lookup->cmdline, lookup->cgroup},
    };
    struct str names;
    str_init(&names);
    for (size_t i = 0; i < machine->count; i++)
        str_printf(&names, "%s%s", i ? "\n" : "", machine->names[i]);
    recorder->facts =
        (struct run_facts){COUNTERTOP_VERSION, str_detach(&names), machine->ghz_nominal};
    recorder->bytes = options->rewind << 20;
    if (options->record && !(recorder->file = writer_open(&wanted, err)))
        return -1;
    wanted.path = NULL;
    if (!options->batch && options->rewind && !(recorder->memory = writer_open(&wanted, err)))
        return -1;
    return 0;
}

void recorder_take(struct recorder *recorder, struct startup *setup, const struct frame *interval)
{
    const struct session *session = &setup->session;
    struct err err;
    struct snapshot *snapshot = frame_snapshot_of_frame(interval, 0);
    if (recorder->file &&
        writer_take(recorder->file, session, &recorder->facts, snapshot, &err) < 0) {
        unsigned long long kept = writer_intervals(recorder->file);
        err_set(&recorder->failure, "%s; recording ended, %llu interval%s of it %s in the file",
                err.text, kept, kept == 1 ? "" : "s", kept == 1 ? "is" : "are");
        startup_trouble(setup, recorder->failure.text);
        writer_close(recorder->file);
        recorder->file = NULL;
    }
    /* A failure in memory is not reported: the interval is just missing from the past. */
    if (recorder->memory &&
        writer_take(recorder->memory, session, &recorder->facts, snapshot, NULL) == 0)
        writer_trim(recorder->memory, recorder->bytes, NULL);
    snapshot_free(snapshot);
}

void recorder_close(struct recorder *recorder)
{
    writer_close(recorder->file);
    writer_close(recorder->memory);
    free((char *)recorder->facts.known_as);
}
