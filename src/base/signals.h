/* Signals and threads. The program takes some signals: its main thread reads them from a
 * descriptor, and they never interrupt a call. Handlers of crashes are those of the terminal
 * (front/term/term.c). */
#pragma once

#include "base/err.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Blocks the signals that end or stop the program, and those that report the end of a child or
 * another size of the terminal. Call it before threads are started. Returns the descriptor that
 * reports them (signalfd(2)), or -1 with a message. */
int signals_open(struct err *err);

/* Call after SIGTSTP: stops the program; returns when it continues, or at once if no shell could
 * continue it. */
void signals_stop(void);

/* When the program has ended but for its last message: forgets signals that have come, and lets
 * later ones end or stop it, for a terminal may take no output. */
void signals_release(void);

/* Whether a signal that ends the program has arrived, and is not read yet. Any thread may ask. */
bool signals_end(void);
/* A descriptor that is readable while such a signal waits to be read; only for a thread in which
 * these signals are blocked. The caller closes it. -1: none could be opened. */
int signals_end_fd(void);

/* For a call that may wait for ever: signals end or stop the program at once, until the thread sets
 * its signal mask to *before again. */
void signals_let_through(sigset_t *before);

/* Starts a thread in which all signals are blocked but those of its own faults (SIGSEGV ...): the
 * main thread alone takes the others. The name, 15 bytes, is for ps(1). Returns 0, or the errno if
 * the thread could not be started. */
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument);

/* Waits some seconds for the end of a thread that was asked to end. False if it has not ended, as
 * when it waits for a file system that does not answer: do not free what it uses then. */
bool thread_join(pthread_t thread);

/* Takes a lock, for a local `AUTO_UNLOCK pthread_mutex_t *held = lock_take(&book->lock);`: it is
 * released where the local's block ends. */
pthread_mutex_t *lock_take(pthread_mutex_t *lock);
void lock_give_local(pthread_mutex_t **lock);
#define AUTO_UNLOCK __attribute__((unused, cleanup(lock_give_local)))
