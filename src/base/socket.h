/* Bytes between two processes of the program, by a stream socket. */
#ifndef BASE_SOCKET_H
#define BASE_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

/* Send and receive all of them, whatever signals come. False: the other end is gone, with errno
 * (SIGPIPE is not raised). */
bool socket_send(int to, const void *bytes, size_t size);
bool socket_receive(int from, void *bytes, size_t size);

#endif
