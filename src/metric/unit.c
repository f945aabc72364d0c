#include "metric/unit.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
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

static void unit_fill(struct unit *unit, size_t word, char prefix, bool rate)
{
    const char *symbol = words[word].symbol;
    char before[2] = {prefix, '\0'};
    *unit = (struct unit){.kind = words[word].kind, .prefixed = prefix, .time = words[word].time};
    unit->time -= rate;
    snprintf(unit->text, sizeof(unit->text), "%s%s%s", rate && !prefix && !*symbol ? "1" : before,
             symbol, rate ? "/s" : "");
}

/* Finds a unit by its name with an SI prefix, without `/s`. */
static bool unit_find(struct unit *unit, const char *text, bool rate)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i].word, text) == 0) {
            unit_fill(unit, i, '\0', rate);
            return true;
        }
    if (!*text || !strchr("numkMGT", *text))
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcmp(words[i].word, text + 1) == 0 && (words[i].prefixes || (!text[1] && rate))) {
            unit_fill(unit, i, *text, rate);
            return true;
        }
    return false;
}

int unit_parse(struct unit *unit, const char *text, struct err *err)
{
    size_t length = strlen(text);
    bool rate = length >= 2 && strcmp(text + length - 2, "/s") == 0;
    char *name = mem_strndup(text, length - (rate ? 2 : 0));
    bool found = unit_find(unit, name, rate);
    free(name);
    if (found)
        return 0;
    return err_set(err,
                   "no unit '%.40s': expected count, ratio, percent, seconds, bytes, Hz, J or W, "
                   "or such as us, MB/s, 1/s",
                   text);
}
