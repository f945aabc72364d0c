#include "event/query.h"

enum { NAME_SIZE = 128, LINE_SIZE = 512 };

/* Where the events of tracefs are: at its mount point, or at that before Linux 4.1. False with
 * errno: they are not there, or not readable. */
static const char *const mounts[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

static bool find_events(char folder[NAME_SIZE])
{
    int error = ENOENT;
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
        snprintf(folder, NAME_SIZE, "%s/events", mounts[i]);
        AUTO_FOLDER DIR *events = file_opendir(folder);
        if (events)
            return true;
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
    err_set(why, "this kernel has no such tracepoint%s",
            nearest ? ""
            : there ? " (--list-events shows them)"
                    : "; a module that is not loaded may bring it");
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
    AUTO_FOLDER DIR *folder = file_opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct stat status;
        AUTO_FREE char *id = mem_printf("%s/%s/id", path, entry->d_name);
        /* Events without a number can be recorded by ftrace only. */
        if (entry->d_type == DT_DIR &&
            tracepoint_word_length(entry->d_name) == strlen(entry->d_name) &&
            (!*subsystem || file_stat(id, &status) == 0))
            names_add(names, entry->d_name);
    }
    names_sort(names);
}

bool tracepoint_fields(const char *name, struct names *names, const char *field, size_t *offset,
                       size_t *size)
{
    static const char mark[] = "field:";
    char events[NAME_SIZE], line[LINE_SIZE];
    int length = (int)strcspn(name, ":");
    bool known = false;
    if (!tracepoint_is_name(name) || !find_events(events))
        return false;
    AUTO_FREE char *path = mem_printf("%s/%.*s/%s/format", events, length, name, name + length + 1);
    AUTO_FILE FILE *file = file_open(path);
    while (file && fgets(line, sizeof(line), file) && !str_starts(line, "print fmt")) {
        /* "field:pid_t prev_pid; offset:24; size:4;": the name is the last word of the declaration,
         * without "[N]". */
        char *start = strstr(line, mark);
        if (!start)
            continue;
        start += strlen(mark);
        char *end = start + strcspn(start, "[;"), *word = end;
        while (word > start && (isalnum((unsigned char)word[-1]) || word[-1] == '_'))
            word--;
        const char *place = *end ? strstr(end + 1, "offset:") : NULL;
        *end = '\0';
        if (!*word || str_starts(word, "common_")) /* of all tracepoints, about the record */
            continue;
        if (names)
            names_add(names, word);
        known |= place && str_equal(word, field) &&
                 sscanf(place, "offset:%zu; size:%zu", offset, size) == 2;
    }
    return known;
}
