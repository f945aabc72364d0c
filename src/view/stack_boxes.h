/* A tree of stacks as a picture of lines of cells: a box for each node, as wide as its share, below
 * that of its parent. Numbers only. */
#pragma once

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

/* Nodes of a tree of stacks by the names on the way to them, so that they are found in the tree of
 * the next interval; and by a text that they have. */

struct stack_path { /* zeroed: of the first node */
    char **names;   /* from a child of the first node on; owned */
    size_t count, room;
};

void stack_path_set(struct stack_path *path, const struct stack_tree *tree, size_t node);
void stack_path_shorten(struct stack_path *path, size_t count); /* to at most `count` names */
void stack_path_release(struct stack_path *path);
/* The node to which the first `count` names lead, or the last one on the way that the tree has;
 * *known (may be NULL) receives how many of the names it has. */
size_t stack_path_find(const struct stack_path *path, size_t count, const struct stack_tree *tree,
                       size_t *known);

/* Whether the name of a node or of its object contains a text, ignoring case. NULL, "": no. */
bool stack_node_has(const struct stack_node *node, const char *text);
/* The weight of all stacks with a function that has the text, each counted once. */
uint64_t stack_tree_share(const struct stack_tree *tree, const char *text);
/* The next node that has it, in the order of a walk down from the left, or backwards; after the
 * last comes the first. With `stay` the node itself. The tree's count: none. */
size_t stack_tree_search(const struct stack_tree *tree, size_t node, const char *text,
                         bool backwards, bool stay);
/* Whether a node is another one, or below it. */
bool stack_tree_is_below(const struct stack_tree *tree, size_t node, size_t above);
