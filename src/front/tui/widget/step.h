/* Steps of the keys that move: through a list, a page, a table. */
#ifndef FRONT_TUI_WIDGET_STEP_H
#define FRONT_TUI_WIDGET_STEP_H

#include <stddef.h>

enum step {
    STEP_UP,
    STEP_DOWN,
    STEP_PAGE_UP,
    STEP_PAGE_DOWN,
    STEP_HOME,
    STEP_END,
    STEP_LEFT,
    STEP_RIGHT,
};

/* Where a step leads from place `at` in a list of `count`, `height` of which are visible;
 * STEP_LEFT and STEP_RIGHT do not move. */
size_t step_from(enum step step, size_t at, size_t count, size_t height);

#endif
