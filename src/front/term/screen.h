/* What only term.c uses: what the terminal can do, and the screen as cells. */
#pragma once

#include "front/term/theme.h"

/* A terminal's abilities, from its terminfo entry, and the shortest sequences for movements and
 * looks. If the entry follows ECMA-48, as nearly all do, sequences shorter than terminfo's are
 * used. One terminal at a time. */

struct look {
    unsigned attributes; /* of style_attribute */
    /* Sequences for the colours: parameters of SGR (ECMA-48) such as "38;5;208", or on other
     * terminals the whole sequence. "": the terminal's own colour. */
    char foreground[40], background[40];
};

struct terminfo {
    const char *instead; /* the entry used, where terminfo does not know TERM; else NULL */
    struct look looks[ROLE_COUNT];
    /* The first look that cannot be distinguished from each; in [1] where it is that of a space. */
    uint8_t like[2][ROLE_COUNT];
    /* Capabilities for terminfo_add(), valid until terminfo_release(). */
    const char *move;       /* needs tparm(3) */
    const char *reset;      /* ends all attributes and colours */
    const char *clear;      /* clears the screen and moves the cursor to (0, 0) */
    const char *clear_line; /* from the cursor to the right edge; "": not possible */
    int colors;             /* 0: use none */
    bool direct;            /* it takes any colour by its red, green and blue parts */
    bool ecma;              /* it follows ECMA-48 */
    bool cancels; /* single attributes can be reset (SGR 22 to 27, 39, 49), not only all */
    bool bce;     /* erasing gives the background of the current look */
    bool shifts;  /* lines can be inserted and deleted as ECMA-48 has it */
    bool rises; /* a step up can be a reverse index (ESC M), which scrolls only on the first line */
    bool by_column; /* the cursor can be moved to a column by its number (CHA) */
    bool scrolls;   /* writing the last cell of the screen scrolls it */
    bool modern;    /* like xterm it ignores private modes that it lacks */
};

/* Reads the entry that TERM names. -1 with a message if it is not usable. */
int terminfo_open(struct terminfo *info, bool color, struct err *err);
void terminfo_release(struct terminfo *info);

void terminfo_set_theme(struct terminfo *info, const struct theme *theme);
void terminfo_liken(struct terminfo *info);  /* fills in `like`, when the looks are set */
void terminfo_size(int *height, int *width); /* if the size is not known otherwise */

/* The i-th sequence of a key, with the key; K_NONE: without use here. NULL after the last. */
const char *terminfo_key(size_t i, int *key);

/* Adds a capability without its delays ("$<5/>"), which only old slow terminals need. */
void terminfo_add(struct str *out, const char *text);
/* Moves the cursor; from_x -1: its position is not known. */
void terminfo_move(const struct terminfo *info, struct str *out, int from_y, int from_x, int y,
                   int x);
/* Inserts lines above the cursor, at the left edge, or deletes them (count < 0) from its own on. */
void terminfo_shift(struct str *out, int count);
/* Changes the look to that of a role; from -1: not known. */
void terminfo_look(const struct terminfo *info, struct str *out, int from, int to);
/* Take over the screen (mouse: report its buttons), restore it from any state, show the cursor. */
void terminfo_enter(const struct terminfo *info, bool mouse, struct str *out);
void terminfo_leave(const struct terminfo *info, struct str *out);
void terminfo_show_cursor(bool show, struct str *out);

/* Puts text into the terminal's clipboard: OSC 52 (xterm, "Control Sequences"), in base64. */
void terminfo_copy(const char *text, struct str *out);

bool terminfo_erases(const struct terminfo *info, int look); /* erasing gives spaces of this look */
/* Whether it is the Linux console, whose fonts have 256 or 512 characters: no braille, no eighths
 * of blocks. Also within screen(1), as "screen.linux". */
bool terminfo_is_console(void);
bool terminfo_has_screens(void); /* there is an alternate screen: leaving shows the old contents */

/* The sequences around a frame for a synchronized update; "" if not supported. */
const char *terminfo_update(const struct terminfo *info, bool begins);

/* The screen as cells: its current and its wanted contents, and output from one to the other: only
 * lines that move, and cells that differ, look by look. Pure. */

enum { CANVAS_CODES = 3 }; /* a character and combining ones */

/* A cell, compared as bytes, which its fields fill. The second of a wide character has width 0. */
struct canvas_cell {
    uint32_t codes[CANVAS_CODES]; /* unused ones are 0 */
    uint16_t width;
    uint16_t look; /* a number in struct terminfo */
};

struct canvas {
    int height, width;
    struct canvas_cell *next, *cells;
    struct canvas_cell **shown;           /* lines, of `cells` */
    uint64_t *shown_things, *next_things; /* what each line is about; 0: not known */
    bool unknown;                         /* the terminal's content is not known */
    /* The terminal's cursor and look; -1: not known. */
    int y, x, look;
    /* While output is added: */
    const struct terminfo *info;
    struct str *out;
};

void canvas_init(struct canvas *canvas);
void canvas_release(struct canvas *canvas);
/* The next update then clears the screen and writes everything, as after canvas_forget(). */
void canvas_resize(struct canvas *canvas, int height, int width);
void canvas_forget(struct canvas *canvas);
void canvas_recolor(struct canvas *canvas); /* the looks have changed: the next update writes all */
void canvas_begin(struct canvas *canvas, int look); /* makes the new screen blank */
/* Draws text in `width` cells, cut at the edges of the screen; with `fill` spaces take the rest of
 * the width. Returns the cells that the text took. With `ascii` other characters become '?'. */
int canvas_put(struct canvas *canvas, int y, int x, int width, int look, const char *text,
               bool fill, bool ascii);
/* Says what line y is about: the line may move with it to another place. 0: nothing that moves. */
void canvas_line(struct canvas *canvas, int y, uint64_t thing);

/* Adds the output that makes the terminal show the new screen. */
void canvas_update(struct canvas *canvas, const struct terminfo *info, struct str *out);
/* Adds the output that moves the terminal's cursor. */
void canvas_move(struct canvas *canvas, const struct terminfo *info, struct str *out, int y, int x);
