/* The panel below the table for a workload of --demo: what it does, and what it should count beside
 * what is counted. */
#ifndef FRONT_TUI_PANE_WORKLOAD_H
#define FRONT_TUI_PANE_WORKLOAD_H

#include "front/tui/state/state.h"
#include "front/tui/widget/layout.h"

void workload_take(struct ui *ui);       /* call with each frame that is shown */
bool workload_tour(const struct ui *ui); /* whether it is a tour, which says what to do next */
/* Lines that it wants; 0: there is no workload. In fewer the least important ones are left out. */
int workload_lines(const struct ui *ui, int width);
void workload_draw(const struct ui *ui, const struct band *band, int width);

/* A key: changes it, as ui->command->how says. */
enum { WORKLOAD_MORE, WORKLOAD_LESS, WORKLOAD_MORE_THREADS, WORKLOAD_LESS_THREADS };
void workload_turn(struct ui *ui);

#endif
