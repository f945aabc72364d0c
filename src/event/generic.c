#include "base/embed.h"
#include "event/query.h"

bool generic_next(const char **line, struct generic_event *event)
{
    /* The first one stands behind the comment. */
    const char *text = *line ? *line : strstr(embedded_text("generic.txt"), "\ncycles ") + 1;
    int start = 0;
    if (sscanf(text, "%31s %" SCNu32 " %" SCNi64 " %n", event->name, &event->type,
               (int64_t *)&event->config, &start) != 3)
        return false;
    event->text = text + start;
    event->length = strcspn(event->text, "\n");
    *line = event->text + event->length + 1;
    return true;
}

static bool generic_named(const char *name, struct generic_event *event)
{
    AUTO_FREE char *start = mem_printf("\n%s ", name);
    const char *line = strstr(embedded_text("generic.txt"), start);
    if (!line)
        return false;
    line++;
    return generic_next(&line, event);
}

/* perf's words for caches, operations and results: util/evsel.c, evsel__hw_cache[],
 * evsel__hw_cache_op[] and evsel__hw_cache_result[]. The names of events have the first ones; of an
 * operation the second one before a result. */
enum { ALIASES = 5 };
typedef const char *const words[ALIASES + 1];
static words caches[] = {
    {"L1-dcache", "l1-d", "l1d", "L1-data"},
    {"L1-icache", "l1-i", "l1i", "L1-instruction"},
    {"LLC", "L2"},
    {"dTLB", "d-tlb", "Data-TLB"},
    {"iTLB", "i-tlb", "Instruction-TLB"},
    {"branch", "branches", "bpu", "btb", "bpc"},
    {"node"},
    {NULL},
};
static words operations[] = {
    {"loads", "load", "read"},
    {"stores", "store", "write"},
    {"prefetches", "prefetch", "speculative-read", "speculative-load"},
    {NULL},
};
static words results[] = {
    {"refs", "Reference", "ops", "access"},
    {"misses", "miss"},
    {NULL},
};

/* The row with the word that *text begins with, up to a '-' or the end, and moves *text behind it;
 * NULL: none has it. */
static words *generic_take_word(words *rows, const char **text)
{
    for (; **rows; rows++)
        for (const char *const *word = *rows; *word; word++) {
            size_t length = strlen(*word);
            if (strncmp(*text, *word, length) != 0 || ((*text)[length] && (*text)[length] != '-'))
                continue;
            *text += length + ((*text)[length] == '-');
            return rows;
        }
    return NULL;
}

bool generic_find(const char *name, struct generic_event *event)
{
    if (generic_named(name, event))
        return true;
    /* cache[-operation][-result] in any of perf's words; the default is loads, with any result
     * (util/parse-events.c, parse_events_add_cache()). */
    const char *rest = name;
    words *cache = generic_take_word(caches, &rest);
    if (!cache)
        return false;
    words *operation = generic_take_word(operations, &rest);
    words *result = generic_take_word(results, &rest);
    bool missed = result == &results[1];
    if (*rest || name[strlen(name) - 1] == '-')
        return false;
    AUTO_FREE char *usual =
        mem_printf("%s-%s%s", (*cache)[0], (*(operation ? operation : operations))[missed],
                   missed ? "-misses" : "");
    return generic_named(usual, event);
}
