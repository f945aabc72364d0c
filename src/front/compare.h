/* A comparison of commands as text, CSV and JSON.
 *
 * CSV has a header line, then a row for each metric and command with these columns; a field without
 * a value is empty:
 *   metric unit command runs outliers   runs are measured ones, with the outliers that are left out
 *   mean sd min max coverage            coverage below 1: the values are estimates
 *   change low high significant         against the first command: ratios, 0.01 is 1 %; 0 or 1
 * JSON is one object: "type" compare, "runs", "warmups", "commands", "outliers", "confidence",
 * "test", "intervals", "events" with their states, and "metrics", whose members are arrays with an
 * element for each command. */
#ifndef FRONT_COMPARE_H
#define FRONT_COMPARE_H

#include "base/str.h"
#include "model/comparison.h"

struct session;
struct event_set;

struct compare_input {
    const struct session *session;
    const struct event_set *events;
    bool ascii;    /* text: only ASCII characters */
    bool csv_safe; /* as in front/csv.h */
};

void compare_text(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input);
void compare_csv(struct str *text, const struct comparison *comparison,
                 const struct compare_input *input);
void compare_json(struct str *text, const struct comparison *comparison,
                  const struct compare_input *input);

#endif
