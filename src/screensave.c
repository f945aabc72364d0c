#include "screensave.h"
#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_name(const char *name, struct err *err)
{
    enum { LONGEST = 32 };
    bool good = isalnum((unsigned char)*name) && strlen(name) <= LONGEST;
    for (const char *c = name; *c && good; c++)
        good = isalnum((unsigned char)*c) || strchr("_-.", *c);
    return good ? 0
                : err_set(err,
                          "no name for a screen '%.100s': expected at most %d letters, digits, "
                          "'_', '-' and '.', a letter or digit first",
                          name, LONGEST);
}

/* A line is added to by the next one of the same key. */
static void add_line(struct str *text, const char *key, const struct str *value)
{
    str_printf(text, "%s = %s\n", key, value->text);
}

/* Events have a line each, those in one pair of braces share one. */
static void add_events(struct str *text, const struct event_list *events)
{
    struct str line;
    str_init(&line);
    for (size_t e = 0; e < events->count; e++) {
        const struct event *event = &events->events[e];
        bool led = e > 0 && event->group >= 0 && events->events[e - 1].group == event->group;
        bool leads = event->group >= 0 && e + 1 < events->count &&
                     events->events[e + 1].group == event->group;
        str_printf(&line, "%s%s%s",
                   led     ? ","
                   : leads ? "{"
                           : "",
                   event->name, led && !leads ? "}" : "");
        if (leads)
            continue;
        add_line(text, "events", &line);
        str_clear(&line);
    }
    str_release(&line);
}

/* An event whose name is not one word has a column all the same: each event does that no other
 * column uses. */
static bool is_word(const char *name)
{
    return !name[strcspn(name, " \t,;")];
}

static void add_columns(struct str *text, const struct view *view)
{
    enum { ENOUGH = 80 };
    struct str line;
    str_init(&line);
    for (size_t c = 0; c < view_columns(view); c++) {
        const char *name = view_column(view, c)->name;
        if (is_word(name))
            str_printf(&line, "%s%s", line.length ? " " : "", name);
        if (line.length > ENOUGH || (line.length && c + 1 == view_columns(view))) {
            add_line(text, "columns", &line);
            str_clear(&line);
        }
    }
    str_release(&line);
}

/* What was written has to be read again: else it would be in the way at the next start. */
static int check_text(const char *text, const char *path, struct err *err)
{
    struct screen_list list;
    screen_list_init(&list);
    int result = screen_list_load(&list, text, path, err);
    screen_list_release(&list);
    return result;
}

static int make_directory(const char *path, struct err *err)
{
    char *copy = mem_strdup(path);
    int result = 0;
    for (char *slash = copy; slash && result == 0;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            result = err_set(err, "cannot make the directory '%.200s': %s", copy, strerror(errno));
        if (slash)
            *slash = '/';
    }
    free(copy);
    return result;
}

static int write_new(const char *path, const struct str *text, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return err_set(err, "cannot write '%.200s': there is one already; choose another name",
                       path);
    size_t done = 0;
    while (fd >= 0 && done < text->length) {
        ssize_t n = write(fd, text->text + done, text->length - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0 && done == text->length && close(fd) == 0)
        return 0;
    err_set(err, "cannot write '%.200s': %s", path, strerror(errno));
    if (fd >= 0)
        unlink(path); /* what is not whole is of no use */
    return -1;
}

char *screensave_write(const char *directory, const char *name, const struct view *view,
                       const struct event_list *events, struct err *err)
{
    if (check_name(name, err) < 0)
        return NULL;
    if (!directory) {
        err_set(err, "cannot write a screen: HOME names no directory; start with -W DIR");
        return NULL;
    }
    struct str text;
    str_init(&text);
    str_printf(&text, "[screen %s]\n", name);
    add_events(&text, events);
    add_columns(&text, view);
    const char *sort = view_column(view, view_sort_column(view))->name;
    if (is_word(sort))
        str_printf(&text, "sort = %s\n", sort);
    char *path = mem_printf("%s/%s.ini", directory, name);
    if (check_text(text.text, path, err) < 0 || make_directory(directory, err) < 0 ||
        write_new(path, &text, err) < 0) {
        free(path);
        path = NULL;
    }
    str_release(&text);
    return path;
}
