#include "front/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

static const char LOOPBACK[] = "127.0.0.1", UNIX[] = "unix:", SYSTEMD[] = "systemd";

static bool set_address(struct address *address, const char *host, in_port_t port)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->storage;
    *address = (struct address){.length = sizeof(*four)};
    if (strcmp(host, "localhost") == 0)
        host = LOOPBACK;
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        return true;
    }
    size_t length = strlen(host);
    if (*host != '[' || host[length - 1] != ']')
        return false;
    AUTO_FREE char *inside = mem_strndup(host + 1, length - 2);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    address->length = sizeof(*six);
    return inet_pton(AF_INET6, inside, &six->sin6_addr) == 1;
}

static int set_path(struct address *address, const char *path, struct err *err)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;
    size_t length = strlen(path);
    if (!length || length >= sizeof(un->sun_path))
        return err_set(err, "no path to listen at 'unix:%.100s': expected 1 to %zu bytes", path,
                       sizeof(un->sun_path) - 1);
    *address = (struct address){.length = (socklen_t)(sizeof(*un))};
    un->sun_family = AF_UNIX;
    memcpy(un->sun_path, path, length);
    return 0;
}

int address_parse(struct address *address, const char *text, struct err *err)
{
    if (str_starts(text, UNIX))
        return set_path(address, text + strlen(UNIX), err);
    if (strcmp(text, SYSTEMD) == 0) {
        *address = (struct address){.length = 0};
        return 0;
    }
    const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
    unsigned long long port;
    AUTO_FREE char *host = mem_strndup(text, colon ? (size_t)(colon - text) : 0);
    bool good = str_to_u64(digits, 0, 65535, &port) &&
                set_address(address, *host ? host : LOOPBACK, (in_port_t)port);
    if (good)
        return 0;
    return err_set(err,
                   "no address to listen at '%.100s': expected PORT, ADDRESS:PORT or "
                   "[ADDRESS]:PORT with an address in numbers, such as 9464 or 0.0.0.0:9464, "
                   "unix:PATH, or systemd",
                   text);
}

/* An abstract name, which only systemd hands over, begins with a zero byte: unix(7). */
static void write_path(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
    const struct sockaddr_un *un = (const struct sockaddr_un *)&address->storage;
    size_t most = address->length - offsetof(struct sockaddr_un, sun_path);
    bool abstract = most > 0 && !*un->sun_path;
    const char *name = un->sun_path + abstract;
    snprintf(text, ADDRESS_TEXT_SIZE, "%s%s%.*s", UNIX, abstract ? "@" : "",
             (int)strnlen(name, most - abstract), name);
}

void address_write(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->storage;
    char host[INET6_ADDRSTRLEN] = "";
    switch (address->storage.ss_family) {
    case AF_UNIX:
        write_path(address, text);
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof(host));
        snprintf(text, ADDRESS_TEXT_SIZE, "[%s]:%u", host, ntohs(six->sin6_port));
        break;
    case AF_INET:
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof(host));
        snprintf(text, ADDRESS_TEXT_SIZE, "%s:%u", host, ntohs(four->sin_port));
        break;
    default:
        snprintf(text, ADDRESS_TEXT_SIZE, "%s", SYSTEMD);
    }
}

bool address_is_loopback(const struct address *address)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)&address->storage;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address->storage;
    const struct in6_addr *wide = &six->sin6_addr;
    if (address->storage.ss_family == AF_INET)
        return ntohl(four->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return address->storage.ss_family == AF_INET6 &&
           (IN6_IS_ADDR_LOOPBACK(wide) ||
            (IN6_IS_ADDR_V4MAPPED(wide) && wide->s6_addr[12] == IN_LOOPBACKNET));
}

/* ---- the socket ---- */

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
    struct sockaddr *name = (struct sockaddr *)&address->storage;
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
    if (bind(door->fd, name, address->length) < 0)
        return -1;
    door->bound = family == AF_UNIX;
    return listen(door->fd, BACKLOG) < 0 ? -1 : getsockname(door->fd, name, &address->length);
}

/* Whether a variable of the environment is that number. */
static bool variable_is(const char *name, unsigned long long number)
{
    unsigned long long value;
    const char *text = getenv(name);
    return text && str_to_u64(text, 0, UINT32_MAX, &value) && value == number;
}

enum { HANDED = 3 }; /* SD_LISTEN_FDS_START */

static int take_over(struct door *door, struct err *err)
{
    struct address *address = &door->address;
    int listens = 0, type = 0;
    socklen_t size = sizeof(int);
    if (!variable_is("LISTEN_PID", (unsigned long long)getpid()) || /* for whom it is */
        !variable_is("LISTEN_FDS", 1))
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
    return err_set(err, "cannot listen at '%s': %s%s", text, err_reason(error), remedy);
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
