#include "system/netlink.h"

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/genetlink.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/taskstats.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/utsname.h>

/* ---- changes of owners ---- */

enum {
    EVENT_HEAD = NLMSG_HDRLEN + sizeof(struct cn_msg),
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
    if (length >= (ssize_t)(EVENT_HEAD + sizeof(*event)))
        memcpy(event, message + EVENT_HEAD, sizeof(*event));
    return true;
}

/* Asks for events: of that kind, or with 0 of all kinds. */
static bool ask_for(int fd, uint32_t kind)
{
    struct __attribute__((packed)) {
        struct nlmsghdr header;
        struct cn_msg message;
        uint32_t words[2];
    } request = {.message = {.id = {CN_IDX_PROC, CN_VAL_PROC}},
                 .words = {PROC_CN_MCAST_LISTEN, kind}};
    size_t size = sizeof(request) - (kind ? 0 : sizeof(kind));
    request.header = (struct nlmsghdr){.nlmsg_len = (uint32_t)size, .nlmsg_type = NLMSG_DONE};
    request.message.len = (uint16_t)(size - EVENT_HEAD);
    return send(fd, &request, size, 0) == (ssize_t)size;
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

/* ---- unix sockets ---- */

/* The payload of the first attribute of this type, of `length` bytes; NULL: none is whole. */
static const char *find_attribute(const char *at, size_t size, unsigned type, size_t *length)
{
    struct nlattr attribute;
    while (size >= sizeof(attribute)) {
        memcpy(&attribute, at, sizeof(attribute));
        size_t step = NLA_ALIGN(attribute.nla_len);
        if (attribute.nla_len < NLA_HDRLEN || attribute.nla_len > size)
            return NULL;
        *length = attribute.nla_len - (size_t)NLA_HDRLEN;
        if ((attribute.nla_type & NLA_TYPE_MASK) == type)
            return at + NLA_HDRLEN;
        if (step > size)
            return NULL;
        at += step;
        size -= step;
    }
    return NULL;
}

int unix_peer_open(void)
{
    return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
}

uint64_t unix_peer(int fd, uint64_t inode)
{
    struct {
        struct nlmsghdr header;
        struct unix_diag_req ask;
    } request = {.header = {.nlmsg_len = sizeof(request),
                            .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                            .nlmsg_flags = NLM_F_REQUEST,
                            .nlmsg_seq = (uint32_t)inode},
                 .ask = {.sdiag_family = AF_UNIX,
                         .udiag_ino = (uint32_t)inode,
                         .udiag_show = UDIAG_SHOW_PEER,
                         .udiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}};
    size_t head = NLMSG_LENGTH(sizeof(struct unix_diag_msg)), size = 0;
    struct nlmsghdr header;
    char reply[1024];
    uint32_t peer = 0;
    if (send(fd, &request, sizeof(request), 0) < 0)
        return 0;
    /* The kernel answers within the call that asks, a failure with a shorter message. */
    ssize_t got = recv(fd, reply, sizeof(reply), MSG_DONTWAIT);
    if (got <= (ssize_t)head)
        return 0;
    memcpy(&header, reply, sizeof(header));
    const char *found = find_attribute(reply + head, (size_t)got - head, UNIX_DIAG_PEER, &size);
    if (found && size == sizeof(peer) && header.nlmsg_seq == request.header.nlmsg_seq)
        memcpy(&peer, found, sizeof(peer));
    return peer;
}

/* ---- delays ---- */

enum { REPLY = 4096, HEAD = NLMSG_LENGTH(GENL_HDRLEN) };

/* A request with one attribute. */
struct question {
    struct nlmsghdr header;
    struct genlmsghdr command;
    struct nlattr attribute;
    char payload[16];
};

/* The attributes of the kernel's answer, in `reply`; NULL: refused. */
static const char *ask_kernel(const struct delay_source *source, uint8_t command, unsigned type,
                              const void *payload, size_t size, char reply[REPLY], size_t *length)
{
    struct question question = {
        .header = {.nlmsg_len = (uint32_t)(HEAD + NLA_HDRLEN + NLA_ALIGN(size)),
                   .nlmsg_type = source->family,
                   .nlmsg_flags = NLM_F_REQUEST},
        .command = {.cmd = command, .version = 1},
        .attribute = {.nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = (uint16_t)type}};
    struct nlmsghdr header;
    memcpy(question.payload, payload, size);
    if (send(source->socket, &question, question.header.nlmsg_len, 0) < 0)
        return NULL;
    ssize_t got = recv(source->socket, reply, REPLY, 0);
    if (got < (ssize_t)HEAD)
        return NULL;
    memcpy(&header, reply, sizeof(header));
    if (header.nlmsg_type != source->family || header.nlmsg_len < HEAD ||
        header.nlmsg_len > (size_t)got)
        return NULL;
    *length = header.nlmsg_len - HEAD;
    return reply + HEAD;
}

static bool find_family(struct delay_source *source)
{
    static const char name[] = TASKSTATS_GENL_NAME;
    char reply[REPLY];
    size_t size;
    const char *found = ask_kernel(source, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, name,
                                   sizeof(name), reply, &size);
    found = found ? find_attribute(found, size, CTRL_ATTR_FAMILY_ID, &size) : NULL;
    if (!found || size < sizeof(source->family))
        return false;
    memcpy(&source->family, found, sizeof(source->family));
    return true;
}

bool task_delays_open(struct delay_source *source)
{
    /* The kernel answers within the call that asks, so this ends nothing but a wait for ever. */
    struct timeval patience = {.tv_usec = 100000};
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    struct task_delays own;
    source->family = GENL_ID_CTRL;
    source->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
    if (source->socket < 0)
        return false;
    if (setsockopt(source->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
        connect(source->socket, (struct sockaddr *)&kernel, sizeof(kernel)) == 0 &&
        find_family(source) && task_delays_read(source, getpid(), 0, &own))
        return true;
    task_delays_close(source);
    return false;
}

void task_delays_close(struct delay_source *source)
{
    file_close(source->socket);
    source->socket = -1;
}

bool task_delays_parse(const char *bytes, size_t size, unsigned outer, struct task_delays *delays)
{
    static const size_t block = offsetof(struct taskstats, blkio_delay_total),
                        swapin = offsetof(struct taskstats, swapin_delay_total);
    bytes = find_attribute(bytes, size, outer, &size);
    bytes = bytes ? find_attribute(bytes, size, TASKSTATS_TYPE_STATS, &size) : NULL;
    /* Each version of the kernel's structure is longer than the one before. */
    if (!bytes || size < swapin + sizeof(delays->swapin))
        return false;
    memcpy(&delays->block, bytes + block, sizeof(delays->block));
    memcpy(&delays->swapin, bytes + swapin, sizeof(delays->swapin));
    return true;
}

bool task_delays_read(const struct delay_source *source, pid_t pid, pid_t tid,
                      struct task_delays *delays)
{
    uint32_t id = (uint32_t)(tid ? tid : pid);
    char reply[REPLY];
    size_t size;
    if (source->socket < 0)
        return false;
    const char *answer = ask_kernel(source, TASKSTATS_CMD_GET,
                                    tid ? TASKSTATS_CMD_ATTR_PID : TASKSTATS_CMD_ATTR_TGID, &id,
                                    sizeof(id), reply, &size);
    return answer &&
           task_delays_parse(answer, size, tid ? TASKSTATS_TYPE_AGGR_PID : TASKSTATS_TYPE_AGGR_TGID,
                             delays);
}
