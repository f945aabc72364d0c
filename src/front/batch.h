/* Batch output: the front end of all formats. It keeps the frame and the output; a format (a row of
 * front/formats.h) only writes the text of one refresh. */
#ifndef FRONT_BATCH_H
#define FRONT_BATCH_H

#include "front/exporter.h"
#include "front/front.h"
#include "front/out.h"

/* The values of options that go with one format. */
struct format_options {
    bool epoch, timestamp;         /* text: put the time in front of each row */
    unsigned long long rows;       /* text: at most so many a refresh, 0: all */
    bool run;                      /* text: the one refresh is the whole run of a command */
    bool csv_safe;                 /* csv: nothing in it is a formula to a spreadsheet */
    unsigned long long label_sets; /* openmetrics: at most so many names, 0: all */
};

struct batch;

enum format_check { CHECK_NONE, CHECK_PAGE, CHECK_JSON }; /* how --check is written in a format */

/* A format: its name and what it can do. */
struct format {
    const char *name; /* for --format */
    const char *help; /* what --help says after the name; NULL: nothing */
    enum format_check check;
    bool totals; /* --show total: its rows can be of the whole time; else each is of an interval */
    bool as_shown; /* it shows rows as the terminal does: the tree, and tasks that ended (--sticky);
                      else each row once, and only what was counted in the interval */
    bool counters; /* it is written from the exporter */
    bool replaces; /* each refresh replaces the output file; else it is added */
    /* Adds the text of batch->frame, the frame of a refresh. -1 with a message. Never NULL. */
    int (*write)(struct batch *batch, const struct session *session, struct err *err);
};

/* What a format writes from; all of it outlives the front. */
struct batch_input {
    struct view *view;
    const struct metric_set *metric_set;
    const struct view_lookup *lookup;
    const struct exporter *exporter; /* NULL where the format does not need it */
    struct format_options options;
};

/* A metric whose events are all in the set, whatever their state. */
struct batch_metric {
    const struct metric *metric;
    struct binding binding;
};

struct batch {
    struct front front;
    const struct format *format;
    struct batch_input in;
    enum view_kind kind;      /* of the view as asked for */
    struct frame *frame;      /* NULL before the first */
    struct event_set *events; /* the metrics are for these; NULL before the first frame */
    struct event_set *first;  /* the events of the first frame */
    struct batch_metric *metrics;
    size_t metric_count;
    struct str text;
    struct out out;
};

/* format NULL: frames are dropped, for a server without output. Takes over `out`. */
struct front *batch_new(const struct format *format, const struct batch_input *input,
                        struct out out);

/* Shows the tasks of the frame in the view, whatever it is asked to show; CPUs and groups have
 * places of their own in the output of programs. True when other events are counted than in the
 * frame before. */
bool batch_show_tasks(struct batch *batch);
/* Shows the groups in the view; false where it is not asked to show groups. */
bool batch_show_groups(struct batch *batch);

/* The value of one of its metrics for a row of the frame. */
struct value batch_value(const struct batch *batch, const struct batch_metric *metric,
                         const struct row *row);

#endif
