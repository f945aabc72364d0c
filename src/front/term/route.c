#include "front/term/route.h"
#include "base/mem.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Found by trial with recorded refreshes. */
enum {
    SHORT = 6, /* bytes: most of the ways that a good route has are not longer */
    ABOVE = 2, /* lines in which short ways end */
    BELOW = 3,
    AHEAD = 64,  /* stops among which the next one is looked for, before and after one */
    SEGMENT = 4, /* stops that go to another place together */
    GAIN = 3,    /* bytes that are saved at least where they leave */
};

struct short_way {
    int from, to, cost;
};

/* Short ways, those from a stop and those to a stop. */
struct ways {
    struct short_way *items; /* sorted by `from` */
    int *arriving;           /* indices of them, sorted by `to` */
    int *from, *to; /* where those of a stop begin in each; one more than there are stops */
};

/* A route as a list; -1: no stop. */
struct links {
    int *next, *before;
    int *cost; /* of the way to a stop */
};

static int *new_numbers(int count)
{
    return mem_array((size_t)count, sizeof(int));
}

static int cost_of(const struct route *route, int from, int to, int most)
{
    return from < 0 || to < 0 ? 0 : route->cost(route->ctx, from, to, most);
}

static void find_ways(const struct route *route, struct ways *ways)
{
    size_t room = 0;
    int count = 0, above = 1, below = 1;
    ways->from = new_numbers(route->count + 1);
    ways->to = new_numbers(route->count + 2);
    for (int from = 0; from < route->count; from++) {
        int line = route->line(route->ctx, from);
        if (from == 1)
            above = below = 1;
        while (above < route->count && route->line(route->ctx, above) < line - ABOVE)
            above++;
        while (below < route->count && route->line(route->ctx, below) <= line + BELOW)
            below++;
        int least = from == 0 || above > from - AHEAD ? above : from - AHEAD;
        int end = below < least + 2 * AHEAD ? below : least + 2 * AHEAD;
        ways->from[from] = count;
        mem_grow(&ways->items, &room, (size_t)(count + end - least + 1), sizeof(*ways->items));
        for (int to = least; to < end; to++) {
            int cost = to == from ? INT_MAX : cost_of(route, from, to, SHORT);
            if (cost > SHORT)
                continue;
            ways->items[count++] = (struct short_way){from, to, cost};
            ways->to[to + 2]++;
        }
    }
    ways->from[route->count] = count;
    ways->arriving = new_numbers(count + 1);
    for (int i = 2; i <= route->count + 1; i++)
        ways->to[i] += ways->to[i - 1];
    for (int i = 0; i < count; i++)
        ways->arriving[ways->to[ways->items[i].to + 1]++] = i;
}

static void release_ways(struct ways *ways)
{
    free(ways->items);
    free(ways->arriving);
    free(ways->from);
    free(ways->to);
}

static void link_stops(struct links *links, int from, int to, int cost)
{
    if (from >= 0)
        links->next[from] = to;
    if (to < 0)
        return;
    links->before[to] = from;
    links->cost[to] = cost;
}

/* Takes the shortest ways of all that make chains, then goes from the end of each chain to the
 * nearest beginning of another one. */
static void link_all(const struct route *route, const struct ways *ways, struct links *links)
{
    int count = route->count, *other = new_numbers(count), first = 0;
    for (int i = 0; i < count; i++)
        other[i] = i; /* the other end of the chain, for both ends of it */
    for (int cost = 0; cost <= SHORT; cost++)
        for (int i = 0; i < ways->from[count]; i++) {
            const struct short_way *way = &ways->items[i];
            int from = way->from, to = way->to;
            if (way->cost != cost || links->next[from] >= 0 || links->before[to] >= 0 ||
                other[from] == to)
                continue;
            int head = other[from], tail = other[to];
            other[head] = tail;
            other[tail] = head;
            link_stops(links, from, to, cost);
        }
    int *heads = new_numbers(count);
    for (int i = 1; i < count; i++)
        if (links->before[i] < 0)
            heads[first++] = i;
    for (int at = other[0]; first > 0; first--) {
        int nearest = 0, least = INT_MAX;
        for (int i = 0; i < first && i < AHEAD; i++) {
            int cost = cost_of(route, at, heads[i], least);
            if (cost < least) {
                least = cost;
                nearest = i;
            }
        }
        link_stops(links, at, heads[nearest], least);
        at = other[heads[nearest]];
        memmove(&heads[nearest], &heads[nearest + 1], (size_t)(first - nearest - 1) * sizeof(int));
    }
    free(heads);
    free(other);
}

/* Some stops in a row, and where they are best put instead: between two others. */
struct move {
    int first, last, count;
    int before, next, gain;
};

/* Tries the place where that way leads to the first or comes from the last of them; taking them
 * away saves `gain`. */
static void try_place(const struct route *route, const struct links *links, struct move *move,
                      const struct short_way *way, int gain)
{
    bool leaves = way->from == move->last;
    int before = leaves ? links->before[way->to] : way->from;
    int next = leaves ? way->to : links->next[way->from];
    gain += (next < 0 ? 0 : links->cost[next]) - way->cost;
    if (gain <= move->gain)
        return;
    for (int stop = move->first, i = 0; i < move->count; i++, stop = links->next[stop])
        if (stop == before || stop == next)
            return;
    gain -=
        leaves ? cost_of(route, before, move->first, gain) : cost_of(route, move->last, next, gain);
    if (gain <= move->gain)
        return;
    move->gain = gain;
    move->before = before;
    move->next = next;
}

static void link_by_cost(const struct route *route, struct links *links, int from, int to)
{
    link_stops(links, from, to, cost_of(route, from, to, INT_MAX));
}

/* Puts stops elsewhere, where one of the two ways there is short (Or-opt, I. Or 1976). */
static void improve_at(const struct route *route, const struct ways *ways, struct links *links,
                       int first)
{
    struct move move = {first, first, 1, -1, -1, 0};
    for (; move.count <= SEGMENT && move.last >= 0; move.last = links->next[move.last]) {
        int before = links->before[first], next = links->next[move.last];
        int gain = links->cost[first] + (next < 0 ? 0 : links->cost[next]);
        if (gain >= GAIN)
            gain -= cost_of(route, before, next, gain);
        if (gain >= GAIN) {
            for (int i = ways->from[move.last]; i < ways->from[move.last + 1]; i++)
                try_place(route, links, &move, &ways->items[i], gain);
            for (int i = ways->to[first]; i < ways->to[first + 1]; i++)
                try_place(route, links, &move, &ways->items[ways->arriving[i]], gain);
        }
        if (move.gain > 0) {
            link_by_cost(route, links, before, next);
            link_by_cost(route, links, move.before, first);
            link_by_cost(route, links, move.last, move.next);
            return;
        }
        move.count++;
    }
}

void route_find(const struct route *route, int *order)
{
    struct ways ways = {0};
    struct links links = {new_numbers(route->count), new_numbers(route->count),
                          new_numbers(route->count)};
    for (int i = 0; i < route->count; i++)
        links.next[i] = links.before[i] = -1;
    find_ways(route, &ways);
    link_all(route, &ways, &links);
    for (int i = 1; i < route->count; i++)
        improve_at(route, &ways, &links, i);
    for (int at = links.next[0], i = 0; at >= 0; at = links.next[at])
        order[i++] = at;
    release_ways(&ways);
    free(links.next);
    free(links.before);
    free(links.cost);
}
