/* Tab in a prompt: the name that is being typed goes on as far as there is only one way. */
#ifndef FRONT_TUI_COMPLETE_H
#define FRONT_TUI_COMPLETE_H

#include "base/str.h"
#include "front/tui/ui.h"

/* Completes the last item of a comma-separated list in the prompt with candidates, whatever their
 * case; where there are several ways, the message tells them. */
void complete_prompt(struct ui *ui, const char *(*candidate)(struct ui *ui, size_t i));

#endif
