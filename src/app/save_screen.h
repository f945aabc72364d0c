/* Saves the columns of the terminal as a screen of the user: a new INI file in the directory of
 * screens. */
#ifndef APP_SAVE_SCREEN_H
#define APP_SAVE_SCREEN_H

#include "cli/definitions.h"
#include "event/event.h"
#include "view/view.h"

/* Writes NAME.ini in `directory` (see definitions_directory), which is created if necessary: the
 * columns with their widths, the order, the events, and metrics among the columns that were set at
 * run time, as screen `name`. Never replaces a file. Returns the path, which the caller frees; NULL
 * with a message and nothing written. */
char *save_screen_write(const char *directory, const char *name, const struct view *view,
                        const struct definitions *definitions, const struct event_list *events,
                        struct err *err);

#endif
