/* Hand-written texts with marks, which are replaced by text from the program's tables. */
#ifndef CLI_MAN_TEMPLATE_H
#define CLI_MAN_TEMPLATE_H

#include <stdio.h>

struct man_template_part {
    const char *mark; /* "@OPTIONS@" */
    /* Writes the replacement: whole lines with that indentation if the mark is alone on its line,
     * else a part of a line. */
    void (*write)(FILE *out, const char *indentation);
};

/* Writes the embedded text of that name (base/embed.h). A line has at most one mark; parts end with
 * one without a mark. */
void man_template_write(FILE *out, const char *name, const struct man_template_part *parts);

#endif
