/* Themes: the look of each role, from INI text (the manual, "CONFIGURATION"). A role's missing
 * colour is that of the role `text`; a missing role or colour is the default theme's. */
#pragma once

#include "view/view.h"

#define THEME_DEFAULT "dark"

/* --- Colours in themes, and their replacements on terminals with fewer colours --- */

enum color_kind {
    COLOR_UNSET,   /* not given: the colour of ordinary text */
    COLOR_DEFAULT, /* the terminal's own */
    COLOR_INDEX,   /* 0 to 255 of xterm's palette; 0 to 15 are the terminal's named ones */
    COLOR_RGB,
    COLOR_MEANING, /* one of the theme's own */
};

/* What colours mean: the entries of [colours]. */
enum meaning {
    MEANING_TEXT,
    MEANING_BACKGROUND,
    MEANING_FAINT, /* the background of headings */
    MEANING_INK,   /* text on accent, warning and alarm */
    MEANING_QUIET,
    MEANING_ACCENT,
    MEANING_AMOUNT_LOW,
    MEANING_AMOUNT_HIGH,
    MEANING_WARNING,
    MEANING_ALARM,
    MEANINGS
};

struct color {
    enum color_kind kind;
    unsigned value; /* the index, 0xrrggbb, or of enum meaning */
};

/* From that many on, a terminal takes colours by their red, green and blue parts. */
enum { DIRECT_COLORS = 0x1000000 };

/* A name ("red", "bright-red", "default"), a number (0 to 255) or "#rrggbb"; else false. */
bool color_parse(const char *text, struct color *color);

/* 0xrrggbb; xterm's for an index, black for the terminal's own colour. */
unsigned color_rgb(struct color color);

enum color_help { COLOR_EXACT, COLOR_WITH_BOLD, COLOR_WITH_DIM };

/* The number of the nearest colour on a terminal with `colors` colours; -1: the default colour,
 * which fewer than 8 colours, and an unset colour, mean too. *help (may be NULL) gets the attribute
 * that replaces a bright foreground on a terminal with 8 colours, else COLOR_EXACT. From 0x1000000
 * colours on, numbers from 8 are RGB values (terminfo(5), RGB). */
int color_number(struct color color, int colors, enum color_help *help);

/* --- Themes --- */

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
    char description[80]; /* "" for none */
    struct theme_looks {
        struct color colors[MEANINGS];
        struct style styles[ROLE_NAMES];
    } many, few; /* few: for fewer than 256 colours */
};

/* A style on a terminal with a certain number of colours. */
struct appearance {
    int foreground, background; /* as color_number gives them; -1 without colours */
    unsigned attributes;        /* of style_attribute */
};

/* By name: the user's file NAME.theme (base/file.h) or a built-in theme; a name with a '/' is a
 * path. -1 with a message that has the line, or for an unknown name the nearest one. */
int theme_load(struct theme *theme, const char *name, struct err *err);
int theme_check(const char *name, struct err *err); /* whether theme_load would succeed */

/* Changes the theme by a text; values that are not in the text stay. */
int theme_read(struct theme *theme, const char *text, const char *origin, struct err *err);

/* The look of a role on a terminal with that many colours. Amounts have 24 shades, 8 of 256
 * colours, and with fewer only one that is bold. With 0 colours, reverse replaces a background, and
 * an underline the faint one. */
struct appearance theme_appearance(const struct theme *theme, enum role role, int colors);

struct theme_entry {
    char *name;
    struct err err; /* why it cannot be loaded; "": it can */
    char description[sizeof(((struct theme *)0)->description)];
};

/* All themes by name: built-in ones and the user's. */
struct theme_list {
    struct theme_entry *entries;
    size_t count, room;
};

void theme_list_make(struct theme_list *list);
void theme_list_release(struct theme_list *list);
