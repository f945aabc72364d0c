/* Batch output: the front end for all formats. It owns the frame and the output; a format (a row of
 * front/formats.c) only writes the text of one refresh. */
#pragma once

#include "front/compare.h"
#include "front/exporter.h"
#include "front/front.h"
#include "front/out.h"

/* Values of options that belong to one format. */
struct format_options {
    bool epoch, timestamp;         /* text: put the time in front of each row */
    unsigned long long rows;       /* text: maximum per refresh, 0: all */
    bool run;                      /* text: the only refresh covers the whole run of a command */
    bool csv_safe;                 /* csv: no field is a formula for a spreadsheet */
    unsigned long long label_sets; /* openmetrics: maximum number of names, 0: all */
};

struct batch;

enum format_check { CHECK_NONE, CHECK_PAGE, CHECK_JSON }; /* how a format writes --check */

/* A format and its abilities. */
struct format {
    const char *name; /* for --format */
    const char *help; /* appended to the name in --help; NULL: nothing */
    enum format_check check;
    bool totals;     /* --show total: rows can cover the whole time, not only an interval */
    bool as_shown;   /* like the terminal, with the tree and ended tasks (--sticky) */
    bool facts;      /* it has what is known of each task, whatever the columns */
    bool counters;   /* it is written from the exporter */
    bool stacks;     /* it is about functions and their callers, whatever the view */
    bool replaces;   /* each refresh replaces the output file; otherwise it is appended */
    bool document;   /* a refresh is a whole document: only one goes to standard output */
    bool binary;     /* not text: never written to a terminal */
    const char *end; /* behind the last refresh, however the program ends; NULL: nothing */
    /* Appends the text of batch->frame. -1 with a message. Never NULL. */
    int (*write)(struct batch *batch, const struct session *session, struct err *err);
    /* Appends a comparison of commands; NULL: the format cannot show one. */
    void (*compare)(struct str *text, const struct comparison *comparison,
                    const struct compare_input *input);
};

/* Data that formats read; all of it outlives the front. */
struct batch_input {
    struct view *view;
    const struct metric_set *metric_set;
    const struct exporter *exporter; /* NULL if the format does not need it */
    struct format_options options;
};

/* A metric whose events are all in the set, in any state; of cgroups only where they have rows. */
struct batch_metric {
    const struct metric *metric;
    struct binding binding;
};

struct batch {
    struct front front;
    const struct format *format;
    struct batch_input in;
    enum view_kind kind;      /* the view that the user chose */
    struct frame *frame;      /* NULL before the first */
    struct event_set *events; /* the metrics are bound to these; NULL before the first frame */
    struct event_set *first;  /* the events of the first frame */
    struct batch_metric *metrics;
    size_t metric_count;
    struct str text;
    /* Lines of rows that are asleep, kept from refresh to refresh: where thousands of tasks sleep,
     * their lines need not be written again as long as nothing in them has changed. */
    struct map lines; /* by the ids of rows */
    uint64_t refresh; /* counted */
    struct str common;
    bool keeps;            /* in this refresh */
    struct map traced;     /* front/trace.c: tasks that have events, by the ids of rows */
    uint64_t traced_until; /* ... and the end of the last interval, ns since 1970 */
    struct out out;
};

/* format NULL: drops frames, for a server without output. Takes ownership of `out`. */
struct front *batch_new(const struct format *format, const struct batch_input *input,
                        struct out out);

/* Switches the view to tasks, whatever the user chose; CPUs and groups have rows of their own in
 * machine-readable output. True if the set of events changed since the last frame. */
bool batch_show_tasks(struct batch *batch);
/* Switches the view to the user's own where that is `chosen`, which it returns: one of groups
 * (view_adds_up()), or of functions (view_of_code()). */
bool batch_show(struct batch *batch, bool chosen);

/* The first row of the view that is asleep; NULL: there is none. */
const struct row *batch_first_asleep(const struct batch *batch);
/* Begins the rows of a refresh. common: what lines of rows that are asleep depend on besides the
 * facts of their rows; lines written for another text are dropped. NULL: no lines are kept. */
void batch_begin_rows(struct batch *batch, const char *common);
/* Appends what `add` writes of the view's row; of one that is asleep, what it wrote before. */
void batch_add_row(struct batch *batch, size_t row, void (*add)(struct batch *batch, size_t row));

/* The next long wait of a task that the view covers, from *at (first 0) on; NULL after the last. */
const struct long_wait *batch_next_wait(const struct batch *batch, size_t *at);

/* A metric's value for a row of the frame. */
struct value batch_value(const struct batch *batch, const struct batch_metric *metric,
                         const struct row *row);

/* The formats of batch output. --format, its help, shell completion, the check of options that
 * belong together, and batch output read this table. */

/* Their writers, each of which has a file: .write of struct format. */
int text_write(struct batch *batch, const struct session *session, struct err *err);
int csv_write(struct batch *batch, const struct session *session, struct err *err);
int json_write(struct batch *batch, const struct session *session, struct err *err);
int folded_write(struct batch *batch, const struct session *session, struct err *err);
int svg_write(struct batch *batch, const struct session *session, struct err *err);
int pprof_write(struct batch *batch, const struct session *session, struct err *err);
int trace_write(struct batch *batch, const struct session *session, struct err *err);
int openmetrics_write(struct batch *batch, const struct session *session, struct err *err);

/* json.c: add members to the open object of a row: who had the CPU that it waited for; its counts
 * and metrics, and end the object. Of a wait: all. */
void json_add_taken(struct str *line, const struct row *row);
void json_end_row(const struct batch *batch, struct str *line, const struct row *row);
void json_add_long_wait(struct str *line, const struct frame *frame, const struct long_wait *wait);

extern const struct format formats[]; /* the first is the default; a row without name ends it */

/* "text (default), csv or json (JSON Lines)", with line breaks for --help. */
void formats_describe(struct str *text);
