#include "front/tui/widget/step.h"

size_t step_from(enum step step, size_t at, size_t count, size_t height)
{
    size_t leaf = height > 1 ? height - 1 : 1; /* one line of the old page stays */
    size_t last = count > 0 ? count - 1 : 0, down = at < last ? last - at : 0;
    switch (step) {
    case STEP_UP:
        return at > 0 ? at - 1 : 0;
    case STEP_DOWN:
        return at + (down > 0);
    case STEP_PAGE_UP:
        return at > leaf ? at - leaf : 0;
    case STEP_PAGE_DOWN:
        return at + (down > leaf ? leaf : down);
    case STEP_HOME:
        return 0;
    case STEP_END:
        return last;
    case STEP_LEFT:
    case STEP_RIGHT:
        break;
    }
    return at;
}
