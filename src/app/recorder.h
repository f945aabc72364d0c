/* Where intervals are kept: in the file of --record, and, for a terminal, the last of them in
 * memory (--rewind), where timeline.h finds them. */
#ifndef APP_RECORDER_H
#define APP_RECORDER_H

#include "base/err.h"
#include "model/frame.h"
#include "record/writer.h"

struct program;

struct recorder {
    struct writer *file;   /* NULL: none is written, or no longer */
    struct writer *memory; /* NULL: nothing is kept */
    char *known_as;        /* the machine's names, a line each */
    struct err failure;    /* why the file ended early, "" when it did not */
};

/* Opens what the options ask for; the lookup is there. Before anything is counted. -1 with a
 * message. */
int recorder_open(struct program *program, struct err *err);

/* Whether the frame of each interval is wanted, even where another one is shown. */
bool recorder_wants(const struct program *program);

/* Keeps the frame of an interval, each once, in order. Where the file cannot be written that is the
 * end of the file, and a notice says so; counting and showing go on. */
void recorder_take(struct program *program, const struct frame *interval);

void recorder_close(struct program *program);

#endif
