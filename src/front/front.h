/* A front end displays or writes frames. The program passes it frames and input; it requests
 * changes of counting through front/host.h. Runs in the showing thread. */
#pragma once

#include "view/view.h"

/* What the bars of the header show, in the order of the words of --bars. */
enum front_bars { BARS_MACHINE, BARS_CPUS, BARS_OFF, BARS_LAST = BARS_OFF };

struct front {
    const struct front_ops *ops;
};

enum front_wish { FRONT_GO_ON, FRONT_QUIT };

struct front_ops {
    int (*start)(struct front *front, struct err *err); /* may be NULL */
    /* Shows a frame and takes ownership: the front frees it (frame_free) when another one replaces
     * it, or at close, so a paused front can keep an old frame. session is valid until the next
     * call of present or close. Fronts with a view pass it the frame. Returns 1 if the reader is
     * gone (a closed pipe): an end, not an error. */
    int (*present)(struct front *front, const struct session *session, struct frame *frame,
                   struct err *err);
    /* Shows the last frame again if names were pending in it; false: none are. May be NULL. */
    bool (*renew)(struct front *front);
    /* Standard input is readable. FRONT_QUIT too if the terminal is gone. May be NULL. */
    enum front_wish (*input)(struct front *front);
    /* The descriptor that pending output waits for, -1: nothing is pending; and the function to
     * call when it is writable. Both NULL for front ends that block. */
    int (*waits)(const struct front *front);
    enum front_wish (*flush)(struct front *front);
    void (*resize)(struct front *front);  /* SIGWINCH; may be NULL */
    void (*suspend)(struct front *front); /* before SIGTSTP: restores the terminal; may be NULL */
    void (*resume)(struct front *front);  /* after SIGCONT; may be NULL */
    void (*close)(struct front *front);   /* restores the terminal, frees it */
};
