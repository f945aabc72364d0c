#include "system/owner_changes.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    HEAD_SIZE = NLMSG_HDRLEN + sizeof(struct cn_msg),
    QUEUE_BYTES = 4 << 20, /* some 5,000 changes */
};

/* Receives one message: its event; false with errno if there is none. */
static bool next_event(int fd, struct proc_event *event)
{
    char message[1024];
    ssize_t length = recv(fd, message, sizeof(message), MSG_DONTWAIT);
    if (length < 0)
        return false;
    *event = (struct proc_event){.what = PROC_EVENT_EXIT}; /* one that nobody waits for */
    if (length >= (ssize_t)(HEAD_SIZE + sizeof(*event)))
        memcpy(event, message + HEAD_SIZE, sizeof(*event));
    return true;
}

/* Asks for events: of that kind, or with 0 of all kinds. */
static bool ask_for(int fd, uint32_t kind)
{
    const uint32_t words[] = {PROC_CN_MCAST_LISTEN, kind};
    size_t size = HEAD_SIZE + (kind ? sizeof(words) : sizeof(*words));
    struct nlmsghdr header = {.nlmsg_len = (uint32_t)size, .nlmsg_type = NLMSG_DONE};
    struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = (uint16_t)(size - HEAD_SIZE)};
    char request[HEAD_SIZE + sizeof(words)];
    memcpy(request, &header, sizeof(header));
    memcpy(request + NLMSG_HDRLEN, &message, sizeof(message));
    memcpy(request + HEAD_SIZE, words, sizeof(words));
    return send(fd, request, size, 0) == (ssize_t)size;
}

/* The kernel acknowledges only who asks for all kinds, within the call, and a wish for one kind
 * only if it knows such wishes (drivers/connector/cn_proc.c, cn_proc_mcast_ctl()). */
int owner_changes_open(void)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    struct proc_event event = {.what = PROC_EVENT_EXIT};
    struct utsname names;
    unsigned major, minor;
    if (uname(&names) < 0 || sscanf(names.release, "%u.%u", &major, &minor) != 2 || major < 6 ||
        (major == 6 && minor < 6))
        return -1;
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR), size = QUEUE_BYTES;
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && ask_for(fd, 0)) {
        while (event.what != PROC_EVENT_NONE && next_event(fd, &event))
            ;
        if (event.what == PROC_EVENT_NONE && event.event_data.ack.err == 0 &&
            ask_for(fd, PROC_EVENT_UID))
            return fd;
    }
    close(fd);
    return -1;
}

int owner_changes_next(int fd, struct owner_change *change)
{
    struct proc_event event;
    while (fd >= 0 && next_event(fd, &event))
        if (event.what == PROC_EVENT_UID) {
            *change = (struct owner_change){
                .time = event.timestamp_ns,
                .pid = event.event_data.id.process_tgid,
                .tid = event.event_data.id.process_pid,
                .uid = event.event_data.id.e.euid,
            };
            return 1;
        }
    return fd >= 0 && errno == ENOBUFS ? -1 : 0;
}
