/* Answers about tasks that stay what they were when first asked, for a screen that is paused: what
 * /proc says changes, and ends with the task. */
#ifndef VIEW_HELD_LOOKUP_H
#define VIEW_HELD_LOOKUP_H

#include "view/view_context.h"

struct held_lookup {
    struct view_lookup lookup;       /* asks `asked`, once for each question */
    const struct view_lookup *asked; /* may be NULL */
    struct map answers; /* by question and task: "+" and the text, or "" if there is none */
    struct held_question {
        const char *file, *after;
        int n;
    } * questions;
    size_t count;
};

/* The address of `held` must not change afterwards; `asked` must outlive it. */
void held_lookup_init(struct held_lookup *held, const struct view_lookup *asked);
/* Forgets all answers, and frees their memory. */
void held_lookup_release(struct held_lookup *held);

#endif
