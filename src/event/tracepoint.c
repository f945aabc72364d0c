#include "event/query.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128, LINE_SIZE = 512 };

/* Where the events of tracefs are: at its mount point, or at that before Linux 4.1. False with
 * errno: they are not there, or not readable. */
static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static bool find_events(char folder[NAME_SIZE])
{
    int error = ENOENT;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
        snprintf(folder, NAME_SIZE, "%s/events", mounts[i]);
        DIR *events = file_opendir(folder);
        if (events) {
            closedir(events);
            return true;
        }
        error = errno == EACCES || errno == EPERM ? errno : error;
    }
    errno = error;
    return false;
}

static size_t tracepoint_word_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
        n++;
    return n;
}

bool tracepoint_is_name(const char *text)
{
    /* Subsystems are lower-case C identifiers, unlike libpfm4's events. */
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (!islower((unsigned char)text[0]) || text[n] != ':')
        return false;
    const char *event = text + n + 1;
    size_t length = tracepoint_word_length(event);
    return length > 0 && event[length] == '\0' && strlen(text) < NAME_SIZE;
}

enum tracepoint tracepoint_find(const char *name, uint64_t *id, struct err *why)
{
    char events[NAME_SIZE], text[32];
    unsigned long long number;
    if (!tracepoint_is_name(name)) {
        err_set(why, "this is no name of a tracepoint");
        return TRACEPOINT_ABSENT;
    }
    if (!find_events(events)) {
        if (errno == ENOENT)
            err_set(why,
                    "tracefs is not mounted: as root, run 'mount -t tracefs nodev %s' to make "
                    "tracepoints known",
                    mounts[0]);
        else
            err_set(why,
                    "%s is not readable for this user: run countertop as root, or let a group in "
                    "with 'mount -o remount,mode=750,gid=GROUP %s'",
                    mounts[0], mounts[0]);
        return TRACEPOINT_HIDDEN;
    }
    size_t length = strcspn(name, ":");
    const char *event = name + length + 1;
    AUTO_FREE char *subsystem = mem_strndup(name, length);
    AUTO_FREE char *folder = mem_printf("%s/%s", events, subsystem);
    AUTO_FREE char *file = mem_printf("%s/%s/id", folder, event);
    if (file_line(file, text, sizeof(text)) == 0 && str_to_u64(text, 0, UINT64_MAX, &number)) {
        *id = number;
        return TRACEPOINT_FOUND;
    }
    AUTO_NAMES struct names others = {0};
    names_add_folder(&others, folder);
    bool there = others.count > 0; /* the subsystem is */
    if (!there)
        names_add_folder(&others, events);
    names_sort(&others);
    const char *nearest = names_nearest(&others, there ? event : subsystem);
    err_set(why, "this kernel has no such tracepoint");
    if (nearest)
        err_set(why, "%s; nearest is '%s:%s'", why->text, there ? subsystem : nearest,
                there ? nearest : event);
    return TRACEPOINT_ABSENT;
}

void tracepoint_names(const char *subsystem, struct names *names)
{
    char events[NAME_SIZE];
    if (!find_events(events))
        return;
    AUTO_FREE char *path = mem_printf("%s/%s", events, subsystem);
    DIR *folder = file_opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat status;
        AUTO_FREE char *id = mem_printf("%s/%s/id", path, entry->d_name);
        /* Events without a number can be recorded by ftrace only. */
        if (entry->d_type == DT_DIR &&
            tracepoint_word_length(entry->d_name) == strlen(entry->d_name) &&
            (!*subsystem || file_stat(id, &status) == 0))
            names_add(names, entry->d_name);
    }
    if (folder)
        closedir(folder);
    names_sort(names);
}

/* Opens the description of a tracepoint's fields; NULL: it is not there or not readable. */
static FILE *open_format(const char *name)
{
    char events[NAME_SIZE];
    int length = (int)strcspn(name, ":");
    if (!tracepoint_is_name(name) || !find_events(events))
        return NULL;
    AUTO_FREE char *path = mem_printf("%s/%.*s/%s/format", events, length, name, name + length + 1);
    return file_open(path);
}

/* The next field but the common_* of all tracepoints, which describe the record: its name, and the
 * rest of its line in `line`. NULL: there are no more; then the file is closed. */
static char *next_field(FILE *file, char line[LINE_SIZE], const char **rest)
{
    static const char mark[] = "field:";
    while (file && fgets(line, LINE_SIZE, file) && !str_starts(line, "print fmt")) {
        /* "field:pid_t prev_pid; offset:24;": the name is the last word of the declaration, without
         * "[N]". */
        const char *field = strstr(line, mark);
        if (!field)
            continue;
        field += strlen(mark);
        size_t end = strcspn(field, "[;"), start = end;
        while (start > 0 && (isalnum((unsigned char)field[start - 1]) || field[start - 1] == '_'))
            start--;
        *rest = field + end;
        if (start < end && !str_starts(field + start, "common_"))
            return mem_strndup(field + start, end - start);
    }
    if (file)
        fclose(file);
    return NULL;
}

void tracepoint_fields(const char *name, struct names *names)
{
    char line[LINE_SIZE], *field;
    const char *rest;
    for (FILE *file = open_format(name); (field = next_field(file, line, &rest)); free(field))
        names_add(names, field);
}

bool tracepoint_field(const char *name, const char *field, size_t *offset, size_t *size)
{
    char line[LINE_SIZE], *found;
    const char *rest;
    bool known = false;
    for (FILE *file = open_format(name); (found = next_field(file, line, &rest)); free(found)) {
        const char *place = str_equal(found, field) ? strstr(rest, "offset:") : NULL;
        known |= place && sscanf(place, "offset:%zu; size:%zu", offset, size) == 2;
    }
    return known;
}
