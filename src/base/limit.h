/* A limit on the memory of a process that does what may need any amount. */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#include <stdint.h>

/* Limits the addresses of this process to that many bytes, except with sanitizers. Safe between
 * fork(2) and execve(2). */
void limit_addresses(uint64_t bytes);

#endif
