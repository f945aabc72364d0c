#include "front/door.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The backlog of listen(2). */
enum { BACKLOG = 128 };

/* Removes a socket that a program left behind which was killed. */
static void remove_left(const struct address *address)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&address->storage;
    struct stat st;
    if (lstat(un->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)un, address->length) < 0 &&
        errno == ECONNREFUSED)
        unlink(un->sun_path);
    if (fd >= 0)
        close(fd);
}

/* errno is set on failure. */
static int bind_door(struct door *door)
{
    static const int on = 1;
    struct address *address = &door->address;
    int family = address->storage.ss_family;
    struct sockaddr *at = (struct sockaddr *)&address->storage;
    if (family == AF_UNIX)
        remove_left(address);
    door->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (door->fd < 0)
        return -1;
    if (family != AF_UNIX)
        setsockopt(door->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    /* [::] would cover 0.0.0.0, too: listen only on the given address. */
    if (family == AF_INET6)
        setsockopt(door->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(door->fd, at, address->length) < 0)
        return -1;
    door->bound = family == AF_UNIX;
    return listen(door->fd, BACKLOG) < 0 ? -1 : getsockname(door->fd, at, &address->length);
}

/* Whether a variable of the environment is that number. */
static bool variable_is(const char *name, unsigned long long number)
{
    unsigned long long value;
    const char *text = getenv(name);
    return text && str_to_u64(text, 0, UINT32_MAX, &value) && value == number;
}

enum { HANDED = 3 }; /* SD_LISTEN_FDS_START */

/* LISTEN_PID says for whom it is. */
static bool was_handed(void)
{
    return variable_is("LISTEN_PID", (unsigned long long)getpid()) && variable_is("LISTEN_FDS", 1);
}

static int take_over(struct door *door, struct err *err)
{
    struct address *address = &door->address;
    int listens = 0, type = 0;
    socklen_t size = sizeof(int);
    if (!was_handed())
        return err_set(err, "cannot listen at 'systemd': it handed over no socket, or several "
                            "(LISTEN_FDS); start countertop by a .socket unit with one, or give an "
                            "address");
    address->length = sizeof(address->storage);
    if (getsockopt(HANDED, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) < 0 || !listens ||
        getsockopt(HANDED, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_STREAM ||
        getsockname(HANDED, (struct sockaddr *)&address->storage, &address->length) < 0)
        return err_set(err, "cannot listen at 'systemd': descriptor 3 is no stream socket that "
                            "listens; the .socket unit needs ListenStream= and Accept=no");
    door->fd = HANDED;
    fcntl(HANDED, F_SETFD, FD_CLOEXEC); /* it is not for a command */
    fcntl(HANDED, F_SETFL, fcntl(HANDED, F_GETFL) | O_NONBLOCK);
    return 0;
}

int door_open(struct door *door, const struct address *address, struct err *err)
{
    *door = (struct door){.fd = -1, .address = *address};
    if (address->storage.ss_family == AF_UNSPEC)
        return take_over(door, err);
    if (bind_door(door) == 0)
        return 0;
    int error = errno, family = address->storage.ss_family;
    char text[ADDRESS_TEXT_SIZE];
    address_write(address, text);
    door_close(door);
    const char *remedy = error == EADDRINUSE && family == AF_UNIX
                             ? "; give another path, or remove what is there"
                         : error == EADDRINUSE                  ? "; give another port"
                         : error == EACCES && family != AF_UNIX ? "; ports below 1024 are root's"
                         : error == EADDRNOTAVAIL ? "; no interface here has that address"
                                                  : "";
    return err_set(err, "cannot listen at '%s': %s%s", text, strerror(error), remedy);
}

void door_close(struct door *door)
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&door->address.storage;
    if (door->bound)
        unlink(un->sun_path);
    if (door->fd >= 0)
        close(door->fd);
    *door = (struct door){.fd = -1};
}

char *door_url(const struct door *door)
{
    char text[ADDRESS_TEXT_SIZE];
    bool path = door->address.storage.ss_family == AF_UNIX; /* as nginx names it */
    address_write(&door->address, text);
    return mem_printf("http://%s%s/metrics", text, path ? ":" : "");
}
