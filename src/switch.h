/* Another screen while the program runs: what front ends ask for (struct front_screens). */
#ifndef SWITCH_H
#define SWITCH_H

#include "program.h"

struct front_screens switch_calls(struct program *program); /* program stays where it is */

#endif
