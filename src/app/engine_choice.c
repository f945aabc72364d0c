#include "app/startup.h"
#include "system/procfs.h"

bool engine_choice_disturbs(const struct switch_rates *rates, size_t cpus)
{
    enum { FELT = 10000 }; /* switches of a CPU a second: at 0.5 to 0.9 us each, less than 1 % */
    return rates->machine > (double)FELT * (double)cpus;
}

bool engine_choice_ledger(const struct switch_rates *rates, size_t cpus)
{
    return !engine_choice_disturbs(rates, cpus) || rates->watched * 2 > rates->machine;
}

/* Times that the threads of the watched processes got a CPU so far. */
static double slices_of(const struct watch *watch)
{
    struct procfs_schedstat now;
    double sum = 0;
    for (size_t i = 0; i < watch->pid_count; i++) {
        struct pid_list threads = {0};
        procfs_threads(watch->pids[i], &threads);
        for (size_t t = 0; t < threads.count; t++)
            if (procfs_schedstat(watch->pids[i], threads.pids[t], &now))
                sum += (double)now.slices;
        free(threads.pids);
    }
    for (size_t i = 0; i < watch->tid_count; i++)
        if (procfs_schedstat(procfs_process_of(watch->tids[i]), watch->tids[i], &now))
            sum += (double)now.slices;
    return sum;
}

bool engine_choice_measure(const struct watch *watch, size_t cpus, struct switch_rates *rates)
{
    enum { WINDOW = 10 }; /* ms */
    uint64_t before, after, start = clock_monotonic();
    bool known = procfs_machine_count("ctxt", &before);
    poll(NULL, 0, WINDOW);
    known &= procfs_machine_count("ctxt", &after);
    double seconds = (double)(clock_monotonic() - start) / 1e9;
    if (!known)
        return false;
    *rates = (struct switch_rates){.machine = (double)(after - before) / seconds};
    if (!engine_choice_disturbs(rates, cpus))
        return true;
    double slices = slices_of(watch);
    start = clock_monotonic();
    poll(NULL, 0, WINDOW);
    double passed = slices_of(watch) - slices;
    rates->watched = passed * 1e9 / (double)(clock_monotonic() - start);
    return true;
}
