#include "base/names.h"
#include "base/file.h"
#include "base/str.h"

void names_release(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct names){0};
}

void names_add(struct names *names, const char *name)
{
    *MEM_ADD(names->items, names->count, names->room) = mem_strdup(name);
}

void names_add_folder(struct names *names, const char *path)
{
    AUTO_FOLDER DIR *folder = file_opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            names_add(names, entry->d_name);
}

size_t names_find(const struct names *names, const char *name)
{
    return str_index((const char *const *)names->items, names->count, name);
}

void names_remove(struct names *names, size_t index)
{
    free(names->items[index]);
    memmove(names->items + index, names->items + index + 1,
            (--names->count - index) * sizeof(*names->items));
}

static int names_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_sort(struct names *names)
{
    if (names->count)
        qsort(names->items, names->count, sizeof(*names->items), names_compare);
}

bool names_has(const struct names *names, const char *name)
{
    return names_find(names, name) < names->count;
}

const char *names_nearest(const struct names *names, const char *text)
{
    return str_nearest_member(names->items, names->count, sizeof(*names->items), 0, text);
}

const char *names_own(const char *event, size_t *length)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    static const char term[] = "name=";
    *length = strspn(event, letters);
    if (*length > 0 && event[*length] == '=')
        return event;
    const char *at = strchr(event, '/');
    while (at && !str_starts(at + 1, term))
        at = strchr(at + 1, ',');
    if (!at)
        return NULL;
    at += strlen(term) + 1;
    *length = strspn(at, letters);
    return at;
}
