#include "cli/man_template.h"
#include "base/embed.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void man_template_write(FILE *out, const char *name, const struct man_template_part *parts)
{
    const char *text = embedded_text(name);
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = mem_strndup(text, length);
        const struct man_template_part *part = parts;
        const char *found = NULL;
        while (part->mark && !(found = strstr(line, part->mark)))
            part++;
        int before = found ? (int)(found - line) : (int)length, blanks = (int)strspn(line, " ");
        const char *rest = found ? found + strlen(part->mark) : "";
        bool alone = found && before == blanks && !*rest;
        char *indentation = mem_strndup(line, (size_t)blanks);
        fprintf(out, "%.*s", alone ? 0 : before, line);
        if (found)
            part->write(out, indentation);
        fprintf(out, "%s%s", rest, alone ? "" : "\n");
        free(indentation);
        free(line);
        text += length + (text[length] == '\n');
    }
}
