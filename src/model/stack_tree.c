#include "model/stack_tree.h"
#include "model/functions.h"

static size_t node_new(struct stack_tree *tree, const char *name, const char *object)
{
    *MEM_ADD(tree->nodes, tree->count, tree->room) =
        (struct stack_node){.name = mem_strdup(name), .object = mem_strdup(object)};
    return tree->count - 1;
}

/* What a stack adds to each node on its way. */
struct stack_share {
    uint64_t weight, before, samples, instructions, cycles;
};

static void node_grow(struct stack_node *node, const struct stack_share *share)
{
    node->weight += share->weight;
    node->before += share->before;
    node->samples += share->samples;
    node->instructions += share->instructions;
    node->cycles += share->cycles;
}

/* The child of that name; adds it if necessary, and the share in any case. */
static size_t node_below(struct stack_tree *tree, size_t parent, const char *name,
                         const char *object, const struct stack_share *share)
{
    size_t child = tree->nodes[parent].child;
    while (child && strcmp(tree->nodes[child].name, name) != 0)
        child = tree->nodes[child].next;
    if (!child) {
        child = node_new(tree, name, object);
        tree->nodes[child].parent = parent;
        tree->nodes[child].next = tree->nodes[parent].child;
        tree->nodes[parent].child = child;
    }
    node_grow(&tree->nodes[child], share);
    return child;
}

/* The node of a place; *depth grows by its functions. */
static size_t place_below(struct stack_tree *tree, size_t parent, struct code_book *book,
                          struct code_place place, const struct stack_share *share, size_t *depth)
{
    char name[1024];
    struct function function = {0};
    const struct line_inline *inlined[LINE_INLINES_MAX];
    struct line_table *table;
    code_book_function(book, place, &function.code);
    code_book_object(book, place.object, &function.object);
    const char *object = function.object.name;
    bool bounds = code_function_known(&function.code);
    if (bounds)
        function_text(&function, name, sizeof(name));
    AUTO_FREE char *match = tree->matches && bounds ? function_match_name(name) : NULL;
    size_t node = node_below(tree, parent, match ? match : bounds ? name : object, object, share);
    tree->pending |= function.code.state == CODE_PENDING;
    ++*depth;
    if (tree->outermost)
        return node;
    size_t count = functions_inlined(book, &function.code, inlined, &table);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "%s (inlined)", inlined[i]->name);
        node = node_below(tree, node, name, object, share);
    }
    tree->pending |= !table;
    line_table_drop(table);
    *depth += count;
    return node;
}

static struct stack_share stack_share_of(const struct stack_tree *tree,
                                         const struct profile *profile, size_t index)
{
    const struct profile_site *site = &profile->sites[index];
    const uint64_t *values = profile->values + index * profile->events;
    int waits = profile_waits(profile);
    struct stack_share share = {.samples = site->samples};
    const size_t from[] = {tree->instructions, tree->cycles};
    uint64_t *const to[] = {&share.instructions, &share.cycles};
    for (size_t i = 0; i < 2; i++)
        if (from[i] > 0)
            *to[i] = from[i] == 1 ? site->weight : values[from[i] - 2];
    if (tree->measure == STACK_EVENT || waits < 0) {
        share.weight = site->weight;
        return share;
    }
    values += waits;
    if (tree->measure != STACK_PREEMPTED)
        share.weight += values[PROFILE_BLOCKED];
    if (tree->measure != STACK_BLOCKED)
        share.weight += values[PROFILE_PREEMPTED];
    return share;
}

void stack_tree_add(struct stack_tree *tree, const struct profile *profile, size_t index,
                    const char *comm)
{
    const struct profile_site *site = &profile->sites[index];
    const struct profile_chain *chain = &profile->chains[site->chain];
    struct stack_share share = stack_share_of(tree, profile, index);
    char pid[16];
    size_t depth = 2;
    if (share.weight == 0)
        return;
    if (tree->before) {
        share.before = share.weight;
        share.weight = 0;
    }
    snprintf(pid, sizeof(pid), "%d", (int)site->pid);
    if (tree->count == 0)
        node_new(tree, "all", NULL);
    node_grow(tree->nodes, &share);
    size_t node = node_below(tree, 0, *comm ? comm : pid, NULL, &share);
    for (size_t f = chain->depth; f-- > 0;)
        node = place_below(tree, node, profile->book, chain->frames[f], &share, &depth);
    node = place_below(tree, node, profile->book, site->place, &share, &depth);
    tree->nodes[node].self += share.weight;
    if (tree->depth < depth && share.weight > 0)
        tree->depth = depth;
}

static int node_by_name(const void *pa, const void *pb, void *ctx)
{
    const struct stack_node *nodes = ctx;
    return strcmp(nodes[*(const size_t *)pa].name, nodes[*(const size_t *)pb].name);
}

void stack_tree_sort(struct stack_tree *tree)
{
    AUTO_FREE size_t *children = mem_array(tree->count + 1, sizeof(*children));
    for (size_t parent = 0; parent < tree->count; parent++) {
        size_t count = 0;
        for (size_t child = tree->nodes[parent].child; child; child = tree->nodes[child].next)
            children[count++] = child;
        qsort_r(children, count, sizeof(*children), node_by_name, tree->nodes);
        for (size_t c = count, next = 0; c-- > 0; next = children[c])
            tree->nodes[children[c]].next = next;
        if (count > 0)
            tree->nodes[parent].child = children[0];
    }
}

void stack_tree_release(struct stack_tree *tree)
{
    for (size_t n = 0; n < tree->count; n++) {
        free(tree->nodes[n].name);
        free(tree->nodes[n].object);
    }
    free(tree->nodes);
    *tree = (struct stack_tree){0};
}
