/* The stacks of samples as a tree: from all over the process and the callers, the outermost first,
 * to the function in which the event happened. */
#ifndef MODEL_STACK_TREE_H
#define MODEL_STACK_TREE_H

#include "sample/profile.h"

struct stack_node {
    char *name;            /* of a process, else as function_text() makes it; owned */
    char *object;          /* where the function is, its name; NULL: not a function; owned */
    uint64_t weight, self; /* of the stacks through it, and of those that end in it */
    size_t child, next;    /* the first of its children, its next sibling: indices, 0: it has no */
};

struct stack_tree {           /* zeroed: empty, without the first node */
    struct stack_node *nodes; /* the first one, "all", has all others below it */
    size_t count, room;
    bool pending; /* what is inlined is still being read */
    size_t depth; /* nodes on the longest way down, the first one counting */
};

/* Adds a site of the profile; `comm` is the name of its process, "": its PID stands for it.
 * Functions of one name are one node of their caller. What is inlined is below the function that
 * has it, "name (inlined)", as far as that is known. */
void stack_tree_add(struct stack_tree *tree, const struct profile *profile,
                    const struct profile_site *site, const char *comm);
/* Orders siblings by name. */
void stack_tree_sort(struct stack_tree *tree);
void stack_tree_release(struct stack_tree *tree);

#endif
