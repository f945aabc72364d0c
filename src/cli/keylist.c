#include "cli/keylist.h"
#include "front/tui/state/pane.h"

enum { KEYS_SIZE = 128 };

static void each_command(const struct keymap *keymap, const struct pane *pane,
                         const struct key_command *commands,
                         void (*take)(void *ctx, const struct key_line *line), void *ctx)
{
    struct key_line line = {.pane = pane->name, .title = pane->title};
    char keys[KEYS_SIZE];
    for (; commands->name; commands++) {
        keymap_keys(keymap, pane, commands, false, keys, sizeof(keys));
        line.command = commands->name;
        line.keys = keys;
        line.joined = !commands->help;
        line.help = line.joined ? line.help : commands->help;
        take(ctx, &line);
    }
}

void keylist_each(const struct keymap *keymap, void (*take)(void *ctx, const struct key_line *line),
                  void *ctx)
{
    static const struct key_command none[] = {{0}};
    static const struct pane any = {.name = "any", .title = "Everywhere", .commands = none};
    for (const struct pane *const *pane = keymap->tables->panes; *pane; pane++)
        each_command(keymap, *pane, (*pane)->commands, take, ctx);
    each_command(keymap, &any, keymap->tables->common, take, ctx);
}
