#include "event/tracepoint.h"
#include "base/file.h"
#include "base/str.h"
#include "event/names.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 128 };

/* Where it is mounted today, and where it was before Linux 4.1. */
static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
        n++;
    return n;
}

bool tracepoint_is_name(const char *text)
{
    /* Subsystems are C identifiers in small letters, which libpfm4's events are not. */
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (!islower((unsigned char)text[0]) || text[n] != ':')
        return false;
    const char *event = text + n + 1;
    size_t length = word_length(event);
    return length > 0 && event[length] == '\0' && strlen(text) < NAME_SIZE;
}

/* Adds to the reason what the user may have meant, among the events of that subsystem or among the
 * subsystems. */
static void suggest(const char *mount, const char *subsystem, const char *event, struct err *why)
{
    char path[512];
    struct names names;
    names_init(&names);
    snprintf(path, sizeof(path), "%s/events/%s", mount, subsystem);
    names_add_folder(&names, path);
    bool known = names.count > 0;
    if (!known) {
        snprintf(path, sizeof(path), "%s/events", mount);
        names_add_folder(&names, path);
    }
    names_sort(&names);
    const char *nearest = names_nearest(&names, known ? event : subsystem);
    if (nearest && known)
        err_set(why, "%s; nearest is '%s:%s'", why->text, subsystem, nearest);
    else if (nearest)
        err_set(why, "%s; nearest is '%s:%s'", why->text, nearest, event);
    names_release(&names);
}

enum tracepoint tracepoint_find(const char *name, uint64_t *id, struct err *why)
{
    char subsystem[NAME_SIZE], text[32];
    size_t length = strcspn(name, ":");
    if (!tracepoint_is_name(name)) {
        err_set(why, "this is no name of a tracepoint");
        return TRACEPOINT_ABSENT;
    }
    snprintf(subsystem, sizeof(subsystem), "%.*s", (int)length, name);
    const char *event = name + length + 1;
    int error = ENOENT;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/events/%s/%s/id", mounts[i], subsystem, event);
        unsigned long long number;
        if (file_line(path, text, sizeof(text)) == 0 && str_to_u64(text, 0, UINT64_MAX, &number)) {
            *id = number;
            return TRACEPOINT_FOUND;
        }
        if (errno == EACCES || errno == EPERM) {
            error = errno;
            continue;
        }
        snprintf(path, sizeof(path), "%s/events", mounts[i]);
        DIR *folder = file_opendir(path);
        if (folder) {
            closedir(folder);
            err_set(why, "this kernel has no such tracepoint");
            suggest(mounts[i], subsystem, event, why);
            return TRACEPOINT_ABSENT;
        }
    }
    if (error == ENOENT)
        err_set(why,
                "tracefs is not mounted: 'mount -t tracefs nodev %s' (as root) makes "
                "tracepoints known",
                mounts[0]);
    else
        err_set(why,
                "%s is not readable for this user: run countertop as root, or let a group in "
                "with 'mount -o remount,mode=750,gid=GROUP %s'",
                mounts[0], mounts[0]);
    return TRACEPOINT_HIDDEN;
}
