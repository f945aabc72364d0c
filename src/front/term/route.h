/* In which order to write what has changed on the screen, so that the cursor's ways between take
 * few bytes: an open travelling salesman's route. Pure. */
#ifndef FRONT_TERM_ROUTE_H
#define FRONT_TERM_ROUTE_H

/* The stops, from 0, where the route begins; the others are sorted by lines. */
struct route {
    int count;
    int (*line)(void *ctx, int stop);
    /* Bytes of the way between two stops; any number above `most` if it takes more. */
    int (*cost)(void *ctx, int from, int to, int most);
    void *ctx;
};

/* Fills in the stops after the first one, count - 1 of them, in an order whose cost is small. */
void route_find(const struct route *route, int *order);

#endif
