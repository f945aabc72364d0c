/* A file system in DIR (FUSE, <linux/fuse.h>) that leaves requests without an answer, in mounts of
 * its own. Prints a line for each thread that waits for one, in state D, as waiter does, then
 * "ready": in fsync(2), in open(2), and in futex(2) for a word in a file. They are of user UID if
 * that is given. Ends by a signal, and they with it. */
#include <fcntl.h>
#include <limits.h>
#include <linux/fuse.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "slowfs DIR [UID]";

enum { NODE_SYNC = 2, NODE_OPEN, NODE_WORD, BUFFER = 1 << 17 };

static char path[3][PATH_MAX];

static void answer(int device, uint64_t request, int error, const void *bytes, size_t size)
{
    char reply[sizeof(struct fuse_out_header) + 256];
    struct fuse_out_header header = {(uint32_t)(sizeof(header) + size), error, request};
    memcpy(reply, &header, sizeof(header));
    memcpy(reply + sizeof(header), bytes, size);
    check(write(device, reply, header.len) < 0, "write");
}

static struct fuse_attr attributes(uint64_t node)
{
    bool root = node == FUSE_ROOT_ID;
    return (struct fuse_attr){
        .ino = node, .mode = root ? S_IFDIR | 0777 : S_IFREG | 0666, .nlink = 1, .size = 4096};
}

/* A signal while it waits for an answer puts a thread into state D (fs/fuse/dev.c,
 * request_wait_answer()). */
static void leave(const struct fuse_in_header *in, pid_t process)
{
    check(syscall(SYS_tgkill, process, in->pid, SIGUSR1) < 0, "tgkill");
}

static void serve(int device, pid_t process)
{
    static char bytes[BUFFER];
    const struct fuse_in_header *in = (const struct fuse_in_header *)bytes;
    for (int waiting = 0;;) {
        check(read(device, bytes, sizeof(bytes)) < 0, "read");
        const char *name = bytes + sizeof(*in);
        struct fuse_init_out init = {
            .major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = 4096};
        struct fuse_attr_out attr = {.attr_valid = 1000, .attr = attributes(in->nodeid)};
        struct fuse_entry_out entry = {.entry_valid = 1000, .attr_valid = 1000};
        struct fuse_open_out open = {.fh = 1};
        switch (in->opcode) {
        case FUSE_INIT:
            answer(device, in->unique, 0, &init, sizeof(init));
            break;
        case FUSE_GETATTR:
            answer(device, in->unique, 0, &attr, sizeof(attr));
            break;
        case FUSE_LOOKUP:
            entry.nodeid = strcmp(name, "wal") == 0    ? NODE_SYNC
                           : strcmp(name, "word") == 0 ? NODE_WORD
                                                       : NODE_OPEN;
            entry.attr = attributes(entry.nodeid);
            answer(device, in->unique, 0, &entry, sizeof(entry));
            break;
        case FUSE_OPEN:
            if (in->nodeid != NODE_OPEN)
                answer(device, in->unique, 0, &open, sizeof(open));
            else
                leave(in, process);
            break;
        case FUSE_READ:
        case FUSE_FSYNC:
            leave(in, process);
            break;
        case FUSE_INTERRUPT:
            if (++waiting == 3) {
                puts("ready");
                fflush(stdout);
            }
            break;
        default:
            answer(device, in->unique, -ENOSYS, "", 0);
        }
    }
}

static void *wait_in_fsync(void *told)
{
    int file = open(path[0], O_RDWR | O_CLOEXEC);
    check(file < 0, "open");
    printf("%d\tsync\tfsync %s\n", (int)gettid(), path[0]);
    fflush(stdout);
    check(fsync(file) < 0, "fsync");
    return told;
}

static void *wait_in_open(void *told)
{
    printf("%d\topen\topen %s\n", (int)gettid(), path[1]);
    fflush(stdout);
    check(open(path[1], O_RDONLY | O_CLOEXEC) < 0, "open");
    return told;
}

/* The kernel has to read the word, and so has whoever looks. */
static void *wait_for_word(void *told)
{
    int file = open(path[2], O_RDWR | O_CLOEXEC);
    void *word = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    check(file < 0 || word == MAP_FAILED, "mmap");
    printf("%d\tfutex\tfutex 0x%lx\n", (int)gettid(), (unsigned long)word);
    fflush(stdout);
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return told;
}

static void nothing(int signal)
{
    (void)signal;
}

int main(int argc, char **argv)
{
    static void *(*const kinds[])(void *) = {wait_in_fsync, wait_in_open, wait_for_word};
    char options[128];
    if (argc < 2 || argc > 3)
        usage(usage_text);
    uid_t user = argc > 2 ? (uid_t)number(argv[2], usage_text) : getuid();
    int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    check(device < 0, "/dev/fuse");
    check(unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0,
          "unshare");
    snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", device, user,
             user);
    check(mount("slowfs", argv[1], "fuse.slowfs", MS_NOSUID | MS_NODEV, options) < 0, "mount");
    snprintf(path[0], sizeof(path[0]), "%s/wal", argv[1]);
    snprintf(path[1], sizeof(path[1]), "%s/x", argv[1]);
    snprintf(path[2], sizeof(path[2]), "%s/word", argv[1]);
    pid_t waits = fork();
    check(waits < 0, "fork");
    if (waits == 0) {
        close(device); /* it is the server's alone: with that the waits end */
        if (user != getuid())
            check(setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0, "setresuid");
        prctl(PR_SET_DUMPABLE, 1);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGUSR1, nothing);
        for (int i = 0; i < 3; i++) {
            pthread_t thread;
            errno = pthread_create(&thread, NULL, kinds[i], NULL);
            check(errno, "pthread_create");
        }
        for (;;)
            pause();
    }
    serve(device, waits);
}
