/* Themes: what each role looks like, from INI text. Usable without a terminal.
 *
 *     [theme]
 *     description = for dark backgrounds
 *     [roles]
 *     selected = #002b36 on #2aa198 bold
 *     [roles 16]
 *     selected = black on cyan bold
 *
 * A role is `[COLOUR] [on COLOUR] [ATTRIBUTE ...]`, in which a colour is a name, 0 to 255, #rrggbb
 * or `default` (the terminal's own). A colour left out is that of the role `text`. A role left out
 * is as in the default theme. The roles of [roles 16] look so on terminals with fewer than 256
 * colours, where the nearest of 16 could be one that cannot be read. */
#ifndef FRONT_TERM_THEME_H
#define FRONT_TERM_THEME_H

#include "base/err.h"
#include "front/term/color.h"
#include "view/view.h"

#define THEME_DEFAULT "dark"

enum style_attribute {
    STYLE_BOLD = 1,
    STYLE_DIM = 2,
    STYLE_UNDERLINE = 4,
    STYLE_REVERSE = 8,
    STYLE_ITALIC = 16,
};

struct style {
    struct color foreground, background; /* never COLOR_UNSET in a theme that was read */
    unsigned attributes;                 /* of style_attribute */
};

struct theme {
    char description[80]; /* "" when there is none */
    struct style styles[ROLE_COUNT];
    struct style few[ROLE_COUNT]; /* where there are fewer than 256 colours */
};

/* What a terminal is told. */
struct appearance {
    int foreground, background; /* as color_number gives them; -1 with no colours */
    unsigned attributes;        /* of style_attribute */
};

/* By name: a file NAME.theme of the user's (base/home.h) or a built-in theme, or a file where the
 * name has a '/'. -1 with a message that names the line, or where the name is unknown, the nearest
 * one. */
int theme_load(struct theme *theme, const char *name, struct err *err);
int theme_check(const char *name, struct err *err); /* whether theme_load would succeed */

/* Reads text over the theme as it is: what the text leaves out stays. */
int theme_read(struct theme *theme, const char *text, const char *origin, struct err *err);

/* A role on a terminal with so many colours, 0 for none: what a background would have set off is
 * then reversed. */
struct appearance theme_appearance(const struct theme *theme, enum role role, int colors);

/* The name of the i-th built-in theme into buffer; false after the last. */
bool theme_name(size_t i, char *buffer, size_t size);

struct theme_entry {
    char *name;
    struct err err; /* why it cannot be loaded, "" where it can */
    char description[sizeof(((struct theme *)0)->description)];
};

/* The themes there are, in the order of their names: the built-in ones and the user's. */
struct theme_list {
    struct theme_entry *entries;
    size_t count, room;
};

void theme_list_make(struct theme_list *list);
void theme_list_release(struct theme_list *list);

#endif
