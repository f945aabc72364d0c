#include "front/tui/mouse.h"
#include "base/clock.h"
#include "front/tui/command.h"
#include "front/tui/ui.h"

enum { WHEEL_STEPS = 3, TWICE_MS = 400 };

static bool within(const struct band *band, int y)
{
    return y >= band->y && y < band->y + band->height;
}

static void press_key(struct ui *ui, int x)
{
    const struct pointer *pointer = &ui->pointer;
    for (size_t i = 0; i < pointer->spot_count; i++) {
        const struct key_spot *spot = &pointer->spots[i];
        if (x >= spot->x && x < spot->x + spot->width) {
            spot->command->run(ui);
            return;
        }
    }
}

void mouse_press(struct ui *ui, const struct mouse *mouse)
{
    struct pointer *pointer = &ui->pointer;
    const struct pane *pane = pane_now(ui);
    if (mouse->button != MOUSE_LEFT) {
        enum step step = mouse->button == MOUSE_WHEEL_UP ? STEP_UP : STEP_DOWN;
        for (int i = 0; i < WHEEL_STEPS && pane->step; i++)
            pane->step(ui, step);
        return;
    }
    if (pane != pointer->pane)
        return; /* a key before it opened or closed one: what was pressed is not there any more */
    uint64_t now = clock_monotonic();
    bool twice = mouse->y == pointer->y && now - pointer->pressed < TWICE_MS * 1000000ull;
    pointer->y = mouse->y;
    pointer->pressed = twice ? 0 : now;
    if (within(&pointer->keys, mouse->y))
        press_key(ui, mouse->x);
    else if (pane->titles && within(&pointer->titles, mouse->y))
        pane->titles(ui, mouse->x);
    else if (pane->press && within(&pointer->main, mouse->y))
        pane->press(ui, mouse->y - pointer->main.y, twice);
}
