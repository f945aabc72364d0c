#include "cli/man_template.h"
#include "base/embed.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void write_line(FILE *out, const char *line, const struct man_template_part *part)
{
    const char *found = NULL;
    for (; part->mark && !(found = strstr(line, part->mark)); part++)
        ;
    if (!found) {
        fprintf(out, "%s\n", line);
        return;
    }
    const char *rest = found + strlen(part->mark);
    int blanks = (int)strspn(line, " ");
    bool alone = line + blanks == found && !*rest;
    char *indentation = mem_strndup(line, (size_t)blanks);
    if (!alone)
        fprintf(out, "%.*s", (int)(found - line), line);
    part->write(out, indentation);
    if (!alone)
        fprintf(out, "%s\n", rest);
    free(indentation);
}

void man_template_write(FILE *out, const char *name, const struct man_template_part *parts)
{
    const char *text = "";
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            text = file->text;
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = mem_strndup(text, length);
        write_line(out, line, parts);
        free(line);
        text += length + (text[length] == '\n');
    }
}
