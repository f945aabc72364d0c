/* A line in which text is typed: its label, then the text, or a hint while there is none. */
#ifndef FRONT_TUI_ENTRY_H
#define FRONT_TUI_ENTRY_H

#include "front/term/term.h"
#include "front/tui/grid.h"
#include "front/tui/prompt.h"

struct entry {
    const char *label; /* with what is between it and the text; cut where it leaves no room */
    const char *hint;
    const struct prompt *prompt;
};

/* typing: it has the keys, so the cursor is there. */
void entry_draw(const struct entry *entry, struct terminal *term, struct cpu_events at,
                bool typing);

#endif
