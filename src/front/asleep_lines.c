#include "front/asleep_lines.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct asleep_line {
    pid_t ppid;
    uid_t uid;
    int cpu;
    char comm[TASK_COMM_SIZE];
    size_t length;
    char text[];
};

void asleep_lines_init(struct asleep_lines *lines)
{
    str_init(&lines->common);
}

static void drop_lines(struct asleep_lines *lines)
{
    struct asleep_line *line;
    for (size_t at = 0; (line = map_next(&lines->lines, &at));)
        free(line);
    map_clear(&lines->lines);
}

void asleep_lines_release(struct asleep_lines *lines)
{
    drop_lines(lines);
    map_release(&lines->lines);
    str_release(&lines->common);
}

void asleep_lines_begin(struct asleep_lines *lines, const char *common, size_t rows)
{
    enum { GONE_MAX = 1000 };
    bool same = lines->common.length > 0 && strcmp(lines->common.text, common) == 0;
    if (same && lines->lines.count <= 2 * rows + GONE_MAX)
        return;
    drop_lines(lines);
    str_clear(&lines->common);
    str_add(&lines->common, common);
}

bool asleep_lines_add(const struct asleep_lines *lines, const struct row *row, struct str *text)
{
    const struct asleep_line *line = map_get(&lines->lines, row->id);
    if (!line || line->cpu != row->cpu || line->uid != row->uid || line->ppid != row->ppid ||
        memcmp(line->comm, row->comm, sizeof(line->comm)) != 0)
        return false;
    str_add_n(text, line->text, line->length);
    return true;
}

void asleep_lines_keep(struct asleep_lines *lines, const struct row *row, const char *line,
                       size_t length)
{
    struct asleep_line *kept = mem_alloc(sizeof(*kept) + length);
    *kept =
        (struct asleep_line){.ppid = row->ppid, .uid = row->uid, .cpu = row->cpu, .length = length};
    memcpy(kept->comm, row->comm, sizeof(kept->comm));
    memcpy(kept->text, line, length);
    free(map_put(&lines->lines, row->id, kept));
}
