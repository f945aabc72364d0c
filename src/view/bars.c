#include "view/bars.h"
#include "view/column.h"

/* The part of a busy share that is kernel time. Both are shares of one time, but only the busy one
 * is counted (negative: not known): /proc/stat's may be sampled at ticks (proc(5)), and larger. */
static void bar_set_busy(struct bar *bar, const struct frame *frame, double share, double kernel)
{
    bar->value = (struct value){.number = share * 100, .coverage = 1};
    if (share < 0)
        bar->value.state = frame_has_machine(frame) ? VALUE_UNDEFINED : VALUE_MISSING;
    bar->kernel = kernel < 0 || share < 0 ? -1 : 100 * (kernel < share ? kernel : share);
}

static struct value bars_value_of(const struct frame *frame, const struct metric *metric,
                                  const struct row *row, size_t cpus)
{
    struct value value = eval_row(metric->expr, frame, row);
    if (expr_per_interval(metric->expr))
        value.number /= (double)cpus;
    return value;
}

void bars_machine(const struct frame *frame, const struct metric *metric, struct bar *bar)
{
    *bar = (struct bar){.first = -1, .last = -1, .kernel = -1};
    if (metric) {
        bar->value = bars_value_of(frame, metric, &frame->total, 1);
        return;
    }
    size_t cpus;
    double busy = frame_busy(frame, &cpus);
    bar_set_busy(bar, frame, busy < 0 ? busy : busy / (double)cpus,
                 load_mean(&frame->load, CPU_KERNEL, NULL));
}

size_t bars_cpus(const struct frame *frame, const struct metric *metric, size_t per,
                 struct bar *bars)
{
    size_t made = 0;
    for (size_t at = 0; frame->has_cpus && at < frame->cpu_count; at += per) {
        const struct row *rows = &frame->cpus[at];
        size_t left = frame->cpu_count - at, count = left < per ? left : per;
        struct bar *bar = &bars[made++];
        *bar = (struct bar){.first = rows[0].cpu, .last = rows[count - 1].cpu, .kernel = -1};
        if (!metric) { /* the busy share, including tasks that are not counted */
            double sum = 0, share = 0, kernel = 0;
            for (size_t i = 0; i < count && share >= 0; i++) {
                const struct cpu_load *load = load_find(&frame->load, rows[i].cpu);
                double in_kernel = load ? kernel_times_share(&load->kernel_times, CPU_KERNEL) : -1;
                share = frame->part           ? load_share(load)
                        : frame->interval > 0 ? rows[i].oncpu / frame->interval
                                              : -1;
                sum += share;
                kernel = kernel < 0 || in_kernel < 0 ? -1 : kernel + in_kernel;
            }
            bar_set_busy(bar, frame, share < 0 ? share : sum / (double)count,
                         kernel / (double)count);
            continue;
        }
        struct kernel_times times = {0};
        struct row sum = row_sum_new(frame->events);
        sum.kernel_times = &times;
        for (size_t i = 0; i < count; i++)
            row_sum_add(&sum, &rows[i], frame);
        row_sum_complete(&sum, frame);
        bar->value = bars_value_of(frame, metric, count == 1 ? rows : &sum, count);
        if (metric_counts_events(metric))
            bar->value.number = format_whole_rate(bar->value.number, frame->interval);
        row_sum_release(&sum);
    }
    return made;
}

double bars_full(const struct metric *metric, double seen)
{
    if (!metric || metric->unit.kind == UNIT_PERCENT)
        return 100;
    bool more_is_better = metric->has_good && metric->good > metric->bad;
    return more_is_better && metric->good > seen ? metric->good : seen;
}

static bool known(const struct value *value)
{
    return value->state < VALUE_UNDEFINED;
}

double bars_share(const struct value *value, double full)
{
    if (!known(value) || !(full > 0) || !(value->number > 0))
        return 0;
    return value->number < full ? value->number / full : 1;
}

enum role bars_role(const struct metric *metric, const struct value *value)
{
    bool bad = metric && known(value) && metric_judge(metric, value->number) < 0;
    return bad ? ROLE_BAD : ROLE_VALUE;
}

void bars_text(char text[BARS_TEXT], const struct metric *metric, const struct value *value)
{
    enum { WIDTH = 6 };
    if (!known(value)) {
        strcpy(text, value->state == VALUE_UNDEFINED ? "n/a" : "-");
        return;
    }
    if (metric)
        column_format(text, metric, value->number, metric->width < WIDTH ? WIDTH : metric->width);
    else
        format_fixed(text, value->number, 1, WIDTH);
    if (!metric)
        strcat(text, "%");
    if (value->state == VALUE_SCALED)
        strcat(text, "~");
}
