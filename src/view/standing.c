#include "view/standing.h"

#include <math.h>
#include <stdlib.h>

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
    return number >= standing->hot    ? ROLE_HEAT_HIGH
           : number >= standing->warm ? ROLE_HEAT_MID
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

enum role heat_role(double part)
{
    return part * 3 < 1 ? ROLE_HEAT_LOW : part * 3 < 2 ? ROLE_HEAT_MID : ROLE_HEAT_HIGH;
}
