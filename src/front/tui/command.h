/* What keys do: tables give names, default keys, the line of keys and the help. */
#ifndef FRONT_TUI_COMMAND_H
#define FRONT_TUI_COMMAND_H

#include "front/tui/pane.h"

struct command {
    const char *name;  /* for those who give it other keys */
    const char *keys;  /* by default, separated by spaces; the first one is shown in the key line */
    const char *label; /* in the key line; NULL: not there */
    int rank;          /* there: what has a lower one gives way first */
    const char *help;  /* NULL: that of the command before, which shares a line with it */
    void (*run)(struct ui *ui);
};

/* Those of every pane; where a pane has one of the same name, that one counts. Both end with a
 * command without a name. */
extern const struct command common_commands[];

extern const struct pane pane_table;

#endif
