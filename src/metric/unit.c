#include "metric/unit.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    enum unit_kind kind;
    const char *symbol;
    int time;
    bool prefixes; /* SI prefixes are allowed */
} words[] = {
    {"", UNIT_COUNT, "", 0, false},      {"1", UNIT_COUNT, "", 0, false},
    {"count", UNIT_COUNT, "", 0, false}, {"ratio", UNIT_RATIO, "", 0, false},
    {"%", UNIT_PERCENT, "%", 0, false},  {"percent", UNIT_PERCENT, "%", 0, false},
    {"s", UNIT_SECONDS, "s", 1, true},   {"seconds", UNIT_SECONDS, "s", 1, false},
    {"B", UNIT_BYTES, "B", 0, true},     {"bytes", UNIT_BYTES, "B", 0, false},
    {"Hz", UNIT_HERTZ, "Hz", -1, true},  {"J", UNIT_JOULES, "J", 0, true},
    {"W", UNIT_JOULES, "W", -1, true},
};

int unit_parse(struct unit *unit, const char *text, struct err *err)
{
    size_t length = strlen(text);
    bool rate = length >= 2 && strcmp(text + length - 2, "/s") == 0;
    length -= rate ? 2 : 0;
    /* No word begins with a prefix, so a text is not both. */
    bool prefix = length > 0 && strchr("numkMGT", *text);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        const char *symbol = words[i].symbol;
        size_t size = strlen(words[i].word);
        if (size + prefix != length || strncmp(words[i].word, text + prefix, size) != 0 ||
            (prefix && !words[i].prefixes && !(size == 0 && rate)))
            continue;
        char before[2] = {prefix ? *text : '\0', '\0'};
        *unit =
            (struct unit){.kind = words[i].kind, .prefixed = prefix, .time = words[i].time - rate};
        snprintf(unit->text, sizeof(unit->text), "%s%s%s",
                 rate && !prefix && !*symbol ? "1" : before, symbol, rate ? "/s" : "");
        return 0;
    }
    return err_set(err,
                   "no unit '%.40s': expected count, ratio, percent, seconds, bytes, Hz, J or W, "
                   "or such as us, MB/s, 1/s",
                   text);
}
