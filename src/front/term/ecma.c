#include "front/term/ecma.h"
#include "front/term/theme.h"

#include <stdio.h>
#include <string.h>

/* Numbers of SGR. */
static const struct {
    unsigned attribute;
    int on, off;
} attributes[] = {
    {STYLE_BOLD, 1, 22},      {STYLE_DIM, 2, 22},     {STYLE_ITALIC, 3, 23},
    {STYLE_UNDERLINE, 4, 24}, {STYLE_REVERSE, 7, 27},
};

/* --- Movements --- */

static void add_steps(struct str *out, int steps, char final)
{
    if (steps == 1)
        str_printf(out, "\33[%c", final);
    else if (steps > 1)
        str_printf(out, "\33[%d%c", steps, final);
}

static int digits(int number)
{
    return number < 10 ? 1 : number < 100 ? 2 : 3;
}

/* Right or left within a line. */
static void add_across(struct str *out, int from_x, int x)
{
    int left = from_x - x;
    if (left <= 0) {
        add_steps(out, -left, 'C');
    } else if (x > 0 && left <= 4) { /* not longer than a sequence */
        while (left-- > 0)
            str_add_char(out, '\b');
    } else if (x > 0 && digits(left) <= digits(x)) {
        add_steps(out, left, 'D');
    } else {
        str_add_char(out, '\r');
        add_steps(out, x, 'C');
    }
}

void ecma_move(struct str *out, int from_y, int from_x, int y, int x)
{
    struct str relative, absolute;
    str_init(&relative);
    str_init(&absolute);
    if (x == 0)
        y == 0 ? str_add(&absolute, "\33[H") : str_printf(&absolute, "\33[%dH", y + 1);
    else
        str_printf(&absolute, "\33[%d;%dH", y + 1, x + 1);
    bool known = from_x >= 0 && y >= from_y;
    if (known && y - from_y <= 3) {
        for (; from_y < y; from_y++)
            str_add_char(&relative, '\n'); /* down, in the same column */
        add_across(&relative, from_x, x);
    } else if (known) {
        add_steps(&relative, y - from_y, 'B');
        add_across(&relative, from_x, x);
    }
    bool shorter = known && relative.length <= absolute.length;
    str_add(out, shorter ? relative.text : absolute.text);
    str_release(&relative);
    str_release(&absolute);
}

/* --- Looks --- */

static void ecma_add_number(struct str *out, int number)
{
    str_printf(out, "%s%d", out->length > 0 ? ";" : "", number);
}

static void add_color(struct str *out, const char *color, int own)
{
    if (*color)
        str_printf(out, "%s%s", out->length > 0 ? ";" : "", color);
    else
        ecma_add_number(out, own);
}

/* Parameters that reset everything and set the new look. */
static void ecma_reset(struct str *out, const struct ecma_look *to)
{
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        if (to->attributes & attributes[i].attribute)
            ecma_add_number(out, attributes[i].on);
    if (*to->foreground)
        add_color(out, to->foreground, 0);
    if (*to->background)
        add_color(out, to->background, 0);
    if (out->length == 0)
        return; /* an empty list would mean 0, a reset */
    struct str rest = *out;
    str_init(out);
    str_printf(out, "0;%s", rest.text);
    str_release(&rest);
}

/* Parameters for the differences. */
static void ecma_change(struct str *out, const struct ecma_look *from, const struct ecma_look *to)
{
    unsigned ended = from->attributes & ~to->attributes;
    unsigned begun = to->attributes & ~from->attributes;
    int last = 0;
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        if (!(ended & attributes[i].attribute) || attributes[i].off == last)
            continue;
        ecma_add_number(out, last = attributes[i].off);
        if (last == 22) /* ends both bold and dim */
            begun |= to->attributes & (STYLE_BOLD | STYLE_DIM);
    }
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        if (begun & attributes[i].attribute)
            ecma_add_number(out, attributes[i].on);
    if (strcmp(from->foreground, to->foreground) != 0)
        add_color(out, to->foreground, 39);
    if (strcmp(from->background, to->background) != 0)
        add_color(out, to->background, 49);
}

void ecma_look(struct str *out, bool cancels, const struct ecma_look *from,
               const struct ecma_look *to)
{
    struct str reset, changed;
    str_init(&reset);
    str_init(&changed);
    ecma_reset(&reset, to);
    bool ends =
        from && (from->attributes & ~to->attributes || (*from->foreground && !*to->foreground) ||
                 (*from->background && !*to->background));
    bool may = from && (cancels || !ends);
    if (may)
        ecma_change(&changed, from, to);
    str_printf(out, "\33[%sm", may && changed.length <= reset.length ? changed.text : reset.text);
    str_release(&reset);
    str_release(&changed);
}
