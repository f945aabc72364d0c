/* What a sleeping thread waits for, from its system call (/proc/PID/task/TID/syscall), descriptors,
 * sockets, locks, and from its memory 12 bytes where it waits in a futex or sleeps, or the path
 * that it opens. All is read with the rights of this program's user: its capabilities have no
 * effect. Other processes choose names, and can change what is read meanwhile: texts may be wrong,
 * and are not cleaned. Memory that does not come is waited for once, for 0.1 s. */
#pragma once

#include "base/base.h"

struct wait_target {    /* zeroed: it does not sleep, or is gone */
    const char *kind;   /* "mutex", "read" ...; NULL: not known */
    const char *reason; /* why it is not known; NULL: it is, or it does not sleep */
    char text[320];     /* "read socket 10.0.0.5:5432" */
    pid_t pid;          /* the thread or process that it waits for; 0: not known */
    char address[64];   /* of the socket's peer, or of the futex in memory; "": none, or not read */
    char path[256];     /* of the file, a long one cut, with '+'; "": none */
    bool endless;       /* a futex without a time limit */
    uint64_t word;      /* address of a mutex, 0: it is none; and what it was */
    uint32_t words[3];
};

/* Tables of the kernel that several readings use. Zeroed: none was read. */
struct wait_tables {
    char pid_space[32], net_space[32];   /* this program's pid namespace; that of the sockets */
    uint64_t sockets_read;               /* when, ns of clock_monotonic(); 0: never */
    struct map sockets;                  /* their addresses or paths by inode */
    uint64_t holders_read, holders_cost; /* when, as above, and how long that took, ns */
    struct map holders;                  /* as procfs_sockets_own() adds them */
    uint64_t pipes_read;                 /* when, as above */
    struct map pipes;                    /* as procfs_pipes_own() adds them, of processes looked at,
                                          * and these themselves with inode 0 */
    uint64_t locks_read;                 /* when, as above */
    struct map locks;                    /* who holds the lock that a process waits for, by its
                                          * number; -1: several do */
    struct wait_memory *memory;          /* NULL: none was read */
    int unix_peers;                      /* descriptor of unix_peer_open() + 1 */
};

/* Opens what the sandbox permits no more. Not needed: peers of unix sockets are then not known. */
void wait_tables_open(struct wait_tables *tables);
void wait_tables_release(struct wait_tables *tables);

/* Reads what a thread waits for (tid 0: the first thread of the process). `state` is its state in
 * proc_pid_stat(5), `threads` the number of its process's threads. At most six system calls; more
 * for an epoll with many descriptors, for the other end of a pipe, for the tables of sockets and of
 * the processes that have them, which are read once for all rows of a refresh, and for numbers of
 * other pid namespaces. */
void wait_target_read(struct wait_tables *tables, pid_t pid, pid_t tid, char state, size_t threads,
                      struct wait_target *target);

/* Whether a thread that has slept since `target` was read still waits for the same. False for the
 * lock of a file, and for a mutex that others have taken meanwhile. Reads the memory of a mutex
 * again, else nothing. */
bool wait_target_lasts(struct wait_tables *tables, pid_t pid, const struct wait_target *target);

/* Reads what the thread or process that it waits for waits for itself. Returns its process, and its
 * state; 0: not known. */
pid_t wait_target_next(struct wait_tables *tables, const struct wait_target *target,
                       struct wait_target *next, char *state);

/* Follows what threads wait for, from this one on, to those that wait for each other in a ring, for
 * mutexes or ends of threads without a time limit. Writes their ids, and returns their number; 0:
 * there is no ring. It is certain: all of them were asleep at one moment, since none was switched
 * to between two readings that said the same. */
enum { WAIT_RING_MAX = 64 };
size_t wait_target_ring(struct wait_tables *tables, pid_t tid, pid_t tids[WAIT_RING_MAX]);
