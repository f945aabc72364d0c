/* Metrics changed while the program runs: what front ends ask for (struct front_metrics). */
#ifndef APP_APP_METRICS_H
#define APP_APP_METRICS_H

#include "app/program.h"

struct front_metrics app_metrics_calls(struct program *program); /* program stays where it is */

#endif
