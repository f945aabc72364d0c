/* Saves what the terminal shows as a screen of the user's own: a new INI file in the directory of
 * screens. */
#ifndef APP_SAVE_SCREEN_H
#define APP_SAVE_SCREEN_H

#include "event/event.h"
#include "view/view.h"

/* Writes the columns with their widths, the order, the events, and the metrics among the columns
 * that were set while the program ran, as screen `name` into NAME.ini below `directory` (as
 * definitions_directory gives it), which is made if it is not there. A file that exists is never
 * replaced. Returns the path, which the caller frees; NULL with a message and nothing written. */
char *save_screen_write(const char *directory, const char *name, const struct view *view,
                        const struct metric_set *metric_set, const struct event_list *events,
                        struct err *err);

#endif
