/* A comparison of commands or of recordings as text, CSV and JSON.
 *
 * CSV has a header line, then a row for each metric and command with these columns; a field without
 * a value is empty:
 *   metric unit command runs outliers   runs are measured ones, with the outliers that are left out
 *   mean sd min max coverage            coverage below 1: the values are estimates
 *   change low high significant         against the first command: ratios, 0.01 is 1 %; 0 or 1
 * Of recordings there is a row for each command, metric and recording: command (empty: all
 * together) metric unit recording intervals ran, then from mean on the same. ran: intervals in
 * which it ran.
 *
 * Of functions there is a row for each function, metric (what it took, its share) and side:
 * function and object (both empty: of all) metric unit side (command or recording) runs outliers,
 * then the same.
 *
 * JSON is one object: "type" compare, "runs", "warmups", "commands", "outliers", "confidence",
 * "test", "intervals", "events" with their states, and "metrics", whose members are arrays with an
 * element for each command. Of recordings it has "recordings" (file, intervals, seconds, host,
 * engine, mode) in place of what is about runs; "rows" with "command" (null: all together), "ran",
 * and "state": null, "new" or "gone"; and "command" in each metric.
 * Of functions, in place of "metrics": "rate" (how errors of many rows are kept rare), "tests",
 * "alpha" of each, "all" and "functions", whose elements have "function", "object", "share",
 * "seconds" (of other events than clocks "count") and "sd" with two elements each, "change", "low",
 * "high", "significant", and the same of its share in "share_change". */
#pragma once

#include "base/base.h"
#include "model/comparison.h"

struct session;
struct event_set;
struct stack_tree;

struct compare_input {
    const struct session *sessions; /* of recordings one for each, else one for all */
    const char *notice;             /* recordings: why their counts may not be comparable; NULL */
    const struct event_set *events; /* of commands */
    struct stack_tree *stacks;      /* of functions, unsorted, of both sides */
    unsigned long long rows;        /* text: at most that many commands of recordings; 0: all */
    bool ascii;                     /* text: only ASCII characters */
    bool csv_safe;                  /* as in front/csv.c */
};

void compare_text(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input);
void compare_csv(struct str *text, const struct comparison *comparison,
                 const struct compare_input *input);
/* A flame graph of the second side's stacks, whose colours and patterns say what has grown. */
void svg_compare(struct str *text, const struct comparison *comparison,
                 const struct compare_input *input);
void compare_json(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input);

/* A field of CSV, with a comma before each but the first of a line, which is never empty. NULL: an
 * empty field. safe: as csv_safe in front/csv.c. */
void csv_add_field(struct str *line, const char *text, bool safe);
