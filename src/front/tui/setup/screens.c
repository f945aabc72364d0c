#include "front/tui/setup/screens.h"
#include "base/clock.h"
#include "base/mem.h"
#include "front/tui/state/frames.h"

#include <stdlib.h>

/* Time for trials in one drawing: the rest is tried in the next one. */
enum { TRIALS_NS = 20000000 };

void screens_forget(struct ui *ui)
{
    for (size_t i = 0; i < ui->setup->trial_room; i++)
        free(ui->setup->trials[i].obstacle);
    free(ui->setup->trials);
}

void screens_fill(struct ui *ui)
{
    struct setup *setup = ui->setup;
    uint64_t deadline = clock_monotonic() + TRIALS_NS;
    struct front_screen screen;
    bool all = true;
    page_title(&setup->list, "Screens: what to count, and in which columns");
    for (size_t i = 0; host_screen(ui->host, i, &screen); i++) {
        mem_grow(&setup->trials, &setup->trial_room, i + 1, sizeof(*setup->trials));
        struct screen_trial *trial = &setup->trials[i];
        if (!trial->tried && clock_monotonic() <= deadline) {
            trial->obstacle = host_screen_obstacle(ui->host, i);
            trial->tried = true;
        }
        all &= trial->tried;
        const char *obstacle = trial->obstacle, *description = screen.description;
        char *text = mem_printf("%s%s%s", screen.shown ? "in use; " : "",
                                obstacle      ? obstacle
                                : description ? description
                                              : "",
                                trial->tried ? "" : " ...");
        enum role role = obstacle ? ROLE_MISSING : screen.shown ? ROLE_VALUE : ROLE_KEY;
        page_add(&setup->list, role, screen.name, text);
        free(text);
    }
    if (!all)
        host_refresh(ui->host);
}

static void screens_show(struct ui *ui)
{
    struct err err;
    char *name = mem_strdup(section_chosen(ui));
    if (name && ui_say_failure(ui, host_show_screen(ui->host, name, &err), &err) == 0)
        frames_new_screen(ui);
    free(name);
}

static const struct key_command screens_commands[] = {
    {"choose", "Enter Space", "show", 80,
     "show the screen under the cursor, and count what it needs", .run = screens_show},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", .run = pane_close},
    {0},
};

const struct pane pane_setup_screens = {
    .name = "setup-screens",
    .title = "In the setup of screens",
    .commands = screens_commands,
    .cover = COVER_TABLE,
    .draw = section_draw,
    .step = section_step,
    .press = section_press,
    .close = section_close,
};
