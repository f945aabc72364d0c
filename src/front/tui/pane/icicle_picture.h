/* The picture of stacks as it is drawn: its tree of stacks, the boxes, and what the keys have
 * chosen (icicle.h). */
#ifndef FRONT_TUI_PANE_ICICLE_PICTURE_H
#define FRONT_TUI_PANE_ICICLE_PICTURE_H

#include "front/tui/state/state.h"
#include "view/stack_boxes.h"
#include "view/stack_path.h"

struct icicle {
    /* Choices. */
    enum stack_measure measure; /* where there is only one, that */
    bool inlined, by_ipc;
    char *searched;           /* NULL: nothing */
    char *searched_before;    /* when the prompt opened */
    struct stack_path cursor; /* passes the node that the picture is of */
    size_t *zooms;            /* how many names of that lead to this node; one for each zoom */
    size_t zoom_count, zoom_room;
    size_t first;   /* level of the first line */
    char **objects; /* in the order of their colours */
    size_t object_count, object_room;

    /* Made from these choices and a profile. */
    bool stale;
    struct profile *profile; /* shared; NULL: none */
    struct stack_tree tree;
    struct stack_boxes boxes;
    uint64_t found; /* weight of the stacks with what is searched for */

    struct band picture; /* from the last drawing */
};

/* Makes the tree of the frame's profile, unless it is there. */
void icicle_take(struct ui *ui);
/* Makes the boxes of a picture that is `width` cells wide, of a tree that has been taken. False:
 * there are none; else *box is the one under the cursor. */
bool icicle_boxes(struct icicle *icicle, int width, size_t *box);
void icicle_draw(struct ui *ui, const struct band *band, int width);

size_t icicle_cursor_node(const struct icicle *icicle);
/* Names of the cursor's path that lead to the node that the picture is of. */
size_t icicle_zoom_depth(const struct icicle *icicle);
bool icicle_has_ipc(const struct icicle *icicle);   /* the stacks' */
bool icicle_has_waits(const struct icicle *icicle); /* switches are sampled, with their times */
const char *icicle_measure_name(const struct icicle *icicle);

#endif
