/* Threads beside the main thread, which reads signals from a descriptor: they take none but those
 * of their own faults. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* 0, or an errno: none could be started. The name is for ps(1), 15 bytes. */
int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument);

/* Joins a thread that was asked to end. False if it does not end within some seconds, because it
 * waits for a file that does not come: what it uses must not be freed then. */
bool thread_join(pthread_t thread);

#endif
