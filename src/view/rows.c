#include "view/rows.h"
#include "view/builtin_column.h"
#include "view/condition.h"
#include "view/view_kind.h"

/* --- Order --- */

/* In an id: what has had no place comes after what has; thread ids are positive. */
static const uint64_t NEW = (uint64_t)1 << 63;

static int compare_items(const void *pa, const void *pb, void *ctx)
{
    const struct sort_item *a = pa, *b = pb;
    const struct sorter *sorter = ctx;
    int order = 0;
    if (a->absent || b->absent)
        order = a->absent - b->absent;
    else if (sorter->text)
        order = strcasecmp(sorter->texts.text + a->text, sorter->texts.text + b->text);
    else
        order = (a->number > b->number) - (a->number < b->number);
    if (order != 0)
        return a->absent == b->absent && !sorter->ascending ? -order : order;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Sets the key of an item: a number, or a text behind those of the items before it. */
static void make_key(struct sorter *sorter, struct sort_item *item, const struct column *column,
                     const struct view_context *context)
{
    char text[sizeof(((struct cell *)0)->text)];
    if (!sorter->text) {
        item->absent = !column_number(column, context, item->row, &item->number);
        return;
    }
    item->absent = !column_text(column, context, item->row, text, sizeof(text));
    item->text = (uint32_t)sorter->texts.length;
    str_add_n(&sorter->texts, text, strlen(text) + 1); /* with the terminating null */
}

/* Sorts by a column. Rows without a value come last in both directions. Equal rows are sorted by
 * thread id (CPUs: number), then stay in their order; on a terminal tasks whose cells show the
 * same measured number stay in the order of the last such sort of that amount, with new ones below.
 * sorter->items has the old index of each row. */
static void sort_rows(struct sorter *sorter, const struct row **rows, size_t count,
                      const struct column *column, bool ascending,
                      const struct view_context *context)
{
    sorter->text = column_is_text(column);
    sorter->ascending = ascending;
    /* On a terminal, rows do not change places for a difference that no cell shows. */
    const struct view_settings *settings = &context->settings;
    double step = settings->terminal ? column_step(column) : 0;
    /* Names and CPUs are found by their order. Totals follow an interval's rows, in another one. */
    bool stay = settings->terminal && settings->kind == VIEW_TASKS && column_is_measured(column) &&
                context->frame->totals == (settings->amount == AMOUNT_TOTAL);
    if (stay && sorter->amount != settings->amount) {
        map_clear(&sorter->places);
        sorter->amount = settings->amount;
    }
    str_clear(&sorter->texts);
    mem_grow(&sorter->items, &sorter->room, count, sizeof(*sorter->items));
    const struct sort_item *asleep = NULL; /* an item whose key all have that are asleep */
    bool alike = column_is_same_asleep(column);
    for (size_t i = 0; i < count; i++) {
        struct sort_item *item = &sorter->items[i];
        uint32_t cpu = rows[i]->tid == 0 ? (uint32_t)(rows[i]->cpu + 1) : 0;
        *item = (struct sort_item){.row = rows[i],
                                   .id = ((uint64_t)(uint32_t)rows[i]->tid << 32 | cpu),
                                   .place = (uint32_t)i};
        if (stay) {
            uintptr_t before = (uintptr_t)map_get(&sorter->places, rows[i]->id);
            item->id = before ? before : item->id | NEW;
        }
        if (alike && rows[i]->asleep && asleep) {
            item->absent = asleep->absent;
            item->number = asleep->number;
            continue;
        }
        make_key(sorter, item, column, context);
        if (step > 0)
            item->number = round(item->number / step) * step;
        if (alike && rows[i]->asleep)
            asleep = item;
    }
    if (count > 0)
        qsort_r(sorter->items, count, sizeof(*sorter->items), compare_items, sorter);
    if (stay)
        map_clear(&sorter->places);
    for (size_t i = 0; i < count; i++) {
        rows[i] = sorter->items[i].row;
        if (stay)
            map_put(&sorter->places, rows[i]->id, (void *)(uintptr_t)(i + 1));
    }
}

/* --- The tree --- */

/* An empty sum with the identity of a row, for row_sum_release(). */
static struct row rows_sum_of(const struct row *row, const struct event_set *events)
{
    struct row sum = *row, none = row_sum_new(events);
    sum.counts = none.counts;
    sum.times = none.times;
    sum.wait_facts = NULL;
    sum.oncpu = 0;
    sum.threads = 0;
    sum.ran = sum.asleep = false;
    sum.state = none.state;
    return sum;
}

/* Levels that are drawn; the name must fit, too. */
enum { DEEPEST = 24 };

static void release_sums(struct tree *tree)
{
    while (tree->sum_count > 0)
        row_sum_release(&tree->sums[--tree->sum_count]);
}

static void tree_release(struct tree *tree)
{
    release_sums(tree);
    free(tree->nodes);
    free(tree->order);
    free(tree->sums);
    map_release(&tree->by_pid);
    map_release(&tree->folds);
}

static struct tree_node *node_of(const struct tree *tree, uint32_t number)
{
    return &tree->nodes[number - 1];
}

static uint32_t tree_find(const struct tree *tree, pid_t pid)
{
    return (uint32_t)(uintptr_t)map_get(&tree->by_pid, (uint64_t)pid);
}

/* Adds rows of a frame and of earlier intervals (`past`). */
static void tree_add(struct tree *tree, const struct row *row, bool thread, bool past, bool wanted)
{
    *MEM_ADD(tree->nodes, tree->count, tree->room) =
        (struct tree_node){.row = row, .thread = thread, .past = past, .wanted = wanted};
    if (thread)
        return;
    /* Of several rows with one pid, takes the current owner of the pid. */
    uint32_t other = tree_find(tree, row->pid);
    if (!other || !row->exited)
        map_put(&tree->by_pid, (uint64_t)row->pid, (void *)(uintptr_t)tree->count);
}

/* Adds a row that has what the rows below it have, too; above: the number of the row that it is
 * below, from 1 in the order in which they are added; 0: none. Rows of the two kinds do not mix. */
static void tree_place(struct tree *tree, const struct row *row, size_t above, bool wanted)
{
    *MEM_ADD(tree->nodes, tree->count, tree->room) =
        (struct tree_node){.row = row, .placed = true, .parent = (uint32_t)above, .wanted = wanted};
}

/* Finds parents, also of unwanted nodes: those above a wanted one are kept. */
static void link_nodes(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct tree_node *node = &tree->nodes[i];
        const struct row *row = node->row;
        pid_t pid = node->thread ? row->pid : row->ppid;
        if (!node->placed)
            node->parent = pid > 0 ? tree_find(tree, pid) : 0;
        if (!node->thread || !node->parent || row->tid != row->pid)
            continue;
        struct tree_node *process = node_of(tree, node->parent);
        if (process->row->threads <= 1) {
            process->wanted |= node->wanted;
            node->wanted = false;
        }
    }
    /* Makes a node whose parent is its own descendant a root. Walks up stop at visited nodes. */
    for (uint32_t i = 1; i <= tree->count; i++) {
        uint32_t at = i;
        while (at && node_of(tree, at)->state == NODE_NEW) {
            struct tree_node *node = node_of(tree, at);
            node->state = NODE_ON_PATH;
            if (node->parent && node_of(tree, node->parent)->state == NODE_ON_PATH)
                node->parent = 0;
            at = node->parent;
        }
        for (at = i; at && node_of(tree, at)->state == NODE_ON_PATH; at = node_of(tree, at)->parent)
            node_of(tree, at)->state = NODE_DONE;
    }
    for (uint32_t i = 1; i <= tree->count; i++)
        for (uint32_t at = node_of(tree, i)->wanted ? i : 0; at && !node_of(tree, at)->kept;
             at = node_of(tree, at)->parent)
            node_of(tree, at)->kept = true;
}

/* Inserts a node before its siblings; nodes without a parent are below *root. */
static void tree_adopt(struct tree *tree, uint32_t number, uint32_t *root)
{
    struct tree_node *node = node_of(tree, number);
    uint32_t *first = node->parent ? &node_of(tree, node->parent)->child : root;
    node->sibling = *first;
    *first = number;
}

/* Visits all nodes below root, parents before children. */
static void walk(struct tree *tree, uint32_t root)
{
    tree->ordered = 0;
    mem_grow(&tree->order, &tree->order_room, tree->count, sizeof(*tree->order));
    for (uint32_t at = root; at;) {
        struct tree_node *node = node_of(tree, at);
        tree->order[tree->ordered++] = at;
        uint32_t next = node->child;
        for (; !next && at; at = node_of(tree, at)->parent)
            next = node_of(tree, at)->sibling;
        at = next;
    }
}

/* Makes the sums of folded nodes that are shown. */
static void fold_nodes(struct tree *tree, const struct frame *frame)
{
    size_t folded = 0;
    for (size_t i = 0; i < tree->ordered; i++) {
        struct tree_node *node = node_of(tree, tree->order[i]);
        const struct tree_node *parent = node->parent ? node_of(tree, node->parent) : NULL;
        node->has_children = node->child != 0;
        bool listed = map_get(&tree->folds, node->row->id) != NULL;
        node->folded = node->has_children && listed != tree->folded_all;
        if (parent)
            node->folding = parent->folding ? parent->folding : parent->folded ? node->parent : 0;
        folded += node->folded && !node->folding;
    }
    release_sums(tree);
    mem_grow(&tree->sums, &tree->sum_room, folded, sizeof(*tree->sums));
    for (size_t i = 0; i < tree->ordered; i++) {
        struct tree_node *node = node_of(tree, tree->order[i]);
        struct tree_node *top = node->folding ? node_of(tree, node->folding) : node;
        /* The sum of a process contains its threads. */
        if (!top->folded || node->past || node->thread || node->placed)
            continue;
        /* The top's own row comes first; if it has ended before, only the rows below it count. */
        const struct row *own = node->row;
        if (!top->summed) {
            struct row *sum = &tree->sums[tree->sum_count++];
            *sum = rows_sum_of(top->row, frame->events);
            top->row = sum;
        }
        top->summed = true;
        row_sum_add((struct row *)top->row, own, frame);
    }
    for (size_t i = 0; i < tree->sum_count; i++)
        row_sum_complete(&tree->sums[i], frame);
}

/* Makes the order of the rows shown, and returns their number. A process' only thread has no row of
 * its own. Unwanted rows stay if a wanted row is below them. A parent that is its own descendant,
 * which a reused pid can cause, becomes a root. */
static size_t tree_make(struct tree *tree, struct sorter *sorter, const struct column *column,
                        bool ascending, const struct view_context *context,
                        const struct row ***rows, size_t *room)
{
    link_nodes(tree);
    uint32_t root = 0;
    for (uint32_t i = (uint32_t)tree->count; i > 0; i--)
        if (node_of(tree, i)->kept)
            tree_adopt(tree, i, &root);
    walk(tree, root);
    fold_nodes(tree, context->frame);
    size_t count = 0;
    mem_grow(rows, room, tree->ordered, sizeof(**rows));
    for (size_t i = 0; i < tree->ordered; i++) {
        struct tree_node *node = node_of(tree, tree->order[i]);
        node->child = 0;
        if (node->folding)
            continue;
        tree->order[count] = tree->order[i];
        (*rows)[count++] = node->row;
    }
    sort_rows(sorter, *rows, count, column, ascending, context);
    root = 0;
    for (size_t i = count; i > 0; i--)
        tree_adopt(tree, tree->order[sorter->items[i - 1].place], &root);
    walk(tree, root);
    for (size_t i = 0; i < count; i++) {
        struct tree_node *node = node_of(tree, tree->order[i]);
        node->place = (uint32_t)i;
        (*rows)[i] = node->row;
    }
    return count;
}

const struct tree_node *tree_at(const struct tree *tree, size_t place)
{
    return node_of(tree, tree->order[place]);
}

bool tree_parent(const struct tree *tree, size_t place, size_t *parent)
{
    const struct tree_node *node = tree_at(tree, place);
    if (!node->parent)
        return false;
    *parent = node_of(tree, node->parent)->place;
    return true;
}

void tree_lines(const struct tree *tree, size_t place, bool ascii, struct str *lines)
{
    const struct tree_node *path[DEEPEST], *node = tree_at(tree, place);
    size_t depth = 0;
    for (const struct tree_node *at = node; at->parent && depth < DEEPEST;
         at = node_of(tree, at->parent))
        path[depth++] = at;
    while (depth > 1)
        str_add(lines, !path[--depth]->sibling ? "   " : ascii ? "|  " : "│  ");
    if (depth > 0 && node->sibling)
        str_add(lines, ascii ? "|- " : "├─ ");
    else if (depth > 0)
        str_add(lines, ascii ? "`- " : "└─ ");
    if (node->folded)
        str_add(lines, "[+] ");
}

/* --- Ended tasks --- */

static void release_graves(struct graves *graves)
{
    for (size_t i = 0; i < graves->count; i++)
        row_sum_release(&graves->items[i].row);
    free(graves->items);
    map_release(&graves->by_id);
}

static void sticky_release(struct sticky *sticky)
{
    release_graves(&sticky->threads);
    release_graves(&sticky->processes);
    map_release(&sticky->by_pid);
    event_set_drop(sticky->events);
    *sticky = (struct sticky){0};
}

/* Copies an ended row unless `only` excludes it. */
static void bury(struct graves *graves, const struct row *row, const struct row *process,
                 const struct frame *frame, uint64_t only)
{
    if (!row->exited || (only && row->id != only))
        return;
    const struct event_set *events = frame->events;
    struct ended *ended = map_get(&graves->by_id, row->id);
    if (!ended) { /* a new slot, or that of the task that ended first */
        if (!graves->items)
            graves->items = mem_array(STICKY_MAX, sizeof(*graves->items));
        ended = &graves->items[graves->next];
        graves->next = (graves->next + 1) % STICKY_MAX;
        if (graves->count < STICKY_MAX) {
            graves->count++;
            ended->row = row_sum_new(events);
        } else {
            map_remove(&graves->by_id, ended->row.id);
        }
        map_put(&graves->by_id, row->id, ended);
    }
    struct count *counts = ended->row.counts;
    struct group_time *times = ended->row.times;
    wait_facts_free(ended->row.wait_facts);
    ended->row = *row;
    ended->row.counts = counts;
    ended->row.times = times;
    ended->row.wait_facts = NULL;
    wait_facts_add(&ended->row.wait_facts, row->wait_facts);
    ended->row.asleep = false;
    ended->row.interval = frame->interval;
    ended->seq = frame->seq;
    memcpy(ended->process, process->comm, sizeof(ended->process));
    memcpy(counts, row->counts, events->count * sizeof(*counts));
    memcpy(times, row->times, events->groups * sizeof(*times));
}

/* Copies tasks that ended in the frame's interval; `only`: just the task with this id, 0: all.
 * Ignores frames taken before and of the whole time. Drops tasks with counts of other events. */
static void sticky_take(struct sticky *sticky, const struct frame *frame, uint64_t only)
{
    if (sticky->events != frame->events)
        sticky_release(sticky);
    if (frame->totals || frame->seq <= sticky->seq)
        return;
    if (!sticky->events)
        sticky->events = mem_share(frame->events);
    sticky->seq = frame->seq;
    map_clear(&sticky->by_pid);
    for (size_t i = 0; i < frame->process_count; i++) {
        const struct row *row = &frame->processes[i];
        bury(&sticky->processes, row, row, frame, only);
        map_put(&sticky->by_pid, (uint64_t)row->pid, (void *)row);
    }
    for (size_t i = 0; i < frame->thread_count; i++) {
        const struct row *row = &frame->threads[i];
        const struct row *process = map_get(&sticky->by_pid, (uint64_t)row->pid);
        bury(&sticky->threads, row, process ? process : row, frame, only);
    }
}

/* Iterates over tasks that ended before the frame's interval, from *at = 0; NULL after the last. */
static const struct ended *sticky_next(const struct sticky *sticky, const struct frame *frame,
                                       bool threads, size_t *at)
{
    const struct graves *graves = threads ? &sticky->threads : &sticky->processes;
    if (frame->totals || frame->events != sticky->events)
        return NULL;
    while (*at < graves->count) {
        const struct ended *ended = &graves->items[(*at)++];
        if (ended->seq < frame->seq)
            return ended;
    }
    return NULL;
}

/* --- Groups --- */

/* Frames after which the key of an idle process may be dropped. */
enum { REMEMBERED = 64 };

static void groups_clear(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        if (!groups->groups[i].lent)
            row_sum_release(&groups->rows[i]);
        free(groups->groups[i].key);
        free(groups->groups[i].taker);
    }
    groups->count = 0;
    map_clear(&groups->found);
}

static void groups_release(struct groups *groups)
{
    groups_clear(groups);
    map_release(&groups->found);
    free(groups->rows);
    free(groups->groups);
    free(groups->row_of);
}

const struct group *group_of(const struct groups *groups, const struct row *row)
{
    return &groups->groups[row - groups->rows];
}

static size_t group_add(struct groups *groups, struct row row, struct group group)
{
    size_t at = groups->count++;
    mem_grow(&groups->rows, &groups->room, groups->count, sizeof(*groups->rows));
    mem_grow(&groups->groups, &groups->group_room, groups->count, sizeof(*groups->groups));
    groups->rows[at] = row;
    groups->groups[at] = group;
    return at;
}

void key_memory_release(struct key_memory *memory)
{
    map_free(&memory->known);
    map_free(&memory->before);
    map_release(&memory->rows);
}

/* In the memory pids have this bit, ids of processes have not. */
static const uint64_t BY_PID = (uint64_t)1 << 63;

static void remember(struct key_memory *memory, uint64_t process, const char *key)
{
    free(map_put(&memory->known, process, mem_strdup(key)));
}

static const char *recall(struct key_memory *memory, uint64_t process)
{
    char *key = map_get(&memory->known, process);
    if (!key && (key = map_remove(&memory->before, process)))
        map_put(&memory->known, process, key);
    return key;
}

/* The process that has that pid in the frame; NULL: none. */
static const struct row *process_with(struct key_memory *memory, const struct frame *frame,
                                      pid_t pid)
{
    if (memory->rows.count == 0)
        for (size_t i = 0; i < frame->process_count; i++)
            map_put(&memory->rows, (uint64_t)frame->processes[i].pid, &frame->processes[i]);
    return map_get(&memory->rows, (uint64_t)pid);
}

/* The key of a process, from a buffer or the memory; NULL: not known. /proc is not read for ended
 * processes: another one may have the pid now. Their key is in memory, or if they started and ended
 * between two frames it is that of the process that created them. */
static const char *key_of(struct key_memory *memory, const struct view_context *context,
                          const struct row *process, int depth, char *key, size_t size)
{
    enum { DEPTH_MAX = 64 };
    const struct view_type *type = &view_types[context->settings.kind];
    if (type->in_row)
        return type->key(context, process, key, size) ? key : NULL;
    const char *path = frame_cgroup(context->frame, process);
    if (path)
        return path;
    uint64_t id = process->id & ~BY_PID;
    if (!process->exited && type->key(context, process, key, size)) {
        remember(memory, id, key);
        remember(memory, BY_PID | (uint64_t)process->pid, key);
        return key;
    }
    const char *known = recall(memory, id);
    const struct row *parent =
        known || depth == DEPTH_MAX ? NULL : process_with(memory, context->frame, process->ppid);
    if (parent)
        return key_of(memory, context, parent, depth + 1, key, size);
    /* What created it did not run since. */
    return known ? known : recall(memory, BY_PID | (uint64_t)process->ppid);
}

/* The index of the group with that key and taker; adds a new one if necessary. */
static size_t group_for(struct groups *groups, const struct view_context *context,
                        const struct row *part, const char *key, const char *taker)
{
    /* A name has the same id in every frame, so that the cursor finds its row. */
    uint64_t id = str_hash(key ? key : "") + (taker ? 31 * str_hash(taker) : 0);
    for (void *found; (found = map_get(&groups->found, id)); id++) {
        const struct group *group = &groups->groups[(uintptr_t)found - 1];
        if (str_equal(group->key, key) && str_equal(group->taker, taker))
            return (uintptr_t)found - 1;
    }
    struct row row = row_sum_new(context->frame->events);
    row.id = id;
    if (context->settings.kind == VIEW_USERS)
        row.uid = part->uid;
    size_t at =
        group_add(groups, row, (struct group){.key = mem_strdup(key), .taker = mem_strdup(taker)});
    map_put(&groups->found, id, (void *)(uintptr_t)(at + 1));
    return at;
}

/* In a tree the index of the group that this one is in; else, or if it is in none, its own. */
static size_t group_above(struct groups *groups, const struct view_context *context,
                          const struct row *part, size_t at)
{
    const char *key = groups->groups[at].key;
    if (!context->settings.tree || context->settings.kind != VIEW_CGROUPS || !key ||
        key[0] != '/' || !key[1])
        return at;
    if (!groups->groups[at].above) {
        AUTO_FREE char *above = mem_strdup(key);
        char *end = strrchr(above, '/');
        end[end == above] = '\0';
        size_t parent = group_for(groups, context, part, above, NULL);
        groups->groups[at].above = parent + 1;
    }
    return groups->groups[at].above - 1;
}

/* Adds who had the CPU while a process waited for it; what it counted is of no such pair. */
static void add_takers(struct groups *groups, struct key_memory *memory,
                       const struct view_context *context, const struct row *part, const char *key)
{
    const struct wait_takers *takers = part->wait_facts ? part->wait_facts->takers : NULL;
    char buffer[4096];
    for (size_t i = 0; takers && i < takers->count + NO_TAKERS; i++) {
        size_t n = i - takers->count;
        bool known = i < takers->count;
        uint64_t taken = known ? takers->list[i].taken : takers->none[n];
        const struct row *process =
            known ? process_with(memory, context->frame, takers->list[i].pid) : NULL;
        const char *taker = known ? takers->list[i].comm : builtin_no_taker[n];
        if (known && view_asks_proc(context->settings.kind))
            taker = process ? key_of(memory, context, process, 0, buffer, sizeof(buffer)) : NULL;
        if (taken == 0)
            continue;
        size_t at = group_for(groups, context, part, key, taker ? taker : "(ended)");
        groups->groups[at].taken += taken;
        groups->groups[at].sure += known ? takers->list[i].sure : taken;
        groups->rows[at].state = EVENT_UNSUPPORTED;
    }
}

/* Sets how long each one waited in all pairs. */
static void add_waited(struct groups *groups)
{
    AUTO_MAP struct map waited = {0};
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < groups->count; i++) {
            struct group *group = &groups->groups[i];
            uint64_t id = str_hash(group->key ? group->key : "");
            uintptr_t sum = (uintptr_t)map_get(&waited, id);
            group->waited = sum;
            if (pass == 0)
                map_put(&waited, id, (void *)(sum + group->taken));
        }
}

/* Adds up the process rows for the view in the settings. Each process belongs to exactly one group,
 * so the groups' counts add up to theirs. Invalidates earlier groups. */
static void groups_make(struct groups *groups, struct key_memory *memory,
                        const struct view_context *context, const struct row **parts, size_t count)
{
    bool takers = view_types[context->settings.kind].takers;
    char buffer[4096];
    AUTO_MAP struct map members = {0};
    groups_clear(groups);
    if (memory->kind != context->settings.kind)
        key_memory_release(memory);
    memory->kind = context->settings.kind;
    map_clear(&memory->rows);
    uint64_t age = context->frame->seq - memory->turned;
    if (age >= REMEMBERED) {
        map_free(&memory->before);
        memory->before = memory->known;
        memory->known = (struct map){0};
        memory->turned = context->frame->seq;
    }
    if (age >= 2 * REMEMBERED)
        map_free(&memory->before);
    for (size_t i = 0; i < count; i++) {
        const char *key = key_of(memory, context, parts[i], 0, buffer, sizeof(buffer));
        if (takers) {
            add_takers(groups, memory, context, parts[i], key);
            continue;
        }
        size_t at = group_for(groups, context, parts[i], key, NULL), below = SIZE_MAX;
        for (; at != below; at = group_above(groups, context, parts[i], at)) {
            row_sum_add(&groups->rows[at], parts[i], context->frame);
            /* One number for a process in a group, whichever of its threads comes. */
            uint64_t member[] = {parts[i]->process ? parts[i]->process : parts[i]->id, at};
            groups->groups[at].processes +=
                !map_put(&members, str_hash_bytes(member, sizeof(member)), &members);
            below = at;
        }
    }
    if (takers)
        add_waited(groups);
    for (size_t i = 0; i < groups->count; i++) {
        const char *key = groups->groups[i].key;
        struct cgroup_load *load = key && context->settings.kind == VIEW_CGROUPS
                                       ? load_find_cgroup(&context->frame->load, key)
                                       : NULL;
        groups->rows[i].of_cgroup = load;
        groups->rows[i].kernel_times = load ? &load->kernel_times : NULL;
        row_sum_complete(&groups->rows[i], context->frame);
    }
}

/* ---- ended tasks ---- */

/* Replaces rows of tasks that have ended, of which several have one name that is not opened (by its
 * hash), by their sums, at the end. */
static void groups_fold_ended(struct groups *groups, const struct view_context *context,
                              const struct map *opened, const struct row **rows, size_t *count)
{
    size_t all = *count, kept = 0;
    AUTO_FREE size_t *at = mem_array(all, sizeof(*at));
    groups_clear(groups);
    for (size_t i = 0; i < all; i++) {
        bool folds = rows[i]->exited && rows[i]->id != context->settings.kept &&
                     !map_get(opened, str_hash(rows[i]->comm));
        at[i] = folds ? group_for(groups, context, rows[i], rows[i]->comm, NULL) : SIZE_MAX;
        if (folds)
            groups->groups[at[i]].processes++;
    }
    for (size_t i = 0; i < all; i++) {
        if (at[i] == SIZE_MAX || groups->groups[at[i]].processes < 2)
            rows[kept++] = rows[i];
        if (at[i] == SIZE_MAX)
            continue;
        struct row *sum = &groups->rows[at[i]];
        sum->uid = !sum->exited || sum->uid == rows[i]->uid ? rows[i]->uid : (uid_t)-1;
        sum->exited = true;
        memcpy(sum->comm, rows[i]->comm, sizeof(sum->comm));
        row_sum_add(sum, rows[i], context->frame);
    }
    for (size_t i = 0; i < groups->count; i++) {
        row_sum_complete(&groups->rows[i], context->frame);
        if (groups->groups[i].processes >= 2)
            rows[kept++] = &groups->rows[i];
    }
    *count = kept;
}

size_t group_folded(const struct groups *ended, const struct row *row)
{
    bool is = ended && row >= ended->rows && row < ended->rows + ended->count;
    return is ? group_of(ended, row)->processes : 0;
}

/* ---- CPUs ---- */

/* The index of the row of a CPU. CPUs of unknown position belong together. */
static size_t row_for(struct groups *groups, const struct view_context *context,
                      const struct row *cpu)
{
    /* CPU numbers are small, so ids of different levels differ above these bits. */
    enum { LEVEL_SHIFT = 32 };
    enum view_level level = context->settings.level;
    struct group group = {.place = {.socket = -1, .core = -1}, .heat = -1};
    if (context->lookup && context->lookup->place)
        context->lookup->place(context->lookup->ctx, cpu->cpu, &group.place);
    if (level == LEVEL_CPU) {
        group.lent = true;
        return group_add(groups, *cpu, group);
    }
    for (size_t i = 1; i < groups->count; i++) {
        const struct view_place *other = &groups->groups[i].place;
        if (level == LEVEL_TYPE ? str_equal(other->type, group.place.type)
                                : other->socket == group.place.socket &&
                                      (level == LEVEL_SOCKET || other->core == group.place.core))
            return i;
    }
    struct row row = row_sum_new(context->frame->events);
    row.cpu = cpu->cpu;
    row.id = (uint64_t)level << LEVEL_SHIFT | cpu->id;
    return group_add(groups, row, group);
}

/* Makes the rows of the CPUs view for the level in the settings: that of all CPUs, then CPUs, or
 * the cores, sockets or core types that add them up. Each CPU belongs to exactly one row besides
 * the row of all. A sum has the number of its first CPU, and an id made from it. A shared event is
 * counted on one of its CPUs (event.shared). It is shown only if every row contains such a CPU.
 * None if the frame knows no CPUs. Invalidates earlier groups. */
static void groups_make_cpus(struct groups *groups, const struct view_context *context)
{
    const struct frame *frame = context->frame;
    groups_clear(groups);
    if (!frame->has_cpus)
        return;
    group_add(groups, frame->total,
              (struct group){.place = {.socket = -1, .core = -1},
                             .heat = -1,
                             .lent = true,
                             .cpus = frame->cpu_count});
    mem_grow(&groups->row_of, &groups->cpu_room, frame->cpu_count, sizeof(*groups->row_of));
    for (size_t c = 0; c < frame->cpu_count; c++) {
        size_t at = groups->row_of[c] = row_for(groups, context, &frame->cpus[c]);
        struct group *group = &groups->groups[at];
        group->cpus++;
        if (!group->lent)
            row_sum_add(&groups->rows[at], &frame->cpus[c], frame);
        if (!group->lent && frame->cpus[c].kernel_times)
            kernel_times_add(&group->kernel_times, frame->cpus[c].kernel_times);
    }
    if (context->settings.level == LEVEL_CPU)
        return;
    for (size_t i = 1; i < groups->count; i++) {
        groups->rows[i].kernel_times = &groups->groups[i].kernel_times;
        row_sum_complete(&groups->rows[i], frame);
    }
    /* Drops an event that is unknown in one of the rows. */
    for (size_t e = 0; e < frame->events->count; e++) {
        const struct event_info *event = &frame->events->events[e];
        bool known = true;
        for (size_t i = 1; i < groups->count && event->group >= 0; i++)
            known &= row_sum_tells(event, groups->rows[i].times[event->group]);
        for (size_t i = 1; i < groups->count && !known; i++)
            groups->rows[i].counts[e] = (struct count){0};
    }
}

bool group_is_machine(const struct view_context *context, const struct row *row)
{
    const struct groups *groups = context->groups;
    return view_of_cpus(context->settings.kind) && groups->count > 0 && row == groups->rows;
}

void group_cpus(const struct groups *groups, const struct frame *frame, const struct row *row,
                char *text, size_t size)
{
    size_t wanted = (size_t)(row - groups->rows), used = 0;
    *text = '\0';
    for (size_t c = 0; c < frame->cpu_count; c++) {
        int first = frame->cpus[c].cpu, last = first;
        if (wanted > 0 && groups->row_of[c] != wanted)
            continue;
        while (c + 1 < frame->cpu_count && frame->cpus[c + 1].cpu == last + 1 &&
               (wanted == 0 || groups->row_of[c + 1] == wanted)) {
            c++;
            last++;
        }
        char range[32];
        int length = snprintf(range, sizeof(range), last > first ? "%s%d-%d" : "%s%d",
                              used ? "," : "", first, last);
        if (used + (size_t)length + 2 > size) {
            snprintf(text + used, size - used, "+");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", range);
    }
}

const char *level_naming(enum view_level level, size_t i)
{
    static const char *const names[][4] = {
        [LEVEL_CPU] = {"cpu"},
        [LEVEL_CORE] = {"socket", "core", "cpus"},
        [LEVEL_SOCKET] = {"socket", "cpus"},
        [LEVEL_TYPE] = {"core_type", "cpus"},
    };
    return names[level][i];
}

/* --- Rows --- */

void rows_init(struct rows *rows, struct key_memory *keys)
{
    *rows = (struct rows){.keys = keys};
    rows->sorter.texts = str_new();
}

static void clear_sums(struct rows *rows)
{
    struct row *sum;
    for (size_t at = 0; (sum = map_next(&rows->sum_of, &at));)
        row_sum_release(sum);
    map_clear(&rows->sum_of);
    mem_replace(&rows->sums, NULL);
}

void rows_release(struct rows *rows)
{
    clear_sums(rows);
    map_release(&rows->sum_of);
    free(rows->items);
    map_release(&rows->processes);
    map_release(&rows->chosen);
    map_release(&rows->ended);
    free(rows->sorter.items);
    str_release(&rows->sorter.texts);
    map_release(&rows->sorter.places);
    groups_release(&rows->groups);
    groups_release(&rows->folds);
    map_release(&rows->opened);
    functions_release(&rows->functions);
    annotated_release(&rows->annotated);
    tree_release(&rows->tree);
    sticky_release(&rows->sticky);
    free(rows->tags.items);
}

void rows_take(struct rows *rows, const struct view_context *context)
{
    bool sticky = context->settings.sticky;
    uint64_t kept = context->settings.kept;
    if (sticky || kept)
        sticky_take(&rows->sticky, context->frame, sticky ? 0 : kept);
    tags_take(&rows->tags, context->frame, sticky);
}

/* --- Watched rows --- */

const struct row *rows_process(const struct rows *rows, pid_t pid)
{
    return map_get(&rows->processes, (uint64_t)pid);
}

struct watched rows_watched(const struct row *row, const char *process)
{
    return (struct watched){
        .pid = row->pid,
        .tid = row->tid,
        .comm = process,
        .uid = row->uid,
        .command = row->command,
        .in_cgroup = true, /* sources list no other tasks */
    };
}

static bool is_watched_thread(const struct rows *rows, const struct view_context *context,
                              const struct row *thread)
{
    const struct row *process = rows_process(rows, thread->pid);
    struct watched watched = rows_watched(thread, process ? process->comm : thread->comm);
    return watch_has(&context->settings.watch, &watched);
}

static const struct row *process_rows(const struct rows *rows, const struct frame *frame)
{
    return rows->sums && rows->summed == frame ? rows->sums : frame->processes;
}

/* Makes `sums` of a frame in which single threads may be watched: by their ids, or their owners. */
static void sum_watched(struct rows *rows, const struct view_context *context)
{
    const struct frame *frame = context->frame;
    const struct watch *watch = &context->settings.watch;
    AUTO_MAP struct map others = {0};
    clear_sums(rows);
    rows->summed = frame;
    if (!watch->tid_count && !watch->user_count)
        return;
    for (size_t i = 0; i < frame->thread_count; i++)
        if (map_get(&rows->chosen, (uint64_t)frame->threads[i].pid) &&
            !is_watched_thread(rows, context, &frame->threads[i]))
            map_put(&others, frame->threads[i].process, &frame->threads[i]);
    if (others.count)
        rows->sums = mem_array(frame->process_count, sizeof(*rows->sums));
    for (size_t p = 0; p < frame->process_count && others.count; p++) {
        struct row *sum = &rows->sums[p];
        *sum = frame->processes[p];
        if (!map_get(&others, sum->id))
            continue;
        *sum = rows_sum_of(sum, frame->events);
        map_put(&rows->sum_of, sum->id, sum);
    }
    for (size_t i = 0; i < frame->thread_count && others.count; i++) {
        struct row *sum = map_get(&rows->sum_of, frame->threads[i].process);
        if (sum && is_watched_thread(rows, context, &frame->threads[i]))
            row_sum_add(sum, &frame->threads[i], frame);
    }
    struct row *sum;
    for (size_t at = 0; (sum = map_next(&rows->sum_of, &at));)
        row_sum_complete(sum, frame);
}

/* Whether it is watched; call rows_make() before. thread: the row is from frame->threads. */
static bool rows_is_watched(const struct rows *rows, const struct view_context *context,
                            const struct row *row, bool thread)
{
    if (rows->all)
        return true;
    return thread ? is_watched_thread(rows, context, row)
                  : map_get(&rows->chosen, (uint64_t)row->pid) != NULL;
}

/* Whether the row is watched and part of this interval. A task watched by number is visible even if
 * it is not counted, with the reason. */
static bool is_active(const struct rows *rows, const struct view_context *context,
                      const struct row *row, bool thread)
{
    bool shown = context->settings.idle || row->ran || row->exited ||
                 (!rows->all && row->state != EVENT_COUNTED);
    return shown && rows_is_watched(rows, context, row, thread);
}

/* --- Tasks --- */

/* Whether the row reaches the minimum %CPU of the settings (rows that could not be counted do) and
 * passes their filter, a condition or plain text. That may read /proc. CPUs have no names: plain
 * text does not filter them. */
static bool passes(const struct view_context *context, const struct row *row)
{
    const struct view_settings *settings = &context->settings;
    const char *wanted = settings->filter;
    if (settings->least_cpu > 0 && !view_of_cpus(settings->kind) && !view_of_code(settings->kind) &&
        row->state == EVENT_COUNTED &&
        row->oncpu * 100 < settings->least_cpu * frame_seconds(context->frame, row))
        return false;
    if (context->condition)
        return condition_holds(context->condition, context, row);
    return !wanted || !*wanted || view_of_cpus(settings->kind) ||
           condition_contains(context, row, wanted);
}

/* Whether an ended task was watched: a process, also for a thread of its that has ended. */
static bool was_watched(const struct rows *rows, const struct view_context *context,
                        const struct ended *ended)
{
    struct watched watched = rows_watched(&ended->row, ended->process);
    return rows->all || watch_has(&context->settings.watch, &watched) ||
           map_get(&rows->ended, ended->row.id);
}

/* The next ended task that may be visible: all, or the kept one. *wanted: not only as a parent.
 * NULL after the last. */
static const struct ended *next_ended(const struct rows *rows, const struct view_context *context,
                                      bool thread, size_t *at, bool *wanted)
{
    const struct view_settings *settings = &context->settings;
    const struct ended *ended;
    while ((ended = sticky_next(&rows->sticky, context->frame, thread, at))) {
        if ((settings->sticky || ended->row.id == settings->kept) &&
            was_watched(rows, context, ended))
            break;
    }
    if (ended)
        *wanted = passes(context, &ended->row);
    return ended;
}

/* Unwatched rows are not parents either. */
static void add_to_tree(struct rows *rows, const struct view_context *context, bool threads)
{
    size_t count = threads ? context->frame->thread_count : context->frame->process_count, at = 0;
    const struct row *from = threads ? context->frame->threads : process_rows(rows, context->frame);
    bool wanted;
    for (size_t i = 0; i < count; i++)
        if (rows_is_watched(rows, context, &from[i], threads))
            tree_add(&rows->tree, &from[i], threads, false,
                     is_active(rows, context, &from[i], threads) && passes(context, &from[i]));
    for (const struct ended *ended; (ended = next_ended(rows, context, threads, &at, &wanted));)
        tree_add(&rows->tree, &ended->row, threads, true, wanted);
}

static void add_item(struct rows *rows, const struct row *row)
{
    *MEM_ADD(rows->items, rows->count, rows->room) = row;
}

/* --- Functions --- */

bool rows_want_sample(void *ctx, pid_t pid, pid_t tid)
{
    const struct sample_scope *scope = ctx;
    const struct watch *shown = &scope->context->settings.watch;
    const struct watch *chosen = &scope->context->settings.samples;
    const struct profile *profile = scope->context->frame->profile;
    const struct watch *sampled = profile ? &profile->watch : shown;
    if (watch_all(shown) && watch_all(chosen) && watch_all(sampled))
        return true;
    const struct row *process = rows_process(scope->rows, pid);
    if (!process) /* one of those whose counts are in the row of a command */
        return profile && !profile->whole;
    struct watched watched = rows_watched(process, process->comm);
    watched.tid = tid;
    return watch_has(shown, &watched) && watch_has(chosen, &watched) &&
           watch_has(sampled, &watched);
}

/* --- Rows that are sums --- */

void rows_make(struct rows *rows, const struct view_context *context)
{
    const struct frame *frame = context->frame;
    const struct view_settings *settings = &context->settings;
    rows->all = watch_all(&settings->watch);
    map_clear(&rows->processes);
    map_clear(&rows->chosen);
    if (!rows->all || !watch_all(&settings->highlight) || view_of_code(settings->kind))
        for (size_t i = 0; i < frame->process_count; i++)
            map_put(&rows->processes, (uint64_t)frame->processes[i].pid, &frame->processes[i]);
    rows->watched = 0;
    for (size_t i = 0; i < frame->thread_count && !rows->all; i++) {
        const struct row *thread = &frame->threads[i];
        if (!is_watched_thread(rows, context, thread))
            continue;
        rows->watched += thread->oncpu;
        map_put(&rows->chosen, (uint64_t)thread->pid, &frame->threads[i]);
    }
    sum_watched(rows, context);
    map_clear(&rows->ended);
    size_t at = 0;
    for (const struct ended *ended;
         settings->watch.tid_count && (ended = sticky_next(&rows->sticky, frame, true, &at));)
        if (was_watched(rows, context, ended))
            map_put(&rows->ended, ended->row.process, (void *)ended);
    rows->count = 0;
    if (view_of_cpus(settings->kind))
        groups_make_cpus(&rows->groups, context);
    struct sample_scope scope = {rows, context};
    if (settings->kind == VIEW_INSTRUCTIONS)
        functions_list(&rows->functions, &rows->annotated, frame, settings->source,
                       rows_want_sample, &scope);
    else if (view_of_code(settings->kind))
        functions_make(&rows->functions, frame, rows_want_sample, &scope);
    if (!view_adds_up(settings->kind))
        return;
    /* The threads of a process may be in several cgroups. */
    bool threads = settings->kind == VIEW_CGROUPS && frame->cgroups;
    const struct row *from = threads ? frame->threads : process_rows(rows, frame);
    size_t count = threads ? frame->thread_count : frame->process_count;
    for (size_t i = 0; i < count; i++) {
        if (!is_active(rows, context, &from[i], threads) ||
            (threads && !from[i].cgroup && !from[i].ran && from[i].exited))
            continue; /* the last one: it ended without a count, and no one knows where */
        for (size_t p = 0; p < from[i].part_count; p++)
            add_item(rows, &from[i].parts[p]);
        if (from[i].part_count == 0)
            add_item(rows, &from[i]);
    }
    groups_make(&rows->groups, rows->keys, context, rows->items, rows->count);
    rows->count = 0;
}

static int by_name(const void *pa, const void *pb, void *ctx)
{
    const struct row *a = *(const struct row *const *)pa, *b = *(const struct row *const *)pb;
    const struct groups *groups = ctx;
    const char *left = groups->groups[a - groups->rows].key;
    const char *right = groups->groups[b - groups->rows].key;
    if (a->uid != b->uid)
        return a->uid < b->uid ? -1 : 1;
    return left && right ? strcmp(left, right) : left ? -1 : right != NULL;
}

/* Sets the heat of each row: its share of 100 % (for CPU time: of each of its CPUs) if the column
 * is a percentage, else of the largest value except the row of all CPUs. */
static void compare_cpus(struct groups *levels, const struct view_context *context,
                         const struct column *column)
{
    const struct metric *metric = column ? column->metric : NULL;
    bool percent = metric && metric->unit.kind == UNIT_PERCENT;
    bool time = percent && str_equal(metric->name, "cpu_pct");
    double largest = 0;
    for (size_t i = 1; i < levels->count && column; i++) {
        struct value value = column_value(column, context, &levels->rows[i]);
        if (value.state < VALUE_UNDEFINED && value.number > largest)
            largest = value.number;
    }
    for (size_t i = 0; i < levels->count; i++) {
        struct group *level = &levels->groups[i];
        struct value value = {.state = VALUE_MISSING};
        if (column && (percent || i > 0))
            value = column_value(column, context, &levels->rows[i]);
        double most = time ? 100 * (double)level->cpus : percent ? 100 : largest;
        double part = most > 0 ? value.number / most : 0;
        bool known = value.state < VALUE_UNDEFINED;
        level->heat = known ? (int)(HEAT_MAX * (part > 1 ? 1 : part > 0 ? part : 0)) : -1;
    }
}

void rows_choose(struct rows *rows, const struct view_context *context, const struct order *order)
{
    const struct view_settings *settings = &context->settings;
    rows->tree_shown =
        settings->tree && (settings->kind == VIEW_TASKS || settings->kind == VIEW_CGROUPS);
    if (!settings->sticky && !settings->kept)
        sticky_release(&rows->sticky);
    rows_make(rows, context);
    if (rows->tree_shown) {
        const struct groups *groups = &rows->groups;
        rows->tree.count = 0;
        map_clear(&rows->tree.by_pid);
        for (size_t i = 0; i < groups->count && settings->kind == VIEW_CGROUPS; i++)
            tree_place(&rows->tree, &groups->rows[i], groups->groups[i].above,
                       passes(context, &groups->rows[i]));
        for (int threads = 0; threads <= settings->threads && settings->kind == VIEW_TASKS;
             threads++)
            add_to_tree(rows, context, threads);
        rows->count = tree_make(&rows->tree, &rows->sorter, order->column, order->ascending,
                                context, &rows->items, &rows->room);
        return;
    }
    size_t count, at = 0;
    const struct row *from = rows_of_kind(rows, context, &count);
    /* The row of all CPUs stays first in any order. */
    size_t fixed = view_of_cpus(settings->kind) && count > 0;
    bool tasks = settings->kind == VIEW_TASKS, wanted;
    if (view_of_cpus(settings->kind))
        compare_cpus(&rows->groups, context, order->heat);
    for (size_t i = 0; i < count; i++)
        if (i < fixed || ((!tasks || is_active(rows, context, &from[i], settings->threads)) &&
                          passes(context, &from[i])))
            add_item(rows, &from[i]);
    for (const struct ended *ended;
         tasks && (ended = next_ended(rows, context, settings->threads, &at, &wanted));)
        if (wanted)
            add_item(rows, &ended->row);
    if (tasks && settings->terminal && !settings->sticky)
        groups_fold_ended(&rows->folds, context, &rows->opened, rows->items, &rows->count);
    if (view_adds_up(settings->kind) && rows->count > 1) /* by name, then by the column */
        qsort_r(rows->items, rows->count, sizeof(*rows->items), by_name, &rows->groups);
    if (rows->count > fixed)
        sort_rows(&rows->sorter, rows->items + fixed, rows->count - fixed, order->column,
                  order->ascending, context);
}

const struct row *rows_of_kind(const struct rows *rows, const struct view_context *context,
                               size_t *count)
{
    const struct frame *frame = context->frame;
    const struct view_settings *settings = &context->settings;
    if (view_adds_up(settings->kind) || view_of_cpus(settings->kind)) {
        *count = rows->groups.count;
        return rows->groups.rows;
    }
    if (view_of_code(settings->kind)) {
        *count = rows->functions.count;
        return rows->functions.rows;
    }
    *count = settings->threads ? frame->thread_count : frame->process_count;
    return settings->threads ? frame->threads : process_rows(rows, frame);
}
