/* A tree of stacks as a picture of lines of cells: a box for each node, as wide as its share, below
 * that of its parent. Numbers only. */
#ifndef VIEW_STACK_BOXES_H
#define VIEW_STACK_BOXES_H

#include "model/stack_tree.h"

struct stack_box {
    size_t node;  /* of the tree */
    size_t level; /* 0: the node that the picture is of */
    int x, width; /* at least one cell */
};

struct stack_boxes {         /* zeroed: empty */
    struct stack_box *boxes; /* each before those below it, siblings from left to right */
    size_t count, room;
    size_t levels; /* on the longest way down */
    size_t narrow; /* nodes that take no cell, without those below them */
};

/* Replaces the boxes by those of a node, which is `width` cells wide, and of all nodes below it
 * that take a cell. None for an empty tree. Memory is kept. */
void stack_boxes_make(struct stack_boxes *boxes, const struct stack_tree *tree, size_t node,
                      int width);
void stack_boxes_release(struct stack_boxes *boxes);

/* The box of a node; where it takes no cell that of the nearest one above it. */
size_t stack_boxes_find(const struct stack_boxes *boxes, const struct stack_tree *tree,
                        size_t node);
/* Where a step leads from a box: to its parent, its heaviest child, or the next box on its line at
 * the left (-1) or right (1), which may have another parent; else it stays. */
size_t stack_boxes_parent(const struct stack_boxes *boxes, size_t box);
size_t stack_boxes_child(const struct stack_boxes *boxes, const struct stack_tree *tree,
                         size_t box);
size_t stack_boxes_beside(const struct stack_boxes *boxes, size_t box, int side);

#endif
