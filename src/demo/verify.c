#include "demo/verify.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "demo/code_shares.h"
#include "demo/meter.h"
#include "demo/worker.h"
#include "demo/workload_table.h"
#include "demo/loops.h"
#include "engine/probe_open.h"
#include "system/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *verify_word(enum demo_verdict verdict)
{
    static const char *const words[DEMO_VERDICTS] = {
        [DEMO_PASS] = "pass",
        [DEMO_FAIL] = "fail",
        [DEMO_NOT_MEASURABLE] = "not measurable",
        [DEMO_TOO_NOISY] = "too noisy",
    };
    return words[verdict];
}

/* ---- time ---- */

enum { REPEATS = 15 }; /* the least of their times is taken */

/* ns an operation of that workload; NAN if it does not run. */
static double operation_time(const char *name, unsigned operations)
{
    const struct workload *workload = workload_find(name);
    struct work_report report;
    struct worker *worker = worker_start(workload, NULL);
    double time = NAN;
    if (worker && worker_do(worker, workload->turns / REPEATS, REPEATS, &report, NULL) == 0)
        time = (double)report.least / ((double)(workload->turns / REPEATS) * operations);
    worker_end(worker);
    return time;
}

void verify_pace(struct verify_pace *pace)
{
    *pace = (struct verify_pace){
        .add = operation_time("ipc1", LOOPS_ADDS),
        .nop = operation_time("ipcmax", LOOPS_NOPS),
        .mul = operation_time("mul", LOOPS_MULS),
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

/* Interrupts of all CPUs since the machine started (proc_stat(5), "intr"). */
static uint64_t interrupts(void)
{
    FILE *file = file_open("/proc/stat");
    char *line = NULL;
    size_t room = 0;
    uint64_t count = 0;
    while (file && getline(&line, &room, file) > 0)
        if (str_starts(line, "intr ")) {
            count = strtoull(line + strlen("intr "), NULL, 10);
            break;
        }
    if (file)
        fclose(file);
    free(line);
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

static void verify_add_machine(const struct frame *frame, double counts[2])
{
    for (size_t e = 0; e < frame->events->count; e++)
        counts[0] += (double)frame->total.counts[e].value;
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
    difference->disturbed[second] = interrupts() - began + report->faults - before.faults;
    difference->involuntary[second] = report->involuntary - before.involuntary;
    uint64_t cpu = report->cpu - before.cpu;
    difference->cpu = second ? cpu - difference->cpu : cpu;
    difference->faults = report->faults - before.faults - (second ? difference->faults : 0);
    difference->lost += frame->lost_records;
    if (frame->has_cpus)
        difference->unattributed += frame->unattributed.counts[0].value;
    double counts[2] = {0};
    pid_t tid = check->thread ? report->tids[check->thread - 1] : 0;
    const struct row *row = frame_row(frame, worker_pid(verification->worker), tid);
    if (check->books && second)
        verify_add_books(frame, counts);
    if (check->machine)
        verify_add_machine(frame, counts);
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
    static const double PATIENCE = 5; /* s */
    pid_t pid = worker_pid(verification->worker);
    uint64_t before[WORK_PARTS], all = 0;
    *difference = (struct demo_difference){.turns = verification->turns, .coverage = 1};
    memcpy(before, report->parts, sizeof(before));
    if (meter_sample(verification->meter, check, pid, err) < 0)
        return -1;
    frame_free(meter_take(verification->meter));
    if (worker_do(verification->worker, verification->turns, 1, report, err) < 0)
        return -1;
    struct frame *frame = meter_take(verification->meter);
    const char *reason = code_shares(frame, pid, check, PATIENCE, difference);
    frame_free(frame);
    for (int i = 0; i < WORK_PARTS; i++)
        all += report->parts[i] - before[i];
    difference->share =
        check->part
            ? (double)(report->parts[check->part - 1] - before[check->part - 1]) / (double)all
            : NAN;
    return reason ? err_set(err, "%s", reason) : 0;
}

/* Whether the program itself says that counts are missing. */
static bool verify_incomplete(const struct demo_check *check,
                              const struct demo_difference *difference)
{
    return difference->lost || (difference->unattributed && !check->books);
}

static bool verify_good(const struct demo_result *result)
{
    return result->measured >= result->low && result->measured <= result->high;
}

/* Sets the verdict from the last difference, and the least and the most of all that was measured.
 */
static void verify_decide(const struct demo_check *check, const struct demo_difference *difference,
                          bool hardware, double least, double most, struct demo_result *result)
{
    static const double SPREAD = 0.05;
    if (verify_good(result)) {
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
        result->cause = mem_printf("the ledger itself says so: %llu records lost, %llu counts "
                                   "unattributed",
                                   (unsigned long long)difference->lost,
                                   (unsigned long long)difference->unattributed);
    } else if (hardware && difference->coverage < 1 && !check->scaled) {
        result->cause = mem_printf("others use the counters, too: counted %.0f %% of the time",
                                   difference->coverage * 100);
    } else if (check->tries && most - least > SPREAD * least) {
        result->cause = mem_printf("%u tries gave %.4g to %.4g%s%s", check->tries, least, most,
                                   check->causes ? ": " : "", check->causes ? check->causes : "");
    } else {
        bool excused = check->excused && result->measured > result->high;
        result->verdict = excused ? DEMO_TOO_NOISY : DEMO_FAIL;
        result->cause = mem_strdup(check->causes);
    }
}

/* Of exact counts by the ledger, beside others: at a switch from one of these, now and then a count
 * of its is credited to the thread that follows. What is wrong each time fails each time. */
enum { TRIES_LEDGER = 3, TRIES_INCOMPLETE = 8 };

static void verify_measure(const struct verification *verification, const struct demo_check *check,
                           bool hardware, struct demo_result *result)
{
    struct demo_difference difference;
    struct work_report report = {0};
    struct err err;
    double least = INFINITY, most = 0;
    unsigned tries = check->tries ? check->tries : verification->ledger ? TRIES_LEDGER : 1;
    /* The first turns bring in code and stack. */
    int good = worker_do(verification->worker, verification->turns, 1, &report, &err);
    for (unsigned i = 0; good == 0 && i < tries; i++) {
        good = check->code ? verify_sample(verification, check, &report, &difference, &err)
                           : verify_difference(verification, check, &report, &difference, &err);
        if (good < 0)
            break;
        check->judge(verification->workload, check, &difference, result);
        if (i == 0)
            result->first = result->measured;
        result->tries = i + 1;
        least = result->measured < least ? result->measured : least;
        most = result->measured > most ? result->measured : most;
        if (verify_good(result))
            break;
        if (verify_incomplete(check, &difference))
            tries = TRIES_INCOMPLETE;
    }
    if (good == 0) {
        verify_decide(check, &difference, hardware, least, most, result);
        return;
    }
    result->verdict = DEMO_FAIL;
    result->cause = mem_strdup(err.text);
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
    return (double)report.least / ((double)turns * check->operations) / verification->pace->add;
}

static void verify_tell(const struct verification *verification, const struct demo_check *check,
                        struct demo_result *result)
{
    result->name = verification->workload->name;
    result->what = mem_printf("%s%s", check->what, verification->ledger ? ", ledger" : "");
    verification->tell(verification->ctx, result);
    free(result->what);
    free(result->cause);
}

static const struct demo_result unknown = {.expected = NAN,
                                           .low = NAN,
                                           .high = NAN,
                                           .measured = NAN,
                                           .verdict = DEMO_NOT_MEASURABLE,
                                           .from_time = NAN};

static void verify_check(const struct verification *verification, const struct demo_check *check)
{
    struct demo_result result = unknown;
    struct err err;
    bool hardware = strstr(check->events, ":u") != NULL;
    if (meter_count(verification->meter, check->events, worker_pid(verification->worker),
                    check->thread, &result.cause, &err) < 0)
        result.cause = mem_strdup(err.text);
    bool pipeline = verify_has_pipeline(verification->pace);
    if (!result.cause && check->processor == DEMO_PIPELINE && !pipeline)
        result.cause = mem_strdup("each instruction takes the same time here, as in an emulator");
    if (!result.cause && check->processor == DEMO_FIXED && pipeline)
        result.cause = mem_strdup("instructions take different times here, as they should");
    if (result.cause)
        result.from_time = verify_from_time(verification, check);
    else
        verify_measure(verification, check, hardware, &result);
    verify_tell(verification, check, &result);
}

/* ---- a workload ---- */

/* The ledger's own reason, which the caller frees. NULL: it can count. */
static char *ledger_obstacle(const struct caps *caps)
{
    struct cpulist online;
    struct err err;
    if (topology_online(&online, &err) < 0)
        return mem_strdup(err.text);
    struct group_target all = {.pid = -1, .cpu = online.cpus[0]};
    cpulist_release(&online);
    return probe_open_reason("page-faults", MODE_ALL, all, caps);
}

static void verify_by_engine(struct verification *verification, const struct caps *caps,
                             const char *obstacle)
{
    unsigned engine = verification->ledger ? DEMO_LEDGER : DEMO_TASK;
    struct err err = {""};
    bool wanted = false;
    for (const struct demo_check *check = verification->workload->checks; check->what; check++)
        wanted |= check->engines & engine;
    if (!wanted)
        return;
    char *reason = obstacle               ? mem_strdup(obstacle)
                   : verification->ledger ? ledger_obstacle(caps)
                                          : NULL;
    if (!reason && !(verification->meter = meter_open(verification->ledger, caps, &err)))
        reason = mem_strdup(err.text);
    for (const struct demo_check *check = verification->workload->checks; check->what; check++) {
        struct demo_result result = unknown;
        if (!(check->engines & engine))
            continue;
        result.cause = mem_strdup(reason);
        if (reason)
            verify_tell(verification, check, &result);
        else
            verify_check(verification, check);
    }
    meter_close(verification->meter);
    verification->meter = NULL;
    free(reason);
}

void verify_workload(const struct workload *workload, const struct caps *caps,
                     const struct verify_pace *pace,
                     void (*tell)(void *ctx, const struct demo_result *result), void *ctx)
{
    struct verification verification = {
        .workload = workload, .pace = pace, .turns = workload->turns, .tell = tell, .ctx = ctx};
    if (!verification.turns)
        verification.turns = (uint64_t)(workload->milliseconds * 1e6 / (2 * pace->add));
    struct err err = {""};
    char *obstacle = workload->obstacle ? workload->obstacle(workload) : NULL;
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
    char *reason = workload->obstacle ? workload->obstacle(workload) : NULL;
    return reason ? reason
                  : probe_open_reason(workload->checks[0].events,
                                      caps_kernel(caps) ? MODE_ALL : MODE_USER,
                                      (struct group_target){.cpu = -1}, caps);
}
