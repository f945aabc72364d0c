#include "system/procfs.h"

#include <pthread.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* Reads one file per call and allocates nothing: at the start of the ledger this runs for every
 * thread of the machine. Measured: 9 us per thread, 7 of them in the kernel. */

struct task_path {
    char text[128];
};

static struct task_path task_path(pid_t pid, pid_t tid, const char *file)
{
    struct task_path path;
    if (tid == 0)
        snprintf(path.text, sizeof(path.text), "/proc/%d/%s", (int)pid, file);
    else
        snprintf(path.text, sizeof(path.text), "/proc/%d/task/%d/%s", (int)pid, (int)tid, file);
    return path;
}

/* Whether the pids in /proc are those of another pid namespace: /proc/self leads to the reader's
 * pid there (pid_namespaces(7), "/proc and PID namespaces"). Set once. */
static bool other_pids;

static void compare_pids(void)
{
    char self[16] = "";
    other_pids = !file_has_root() && (readlink("/proc/self", self, sizeof(self) - 1) < 0 ||
                                      strtol(self, NULL, 10) != getpid());
}

const char *procfs_foreign(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, compare_pids);
    if (!other_pids)
        return NULL;
    errno = ENOENT;
    return "/proc has the tasks of another pid namespace by other numbers: as root, run 'mount -t "
           "proc proc /proc' in this one ('unshare -pf --mount-proc')";
}

int procfs_keep(pid_t pid, pid_t tid, const char *file)
{
    struct task_path path = task_path(pid, tid, file);
    if (procfs_foreign())
        return -1;
    bool raised = privilege_raise(PRIVILEGE_SEE);
    int fd = file_keep(path.text);
    privilege_lower(raised);
    return fd;
}

/* Reads an open file and closes it, with as few calls as possible. */
static ssize_t read_whole(int fd, char *buffer, size_t size)
{
    enum { NEARLY_A_PAGE = 3072 }; /* less: a file of /proc has no more (fs/seq_file.c) */
    ssize_t length = fd < 0 ? -1 : file_again(fd, buffer, size), more = length;
    while (more > NEARLY_A_PAGE && (size_t)length < size - 1) {
        more = file_again_from(fd, (size_t)length, buffer + length, size - (size_t)length);
        length += more > 0 ? more : 0;
    }
    file_close(fd);
    return length;
}

static ssize_t read_task_file(pid_t pid, pid_t tid, const char *file, char *buffer, size_t size)
{
    return read_whole(procfs_keep(pid, tid, file), buffer, size);
}

ssize_t procfs_read_own(pid_t pid, pid_t tid, const char *file, char *buffer, size_t size)
{
    struct task_path path = task_path(pid, tid, file);
    return read_whole(procfs_foreign() ? -1 : file_keep(path.text), buffer, size);
}

ssize_t procfs_link_own(pid_t pid, pid_t tid, const char *file, char *target, size_t size)
{
    struct task_path path = task_path(pid, tid, file);
    return procfs_foreign() ? -1 : file_link(path.text, target, size);
}

FILE *procfs_open_own(pid_t pid, pid_t tid, const char *file)
{
    struct task_path path = task_path(pid, tid, file);
    return procfs_foreign() ? NULL : file_open(path.text);
}

enum { DESCRIPTORS_MAX = 1024 };

static DIR *open_descriptors(pid_t pid)
{
    return procfs_foreign() ? NULL : file_opendir(task_path(pid, 0, "fd").text);
}

/* Reads the next descriptor of a kind ("pipe:[") and its inode; NULL: there is none among the first
 * ones. */
static const char *next_descriptor(DIR *folder, int *count, const char *kind, uint64_t *inode)
{
    const struct dirent *entry;
    while (folder && (*count)++ < DESCRIPTORS_MAX && (entry = readdir(folder))) {
        char link[64] = "";
        if (readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1) > 0 &&
            str_starts(link, kind)) {
            *inode = strtoull(link + strlen(kind), NULL, 10);
            return entry->d_name;
        }
    }
    return NULL;
}

void procfs_pipes_own(pid_t pid, struct map *rights)
{
    AUTO_FOLDER DIR *folder = open_descriptors(pid);
    const char *name;
    uint64_t inode;
    for (int i = 0; (name = next_descriptor(folder, &i, "pipe:[", &inode));) {
        struct stat status; /* of the link: proc_pid_fd(5) */
        uint64_t key = procfs_pipe_key(pid, inode);
        uintptr_t of = (uintptr_t)map_get(rights, key);
        if (fstatat(dirfd(folder), name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            map_put(rights, key, (void *)(of | (status.st_mode & (S_IRUSR | S_IWUSR))));
    }
}

void procfs_sockets_own(pid_t pid, struct map *holders)
{
    AUTO_FOLDER DIR *folder = open_descriptors(pid);
    uint64_t inode;
    for (int i = 0; next_descriptor(folder, &i, "socket:[", &inode);) {
        void *own = (void *)(intptr_t)pid, *before = map_put(holders, inode, own);
        if (before && before != own)
            map_put(holders, inode, (void *)(intptr_t)-1);
    }
}

static int open_regular(const char *path, int flags)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        return fd;
    int error = fd < 0 ? errno : EINVAL;
    file_close(fd);
    errno = error;
    return -1;
}

/* Opens /proc/PID/PLACE/PATH; where the first thread has ended, that of another one. */
static int open_of(pid_t pid, const char *place, const char *path, int flags)
{
    AUTO_FREE char *whole = mem_printf("/proc/%d/%s%s", (int)pid, place, path);
    int fd = procfs_foreign() ? -1 : open_regular(whole, flags), error = errno;
    pid_t other = fd < 0 ? procfs_other_thread(pid) : 0;
    if (other)
        return open_of(other, place, path, flags);
    errno = error;
    return fd;
}

int procfs_open_mapped(pid_t pid, uint64_t start, uint64_t end)
{
    char range[40];
    snprintf(range, sizeof(range), "%llx-%llx", (unsigned long long)start, (unsigned long long)end);
    return open_of(pid, "map_files/", range, 0);
}

int procfs_open_program(pid_t pid)
{
    return open_of(pid, "exe", "", 0);
}

int procfs_open_inside(pid_t pid, const char *path, int flags)
{
    return pid ? open_of(pid, "root", path, flags) : open_regular(path, flags);
}

int procfs_open_root(pid_t pid)
{
    struct task_path path = task_path(pid, 0, "root");
    int fd = procfs_foreign() ? -1 : open(path.text, O_PATH | O_DIRECTORY | O_CLOEXEC);
    pid_t other = fd < 0 ? procfs_other_thread(pid) : 0;
    return other ? procfs_open_root(other) : fd;
}

/* The real, effective and saved id, and that of files, where they are the same. */
static bool only_id(const char *status, const char *key, unsigned *id)
{
    unsigned effective, saved, files;
    return sscanf(procfs_status_value(status, key), "%u %u %u %u", id, &effective, &saved,
                  &files) == 4 &&
           effective == *id && saved == *id && files == *id;
}

int procfs_owner(pid_t pid, struct privilege_user *owner)
{
    char status[4096];
    *owner = (struct privilege_user){0};
    if (procfs_read(pid, 0, "status", status, sizeof(status)) < 0)
        return -1;
    errno = EPERM;
    if (!only_id(status, "\nUid:", &owner->uid) || !only_id(status, "\nGid:", &owner->gid))
        return -1;
    const char *next = procfs_status_value(status, "\nGroups:");
    for (char *end; owner->count < PRIVILEGE_GROUPS; next = end) {
        gid_t group = (gid_t)strtoul(next, &end, 10);
        if (end == next)
            break;
        owner->groups[owner->count++] = group;
    }
    return 0;
}

static bool stat_file(pid_t pid, pid_t tid, const char *file, struct stat *status)
{
    struct task_path path = task_path(pid, tid, file);
    if (procfs_foreign())
        return false;
    bool raised = privilege_raise(PRIVILEGE_SEE);
    int result = file_stat(path.text, status);
    privilege_lower(raised);
    return result == 0;
}

bool procfs_memory(pid_t pid, uint64_t address, void *bytes, size_t size)
{
    struct iovec to = {bytes, size}, from = {(void *)(uintptr_t)address, size};
    ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    pid_t other = got < 0 && errno == ESRCH ? procfs_other_thread(pid) : 0;
    if (other)
        got = process_vm_readv(other, &to, 1, &from, 1, 0);
    if (got >= 0 && (size_t)got < size)
        errno = EFAULT;
    return got == (ssize_t)size;
}

bool procfs_short(void)
{
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM;
}

int procfs_task(pid_t pid, pid_t tid, struct procfs_task *task)
{
    char stat[2048];
    if (read_task_file(pid, tid, "stat", stat, sizeof(stat)) < 0)
        return -1;
    /* The name may hold blanks and parentheses; only numbers follow it. */
    char *open = strchr(stat, '('), *close = strrchr(stat, ')'), *end;
    if (!open || !close || close < open || close[1] != ' ' || close[2] < ' ')
        return -1;
    /* proc_pid_stat(5): from the parent's pid to the policy. */
    enum { PPID = 4, USER = 14, KERNEL, WAITED_USER, WAITED_KERNEL, THREADS = 20, START = 22 };
    enum { FLAGS = 9, CPU = 39, POLICY = 41, EXITING = 4 /* PF_EXITING, include/linux/sched.h */ };
    uint64_t field[POLICY + 1], tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    *task = (struct procfs_task){.pid = pid, .tid = tid ? tid : pid, .state = close[2]};
    snprintf(task->comm, sizeof(task->comm), "%.*s", (int)(close - open - 1), open + 1);
    char *at = close + 3;
    for (int i = PPID; i <= POLICY; i++, at = end) { /* sscanf(3) takes ten times as long */
        field[i] = strtoull(at, &end, 10);
        if (end == at)
            return -1;
    }
    task->ppid = (pid_t)field[PPID];
    task->exiting = field[FLAGS] & EXITING;
    task->threads = field[THREADS];
    task->start = field[START];
    task->cpu = (int)field[CPU];
    task->policy = (unsigned)field[POLICY];
    task->time = (field[USER] + field[KERNEL]) * tick;
    task->waited = (field[WAITED_USER] + field[WAITED_KERNEL]) * tick;
    return 0;
}

static bool is_zombie(const struct procfs_task *task)
{
    return task->state == 'Z' || task->state == 'X';
}

bool procfs_lives(const struct procfs_task *task)
{
    return !is_zombie(task) || task->threads > 1;
}

pid_t procfs_other_thread(pid_t pid)
{
    struct procfs_task task;
    AUTO_PIDS struct pid_list threads = {0};
    pid_t other = 0;
    if (procfs_task(pid, 0, &task) == 0 && is_zombie(&task) && task.threads > 1)
        procfs_threads(pid, &threads);
    for (size_t i = 0; i < threads.count && !other; i++)
        if (procfs_task(pid, threads.pids[i], &task) == 0 && !is_zombie(&task))
            other = threads.pids[i];
    return other;
}

/* Its thread's files are those of the process: /proc/TID is not listed, but there. */
ssize_t procfs_read(pid_t pid, pid_t tid, const char *file, char *buffer, size_t size)
{
    ssize_t length = read_task_file(pid, tid, file, buffer, size);
    pid_t other = tid == 0 && length <= 0 ? procfs_other_thread(pid) : 0;
    return other ? read_task_file(other, 0, file, buffer, size) : length;
}

bool procfs_schedstat(pid_t pid, pid_t tid, struct procfs_schedstat *now)
{
    char text[128];
    return procfs_read(pid, tid, "schedstat", text, sizeof(text)) > 0 &&
           sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &now->run, &now->delay, &now->slices) ==
               3;
}

bool procfs_keeps_delay(void)
{
    struct procfs_schedstat own;
    return procfs_schedstat(getpid(), gettid(), &own) && own.slices > 0;
}

const char *procfs_status_value(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    return found ? found + strlen(key) + strspn(found + strlen(key), " \t") : "";
}

uint64_t procfs_status_number(const char *text, const char *key, int base)
{
    return strtoull(procfs_status_value(text, key), NULL, base);
}

bool procfs_switches(pid_t pid, pid_t tid, struct procfs_switches *now)
{
    static const char voluntary[] = "\nvoluntary_ctxt_switches:",
                      forced[] = "\nnonvoluntary_ctxt_switches:";
    char text[8192];
    if (procfs_read(pid, tid, "status", text, sizeof(text)) <= 0)
        return false;
    now->state = *procfs_status_value(text, "\nState:");
    now->voluntary = procfs_status_number(text, voluntary, 10);
    now->forced = procfs_status_number(text, forced, 10);
    return *procfs_status_value(text, voluntary) && *procfs_status_value(text, forced);
}

bool procfs_cpu_time(pid_t pid, pid_t tid, uint64_t *time)
{
    struct procfs_schedstat now;
    if (tid && procfs_schedstat(pid, tid, &now)) {
        *time = now.run;
        return true;
    }
    struct procfs_task task;
    if (procfs_task(pid, tid, &task) < 0)
        return false;
    *time = task.time;
    return true;
}

/* Not the directory: that always has the effective uid (fs/proc/base.c, task_dump_owner()). */
bool procfs_glance(pid_t pid, struct procfs_glance *glance)
{
    struct stat status;
    if (!stat_file(pid, 0, "stat", &status))
        return false;
    *glance = (struct procfs_glance){status.st_uid, status.st_ino};
    return true;
}

static bool stat_program(pid_t pid, struct stat *status)
{
    pid_t other;
    return stat_file(pid, 0, "exe", status) ||
           ((other = procfs_other_thread(pid)) && stat_file(other, 0, "exe", status));
}

bool procfs_same_program(pid_t pid, pid_t other)
{
    struct stat first, second;
    return stat_program(pid, &first) && stat_program(other, &second) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* The directory's, as in procfs_glance(). */
uid_t procfs_uid(pid_t pid, pid_t tid)
{
    struct stat status;
    return stat_file(pid, tid, "", &status) ? status.st_uid : (uid_t)-1;
}

pid_t procfs_inner(pid_t pid, pid_t tid)
{
    char status[4096];
    if (procfs_read(pid, tid, "status", status, sizeof(status)) <= 0)
        return 0;
    const char *ids = procfs_status_value(status, "\nNSpid:"), *last = ids;
    for (; *ids && *ids != '\n'; ids++)
        last = *ids == '\t' ? ids : last;
    return (pid_t)strtol(last, NULL, 10);
}

pid_t procfs_process_of(pid_t tid)
{
    char status[1024]; /* Tgid is near the top; newlines in Name are escaped */
    if (read_task_file(tid, 0, "status", status, sizeof(status)) < 0)
        return -1;
    pid_t pid = (pid_t)procfs_status_number(status, "\nTgid:", 10);
    return pid > 0 ? pid : -1;
}

bool procfs_comm(pid_t pid, pid_t tid, char comm[16])
{
    char text[256];
    ssize_t length = procfs_read(pid, tid, "comm", text, sizeof(text));
    if (length < 0)
        return false;
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = '\0';
    snprintf(comm, 16, "%.15s", text); /* for kernel workers the file adds more */
    return true;
}

char *procfs_cmdline(pid_t pid)
{
    enum { SHORT = 1 << 12, LONGEST = 1 << 21 };
    char *buffer = NULL;
    ssize_t got;
    size_t size = SHORT;
    while (buffer = mem_resize(buffer, size, 1), got = procfs_read(pid, 0, "cmdline", buffer, size),
           got == (ssize_t)size - 1 && size < LONGEST)
        size *= 8;
    for (; got > 0 && (buffer[got - 1] == '\0' || buffer[got - 1] == ' '); got--)
        ;
    if (got <= 0) {
        free(buffer);
        return NULL;
    }
    buffer[got] = '\0';
    for (char *end = buffer; (end = memchr(end, '\0', (size_t)(buffer + got - end)));)
        *end = ' ';
    str_clean(buffer, false);
    return buffer;
}

void pid_list_release(struct pid_list *list)
{
    free(list->pids);
    *list = (struct pid_list){0};
}

void pid_list_add(struct pid_list *list, pid_t pid)
{
    mem_grow(&list->pids, &list->room, list->count + 1, sizeof(*list->pids));
    list->pids[list->count++] = pid;
}

static int by_id(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

void pid_list_sort(struct pid_list *list)
{
    if (list->count)
        qsort(list->pids, list->count, sizeof(*list->pids), by_id);
}

bool pid_list_has(const struct pid_list *list, pid_t pid)
{
    return list->count && bsearch(&pid, list->pids, list->count, sizeof(pid), by_id);
}

/* Adds each number that names a file in the directory. */
static int add_numbers(const char *path, struct pid_list *list)
{
    if (procfs_foreign())
        return -1;
    bool raised = privilege_raise(PRIVILEGE_SEE);
    errno = 0;
    AUTO_FOLDER DIR *folder = file_opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)); errno = 0) {
        unsigned long long pid;
        if (str_to_u64(entry->d_name, 1, INT32_MAX, &pid))
            pid_list_add(list, (pid_t)pid);
    }
    privilege_lower(raised);
    return errno ? -1 : 0;
}

int procfs_processes(struct pid_list *list)
{
    return add_numbers("/proc", list);
}

int procfs_threads(pid_t pid, struct pid_list *list)
{
    return add_numbers(task_path(pid, 0, "task").text, list);
}

void procfs_children_own(pid_t pid, struct pid_list *list)
{
    char children[1 << 14], *end = children;
    ssize_t got = procfs_read_own(pid, pid, "children", children, sizeof(children));
    while (got > 0 && children[got - 1] != ' ') /* a number may be cut off */
        got--;
    children[got > 0 ? got : 0] = '\0';
    for (long child; (child = strtol(end, &end, 10)) > 0;)
        pid_list_add(list, (pid_t)child);
}

void procfs_kernel_threads(struct pid_list *list)
{
    enum { KTHREADD = 2 };
    struct procfs_task task;
    if (procfs_task(KTHREADD, 0, &task) == 0 && !task.ppid && str_equal(task.comm, "kthreadd"))
        procfs_children_own(KTHREADD, list);
    pid_list_sort(list);
}

/* The links of the directory: fs/proc/base.c, proc_task_getattr(). */
size_t procfs_thread_count(pid_t pid)
{
    enum { OF_EACH_DIRECTORY = 2 };
    struct stat status;
    if (!stat_file(pid, 0, "task", &status) || status.st_nlink < OF_EACH_DIRECTORY)
        return 0;
    return (size_t)status.st_nlink - OF_EACH_DIRECTORY;
}

int procfs_family(pid_t pid, struct pid_list *list)
{
    AUTO_PIDS struct pid_list all = {0}, family = {0};
    list->count = 0;
    int result = procfs_threads(pid, list);
    if (result == 0)
        result = procfs_processes(&all);
    int error = errno;
    AUTO_FREE pid_t *parents = mem_array(all.count, sizeof(*parents)); /* 0: gone, or added */
    for (size_t i = 0; i < all.count && result == 0; i++) {
        struct procfs_task task;
        if (all.pids[i] != pid && procfs_task(all.pids[i], 0, &task) == 0)
            parents[i] = task.ppid;
    }
    pid_list_add(&family, pid);
    for (size_t f = 0; f < family.count; f++)
        for (size_t i = 0; i < all.count; i++)
            if (parents[i] && parents[i] == family.pids[f]) {
                pid_list_add(&family, all.pids[i]);
                procfs_threads(all.pids[i], list);
                parents[i] = 0;
            }
    pid_list_sort(list);
    errno = error;
    return result;
}

bool procfs_descends(pid_t pid, pid_t ancestor)
{
    enum { GENERATIONS = 1000 }; /* a pid that is reused meanwhile could close a circle */
    struct procfs_task task;
    for (int i = 0; pid > 0 && i < GENERATIONS; i++) {
        if (procfs_task(pid, 0, &task) < 0)
            return false;
        if (task.ppid == ancestor)
            return true;
        pid = task.ppid;
    }
    return false;
}

/* ---- signals and users ---- */

int process_hold(pid_t pid, uint64_t seen, struct err *err)
{
    struct procfs_task task;
    uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    if (procfs_foreign())
        return err_set(err, "%s", procfs_foreign());
    int held = (int)syscall(SYS_pidfd_open, pid, 0);
    if (held < 0 && errno == ESRCH)
        return err_set(err, "it has ended");
    if (held < 0 && (errno == EMFILE || errno == ENFILE))
        return err_set(err, "file descriptors ran out: raise the limit ('ulimit -n'), or take "
                            "fewer processes at a time");
    if (held < 0)
        return err_set(err, "this kernel refuses pidfd_open (%s): run 'kill' with pid %d",
                       err_reason(errno), (int)pid);
    /* The descriptor is open already, so the facts read now are about its process. Starts are in
     * clock ticks, rounded down (proc_pid_stat(5), starttime). */
    if (procfs_task(pid, 0, &task) == 0 && procfs_lives(&task) && task.start <= seen / tick)
        return held;
    close(held);
    return err_set(err, "it has ended");
}

int process_signal(int held, pid_t pid, int signal, struct err *err)
{
    if (syscall(SYS_pidfd_send_signal, held, signal, NULL, 0) == 0)
        return 0;
    if (errno == ESRCH)
        return err_set(err, "it has ended");
    if (errno == EPERM)
        return err_set(err, "not permitted; its user and root may: 'sudo kill -%d %d'", signal,
                       (int)pid);
    return err_set(err, "%s; try 'kill -%d %d'", err_reason(errno), signal, (int)pid);
}

bool process_has_gained(pid_t pid)
{
    char status[8192], own[8192];
    struct privilege_user owner;
    if (geteuid() == 0 || procfs_read(pid, 0, "status", status, sizeof(status)) <= 0 ||
        procfs_read(getpid(), 0, "status", own, sizeof(own)) <= 0)
        return false;
    bool same = procfs_owner(pid, &owner) == 0 && owner.uid == getuid() && owner.gid == getgid();
    return !same || procfs_status_number(status, "\nCapPrm:", 16) &
                        ~procfs_status_number(own, "\nCapPrm:", 16);
}

int user_find(const char *given, uid_t *uid, struct err *err)
{
    unsigned long long number;
    struct passwd *found = getpwnam(given);
    if (found || str_to_u64(given, 0, UINT_MAX - 1, &number)) {
        *uid = found ? found->pw_uid : (uid_t)number;
        return 0;
    }
    AUTO_NAMES struct names names = {0}; /* copies: getpwent(3) overwrites its result */
    setpwent();
    for (struct passwd *user; (user = getpwent());)
        names_add(&names, user->pw_name);
    endpwent();
    err_set(err, "unknown user '%.100s': expected a user's name or uid", given);
    return err_add_nearest(err, names_nearest(&names, given));
}
