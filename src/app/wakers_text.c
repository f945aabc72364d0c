#include "app/host.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/probe_open.h"
#include "engine/wakers.h"
#include "view/format.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WAKERS_NAMED = 3 };

static void wakers_name(struct str *text, const struct waker *waker, bool ascii)
{
    char name[sizeof(waker->name)];
    text_clean(name, sizeof(name), waker->name, ascii);
    if (waker->tid == WAKER_INTERRUPT)
        str_add(text, "interrupts");
    else if (waker->tid <= 0)
        str_add(text, waker->tid ? "an ended task" : "an idle CPU");
    else
        str_printf(text, "%s%s%d", name, *name ? " " : "", (int)waker->tid);
}

/* "perl 12 61 %, interrupts 30 %, sh 15 8 %, 2 others; 812 times, last by perl 12"; the caller
 * frees it. ascii: names have no other characters. */
static char *wakers_text(const struct wakers *wakers, bool ascii)
{
    size_t count = wakers->count;
    uint64_t all = 0, lost = wakers->lost;
    const struct waker *list = wakers->list, *last = wakers->last;
    struct str text = str_new();
    for (size_t i = 0; i < count; i++)
        all += list[i].times;
    for (size_t i = 0; i < count && i < WAKERS_NAMED; i++) {
        str_add(&text, i ? ", " : "");
        wakers_name(&text, &list[i], ascii);
        str_printf(&text, " %.0f %%", 100 * (double)list[i].times / (double)all);
    }
    if (count > WAKERS_NAMED)
        str_printf(&text, ", %zu other%s", count - WAKERS_NAMED,
                   count == WAKERS_NAMED + 1 ? "" : "s");
    if (count == 0)
        str_add(&text, "nobody since these details were opened");
    if (count > 0)
        str_printf(&text, "; %" PRIu64 " time%s", all, all == 1 ? "" : "s");
    if (last) {
        str_add(&text, ", last by ");
        wakers_name(&text, last, ascii);
    }
    if (lost)
        str_printf(&text, "; %" PRIu64 " more not seen", lost);
    return str_detach(&text);
}

char *host_wakers(struct host *host, pid_t pid, pid_t tid)
{
    if (host->wakers && (host->wakers->pid != pid || host->wakers->tid != tid))
        host_forget_wakers(host);
    if (!host->wakers) {
        struct caps caps;
        probe_open_caps(&caps);
        host->wakers = wakers_new(pid, tid, &caps);
    }
    wakers_read(host->wakers);
    const char *obstacle = host->wakers->obstacle;
    return obstacle ? mem_printf("not known: %s", obstacle)
                    : wakers_text(host->wakers, view_settings(host->view)->ascii);
}

void host_forget_wakers(struct host *host)
{
    wakers_free(host->wakers);
    host->wakers = NULL;
}
