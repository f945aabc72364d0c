/* Tasks in /proc, other users' too if the program's capabilities allow it (privilege.h). The only
 * place that opens files of processes. In every call the task may be gone: the call then returns -1
 * or false without a message, since that is no error. */
#pragma once

#include "system/privilege.h"

struct procfs_task {
    pid_t pid, tid, ppid;
    char comm[16];
    char state;
    bool exiting;    /* the thread is ending, or has ended: no event of it can be opened */
    size_t threads;  /* of its process */
    uint64_t start;  /* clock ticks after boot: tid and start together identify a task */
    int cpu;         /* on which it ran last */
    unsigned policy; /* sched(7) */
    uint64_t time;   /* CPU time, ns, by clock ticks; tid 0: of all threads, ended ones too */
    uint64_t waited; /* CPU time of ended descendants that have been waited for */
};

/* Why /proc tells nothing of the tasks that this program's calls name by their numbers, with the
 * remedy: it shows another pid namespace, or none. NULL: it does; else every call about a task
 * fails with ENOENT. */
const char *procfs_foreign(void);

/* Reads a file of a thread, like file_read(): "cgroup". tid 0: the file of the process itself;
 * where its first thread has ended and the file is empty, that of another thread. */
ssize_t procfs_read(pid_t pid, pid_t tid, const char *file, char *buffer, size_t size);
/* Opens that file of a thread, or with tid 0 of the process itself, for file_again(); -1: gone. */
int procfs_keep(pid_t pid, pid_t tid, const char *file);
/* Reads a file like procfs_read(), but with the rights of this program's user alone: for files that
 * tell more than that a task exists. A long file takes several reads: only 4 KiB at a time are of
 * one moment. */
ssize_t procfs_read_own(pid_t pid, pid_t tid, const char *file, char *buffer, size_t size);
/* With the same rights: reads where a link leads ("fd/3"), as readlink(2) with '\0' at the end;
 * opens a table that is read by lines ("net/tcp"), NULL with errno. */
ssize_t procfs_link_own(pid_t pid, pid_t tid, const char *file, char *target, size_t size);
FILE *procfs_open_own(pid_t pid, pid_t tid, const char *file);
/* With the same rights: adds which ends of pipes the process has among its first 1024 descriptors,
 * by process and inode: S_IRUSR, S_IWUSR or both, as a number. */
void procfs_pipes_own(pid_t pid, struct map *rights);
static inline uint64_t procfs_pipe_key(pid_t pid, uint64_t inode)
{
    return inode << 32 | (uint64_t)pid; /* neither has more than 32 bits */
}
/* With the same rights: adds the process, as a number, to the sockets by inode that it has among
 * its first 1024 descriptors; -1 to those that another process was added to before. */
void procfs_sockets_own(pid_t pid, struct map *holders);
/* Open the file that a process has mapped from start to end, and the program that it runs, which
 * may be deleted. Other processes choose these files: only regular ones are opened, without
 * waiting, and without the program's capabilities. A descriptor that the caller closes, or -1 with
 * errno. */
int procfs_open_mapped(pid_t pid, uint64_t start, uint64_t end);
int procfs_open_program(pid_t pid);
/* Opens the root directory of a process, for openat2(2), without the program's capabilities. A
 * descriptor that the caller closes, or -1 with errno. */
int procfs_open_root(pid_t pid);
/* Finds the user whose rights a process has. -1 with errno; EPERM: it has those of several users.
 */
int procfs_owner(pid_t pid, struct privilege_user *owner);
/* Opens a regular file by the path under which the process knows it (its mount namespace may be
 * another one), without the program's capabilities; pid 0: under which this program knows it.
 * flags: 0 or O_NOFOLLOW. A descriptor that the caller closes, or -1 with errno. */
int procfs_open_inside(pid_t pid, const char *path, int flags);
/* Copies memory of a process, as far as process_vm_readv(2) permits this program without its
 * capabilities; false with errno. */
bool procfs_memory(pid_t pid, uint64_t address, void *bytes, size_t size);
/* Call it after a call that failed: whether errno says that descriptors or memory ran out, so that
 * the task may still live. */
bool procfs_short(void);
/* A living thread of a process whose first one has ended, and with it has neither memory nor files;
 * 0: the first one has not ended, or all have. */
pid_t procfs_other_thread(pid_t pid);
/* Fills in the facts from /proc/PID/task/TID/stat (tid 0: /proc/PID/stat). */
int procfs_task(pid_t pid, pid_t tid, struct procfs_task *task);
/* Whether a task can still run. A process can after its first thread has ended, if it has others.
 */
bool procfs_lives(const struct procfs_task *task);
/* CPU time so far, in ns: of a thread from its schedstat if the kernel has that, else from stat,
 * which is exact to a clock tick; with tid 0 of the whole process with its ended threads, from
 * stat. False: it is gone. */
bool procfs_cpu_time(pid_t pid, pid_t tid, uint64_t *time);
/* From a thread's schedstat (Documentation/scheduler/sched-stats.rst), ns: on a CPU, and able to
 * run without one, up to its last return to a CPU. All are 0 if the kernel keeps no such times.
 * False if the thread is gone. */
struct procfs_schedstat {
    uint64_t run, delay;
    uint64_t slices; /* times that it got a CPU */
};

bool procfs_schedstat(pid_t pid, pid_t tid, struct procfs_schedstat *now);
bool procfs_keeps_delay(void); /* whether the kernel keeps them (CONFIG_SCHED_INFO) */
/* From a thread's status: its state, and its switches so far, those to wait and the others. */
struct procfs_switches {
    char state;
    uint64_t voluntary, forced;
};

bool procfs_switches(pid_t pid, pid_t tid, struct procfs_switches *now);
/* Two facts about a process that take one system call together. */
struct procfs_glance {
    uid_t owner; /* effective uid; root if the process is not dumpable because the program that it
                    executed has privileges of its own (proc(5), PR_SET_DUMPABLE) */
    ino_t inode; /* of its stat file: differs for another process with the same pid */
};

bool procfs_glance(pid_t pid, struct procfs_glance *glance); /* false if gone */
/* Whether both processes run the same program; false if not known. */
bool procfs_same_program(pid_t pid, pid_t other);
/* What follows a key, with the newline before it and the colon, in the text of /proc/PID/status;
 * "": it is not there. */
const char *procfs_status_value(const char *text, const char *key);
uint64_t procfs_status_number(const char *text, const char *key, int base); /* 0: it has none */
/* Effective uid of a thread, with tid 0 of its process; (uid_t)-1 if not known. Takes one system
 * call. */
uid_t procfs_uid(pid_t pid, pid_t tid);
/* Command line, words separated by spaces, control characters replaced; at most 2 MiB. The caller
 * frees it; NULL if empty or gone. */
char *procfs_cmdline(pid_t pid);
/* Name of a thread, 16 bytes; false if gone. */
bool procfs_comm(pid_t pid, pid_t tid, char comm[16]);
/* The number of a thread, with tid 0 of its process, in its own view (pid_namespaces(7)); 0 if
 * gone.
 */
pid_t procfs_inner(pid_t pid, pid_t tid);
/* The process that a thread belongs to (Tgid); -1 if gone. */
pid_t procfs_process_of(pid_t tid);

/* Ids of processes or threads. Zeroed: empty. */
struct pid_list {
    pid_t *pids;
    size_t count, room;
};
void pid_list_release(struct pid_list *list);
/* For a local `AUTO_PIDS struct pid_list list = {0};`: released where its block ends. */
#define AUTO_PIDS __attribute__((unused, cleanup(pid_list_release)))
void pid_list_add(struct pid_list *list, pid_t pid);
void pid_list_sort(struct pid_list *list);                 /* ascending */
bool pid_list_has(const struct pid_list *list, pid_t pid); /* of one that is sorted */

/* Add to a list all processes; all threads of a process. -1 with errno if /proc cannot be read to
 * its end: the list then has what was read. */
int procfs_processes(struct pid_list *list);
int procfs_threads(pid_t pid, struct pid_list *list);
/* Add the children of the first thread of a process, with the user's own rights; those of the
 * kernel's threads that the machine shows, ascending. None where the kernel does not list them
 * (CONFIG_PROC_CHILDREN). */
void procfs_children_own(pid_t pid, struct pid_list *list);
void procfs_kernel_threads(struct pid_list *list);
/* How many threads a process has, 0 if it is gone. Takes one system call. */
size_t procfs_thread_count(pid_t pid);
/* Fills a list with all threads of a process and of all its descendants, ascending. (A process
 * whose parent has ended has another parent, and is no descendant any more.) -1 as above. */
int procfs_family(pid_t pid, struct pid_list *list);
/* Whether `pid` descends from `ancestor`, in the same sense. */
bool procfs_descends(pid_t pid, pid_t ancestor);

/* Signals through a descriptor, which never reach a later process with the same pid (pidfd_open(2),
 * pidfd_send_signal(2); Linux 5.3). */

/* Opens a descriptor of the process, close-on-exec, which the caller closes. `seen`: a time since
 * boot (CLOCK_BOOTTIME, ns) at which the process existed; a process that began later is refused. -1
 * with the cause: it has ended, or the descriptor cannot be opened, with the remedy. */
int process_hold(pid_t pid, uint64_t seen, struct err *err);

/* -1 with the cause: it has ended, or belongs to another user, with the users who may send the
 * signal. */
int process_signal(int held, pid_t pid, int signal, struct err *err);

/* Whether a process that an ordinary user started, alive or a zombie, has an id or a capability
 * that this user does not have, since it executed a program with privileges of its own. False for
 * root. */
bool process_has_gained(pid_t pid);

/* Users by name, from the user database (getpwnam(3)). */

/* The uid of a user given by name, or by number, which need not be a known user's. -1 with a
 * message that has the nearest name. */
int user_find(const char *given, uid_t *uid, struct err *err);
