/* Translates perf's expressions of metrics (MetricExpr of event files; tools/perf/util/expr.y and
 * expr.l of the kernel's sources) into those of metric/eval.h: `x if y else z`, | ^ & < > + - * /
 * %, min, max, d_ratio, has_event, source_count and strcmp_cpuid_str, `#NAME` for properties of the
 * machine, and names of events, in which '\' escapes and '@' stands for '/'. What is constant is
 * computed; a condition that is constant removes what it does not choose. */
#pragma once

#include "base/base.h"

enum perf_word {
    PERF_NAME,      /* an event or a metric */
    PERF_PROPERTY,  /* #NAME, without '#' */
    PERF_HAS_EVENT, /* has_event(NAME): 1 or 0 */
    PERF_SOURCES,   /* source_count(NAME) */
    PERF_CPU,       /* strcmp_cpuid_str(ID): 1 if the machine's processor is that */
};

/* Looks up a word of an expression. `find` returns 0 and sets *number, or for PERF_NAME sets *text
 * to an expression of metric/eval.h, which the caller frees; -1 with the reason why the word has no
 * value. */
struct perf_words {
    int (*find)(void *ctx, enum perf_word kind, const char *name, double *number, char **text,
                struct err *err);
    void *ctx;
};

/* Translates an expression; the caller frees the result. NULL with a message: a mistake with its
 * column, the reason why a word that is needed has no value, or an operator that metric/eval.h does
 * not have. */
char *perf_expr_translate(const char *text, const struct perf_words *words, struct err *err);
