/* A tree of stacks as boxes: widths, steps, what takes no cell; nodes by their path and by a text.
 */
#include "unit/test.h"
#include "view/stack_boxes.h"

enum { ALL, ONE, TWO, MAIN, BURN, TINY, OTHER };

/* "all" 100: one 60 (main 60: burn 57, tiny 3), two 40 (main again 40). */
static struct stack_node nodes[] = {
    [ALL] = {.name = "all", .weight = 100, .child = ONE},
    [ONE] = {.name = "one", .weight = 60, .child = MAIN, .next = TWO},
    [TWO] = {.name = "two", .weight = 40, .child = OTHER},
    [MAIN] = {.name = "main", .object = "libx", .weight = 60, .parent = ONE, .child = BURN},
    [BURN] =
        {.name = "burn", .object = "libx", .weight = 57, .self = 57, .parent = MAIN, .next = TINY},
    [TINY] = {.name = "tiny", .object = "liby", .weight = 3, .self = 3, .parent = MAIN},
    [OTHER] = {.name = "main", .object = "libx", .weight = 40, .self = 40, .parent = TWO},
};
static const struct stack_tree tree = {.nodes = nodes, .count = 7, .depth = 4};

static void steps(void **state)
{
    struct stack_boxes boxes = {0};
    stack_boxes_make(&boxes, &tree, ALL, 10);
    assert_int_equal(stack_boxes_child(&boxes, &tree, 0), 1); /* the heaviest */
    assert_int_equal(stack_boxes_child(&boxes, &tree, 2), 3);
    assert_int_equal(stack_boxes_child(&boxes, &tree, 3), 3); /* there is none */
    assert_int_equal(stack_boxes_parent(&boxes, 5), 4);
    assert_int_equal(stack_boxes_parent(&boxes, 4), 0);
    assert_int_equal(stack_boxes_parent(&boxes, 0), 0);
    assert_int_equal(stack_boxes_beside(&boxes, 2, 1), 5); /* of another parent */
    assert_int_equal(stack_boxes_beside(&boxes, 5, -1), 2);
    assert_int_equal(stack_boxes_beside(&boxes, 5, 1), 5);
    assert_int_equal(stack_boxes_beside(&boxes, 1, -1), 1);
    assert_int_equal(stack_boxes_find(&boxes, &tree, OTHER), 5);
    assert_int_equal(stack_boxes_find(&boxes, &tree, TINY), 2); /* takes no cell */
    stack_boxes_release(&boxes);
}

static void paths(void **state)
{
    struct stack_path path = {0};
    size_t known;
    assert_int_equal(stack_path_find(&path, 0, &tree, &known), ALL);
    stack_path_set(&path, &tree, TINY);
    assert_int_equal(path.count, 3);
    assert_string_equal(path.names[0], "one");
    assert_string_equal(path.names[2], "tiny");
    assert_int_equal(stack_path_find(&path, 3, &tree, &known), TINY);
    assert_int_equal(known, 3);
    assert_int_equal(stack_path_find(&path, 1, &tree, NULL), ONE);
    nodes[TINY].name = "gone";
    assert_int_equal(stack_path_find(&path, 3, &tree, &known), MAIN);
    assert_int_equal(known, 2);
    nodes[TINY].name = "tiny";
    assert_int_equal(stack_path_find(&path, 3, &(struct stack_tree){0}, &known), 0);
    assert_int_equal(known, 0);
    stack_path_shorten(&path, 1);
    assert_int_equal(path.count, 1);
    stack_path_release(&path);
    assert_true(stack_tree_is_below(&tree, TINY, ONE));
    assert_true(stack_tree_is_below(&tree, TINY, TINY));
    assert_true(stack_tree_is_below(&tree, TINY, ALL));
    assert_false(stack_tree_is_below(&tree, TINY, TWO));
}

static void searches(void **state)
{
    assert_int_equal(stack_tree_share(&tree, "MAIN"), 100); /* those below it do not count twice */
    assert_int_equal(stack_tree_share(&tree, "burn"), 57);
    assert_int_equal(stack_tree_share(&tree, "LibY"), 3); /* an object */
    assert_int_equal(stack_tree_share(&tree, "nothing"), 0);
    assert_int_equal(stack_tree_share(&tree, ""), 0);
    assert_int_equal(stack_tree_share(&(struct stack_tree){0}, "a"), 0);
    assert_int_equal(stack_tree_search(&tree, ALL, "main", false, true), MAIN);
    assert_int_equal(stack_tree_search(&tree, MAIN, "main", false, true), MAIN);
    assert_int_equal(stack_tree_search(&tree, MAIN, "main", false, false), OTHER);
    assert_int_equal(stack_tree_search(&tree, OTHER, "main", false, false), MAIN); /* around */
    assert_int_equal(stack_tree_search(&tree, MAIN, "main", true, false), OTHER);
    assert_int_equal(stack_tree_search(&tree, BURN, "burn", false, false), BURN); /* the only one */
    assert_int_equal(stack_tree_search(&tree, ALL, "nothing", true, false), tree.count);
    assert_int_equal(stack_tree_search(&(struct stack_tree){0}, 0, "a", true, false), 0);
}
