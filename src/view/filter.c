#include "view/filter.h"
#include "view/condition.h"
#include "view/groups.h"

#include <string.h>

static bool names_contain(const struct scene *scene, const struct row *row, const char *text)
{
    struct column naming;
    char name[sizeof(((struct cell *)0)->text)];
    column_init(&naming, column_naming(scene->settings->kind), NULL, NULL);
    bool found =
        column_text(&naming, scene, row, name, sizeof(name)) && strcasestr(name, text) != NULL;
    column_release(&naming);
    return found;
}

bool filter_contains(const struct scene *scene, const struct row *row, const char *text)
{
    if (scene->settings->kind == VIEW_CPUS)
        return false;
    if (groups_shown(scene->settings->kind))
        return names_contain(scene, row, text);
    char line[4096];
    return strcasestr(row->comm, text) ||
           (!row->exited && scene->lookup && scene->lookup->cmdline &&
            scene->lookup->cmdline(scene->lookup->ctx, row->pid, line, sizeof(line)) &&
            strcasestr(line, text));
}

bool filter_matches(const struct scene *scene, const struct row *row)
{
    const char *wanted = scene->settings->filter;
    if (scene->condition)
        return condition_holds(scene->condition, scene, row);
    return !wanted || !*wanted || scene->settings->kind == VIEW_CPUS ||
           filter_contains(scene, row, wanted);
}
