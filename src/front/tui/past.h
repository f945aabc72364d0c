/* Looking back, and moving in a recording: the keys that ask the program for another interval
 * (struct front_time). */
#ifndef FRONT_TUI_PAST_H
#define FRONT_TUI_PAST_H

#include "front/tui/ui.h"

/* Whether an interval of before is on show while counting goes on: present() then brings frames
 * that are not to be shown. */
bool past_shown(const struct ui *ui);

void past_step(struct ui *ui, int64_t intervals); /* on, or back */
void past_seek(struct ui *ui, double time);       /* seconds since 1970 */
void past_live(struct ui *ui);                    /* to what is counted now */
void past_play(struct ui *ui, double speed);      /* a recording: 1 is as it was, 0 stops */

#endif
