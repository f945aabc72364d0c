/* perf's expressions: what is translated is an expression of ours, unless it is too large for it.
 */
#include "metric/perf_expr.h"
#include "base/mem.h"
#include "metric/eval.h"
#include "fuzz/fuzz.h"

static int find(void *ctx, enum perf_word kind, const char *name, double *number, char **text,
                struct err *err)
{
    (void)ctx;
    *number = (double)strlen(name);
    if (*name == 'z' || strchr(name, '\''))
        return err_set(err, "not '%.20s'", name);
    if (kind == PERF_NAME)
        *text = *name == 'm' ? mem_strdup("'a' + 'b'") : mem_printf("'%s'", name);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const limits[] = {"too deeply nested", "too many different events",
                                         "the number is too long"};
    const struct perf_words words = {find, NULL};
    struct err err = {""};
    char *text = mem_strndup((const char *)data, size);
    char *translation = perf_expr_translate(text, &words, &err);
    if (!translation && !*err.text)
        abort();
    struct expr *expr = translation ? expr_parse(translation, &err) : NULL;
    bool large = false;
    for (size_t i = 0; translation && !expr && i < sizeof(limits) / sizeof(*limits); i++)
        large |= strncmp(err.text, limits[i], strlen(limits[i])) == 0;
    if (translation && !expr && !large)
        abort();
    expr_free(expr);
    free(translation);
    free(text);
    return 0;
}
