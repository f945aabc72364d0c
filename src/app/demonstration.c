#include "app/host.h"
#include "demo/worker.h"
#include "demo/verify.h"
#include "event/name.h"

struct demonstration {
    struct workload_list *list;
    const struct workload *workload;
    struct live *live, *others[2]; /* others: further workloads of the tour */
    struct verify_pace pace;
    bool computes; /* in user mode alone, on a processor with a pipeline */
    struct front_demo shown;
    struct live_work before; /* the work up to the end of the last interval */
    struct demonstrated {
        const struct demo_check *check;
        char *names[2]; /* of its events; the second may be NULL */
    } checks[FRONT_DEMO_COUNTS];
};

/* ---- start ---- */

/* The checks that a table can show: asks for their events, for functions if they are of code, and
 * for the samples of a check of waits, unless the options say otherwise. */
static void choose_checks(struct demonstration *demonstration, struct host *host,
                          struct view_settings *shows)
{
    const struct demo_check *check = demonstration->workload->checks;
    struct front_demo *shown = &demonstration->shown;
    for (; check->what; check++) {
        AUTO_EVENTS struct event_list list = {0};
        if (check->books || check->machine || check->processor == DEMO_FIXED ||
            shown->count == FRONT_DEMO_COUNTS)
            continue;
        struct demonstrated *chosen = &demonstration->checks[shown->count];
        chosen->check = check;
        if (check->code) {
            if (!options_given(host->options, "view"))
                shows->kind = VIEW_FUNCTIONS;
            if (check->code == DEMO_WAITS && !host->setup.sample)
                host->setup.sample = check->events;
            shown->counts[shown->count++].what = check->what;
            continue;
        }
        if (event_parse(&list, check->events, host->mode, NULL) < 0)
            continue; /* an event of other processors */
        for (size_t e = 0; e < list.count && e < 2; e++)
            chosen->names[e] = mem_strdup(list.events[e].name);
        event_parse(&host->setup.own, check->events, host->mode, NULL);
        shown->counts[shown->count++].what = check->what;
        shows->threads |= check->thread != 0;
    }
}

static void show_knobs(struct demonstration *demonstration)
{
    const struct workload_knob *knob = &demonstration->workload->knob;
    const struct live *live = demonstration->live;
    struct front_demo_knob *knobs = demonstration->shown.knobs;
    knobs[LIVE_VALUE] =
        (struct front_demo_knob){knob->what, knob->unit, live_value(live, LIVE_VALUE)};
    knobs[LIVE_THREADS] = (struct front_demo_knob){live_has(live, LIVE_THREADS) ? "threads" : NULL,
                                                   "", live_value(live, LIVE_THREADS)};
}

/* The workloads of the tour, which shows all tasks. */
static const char tour_name[] = "tour", tour_first[] = "branch-random";
static const char *const tour_others[] = {"faults", "hot3"};

struct demonstration *demonstration_start(struct host *host, struct err *err)
{
    const struct options *options = host->options;
    struct view_settings shows = *view_settings(host->view);
    bool tour = strcmp(options->demo, tour_name) == 0;
    struct demonstration *demonstration = mem_alloc(sizeof(*demonstration));
    demonstration->list = workload_list_new();
    const struct workload *workload =
        workload_find(demonstration->list, tour ? tour_first : options->demo);
    AUTO_FREE char *obstacle = workload ? workload_obstacle(workload) : NULL;
    if (tour && options->batch) {
        err_set(err, "the tour needs a terminal: -b (--batch) has none");
    } else if (!workload) {
        err_set(err, "unknown workload '%.60s': see --demo list", options->demo);
        err_add_nearest(err, str_nearest(options->demo, workload_name, demonstration->list));
    } else if (obstacle) {
        err_set(err, "cannot show '%s' here: %s", workload->name, obstacle);
    }
    if (!workload || obstacle || (tour && options->batch)) {
        demonstration_stop(demonstration);
        return NULL;
    }
    demonstration->workload = workload;
    demonstration->shown = (struct front_demo){.tour = tour,
                                               .name = workload->name,
                                               .teaches = workload->teaches,
                                               .does = workload->does,
                                               .formula = workload->formula,
                                               .next = workload->next,
                                               .pending = "the first interval has not ended",
                                               .turn = NAN,
                                               .cycles = NAN};
    verify_pace(demonstration->list, &demonstration->pace);
    demonstration->computes =
        strstr(workload->checks[0].events, ":u") && verify_has_pipeline(&demonstration->pace);
    if (!tour)
        choose_checks(demonstration, host, &shows);
    bool started = (demonstration->live = live_start(workload, err)) != NULL;
    for (int i = 0; i < 2 && tour && started; i++)
        started = (demonstration->others[i] =
                       live_start(workload_find(demonstration->list, tour_others[i]), err));
    if (!started) {
        demonstration_stop(demonstration);
        return NULL;
    }
    pid_t pid = live_pid(demonstration->live);
    shows.watch = tour ? (struct watch){0} : (struct watch){.pid_count = 1, .pids = &pid};
    view_change(host->view, &shows);
    show_knobs(demonstration);
    return demonstration;
}

void demonstration_stop(struct demonstration *demonstration)
{
    if (!demonstration)
        return;
    for (size_t i = 0; i < demonstration->shown.count; i++)
        for (int e = 0; e < 2; e++)
            free(demonstration->checks[i].names[e]);
    live_end(demonstration->live);
    for (int i = 0; i < 2; i++)
        live_end(demonstration->others[i]);
    workload_list_free(demonstration->list);
    free(demonstration);
}

/* ---- each interval ---- */

/* The counts of the check's events in the row. NULL, or why there are none. */
static const char *read_counts(const struct demonstrated *chosen, const struct frame *frame,
                               const struct row *row, struct demo_difference *difference)
{
    if (!row)
        return chosen->check->thread ? "rows of threads are not shown: H shows them"
                                     : "it has no row in this interval";
    if (row->state != EVENT_COUNTED)
        return "its row could not be counted: E says why";
    for (int e = 0; e < 2 && chosen->names[e]; e++) {
        int at = event_set_find(frame->events, chosen->names[e]);
        if (at < 0)
            return "its event is not counted now: e adds it";
        if (frame->events->events[at].state != EVENT_COUNTED)
            return frame->events->events[at].reason;
        if (row->counts[at].coverage <= 0)
            return "its event had no counter in this interval";
        difference->counts[e] = (double)row->counts[at].value;
        if (row->counts[at].coverage < difference->coverage)
            difference->coverage = row->counts[at].coverage;
    }
    return NULL;
}

static void take_check(struct demonstration *demonstration, size_t number,
                       const struct frame *frame, double turns)
{
    enum { CLOCK_TURN = 1000 }; /* ns of CPU time in a turn of the workload `clock` */
    const struct demonstrated *chosen = &demonstration->checks[number];
    struct front_demo_count *count = &demonstration->shown.counts[number];
    const struct live *live = demonstration->live;
    pid_t tid = chosen->check->thread ? live_tid(live, chosen->check->thread) : 0;
    const struct row *row = frame_row(frame, live_pid(live), tid);
    struct demo_difference difference = {.turns = (uint64_t)llround(turns),
                                         .cpu = (uint64_t)llround(turns * CLOCK_TURN),
                                         .value = live_value(live, LIVE_VALUE),
                                         .share = NAN,
                                         .coverage = 1};
    struct demo_result result = {.measured = NAN};
    const char *reason = chosen->check->code
                             ? code_shares(frame, live_pid(live), chosen->check, 0, &difference)
                             : read_counts(chosen, frame, row, &difference);
    workload_judge(chosen->check, &difference, &result);
    count->expected = result.expected;
    count->low = result.low;
    count->high = result.high;
    count->measured = reason ? NAN : result.measured;
    count->scaled = difference.coverage < 1;
    snprintf(count->reason, sizeof(count->reason), "%s", reason ? reason : "");
}

void demonstration_take(struct demonstration *demonstration, const struct frame *frame,
                        uint64_t time)
{
    struct front_demo *shown = &demonstration->shown;
    struct live_work before, now;
    uint64_t began = time - (uint64_t)(frame->interval * 1e9);
    if (!live_done(demonstration->live, began, &before))
        before = demonstration->before;
    bool known = live_done(demonstration->live, time, &now);
    demonstration->before = now;
    shown->pending = frame->seq <= 1         ? "the first interval has not ended"
                     : now.unchanged > began ? "the workload was changed in this interval"
                     : !known                ? "the workload did not run in this interval"
                                             : NULL;
    shown->turn = now.quickest;
    shown->cycles = demonstration->computes ? now.quickest / demonstration->pace.add : NAN;
    for (size_t i = 0; i < shown->count; i++)
        take_check(demonstration, i, frame, now.turns - before.turns);
}

/* ---- requests of front ends ---- */

bool host_demo(struct host *host, struct front_demo *demo)
{
    if (host->demonstration)
        *demo = host->demonstration->shown;
    return host->demonstration != NULL;
}

int host_turn_demo(struct host *host, size_t knob, int step, struct err *err)
{
    struct demonstration *demonstration = host->demonstration;
    if (!demonstration)
        return err_set(err, "there is no workload to change: start with --demo NAME");
    if (!demonstration->shown.knobs[knob].what)
        return err_set(err, "this workload has nothing of the kind to change");
    if (!live_turn(demonstration->live, (enum live_knob)knob, step))
        return err_set(err, "this is the %s", step > 0 ? "most" : "least");
    show_knobs(demonstration);
    return 0;
}
