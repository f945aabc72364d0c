#include "base/mem.h"
#include "sample/source.h"

#include <stdlib.h>

const char *session_mode(const struct session *session)
{
    static const char *const modes[] = {"all", "user", "kernel"};
    return modes[session->mode];
}

void session_release(struct session *session)
{
    free(session->host);
    free(session->kernel);
    free(session->cpu_model);
    cpulist_release(&session->cpus);
    free(session->engine);
    free(session->engine_reason);
    free(session->notice);
    free(session->faults);
    free(session->command);
    free(session->end);
    free(session->alarm.condition);
    watch_release(&session->watch);
    *session = (struct session){0};
}

void session_copy(struct session *to, const struct session *from)
{
    *to = *from;
    to->host = mem_strdup(from->host);
    to->kernel = mem_strdup(from->kernel);
    to->cpu_model = mem_strdup(from->cpu_model);
    cpulist_copy(&to->cpus, &from->cpus);
    to->engine = mem_strdup(from->engine);
    to->engine_reason = mem_strdup(from->engine_reason);
    to->notice = mem_strdup(from->notice);
    to->faults = mem_strdup(from->faults);
    to->command = mem_strdup(from->command);
    to->end = mem_strdup(from->end);
    to->alarm.condition = mem_strdup(from->alarm.condition);
    watch_copy(&to->watch, &from->watch);
}
