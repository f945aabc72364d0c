/* The panes, and what each file of them tells the others: one section a file. */
#pragma once

#include "front/tui/state/state.h"
#include "front/tui/widget/line.h"

/* Their tables of commands say what can be done in each. */
extern const struct pane pane_prompt, pane_chart, pane_choice, pane_users, pane_commands,
    pane_screens, pane_details, pane_callers, pane_icicle, pane_signals, pane_confirm, pane_menu,
    pane_help, pane_page, pane_waits, pane_takers;

/* Of keys: the tables of commands say what they do. */
typedef void key_function(struct ui *ui);

/* choices.c: lists beside the live table: the column to sort by, a user, a command, a screen; and
 * themes. */

/* Time limit for trials of events or screens in one drawing; the next drawing tries more. */
enum { TRIALS_NS = 20000000 };

/* The lines of a list of screens, also that of the setup: those that cannot be counted here are
 * dim. Shows the screen under the cursor. */
void choices_fill_screens(struct ui *ui, struct page *list);
key_function choices_show_screen;
/* Adds a line for a screen or theme; obstacle: why it cannot be shown, NULL or "": it can. */
void choices_add(struct page *list, const char *name, bool used, const char *obstacle,
                 const char *description, const char *more);
/* The name of the theme in use. Shows one for the moment, -1 with a message; or takes one, keeps it
 * in the settings, and says so. */
const char *choices_theme(const struct ui *ui);
int choices_preview_theme(struct ui *ui, const char *name, struct err *err);
void choices_take_theme(struct ui *ui, const char *name);
/* Call when a list of screens closes: what can be counted may change. */
void choices_forget(struct ui *ui);

/* details.c: all values of one row with their histories, which remain when it has ended. */

/* The followed row's facts: "ended: make PID 1234 USER root ..." */
void details_title(const struct detail *detail, char *text, size_t size);
/* On a wide screen the row under the cursor stands beside the table, with its values, histories and
 * verdict; of functions only one that the cursor chose, since its debug information may be large.
 * Returns the cells that this part takes at the right of a screen of that width, with the line
 * between them; 0: it is not shown. Sets ui->beside: it is a row with histories. */
int details_beside_width(struct ui *ui, int width);
/* Follows the row under the cursor, where that part is shown; without a cursor the first row, as
 * long as it is there. Call before drawing. */
void details_follow_beside(struct ui *ui);
/* The number of the row that is shown there, visible or not; SIZE_MAX: it is not in the table. */
size_t details_row_beside(const struct ui *ui);
/* Draws the followed row, or the function under the cursor, in the band, from the origin
 * (term_origin()) on and `width` cells wide. Draws nothing if there is none, or of a row if the
 * band has fewer than 7 lines. */
void details_draw_beside(struct ui *ui, const struct band *band, int width);
key_function details_hide;

/* dialog.c: a prompt asks for a text, and Enter applies it. One is open at a time: ui->dialog. */

struct dialog {
    const char *label; /* before the text */
    const char *hint;  /* shown while the text is empty */
    const char *enter; /* label of Enter in the line of keys */
    /* -1 with a message: it can do nothing now; may be NULL. */
    int (*check)(const struct host *host, struct err *err);
    bool takes_empty;                                /* else Enter only closes an empty prompt */
    void (*begin)(struct ui *ui, struct str *text);  /* writes the initial text; NULL: empty */
    void (*change)(struct ui *ui, const char *text); /* called after each key; may be NULL */
    /* Enter calls the first, or the second and then applies the view. -1: the prompt stays open. */
    int (*enter_text)(struct ui *ui, const char *text, struct err *err);
    int (*ask_host)(struct host *host, const char *text, struct err *err);
    void (*cancel)(struct ui *ui); /* reverts changes; may be NULL */
    /* Moves to the next match; false: nothing has been searched for. NULL: it does not search. */
    bool (*next)(struct ui *ui, bool backwards);
    /* Adds the names that Tab completes to, in any order and more than once; may be NULL. */
    void (*candidates)(struct ui *ui, struct names *names);
    /* What Tab makes of the whole text instead, which the caller frees; NULL: nothing. */
    char *(*meant)(const struct view *view, const char *text);
};

/* Opens a prompt with the initial text `text` (NULL: empty). */
void dialog_open(struct ui *ui, const struct dialog *dialog, const char *text);
/* Keys: open the dialog of their command; or repeat its last search, or ask for one. */
key_function dialog_ask, dialog_again;

/* functions.c: the view of functions: what is sampled for it, and the line above it that says how
 * much of what was counted the samples explain. */

/* functions_open: the functions of the row under the cursor, or of all that is watched, for the
 * event of the column sorted by; in the view of functions back to the view before. */
key_function functions_open, functions_stacks, functions_by_wall, functions_relations;
/* Shows a view: starts sampling for the view of functions, and stops it for another one. */
void functions_show_view(struct ui *ui, enum view_kind kind);
/* Call with each new frame: where other events are counted, these are read with the samples. */
void functions_follow(struct ui *ui);
/* Whose functions are shown: "spin 1234"; "": of all that is watched. */
const char *functions_scope(const struct ui *ui);
/* functions_scope(), and how much of what the sampled event counted the samples explain, as a line
 * that the caller frees; NULL if no view of code is shown. */
char *functions_books(const struct ui *ui);
/* Why there are no functions. */
const char *functions_empty(const struct ui *ui);
/* Draws the function under the cursor: its hottest lines, callers and callees, as
 * details_draw_beside() does a row. */
void functions_draw_beside(struct ui *ui, const struct band *band, int width);
/* Whether its code is still being read. */
bool functions_beside_pending(const struct ui *ui);

/* gauges.c: draws the meters of the header: the machine with its bar, a bar for each CPU, and the
 * history; beside them what the machine's columns show, and countertop's own cost. Each has its
 * place, which depends on the width and the screen only. */

/* Number of lines wanted, at most a third of the height. */
int gauges_lines(const struct ui *ui, int width, int height);
void gauges_draw(const struct ui *ui, const struct band *band, int width);
/* A press on the graph goes to that interval, one on a bar shows the next metric. */
void gauges_press(struct ui *ui);

/* header.c: the line at the top: where one is, what is chosen, what is wrong. The meters follow. */

void header_draw(const struct ui *ui, const struct layout *layout); /* and the meters */
/* How the command ended, which of its counts are shown, and the session's notice; what has been
 * said for ten seconds is "". The caller frees it. */
char *header_notice(struct ui *ui);
/* What stands out on the machine, one line below the meters, or "": while counting goes on it
 * changes every 3 s at most. NULL: the screen is too low. It is the header's. */
const char *header_verdict(struct ui *ui, int height);
bool header_grows(const struct ui *ui); /* it has more when it is asked again */
/* Lets it try which screens are beside the one shown, which takes up to 0.1 s: after the first rows
 * are on the screen. True: it had not yet, so that a drawing shows them. */
bool header_settle(const struct ui *ui);
void header_press(struct ui *ui, int x);
/* What is wrong now, for its own place at the right of the line of keys. */
struct line *header_warnings(struct ui *ui);
/* Shows the next (+1) or previous (-1) screen that can be counted. */
void header_step_screen(struct ui *ui, int step);

/* icicle.c: the stacks of the samples as a picture: a line for each depth, the outermost function
 * at the top, boxes as wide as their share, in the colour of their object or of their IPC. In a
 * view of functions of what that is about, else of what functions_open() would show. */

/* Call when a frame has come: names may have been found meanwhile. Whether it waits for some. */
bool icicle_follow(struct ui *ui);

/* instructions.c: the instructions of a function: which function, and the way there. */

/* Enter: on a function, or the first one without a cursor; on a jump or call. */
key_function instructions_open, instructions_enter;
key_function instructions_back, instructions_hottest, instructions_source, instructions_stop;
/* Call after a new frame: with the first samples the cursor goes to the hottest instruction. */
void instructions_follow(struct ui *ui);
/* Why there are no instructions. */
const char *instructions_empty(const struct ui *ui);

/* kill.c: sends signals to the processes of the tagged rows, else of the row under the cursor; for
 * a thread, to its process: first a list of signals, then a confirmation that names the processes.
 * These are held while the list is open, so that exactly the named ones get the signal. */

/* menu.c: the catalogue of events: a list that is searched while words are typed, and the details
 * of the entry under the cursor below it. */

/* pages.c: help; errors, and of every event how it is counted or why not. */

key_function pages_help, pages_waits;
/* Keeps the long waits of a frame for pages_waits(). */
void pages_take_waits(struct ui *ui, const struct frame *frame);
/* A line for each column of the table. */
void pages_add_columns(struct ui *ui, struct page *list);
extern const struct key_command page_commands[]; /* of all pages */

/* prompts.c: the dialogs of the table's keys. */

extern const struct dialog prompt_search, prompt_filter, prompt_event, prompt_remove, prompt_attach,
    prompt_detach, prompt_watch, prompt_least_cpu, prompt_delay, prompt_when, prompt_save;
/* Adds or removes an event. */
int prompts_count(struct ui *ui, const char *event, struct err *err);
int prompts_stop_counting(struct ui *ui, const char *event, struct err *err);
/* The end of a message on a file that was saved: that a start like this one will not read it. */
const char *prompts_unread(const struct ui *ui);

/* rewind.c: looking back and moving in a recording: keys request another interval from the program
 * (front/host.h), and the header says which one is shown. */

/* Call when a frame has arrived, before it is taken: updates ui->moment. After it was taken: a
 * recording of an alarm begins with the cursor on its row. */
void rewind_take(struct ui *ui);
void rewind_open(struct ui *ui);
/* While the past is shown: adds the intervals up to the one shown to the histories of the past, or
 * makes these anew after a move back, a long move, or a change of events or columns. Reads the
 * intervals from the host, and for a limited time some of the map of all that is kept. Call before
 * drawing, and again if strips became wider. */
void rewind_catch_up(struct ui *ui);
/* Reads the past interval that is shown again, after the choice of tasks changed. */
void rewind_again(struct ui *ui);
enum { REWIND_PAGE = 10, REWIND_ALL = 1 << 30 };
/* rewind_move: by `how` intervals; REWIND_ALL: to the end, or back to now. */
key_function rewind_move, rewind_seek, rewind_alarm, rewind_speed;
/* The peak of the column sorted by. */
key_function rewind_peak;
/* Shows the interval that is so many later (below 0: earlier), or the last one in that direction; a
 * message says where there is none. Stops playing. */
void rewind_walk(struct ui *ui, int intervals);
/* As rewind_walk(): by so many cells of the graph of all that is kept; to one of its values. */
void rewind_move_cells(struct ui *ui, int cells);
void rewind_go_back(struct ui *ui, size_t back, size_t count);
/* The history of all that is kept, in at most `columns` values; returns how far back the interval
 * shown is in it, 1 for the newest; 0 in the present. */
size_t rewind_series(const struct ui *ui, size_t columns, struct series *series);
bool rewind_pause(struct ui *ui); /* plays, stops, or goes live; false: neither */
/* The label of a command in the line of keys; some differ in the past. */
const char *rewind_label(const struct ui *ui, const struct key_command *command);
/* Adds that the screen is paused; the time of a past interval, its place in a recording. */
void rewind_mark(const struct ui *ui, struct line *line);

/* rows.c: keys that act on rows: tags, the tree, following, jumping to a number, ended and idle
 * rows. A key that the current view does not support names a view that does. */

key_function rows_tag, rows_untag_all, rows_follow, rows_idle, rows_tree, rows_fold_all,
    rows_sticky, rows_level;
/* A digit of a pid, or of a CPU's number in the CPUs view. Digits in quick succession make one
 * number. Any other key asks for the number. */
key_function rows_jump;
/* Folds (how < 0) or unfolds the row's children; one without folds those of its parent. */
key_function rows_fold;
/* Gives ended tasks rows of their own if the chosen row stands for them; else false. */
bool rows_open_ended(struct ui *ui);
/* Copies a part of the row under the cursor to the terminal's clipboard. */
enum row_part { ROW_PID, ROW_COMMAND, ROW_CELLS };
key_function rows_copy;
/* Moves the cursor to the row of that CPU, pid or tid; false if there is none. */
bool rows_select(struct ui *ui, uint64_t number);
/* Adds the names and pids of a watch to a list with commas. */
void rows_write_watch(const struct watch *watch, struct str *text);
void rows_sort_by(struct ui *ui, const char *column);
void rows_draw(struct ui *ui, const struct band *band, int width); /* or why there are none */

/* workload.c: the panel below the table for a workload of --demo: what it does, and what it should
 * count beside what is counted. */

void workload_take(struct ui *ui); /* call with each frame that is shown */
bool workload_there(const struct ui *ui);
bool workload_tour(const struct ui *ui); /* whether it is a tour, which says what to do next */
/* Draws it; in fewer lines than it wants the least important ones are left out. Returns the lines
 * that it wants, 0: there is no workload. */
int workload_draw(const struct ui *ui, const struct band *band, int width);
/* Changes it, as ui->command->how says: two ways for each knob. */
enum { WORKLOAD_MORE, WORKLOAD_LESS, WORKLOAD_MORE_THREADS, WORKLOAD_LESS_THREADS };
key_function workload_turn;
/* The tour of --demo tour has steps, each of which is done by pressing the key that it is about.
 * Call after a key, with the command that it ran in that pane. */
void tour_follow(struct ui *ui, const struct pane *pane, const struct key_command *command);
