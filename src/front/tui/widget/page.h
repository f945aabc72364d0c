/* The list of a pane: text to read, or lines to choose from. */
#pragma once

#include "front/term/term.h"
#include "front/tui/widget/layout.h"

struct page_line {
    char *name;     /* at the left; "" for none */
    char *text;     /* at the right, wrapped to as many lines as it needs */
    enum role role; /* of the name */
    bool title;     /* heading of the lines that follow; cannot be chosen */
    bool used;      /* it is in use */
    int id;         /* the caller's id of the entry */
    size_t y;       /* its first screen line, from the last drawing */
};

struct page {
    struct page_line *lines;
    size_t count, room;
    bool choosing;        /* has a cursor */
    bool brief;           /* texts are cut to one screen line, except under the cursor */
    bool flat;            /* ... and under the cursor */
    bool spread;          /* text to read, in as many columns as there is room for */
    size_t columns, each; /* then their number and screen lines, from the last drawing */
    int gutter;           /* cells before names for marks drawn by the caller */
    int column;           /* column of texts unless a name is longer; 0: after the longest name */
    enum role text_role;  /* role of texts */
    size_t cursor;        /* the chosen line */
    size_t typed, jumped; /* letters typed to come to that line */
    size_t top;           /* first visible screen line */
    size_t height, total; /* in screen lines, from the last drawing */
    int y;                /* of the first screen line, from the last drawing */
};

void page_release(struct page *page);
void page_clear(struct page *page);
/* Adds a line and returns it, valid until the next one is added. */
struct page_line *page_add(struct page *page, enum role role, const char *name, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
struct page_line *page_title(struct page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The line under the cursor; NULL if none can be chosen. */
const struct page_line *page_chosen(const struct page *page);

void page_find(struct page *page); /* moves the cursor to the first line of what is in use */
void page_step(struct page *page, enum step step); /* moves the cursor, or scrolls without one */
/* What has been typed since the cursor moved otherwise, and that letter; the caller frees it. */
char *page_typing(const struct page *page, int letter);
/* Moves the cursor to an entry whose name begins, in either case, with page_typing(); `first`: if
 * there is none, or nothing was typed, to the next one that begins with the letter. False: it does
 * not move. */
bool page_jump(struct page *page, int letter, bool first);
/* Moves the cursor to the entry on that line of the screen; false if there is none. */
bool page_point(struct page *page, int y);
void page_draw(struct page *page, struct terminal *term, const struct band *band, int x, int width);

/* Takes the first line of at most `width` cells off a text, with the spaces after it; the caller
 * frees it. last: if more text follows, the line ends in dots. */
char *page_take_line(const char **text, int width, bool last);
/* Draws a text in up to `lines` lines from y on, with dots if more follows; returns its lines. */
int page_put(struct terminal *term, int y, int x, int width, int lines, enum role role,
             const char *text);
/* As many statements as fit into a line, "6 % wait, most for b; 3 % run": what is cut begins at a
 * semicolon or at a comma, and the rest is whole. The caller frees it. */
char *page_statements(const char *text, int width);

/* An editable line of text. */

struct prompt {
    struct str text; /* valid UTF-8 without control characters */
    size_t cursor;   /* in bytes, at the beginning of a character or at the end */
};

enum { PROMPT_LIMIT = 1000 }; /* bytes */

/* Its text is that of str_new() first, and its owner's to release. */
void prompt_set(struct prompt *prompt, const char *text); /* cursor at its end; NULL: empty */
bool prompt_key(struct prompt *prompt, int key);          /* false: it is no key that edits */

/* Scrolls to the cursor: *first receives the first byte to draw; returns the cursor's cell. */
int prompt_visible(const struct prompt *prompt, int width, size_t *first);

/* Draws the label with its separator, then the text, or a hint if it is empty. typing: the prompt
 * has the keyboard, so the cursor is drawn. */
void prompt_draw(const struct prompt *prompt, struct terminal *term, struct box at,
                 const char *label, const char *hint, bool typing);
