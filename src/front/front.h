/* A front end: where frames become visible. main.c gives it frames and input, and it asks for
 * changes of what is counted through its host. Runs in the showing thread. */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H

#include "base/err.h"
#include "view/view.h"

/* An entry of the catalogue of events. */
struct front_event {
    const char *name;  /* as it is added; of a spelling with capitals for what is to be replaced */
    const char *text;  /* one line, or "" */
    const char *group; /* the title it stands under with its neighbours */
    bool spelling;     /* how to write events, not an event */
    bool listed;       /* it is to be counted */
    bool counted;      /* and it is, as far as is known */
};

/* The events there are, and those that are counted. Numbers are those of the catalogue's entries,
 * texts live until it is forgotten. */
struct front_events {
    void *ctx;
    int (*add)(void *ctx, const char *text, struct err *err); /* checks it, counts it, and gives it
                                                                 a column */
    int (*remove)(void *ctx, const char *name, struct err *err);
    void (*forget)(void *ctx); /* makes the catalogue anew, and all trials, when it is next asked */
    /* The numbers of the entries that contain all the words, in *found until the next call. */
    size_t (*find)(void *ctx, const char *words, const size_t **found);
    bool (*entry)(void *ctx, size_t number, struct front_event *event); /* false: behind the last */
    const char *(*obstacle)(void *ctx, size_t number); /* why it cannot be counted: tried at the
                                                          first call, NULL where it can */
    /* Whether it fits beside what is counted, one line that the caller frees; NULL: it is counted.
     */
    char *(*fit)(void *ctx, const char *name);
    /* Calls tell with all else there is to say: "encoding", "unit masks" ... */
    void (*explain)(void *ctx, size_t number,
                    void (*tell)(void *to, const char *what, const char *text), void *to);
};

/* What a front end may ask of the program; all calls return at once or after the counting thread
 * has answered. Each -1 comes with a message fit for a status line. */
struct front_host {
    void *ctx;
    struct front_events events;
    /* What is watched: more processes, by pid or name; fewer, "" for none in particular; those of
     * one user, "" for all. The front applies its view after. */
    int (*attach)(void *ctx, const char *list, struct err *err);
    int (*let_go)(void *ctx, const char *list, struct err *err);
    int (*set_user)(void *ctx, const char *user, struct err *err);
    int (*set_delay)(void *ctx, double seconds, struct err *err);
    void (*set_idle)(void *ctx, bool idle);
    void (*set_threads)(void *ctx, bool threads); /* single threads are on show, or no longer */
    /* User or kernel mode, or both; all counts begin anew. */
    int (*set_mode)(void *ctx, enum count_mode mode, struct err *err);
    /* The frame from the beginning of counting to the last one given, NULL before the first. The
     * front frees it. */
    struct frame *(*total)(void *ctx);
    /* Writes what is on show as a screen of that name; tells the file, which the front frees. */
    int (*save)(void *ctx, const char *name, char **path, struct err *err);
    void (*refresh)(void *ctx); /* a frame now, ahead of the timer */
};

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
    void (*resize)(struct front *front);  /* SIGWINCH; may be NULL */
    void (*suspend)(struct front *front); /* before SIGTSTP stops us: terminal as it was; NULL */
    void (*resume)(struct front *front);  /* after SIGCONT; NULL */
    void (*close)(struct front *front);   /* restores the terminal, frees it */
};

#endif
