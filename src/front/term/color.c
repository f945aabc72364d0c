#include "front/term/color.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECT_COLORS = 0x1000000, BRIGHT_BLACK = 8 };

static const char *const names[] = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright-black",   "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white", "default",       NULL,
};

/* xterm's named colours (XTerm-col.ad); other terminals differ a little. */
static const unsigned named[16] = {
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};

const char *color_name(size_t i)
{
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

bool color_parse(const char *text, struct color *color)
{
    if (strcmp(text, "default") == 0) {
        *color = (struct color){COLOR_DEFAULT, 0};
        return true;
    }
    for (unsigned i = 0; i < 16; i++)
        if (strcmp(text, names[i]) == 0) {
            *color = (struct color){COLOR_INDEX, i};
            return true;
        }
    if (text[0] == '#') {
        if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
            return false;
        *color = (struct color){COLOR_RGB, (unsigned)strtoul(text + 1, NULL, 16)};
        return true;
    }
    unsigned long long number;
    if (!str_to_u64(text, 0, 255, &number))
        return false;
    *color = (struct color){COLOR_INDEX, (unsigned)number};
    return true;
}

/* 16 to 231 are a cube with these steps, 232 to 255 a grey ramp (xterm, 256colres.pl). */
static unsigned palette(unsigned index)
{
    static const unsigned step[6] = {0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff};
    if (index < 16)
        return named[index];
    if (index >= 232)
        return (8 + 10 * (index - 232)) * 0x010101u;
    index -= 16;
    return step[index / 36] << 16 | step[index / 6 % 6] << 8 | step[index % 6];
}

unsigned color_rgb(struct color color)
{
    return color.kind == COLOR_INDEX ? palette(color.value) : color.value;
}

static unsigned nearest(unsigned rgb, unsigned first, unsigned last)
{
    unsigned best = first;
    long least = -1;
    for (unsigned i = first; i <= last; i++) {
        long distance = 0;
        for (int shift = 0; shift <= 16; shift += 8) {
            long d = (long)(palette(i) >> shift & 0xff) - (long)(rgb >> shift & 0xff);
            distance += d * d;
        }
        if (least < 0 || distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

int color_number(struct color color, int colors, enum color_help *help)
{
    if (help)
        *help = COLOR_EXACT;
    if (color.kind == COLOR_UNSET || color.kind == COLOR_DEFAULT || colors < 8)
        return -1;
    bool index = color.kind == COLOR_INDEX;
    unsigned rgb = color_rgb(color);
    if (colors >= DIRECT_COLORS) {
        if (index && color.value < 8)
            return (int)color.value;
        return rgb < 8 ? 0 : (int)rgb; /* numbers below 8 are names, so use black */
    }
    if (colors >= 256)
        return (int)(index ? color.value : nearest(rgb, 16, 255));
    unsigned number = index && color.value < 16 ? color.value : nearest(rgb, 0, 15);
    if (colors >= 16 || number < 8)
        return (int)number;
    if (number == BRIGHT_BLACK) {
        /* Bold black is invisible on many terminals. */
        if (help)
            *help = COLOR_WITH_DIM;
        return -1;
    }
    if (help)
        *help = COLOR_WITH_BOLD;
    return (int)number - 8;
}
