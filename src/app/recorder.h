/* Keeps intervals: in the file of --record, and, for a terminal, the last ones in memory
 * (--rewind), which playback.h reads. */
#ifndef APP_RECORDER_H
#define APP_RECORDER_H

#include "app/startup.h"
#include "metric/machine.h"
#include "model/frame.h"
#include "record/writer.h"
#include "view/view.h"

struct recorder {
    struct writer *file;   /* NULL: none is written, or no longer */
    struct writer *memory; /* NULL: nothing is kept */
    uint64_t bytes;        /* of memory */
    struct run_facts facts;
    struct err failure; /* why the file ended early, "" when it did not */
};

/* Opens what the options ask for, before anything is counted. The lookup outlives the recorder. -1
 * with a message. */
int recorder_open(struct recorder *recorder, const struct options *options,
                  const struct machine *machine, const struct view_lookup *lookup, struct err *err);

/* Keeps the frame of an interval, each once, in order, if there is a file or memory, whichever
 * frame is shown. If the file cannot be written it ends there, and the notice of setup's session
 * says so; counting goes on. */
void recorder_take(struct recorder *recorder, struct startup *setup, const struct frame *interval);

void recorder_close(struct recorder *recorder);

#endif
