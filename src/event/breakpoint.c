#include "event/query.h"
#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

static const char prefix[] = "mem:";

bool breakpoint_is(const char *text)
{
    return str_starts(text, prefix);
}

/* "rw": each letter once. */
static bool take_access(const char *text, uint32_t *access)
{
    *access = HW_BREAKPOINT_EMPTY;
    for (; *text; text++) {
        uint32_t one = *text == 'r'   ? HW_BREAKPOINT_R
                       : *text == 'w' ? HW_BREAKPOINT_W
                       : *text == 'x' ? HW_BREAKPOINT_X
                                      : HW_BREAKPOINT_EMPTY;
        if (one == HW_BREAKPOINT_EMPTY || (*access & one))
            return false;
        *access |= one;
    }
    return *access != HW_BREAKPOINT_EMPTY;
}

enum answer breakpoint_ask(struct query *q)
{
    if (!breakpoint_is(q->base))
        return ANSWER_NO;
    const char *p = q->base + strlen(prefix);
    uint64_t address = 0, length = 0;
    uint32_t access = HW_BREAKPOINT_RW;
    bool fine = str_take_number(&p, &address);
    bool sized = fine && *p == '/';
    if (sized) {
        p++;
        fine = str_take_number(&p, &length);
    }
    if (fine && *p)
        fine = *p == ':' && take_access(p + 1, &access);
    if (!fine) {
        err_set(&q->err,
                "bad event '%s': expected mem:ADDRESS[/LENGTH][:rwx], such as mem:0x1238/8:w",
                q->text);
        return ANSWER_ERROR;
    }
    if (sized && length != 1 && length != 2 && length != 4 && length != 8) {
        err_set(&q->err, "bad event '%s': bad length %" PRIu64 ": expected 1, 2, 4 or 8", q->text,
                length);
        return ANSWER_ERROR;
    }
    if (!sized)
        length = access == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
    q->event.attr.type = PERF_TYPE_BREAKPOINT;
    q->event.attr.bp_type = access;
    q->event.attr.bp_addr = address;
    q->event.attr.bp_len = length;
    if (access == HW_BREAKPOINT_X || address % length == 0)
        return ANSWER_YES;
    q->event.pmu = mem_strdup("breakpoint");
    err_set(&q->err,
            "address 0x%" PRIx64 " is not a multiple of %" PRIu64 ": use one that is, such as "
            "0x%" PRIx64 ", or a length of %" PRIu64,
            address, length, address - address % length, address & -address);
    return query_not_here(q, EVENT_INVALID, q->err.text);
}
