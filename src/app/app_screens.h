/* Another screen while the program runs: what front ends ask for (struct front_screens). */
#ifndef APP_APP_SCREENS_H
#define APP_APP_SCREENS_H

#include "app/program.h"

struct front_screens app_screens_calls(struct program *program); /* program stays where it is */

#endif
