/* What opens each pane, and what the others ask of it: one section a pane, in the order of their
 * files' names. */
#ifndef FRONT_TUI_PANE_PANES_H
#define FRONT_TUI_PANE_PANES_H

#include "front/tui/pane/dialog.h"
#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"
#include "front/tui/widget/layout.h"
#include "view/detail.h"

/* chart.c: the chart: histories of up to four metrics, of the machine or of the followed row, one
 * below the other, over the lower half of the screen or all of it. A cursor reads the values of an
 * interval. */

extern const struct pane pane_chart;

void chart_open(struct ui *ui); /* of the row under the cursor, else of the machine */
void chart_release(struct ui *ui);

/* choices.c: lists to choose from beside the table, which stays live: the column to sort by, a
 * user, a screen.
 */

/* Time limit for trials of events or screens in one drawing; the next drawing tries more. */
enum { TRIALS_NS = 20000000 };

void choices_sort(struct ui *ui);
void choices_user(struct ui *ui);
void choices_screen(struct ui *ui);

/* The lines of a list of screens, also that of the setup: those that cannot be counted here are
 * dim. Line ids are 1 for the screen shown. Shows the screen of a line. */
void choices_add_screens(struct ui *ui, struct page *list);
void choices_show_screen(struct ui *ui, const char *name);
/* Adds a line for a screen or theme; obstacle: why it cannot be shown, NULL or "": it can. */
void choices_add(struct page *list, const char *name, bool used, const char *obstacle,
                 const char *description, const char *more);
/* Call when a list of screens closes: what can be counted may change. */
void choices_forget(struct ui *ui);

extern const struct pane pane_choice, pane_users, pane_screens;

/* details.c: details: all values of one row with their histories. They go on while the row exists
 * and remain when it has ended. */

/* The followed row's facts: "ended: make  PID 1234  USER root ..." */
void details_title(const struct detail *detail, char *text, size_t size);
void details_open(struct ui *ui); /* a key: of the row under the cursor, or the first */

extern const struct pane pane_details;

/* gauges.c: draws the meters of the header: the machine with its bar, a bar for each CPU, and the
 * history; beside them what the machine's columns show, and countertop's own cost. Each has its
 * place, which depends on the width and the screen only. */

/* Number of lines wanted, at most a third of the height. */
int gauges_lines(const struct ui *ui, int width, int height);
void gauges_draw(const struct ui *ui, const struct band *band, int width);

/* icicle.c: the stacks of the samples as a picture: a line for each depth, the outermost function
 * at the top, boxes as wide as their share, in the colour of their object or of their IPC. */

/* Opens it: in a view of functions for what that is about, else for the row under the cursor, as
 * functions_open() does. */
void icicle_open(struct ui *ui);
extern const struct pane pane_icicle;

/* Call when a frame has come: names may have been found meanwhile. Whether it waits for some. */
bool icicle_follow(struct ui *ui);
void icicle_release(struct ui *ui);

/* kill.c: sends signals to the processes of rows: first a list of signals, then a confirmation that
 * names the processes. */

/* A key: for the tagged rows, else the row under the cursor; for a thread, its process. The
 * processes are held while the list is open, so that exactly the named processes get the signal. */
void kill_open(struct ui *ui);

extern const struct pane pane_signals, pane_confirm;

/* menu.c: the catalogue of events: a list that is searched while words are typed, and the details
 * of the entry under the cursor below it. */

void menu_open(struct ui *ui);

extern const struct pane pane_menu;

/* pages.c: the pages: help, errors and states of events. */

void pages_help(struct ui *ui);   /* the keys of the open pane */
void pages_errors(struct ui *ui); /* and every event: how it is counted, or why not */
/* A line for each column of the table. */
void pages_add_columns(struct ui *ui, struct page *list);

extern const struct pane pane_help, pane_page;

/* prompts.c: the dialogs of the table's keys. */

extern const struct dialog prompt_search, prompt_filter, prompt_event, prompt_remove, prompt_attach,
    prompt_detach, prompt_watch, prompt_least_cpu, prompt_delay, prompt_save;

/* A key: moves to the next (or previous) row with the last search text, or asks for one. */
void prompts_search_again(struct ui *ui);

/* Adds or removes an event. */
int prompts_count(struct ui *ui, const char *event, struct err *err);
int prompts_stop_counting(struct ui *ui, const char *event, struct err *err);

/* tour.c: the tour of --demo tour: steps, each of which is done by pressing the key that it is
 * about. */

enum { TOUR_STEPS = 10 };

/* Call after a key, with the command that it ran in that pane. */
void tour_follow(struct ui *ui, const struct pane *pane, const struct key_command *command);
/* What to do now. */
const char *tour_text(const struct tour *tour);

/* workload.c: the panel below the table for a workload of --demo: what it does, and what it should
 * count beside what is counted. */

void workload_take(struct ui *ui);       /* call with each frame that is shown */
bool workload_tour(const struct ui *ui); /* whether it is a tour, which says what to do next */
/* Lines that it wants; 0: there is no workload. In fewer the least important ones are left out. */
int workload_lines(const struct ui *ui, int width);
void workload_draw(const struct ui *ui, const struct band *band, int width);

/* A key: changes it, as ui->command->how says. */
enum { WORKLOAD_MORE, WORKLOAD_LESS, WORKLOAD_MORE_THREADS, WORKLOAD_LESS_THREADS };
void workload_turn(struct ui *ui);

#endif
