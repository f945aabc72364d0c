#include "front/tui/state/state.h"

void errors_release(struct errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        free(errors->list[i].text);
    free(errors->list);
    *errors = (struct errors){0};
}

/* Whether two texts differ only in numbers ("12 threads not counted"): the same problem. */
static bool same_but_numbers(const char *a, const char *b)
{
    while (*a || *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return true;
}

/* Finds or adds the error with that text and moves it to the end of the list. */
static struct error *errors_add(struct errors *errors, const char *text, bool lasting, double wall)
{
    struct error error = {.first = wall};
    size_t at = 0;
    while (at < errors->count && (lasting ? !same_but_numbers(errors->list[at].text, text)
                                          : strcmp(errors->list[at].text, text) != 0))
        at++;
    if (at < errors->count) {
        error = errors->list[at];
    } else if (errors->count == ERRORS_MAX) {
        at = 0;
        free(errors->list[0].text);
        errors->forgotten++;
    }
    if (at < errors->count)
        memmove(errors->list + at, errors->list + at + 1,
                (--errors->count - at) * sizeof(*errors->list));
    if (!error.text || strcmp(error.text, text) != 0) {
        mem_replace(&error.text, mem_strdup(text));
    }
    error.last = wall;
    struct error *added = MEM_ADD(errors->list, errors->count, errors->room);
    *added = error;
    return added;
}

void errors_say(struct errors *errors, const char *text, double wall)
{
    errors_add(errors, text, false, wall)->times++;
}

/* Records a problem that the frame reports. */
static void errors_hold(struct errors *errors, const char *text, uint64_t amount,
                        const struct frame *frame)
{
    struct error *error = errors_add(errors, text, true, frame->wall);
    if (error->times == 0 || error->seq != errors->seq)
        error->times++;
    error->seq = frame->seq;
    error->amount += amount;
}

void errors_take(struct errors *errors, const struct session *session, const struct frame *frame)
{
    for (const char *line = session->faults; *line;) {
        size_t length = strcspn(line, "\n");
        AUTO_FREE char *text = mem_strndup(line, length);
        errors_hold(errors, text, 0, frame);
        line += length + (line[length] == '\n');
    }
    if (frame->lost_records > 0)
        errors_hold(
            errors,
            "records lost: the kernel wrote them faster than countertop read them, and what was "
            "counted meanwhile is unattributed; start it with 'chrt -r 1', so that it need not "
            "wait for a CPU, or count fewer events (x removes one)",
            frame->lost_records, frame);
    if (frame->throttled > 0)
        errors_hold(
            errors,
            "times throttled: context switches came faster than the kernel allows, and counting "
            "paused; as root, run 'sysctl kernel.perf_event_max_sample_rate=100000' and 'sysctl "
            "kernel.perf_cpu_time_max_percent=25'",
            frame->throttled, frame);
    if (frame->denied_tasks > 0 && watch_all(&session->watch))
        errors_hold(
            errors,
            "some threads are not counted: they are not yours; as root, all are ('countertop "
            "--check' tells what else allows it)",
            0, frame);
    errors->seq = frame->seq;
}
