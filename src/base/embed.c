#include "base/embed.h"

#include <string.h>

const char *embedded_text(const char *name)
{
    const struct embedded_file *file = embedded_files;
    while (file->name && strcmp(file->name, name) != 0)
        file++;
    return file->name ? file->text : "";
}
