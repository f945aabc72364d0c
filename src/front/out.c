#include "front/out.h"

#include <errno.h>
#include <string.h>

int out_open(struct out *out, const char *path, struct err *err)
{
    *out = (struct out){stdout, "standard output"};
    if (!path)
        return 0;
    out->name = path;
    out->stream = fopen(path, "we");
    if (!out->stream)
        return err_set(err, "cannot write '%s': %s", path, strerror(errno));
    return 0;
}

int out_write(struct out *out, struct str *text, struct err *err)
{
    size_t written = fwrite(text->text, 1, text->length, out->stream);
    bool failed = written < text->length || fflush(out->stream) != 0;
    int error = errno;
    str_clear(text);
    if (!failed)
        return 0;
    if (error == EPIPE)
        return 1;
    const char *quote = out->stream == stdout ? "" : "'";
    return err_set(err, "cannot write %s%s%s: %s", quote, out->name, quote, strerror(error));
}

void out_close(struct out *out)
{
    if (out->stream && out->stream != stdout)
        fclose(out->stream);
    out->stream = NULL;
}
