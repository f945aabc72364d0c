#include "view/cell.h"

const char *role_name(enum role role)
{
    /* In the order of the roles. */
    static const char *const names[] = {
        "text",    "label",    "value",      "dim",     "heading",   "heading-sort", "selected",
        "counted", "scaled",   "undefined",  "missing", "good",      "bad",          "dead",
        "tagged",  "watched",  "other-user", "notice",  "error",     "key",          "key-label",
        "prompt",  "box",      "box-1",      "box-2",   "box-3",     "box-4",        "box-5",
        "box-6",   "box-good", "box-mid",    "box-bad", "box-found", "tab",          "amount"};
    _Static_assert(sizeof(names) / sizeof(*names) == ROLE_NAMES, "a name for each role");
    return names[role < ROLE_AMOUNT ? role : ROLE_AMOUNT];
}

enum role amount_role(double part)
{
    long step = part > 0 ? lround(part * (AMOUNT_STEPS - 1)) : 0;
    return ROLE_AMOUNT + (enum role)(step < AMOUNT_STEPS ? step : AMOUNT_STEPS - 1);
}

const char *heat_mark(double part, bool ascii)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    size_t steps = ascii ? sizeof(digits) / sizeof(*digits) : sizeof(bars) / sizeof(*bars);
    size_t step = part > 0 ? (size_t)(part * (double)steps) : 0;
    return (ascii ? digits : bars)[step < steps ? step : steps - 1];
}

char *braille_put(char *text, int left, int right)
{
    static const unsigned lefts[] = {0, 0x40, 0x44, 0x46, 0x47};
    static const unsigned rights[] = {0, 0x80, 0xa0, 0xb0, 0xb8};
    unsigned code = 0x2800 + lefts[left] + rights[right];
    if (code == 0x2800) /* some fonts draw the dots of an empty cell */
        return stpcpy(text, " ");
    text[0] = (char)(0xe0 | code >> 12);
    text[1] = (char)(0x80 | (code >> 6 & 0x3f));
    text[2] = (char)(0x80 | (code & 0x3f));
    text[3] = '\0';
    return text + BRAILLE_BYTES;
}
