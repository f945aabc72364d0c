/* The tour of --demo tour: steps, each of which is done by pressing the key that it is about. */
#ifndef FRONT_TUI_PANE_TOUR_H
#define FRONT_TUI_PANE_TOUR_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

enum { TOUR_STEPS = 10 };

/* Call after a key, with the command that it ran in that pane. */
void tour_follow(struct ui *ui, const struct pane *pane, const struct key_command *command);
/* What to do now. */
const char *tour_text(const struct tour *tour);

#endif
