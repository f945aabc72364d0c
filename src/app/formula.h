/* Metrics changed while the program runs: what front ends ask for (struct front_metrics). */
#ifndef APP_FORMULA_H
#define APP_FORMULA_H

#include "app/program.h"

struct front_metrics formula_calls(struct program *program); /* program stays where it is */

#endif
