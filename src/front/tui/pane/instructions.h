/* The instructions of a function: which function, and the way there. */
#ifndef FRONT_TUI_PANE_INSTRUCTIONS_H
#define FRONT_TUI_PANE_INSTRUCTIONS_H

#include "front/tui/state/state.h"

/* The instructions of the function under the cursor, of the first one without a cursor. */
void instructions_open(struct ui *ui);
/* Goes where the jump or call under the cursor leads. */
void instructions_enter(struct ui *ui);
/* Goes back to the instruction before, at last to the functions. */
void instructions_back(struct ui *ui);
/* Moves the cursor to the instruction with the most samples. */
void instructions_hottest(struct ui *ui);
/* Next of lines and instructions, lines, instructions. */
void instructions_source(struct ui *ui);
/* Gives up the debug information that is being read, or what was given up is read again. */
void instructions_stop(struct ui *ui);
/* Call after a new frame: with the first samples the cursor goes to the hottest instruction. */
void instructions_follow(struct ui *ui);
/* Why there are no instructions. */
const char *instructions_empty(const struct ui *ui);

void instructions_close(struct ui *ui);

#endif
