#include "code/code_space.h"
#include "system/procfs.h"

enum {
    SPACES_MAX = 2048,
    MAPS_MAX = 64 << 20, /* bytes of /proc/PID/maps */
};

void code_space_clear(struct code_space *space)
{
    free(space->mappings);
    space->mappings = NULL;
    space->count = 0;
    space->read = 0;
    space->unreadable = 0;
    space->epoch++;
    space->born = space->looked = 0;
    space->jit = 0;
}

void code_space_copy(struct code_space *to, const struct code_space *from)
{
    code_space_clear(to);
    to->mappings = mem_copy(from->mappings, from->count * sizeof(*to->mappings));
    to->count = from->count;
    to->read = from->read;
    to->unreadable = from->unreadable;
}

/* The index of the first mapping that ends after the address. */
static size_t space_from(const struct code_space *space, uint64_t address)
{
    size_t after = mem_after(space->mappings, space->count, sizeof(*space->mappings), address);
    return after - (after > 0 && space->mappings[after - 1].end > address);
}

void code_space_map(struct code_space *space, const struct space_mapping *mapping)
{
    size_t count = 0, room = 0;
    struct space_mapping *mappings = NULL;
    if (mapping->end <= mapping->start || space->count + 2 > SPACE_MAPPINGS_MAX)
        return;
    mem_grow(&mappings, &room, space->count + 2, sizeof(*mappings));
    for (size_t i = 0; i < space->count && space->mappings[i].start < mapping->start; i++) {
        struct space_mapping *before = &mappings[count++];
        *before = space->mappings[i];
        before->end = before->end < mapping->start ? before->end : mapping->start;
    }
    size_t index = space_from(space, mapping->start);
    space->version++;
    space->epoch += index < space->count && space->mappings[index].start < mapping->end;
    mappings[count++] = *mapping;
    for (size_t i = space_from(space, mapping->end); i < space->count; i++) {
        struct space_mapping *behind = &mappings[count++];
        *behind = space->mappings[i];
        if (behind->start < mapping->end) {
            behind->offset += mapping->end - behind->start;
            behind->start = mapping->end;
        }
    }
    free(space->mappings);
    space->mappings = mappings;
    space->count = count;
}

const struct space_mapping *code_space_find(const struct code_space *space, uint64_t address)
{
    size_t index = space_from(space, address);
    bool found = index < space->count && space->mappings[index].start <= address;
    return found ? &space->mappings[index] : NULL;
}

bool code_space_line(char *line, struct code_mapping *mapping, bool *code)
{
    unsigned long long start, end, offset, inode;
    char execute;
    int path = 0;
    *mapping = (struct code_mapping){0};
    if (sscanf(line, "%llx-%llx %*c%*c%c%*c %llx %x:%x %llu %n", &start, &end, &execute, &offset,
               &mapping->major, &mapping->minor, &inode, &path) < 7 ||
        end <= start || path == 0)
        return false;
    mapping->start = start;
    mapping->size = end - start;
    mapping->offset = offset;
    mapping->inode = inode;
    mapping->path = line + path;
    /* The kernel writes a newline in a path as "\\012" (seq_path(9)). */
    for (char *at = line + path; (at = strstr(at, "\\012"));) {
        *at++ = '\n';
        memmove(at, at + strlen("012"), strlen(at + strlen("012")) + 1);
    }
    *code = execute == 'x';
    return true;
}

void code_space_parse(char *text, void (*take)(void *ctx, const struct code_mapping *mapping),
                      void *ctx)
{
    char *rest = text, *line;
    struct code_mapping mapping;
    bool code;
    while ((line = strsep(&rest, "\n")))
        if (code_space_line(line, &mapping, &code) && code)
            take(ctx, &mapping);
}

char *code_space_maps(pid_t pid, ssize_t *length)
{
    size_t size = 1 << 16;
    char *text = NULL;
    do {
        free(text);
        text = mem_alloc(size *= 2);
        *length = procfs_read(pid, 0, "maps", text, size);
    } while (*length == (ssize_t)size - 1 && size < MAPS_MAX);
    return text;
}

void code_space_read(struct code_space *space,
                     void (*take)(void *ctx, const struct code_mapping *mapping), void *ctx)
{
    ssize_t length;
    AUTO_FREE char *text = code_space_maps(space->pid, &length);
    space->unreadable = length < 0 ? errno : length == 0 ? ESRCH : 0;
    space->read = clock_monotonic();
    if (length > 0)
        code_space_parse(text, take, ctx);
}

static void drop_oldest(struct space_table *table)
{
    struct code_space *space, *oldest = NULL;
    for (size_t at = 0; (space = map_next(&table->spaces, &at));)
        if (!oldest || space->used < oldest->used)
            oldest = space;
    map_remove(&table->spaces, (uint64_t)oldest->pid);
    code_space_clear(oldest);
    free(oldest);
}

struct code_space *space_table_get(struct space_table *table, pid_t pid)
{
    struct code_space *space = map_get(&table->spaces, (uint64_t)pid);
    if (!space) {
        if (table->spaces.count >= SPACES_MAX)
            drop_oldest(table);
        space = mem_alloc(sizeof(*space));
        space->pid = pid;
        space->epoch = ++table->uses; /* another one than that of a space that was dropped */
        map_put(&table->spaces, (uint64_t)pid, space);
    }
    space->used = ++table->uses;
    return space;
}

void space_table_release(struct space_table *table)
{
    MAP_EACH (struct code_space, space, &table->spaces) {
        code_space_clear(space);
        free(space);
    }
    map_release(&table->spaces);
}
