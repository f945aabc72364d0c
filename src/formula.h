/* Metrics changed while the program runs: what front ends ask for (struct front_metrics). */
#ifndef FORMULA_H
#define FORMULA_H

#include "program.h"

struct front_metrics formula_calls(struct program *program); /* program stays where it is */

#endif
