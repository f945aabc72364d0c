/* The terminal as a device: its mode, which a crash restores, its size, and output. Writing never
 * blocks: bytes that the terminal does not take at once (Ctrl-S, a slow line) are kept in order. */
#ifndef FRONT_TERM_TTY_H
#define FRONT_TERM_TTY_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct tty;

/* Standard input and output must be a terminal; saves its mode. NULL with a message. */
struct tty *tty_open(struct err *err);
void tty_close(struct tty *tty); /* restores the saved mode */

/* Sets the mode: keys one by one and without echo, output unprocessed. ISIG and IXON stay, so the
 * terminal still handles Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-Q. Until tty_release() a deadly signal
 * first writes `restoring` (copied, at most 256 bytes) and restores the saved mode, then calls the
 * previous handlers. -1 with errno: it stays as it is. */
int tty_grab(const struct tty *tty, const char *restoring);
void tty_release(const struct tty *tty); /* restores the saved mode */
bool tty_size(int *height, int *width);  /* false: not known */

/* Reads a byte that is typed; false: nothing was typed. */
bool tty_read(struct tty *tty, char *byte);
/* Whether the terminal is gone: reading has found its end, or reading or writing has failed. A
 * program that ignores SIGHUP learns it only here: poll(2) reports input again and again. */
bool tty_gone(const struct tty *tty);

/* Writes bytes after pending ones; with one write(2) if the terminal takes them all. */
void tty_send(struct tty *tty, const char *bytes, size_t length);
/* Writes as many pending bytes as the terminal takes. False: some are still pending. */
bool tty_flush(struct tty *tty);
/* The descriptor that is writable when tty_flush can continue, or reports that the terminal is
 * gone; -1: nothing is pending. */
int tty_waits(const struct tty *tty);

/* Waits until everything is written, or until the terminal has taken nothing for `patience` ms;
 * then drops the rest: false. */
bool tty_drain(struct tty *tty, int patience);
/* Writes bytes without waiting. A terminal that does not take them all drops what it has not shown
 * yet, and is started if it was stopped (Ctrl-S), then they are written again. A signal handler may
 * call it. */
void tty_force(const struct tty *tty, const char *bytes, size_t length);

#endif
