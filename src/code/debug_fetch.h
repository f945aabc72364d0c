/* Fetches separate debug files from servers (debuginfod(8)), where --debuginfod asks for it: by
 * elfutils' libdebuginfod, which is loaded when it is needed, with its variables (DEBUGINFOD_URLS
 * and others) and its cache. A helper (system/helper.h) does it, which is outside of the sandbox
 * (system/sandbox.h): it is started with the program, and starts a process for each file, the only
 * one that opens sockets to others. That one has limits on memory and on the size of a file, and
 * can be ended at any time.
 *
 * One thread may fetch; all others may call the rest meanwhile. */
#pragma once

#include "base/socket.h"
#include "code/code_space.h"

struct debug_fetch;

/* Starts the helper. Call it before the sandbox. `environment`:
 * what the user gave to the program. NULL with a message: there is no library, or no server is
 * named. */
struct debug_fetch *debug_fetch_start(char **environment, struct err *err);
void debug_fetch_stop(struct debug_fetch *fetch); /* ends all it does; NULL is fine */

/* A number for the next fetch, by which it can be cancelled, even before it begins. */
uint32_t debug_fetch_number(struct debug_fetch *fetch);
/* Waits until the debug file of a build-id is there, and opens it; -1 with the reason, one line
 * that the caller frees. Whether the file is what it should be, was not checked. */
int debug_fetch_file(struct debug_fetch *fetch, uint32_t number, const unsigned char *build_id,
                     size_t size, char **reason);
void debug_fetch_cancel(struct debug_fetch *fetch, uint32_t number); /* does not wait */

/* Bytes of the current file that are there, and of all of it; 0: not known. */
void debug_fetch_progress(const struct debug_fetch *fetch, uint64_t *done, uint64_t *all);

/* --- What is said between debug_fetch.c and countertop-fetch, over a socket that keeps messages
 * apart --- */

enum { FETCH_TEXT = 200 }; /* bytes of a reason */

/* To the process: FETCH_FILE or FETCH_CANCEL. From it: FETCH_READY at the start, FETCH_PROGRESS,
 * and once for each FETCH_FILE FETCH_DONE, with the descriptor, or FETCH_FAILED. FETCH_READY with a
 * text: it has ended. */
enum { FETCH_FILE, FETCH_CANCEL, FETCH_READY, FETCH_PROGRESS, FETCH_DONE, FETCH_FAILED };
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
