#include "base/embed.h"

#include "base/str.h"

const char *embedded_text(const char *name)
{
    const struct embedded_file *file = STR_FIND(embedded_files, SIZE_MAX, name, name);
    return file ? file->text : "";
}
