#include "app/program.h"
#include "app/host.h"
#include "model/function_runs.h"

/* The processes of one name. */
struct named {
    const char *name; /* and for each recording the intervals in which it ran: the subject's */
    size_t *ran;
    double load;    /* its CPUs: the sum of its means in all recordings */
    size_t subject; /* of the comparison */
    size_t counted; /* the number of the interval in which it was last found to run */
    struct row sum; /* in the interval at hand */
};

struct recordings {
    size_t count;
    struct reader **readers;
    struct session *sessions; /* of their first intervals */
    struct comparison *comparison;
    struct comparison *idle; /* what a name has that did not run yet in the recording at hand */
    struct compared_rows rows;
    struct function_runs functions;
    struct stack_tree stacks; /* of functions */
    char *sampled;            /* by what functions were sampled; NULL: not known yet */
    struct map found;         /* struct named, by a hash of the name */
    size_t name_count, name_room;
    struct named **names;
    size_t intervals; /* read so far, of all recordings */
    struct str notice;
};

/* ---- open and close ---- */

struct recordings *recordings_open(const struct options *options, struct machine *machine,
                                   struct err *err)
{
    struct recordings *recordings = mem_alloc(sizeof(*recordings));
    size_t count = options->compared_count;
    recordings->notice = str_new();
    recordings->readers = mem_array(count, sizeof(struct reader *));
    recordings->sessions = mem_array(count, sizeof(*recordings->sessions));
    recordings->comparison = comparison_new((const char *const *)options->compared, count, true);
    for (size_t r = 0; r < count; r++) {
        struct reader *reader = replay_read(options->compared[r], r ? NULL : machine, err);
        if (!reader) {
            recordings_close(recordings);
            return NULL;
        }
        recordings->readers[r] = reader;
        recordings->count++;
        session_copy(&recordings->sessions[r], reader_session(reader));
    }
    return recordings;
}

void recordings_close(struct recordings *recordings)
{
    if (!recordings)
        return;
    for (size_t r = 0; r < recordings->count; r++) {
        reader_close(recordings->readers[r]);
        session_release(&recordings->sessions[r]);
    }
    free(recordings->names);
    map_free(&recordings->found);
    compared_rows_release(&recordings->rows);
    function_runs_release(&recordings->functions);
    stack_tree_release(&recordings->stacks);
    free(recordings->sampled);
    comparison_free(recordings->comparison);
    comparison_free(recordings->idle);
    str_release(&recordings->notice);
    free(recordings->sessions);
    free(recordings->readers);
    free(recordings);
}

/* ---- intervals ---- */

/* Finds or adds a name. If two have the same hash, the second is at the next free key. */
static struct named *recordings_name(struct recordings *recordings, const char *name)
{
    uint64_t key = str_hash(name);
    struct named *named;
    while ((named = map_get(&recordings->found, key)) && strcmp(named->name, name) != 0)
        key++;
    if (named)
        return named;
    named = mem_alloc(sizeof(*named));
    map_put(&recordings->found, key, named);
    named->subject = comparison_add_subject(recordings->comparison, name);
    named->name = recordings->comparison->subjects[named->subject].name;
    named->ran = recordings->comparison->subjects[named->subject].ran;
    return *MEM_ADD(recordings->names, recordings->name_count, recordings->name_room) = named;
}

/* Adds an interval of so many to the sums of its names. A name that did not run before was idle in
 * the intervals before. */
static void recordings_add(struct recordings *recordings, size_t recording,
                           const struct frame *frame, double span, struct row *all)
{
    for (size_t n = 0; n < recordings->name_count; n++)
        recordings->names[n]->sum = row_sum_new(frame->events);
    for (size_t p = 0; p < frame->process_count; p++) {
        const struct row *row = &frame->processes[p];
        if (!row->ran)
            continue;
        struct named *named = recordings_name(recordings, row->comm);
        if (!named->sum.counts)
            named->sum = row_sum_new(frame->events);
        if (!named->ran[recording])
            comparison_copy(recordings->comparison, named->subject, recording, recordings->idle);
        named->load += row->oncpu / frame->interval / span;
        named->ran[recording] += named->counted != recordings->intervals;
        named->counted = recordings->intervals;
        row_sum_add(&named->sum, row, frame);
        if (row->state == EVENT_COUNTED) /* the sum of all leaves out the others */
            row_sum_add(all, row, frame);
    }
}

/* Sets a row's values for the interval at hand, and frees its counts. */
static void recordings_set(struct recordings *recordings, struct comparison *comparison,
                           size_t subject, size_t recording, const struct frame *frame,
                           struct row *sum)
{
    row_sum_complete(sum, frame);
    if (comparison)
        compared_rows_set(&recordings->rows, comparison, subject, recording, frame, sum);
    row_sum_release(sum);
}

static void recordings_take(struct recordings *recordings, size_t recording,
                            const struct frame *frame, double span)
{
    struct comparison *comparison = recordings->comparison;
    struct row all = row_sum_new(frame->events), none = row_sum_new(frame->events);
    recordings_add(recordings, recording, frame, span, &all);
    recordings_set(recordings, comparison, 0, recording, frame, &all);
    recordings_set(recordings, recordings->idle, 0, recording, frame, &none);
    for (size_t n = 0; n < recordings->name_count; n++) {
        struct named *named = recordings->names[n];
        recordings_set(recordings, named->ran[recording] ? comparison : NULL, named->subject,
                       recording, frame, &named->sum);
    }
    comparison->sides[recording].seconds += frame->interval;
    comparison_end_run(comparison, recording);
}

/* Takes each interval of a recording that has a length. 0; -1 with a message. */
static int recordings_read(struct recordings *recordings, size_t recording, struct err *err)
{
    struct reader *reader = recordings->readers[recording];
    int64_t first, last;
    if (reader_span(reader, &first, &last, err) < 0)
        return -1;
    double span = (double)(last - first + 1);
    comparison_free(recordings->idle);
    recordings->idle = comparison_new(NULL, recordings->count, true);
    for (int64_t interval = first; interval <= last; interval++) {
        struct frame *frame = replay_frame(reader, interval, err);
        if (!frame)
            return -1;
        recordings->intervals++;
        if (frame->interval > 0)
            recordings_take(recordings, recording, frame, span);
        frame_free(frame);
    }
    return 0;
}

/* ---- functions ---- */

static bool is_any(void *ctx UNUSED, pid_t pid UNUSED, pid_t tid UNUSED)
{
    return true;
}

/* What is of another event, or weighed otherwise, cannot be compared. */
static int same_event(struct recordings *recordings, const struct profile *profile,
                      const struct comparison_side *side, struct err *err)
{
    AUTO_FREE char *sampled =
        mem_printf("%s%s", profile->event, profile->wall ? " by elapsed time" : "");
    if (!recordings->sampled)
        recordings->sampled = mem_strdup(sampled);
    if (str_equal(recordings->sampled, sampled))
        return 0;
    return err_set(err,
                   "cannot compare functions by %s with those by %s in '%.200s': record all with "
                   "the same --sample",
                   recordings->sampled, sampled, side->text);
}

/* Adds the functions of a recording, as rates. Values are those of blocks of intervals, as long as
 * each other: of single ones a function has too few samples, and they resemble their neighbours.
 * 30 blocks tell the deviation of their values to an eighth (1 / sqrt(2 * 29)). */
static int read_functions(struct recordings *recordings, size_t recording, struct err *err)
{
    enum { BLOCKS = 30 };
    struct reader *reader = recordings->readers[recording];
    struct comparison *comparison = recordings->comparison;
    struct comparison_side *side = &comparison->sides[recording];
    int64_t first, last;
    double seconds = 0;
    if (reader_span(reader, &first, &last, err) < 0)
        return -1;
    int64_t count = last - first + 1, blocks = count < BLOCKS ? count : BLOCKS;
    for (int64_t i = 0; i < count; i++) {
        struct frame *frame = replay_frame(reader, first + i, err);
        if (!frame)
            return -1;
        if (frame->profile && same_event(recordings, frame->profile, side, err) < 0) {
            frame_free(frame);
            return -1;
        }
        if (frame->interval > 0 && frame->profile &&
            function_runs_add(&recordings->functions, recording, frame, is_any, NULL)) {
            seconds += frame->interval;
            if (recordings->functions.stacks)
                function_runs_stacks(&recordings->functions, recording, frame, NULL, is_any, NULL);
        }
        frame_free(frame);
        if ((i + 1) * blocks / count == i * blocks / count || !(seconds > 0))
            continue;
        comparison_scale_run(comparison, recording, 1 / seconds);
        comparison_end_run(comparison, recording);
        side->seconds += seconds;
        seconds = 0;
    }
    if (side->runs == 0)
        return err_set(err, "'%.200s' has no functions: record with --view functions", side->text);
    comparison->sampled *= (double)side->runs / side->seconds; /* values are rates */
    return 0;
}

/* ---- all together ---- */

static int by_load(const void *a, const void *b)
{
    const struct named *x = *(struct named *const *)a, *y = *(struct named *const *)b;
    if (x->load != y->load)
        return x->load < y->load ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Puts the subjects in the order of their loads, behind the first one, which is of all. */
static void order_subjects(struct recordings *recordings)
{
    struct comparison *comparison = recordings->comparison;
    AUTO_FREE struct comparison_subject *before = comparison->subjects;
    qsort(recordings->names, recordings->name_count, sizeof(struct named *), by_load);
    comparison->subjects = mem_array(comparison->subject_room, sizeof(*before));
    comparison->subjects[0] = before[0];
    for (size_t n = 0; n < recordings->name_count; n++)
        comparison->subjects[n + 1] = before[recordings->names[n]->subject];
}

/* Says what makes recordings hard to compare. */
static void write_differences(struct recordings *recordings)
{
    const struct session *first = recordings->sessions;
    struct str *notice = &recordings->notice;
    bool modes = false, processors = false;
    for (size_t r = 1; r < recordings->count; r++) {
        modes |= recordings->sessions[r].mode != first->mode;
        processors |= strcmp(recordings->sessions[r].cpu_model, first->cpu_model) != 0;
    }
    if (modes)
        str_add(notice, "recorded in different modes: counts are of different parts of the work");
    if (processors)
        str_printf(notice, "%srecorded on different processors", modes ? "; " : "");
}

int recordings_compare(struct recordings *recordings, const struct options *options,
                       const struct definitions *definitions, struct err *err)
{
    struct out out = {.fd = -1};
    int code = 0;
    recordings->rows.metrics = &definitions->metric_set;
    bool functions = options_compare_functions(options);
    recordings->comparison->functions = functions;
    recordings->functions.comparison = recordings->comparison;
    recordings->stacks = (struct stack_tree){.outermost = true, .matches = true};
    recordings->functions.stacks = options_format(options)->stacks ? &recordings->stacks : NULL;
    for (size_t r = 0; r < recordings->count && code == 0; r++)
        code = (functions ? read_functions : recordings_read)(recordings, r, err) < 0 ? EXIT_RUNNING
                                                                                      : 0;
    if (functions)
        function_runs_match(&recordings->functions);
    else
        order_subjects(recordings);
    write_differences(recordings);
    for (size_t r = 0; r < recordings->count; r++)
        recordings->comparison->subjects->ran[r] = recordings->comparison->sides[r].runs;
    const struct compare_input input = {
        .sessions = recordings->sessions,
        .stacks = &recordings->stacks,
        .notice = recordings->notice.length ? recordings->notice.text : NULL};
    if (code == 0)
        code = out_open(&out, options->output, false, err) < 0
                   ? EXIT_RUNNING
                   : compared_write(recordings->comparison, input, options, &out, err);
    out_close(&out);
    return code;
}
