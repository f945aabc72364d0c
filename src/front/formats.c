#include "front/batch.h"

const struct format formats[] = {
    {"text", "default", .check = CHECK_PAGE, .totals = true, .as_shown = true, .write = text_write,
     .compare = compare_text},
    {"csv", .facts = true, .write = csv_write, .compare = compare_csv},
    {"json", "JSON Lines", .check = CHECK_JSON, .facts = true, .write = json_write,
     .compare = compare_json},
    {"folded", "stacks for flame graphs", .stacks = true, .write = folded_write},
    {"svg", "a flame graph", .stacks = true, .replaces = true, .document = true, .write = svg_write,
     .compare = svg_compare},
    {"pprof", "a profile for its viewers", .stacks = true, .replaces = true, .document = true,
     .binary = true, .write = pprof_write},
    {"trace", "trace events for Perfetto", .end = "]\n", .write = trace_write},
    {"openmetrics", "counters for Prometheus", .counters = true, .replaces = true,
     .write = openmetrics_write},
    {0},
};

void formats_describe(struct str *text)
{
    for (const struct format *format = formats; format->name; format++) {
        str_add(text, format == formats ? "" : format[1].name ? ", " : " or ");
        str_printf(text, format->help ? "%s (%s)" : "%s", format->name, format->help);
    }
}
