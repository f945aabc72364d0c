/* What keys do: one table gives names, default keys, the line of keys and the help. */
#ifndef FRONT_TUI_COMMAND_H
#define FRONT_TUI_COMMAND_H

struct ui;

struct command {
    const char *name;  /* for those who give it other keys */
    const char *keys;  /* by default, separated by spaces; the first one is shown in the key line */
    const char *label; /* in the key line; NULL: not there */
    int rank;          /* there: what has a lower one gives way first */
    const char *help;  /* NULL: that of the command before, which shares a line with it */
    void (*run)(struct ui *ui);
};

extern const struct command commands[]; /* ends with a command without a name */

#endif
