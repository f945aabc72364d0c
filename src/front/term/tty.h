/* The terminal as a device: its mode, its size, and bytes on their way to it. Writing never waits:
 * what the terminal does not take at once (Ctrl-S, a slow line) is kept, in order, until it does.
 */
#ifndef FRONT_TERM_TTY_H
#define FRONT_TERM_TTY_H

#include <stdbool.h>
#include <stddef.h>

struct tty;

/* Standard input and output, which are a terminal; remembers its mode. Never NULL. */
struct tty *tty_open(void);
void tty_close(struct tty *tty); /* sets the mode remembered; NULL is fine */

/* From now on keys come one by one and without echo, and output goes as it is. ISIG and IXON stay:
 * Ctrl-C, Ctrl-Z, Ctrl-S and Ctrl-Q are the terminal's own. */
void tty_grab(const struct tty *tty);
void tty_release(const struct tty *tty); /* the mode remembered */

bool tty_size(int *height, int *width); /* false: it is not known */

/* Writes bytes behind those that wait; with one write(2), if the terminal takes them all. */
void tty_send(struct tty *tty, const char *bytes, size_t length);
/* Writes what waits, as much as the terminal takes. False: some of it still waits. */
bool tty_flush(struct tty *tty);
/* The descriptor that is writable when tty_flush can go on; -1: nothing waits. */
int tty_waits(const struct tty *tty);

/* Waits until all is written, or until the terminal has taken nothing for `patience` ms: what is
 * left is then forgotten. */
void tty_drain(struct tty *tty, int patience);

#endif
