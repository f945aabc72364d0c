/* What front ends may ask of the program (front/front.h). */
#ifndef APP_HOST_H
#define APP_HOST_H

#include "app/program.h"

void host_fill(struct program *program); /* program->host; program stays where it is */

#endif
