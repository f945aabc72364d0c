/* Translates perf's expressions of metrics (MetricExpr of event files; tools/perf/util/expr.y and
 * expr.l of the kernel's sources) into those of metric/eval.h: `x if y else z`, | ^ & < > + - * /
 * %, min, max, d_ratio, has_event, source_count and strcmp_cpuid_str, `#NAME` for properties of the
 * machine, and names of events, in which '\' escapes and '@' stands for '/'. What is constant is
 * computed; a condition that is constant removes what it does not choose. */
#ifndef METRIC_PERF_EXPR_H
#define METRIC_PERF_EXPR_H

#include "base/err.h"

enum perf_word {
    PERF_NAME,      /* an event or a metric */
    PERF_PROPERTY,  /* #NAME, without '#' */
    PERF_HAS_EVENT, /* has_event(NAME): 1 or 0 */
    PERF_SOURCES,   /* source_count(NAME) */
    PERF_CPU,       /* strcmp_cpuid_str(ID): 1 if the machine's processor is that */
};

/* What knows the words of an expression. Returns 0, with a number, or for PERF_NAME with an
 * expression of metric/eval.h as *text, which the caller frees; -1 with the reason why it has no
 * value. */
struct perf_words {
    int (*find)(void *ctx, enum perf_word kind, const char *name, double *number, char **text,
                struct err *err);
    void *ctx;
};

/* The translation, which the caller frees. NULL with a message: a mistake, with its column, or the
 * reason of a word without which it has no value, or something that metric/eval.h has not. */
char *perf_expr_translate(const char *text, const struct perf_words *words, struct err *err);

#endif
