#include "view/rows.h"

/* Levels that are drawn; the name must fit, too. */
enum { DEEPEST = 24 };

static void release_sums(struct tree *tree)
{
    while (tree->sum_count > 0)
        row_sum_release(&tree->sums[--tree->sum_count]);
}

void tree_release(struct tree *tree)
{
    release_sums(tree);
    free(tree->nodes);
    free(tree->order);
    free(tree->sums);
    map_release(&tree->by_pid);
    map_release(&tree->folds);
}

void tree_fold(struct tree *tree, uint64_t id, bool folded)
{
    if (folded != tree->folded_all)
        map_put(&tree->folds, id, tree);
    else
        map_remove(&tree->folds, id);
}

void tree_fold_all(struct tree *tree, bool folded)
{
    map_clear(&tree->folds);
    tree->folded_all = folded;
}

void tree_begin(struct tree *tree)
{
    tree->count = 0;
    map_clear(&tree->by_pid);
}

static struct tree_node *node_of(const struct tree *tree, uint32_t number)
{
    return &tree->nodes[number - 1];
}

static uint32_t tree_find(const struct tree *tree, pid_t pid)
{
    return (uint32_t)(uintptr_t)map_get(&tree->by_pid, (uint64_t)pid);
}

void tree_add(struct tree *tree, const struct row *row, bool thread, bool past, bool wanted)
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

void tree_place(struct tree *tree, const struct row *row, size_t above, bool wanted)
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

size_t tree_make(struct tree *tree, struct sorter *sorter, const struct column *column,
                 bool ascending, const struct view_context *context, const struct row ***rows,
                 size_t *room)
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
