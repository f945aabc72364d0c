/* Metrics and screens: the built-in ones, then the user's. */
#pragma once

#include "metric/machine.h"
#include "metric/metric_set.h"
#include "view/screen.h"

struct definitions {
    struct machine machine;
    struct metric_set metric_set;
    struct names
        unusable; /* metrics of event files (event/event_table.h), a line with the reason */
    struct screen_list screens;
    struct names faults; /* what is wrong with files of the user's directory */
};

void definitions_init(struct definitions *definitions); /* must not be moved afterwards */
void definitions_release(struct definitions *definitions);

/* The directory of the user's files: `given`, or with NULL $XDG_CONFIG_HOME/countertop or
 * ~/.config/countertop. The caller frees it; NULL if neither is known. */
char *definitions_directory(const char *given);

enum { DEFINITIONS_FILE_SIZE = 1 << 20 }; /* maximum size of a user's file */

/* The names of the files *.ini in that directory, sorted; none for NULL, and none if the directory
 * cannot be read, which is an error with `must`. The caller releases them, also after a
 * failure. -1 with a message. */
int definitions_files(const char *directory, bool must, struct names *names, struct err *err);

/* Reads the event files for this machine (event/event_table.h): those in events/ of the user's
 * directory unless `own` is false, of PREFIX/share/countertop and of /usr/share/countertop; earlier
 * ones go before later ones. It comes first. */
void definitions_read_events(const char *given, bool own);

/* Loads the built-in definitions for this machine, or for the machine whose names `machine` has
 * already, with the metrics of event files if they are for the same processor; then the files *.ini
 * of the user's directory in the order of their names. A default directory may be missing, and
 * files in it that cannot be read are `faults`; lenient: so are files with mistakes, whose rest is
 * left out. -1 with a message that begins with file and line. */
int definitions_load(struct definitions *definitions, struct err *err);
int definitions_load_user(struct definitions *definitions, const char *given, bool lenient,
                          struct err *err);
/* Checks a user's screen once all metrics are known. */
int definitions_check_screen(const struct definitions *definitions, const struct screen *screen,
                             struct err *err);

/* Checks the names that users gave to events: -1 with a message if one is a column of its own. */
int definitions_check_events(const struct definitions *definitions, const struct event_list *events,
                             struct err *err);
