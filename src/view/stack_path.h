/* Nodes of a tree of stacks by the names on the way to them, so that they are found in the tree of
 * the next interval; and by a text that they have. */
#ifndef VIEW_STACK_PATH_H
#define VIEW_STACK_PATH_H

#include "model/stack_tree.h"

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

/* Whether the name of a node, or of its object, contains a text, in any case of letters. NULL and
 * "" are in none. */
bool stack_node_has(const struct stack_node *node, const char *text);
/* The weight of all stacks with a function that has the text, each counted once. */
uint64_t stack_tree_share(const struct stack_tree *tree, const char *text);
/* The next node that has it, in the order of a walk down from the left, or backwards; after the
 * last comes the first. With `stay` the node itself, if it has it. The tree's count: none has it.
 */
size_t stack_tree_search(const struct stack_tree *tree, size_t node, const char *text,
                         bool backwards, bool stay);
/* Whether a node is another one, or below it. */
bool stack_tree_is_below(const struct stack_tree *tree, size_t node, size_t above);

#endif
