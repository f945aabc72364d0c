#include "view/role.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

const char *role_name(enum role role)
{
    static const char *const names[ROLE_COUNT] = {
        [ROLE_TEXT] = "text",
        [ROLE_LABEL] = "label",
        [ROLE_VALUE] = "value",
        [ROLE_DIM] = "dim",
        [ROLE_HEADING] = "heading",
        [ROLE_HEADING_SORT] = "heading-sort",
        [ROLE_SELECTED] = "selected",
        [ROLE_COUNTED] = "counted",
        [ROLE_SCALED] = "scaled",
        [ROLE_UNDEFINED] = "undefined",
        [ROLE_MISSING] = "missing",
        [ROLE_GOOD] = "good",
        [ROLE_BAD] = "bad",
        [ROLE_DEAD] = "dead",
        [ROLE_TAGGED] = "tagged",
        [ROLE_WATCHED] = "watched",
        [ROLE_OTHER_USER] = "other-user",
        [ROLE_NOTICE] = "notice",
        [ROLE_ERROR] = "error",
        [ROLE_KEY] = "key",
        [ROLE_KEY_LABEL] = "key-label",
        [ROLE_PROMPT] = "prompt",
        [ROLE_BOX] = "box",
        [ROLE_BOX_1] = "box-1",
        [ROLE_BOX_2] = "box-2",
        [ROLE_BOX_3] = "box-3",
        [ROLE_BOX_4] = "box-4",
        [ROLE_BOX_5] = "box-5",
        [ROLE_BOX_6] = "box-6",
        [ROLE_BOX_GOOD] = "box-good",
        [ROLE_BOX_MID] = "box-mid",
        [ROLE_BOX_BAD] = "box-bad",
        [ROLE_BOX_FOUND] = "box-found",
        [ROLE_TAB] = "tab",
        [ROLE_AMOUNT] = "amount",
    };
    return names[role < ROLE_AMOUNT ? role : ROLE_AMOUNT];
}

enum role amount_role(double part)
{
    long step = part > 0 ? lround(part * (AMOUNT_STEPS - 1)) : 0;
    return ROLE_AMOUNT + (enum role)(step < AMOUNT_STEPS ? step : AMOUNT_STEPS - 1);
}

static int standing_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void standing_measure(struct standing *standing, double *values, size_t count)
{
    enum { VALUES_MIN = 4, WARM = 5, HOT = 20 };
    standing->warm = standing->hot = INFINITY;
    if (count < VALUES_MIN)
        return;
    qsort(values, count, sizeof(*values), standing_compare);
    double least = 2 * values[(count - 1) / 2];
    double warm = values[count - (count < 2 * WARM ? 2 : count / WARM)];
    double hot = values[count - (count < 2 * HOT ? 1 : count / HOT)];
    standing->warm = warm > least ? warm : least;
    standing->hot = hot > least ? hot : least;
}

enum role standing_role(const struct standing *standing, double number)
{
    return number >= standing->hot    ? amount_role(1)
           : number >= standing->warm ? amount_role(0.7)
                                      : ROLE_COUNTED;
}

const char *heat_mark(double part, bool ascii)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const digits[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    size_t steps = ascii ? sizeof(digits) / sizeof(*digits) : sizeof(bars) / sizeof(*bars);
    size_t step = part > 0 ? (size_t)(part * (double)steps) : 0;
    return (ascii ? digits : bars)[step < steps ? step : steps - 1];
}
