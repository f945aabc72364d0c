#include "event/modifier.h"

#include <string.h>

static const char letters[] = "ukhHGIpPDWeSb";

enum { MOST_PRECISE = 3 }; /* perf_event_open(2), precise_ip: two bits */

bool modifier_is(const char *text)
{
    return *text && text[strspn(text, letters)] == '\0';
}

int modifier_check(const char *text, const char *event, struct err *err)
{
    int precise = 0;
    for (const char *p = text; *p; p++) {
        if (!strchr(letters, *p))
            return err_set(err, "bad modifiers '%s' of event '%s': expected letters of '%s'", text,
                           event, letters);
        if (*p == 'p' ? ++precise > MOST_PRECISE : strchr(p + 1, *p) != NULL)
            return err_set(err, "bad modifiers '%s' of event '%s': '%c' is there too often", text,
                           event, *p);
    }
    return 0;
}

bool modifier_apply(const char *text, struct perf_event_attr *attr)
{
    bool mode = strpbrk(text, "ukh") != NULL;
    bool machine = strpbrk(text, "HG") != NULL;
    if (mode) {
        attr->exclude_user = !strchr(text, 'u');
        attr->exclude_kernel = !strchr(text, 'k');
        attr->exclude_hv = !strchr(text, 'h');
    }
    if (machine) {
        attr->exclude_host = !strchr(text, 'H');
        attr->exclude_guest = !strchr(text, 'G');
    } else if (strpbrk(text, "up")) {
        /* A guest's kernel runs in the host's user mode, and its addresses mean nothing here. */
        attr->exclude_guest = 1;
    }
    attr->exclude_idle = strchr(text, 'I') != NULL;
    attr->pinned |= strchr(text, 'D') != NULL;
    attr->exclusive |= strchr(text, 'e') != NULL;
    for (const char *p = text; *p; p++)
        attr->precise_ip += *p == 'p';
    return mode;
}
