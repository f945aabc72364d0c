#include "engine/idle_sign.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

size_t idle_sign_limit(const struct perf_event_attr *filler)
{
    /* Each is a mapping, of which a process has some 65,000 (vm.max_map_count). */
    enum { SIGNS_MAX = 16384 };
    struct rlimit limit;
    struct idle_sign sign;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || !idle_sign_open(&sign, filler, 0))
        return 0;
    uint32_t before = idle_sign_value(&sign);
    poll(NULL, 0, 1); /* leaves the CPU */
    bool written = idle_sign_value(&sign) != before;
    idle_sign_close(&sign);
    rlim_t pages = limit.rlim_cur / 2 / (rlim_t)sysconf(_SC_PAGESIZE);
    if (!written)
        return 0;
    return pages < SIGNS_MAX ? (size_t)pages : SIGNS_MAX;
}

bool idle_sign_open(struct idle_sign *sign, const struct perf_event_attr *filler, pid_t tid)
{
    struct perf_event_attr attr = *filler;
    int fd = sys_open(&attr, false, tid, -1, -1);
    if (fd < 0) {
        *sign = (struct idle_sign){.fd = fd};
        return false;
    }
    bool mapped = idle_sign_share(sign, fd);
    int saved = errno;
    if (!mapped)
        close(fd);
    sign->shared = false;
    errno = saved;
    return mapped;
}

bool idle_sign_share(struct idle_sign *sign, int fd)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    *sign = (struct idle_sign){fd, true, page != MAP_FAILED ? page : NULL};
    return sign->page;
}

void idle_sign_close(struct idle_sign *sign)
{
    if (!sign->page)
        return;
    munmap((void *)sign->page, (size_t)sysconf(_SC_PAGESIZE));
    if (!sign->shared)
        close(sign->fd);
    sign->page = NULL;
}

uint32_t idle_sign_value(const struct idle_sign *sign)
{
    return sign->page ? __atomic_load_n(&sign->page->lock, __ATOMIC_ACQUIRE) : 0;
}

size_t idle_sign_count_living(const struct idle_sign *const *signs, size_t count)
{
    struct pollfd *fds = mem_array(count, sizeof(*fds));
    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){.fd = signs[i]->fd};
    /* An event hangs up when its thread ends (kernel/events/core.c, perf_poll()). */
    int ended = poll(fds, count, 0);
    free(fds);
    return ended < 0 ? 0 : count - (size_t)ended;
}
