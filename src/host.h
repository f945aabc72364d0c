/* What front ends may ask of the program (front/front.h). */
#ifndef HOST_H
#define HOST_H

#include "program.h"

void host_fill(struct program *program); /* program->host; program stays where it is */

#endif
