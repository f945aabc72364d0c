#include "event/query.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/elf.h"
#include "base/names.h"
#include "event/pmu.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest name of a kernel function: include/linux/kallsyms.h, KSYM_NAME_LEN. */
enum { FUNCTION_SIZE = 512 };

struct probe_kind {
    const char *prefix, *pmu, *terms, *expected;
    bool user;
};

static const struct probe_kind kinds[] = {
    {"uprobe:", "uprobe", "retprobe=0", "uprobe:/path:function[+offset]", true},
    {"uretprobe:", "uprobe", "retprobe=1", "uretprobe:/path:function", true},
    {"kprobe:", "kprobe", "retprobe=0", "kprobe:function[+offset]", false},
    {"kretprobe:", "kprobe", "retprobe=1", "kretprobe:function", false},
};

static const struct probe_kind *kind_of(const char *text)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (str_starts(text, kinds[i].prefix))
            return &kinds[i];
    return NULL;
}

bool probe_is(const char *text)
{
    return kind_of(text) != NULL;
}

size_t probe_colons(const char *text)
{
    const struct probe_kind *kind = kind_of(text);
    return kind && kind->user ? 2 : 1;
}

/* "function", "function+0x10", "0x1234". A number alone leaves function empty. */
static bool parse_place(const char *text, char *function, uint64_t *offset)
{
    bool number = *text >= '0' && *text <= '9';
    size_t length = number ? 0 : strcspn(text, "+");
    const char *p = text + length;
    *offset = 0;
    snprintf(function, FUNCTION_SIZE, "%.*s", (int)length, text);
    if (!number && (length == 0 || length >= FUNCTION_SIZE))
        return false;
    if (!number && !*p++)
        return true;
    return str_take_number(&p, offset) && !*p;
}

/* A missing function is not wrong usage, since functions differ between kernels. If the kernel
 * hides its symbols, only opening the probe can tell. */
static enum answer find_in_kernel(struct query *q, const char *function)
{
    char line[FUNCTION_SIZE + 64], name[FUNCTION_SIZE];
    struct names names = {0};
    FILE *symbols = file_open("/proc/kallsyms");
    bool found = !symbols, any = false;
    while (!found && fgets(line, sizeof(line), symbols)) {
        /* address, kind, name: t, T, w and W are code (nm(1)) */
        char kind;
        if (sscanf(line, "%*s %c %511s", &kind, name) != 2 || !strchr("tTwW", kind))
            continue;
        any = true;
        found = str_equal(name, function);
        if (!found && name[0] == function[0])
            names_add(&names, name);
    }
    if (symbols)
        fclose(symbols);
    enum answer answer = ANSWER_YES;
    if (!found && any) {
        err_set(&q->err, "this kernel has no function '%s'", function);
        err_add_nearest(&q->err, names_nearest(&names, function));
        answer = query_not_here(q, EVENT_UNSUPPORTED, q->err.text);
    }
    names_release(&names);
    return answer;
}

static enum answer place_in_file(struct query *q, const char *text)
{
    char function[FUNCTION_SIZE], path[PATH_MAX];
    const char *colon = strrchr(text, ':');
    uint64_t offset, start = 0;
    if (*text != '/' || !colon || (size_t)(colon - text) >= sizeof(path) ||
        !parse_place(colon + 1, function, &offset))
        return ANSWER_NO;
    snprintf(path, sizeof(path), "%.*s", (int)(colon - text), text);
    struct err cause;
    if (*function && elf_function(path, function, &start, &cause) != 0) {
        err_set(&q->err, "bad event '%s': %s", q->text, cause.text);
        return ANSWER_ERROR;
    }
    q->event.target = mem_strdup(path);
    q->event.attr.config2 = start + offset;
    return ANSWER_YES;
}

enum answer probe_ask(struct query *q)
{
    const struct probe_kind *kind = kind_of(q->base);
    uint32_t type;
    if (!kind)
        return ANSWER_NO;
    /* The other mode would always count 0. */
    q->has_mode = !kind->user;
    const char *place = q->base + strlen(kind->prefix);
    enum answer answer = kind->user ? place_in_file(q, place) : ANSWER_NO;
    char function[FUNCTION_SIZE];
    uint64_t offset;
    if (!kind->user && parse_place(place, function, &offset)) {
        q->event.attr.config2 = offset;
        answer = ANSWER_YES; /* a number alone is kprobe_addr, with kprobe_func NULL */
        if (*function) {
            q->event.target = mem_strdup(function);
            answer = find_in_kernel(q, function);
        }
    }
    if (answer == ANSWER_NO) {
        err_set(&q->err, "bad event '%s': expected %s", q->text, kind->expected);
        return ANSWER_ERROR;
    }
    if (answer == ANSWER_ERROR)
        return answer;
    q->event.pmu = mem_strdup(kind->pmu);
    if (!pmu_type(kind->pmu, &type)) {
        free(q->event.reason);
        err_set(&q->err, "this kernel has no %ss (built without CONFIG_%s_EVENTS)", kind->pmu,
                kind->user ? "UPROBE" : "KPROBE");
        return query_not_here(q, EVENT_UNSUPPORTED, q->err.text);
    }
    struct perf_event_attr attr = {0};
    if (pmu_encode(kind->pmu, kind->terms, &attr, &q->err) != 0)
        return ANSWER_ERROR;
    q->event.attr.type = attr.type;
    q->event.attr.config = attr.config;
    return answer;
}
