/* The server of --listen (front/listen.h) as a helper (system/helper.h), so that whoever takes it
 * over by a request can count nothing: it has no capability, is not root, sees only the listening
 * socket and a socket to this process, and its system calls are those that serving needs. It asks
 * for a page when a client does, and gets it as a file in memory: at most one of each form for an
 * interval, whatever it asks. So a page that nobody wants costs nothing. */
#ifndef APP_SERVER_H
#define APP_SERVER_H

#include "front/address.h"
#include "front/exporter.h"

struct server;

/* Opens the socket and starts the process. Call it before files and counters are opened and threads
 * are started. delay: ns from one interval to the next. NULL with a message, for example if the
 * address is in use. */
struct server *server_start(const struct address *address, uint64_t delay, bool sandbox,
                            struct err *err);
void server_stop(struct server *server); /* NULL is fine */

/* Where it serves (door_url()). */
const char *server_url(const struct server *server);

/* Call it before the loop, which begins the serving, and when an interval has ended. */
void server_renew(struct server *server);

/* For the loop: when the descriptor is readable, call server_answer, which never waits for the
 * process. -1 with a message: it has ended, by itself or since it did not keep to the protocol. */
int server_fd(const struct server *server);
int server_answer(struct server *server, const struct exporter *exporter, struct err *err);

/* Whether such a process enters its sandbox on this machine: tries it. */
bool server_confined(void);

/* CPU time that the process has used, ns. */
uint64_t server_time(struct server *server);

#endif
