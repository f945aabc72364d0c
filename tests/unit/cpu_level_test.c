/* The CPUs view: what its rows add up, and how they compare. */
#include "unit/viewed.h"

#include "view/marks.h"

/* Eight CPUs, of which number n is busy for n tenths and counts 100 * (n + 1) cycles. */
static void show(struct fixture *f, enum view_level level)
{
    for (int cpu = 0; cpu < 8 && f->frame->cpu_count < 8; cpu++)
        add_cpu(f->frame, cpu, cpu / 10.0, 100 * ((uint64_t)cpu + 1));
    settings_of(f->view)->kind = VIEW_CPUS;
    settings_of(f->view)->level = level;
    view_choose_screen(f->view, "rates", false, NULL);
    view_set_frame(f->view, f->frame);
}

/* What is counted once for a socket is no core's, and no type's that others share the socket
 * with. */
static void what_sockets_count_is_not_summed_twice(void **state)
{
    struct fixture *f = *state;
    struct event_info *event = &f->frame->events->events[FAULTS];
    event->shared = true;
    event->group = 0;
    for (int cpu = 0; cpu < 8; cpu++) {
        add_cpu(f->frame, cpu, 0, 100);
        struct row *row = &f->frame->cpus[cpu];
        bool counts = cpu % 4 == 0;
        row->counts[FAULTS] = (struct count){counts ? 1000 : 0, counts};
        row->times[0] = (struct group_time){counts, counts};
    }
    f->frame->total.counts[FAULTS] = (struct count){2000, 1};
    f->frame->total.times[0] = (struct group_time){2, 2};
    show(f, LEVEL_SOCKET);
    expect_cells(f, "page-faults", "2.00k|1.00k|1.00k");
    show(f, LEVEL_TYPE);
    expect_cells(f, "page-faults", "2.00k|1.00k|1.00k"); /* here types are sockets */
    show(f, LEVEL_CORE);
    expect_cells(f, "page-faults", "2.00k|-|-|-|-");
    show(f, LEVEL_CPU);
    expect_cells(f, "page-faults", "2.00k|1.00k|-|-|-|1.00k|-|-|-");
}
