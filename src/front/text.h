/* Batch output for people: each refresh a summary line, column titles and all rows. */
#ifndef FRONT_TEXT_H
#define FRONT_TEXT_H

#include "front/front.h"
#include "front/out.h"

struct front *text_new(struct view *view, struct out out); /* takes over `out` */

#endif
