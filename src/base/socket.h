/* Bytes between two processes of the program, by a stream socket. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Send and receive exactly `size` bytes, also where signals interrupt the calls. False with errno
 * if the other end is gone (SIGPIPE is not raised), or has sent only a part within the socket's
 * time limit (socket(7), SO_RCVTIMEO, whole seconds; 0: none). */
bool socket_send(int to, const void *bytes, size_t size);
bool socket_receive(int from, void *bytes, size_t size);

/* A short message with descriptors of files (unix(7), SCM_RIGHTS), which stay the sender's; flags:
 * as of send(2). The receiver owns what came: -1 where no more came. */
enum { SOCKET_FILES_MAX = 2 };
bool socket_send_files(int to, const void *bytes, size_t size, const int *files, size_t count,
                       int flags);
bool socket_receive_files(int from, void *bytes, size_t size, int *files, size_t count);
