/* countertop-http: speaks HTTP to clients, for app/program.h. */
#include "front/listen.h"
#include "system/sandbox.h"

#include <sys/prctl.h>
#include <sys/resource.h>

/* How long a client waits for a page until it is refused, ns. */
static const uint64_t PATIENCE = 5000000000;

struct serving {
    struct listener *listener;
    bool asked[METRICS_FORMS]; /* the page, which has not come yet */
    bool silent;               /* the last wait had no answer: do not wait again */
};

/* Waits for a message, handles it and returns its kind. Exits if the other side has ended. */
static uint32_t serving_take(struct serving *serving)
{
    struct serving_note note;
    if (recv(STDIN_FILENO, &note, sizeof(note), 0) != sizeof(note))
        _exit(EXIT_SUCCESS);
    serving->silent = false;
    if (note.what == SERVING_RENEW) {
        listener_renew(serving->listener);
        return SERVING_RENEW;
    }
    serving->asked[note.what] = false;
    char *text = mem_alloc(note.length + 1);
    int file = HELPER_FILES + SERVING_PAGES + (int)note.what;
    if (note.length > 0 && pread(file, text, note.length, 0) == (ssize_t)note.length)
        listener_give(serving->listener, note.what, text, note.length);
    else
        free(text);
    return note.what;
}

static void serving_ask(void *ctx, enum metrics_form form)
{
    struct serving *serving = ctx;
    struct pollfd pair = {.fd = STDIN_FILENO, .events = POLLIN};
    uint32_t wanted = form;
    uint64_t now = clock_monotonic(), end = now + PATIENCE;
    if (serving->silent ||
        (!serving->asked[form] && send(pair.fd, &wanted, sizeof(wanted), MSG_DONTWAIT) < 0))
        return;
    serving->asked[form] = true;
    for (; now < end; now = clock_monotonic())
        if (poll(&pair, 1, (int)((end - now) / 1000000) + 1) > 0 && serving_take(serving) == form)
            return;
    serving->silent = true;
}

int main(int argc, char **argv)
{
    static const struct rlimit none = {0, 0};
    struct serving_order order;
    struct serving serving = {0};
    const struct page_source source = {serving_ask, &serving};
    helper_begin(argc, argv, SOCK_SEQPACKET);
    helper_ignore_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (recv(STDIN_FILENO, &order, sizeof(order), 0) != sizeof(order))
        return EXIT_FAILURE;
    tzset(); /* reads a file */
    setrlimit(RLIMIT_FSIZE, &none);
    serving.listener = listener_new(HELPER_FILES + SERVING_DOOR, &source, order.delay);
    if (order.sandbox)
        path_rules_enter(path_rules_new(false)); /* also without seccomp */
    uint32_t confined = order.sandbox && sandbox_enter(SANDBOX_SERVE);
    if (send(STDIN_FILENO, &confined, sizeof(confined), 0) < 0)
        return EXIT_FAILURE;
    serving_take(&serving); /* the first message: from then on the other side answers */
    for (struct pollfd pair = {.fd = STDIN_FILENO, .events = POLLIN};;)
        if (listener_run(serving.listener, pair.fd) &&
            poll(&pair, 1, 0) > 0) /* unless a request has read the message */
            serving_take(&serving);
}
