/* Another screen while the program runs: what front ends ask for (struct front_screens). */
#ifndef APP_SWITCH_H
#define APP_SWITCH_H

#include "app/program.h"

struct front_screens switch_calls(struct program *program); /* program stays where it is */

#endif
