/* Theme files: read as a whole with every colour of use to every kind of terminal, or refused with
 * a message and without a trace. */
#include "base/mem.h"
#include "front/term/theme.h"
#include "fuzz/fuzz.h"

static void check_color(struct color color)
{
    static const int terminals[] = {0, 8, 16, 88, 256, 0x1000000};
    if (color.kind == COLOR_UNSET)
        abort();
    for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++) {
        enum color_help help;
        int number = color_number(color, terminals[i], &help);
        if (number < -1 || number >= (terminals[i] ? terminals[i] : 1))
            abort();
    }
}

static void check_style(const struct style *style)
{
    check_color(style->foreground);
    check_color(style->background);
    if (style->attributes >= 2 * STYLE_ITALIC) /* the last */
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);

    struct theme theme = {0}, before = theme;
    struct err err = {""};
    if (theme_read(&theme, text, "fuzz", &err) < 0) {
        if (!*err.text || memcmp(&theme, &before, sizeof(theme)) != 0)
            abort();
    } else {
        for (size_t i = 0; i < ROLE_NAMES; i++) {
            check_style(&theme.many.styles[i]);
            check_style(&theme.few.styles[i]);
        }
    }
    free(text);
    return 0;
}
