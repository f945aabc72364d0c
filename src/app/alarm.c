#include "app/recorder.h"
#include "base/embed.h"

#include <fnmatch.h>
#include <sys/file.h>

/* A row, or with id 0 any row or the machine, for which the condition was true. */
struct followed {
    uint64_t id;
    double since, last; /* begin and end of that time, seconds counted */
    bool fired;
};

/* What an interval's alarm is of. */
struct alarm_cause {
    size_t rows;           /* for so many there is one now, or for the machine; 0: none */
    const struct row *row; /* the first; NULL: the machine */
    double since;          /* when the condition became true, seconds counted */
};

static const struct options *options_of(const struct alarm *alarm)
{
    return alarm->host->options;
}

/* ---- the command of --exec ---- */

int alarm_start(struct alarm *alarm, const struct options *options,
                const struct child_heritage *heritage, struct err *err)
{
    int ends[2];
    if (!options->exec)
        return 0;
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return err_set(err, "cannot start '%.100s': %s", options->exec, err_reason(errno));
    fcntl(ends[0], F_SETFL, 0);
    AUTO_FREE char *seconds = mem_printf("%g", options->exec_time);
    char *words[] = {
        "/bin/sh", "-c", (char *)embedded_text("starter.sh"), "countertop", (char *)options->exec,
        seconds,   NULL};
    const struct child_command command = {.words = words, .heritage = heritage, .input = ends[0]};
    alarm->paths = ends[1];
    alarm->starter = child_start(&command, err);
    close(ends[0]);
    return alarm->starter ? child_go(alarm->starter, err) : -1;
}

/* ---- messages ---- */

static void alarm_say(struct alarm *alarm, const char *text)
{
    if (options_of(alarm)->batch)
        err_say(text);
    else
        startup_trouble(&alarm->host->setup, text);
}

/* "2026-11-28 03:12:07: 4711 (postgres): cpu_pct 97.3, and 2 more"; the same as facts, whose
 * condition is not copied. */
static struct session_alarm write_cause(struct str *text, const struct alarm *alarm,
                                        const struct frame *frame, const struct alarm_cause *cause)
{
    char when[32];
    double number;
    struct view_context context = view_context_of(alarm->view);
    const struct row *row = cause->row;
    const char *name = condition_number(alarm->condition, &context, row, &number);
    clock_format(when, sizeof(when), "%Y-%m-%d %H:%M:%S", frame->wall);
    str_add(text, when);
    if (row && row->tid)
        str_printf(text, ": %d (%s)", (int)row->tid, row->comm);
    else if (row && *row->comm)
        str_printf(text, ": %s", row->comm);
    if (name)
        str_printf(text, ": %s %.*g", name, number == floor(number) ? 15 : 4, number);
    if (cause->rows > 1)
        str_printf(text, ", and %zu more", cause->rows - 1);
    return (struct session_alarm){.condition = alarm->text,
                                  .time = frame->wall,
                                  .value = name ? number : NAN,
                                  .pid = row ? row->pid : 0,
                                  .tid = row ? row->tid : 0};
}

/* ---- files ---- */

/* What alarms make: when and why, and if a program was killed meanwhile, a part of one. */
#define STAMP "alarm-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9]-*.db"
static const char made[] = STAMP, part[] = STAMP ".??????";

static const char *directory_of(const struct alarm *alarm)
{
    return options_of(alarm)->record_dir ? options_of(alarm)->record_dir : ".";
}

/* Says at once what the first alarm would find. It may be there until then. */
static void check_folder(struct alarm *alarm)
{
    AUTO_FREE char *path = mem_printf("%s/.", directory_of(alarm));
    struct err err;
    if (faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0)
        return;
    err_set(&err, "cannot record alarms to '%.200s': %s", directory_of(alarm), err_reason(errno));
    alarm_say(alarm, err.text);
}

/* A path that is not in use; after a step back of the clock the second has one already. */
static char *new_path(const struct alarm *alarm, double wall)
{
    enum { WORDS_MAX = 40 };
    char when[32], words[WORDS_MAX + 1];
    size_t length = 0;
    for (const char *c = alarm->text; *c && length < WORDS_MAX; c++)
        if (isascii((unsigned char)*c) && (isalnum((unsigned char)*c) || strchr("._", *c)))
            words[length++] = *c;
        else if (length && words[length - 1] != '-')
            words[length++] = '-';
    length -= length && words[length - 1] == '-';
    words[length] = '\0';
    clock_format(when, sizeof(when), "%Y%m%d-%H%M%S", wall);
    char *path = mem_printf("%s/alarm-%s-%s.db", directory_of(alarm), when, words);
    for (int n = 2; access(path, F_OK) == 0; n++) {
        mem_replace(&path, mem_printf("%s/alarm-%s-%s-%d.db", directory_of(alarm), when, words, n));
    }
    return path;
}

struct old_file {
    char *path;
    struct timespec time;
    uint64_t bytes;
};

static int by_age(const void *a, const void *b)
{
    const struct old_file *x = a, *y = b;
    if (x->time.tv_sec != y->time.tv_sec)
        return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
    return x->time.tv_nsec < y->time.tv_nsec ? -1 : x->time.tv_nsec > y->time.tv_nsec;
}

/* Removes a recording and what is beside it, unless another countertop writes it. */
static bool remove_old(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool removed = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && unlink(path) == 0;
    char *name;
    for (size_t i = 0; removed && (name = db_beside(path, i)); i++) {
        unlink(name);
        free(name);
    }
    file_close(fd);
    return removed;
}

/* Removes the oldest recordings of alarms, never the last one, until no more are left than wanted;
 * and what a killed program left. Only own files with such a name. */
static void keep_newest(const struct alarm *alarm)
{
    const struct options *options = options_of(alarm);
    AUTO_FREE struct old_file *files = NULL;
    size_t count = 0, room = 0;
    uint64_t bytes = 0;
    double most = (double)options->mb * 1e6;
    AUTO_FOLDER DIR *folder = opendir(directory_of(alarm));
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat status;
        bool whole = fnmatch(made, entry->d_name, 0) == 0;
        if (!whole && fnmatch(part, entry->d_name, 0) != 0)
            continue;
        AUTO_FREE char *path = mem_printf("%s/%s", directory_of(alarm), entry->d_name);
        if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
            continue;
        bytes += whole ? (uint64_t)status.st_size : 0;
        if (!whole) {
            remove_old(path);
        } else if (!str_equal(path, alarm->path)) {
            *MEM_ADD(files, count, room) =
                (struct old_file){path, status.st_mtim, (uint64_t)status.st_size};
            path = NULL;
        }
    }
    if (count > 1)
        qsort(files, count, sizeof(*files), by_age);
    for (size_t i = 0, left = count; i < count; i++) {
        bool much =
            (options->keep && left >= options->keep) || (options->mb && (double)bytes > most);
        if (much && remove_old(files[i].path)) {
            left--;
            bytes -= files[i].bytes;
        }
        free(files[i].path);
    }
}

/* ---- recordings ---- */

/* Makes the recording with what is in memory. False if that failed: it is tried again at the next
 * interval. */
static bool begin_recording(struct alarm *alarm, struct err *err)
{
    if (recorder_copy(&alarm->recorder, alarm->kept, proc_lookup_view(alarm->host->lookup),
                      alarm->path, alarm->now - alarm->from, err) < 0)
        return false;
    writer_alarm(alarm->recorder.file, &alarm->first);
    return true;
}

/* Completes it, and executes the command. */
static void end_recording(struct alarm *alarm)
{
    struct err err = {""};
    bool there = alarm->recorder.file || *alarm->recorder.failure.text;
    if (!there)
        err_set(&err, "the alarm of '%.200s' is in no recording", alarm->path);
    if (!there || recorder_close(&alarm->recorder, &err) < 0) {
        alarm->failed++;
        alarm_say(alarm, err.text);
    }
    alarm->recorder = (struct recorder){0};
    keep_newest(alarm);
    AUTO_FREE char *real = there && alarm->paths ? realpath(alarm->path, NULL) : NULL;
    if (real) {
        AUTO_FREE char *line = mem_printf("%s\n", real);
        bool lines = strchr(real, '\n');
        if (lines || write(alarm->paths, line, strlen(line)) < 0) {
            err_set(&err, "'%.100s' was not executed for '%.200s': %s", options_of(alarm)->exec,
                    real,
                    lines             ? "the path has a newline"
                    : errno == EAGAIN ? "too many others wait"
                                      : err_reason(errno));
            alarm_say(alarm, err.text);
        }
    }
    mem_replace(&alarm->path, NULL);
}

/* An alarm: begins a recording, or goes on with one. */
static void alarm_fire(struct alarm *alarm, const struct frame *frame,
                       const struct alarm_cause *cause)
{
    enum { LONGEST = 10 }; /* a recording of many alarms is at most so many times --after long */
    const struct options *options = options_of(alarm);
    AUTO_STR struct str line = str_new();
    struct err err;
    str_add(&line, options->test_when ? "" : "alarm at ");
    const struct session_alarm facts = write_cause(&line, alarm, frame, cause);
    struct session_alarm *last = &alarm->host->setup.session.alarm;
    if (options->test_when) {
        AUTO_STR struct str visible = str_new();
        str_add_visible(&visible, line.text);
        puts(visible.text);
        return;
    }
    free(last->condition);
    uint64_t count = last->count + 1;
    *last = facts;
    last->condition = mem_strdup(facts.condition);
    last->armed = true;
    last->count = count;
    bool goes_on =
        alarm->path && alarm->now - alarm->from - options->before < LONGEST * options->after;
    if (alarm->path && !goes_on)
        end_recording(alarm);
    if (!goes_on) {
        alarm->first = facts;
        alarm->path = new_path(alarm, frame->wall);
        alarm->from = cause->since - options->before;
    }
    alarm->until = alarm->now + options->after;
    if (goes_on) {
        str_printf(&line, ": goes on in '%s'", alarm->path);
    } else if (begin_recording(alarm, &err)) {
        double before = writer_seconds(alarm->recorder.file), since = alarm->now - cause->since;
        str_printf(&line, ": '%s' has the %.1f s before it", alarm->path, before);
        if (before - since < options->before && writer_trimmed(alarm->kept->memory))
            str_printf(&line, ", which take %d MiB", (int)(alarm->kept->bytes >> 20));
        keep_newest(alarm);
    } else {
        str_printf(&line, ": %s; trying again for %g s", err.text, options->after);
    }
    alarm_say(alarm, line.text);
}

/* ---- intervals ---- */

/* Notes that the condition is true in this interval. */
static void follow(struct alarm *alarm, uint64_t id, const struct row *row,
                   struct alarm_cause *cause)
{
    struct followed *followed = map_get(&alarm->followed, id);
    if (!followed) {
        followed = mem_alloc(sizeof(*followed));
        map_put(&alarm->followed, id, followed);
        followed->id = id;
        followed->last = -1;
    }
    if (followed->last < alarm->previous)
        followed->since = alarm->previous;
    followed->last = alarm->now;
    static const double rounding = 1e-6; /* s */
    double seconds = condition_when(alarm->condition).seconds;
    if (followed->fired || alarm->now - followed->since < seconds - rounding)
        return;
    followed->fired = true;
    if (!cause->rows++) {
        cause->row = row;
        cause->since = followed->since;
    }
}

/* Forgets rows for which the condition is no longer true; if they had an alarm, only after so long
 * that one event has one recording. */
static void forget_quiet(struct alarm *alarm)
{
    struct map left = {0};
    struct followed *followed;
    for (size_t at = 0; (followed = map_next(&alarm->followed, &at));) {
        double quiet = alarm->now - followed->last;
        if (quiet > 0 && (!followed->fired || quiet >= options_of(alarm)->after))
            free(followed);
        else
            map_put(&left, followed->id, followed);
    }
    map_release(&alarm->followed);
    alarm->followed = left;
}

/* The context in which the condition is asked about a frame, until view_set_frame(). */
static struct view_context look_at(struct alarm *alarm, const struct frame *frame)
{
    view_set_frame(alarm->view, frame);
    if (frame->events != alarm->events) {
        struct column_name_scope names = view_names(alarm->view);
        condition_bind(alarm->condition, &names);
        event_set_keep(&alarm->events, frame->events);
    }
    return view_context_of(alarm->view);
}

void alarm_take(struct alarm *alarm, const struct frame *frame)
{
    struct condition_when when = condition_when(alarm->condition);
    struct alarm_cause cause = {0};
    alarm->previous = alarm->now;
    alarm->now += frame->interval;
    struct view_context context = look_at(alarm, frame);
    if (when.machine && condition_holds(alarm->condition, &context, NULL))
        follow(alarm, 0, NULL, &cause);
    for (size_t r = 0; r < context.row_count && !when.machine; r++) {
        const struct row *row = context.rows[r];
        if (condition_holds(alarm->condition, &context, row))
            follow(alarm, when.any ? 0 : row->id, row, &cause);
    }
    if (alarm->path) {
        if (alarm->recorder.file)
            recorder_take(&alarm->recorder, &alarm->host->setup, frame);
        else
            begin_recording(alarm, NULL); /* tries again */
        if (*alarm->recorder.failure.text || alarm->now >= alarm->until)
            end_recording(alarm);
    }
    if (cause.rows)
        alarm_fire(alarm, frame, &cause);
    if (alarm->followed.count)
        forget_quiet(alarm);
    view_set_frame(alarm->view, NULL);
}

/* ---- open and close ---- */

/* -1 with a message if the text is no condition. */
static int read_condition(struct alarm *alarm, struct host *host, const char *text, struct err *err)
{
    alarm->host = host;
    alarm->text = mem_strdup(text);
    alarm->view = view_new(&host->definitions->metric_set, &host->definitions->screens,
                           proc_lookup_view(host->lookup));
    struct view_settings settings = *view_settings(host->view);
    settings.terminal = settings.tree = settings.sticky = false;
    settings.kept = 0;
    settings.amount = AMOUNT_RATE;
    view_change(alarm->view, &settings);
    view_set_events(alarm->view, host->setup.set);
    alarm->events = mem_share(host->setup.set);
    struct column_name_scope names = view_names(alarm->view);
    alarm->condition = condition_parse_when(text, &names, err);
    return alarm->condition ? 0 : -1;
}

int alarm_open(struct alarm *alarm, struct host *host, struct err *err)
{
    const struct options *options = host->options;
    struct err why;
    if (read_condition(alarm, host, options->when ? options->when : options->test_when, &why) < 0)
        return err_set(err, "no condition for --%s: %s", options->when ? "when" : "test-when",
                       why.text);
    host->setup.session.alarm.armed = options->when;
    if (options->when)
        check_folder(alarm);
    if (options->batch && options->when)
        alarm->kept->seconds =
            options->before + condition_when(alarm->condition).seconds + 2 * options->delay;
    return 0;
}

int alarm_end(struct alarm *alarm, struct err *err)
{
    if (alarm->path)
        end_recording(alarm);
    size_t failed = alarm->failed;
    return failed ? err_set(err, "%zu recording%s of alarms %s missing or not whole", failed,
                            failed == 1 ? "" : "s", failed == 1 ? "is" : "are")
                  : 0;
}

void alarm_stop(struct alarm *alarm)
{
    if (alarm->paths)
        close(alarm->paths);
    child_free(alarm->starter);
}

void alarm_close(struct alarm *alarm)
{
    map_free(&alarm->followed);
    condition_free(alarm->condition);
    free(alarm->text);
    event_set_drop(alarm->events);
    view_free(alarm->view);
    free(alarm->values);
}

int host_check_alarm(const struct host *host, struct err *err)
{
    if (host->playback.replay)
        return err_set(err, "nothing is watched: this is a recording; --test-when tells when a "
                            "condition was true in it");
    return host->memory ? 0
                        : err_set(err, "nothing is kept to look back at: start without --rewind 0");
}

int host_when(struct host *host, const char *text, struct err *err)
{
    struct alarm *alarm = host->alarm;
    struct alarm next = {.kept = alarm->kept, .starter = alarm->starter, .paths = alarm->paths};
    if (host_check_alarm(host, err) < 0)
        return -1;
    if (*text && read_condition(&next, host, text, err) < 0) {
        alarm_close(&next);
        return -1;
    }
    alarm_end(alarm, NULL); /* it has been told */
    alarm_close(alarm);
    next.failed = alarm->failed;
    *alarm = next;
    host->setup.session.alarm.armed = *text;
    if (*text)
        check_folder(alarm);
    if (alarm->kept->bytes < ALARM_BYTES)
        alarm->kept->bytes = ALARM_BYTES;
    return 0;
}

/* ---- a recording of an alarm ---- */

/* The first number of the condition in an interval, of the row or machine that it was true for; 0
 * where it has no value. Lookups then use the interval. */
static double read_number(struct alarm *alarm, int64_t interval)
{
    const struct session_alarm *facts = &alarm->host->setup.session.alarm;
    bool machine = condition_when(alarm->condition).machine;
    struct frame *frame = replay_frame(alarm->host->playback.reader, interval, NULL);
    const struct row *row = NULL;
    double number = 0;
    if (!frame)
        return 0;
    struct view_context context = look_at(alarm, frame);
    for (size_t r = 0; r < context.row_count && !machine; r++)
        if (context.rows[r]->pid == facts->pid && context.rows[r]->tid == facts->tid)
            row = context.rows[r];
    bool known = (row || machine) && condition_number(alarm->condition, &context, row, &number);
    view_set_frame(alarm->view, NULL);
    frame_free(frame);
    return known ? number : 0;
}

const double *host_alarm(struct host *host, size_t *count, size_t *known)
{
    enum { LONGEST = 4096 };                /* intervals */
    static const uint64_t PART = 100000000; /* ns of reading in a call */
    const struct session_alarm *facts = &host->setup.session.alarm;
    const struct playback *playback = &host->playback;
    struct alarm *alarm = host->alarm;
    int64_t first, last;
    if (!playback->replay || !facts->condition ||
        reader_span(playback->reader, &first, &last, NULL) < 0 || last - first >= LONGEST)
        return NULL;
    bool begins = !alarm->host, reads = alarm->known < alarm->count;
    if (begins && read_condition(alarm, host, facts->condition, NULL) == 0)
        alarm->values = mem_array(alarm->count = (size_t)(last - first + 1), sizeof(double));
    for (uint64_t end = clock_monotonic() + PART;
         alarm->known < alarm->count && !begins && clock_monotonic() < end; alarm->known++)
        alarm->values[alarm->known] = read_number(alarm, first + (int64_t)alarm->known);
    if (reads) /* lookups use the interval that is shown */
        frame_free(replay_frame(playback->reader, playback->at, NULL));
    *count = alarm->count;
    *known = alarm->known;
    return alarm->values;
}
