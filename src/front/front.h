/* A front end: where frames become visible. The program gives it frames and input, and it asks for
 * changes of what is counted (front/host.h). Runs in the showing thread. */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H

#include "base/err.h"
#include "view/view.h"

/* What the bars over the table are of, in the order of the words of --bars. */
enum front_bars { BARS_MACHINE, BARS_CPUS, BARS_OFF, BARS_LAST = BARS_OFF };

struct front {
    const struct front_ops *ops;
};

enum front_wish { FRONT_GO_ON, FRONT_QUIT };

struct front_ops {
    int (*start)(struct front *front, struct err *err); /* may be NULL */
    /* Shows a frame, and takes it: the front frees it (frame_free) when another one replaces it, or
     * at close. So a front that pauses can keep an old one. session stays valid until the next call
     * of present or close. Fronts that show a view give it the frame themselves. 1 when nobody is
     * there any more to show it to (a closed pipe): an end, not an error. */
    int (*present)(struct front *front, const struct session *session, struct frame *frame,
                   struct err *err);
    /* Standard input is readable (front ends without input have NULL here). */
    enum front_wish (*input)(struct front *front);
    /* The descriptor that what it has to write waits for, -1: nothing waits; and what is to be
     * called when it is writable. Both NULL for front ends that wait themselves. */
    int (*waits)(const struct front *front);
    void (*flush)(struct front *front);
    void (*resize)(struct front *front);  /* SIGWINCH; may be NULL */
    void (*suspend)(struct front *front); /* before SIGTSTP stops us: terminal as it was; NULL */
    void (*resume)(struct front *front);  /* after SIGCONT; NULL */
    void (*close)(struct front *front);   /* restores the terminal, frees it */
};

#endif
