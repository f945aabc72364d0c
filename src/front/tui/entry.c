#include "front/tui/entry.h"

void entry_draw(const struct entry *entry, struct terminal *term, struct cpu_events at, bool typing)
{
    const char *text = entry->prompt->text.text;
    int x = at.x + term_put(term, at.y, at.x, at.width * 3 / 4, ROLE_LABEL, entry->label);
    int room = at.x + at.width - x;
    size_t first;
    int cursor = prompt_visible(entry->prompt, room, &first);
    if (*text)
        term_put(term, at.y, x, room, ROLE_PROMPT, text + first);
    else
        term_put(term, at.y, x + 1, room - 1, ROLE_DIM, entry->hint);
    if (typing)
        term_cursor(term, at.y, x + cursor);
}
