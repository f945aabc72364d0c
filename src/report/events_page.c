#include "report/events_page.h"
#include "base/cells.h"
#include "base/str.h"
#include "event/explain.h"

#include <string.h>

/* "  yes  name", and texts begin in the same column, behind names that are not too long. */
enum { MARK = 7, NAME = 26, TEXT = MARK + NAME + 2, LEAST = 20 };

struct sheet {
    FILE *out;
    int width; /* 0: lines are not broken */
};

static int room(const struct sheet *sheet, int indent)
{
    return sheet->width - indent > LEAST ? sheet->width - indent : LEAST;
}

/* The text from that column on, where the line stands already. */
static void events_page_write_text(const struct sheet *sheet, int indent, const char *text)
{
    size_t length = sheet->width ? cells_line(text, room(sheet, indent)) : strlen(text);
    fprintf(sheet->out, "%.*s\n", (int)length, text);
    for (text += length; *(text += strspn(text, " ")); text += length) {
        length = cells_line(text, room(sheet, indent));
        fprintf(sheet->out, "%*s%.*s\n", indent, "", (int)length, text);
    }
}

static void write_entry(const struct sheet *sheet, const char *mark,
                        const struct event_index_entry *entry)
{
    int name = cells_width(entry->name);
    fprintf(sheet->out, "  %-3s  %s", mark, entry->name);
    if (!*entry->text) {
        fputc('\n', sheet->out);
        return;
    }
    if (name <= NAME || !sheet->width)
        fprintf(sheet->out, "%*s  ", name < NAME ? NAME - name : 0, "");
    else
        fprintf(sheet->out, "\n%*s", TEXT, "");
    events_page_write_text(sheet, TEXT, entry->text);
}

/* Below the first event that it keeps from being counted. */
static void write_obstacle(const struct sheet *sheet, const char *obstacle)
{
    struct str text;
    str_init(&text);
    str_printf(&text, "why: %.*s", explain_cause(obstacle), obstacle);
    fprintf(sheet->out, "%*s", MARK, "");
    events_page_write_text(sheet, MARK, text.text);
    str_release(&text);
}

static void write_found(const struct sheet *sheet, struct availability *availability,
                        const size_t *found, size_t count)
{
    const struct event_index *event_index = availability_index(availability);
    size_t group = event_index->group_count;
    const char *told = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct event_index_entry *entry = &event_index->entries[found[i]];
        const struct event_index_group *of = &event_index->groups[entry->group];
        if (entry->group != group) {
            fprintf(sheet->out, "%s%s\n", i ? "\n" : "", of->title);
            told = NULL;
        }
        group = entry->group;
        const char *obstacle = availability_obstacle(availability, found[i]);
        const char *mark = obstacle ? "no" : of->kind == EVENT_INDEX_SPELLINGS ? "" : "yes";
        write_entry(sheet, mark, entry);
        if (obstacle && !str_equal(obstacle, told))
            write_obstacle(sheet, obstacle);
        told = obstacle ? obstacle : told;
    }
}

int events_page_write(FILE *out, int width, struct availability *availability, const char *pattern,
                      struct err *err)
{
    struct sheet sheet = {out, width};
    int result = 0;
    const size_t *found;
    size_t count = availability_find(availability, pattern ? pattern : "", &found);
    write_found(&sheet, availability, found, count);
    if (count == 0) {
        const char *nearest = event_index_nearest(availability_index(availability), pattern);
        result = err_set(err, "no event matches '%s'%s%s%s", pattern,
                         nearest ? "; nearest is '" : "; --list-events alone shows all",
                         nearest ? nearest : "", nearest ? "'" : "");
    }
    return result;
}
