#include "event/tracepoint.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 128, LINE_SIZE = 512 };

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
    int length = (int)strcspn(name, ":");
    unsigned long long number;
    bool forbidden = false;
    if (!tracepoint_is_name(name)) {
        err_set(why, "this is no name of a tracepoint");
        return TRACEPOINT_ABSENT;
    }
    snprintf(subsystem, sizeof(subsystem), "%.*s", length, name);
    const char *event = name + length + 1;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
        AUTO_FREE char *all = mem_printf("%s/events", mounts[i]);
        AUTO_FREE char *folder = mem_printf("%s/%s", all, subsystem);
        AUTO_FREE char *file = mem_printf("%s/%s/id", folder, event);
        if (file_line(file, text, sizeof(text)) == 0 && str_to_u64(text, 0, UINT64_MAX, &number)) {
            *id = number;
            return TRACEPOINT_FOUND;
        }
        if (errno == EACCES || errno == EPERM) {
            forbidden = true;
            continue;
        }
        AUTO_NAMES struct names subsystems = {0}, events = {0};
        names_add_folder(&subsystems, all);
        names_add_folder(&events, folder);
        if (subsystems.count == 0)
            continue;
        names_sort(&subsystems);
        names_sort(&events);
        const char *nearest =
            events.count ? names_nearest(&events, event) : names_nearest(&subsystems, subsystem);
        err_set(why, "this kernel has no such tracepoint");
        if (nearest)
            err_set(why, "%s; nearest is '%s:%s'", why->text, events.count ? subsystem : nearest,
                    events.count ? nearest : event);
        return TRACEPOINT_ABSENT;
    }
    if (forbidden)
        err_set(why,
                "%s is not readable for this user: run countertop as root, or let a group in "
                "with 'mount -o remount,mode=750,gid=GROUP %s'",
                mounts[0], mounts[0]);
    else
        err_set(why,
                "tracefs is not mounted: as root, run 'mount -t tracefs nodev %s' to make "
                "tracepoints known",
                mounts[0]);
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
    AUTO_FREE char *path = mem_printf("events/%s", subsystem);
    AUTO_NAMES struct names folders = {0};
    struct stat status;
    add_folders(path, &folders);
    for (size_t i = 0; i < folders.count; i++) {
        bool there = false; /* events without a number can be recorded by ftrace only */
        for (size_t m = 0; m < sizeof(mounts) / sizeof(*mounts) && !there; m++) {
            AUTO_FREE char *id = mem_printf("%s/%s/%s/id", mounts[m], path, folders.items[i]);
            there = file_stat(id, &status) == 0;
        }
        if (there)
            names_add(names, folders.items[i]);
    }
}

/* Opens the description of a tracepoint's fields; NULL: it is not there or not readable. */
static FILE *open_format(const char *name)
{
    int length = (int)strcspn(name, ":");
    FILE *file = NULL;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts) && !file && tracepoint_is_name(name);
         i++) {
        AUTO_FREE char *path =
            mem_printf("%s/events/%.*s/%s/format", mounts[i], length, name, name + length + 1);
        file = file_open(path);
    }
    return file;
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
