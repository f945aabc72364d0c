/* The stacks of samples as a tree: from all over the process and the callers, the outermost first,
 * to the function in which the event happened. */
#pragma once

#include "sample/profile.h"

struct stack_node {
    char *name;            /* of a process, else as function_text() makes it; owned */
    char *object;          /* where the function is, its name; NULL: not a function; owned */
    uint64_t weight, self; /* of the stacks through it, and of those that end in it */
    uint64_t before;       /* the weight of stacks that were added with `before` */
    uint64_t samples;      /* ... the samples through it, and what was counted with them: */
    uint64_t instructions, cycles;
    size_t parent, child,
        next; /* its parent, its first child, its next sibling: indices; 0: none */
};

/* What a stack weighs: the sampled event, or where each switch is sampled the time off the CPU that
 * began there, in ns. */
enum stack_measure { STACK_EVENT, STACK_OFF_CPU, STACK_BLOCKED, STACK_PREEMPTED };

struct stack_tree { /* zeroed: empty, without the first node */
    /* Choices, set before the first stack is added. */
    enum stack_measure measure;
    bool outermost; /* without what is inlined, which then is not read */
    bool matches;   /* functions are those of other builds, too (model/functions.h) */
    bool before;    /* may change: stacks are of the other side of a comparison */
    size_t instructions,
        cycles; /* where a site has them: 0: nowhere, 1: its weight, n + 2: value n */

    struct stack_node *nodes; /* the first one, "all", has all others below it */
    size_t count, room;
    bool pending; /* names, or what is inlined, are still being read */
    size_t depth; /* nodes on the longest way down, the first one counting */
};

/* Adds a site of the profile, by its index, unless it has no weight; `comm` is the name of its
 * process, "": its PID stands for it. Functions of one name are one node of their caller. What is
 * inlined is below the function that has it, "name (inlined)", as far as that is known. */
void stack_tree_add(struct stack_tree *tree, const struct profile *profile, size_t site,
                    const char *comm);
/* Orders siblings by name. */
void stack_tree_sort(struct stack_tree *tree);
void stack_tree_release(struct stack_tree *tree);
