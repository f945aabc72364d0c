/* The dialogs of the table's keys. */
#ifndef FRONT_TUI_PANE_PROMPTS_H
#define FRONT_TUI_PANE_PROMPTS_H

#include "front/tui/pane/dialog.h"

extern const struct dialog prompt_search, prompt_filter, prompt_event, prompt_remove, prompt_attach,
    prompt_detach, prompt_watch, prompt_least_cpu, prompt_delay, prompt_save;

/* A key: moves to the next (or previous) row with the last search text, or asks for one. */
void prompts_search_again(struct ui *ui);

/* Adds or removes an event. */
int prompts_count(struct ui *ui, const char *event, struct err *err);
int prompts_stop_counting(struct ui *ui, const char *event, struct err *err);

#endif
