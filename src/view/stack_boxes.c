#include "view/stack_boxes.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Adds the box of a node that begins `before` weights right of the picture's edge, and those below
 * it. */
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
    mem_grow(&boxes->boxes, &boxes->room, boxes->count + 1, sizeof(*boxes->boxes));
    boxes->boxes[boxes->count++] = (struct stack_box){node, level, x, end - x};
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
