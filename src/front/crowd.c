#include "front/listen.h"

#include <netinet/in.h>
#include <string.h>

bool crowd_add(struct crowd *crowd, struct guest *guest, const struct sockaddr *from)
{
    enum { PREFIX = 8 };
    if (crowd->count == CROWD_MAX)
        return false;
    memset(guest->address, 0, sizeof(guest->address));
    if (from->sa_family == AF_INET6)
        memcpy(guest->address, &((const struct sockaddr_in6 *)from)->sin6_addr, PREFIX);
    else if (from->sa_family == AF_INET)
        memcpy(guest->address + PREFIX, &((const struct sockaddr_in *)from)->sin_addr,
               sizeof(struct in_addr));
    crowd->guests[crowd->count++] = guest;
    return true;
}

void crowd_remove(struct crowd *crowd, const struct guest *guest)
{
    for (size_t i = 0; i < crowd->count; i++)
        if (crowd->guests[i] == guest)
            crowd->guests[i--] = crowd->guests[--crowd->count];
}

struct guest *crowd_victim(const struct crowd *crowd)
{
    struct guest *victim = NULL;
    size_t most = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        struct guest *guest = crowd->guests[i];
        size_t count = 0;
        for (size_t j = 0; j < crowd->count; j++)
            count += memcmp(crowd->guests[j]->address, guest->address, sizeof(guest->address)) == 0;
        bool longer = victim && (guest->asked != victim->asked ? victim->asked
                                                               : guest->since < victim->since);
        if (!victim || count > most || (count == most && longer)) {
            victim = guest;
            most = count;
        }
    }
    return victim;
}

static uint64_t deadline_of(const struct guest *guest)
{
    uint64_t seconds = guest->asked ? CROWD_ANSWER_SECONDS : CROWD_ASK_SECONDS;
    return guest->since + seconds * 1000000000;
}

struct guest *crowd_first(const struct crowd *crowd, uint64_t *deadline)
{
    struct guest *first = NULL;
    *deadline = UINT64_MAX;
    for (size_t i = 0; i < crowd->count; i++)
        if (deadline_of(crowd->guests[i]) < *deadline) {
            first = crowd->guests[i];
            *deadline = deadline_of(first);
        }
    return first;
}
