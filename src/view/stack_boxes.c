#include "view/stack_boxes.h"

/* Adds the box of a node that begins `before` weights from the left, and those below it. */
static void add_box(struct stack_boxes *boxes, const struct stack_tree *tree, size_t node,
                    size_t level, uint64_t before, double unit)
{
    const struct stack_node *own = &tree->nodes[node];
    int x = (int)lround((double)before * unit);
    int end = (int)lround((double)(before + own->weight) * unit);
    if (end == x) {
        boxes->narrow++;
        return;
    }
    *MEM_ADD(boxes->boxes, boxes->count, boxes->room) = (struct stack_box){node, level, x, end - x};
    if (boxes->levels <= level)
        boxes->levels = level + 1;
    for (size_t child = own->child; child; child = tree->nodes[child].next) {
        add_box(boxes, tree, child, level + 1, before, unit);
        before += tree->nodes[child].weight;
    }
}

void stack_boxes_make(struct stack_boxes *boxes, const struct stack_tree *tree, size_t node,
                      int width)
{
    boxes->count = boxes->levels = boxes->narrow = 0;
    if (tree->count > 0 && width > 0)
        add_box(boxes, tree, node, 0, 0, width / (double)tree->nodes[node].weight);
}

void stack_boxes_release(struct stack_boxes *boxes)
{
    free(boxes->boxes);
    *boxes = (struct stack_boxes){0};
}

size_t stack_boxes_find(const struct stack_boxes *boxes, const struct stack_tree *tree, size_t node)
{
    for (;; node = tree->nodes[node].parent) {
        for (size_t i = 0; i < boxes->count; i++)
            if (boxes->boxes[i].node == node)
                return i;
        if (node == 0)
            return 0;
    }
}

size_t stack_boxes_parent(const struct stack_boxes *boxes, size_t box)
{
    size_t parent = box;
    while (parent > 0 && boxes->boxes[parent].level >= boxes->boxes[box].level)
        parent--;
    return parent;
}

size_t stack_boxes_child(const struct stack_boxes *boxes, const struct stack_tree *tree, size_t box)
{
    const struct stack_box *all = boxes->boxes;
    size_t heaviest = box;
    for (size_t i = box + 1; i < boxes->count && all[i].level > all[box].level; i++)
        if (all[i].level == all[box].level + 1 &&
            (heaviest == box ||
             tree->nodes[all[i].node].weight > tree->nodes[all[heaviest].node].weight))
            heaviest = i;
    return heaviest;
}

size_t stack_boxes_beside(const struct stack_boxes *boxes, size_t box, int side)
{
    size_t level = boxes->boxes[box].level;
    for (size_t i = box + (size_t)side; i < boxes->count; i += (size_t)side) /* -1 ends it, too */
        if (boxes->boxes[i].level == level)
            return i;
    return box;
}

/* ---- paths ---- */

void stack_path_shorten(struct stack_path *path, size_t count)
{
    while (path->count > count)
        free(path->names[--path->count]);
}

void stack_path_release(struct stack_path *path)
{
    stack_path_shorten(path, 0);
    free(path->names);
    *path = (struct stack_path){0};
}

void stack_path_set(struct stack_path *path, const struct stack_tree *tree, size_t node)
{
    size_t depth = 0;
    for (size_t n = node; n; n = tree->nodes[n].parent)
        depth++;
    stack_path_shorten(path, 0);
    mem_grow(&path->names, &path->room, depth, sizeof(*path->names));
    path->count = depth;
    for (size_t n = node; n; n = tree->nodes[n].parent)
        path->names[--depth] = mem_strdup(tree->nodes[n].name);
}

size_t stack_path_find(const struct stack_path *path, size_t count, const struct stack_tree *tree,
                       size_t *known)
{
    size_t node = 0, at = 0;
    for (; at < count && tree->count > 0; at++) {
        size_t child = tree->nodes[node].child;
        while (child && strcmp(tree->nodes[child].name, path->names[at]) != 0)
            child = tree->nodes[child].next;
        if (!child)
            break;
        node = child;
    }
    if (known)
        *known = at;
    return node;
}

bool stack_node_has(const struct stack_node *node, const char *text)
{
    return text && *text &&
           (strcasestr(node->name, text) || (node->object && strcasestr(node->object, text)));
}

static uint64_t share_below(const struct stack_tree *tree, size_t node, const char *text)
{
    uint64_t sum = 0;
    if (stack_node_has(&tree->nodes[node], text))
        return tree->nodes[node].weight;
    for (size_t child = tree->nodes[node].child; child; child = tree->nodes[child].next)
        sum += share_below(tree, child, text);
    return sum;
}

uint64_t stack_tree_share(const struct stack_tree *tree, const char *text)
{
    return tree->count > 0 ? share_below(tree, 0, text) : 0;
}

static void walk_down(const struct stack_tree *tree, size_t node, size_t *order, size_t *count)
{
    order[(*count)++] = node;
    for (size_t child = tree->nodes[node].child; child; child = tree->nodes[child].next)
        walk_down(tree, child, order, count);
}

size_t stack_tree_search(const struct stack_tree *tree, size_t node, const char *text,
                         bool backwards, bool stay)
{
    AUTO_FREE size_t *order = mem_array(tree->count + 1, sizeof(*order));
    size_t count = 0, at = 0, found = tree->count;
    if (tree->count > 0)
        walk_down(tree, 0, order, &count);
    while (at < count && order[at] != node)
        at++;
    for (size_t i = stay ? 0 : 1; i < count + !stay && found == tree->count; i++) {
        size_t next = order[(at + (backwards ? count - i : i)) % count];
        if (stack_node_has(&tree->nodes[next], text))
            found = next;
    }
    return found;
}

bool stack_tree_is_below(const struct stack_tree *tree, size_t node, size_t above)
{
    while (node && node != above)
        node = tree->nodes[node].parent;
    return node == above;
}
