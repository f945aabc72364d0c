#include "app/recorder.h"
#include "app/program.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/frame_snapshot.h"

#include <stdlib.h>

static char *recorder_list_names(const struct machine *machine)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < machine->count; i++)
        str_printf(&text, "%s%s", i ? "\n" : "", machine->names[i]);
    return str_detach(&text);
}

int recorder_open(struct program *program, struct err *err)
{
    const struct options *options = &program->options;
    const struct view_lookup *lookup = proc_lookup_view(program->lookup);
    struct recorder *recorder = &program->recorder;
    struct writer_options wanted = {
        .path = options->record,
        .force = options->force,
        .facts = {lookup->ctx, lookup->user, lookup->cmdline, lookup->cgroup},
    };
    recorder->known_as = recorder_list_names(&program->definitions.machine);
    if (options->record && !(recorder->file = writer_open(&wanted, err)))
        return -1;
    wanted.path = NULL;
    if (!options->batch && options->rewind && !(recorder->memory = writer_open(&wanted, err)))
        return -1;
    return 0;
}

bool recorder_wants(const struct program *program)
{
    return program->recorder.file || program->recorder.memory;
}

static void stop_file(struct program *program, const struct err *why)
{
    struct recorder *recorder = &program->recorder;
    unsigned long long kept = writer_intervals(recorder->file);
    err_set(&recorder->failure, "%s; recording ended, %llu interval%s of it %s in the file",
            why->text, kept, kept == 1 ? "" : "s", kept == 1 ? "is" : "are");
    startup_trouble(&program->setup, recorder->failure.text);
    writer_close(recorder->file);
    recorder->file = NULL;
}

void recorder_take(struct program *program, const struct frame *interval)
{
    struct recorder *recorder = &program->recorder;
    const struct session *session = &program->setup.session;
    struct run_facts facts = {COUNTERTOP_VERSION, recorder->known_as,
                              program->definitions.machine.ghz_nominal};
    struct err err;
    if (!recorder_wants(program))
        return;
    struct snapshot *snapshot = frame_snapshot_of_frame(interval, 0);
    if (recorder->file && writer_take(recorder->file, session, &facts, snapshot, &err) < 0)
        stop_file(program, &err);
    /* What cannot be kept in memory is only missed when one looks back. */
    if (recorder->memory && writer_take(recorder->memory, session, &facts, snapshot, NULL) == 0)
        writer_trim(recorder->memory, program->options.rewind << 20, NULL);
    snapshot_free(snapshot);
}

void recorder_close(struct program *program)
{
    writer_close(program->recorder.file);
    writer_close(program->recorder.memory);
    free(program->recorder.known_as);
}
