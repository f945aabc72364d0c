#include "sample/source.h"

const char *session_mode(const struct session *session)
{
    static const char *const modes[] = {"all", "user", "kernel"};
    return modes[session->mode];
}

/* The texts that a session owns. */
static const size_t texts[] = {
    offsetof(struct session, host),      offsetof(struct session, kernel),
    offsetof(struct session, cpu_model), offsetof(struct session, engine),
    offsetof(struct session, notice),    offsetof(struct session, engine_reason),
    offsetof(struct session, faults),    offsetof(struct session, command),
    offsetof(struct session, end),       offsetof(struct session, alarm.condition),
    offsetof(struct session, screen),
};

void session_release(struct session *session)
{
    for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++)
        free(*(char **)((char *)session + texts[t]));
    cpulist_release(&session->cpus);
    watch_release(&session->watch);
    *session = (struct session){0};
}

void session_copy(struct session *to, const struct session *from)
{
    *to = *from;
    for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++) {
        char **text = (char **)((char *)to + texts[t]);
        *text = mem_strdup(*text);
    }
    cpulist_copy(&to->cpus, &from->cpus);
    watch_copy(&to->watch, &from->watch);
}
