#include "app/loop.h"

struct pollfd *loop_add(struct loop *loop, int fd, enum loop_next (*call)(void *ctx), void *ctx)
{
    size_t i = loop->count++;
    loop->fds[i] = (struct pollfd){.fd = fd, .events = POLLIN};
    loop->hooks[i] = (struct loop_hook){call, ctx};
    return &loop->fds[i];
}

enum loop_next loop_turn(struct loop *loop, int most)
{
    if (poll(loop->fds, loop->count, most) < 0)
        return LOOP_GO_ON; /* EINTR */
    for (size_t i = 0; i < loop->count; i++)
        if (loop->fds[i].revents && loop->hooks[i].call(loop->hooks[i].ctx) == LOOP_END)
            return LOOP_END;
    return LOOP_GO_ON;
}
