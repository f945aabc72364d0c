#include "event/tracepoint.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128 };

/* The mount point of tracefs, and the one before Linux 4.1. */
static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

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
        struct names subsystems = {0}, events = {0};
        names_add_folder(&subsystems, path);
        if (subsystems.count == 0)
            continue;
        snprintf(path, sizeof(path), "%s/events/%s", mounts[i], subsystem);
        names_add_folder(&events, path);
        names_sort(&subsystems);
        names_sort(&events);
        const char *nearest =
            events.count ? names_nearest(&events, event) : names_nearest(&subsystems, subsystem);
        err_set(why, "this kernel has no such tracepoint");
        if (nearest)
            err_set(why, "%s; nearest is '%s:%s'", why->text, events.count ? subsystem : nearest,
                    events.count ? nearest : event);
        names_release(&events);
        names_release(&subsystems);
        return TRACEPOINT_ABSENT;
    }
    if (error == ENOENT)
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

/* Adds the names of the folders in a folder of tracefs. */
static void add_folders(const char *path, struct names *names)
{
    DIR *folder = NULL;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts) && !folder; i++) {
        char full[512];
        snprintf(full, sizeof(full), "%s/%s", mounts[i], path);
        folder = file_opendir(full);
    }
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_type == DT_DIR &&
            tracepoint_word_length(entry->d_name) == strlen(entry->d_name))
            names_add(names, entry->d_name);
    if (folder)
        closedir(folder);
    names_sort(names);
}

void tracepoint_subsystems(struct names *names)
{
    add_folders("events", names);
}

void tracepoint_events(const char *subsystem, struct names *names)
{
    char path[512];
    struct names folders = {0};
    struct stat status;
    snprintf(path, sizeof(path), "events/%s", subsystem);
    add_folders(path, &folders);
    for (size_t i = 0; i < folders.count; i++) {
        bool there = false; /* events without a number can be recorded by ftrace only */
        for (size_t m = 0; m < sizeof(mounts) / sizeof(*mounts) && !there; m++) {
            snprintf(path, sizeof(path), "%s/events/%s/%s/id", mounts[m], subsystem,
                     folders.items[i]);
            there = file_stat(path, &status) == 0;
        }
        if (there)
            names_add(names, folders.items[i]);
    }
    names_release(&folders);
}

/* Calls each with the name of a field and the rest of its line, until that returns false. Not for
 * the fields common_* of all tracepoints, which describe the record. */
static void each_field(const char *name,
                       bool (*each)(void *ctx, const char *field, const char *rest), void *ctx)
{
    static const char mark[] = "field:";
    FILE *file = NULL;
    size_t length = strcspn(name, ":");
    if (!tracepoint_is_name(name))
        return;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts) && !file; i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", mounts[i], (int)length, name,
                 name + length + 1);
        file = file_open(path);
    }
    char line[512];
    bool go_on = true;
    while (file && go_on && fgets(line, sizeof(line), file) && !str_starts(line, "print fmt")) {
        /* "field:pid_t prev_pid; offset:24;": the name is the last word of the declaration, without
         * "[N]". */
        const char *field = strstr(line, mark);
        if (!field)
            continue;
        field += strlen(mark);
        size_t end = strcspn(field, "[;"), start = end;
        while (start > 0 && (isalnum((unsigned char)field[start - 1]) || field[start - 1] == '_'))
            start--;
        char *word = mem_strndup(field + start, end - start);
        if (*word && !str_starts(word, "common_"))
            go_on = each(ctx, word, field + end);
        free(word);
    }
    if (file)
        fclose(file);
}

static bool add_field(void *ctx, const char *field, const char *rest)
{
    (void)rest;
    names_add(ctx, field);
    return true;
}

void tracepoint_fields(const char *name, struct names *names)
{
    each_field(name, add_field, names);
}

struct wanted_field {
    const char *name;
    size_t *offset, *size;
    bool found;
};

static bool match_field(void *ctx, const char *field, const char *rest)
{
    struct wanted_field *wanted = ctx;
    const char *place = strstr(rest, "offset:");
    wanted->found = str_equal(field, wanted->name) && place &&
                    sscanf(place, "offset:%zu; size:%zu", wanted->offset, wanted->size) == 2;
    return !wanted->found;
}

bool tracepoint_field(const char *name, const char *field, size_t *offset, size_t *size)
{
    struct wanted_field wanted = {field, offset, size, false};
    each_field(name, match_field, &wanted);
    return wanted.found;
}
