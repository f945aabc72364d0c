#include "event/encoding.h"
#include "base/str.h"

#include <linux/hw_breakpoint.h>

static void add_hex(struct str *text, const char *name, unsigned long long value)
{
    if (value)
        str_printf(text, " %s=0x%llx", name, value);
}

static void add_breakpoint(struct str *text, const struct perf_event_attr *attr)
{
    str_printf(
        text, " bp_addr=0x%llx bp_len=%llu bp_type=%s%s%s", (unsigned long long)attr->bp_addr,
        (unsigned long long)attr->bp_len, attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
        attr->bp_type & HW_BREAKPOINT_W ? "w" : "", attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
}

static void encoding_add_words(struct str *text, const char *pmu, uint32_t type, uint64_t config)
{
    str_printf(text, "%s%s type=%u config=0x%llx", text->length ? "; " : "", pmu ? pmu : "?", type,
               (unsigned long long)config);
}

char *encoding_text(const struct event *event, const char *full)
{
    const struct perf_event_attr *attr = &event->attr;
    struct str text;
    str_init(&text);
    for (size_t v = 0; v < event->variant_count; v++) {
        const struct event_variant *variant = &event->variants[v];
        encoding_add_words(&text, variant->pmu, variant->type, variant->config);
    }
    if (attr->type == PERF_TYPE_BREAKPOINT) {
        str_printf(&text, "%s type=%u", event->pmu, attr->type);
        add_breakpoint(&text, attr);
    } else {
        if (event->variant_count == 0)
            encoding_add_words(&text, event->pmu, attr->type, attr->config);
        add_hex(&text, "config1", attr->config1);
        add_hex(&text, "config2", attr->config2);
    }
    if (event->target)
        str_printf(&text, " %s", event->target);
    if (event->filter)
        str_printf(&text, " filter '%s'", event->filter);
    if (full)
        str_printf(&text, " %s", full);
    return str_detach(&text);
}
