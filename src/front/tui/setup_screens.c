#include "front/tui/setup_screens.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/command.h"

#include <stdlib.h>

/* Time for trials in one drawing: what does not fit is tried in the next one. */
enum { TRIALS_NS = 20000000 };

void setup_screens_forget(struct ui *ui)
{
    struct setup_state *setup = ui->setup;
    for (size_t i = 0; i < setup->trial_room; i++)
        free(setup->trials[i].obstacle);
    free(setup->trials);
    setup->trials = NULL;
    setup->trial_room = 0;
}

/* Whether the screen can be shown; false where there was no time to try. */
static bool try_screen(struct ui *ui, size_t number, uint64_t deadline)
{
    struct setup_state *setup = ui->setup;
    mem_grow(&setup->trials, &setup->trial_room, number + 1, sizeof(*setup->trials));
    struct setup_trial *trial = &setup->trials[number];
    if (!trial->tried && clock_monotonic() > deadline)
        return false;
    if (!trial->tried)
        trial->obstacle = host_screen_obstacle(ui->host, number);
    return trial->tried = true;
}

static void setup_screens_add_screen(struct ui *ui, size_t number,
                                     const struct front_screen *screen, bool tried)
{
    const char *obstacle = tried ? ui->setup->trials[number].obstacle : NULL;
    struct str text;
    str_init(&text);
    if (screen->shown)
        str_add(&text, "on show; ");
    str_add(&text, obstacle ? obstacle : screen->description ? screen->description : "");
    if (!tried)
        str_add(&text, " ...");
    page_add(&ui->setup->list,
             obstacle        ? ROLE_MISSING
             : screen->shown ? ROLE_VALUE
                             : ROLE_KEY,
             screen->name, text.text);
    str_release(&text);
}

void setup_screens_fill(struct ui *ui)
{
    uint64_t deadline = clock_monotonic() + TRIALS_NS;
    struct front_screen screen;
    bool all = true;
    page_title(&ui->setup->list, "Screens: what to count, and in which columns");
    for (size_t i = 0; host_screen(ui->host, i, &screen); i++) {
        bool tried = try_screen(ui, i, deadline);
        setup_screens_add_screen(ui, i, &screen, tried);
        all &= tried;
    }
    if (!all)
        host_refresh(ui->host);
}

static void setup_screens_show(struct ui *ui)
{
    struct err err;
    char *name = mem_strdup(setup_chosen(ui));
    if (name && host_show_screen(ui->host, name, &err) < 0)
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    else if (name)
        ui_new_screen(ui);
    free(name);
}

static const struct command screens_commands[] = {
    {"choose", "Enter Space", "show", 80,
     "show the screen under the cursor, and count what it needs", setup_screens_show},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", pane_close},
    {0},
};

const struct pane pane_setup_screens = {
    .name = "setup-screens",
    .title = "In the setup of screens",
    .commands = screens_commands,
    .cover = COVER_TABLE,
    .draw = setup_draw,
    .step = setup_step,
    .press = setup_press,
    .close = setup_close,
};
