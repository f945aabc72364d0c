/* Themes: what each role looks like, from INI text. Usable without a terminal.
 *
 *     [theme]
 *     description = for dark backgrounds
 *     [roles]
 *     selected = black on cyan bold
 *
 * A role is `[COLOUR] [on COLOUR] [ATTRIBUTE ...]`, in which a colour is a name, 0 to 255, #rrggbb
 * or `default` (the terminal's own). A colour left out is that of the role `text`. A role left out
 * is as in the default theme. */
#ifndef FRONT_TUI_THEME_H
#define FRONT_TUI_THEME_H

#include "base/err.h"
#include "front/tui/color.h"
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
};

/* A built-in theme by name, or a file where the name has a '/'. -1 with a message that names the
 * line, or where the name is unknown, the nearest one. */
int theme_load(struct theme *theme, const char *name, struct err *err);
int theme_check(const char *name, struct err *err); /* whether theme_load would succeed */

/* Reads text over the theme as it is: what the text leaves out stays. */
int theme_read(struct theme *theme, const char *text, const char *origin, struct err *err);

/* The name of the i-th built-in theme into buffer, for --list-themes; false after the last. */
bool theme_name(size_t i, char *buffer, size_t size);

#endif
