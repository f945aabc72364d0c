#include "front/tui/complete.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 300 }; /* bytes of names in a message */

struct completion {
    const char *typed;
    size_t count;
    size_t common; /* bytes that all of them begin with */
    char *first;   /* NULL: none */
    struct str list;
};

/* Of `table::EVENT` only the event counts, unless a table is typed. */
static const char *part(const char *name, const char *typed)
{
    const char *table = strstr(typed, "::") ? NULL : strstr(name, "::");
    return table && strncasecmp(name, typed, strlen(typed)) != 0 ? table + 2 : name;
}

static void complete_take(struct completion *found, const char *name)
{
    size_t same = 0;
    if (!*name || strncasecmp(name, found->typed, strlen(found->typed)) != 0)
        return;
    if (!found->first) {
        found->first = mem_strdup(name);
        found->common = strlen(name);
    }
    while (same < found->common &&
           tolower((unsigned char)name[same]) == tolower((unsigned char)found->first[same]))
        same++;
    found->common = same;
    if (found->list.length < SHOWN)
        str_printf(&found->list, "%s%s", found->count ? ", " : "", name);
    found->count++;
}

void complete_prompt(struct ui *ui, const char *(*candidate)(struct ui *ui, size_t i))
{
    char *text = mem_strdup(ui->prompt.text.text), *item = text;
    for (char *p = text; *p; p++)
        if (strchr(",{ ", *p))
            item = p + 1;
    struct completion found = {.typed = item};
    const char *name;
    str_init(&found.list);
    for (size_t i = 0; (name = candidate(ui, i)); i++)
        complete_take(&found, part(name, item));
    if (found.count == 0) {
        ui_say(ui, ROLE_ERROR, "no event begins with '%s'", item);
    } else {
        char *next =
            mem_printf("%.*s%.*s", (int)(item - text), text, (int)found.common, found.first);
        if (found.count > 1)
            ui_say(ui, ROLE_VALUE, "%s%s", found.list.text,
                   found.list.length < SHOWN ? "" : " ...");
        prompt_set(&ui->prompt, next);
        free(next);
    }
    str_release(&found.list);
    free(found.first);
    free(text);
}
