/* What keys of the table ask for in a dialog. */
#ifndef FRONT_TUI_PANE_PROMPTS_H
#define FRONT_TUI_PANE_PROMPTS_H

#include "front/tui/pane/dialog.h"

extern const struct dialog prompt_search, prompt_filter, prompt_event, prompt_remove, prompt_attach,
    prompt_detach, prompt_user, prompt_watch, prompt_least_cpu, prompt_delay, prompt_save;

/* A key: the next row (or the one before) with the text searched for last, else asks for it. */
void prompts_search_again(struct ui *ui);

/* An event is counted from now on, or no longer. */
int prompts_count(struct ui *ui, const char *event, struct err *err);
int prompts_stop_counting(struct ui *ui, const char *event, struct err *err);

#endif
