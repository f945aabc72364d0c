/* What is said between debug_fetch.h and countertop-fetch, over a socket that keeps messages apart.
 */
#ifndef CODE_FETCH_NOTE_H
#define CODE_FETCH_NOTE_H

#include "base/socket.h"
#include "code/code_mapping.h"

#include <stdint.h>

enum { FETCH_TEXT = 200 }; /* bytes of a reason */

/* To the process: FETCH or CANCEL. From it: READY at the start, PROGRESS, and once for each FETCH
 * DONE, with the descriptor, or FAILED. READY with a text: it has ended. */
enum { FETCH, CANCEL, READY, PROGRESS, DONE, FAILED };
struct fetch_note {
    uint32_t what, number; /* of the fetch */
    uint64_t done, all;    /* bytes */
    uint32_t size;         /* of the build-id */
    unsigned char build_id[CODE_BUILD_ID_MAX];
    char text[FETCH_TEXT];
};

/* Sends a note, with a descriptor unless it is -1; flags: as of send(2). False: it was not sent. */
static inline bool fetch_note_send(int socket, const struct fetch_note *note, int fd, int flags)
{
    return socket_send_files(socket, note, sizeof(*note), &fd, fd >= 0, flags);
}

/* Takes a note, whose text ends; *fd: what came with it, or -1. False: the other side is gone. */
static inline bool fetch_note_take(int socket, struct fetch_note *note, int *fd)
{
    bool good = socket_receive_files(socket, note, sizeof(*note), fd, 1);
    note->text[FETCH_TEXT - 1] = '\0';
    return good;
}

#endif
