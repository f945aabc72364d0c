#include "base/socket.h"
#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Whether what began at that time has taken longer than the socket's limit. */
static bool is_late(int socket, uint64_t began)
{
    struct timeval limit = {0};
    socklen_t length = sizeof(limit);
    getsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, &length);
    return limit.tv_sec > 0 && clock_monotonic() - began > (uint64_t)limit.tv_sec * 1000000000;
}

bool socket_receive(int from, void *bytes, size_t size)
{
    char *at = bytes;
    for (uint64_t began = clock_monotonic(); size > 0;) {
        ssize_t got = recv(from, at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
        if (size > 0 && is_late(from, began))
            return false;
    }
    return true;
}

bool socket_send(int to, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(to, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

union files_control {
    char bytes[CMSG_SPACE(SOCKET_FILES_MAX * sizeof(int))];
    struct cmsghdr align;
};

bool socket_send_files(int to, const void *bytes, size_t size, const int *files, size_t count,
                       int flags)
{
    union files_control control = {{0}};
    struct iovec part = {(void *)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    size_t length = count * sizeof(*files);
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(length);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        *head = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(length), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(head), files, length);
    }
    ssize_t sent;
    do
        sent = sendmsg(to, &message, MSG_NOSIGNAL | flags);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size;
}

bool socket_receive_files(int from, void *bytes, size_t size, int *files, size_t count)
{
    union files_control control;
    struct iovec part = {bytes, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    int came[SOCKET_FILES_MAX];
    size_t number = 0;
    ssize_t got;
    do
        got = recvmsg(from, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *head = got >= 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        number = (head->cmsg_len - CMSG_LEN(0)) / sizeof(*came);
        memcpy(came, CMSG_DATA(head), number * sizeof(*came));
    }
    bool good = got == (ssize_t)size;
    for (size_t i = 0; i < count; i++)
        files[i] = good && i < number ? came[i] : -1;
    for (size_t i = good ? count : 0; i < number; i++)
        close(came[i]);
    return good;
}
