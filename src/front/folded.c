/* Stacks, one a line, for programs that draw flame graphs: "comm;main;read_all;read 123". The
 * number is the estimated count of the event, of a clock in us. Equal stacks are one line. */
#include "front/batch.h"
#include "view/sampling.h"

/* Writes the stacks that end in a node or below it; `path` is that of its parent. */
static void write_below(struct str *text, const struct stack_tree *tree, size_t index,
                        struct str *path, bool clock)
{
    const struct stack_node *node = &tree->nodes[index];
    size_t length = path->length;
    if (length > 0)
        str_add_char(path, ';');
    size_t name = path->length;
    str_add_visible(path, node->name);
    for (char *c = path->text + name; (c = strchr(c, ';'));)
        *c = ':'; /* semicolons separate functions */
    if (node->self > 0)
        str_printf(text, "%s %llu\n", path->text,
                   (unsigned long long)(clock ? (node->self + 500) / 1000 : node->self));
    for (size_t child = node->child; child; child = tree->nodes[child].next)
        write_below(text, tree, child, path, clock);
    path->text[path->length = length] = '\0';
}

int folded_write(struct batch *batch, const struct session *session UNUSED, struct err *err UNUSED)
{
    const struct profile *profile = batch->frame->profile;
    AUTO_STR struct str path = str_new();
    view_set_frame(batch->in.view, batch->frame);
    struct stack_tree tree = {0};
    view_stacks(batch->in.view, &tree);
    bool clock = profile && str_equal(profile->unit, "ns");
    for (size_t process = tree.count ? tree.nodes->child : 0; process;
         process = tree.nodes[process].next)
        write_below(&batch->text, &tree, process, &path, clock);
    stack_tree_release(&tree);
    return 0;
}
