#include "demo/verify.h"
#include "demo/loops.h"
#include "demo/worker.h"
#include "engine/engines.h"
#include "engine/probe_open.h"
#include "event/name.h"
#include "model/delta.h"
#include "model/functions.h"
#include "sample/sampler.h"
#include "system/topology.h"

/* Counts a process as the program does: the same engine, sampler thread, event code and differences
 * between snapshots. */

struct meter {
    struct sampler *sampler;
    struct delta *delta;
    enum count_mode mode;
};

/* ledger: with the engine 'cpu', which counts all tasks; else with 'task'. It starts a thread. NULL
 * with a message. */
static struct meter *meter_open(bool ledger, const struct caps *caps, struct err *err)
{
    static const uint64_t DELAY = 1000000000; /* ns: how often the ledger's tickers write */
    AUTO_CPUS struct cpulist online = {0};
    struct event_list none = {0};
    struct sampler *sampler = NULL;
    if (topology_online(&online, err) < 0)
        return NULL;
    struct source *source =
        ledger ? cpu_engine_new(&online, true, caps, DELAY, err) : task_engine_new(caps);
    if (source)
        source->all = true; /* who slept for longer than an interval is in the next one, too */
    if (source && source->ops->set_events(source, &none, err) < 0)
        source->ops->close(source);
    else if (source) /* a snapshot that nobody asked for would keep the samples until then */
        sampler = sampler_start(source, code_profiler_new(caps, &online, ledger), 0, false, err);
    if (!sampler)
        return NULL;
    return mem_copy(
        &(struct meter){.sampler = sampler, .mode = caps_kernel(caps) ? MODE_ALL : MODE_USER},
        sizeof(struct meter));
}

/* NULL is fine. */
static void meter_close(struct meter *meter)
{
    if (!meter)
        return;
    sampler_stop(meter->sampler);
    delta_free(meter->delta);
    free(meter);
}

/* What happened since the last call, or since meter_count(). The caller frees it. */
static struct frame *meter_take(struct meter *meter)
{
    struct snapshot *snapshot = sampler_look(meter->sampler);
    struct frame *frame = delta_advance(meter->delta, snapshot);
    snapshot_free(snapshot);
    return frame;
}

/* Counts these events (as -e takes them) of a process from now on, each of its threads apart if
 * `threads`. *reason gets why the first of them that cannot be counted is not, which the caller
 * frees; NULL: all are. -1 with a message if nothing can be counted. */
static int meter_count(struct meter *meter, const char *events, pid_t pid, bool threads,
                       char **reason, struct err *err)
{
    AUTO_EVENTS struct event_list list = {0};
    struct watch watch = {0};
    *reason = NULL;
    delta_free(meter->delta);
    meter->delta = delta_new(NULL);
    sampler_set_sampling(meter->sampler, NULL, NULL);
    sampler_set_threads(meter->sampler, threads);
    watch_add_pid(&watch, pid);
    int result = event_parse_foreign(&list, events, meter->mode, err)
                     ?: sampler_set_watch(meter->sampler, &watch, err)
                     ?: sampler_set_events(meter->sampler, &list, err);
    watch_release(&watch);
    if (result < 0)
        return -1;
    struct frame *frame = meter_take(meter);
    for (size_t e = 0; e < frame->events->count && !*reason; e++)
        if (frame->events->events[e].state != EVENT_COUNTED)
            *reason = mem_strdup(frame->events->events[e].reason);
    frame_free(frame);
    return 0;
}

/* Samples what the check is about, in frames from now on, until meter_count(). -1 with a message.
 */
static int meter_sample(struct meter *meter, const struct demo_check *check, pid_t pid,
                        struct err *err)
{
    enum { RATE = 3989 }; /* no multiple or part of the clock's ticks */
    AUTO_EVENTS struct event_list list = {0};
    struct sampling sampling = {.style.stacks = check->code >= DEMO_WAITS ? STACKS_FP : STACKS_NONE,
                                .rate = check->code == DEMO_WAITS ? 0 : RATE};
    if (event_parse(&list, check->events, meter->mode, err) < 0)
        return -1;
    sampling.event = list.events[0];
    list.count = 0; /* its owner is `sampling` now */
    watch_add_pid(&sampling.watch, pid);
    int result = sampler_set_sampling(meter->sampler, &sampling, err);
    sampling_release(&sampling);
    return result;
}

/* ---- checks ---- */

const char *const verify_words[DEMO_VERDICTS] = {
    [DEMO_PASS] = "pass",
    [DEMO_FAIL] = "fail",
    [DEMO_NOT_MEASURABLE] = "not measurable",
    [DEMO_TOO_NOISY] = "too noisy",
};

/* ---- time ---- */

enum { REPEATS = 15 }; /* the least of their times is taken */

/* ns an operation of that workload; NAN if it does not run. */
static double operation_time(const struct workload_list *list, const char *name,
                             unsigned operations)
{
    const struct workload *workload = workload_find(list, name);
    struct work_report report;
    struct worker *worker = worker_start(workload, NULL);
    double time = NAN;
    if (worker && worker_do(worker, workload->turns / REPEATS, REPEATS, &report, NULL) == 0)
        time = (double)report.least / ((double)(workload->turns / REPEATS) * operations);
    worker_end(worker);
    return time;
}

void verify_pace(const struct workload_list *list, struct verify_pace *pace)
{
    *pace = (struct verify_pace){
        .add = operation_time(list, "ipc1", LOOPS_ADDS),
        .nop = operation_time(list, "ipcmax", LOOPS_NOPS),
        .mul = operation_time(list, "mul", LOOPS_MULS),
    };
}

bool verify_has_pipeline(const struct verify_pace *pace)
{
    static const double NEAR = 0.1;
    return !(fabs(pace->nop / pace->add - 1) < NEAR && fabs(pace->mul / pace->add - 1) < NEAR);
}

/* ---- one check ---- */

struct verification {
    const struct workload *workload;
    const struct verify_pace *pace;
    uint64_t turns; /* N */
    struct worker *worker;
    struct meter *meter;
    bool ledger;
    void (*tell)(void *ctx, const struct demo_result *result);
    void *ctx;
};

/* Interrupts of all CPUs since the machine started; 0: not known. */
static uint64_t interrupts(void)
{
    uint64_t count = 0;
    procfs_machine_count("intr", &count);
    return count;
}

static void verify_add_books(const struct frame *frame, double counts[2])
{
    counts[0] = (double)(frame->idle.counts[0].value + frame->unattributed.counts[0].value);
    counts[1] = 0;
    for (size_t t = 0; t < frame->thread_count; t++)
        counts[0] += (double)frame->threads[t].counts[0].value;
    for (size_t c = 0; c < frame->cpu_count; c++)
        counts[1] += (double)frame->cpus[c].counts[0].value;
}

/* Does the turns and counts them; adds to `difference`, or takes from it. */
static int verify_count(const struct verification *verification, const struct demo_check *check,
                        uint64_t turns, struct demo_difference *difference,
                        struct work_report *report, struct err *err)
{
    bool second = turns > difference->turns;
    struct work_report before = *report;
    frame_free(meter_take(verification->meter));
    uint64_t began = interrupts();
    if (worker_do(verification->worker, turns, 1, report, err) < 0)
        return -1;
    struct frame *frame = meter_take(verification->meter);
    difference->faults[second] = report->faults - before.faults;
    difference->disturbed[second] = interrupts() - began + difference->faults[second];
    difference->involuntary[second] = report->involuntary - before.involuntary;
    uint64_t cpu = report->cpu - before.cpu;
    difference->cpu = second ? cpu - difference->cpu : cpu;
    difference->lost += frame->lost_records;
    if (frame->has_cpus)
        difference->unattributed += frame->unattributed.counts[0].value;
    double counts[2] = {0};
    pid_t tid = check->thread ? report->tids[check->thread - 1] : 0;
    const struct row *row = frame_row(frame, worker_pid(verification->worker), tid);
    if (check->books && second)
        verify_add_books(frame, counts);
    for (size_t e = 0; check->machine && e < frame->events->count; e++)
        counts[0] += (double)frame->total.counts[e].value;
    bool own = row && !check->books && !check->machine;
    for (size_t e = 0; own && e < frame->events->count && e < 2; e++)
        counts[e] = (double)row->counts[e].value;
    if (row && row->counts[0].coverage < difference->coverage)
        difference->coverage = row->counts[0].coverage;
    for (size_t e = 0; e < 2; e++)
        difference->counts[e] = counts[e] - difference->counts[e];
    frame_free(frame);
    return row ? 0 : err_set(err, "the workload is not among the counted tasks");
}

static int verify_difference(const struct verification *verification,
                             const struct demo_check *check, struct work_report *report,
                             struct demo_difference *difference, struct err *err)
{
    uint64_t turns = verification->turns;
    *difference = (struct demo_difference){
        .turns = turns, .value = workload_start(verification->workload), .coverage = 1};
    if (verify_count(verification, check, turns, difference, report, err) < 0)
        return -1;
    return verify_count(verification, check, 2 * turns, difference, report, err);
}

/* Does the turns while they are sampled. */
static int verify_sample(const struct verification *verification, const struct demo_check *check,
                         struct work_report *report, struct demo_difference *difference,
                         struct err *err)
{
    static const double PATIENCE = 1; /* s */
    enum { MANY = 4 }; /* times the turns: the more samples, the narrower the bounds */
    pid_t pid = worker_pid(verification->worker);
    uint64_t slept = 0;
    *difference = (struct demo_difference){.turns = verification->turns, .coverage = 1};
    struct work_report before = *report;
    if (meter_sample(verification->meter, check, pid, err) < 0)
        return -1;
    frame_free(meter_take(verification->meter));
    if (worker_do(verification->worker, verification->turns, check->code == DEMO_WAITS ? 1 : MANY,
                  report, err) < 0)
        return -1;
    struct frame *frame = meter_take(verification->meter);
    difference->empty = code_shares(frame, pid, check, PATIENCE, difference);
    if (frame->profile) /* the kernel says how many do not stand for all */
        difference->lost = frame->profile->lost + frame->profile->throttled;
    frame_free(frame);
    for (int i = 0; i < WORK_PARTS; i++)
        slept += report->parts[i] - before.parts[i];
    int p = (int)check->part - 1;
    difference->share = p < 0 ? NAN : (double)(report->parts[p] - before.parts[p]) / (double)slept;
    difference->explained = difference->counts[1] /
                            (double)(check->code == DEMO_WAITS ? slept : report->cpu - before.cpu);
    return 0;
}

/* Whether the program itself says that counts are missing. */
static bool verify_incomplete(const struct demo_check *check,
                              const struct demo_difference *difference)
{
    return difference->lost || (difference->unattributed && !check->books);
}

/* What the tries of a check gave. */
struct verify_tries {
    unsigned empty;     /* that measured nothing */
    const char *reason; /* why */
    struct verify_range {
        double least, most;
    } measured, explained;
};

static void verify_extend(struct verify_range *range, double value)
{
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
}

/* Whether samples stand for the time that was spent: none are missing, twice there, or elsewhere. A
 * hypervisor that takes the CPU away takes samples with it. */
static bool verify_explained(const struct demo_check *check,
                             const struct demo_difference *difference)
{
    static const double LOW = 0.9, HIGH = 1.05;
    return !check->code || (difference->explained >= LOW && difference->explained <= HIGH);
}

static bool verify_good(const struct demo_check *check, const struct demo_difference *difference,
                        const struct demo_result *result)
{
    return result->measured >= result->low && result->measured <= result->high &&
           verify_explained(check, difference);
}

static const double SPREAD = 0.05;

/* Whether tries differ by more than they should. */
static bool verify_spread(const struct demo_check *check, const struct demo_result *result,
                          const struct verify_range *measured)
{
    double spread = measured->most - measured->least;
    if (check->code) /* few samples differ by chance, as the bounds say */
        return spread > result->high - result->low;
    return check->tries && spread > SPREAD * measured->least;
}

/* Sets the verdict from the last difference, and from all tries. */
static void verify_decide(const struct demo_check *check, const struct demo_difference *difference,
                          bool hardware, const struct verify_tries *tries,
                          struct demo_result *result)
{
    const struct verify_range *measured = &tries->measured, *explained = &tries->explained;
    if (verify_good(check, difference, result)) {
        result->verdict = DEMO_PASS;
        if (result->tries > 1)
            result->cause =
                mem_printf("try %u; the first gave %.10g%s%s", result->tries, result->first,
                           check->causes ? ": " : "", check->causes ? check->causes : "");
        else if (check->causes && result->measured != result->expected && !isnan(result->expected))
            result->cause = mem_strdup(check->causes);
        return;
    }
    result->verdict = DEMO_TOO_NOISY;
    if (verify_incomplete(check, difference)) {
        result->cause = mem_printf("the program itself says so: %llu records lost, %llu counts "
                                   "unattributed",
                                   (unsigned long long)difference->lost,
                                   (unsigned long long)difference->unattributed);
    } else if (hardware && difference->coverage < 1 && !check->scaled) {
        result->cause = mem_printf("others use the counters, too: counted %.0f %% of the time",
                                   difference->coverage * 100);
    } else if (!verify_explained(check, difference)) {
        if (explained->most - explained->least <= SPREAD)
            result->verdict = DEMO_FAIL;
        result->cause = mem_printf("its samples stand for %.0f to %.0f %% of its time",
                                   explained->least * 100, explained->most * 100);
    } else if (verify_spread(check, result, measured)) {
        result->cause = mem_printf("%u tries gave %.4g to %.4g%s%s", result->tries, measured->least,
                                   measured->most, check->causes ? ": " : "",
                                   check->causes ? check->causes : "");
    } else {
        bool excused = check->excused && result->measured > result->high;
        result->verdict = excused ? DEMO_TOO_NOISY : DEMO_FAIL;
        result->cause = mem_strdup(check->causes);
    }
}

/* Of exact counts by the ledger, beside others: at a switch from one of these, now and then a count
 * of its is credited to the thread that follows. What is wrong each time fails each time. */
enum { TRIES_LEDGER = 3, TRIES_SAMPLES = 3, TRIES_INCOMPLETE = 8, TRIES_EMPTY = 5 };

static void verify_measure(const struct verification *verification, const struct demo_check *check,
                           bool hardware, struct demo_result *result)
{
    struct demo_difference difference, taken;
    struct work_report report = {0};
    struct err err;
    struct verify_tries tries = {.measured = {INFINITY, -INFINITY},
                                 .explained = {INFINITY, -INFINITY}};
    size_t most = check->tries           ? check->tries
                  : check->code          ? TRIES_SAMPLES
                  : verification->ledger ? TRIES_LEDGER
                                         : 1;
    /* The first turns bring in code and stack. */
    int good = worker_do(verification->worker, verification->turns, 1, &report, &err);
    while (good == 0 && result->tries < most && tries.empty < TRIES_EMPTY) {
        good = check->code ? verify_sample(verification, check, &report, &taken, &err)
                           : verify_difference(verification, check, &report, &taken, &err);
        if (good < 0)
            break;
        if (taken.empty) {
            tries.empty++;
            tries.reason = taken.empty;
            continue;
        }
        difference = taken;
        workload_judge(check, &difference, result);
        if (result->tries++ == 0)
            result->first = result->measured;
        verify_extend(&tries.measured, result->measured);
        verify_extend(&tries.explained, difference.explained);
        if (verify_good(check, &difference, result))
            break;
        if (verify_incomplete(check, &difference))
            most = TRIES_INCOMPLETE;
    }
    if (good < 0) {
        /* What cannot be sampled says nothing of what could. */
        result->verdict = check->code ? DEMO_NOT_MEASURABLE : DEMO_FAIL;
        result->cause = mem_strdup(err.text);
    } else if (result->tries == 0) {
        result->verdict = DEMO_TOO_NOISY;
        result->cause = mem_printf("sampled %u times: %s", tries.empty, tries.reason);
    } else {
        verify_decide(check, &difference, hardware, &tries, result);
    }
}

/* Cycles of an operation by the time that it takes. */
static double verify_from_time(const struct verification *verification,
                               const struct demo_check *check)
{
    struct work_report report;
    uint64_t turns = verification->turns;
    if (check->processor != DEMO_PIPELINE || !check->operations ||
        !verify_has_pipeline(verification->pace) ||
        worker_do(verification->worker, turns, REPEATS, &report, NULL) < 0)
        return NAN;
    return (double)report.least / ((double)turns * (double)check->operations) /
           verification->pace->add;
}

/* reason: why nothing can be measured; NULL: something can. */
static void verify_check(const struct verification *verification, const struct demo_check *check,
                         const char *reason)
{
    struct demo_result result = {.name = verification->workload->name,
                                 .expected = NAN,
                                 .low = NAN,
                                 .high = NAN,
                                 .measured = NAN,
                                 .verdict = DEMO_NOT_MEASURABLE,
                                 .cause = mem_strdup(reason),
                                 .from_time = NAN};
    struct err err;
    bool hardware = strstr(check->events, ":u") != NULL;
    bool pipeline = verify_has_pipeline(verification->pace);
    if (!reason && meter_count(verification->meter, check->events, worker_pid(verification->worker),
                               check->thread, &result.cause, &err) < 0)
        result.cause = mem_strdup(err.text);
    if (!result.cause && check->processor == DEMO_PIPELINE && !pipeline)
        result.cause = mem_strdup("each instruction takes the same time here, as in an emulator");
    if (!result.cause && check->processor == DEMO_FIXED && pipeline)
        result.cause = mem_strdup("instructions take different times here, as they should");
    if (!result.cause)
        verify_measure(verification, check, hardware, &result);
    else if (!reason)
        result.from_time = verify_from_time(verification, check);
    result.what = mem_printf("%s%s", check->what, verification->ledger ? ", ledger" : "");
    verification->tell(verification->ctx, &result);
    free(result.what);
    free(result.cause);
}

/* ---- a workload ---- */

/* The ledger's own reason, which the caller frees. NULL: it can count. */
static char *ledger_obstacle(const struct caps *caps)
{
    AUTO_CPUS struct cpulist online = {0};
    struct err err;
    if (topology_online(&online, &err) < 0)
        return mem_strdup(err.text);
    struct group_target all = {.pid = -1, .cpu = online.cpus[0]};
    return probe_open_reason("page-faults", MODE_ALL, all, caps);
}

static void verify_by_engine(struct verification *verification, const struct caps *caps,
                             const char *obstacle)
{
    struct err err;
    AUTO_FREE char *reason = mem_strdup(obstacle);
    for (const struct demo_check *check = verification->workload->checks; check->what; check++) {
        if (!(check->engines & (verification->ledger ? DEMO_LEDGER : DEMO_TASK)))
            continue;
        if (!reason && !verification->meter && verification->ledger)
            reason = ledger_obstacle(caps);
        if (!reason && !verification->meter &&
            !(verification->meter = meter_open(verification->ledger, caps, &err)))
            reason = mem_strdup(err.text);
        verify_check(verification, check, reason);
    }
    meter_close(verification->meter);
    verification->meter = NULL;
}

void verify_workload(const struct workload *workload, const struct caps *caps,
                     const struct verify_pace *pace,
                     void (*tell)(void *ctx, const struct demo_result *result), void *ctx)
{
    struct verification verification = {
        .workload = workload, .pace = pace, .turns = workload->turns, .tell = tell, .ctx = ctx};
    if (!verification.turns)
        verification.turns = (uint64_t)((double)workload->milliseconds * 1e6 / (2 * pace->add));
    struct err err = {""};
    char *obstacle = workload_obstacle(workload);
    if (!obstacle && !(verification.worker = worker_start(workload, &err)))
        obstacle = mem_strdup(err.text);
    for (int ledger = 0; ledger < 2; ledger++) {
        verification.ledger = ledger;
        verify_by_engine(&verification, caps, obstacle);
    }
    worker_end(verification.worker);
    free(obstacle);
}

char *verify_obstacle(const struct workload *workload, const struct caps *caps)
{
    char *reason = workload_obstacle(workload);
    return reason ? reason
                  : probe_open_reason(workload->checks[0].events,
                                      caps_kernel(caps) ? MODE_ALL : MODE_USER,
                                      (struct group_target){.cpu = -1}, caps);
}

/* What a site's samples stand for. */
static double site_weight(const struct profile *profile, size_t number, enum demo_code code)
{
    int at = profile_waits(profile);
    const uint64_t *values = profile->values + number * profile->events;
    if (code != DEMO_WAITS)
        return (double)profile->sites[number].weight;
    return at < 0 ? 0 : (double)(values[at + PROFILE_BLOCKED] + values[at + PROFILE_PREEMPTED]);
}

/* The functions in a row whose names have that prefix, the innermost of the site's stack; its name
 * to *name. Waits are in the kernel, below which these are. *pending is set if a name is still
 * looked up. */
static size_t named_frames(const struct profile *profile, const struct profile_site *site,
                           const char *prefix, size_t length, const char **name, bool *pending)
{
    const struct profile_chain *chain = &profile->chains[site->chain];
    size_t count = 0;
    for (size_t i = 0; i <= chain->depth; i++) {
        struct code_function function;
        code_book_function(profile->book, i ? chain->frames[i - 1] : site->place, &function);
        *pending |= function.state == CODE_PENDING;
        bool named = function.name && strncmp(function.name, prefix, length) == 0;
        if (!named && count)
            break;
        if (named && count++ == 0)
            *name = function.name;
    }
    return count;
}

/* The same of functions that are inlined into the one whose name is theirs until '_'; the name is
 * the check's, or "". Of others the debug information is not read. */
static size_t inlined_frame(const struct profile *profile, const struct profile_site *site,
                            const struct demo_check *check, size_t length, const char **name,
                            bool *pending)
{
    const struct line_inline *found[LINE_INLINES_MAX];
    struct code_function function;
    struct line_table *table;
    code_book_function(profile->book, site->place, &function);
    *pending |= function.state == CODE_PENDING;
    if (!function.name || strlen(function.name) + 1 != length ||
        strncmp(function.name, check->function, length - 1) != 0)
        return 0;
    size_t count = functions_inlined(profile->book, &function, found, &table);
    *name = count && strcmp(found[0]->name, check->function) == 0 ? check->function : "";
    *pending |= !table;
    line_table_drop(table);
    return count > 0;
}

/* Whether a name is still looked up. */
static bool add_sites_of(const struct profile *profile, pid_t pid, const struct demo_check *check,
                         struct demo_difference *difference)
{
    const char *end = strrchr(check->function, '_') + 1, *name;
    size_t length =
        check->code == DEMO_DEPTH ? strlen(check->function) : (size_t)(end - check->function);
    bool pending = false;
    double most = 0;
    difference->counts[0] = difference->counts[1] = 0;
    difference->samples = 0;
    for (size_t s = 0; s < profile->site_count; s++) {
        const struct profile_site *site = &profile->sites[s];
        double weight = site_weight(profile, s, check->code);
        size_t frames = site->pid != pid ? 0
                        : check->code == DEMO_INLINED
                            ? inlined_frame(profile, site, check, length, &name, &pending)
                            : named_frames(profile, site, check->function, length, &name, &pending);
        if (frames == 0)
            continue;
        difference->samples += site->samples;
        difference->counts[1] += weight;
        if (check->code == DEMO_DEPTH && weight > most)
            difference->counts[0] = (double)frames;
        else if (check->code != DEMO_DEPTH && strcmp(name, check->function) == 0)
            difference->counts[0] += weight;
        most = weight > most ? weight : most;
    }
    return pending;
}

const char *code_shares(const struct frame *frame, pid_t pid, const struct demo_check *check,
                        double patience, struct demo_difference *difference)
{
    if (!frame->profile)
        return "nothing is sampled: p samples its functions";
    bool pending = add_sites_of(frame->profile, pid, check, difference);
    if (pending && code_book_settle(frame->profile->book, patience, false))
        pending = add_sites_of(frame->profile, pid, check, difference);
    if (pending)
        return "the names of its functions are still being read";
    return difference->samples ? NULL : "no sample is in its functions, or they have no names";
}
