#include "cli/keylist.h"
#include "front/tui/state/pane.h"

void keylist_each(const struct keymap *keymap, void (*take)(void *ctx, const struct key_line *line),
                  void *ctx)
{
    static const struct key_command none[] = {{0}};
    static const struct pane any = {.name = "any", .title = "Everywhere", .commands = none};
    const struct pane *pane;
    for (size_t i = 0, last = 0; !last; i++) {
        pane = keymap->tables->panes[i] ? keymap->tables->panes[i] : &any;
        last = pane == &any;
        struct key_line line = {.pane = pane->name, .title = pane->title};
        const struct key_command *command = last ? keymap->tables->common : pane->commands;
        for (; command->name; command++) {
            char keys[128];
            keymap_keys(keymap, pane, command, false, keys, sizeof(keys));
            line.command = command->name;
            line.keys = keys;
            line.joined = !command->help;
            line.help = line.joined ? line.help : command->help;
            take(ctx, &line);
        }
    }
}
