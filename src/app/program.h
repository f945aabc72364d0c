/* The running program: what it is made of. Known to main.c and the files it is cut into. */
#ifndef APP_PROGRAM_H
#define APP_PROGRAM_H

#include "app/app_events.h"
#include "app/loop.h"
#include "app/playback.h"
#include "app/proc_lookup.h"
#include "app/recorder.h"
#include "app/startup.h"
#include "cli/config.h"
#include "cli/definitions.h"
#include "cli/options.h"
#include "front/front.h"
#include "model/delta.h"
#include "model/totals.h"
#include "sample/sampler.h"
#include "system/child.h"

struct program {
    struct loop loop;
    struct pollfd *input, *screen, *output, *snapshots; /* in the loop */
    int signals;
    struct options options;
    struct config config;
    struct definitions definitions;
    struct proc_lookup *lookup;
    struct view *view;
    struct startup setup;
    struct sampler *sampler;
    struct app_events selection;
    struct delta *delta;
    struct totals *totals; /* NULL: its totals cannot be asked for */
    struct recorder recorder;
    struct playback playback;
    struct front_host host;
    struct front *front;
    struct exporter *metrics;  /* NULL: Prometheus is not told */
    struct listener *listener; /* NULL: nothing is served */
    unsigned long long shown;  /* refreshes */
    char **environment;        /* the user's, for the command */
    struct child *child;       /* NULL: no command was started */
    uint64_t ending;           /* monotonic, ns: a snapshot from then on is the last; 0: go on */
    int asked;                 /* the signal that asked for the end, 0: none did */
    bool leaving;              /* the command is not waited for */
    struct err failure;        /* why it ended, "" when nothing failed */
};

#endif
